import { digestOf } from '@onceover/base/kernel/ids';
import type { RunDocument } from '@onceover/gates/result/json';

/**
 * The subject of a result, for which alone it speaks: one head, one target branch and its commit, their
 * repositories, and the gates that ran. A part that is not known is `null`.
 */
export type PublicationSubject = {
  readonly head: string | null;
  readonly headRepository: string | null;
  readonly repository: string | null;
  readonly base: string | null;
  readonly baseCommit: string | null;
  readonly gates: readonly string[] | null;
};

export type SubjectPart = keyof PublicationSubject;

const PARTS = [
  'repository',
  'headRepository',
  'head',
  'base',
  'baseCommit',
  'gates',
] as const satisfies readonly SubjectPart[];

/** Returns a subject whose parts can be compared: forges ignore upper and lower case in the names of repositories. */
export function publicationSubject(parts: PublicationSubject): PublicationSubject {
  const { head, headRepository, repository, base, baseCommit, gates } = parts;
  return {
    head: known(head),
    headRepository: known(headRepository)?.toLowerCase() ?? null,
    repository: known(repository)?.toLowerCase() ?? null,
    base: known(base),
    baseCommit: known(baseCommit),
    gates: gates === null ? null : [...new Set(gates)].sort(),
  };
}

function known(part: string | null): string | null {
  return part === '' ? null : part;
}

/** Returns the subject of a run, as its document names it. Documents of older versions name only their gates. */
export function subjectOfRun({ pull_request: pull, gates }: RunDocument): PublicationSubject {
  return publicationSubject({
    head: pull?.head ?? null,
    headRepository: pull?.head_repository ?? null,
    repository: pull?.repository ?? null,
    base: pull?.base ?? null,
    baseCommit: pull?.base_commit ?? null,
    gates: gates.map(({ id }) => id),
  });
}

/** Returns the first part in which two subjects differ; `null` if they are the same. An unknown part always differs. */
export function differingPart(first: PublicationSubject, second: PublicationSubject): SubjectPart | null {
  return PARTS.find((part) => !isSamePart(first[part], second[part])) ?? null;
}

function isSamePart(first: PublicationSubject[SubjectPart], second: PublicationSubject[SubjectPart]): boolean {
  if (first === null || second === null) return false;
  if (typeof first === 'string' || typeof second === 'string') return first === second;
  return first.length === second.length && first.every((gate, index) => gate === second[index]);
}

/** The verdict that a check on the forge shows: a valid one, or none because nothing could be judged or verified. */
export type ShownVerdict = 'passed' | 'failed' | 'none' | 'pending';

/** The part of a check that lets a later publication recognise what the check was about. */
export type CheckMark = {
  /** A digest of the head, the target branch and the repositories. */
  readonly change: string;
  /** The beginning of the commit of the target branch; `null` if it is not known. */
  readonly baseCommit: string | null;
  readonly verdict: ShownVerdict;
};

const LETTERS = { passed: 'p', failed: 'f', none: 'n', pending: 'w' } as const;

/** Returns the mark of a check about a subject. */
export function checkMark(subject: PublicationSubject, verdict: ShownVerdict): CheckMark {
  const { head, headRepository, repository, base, baseCommit } = subject;
  const change = digestOf([head, headRepository, repository, base]).slice(0, 16);
  return { change, baseCommit: baseCommit?.slice(0, 12) ?? null, verdict };
}

/** Returns the text by which the forge gives a check back to us. `report` is a digest of what the check shows. */
export function describeCheckMark({ change, baseCommit, verdict }: CheckMark, report: string): string {
  return `${change}-${baseCommit ?? '0'}-${LETTERS[verdict]}-${report}`;
}

/** Returns the mark of a check that onceover made; `null` for checks of others and of older versions. */
export function readCheckMark(externalId: string): CheckMark | null {
  const [, change = '', commit = '', letter = ''] =
    /^([0-9a-f]{16})-([0-9a-f]{12}|0)-([pfnw])-[0-9a-f]+$/.exec(externalId) ?? [];
  const verdict = (Object.keys(LETTERS) as ShownVerdict[]).find((name) => LETTERS[name] === letter);
  return verdict === undefined ? null : { change, baseCommit: commit === '0' ? null : commit, verdict };
}

/**
 * Whether a check shows a valid verdict about the same subject, which a result without a verdict must not replace. A
 * result that ended too early to know the commit of the target branch counts as one about the same commit.
 */
export function keepsVerdict(shown: CheckMark | null, next: CheckMark): boolean {
  if (shown === null || (shown.verdict !== 'passed' && shown.verdict !== 'failed')) return false;
  if (next.verdict === 'passed' || next.verdict === 'failed') return false;
  return shown.change === next.change && (next.baseCommit === null || next.baseCommit === shown.baseCommit);
}
