import { diffArrays } from 'diff';
import type { Sentence } from './sentences.ts';

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

/** A sentence and its new wording, with one line that shows both. */
export type Rewording = { readonly before: Sentence; readonly after: Sentence; readonly line: string };

/** Bounds the time. Passages with more pairs of sentences, or of characters, count as rewritten. */
const MOST_PAIRS = 2500;

const MOST_CHARACTER_PAIRS = 200_000_000;

/** Returns which added sentences reword which removed ones, in order, each with the one that saves most characters. */
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
