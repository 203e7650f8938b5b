import type { Pair } from './common-pairs.ts';

/** So many things in a row that stand elsewhere now: where they stood, and where they stand. */
export type MovedRun = { readonly from: number; readonly to: number; readonly count: number };

/** Runs of fewer characters are told as gone and new: that is as short. */
const SHORTEST_RUN = 60;

/** What two lists have in common in another order, beside the pairs that keep their order; as long runs as there are. */
export function movedRuns(old: readonly string[], now: readonly string[], pairs: readonly Pair[]): readonly MovedRun[] {
  const leftOld = new Set(old.keys());
  const leftNow = new Set(now.keys());
  for (const [a, b] of pairs) {
    leftOld.delete(a);
    leftNow.delete(b);
  }
  const isSame = (a: number, b: number) => leftOld.has(a) && leftNow.has(b) && old[a] === now[b];
  const runs: MovedRun[] = [];
  for (const [a, b] of onlyPairs(old, now, leftOld, leftNow)) {
    if (!isSame(a, b)) continue;
    let [before, after] = [0, 1];
    while (isSame(a - before - 1, b - before - 1)) before += 1;
    while (isSame(a + after, b + after)) after += 1;
    const run = { from: a - before, to: b - before, count: before + after };
    const length = old.slice(run.from, run.from + run.count).reduce((sum, text) => sum + text.length, 0);
    if (length < SHORTEST_RUN) continue;
    for (let n = 0; n < run.count; n += 1) {
      leftOld.delete(run.from + n);
      leftNow.delete(run.to + n);
    }
    runs.push(run);
  }
  return runs.sort((one, other) => one.to - other.to);
}

/** Where the same is left on either side exactly once. */
function onlyPairs(
  old: readonly string[],
  now: readonly string[],
  leftOld: Iterable<number>,
  leftNow: Iterable<number>,
): readonly Pair[] {
  const onceNow = once(now, leftNow);
  return [...once(old, leftOld)].flatMap(([text, a]): readonly Pair[] => {
    const b = onceNow.get(text);
    return b === undefined ? [] : [[a, b]];
  });
}

function once(list: readonly string[], places: Iterable<number>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const twice = new Set<string>();
  for (const place of places) {
    const text = list[place] as string;
    if (found.has(text)) twice.add(text);
    found.set(text, place);
  }
  for (const text of twice) found.delete(text);
  return found;
}
