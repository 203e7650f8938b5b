import { diffArrays } from 'diff';

/** Positions of the same text in two lists: the first in the old list, the second in the new one. */
export type Pair = readonly [number, number];

/** Bounds the time, which grows with the square of the edits. Lists with more edits count as rewritten. */
const MOST_EDITS = 2000;

/** Returns what two lists have in common, in order; nothing if they differ too much to compare. */
export function commonPairs(old: readonly string[], now: readonly string[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  for (const { added, removed, count } of diffArrays([...old], [...now], { maxEditLength: MOST_EDITS }) ?? []) {
    if (!added && !removed) for (let n = 0; n < count; n += 1) pairs.push([i + n, j + n]);
    if (!added) i += count;
    if (!removed) j += count;
  }
  return pairs;
}

/** Consecutive texts that moved: their old position, their new position, and how many. */
export type MovedBlock = { readonly from: number; readonly to: number; readonly count: number };

/** Shorter blocks are shown as removed and added, which takes as few characters. */
const SHORTEST_BLOCK = 60;

/** Returns the blocks that moved, as long as possible, by their new position. Texts in `pairs` kept their order. */
export function movedBlocks(
  old: readonly string[],
  now: readonly string[],
  pairs: readonly Pair[],
): readonly MovedBlock[] {
  const [leftOld, leftNow] = [new Set(old.keys()), new Set(now.keys())];
  const take = (a: number, b: number) => leftOld.delete(a) && leftNow.delete(b);
  for (const [a, b] of pairs) take(a, b);
  const isSame = (a: number, b: number) => leftOld.has(a) && leftNow.has(b) && old[a] === now[b];
  const uniqueNow = uniqueTexts(now, leftNow);
  const blocks: MovedBlock[] = [];
  for (const [text, a] of uniqueTexts(old, leftOld)) {
    const b = uniqueNow.get(text);
    if (b === undefined || !isSame(a, b)) continue;
    let [before, after] = [0, 1];
    while (isSame(a - before - 1, b - before - 1)) before += 1;
    while (isSame(a + after, b + after)) after += 1;
    const block = { from: a - before, to: b - before, count: before + after };
    if (old.slice(block.from, block.from + block.count).join('').length < SHORTEST_BLOCK) continue;
    for (let n = 0; n < block.count; n += 1) take(block.from + n, block.to + n);
    blocks.push(block);
  }
  return blocks.sort((one, other) => one.to - other.to);
}

/** Returns the texts that occur once at these positions, with their position. */
function uniqueTexts(list: readonly string[], positions: Iterable<number>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const repeated = new Set<string>();
  for (const position of positions) {
    const text = list[position] as string;
    if (found.has(text)) repeated.add(text);
    found.set(text, position);
  }
  for (const text of repeated) found.delete(text);
  return found;
}
