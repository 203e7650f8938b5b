import { diffArrays } from 'diff';
import type { Sentence } from './sentences.ts';

/** Positions of the same text in two lists: the first in the old list, the second in the new one. */
export type Pair = readonly [number, number];

/** The time grows with the square of the edits, so lists with more edits count as having nothing in common. */
const MOST_EDITS = 2000;

/** Returns the positions of the texts that two lists have in common, in order; none if the lists differ too much. */
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

/** Blocks with fewer characters are shown as removed and added, because a line about the move would not be shorter. */
const SHORTEST_BLOCK = 60;

/** Returns the blocks that moved, each as long as possible, sorted by new position. Texts in `pairs` have not moved. */
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

/** Returns the texts that occur exactly once among these positions, each with its position. */
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

/** A sentence and its new wording, with one line that shows both. */
export type Rewording = { readonly before: Sentence; readonly after: Sentence; readonly line: string };

/** Limits the time: passages with more pairs of sentences, or of characters, are shown as removed and added. */
const MOST_PAIRS = 2500;

const MOST_CHARACTER_PAIRS = 200_000_000;

/**
 * Finds the added sentences that reword a removed one, in order. Each is paired with the removed sentence that saves
 * most characters in the diff.
 */
export function pairReworded(removed: readonly Sentence[], added: readonly Sentence[]): Rewording[] {
  if (isTooMuch(removed, added)) return [];
  const found: Rewording[] = [];
  let from = 0;
  for (const after of added) {
    let best: Rewording | null = null;
    let [saved, next] = [0, from];
    for (const [n, before] of removed.slice(from).entries()) {
      const line = wordDiff(before.text, after.text);
      const saves = line === null ? 0 : before.text.length + after.text.length - line.length;
      if (line !== null && saves > saved) [best, saved, next] = [{ before, after, line }, saves, from + n + 1];
    }
    if (best !== null) found.push(best);
    from = next;
  }
  return found;
}

function isTooMuch(removed: readonly Sentence[], added: readonly Sentence[]): boolean {
  const characters = (list: readonly Sentence[]) => list.reduce((sum, { text }) => sum + text.length, 0);
  const pairs = removed.length * added.length;
  return pairs > 1 && (pairs > MOST_PAIRS || characters(removed) * characters(added) > MOST_CHARACTER_PAIRS);
}

/** The marks of a word diff. A sentence that contains one is not shown as a word diff, because it would be misread. */
const MARKS = /\[-|-\]|\{\+|\+\}/;

/** A word diff must be shorter than this share of both sentences together, because a longer one is hard to read. */
const SHORT_ENOUGH = 0.8;

/** Sentences that have less than this share of their words in common are not shown as a word diff. */
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

/** Returns the share of words that two sentences have in common, in any order: from 0 to 1. */
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

/** Counts a single common word between two changes as changed, because one longer change is easier to read. */
function withoutSingleWords(pairs: readonly Pair[], end: Pair): readonly Pair[] {
  const isGap = ([a, b]: Pair, [c, d]: Pair) => c > a + 1 || d > b + 1;
  return pairs.filter((pair, n) => !isGap(pairs[n - 1] ?? [-1, -1], pair) || !isGap(pair, pairs[n + 1] ?? end));
}
