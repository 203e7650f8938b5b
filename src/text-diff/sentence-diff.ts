import { commonPairs, movedBlocks, type Pair, pairReworded, type Rewording } from './align.ts';
import { type Sentence, sentencesOf } from './sentences.ts';

/** The changes between two versions of a text, by sentence. */
export type SentenceChanges = {
  readonly changes: readonly SentenceChange[];
  /** Whether line breaks or spaces changed in sentences whose words did not change. */
  readonly isRewrapped: boolean;
};

/** All changes between two unchanged sentences. */
type SentenceChange = {
  /** Line numbers, from 1, in the old and the new version. */
  readonly before: number;
  readonly after: number;
  /** The heading above the change; empty if there is none. */
  readonly heading: string;
  readonly parts: readonly ChangePart[];
};

export type ChangePart =
  | { readonly kind: 'removed' | 'added'; readonly sentences: Sentence[] }
  | ({ readonly kind: 'reworded' } & Rewording)
  /** `from` is the old line number. A moved block is shown at its new place only. */
  | { readonly kind: 'moved'; readonly from: number; readonly sentences: readonly Sentence[] };

const LEGEND = 'By sentence: -removed, +added, ~reworded ([-old-]{+new+}), >moved, =same words.';

/** Returns the changes by sentence, like a unified diff without context; an empty text if nothing changed. */
export function sentenceDiff(before: string, after: string): string {
  const { changes, isRewrapped } = sentenceChanges(before, after);
  const lines: string[] = [];
  let shown = '';
  for (const { before: from, after: to, heading, parts } of changes) {
    lines.push(`@@ line ${from} -> ${to} @@${heading === shown ? '' : ` ${heading.trim()}`}`);
    for (const part of parts) lines.push(...describePart(part));
    shown = heading;
  }
  if (isRewrapped) lines.push(`=${lines.length === 0 ? 'Only' : 'Elsewhere only'} line breaks and spaces differ.`);
  return lines.length === 0 ? '' : [LEGEND, ...lines].join('\n');
}

function describePart(part: ChangePart): readonly string[] {
  switch (part.kind) {
    case 'removed':
      return byBlock(part.sentences).map((text) => `-${text}`);
    case 'added':
      return byBlock(part.sentences).map((text) => `+${text}`);
    case 'reworded':
      return [`~${part.line}`];
    case 'moved': {
      const quotes = part.sentences.map(({ text }) => `"${clip(text)}"`);
      return [`>from line ${part.from}, word for word: ${[...new Set([quotes[0], quotes.at(-1)])].join(' to ')}`];
    }
  }
}

/** Returns one line per paragraph or list item, with its sentences joined. */
function byBlock(sentences: readonly Sentence[]): readonly string[] {
  const lines: string[] = [];
  for (const [n, { text, block }] of sentences.entries()) {
    if (n > 0 && sentences[n - 1]?.block === block) lines.push(`${lines.pop()} ${text}`);
    else lines.push(text);
  }
  return lines;
}

const LONGEST_QUOTE = 60;

function clip(text: string): string {
  const characters = [...text.slice(0, 2 * LONGEST_QUOTE)];
  return characters.length > LONGEST_QUOTE ? `${characters.slice(0, LONGEST_QUOTE).join('')}…` : text.trim();
}

/** Returns the changes by sentence. The time is limited even for long texts that have nothing in common. */
export function sentenceChanges(before: string, after: string): SentenceChanges {
  const [old, now] = [sentencesOf(before), sentencesOf(after)];
  const [oldTexts, nowTexts] = [old.map(({ text }) => text), now.map(({ text }) => text)];
  const pairs = commonPairs(oldTexts, nowTexts);
  const moves = movedBlocks(oldTexts, nowTexts, pairs);
  const movedAway = new Set(moves.flatMap(({ from, count }) => old.slice(from, from + count)));
  const moved = new Map<Sentence, ChangePart | null>();
  for (const { from, to, count } of moves) {
    const [first, ...rest] = now.slice(to, to + count) as [Sentence, ...Sentence[]];
    moved.set(first, { kind: 'moved', from: lineAt(old, from), sentences: [first, ...rest] });
    for (const one of rest) moved.set(one, null);
  }
  const changes: SentenceChange[] = [];
  let heading = '';
  let [i, j] = [0, 0];
  for (const [a, b] of [...pairs, [old.length, now.length] as const]) {
    const removed = old.slice(i, a).filter((one) => !movedAway.has(one));
    const parts = partsOf(removed, now.slice(j, b), moved);
    if (parts.length > 0) changes.push({ before: lineAt(old, i), after: lineAt(now, j), heading, parts });
    for (const one of now.slice(j, b + 1)) if (one.isHeading) heading = one.text;
    [i, j] = [a + 1, b + 1];
  }
  return { changes, isRewrapped: changes.length === 0 ? before !== after : isRewrapped(old, now, pairs) };
}

function lineAt(list: readonly Sentence[], at: number): number {
  return list[at]?.line ?? list.at(-1)?.line ?? 1;
}

/**
 * Returns the changes in one place, where `arrived` replaced `removed`. `moved` maps the first sentence of each moved
 * block to the block, and the other sentences of the block to `null`.
 */
function partsOf(
  removed: readonly Sentence[],
  arrived: readonly Sentence[],
  moved: ReadonlyMap<Sentence, ChangePart | null>,
): readonly ChangePart[] {
  const added = arrived.filter((one) => !moved.has(one));
  const rewordings = pairReworded(removed, added);
  const left = [...removed];
  const parts: ChangePart[] = [];
  // Shows the removed sentences up to the next reworded sentence, before the sentences that were added there.
  const pushRemoved = () => {
    const [next] = rewordings;
    const sentences = left.splice(0, next === undefined ? left.length : left.indexOf(next.before));
    if (sentences.length > 0) parts.push({ kind: 'removed', sentences });
  };
  pushRemoved();
  for (const one of arrived) {
    const block = moved.get(one);
    const last = parts.at(-1);
    const [rewording] = rewordings;
    if (block !== undefined) parts.push(...(block === null ? [] : [block]));
    else if (one === rewording?.after) {
      parts.push({ kind: 'reworded', ...rewording });
      rewordings.shift();
      left.shift();
      pushRemoved();
    } else if (last?.kind === 'added') last.sentences.push(one);
    else parts.push({ kind: 'added', sentences: [one] });
  }
  return parts;
}

/** Whether line breaks or spaces changed in unchanged sentences, or between two of them. */
function isRewrapped(old: readonly Sentence[], now: readonly Sentence[], pairs: readonly Pair[]): boolean {
  return pairs.some(([a, b], n) => {
    const [before, after] = [old[a]?.raw ?? '', now[b]?.raw ?? ''];
    if (before === after) return false;
    const [nextA, nextB] = pairs[n + 1] ?? [old.length, now.length];
    return (nextA === a + 1 && nextB === b + 1) || before.trimEnd() !== after.trimEnd();
  });
}
