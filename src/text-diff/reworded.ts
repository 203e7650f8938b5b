import { commonPairs, type Pair } from './align.ts';
import type { Sentence } from './sentences.ts';

/** A removed and an added sentence by their positions, with one line that shows both. */
export type Rewording = { readonly removed: number; readonly added: number; readonly line: string };

/** Bounds the time. Passages with more pairs of sentences, or of characters, count as rewritten. */
const MOST_PAIRS = 2500;

const MOST_CHARACTER_PAIRS = 200_000_000;

/** Returns which added sentences reword which removed ones, in order, each with the one that saves most characters. */
export function pairReworded(removed: readonly Sentence[], added: readonly Sentence[]): readonly Rewording[] {
  if (isTooMuch(removed, added)) return [];
  const found: Rewording[] = [];
  let from = 0;
  for (const [n, { text: after }] of added.entries()) {
    let [best, saved]: [Rewording | null, number] = [null, 0];
    for (let i = from; i < removed.length; i += 1) {
      const before = removed[i]?.text ?? '';
      const line = wordDiff(before, after);
      if (line === null || before.length - line.length <= saved - after.length) continue;
      [best, saved] = [{ removed: i, added: n, line }, before.length + after.length - line.length];
    }
    if (best === null) continue;
    found.push(best);
    from = best.removed + 1;
  }
  return found;
}

function isTooMuch(removed: readonly Sentence[], added: readonly Sentence[]): boolean {
  const characters = (list: readonly Sentence[]) => list.reduce((sum, { text }) => sum + text.length, 0);
  const pairs = removed.length * added.length;
  return pairs > 1 && (pairs > MOST_PAIRS || characters(removed) * characters(added) > MOST_CHARACTER_PAIRS);
}

/** Marks in the sentence itself would be mistaken for marks of the diff. */
const MARKS = /\[-|-\]|\{\+|\+\}/;

/** With more marks than that, one line is harder to read than both sentences. */
const SHORT_ENOUGH = 0.8;

/** Sentences that share a smaller part of their words are not compared word by word. */
const ALIKE = 0.5;

/** Returns a reworded sentence in the format of `git diff --word-diff`; `null` if two lines are clearer. */
function wordDiff(before: string, after: string): string | null {
  const [old, now] = [before.split(' '), after.split(' ')];
  if (MARKS.test(before) || MARKS.test(after) || sharedWords(old, now) < ALIKE) return null;
  const end: Pair = [old.length, now.length];
  const words: string[] = [];
  let [i, j] = [0, 0];
  for (const [a, b] of [...withoutSingleWords(commonPairs(old, now), end), end]) {
    if (a > i) words.push(`[-${old.slice(i, a).join(' ')}-]`);
    if (b > j) words.push(`{+${now.slice(j, b).join(' ')}+}`);
    if (a < old.length) words.push(old[a] as string);
    [i, j] = [a + 1, b + 1];
  }
  const line = words.join(' ');
  return line.length < (before.length + after.length) * SHORT_ENOUGH ? line : null;
}

/** Returns the part of their words that two sentences share, in any order. */
function sharedWords(old: readonly string[], now: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const word of old) counts.set(word, (counts.get(word) ?? 0) + 1);
  const shared = now.filter((word) => {
    const left = counts.get(word) ?? 0;
    counts.set(word, left - 1);
    return left > 0;
  });
  return (2 * shared.length) / (old.length + now.length);
}

/** Drops a common word between two changes: one longer change is easier to read. */
function withoutSingleWords(pairs: readonly Pair[], end: Pair): readonly Pair[] {
  const isGap = ([a, b]: Pair, [c, d]: Pair) => c > a + 1 || d > b + 1;
  return pairs.filter((pair, n) => !isGap(pairs[n - 1] ?? [-1, -1], pair) || !isGap(pair, pairs[n + 1] ?? end));
}
