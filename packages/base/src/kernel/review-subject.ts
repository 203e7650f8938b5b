import { byCodePoint } from './collections.ts';
import { hashFields } from './ids.ts';

/**
 * The subject of a verdict. A verdict may be reused only for an equal subject. It holds nothing that may change without
 * another verdict, such as commits, branch names, the agent, or the texts and the version of onceover.
 */
export type ReviewSubject = {
  readonly gate: string;
  /** The gate's content: a SHA-256 in hexadecimal digits over its changed files (path, mode, base blob, head blob). */
  readonly content: string;
  /** The SHA-256 of the instructions: the prompt file, or the text of the rule. */
  readonly promptDigest: string;
  /** The SHA-256 of the reference files as the prompt shows them; `null` if the gate has none. */
  readonly referencesDigest: string | null;
  /** The SHA-256 of the lists of files that the prompt shows as context; `null` if it shows none. */
  readonly contextDigest: string | null;
  /** The settings that the verdict depends on and that differ from their default, each as JSON. */
  readonly settings: Readonly<Record<string, string>>;
};

type OlderPart = 'gate' | 'content' | 'promptDigest';

/** A subject as it was stored. Older versions of onceover stored only three of its parts. */
export type RecordedSubject = Pick<ReviewSubject, OlderPart> & {
  readonly [K in Exclude<keyof ReviewSubject, OlderPart>]?: ReviewSubject[K] | undefined;
};

/** The part in which two subjects differ. `unrecorded`: an older version did not store what the verdict depended on. */
export type SubjectDifference =
  | { readonly part: 'gate' | 'content' | 'prompt' | 'references' | 'context' | 'unrecorded' }
  | { readonly part: 'setting'; readonly name: string };

/** Whether a stored subject has all parts. */
export function isWholeSubject<T extends RecordedSubject>(recorded: T): recorded is T & ReviewSubject {
  const { referencesDigest, contextDigest, settings } = recorded;
  return referencesDigest !== undefined && contextDigest !== undefined && settings !== undefined;
}

/**
 * Returns the first part in which a stored subject differs from the current one; `null` if they are equal. A part that
 * an older version did not store counts as equal only if the gate has no such part now.
 */
export function compareSubjects(recorded: RecordedSubject, current: RecordedSubject): SubjectDifference | null {
  if (recorded.gate !== current.gate) return { part: 'gate' };
  if (recorded.content !== current.content) return { part: 'content' };
  if (recorded.promptDigest !== current.promptDigest) return { part: 'prompt' };
  const [before, now] = [additionsOf(recorded), additionsOf(current)];
  const differs = JSON.stringify(before) !== JSON.stringify(now);
  if (differs && !isWholeSubject(recorded)) return { part: 'unrecorded' };
  if (before.referencesDigest !== now.referencesDigest) return { part: 'references' };
  if (before.contextDigest !== now.contextDigest) return { part: 'context' };
  const settings = [new Map(before.settings), new Map(now.settings)] as const;
  const names = [...settings[0].keys(), ...settings[1].keys()].sort(byCodePoint);
  const name = names.find((key) => settings[0].get(key) !== settings[1].get(key));
  return name === undefined ? null : { part: 'setting', name };
}

/**
 * Returns the texts that identify a subject. Equal texts mean equal subjects. A subject without references, context and
 * changed settings has the same texts as in older versions, so what they stored is found.
 */
export function subjectKey(subject: RecordedSubject): readonly string[] {
  const additions = additionsOf(subject);
  const { referencesDigest, contextDigest, settings } = additions;
  const isPlain = referencesDigest === null && contextDigest === null && settings.length === 0;
  const { gate, content, promptDigest } = subject;
  return [gate, content, promptDigest, ...(isPlain ? [] : [JSON.stringify(additions)])];
}

/** Returns one digest over all parts of a subject. */
export function subjectDigest(subject: RecordedSubject): string {
  return hashFields(['review-subject/v1', ...subjectKey(subject)]);
}

/** Returns the parts of a subject that older versions did not store, in a form that can be compared as text. */
function additionsOf({ referencesDigest = null, contextDigest = null, settings = {} }: RecordedSubject) {
  return {
    referencesDigest,
    contextDigest,
    settings: Object.entries(settings).sort(([a], [b]) => byCodePoint(a, b)),
  };
}
