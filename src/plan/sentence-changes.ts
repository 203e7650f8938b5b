import { commonPairs, type Pair } from './common-pairs.ts';
import { type MovedRun, movedRuns } from './moved-runs.ts';
import { pairReworded } from './reworded.ts';
import { type Sentence, sentencesOf } from './sentences.ts';

/** How a text was changed, by sentences. */
export type SentenceChanges = {
  readonly changes: readonly SentenceChange[];
  /** Whether what stayed is written with other line breaks or spaces. */
  readonly isRewrapped: boolean;
};

/** What was changed in one place. */
type SentenceChange = {
  /** Lines, from 1, where it stands before and after. */
  readonly before: number;
  readonly after: number;
  /** The heading before it; empty where there is none. */
  readonly heading: string;
  readonly parts: readonly ChangePart[];
};

export type ChangePart =
  | { readonly kind: 'removed' | 'added'; readonly sentences: readonly Sentence[] }
  /** `told`: both in one line. */
  | { readonly kind: 'reworded'; readonly before: Sentence; readonly after: Sentence; readonly told: string }
  /** What stood elsewhere, from that line on, with the same words: it is told where it stands now, and nowhere else. */
  | { readonly kind: 'moved'; readonly from: number; readonly sentences: readonly Sentence[] };

/** How a text was changed, sentence by sentence; in time that does not explode with its length. */
export function sentenceChanges(before: string, after: string): SentenceChanges {
  const old = sentencesOf(before);
  const now = sentencesOf(after);
  const oldTexts = old.map(({ text }) => text);
  const nowTexts = now.map(({ text }) => text);
  const pairs = commonPairs(oldTexts, nowTexts);
  const moves = movedRuns(oldTexts, nowTexts, pairs);
  const left = new Set(moves.flatMap(({ from, count }) => Array.from({ length: count }, (_, n) => from + n)));
  const came = new Map(moves.map((run) => [run.to, run]));
  const changes: SentenceChange[] = [];
  let heading = '';
  let [i, j] = [0, 0];
  for (const [a, b] of [...pairs, [old.length, now.length] as const]) {
    const removed = old.slice(i, a).filter((_, n) => !left.has(i + n));
    const parts = partsOf(removed, comeTo(now, [j, b], came), old);
    if (parts.length > 0) changes.push({ before: lineAt(old, i), after: lineAt(now, j), heading, parts });
    for (const one of now.slice(j, b + 1)) if (one.isHeading) heading = one.text;
    [i, j] = [a + 1, b + 1];
  }
  return { changes, isRewrapped: changes.length === 0 ? before !== after : isRewrapped(old, now, pairs) };
}

function lineAt(list: readonly Sentence[], at: number): number {
  return list[at]?.line ?? list.at(-1)?.line ?? 1;
}

type Come = { readonly sentences: readonly Sentence[]; readonly run: MovedRun | null };

/** What stands in a place now: new sentences one by one, moved ones as a run. */
function comeTo(now: readonly Sentence[], [from, to]: Pair, came: ReadonlyMap<number, MovedRun>): readonly Come[] {
  const all: Come[] = [];
  for (let n = from; n < to; ) {
    const run = came.get(n) ?? null;
    const count = run?.count ?? 1;
    all.push({ sentences: now.slice(n, n + count), run });
    n += count;
  }
  return all;
}

function partsOf(removed: readonly Sentence[], come: readonly Come[], old: readonly Sentence[]): readonly ChangePart[] {
  const added = come.flatMap(({ sentences, run }) => (run === null ? sentences : []));
  const rewordings = pairReworded(removed, added);
  const next = [...rewordings.values()].map((one) => one.removed);
  const parts: ChangePart[] = [];
  const plain = { removed: [] as Sentence[], added: [] as Sentence[] };
  const flush = (kind: 'removed' | 'added') => {
    if (plain[kind].length > 0) parts.push({ kind, sentences: plain[kind] });
    plain[kind] = [];
  };
  // What is gone is told before what has come, up to the next sentence that is both.
  plain.removed = removed.slice(0, next[0]);
  let n = 0;
  for (const { sentences, run } of come) {
    flush('removed');
    if (run !== null) {
      flush('added');
      parts.push({ kind: 'moved', from: lineAt(old, run.from), sentences });
      continue;
    }
    const rewording = rewordings.get(n);
    n += 1;
    if (rewording === undefined) {
      plain.added.push(...sentences);
      continue;
    }
    flush('added');
    const [before, after] = [removed[rewording.removed] as Sentence, sentences[0] as Sentence];
    parts.push({ kind: 'reworded', before, after, told: rewording.told });
    next.shift();
    plain.removed = removed.slice(rewording.removed + 1, next[0]);
  }
  flush('removed');
  flush('added');
  return parts;
}

/** Whether sentences that stayed, or what is between two of them, are written with other spaces. */
function isRewrapped(old: readonly Sentence[], now: readonly Sentence[], pairs: readonly Pair[]): boolean {
  return pairs.some(([a, b], n) => {
    const [before, after] = [old[a]?.raw ?? '', now[b]?.raw ?? ''];
    if (before === after) return false;
    const [nextA, nextB] = pairs[n + 1] ?? [old.length, now.length];
    return (nextA === a + 1 && nextB === b + 1) || before.trimEnd() !== after.trimEnd();
  });
}
