import { commonPairs, type MovedBlock, movedBlocks, type Pair } from './align.ts';
import { pairReworded } from './reworded.ts';
import { type Sentence, sentencesOf } from './sentences.ts';

/** The changes between two versions of a text, by sentence. */
export type SentenceChanges = {
  readonly changes: readonly SentenceChange[];
  /** Whether unchanged sentences have other line breaks or spaces. */
  readonly isRewrapped: boolean;
};

/** The changes in one place. */
type SentenceChange = {
  /** Line numbers, from 1, in the old and the new version. */
  readonly before: number;
  readonly after: number;
  /** The heading above the change; empty if there is none. */
  readonly heading: string;
  readonly parts: readonly ChangePart[];
};

export type ChangePart =
  | { readonly kind: 'removed' | 'added'; readonly sentences: readonly Sentence[] }
  /** `line` shows both sentences. */
  | { readonly kind: 'reworded'; readonly before: Sentence; readonly after: Sentence; readonly line: string }
  /** `from`: the old line number. A moved block is shown at its new place only. */
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

/** Returns one line per paragraph or list item. */
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

/** Returns the changes by sentence. Its time is bounded even for long texts that have nothing in common. */
export function sentenceChanges(before: string, after: string): SentenceChanges {
  const [old, now] = [sentencesOf(before), sentencesOf(after)];
  const [oldTexts, nowTexts] = [old.map(({ text }) => text), now.map(({ text }) => text)];
  const pairs = commonPairs(oldTexts, nowTexts);
  const moves = movedBlocks(oldTexts, nowTexts, pairs);
  const movedAway = new Set(moves.flatMap(({ from, count }) => Array.from({ length: count }, (_, n) => from + n)));
  const movedTo = new Map(moves.map((block) => [block.to, block]));
  const changes: SentenceChange[] = [];
  let heading = '';
  let [i, j] = [0, 0];
  for (const [a, b] of [...pairs, [old.length, now.length] as const]) {
    const removed = old.slice(i, a).filter((_, n) => !movedAway.has(i + n));
    const parts = partsOf(removed, arrivals(now, [j, b], movedTo), old);
    if (parts.length > 0) changes.push({ before: lineAt(old, i), after: lineAt(now, j), heading, parts });
    for (const one of now.slice(j, b + 1)) if (one.isHeading) heading = one.text;
    [i, j] = [a + 1, b + 1];
  }
  return { changes, isRewrapped: changes.length === 0 ? before !== after : isRewrapped(old, now, pairs) };
}

function lineAt(list: readonly Sentence[], at: number): number {
  return list[at]?.line ?? list.at(-1)?.line ?? 1;
}

/** Added sentences one by one, and moved blocks as a whole (`block` is `null` for an added sentence). */
type Arrival = { readonly sentences: readonly Sentence[]; readonly block: MovedBlock | null };

function arrivals(
  now: readonly Sentence[],
  [from, to]: Pair,
  movedTo: ReadonlyMap<number, MovedBlock>,
): readonly Arrival[] {
  const found: Arrival[] = [];
  for (let n = from; n < to; n += found.at(-1)?.block?.count ?? 1) {
    const block = movedTo.get(n) ?? null;
    found.push({ sentences: now.slice(n, n + (block?.count ?? 1)), block });
  }
  return found;
}

function partsOf(
  removed: readonly Sentence[],
  arrived: readonly Arrival[],
  old: readonly Sentence[],
): readonly ChangePart[] {
  const added = arrived.flatMap(({ sentences, block }) => (block === null ? sentences : []));
  const rewordings = [...pairReworded(removed, added)];
  const parts: ChangePart[] = [];
  let open: Sentence[] = [];
  const push = (kind: 'removed' | 'added', sentences: readonly Sentence[]) => {
    if (sentences.length === 0) return;
    if (parts.at(-1)?.kind !== kind) {
      open = [];
      parts.push({ kind, sentences: open });
    }
    for (const one of sentences) open.push(one);
  };
  // Removed sentences come before added ones, up to the next reworded sentence.
  const pushRemoved = (from: number) => push('removed', removed.slice(from, rewordings[0]?.removed));
  pushRemoved(0);
  let n = 0;
  for (const { sentences, block } of arrived) {
    const [rewording] = rewordings;
    if (block !== null) parts.push({ kind: 'moved', from: lineAt(old, block.from), sentences });
    else if (rewording?.added !== n++) push('added', sentences);
    else {
      const [before, after] = [removed[rewording.removed] as Sentence, sentences[0] as Sentence];
      parts.push({ kind: 'reworded', before, after, line: rewording.line });
      rewordings.shift();
      pushRemoved(rewording.removed + 1);
    }
  }
  return parts;
}

/** Whether unchanged sentences, or the space between two of them, changed in line breaks or spaces. */
function isRewrapped(old: readonly Sentence[], now: readonly Sentence[], pairs: readonly Pair[]): boolean {
  return pairs.some(([a, b], n) => {
    const [before, after] = [old[a]?.raw ?? '', now[b]?.raw ?? ''];
    if (before === after) return false;
    const [nextA, nextB] = pairs[n + 1] ?? [old.length, now.length];
    return (nextA === a + 1 && nextB === b + 1) || before.trimEnd() !== after.trimEnd();
  });
}
