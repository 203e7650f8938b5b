import type { Sentence } from './sentences.ts';
import { wordDiff } from './word-diff.ts';

/** A sentence that took the place of another: which of those removed, and both in one line. */
export type Rewording = { readonly removed: number; readonly told: string };

/** Stretches with more pairs of sentences, or of characters, were written anew. */
const MOST_PAIRS = 2500;
const MOST_CHARACTER_PAIRS = 200_000_000;

/** Which of the new sentences reword which of the old ones, in order, so that as few characters as possible are told. */
export function pairReworded(removed: readonly Sentence[], added: readonly Sentence[]): ReadonlyMap<number, Rewording> {
  const found = new Map<number, Rewording>();
  const [rows, columns] = [removed.length, added.length];
  if (rows === 0 || columns === 0 || (rows * columns > 1 && isTooMuch(removed, added))) return found;
  const told = removed.map((before) => added.map((after) => tellBoth(before.text, after.text)));
  const width = columns + 1;
  const best = new Uint32Array((rows + 1) * width);
  const at = (i: number, j: number) => best[i * width + j] as number;
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      best[i * width + j] = Math.max(at(i + 1, j), at(i, j + 1), at(i + 1, j + 1) + (told[i]?.[j]?.spared ?? 0));
    }
  }
  for (let [i, j] = [0, 0]; i < rows && j < columns; ) {
    if (at(i, j) === at(i + 1, j)) i += 1;
    else if (at(i, j) === at(i, j + 1)) j += 1;
    else {
      found.set(j, { removed: i, told: told[i]?.[j]?.line ?? '' });
      i += 1;
      j += 1;
    }
  }
  return found;
}

function isTooMuch(removed: readonly Sentence[], added: readonly Sentence[]): boolean {
  const characters = (list: readonly Sentence[]) => list.reduce((sum, { text }) => sum + text.length, 0);
  if (removed.length * added.length > MOST_PAIRS) return true;
  return characters(removed) * characters(added) > MOST_CHARACTER_PAIRS;
}

/** Sentences that share fewer of their words are not looked at word by word: one line for both would hardly be shorter. */
const ALIKE = 0.5;

/** Both in one line, and how many characters that spares. */
function tellBoth(before: string, after: string): { readonly line: string; readonly spared: number } | null {
  const line = likeness(before.split(' '), after.split(' ')) < ALIKE ? null : wordDiff(before, after);
  return line === null ? null : { line, spared: before.length + after.length - line.length };
}

/** Which part of their words two sentences share, whatever the order. */
function likeness(one: readonly string[], other: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const word of one) counts.set(word, (counts.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of other) {
    const left = counts.get(word) ?? 0;
    if (left === 0) continue;
    counts.set(word, left - 1);
    shared += 1;
  }
  return (2 * shared) / (one.length + other.length);
}
