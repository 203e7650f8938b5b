import { commonPairs, type Pair } from './common-pairs.ts';

/** A reworded sentence in one line, as `git diff --word-diff` writes it; null where two lines are clearer. */
export function wordDiff(before: string, after: string): string | null {
  if (MARKS.test(before) || MARKS.test(after)) return null;
  const old = before.split(' ');
  const now = after.split(' ');
  const end: Pair = [old.length, now.length];
  const told: string[] = [];
  let [i, j] = [0, 0];
  for (const [a, b] of [...withoutSpecks(commonPairs(old, now), end), end]) {
    if (a > i) told.push(`[-${old.slice(i, a).join(' ')}-]`);
    if (b > j) told.push(`{+${now.slice(j, b).join(' ')}+}`);
    if (a < old.length) told.push(old[a] as string);
    [i, j] = [a + 1, b + 1];
  }
  const line = told.join(' ');
  return line.length < (before.length + after.length) * SHORT_ENOUGH ? line : null;
}

/** Marks in the sentence itself could not be told from ours. */
const MARKS = /\[-|-\]|\{\+|\+\}/;

/** With more marks than that, a line is harder to read than both sentences. */
const SHORT_ENOUGH = 0.8;

/** A word that stays between two changes is told with them. */
function withoutSpecks(pairs: readonly Pair[], end: Pair): readonly Pair[] {
  const isGap = ([a, b]: Pair, [c, d]: Pair) => c > a + 1 || d > b + 1;
  return pairs.filter((pair, n) => !isGap(pairs[n - 1] ?? [-1, -1], pair) || !isGap(pair, pairs[n + 1] ?? end));
}
