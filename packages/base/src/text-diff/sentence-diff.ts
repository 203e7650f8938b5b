import { diffArrays } from 'diff';
import { type Sentence, sentencesOf } from './sentences.ts';

const LEGEND = 'By sentence: -removed, +added.';

/** Returns the changed sentences of a text in the form of a unified diff without context; empty if nothing changed. */
export function sentenceDiff(before: string, after: string): string {
  const [old, now] = [sentencesOf(before), sentencesOf(after)];
  const lines: string[] = [];
  let [heading, shownHeading] = ['', ''];
  let [i, j] = [0, 0];
  for (const { from, to, count } of [...unchangedRuns(old, now), { from: old.length, to: now.length, count: 0 }]) {
    if (from > i || to > j) {
      const title = heading === shownHeading ? '' : ` ${heading.trim()}`;
      lines.push(`@@ line ${lineAt(old, i)} -> ${lineAt(now, j)} @@${title}`);
      for (const { text } of old.slice(i, from)) lines.push(`-${text}`);
      for (const { text } of now.slice(j, to)) lines.push(`+${text}`);
      shownHeading = heading;
    }
    heading = now.slice(j, to + count).findLast(({ isHeading }) => isHeading)?.text ?? heading;
    [i, j] = [from + count, to + count];
  }
  if (lines.length === 0) return before === after ? '' : 'Only line breaks and spaces differ.';
  return [LEGEND, ...lines].join('\n');
}

/**
 * The maximum number of edits to look for. The time of a diff grows with the square of the edits, so two texts with
 * more edits count as completely different.
 */
const MOST_EDITS = 2000;

/**
 * Consecutive unchanged sentences: the position of the first one in the old list and in the new list, and their number.
 */
type UnchangedRun = { readonly from: number; readonly to: number; readonly count: number };

function unchangedRuns(old: readonly Sentence[], now: readonly Sentence[]): readonly UnchangedRun[] {
  const runs: UnchangedRun[] = [];
  const texts = (list: readonly Sentence[]) => list.map(({ text }) => text);
  let [from, to] = [0, 0];
  for (const { added, removed, count } of diffArrays(texts(old), texts(now), { maxEditLength: MOST_EDITS }) ?? []) {
    if (!added && !removed) runs.push({ from, to, count });
    if (!added) from += count;
    if (!removed) to += count;
  }
  return runs;
}

function lineAt(list: readonly Sentence[], at: number): number {
  return list[at]?.line ?? list.at(-1)?.line ?? 1;
}
