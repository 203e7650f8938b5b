import { digestOf, type RepoPath } from '@onceover/base/kernel/ids';
import type { BugPlace, PlantedBug, ProofCase, ProofFile, ProofRound } from '../types.ts';
import type { PastCommit } from './commits.ts';
import { applyEdits, lineAt, placeOf, type SourceEdit } from './edits.ts';

/** A commit, with the texts of its files before and after it. A text is `null` if the file did not exist. */
export type ReadCommit = {
  readonly commit: PastCommit;
  readonly before: ReadonlyMap<RepoPath, string | null>;
  readonly after: ReadonlyMap<RepoPath, string | null>;
};

/** Returns a test case with an id that depends on its whole content. */
export function withId(fields: Omit<ProofCase, 'id'>): ProofCase {
  return { id: digestOf(fields).slice(0, 12), ...fields };
}

export function roundOf(message: string, files: readonly ProofFile[]): ProofRound {
  return { message, files, patch: '', onBase: [] };
}

/**
 * Returns a test case that undoes a real bug fix. Its base is the repository before the fix, but with the fixed source
 * files, so that neither the change nor the tests of the fix reveal the bug. `places` are the lines of the bug in the
 * old source.
 */
export function historyCase(
  fix: ReadCommit,
  source: readonly RepoPath[],
  places: readonly BugPlace[],
): ProofCase | null {
  const good = filesAt(fix.after, source);
  const bad = filesAt(fix.before, source);
  if ([...good, ...bad].some(({ text }) => text === null) || places.length === 0) return null;
  const names = source.map((path) => path.slice(path.lastIndexOf('/') + 1)).join(', ');
  return withId({
    source: 'history',
    title: `${fix.commit.id.slice(0, 10)} undone: ${fix.commit.subject}`,
    base: fix.commit.parent,
    baseFiles: good,
    rounds: [roundOf(`Simplify ${names}`, bad)],
    planted: { class: 'fix', places },
    unedited: null,
  });
}

function filesAt(texts: ReadonlyMap<RepoPath, string | null>, paths: Iterable<RepoPath>): readonly ProofFile[] {
  return [...paths].map((path) => ({ path, text: texts.get(path) ?? null }));
}

/** Returns a test case without a bug: a real change as it was committed. */
export function cleanCase(host: ReadCommit): ProofCase {
  return withId({
    source: 'clean',
    title: `${host.commit.id.slice(0, 10)} as it is: ${host.commit.subject}`,
    ...baseOf(host),
    rounds: [roundOf(host.commit.subject, hostFiles(host))],
    planted: null,
    unedited: null,
  });
}

function baseOf({ commit }: ReadCommit): Pick<ProofCase, 'base' | 'baseFiles'> {
  return { base: commit.parent, baseFiles: [] };
}

function hostFiles({ after }: ReadCommit, editedFile: ProofFile | null = null): readonly ProofFile[] {
  return filesAt(after, after.keys()).map((file) => (file.path === editedFile?.path ? editedFile : file));
}

/** An edit of one file in a real change. `text` is the file's text before the edit. */
export type HostedEdit = { readonly path: RepoPath; readonly text: string; readonly edit: SourceEdit };

function fileWithEdits({ path, text }: Pick<HostedEdit, 'path' | 'text'>, edits: readonly SourceEdit[]): ProofFile {
  return { path, text: applyEdits(text, edits) };
}

function plantedBy({ path, text, edit }: HostedEdit, otherEdits: readonly SourceEdit[] = []): PlantedBug {
  const before = otherEdits.filter(({ start }) => start < edit.start);
  // Other edits above this edit change its line numbers.
  const lineShift = before.reduce(
    (sum, earlierEdit) => sum + lines(earlierEdit.text) - lines(text.slice(earlierEdit.start, earlierEdit.end)),
    0,
  );
  const place = placeOf(path, text, edit);
  return {
    class: edit.class ?? 'other',
    places: [{ ...place, from: place.from + lineShift, to: place.to + lineShift }],
  };
}

function lines(text: string): number {
  return text.split('\n').length - 1;
}

/** Returns a real change with one edit in it: either a planted bug, or a harmless edit that keeps the behaviour. */
export function mutantCase(host: ReadCommit, hostedEdit: HostedEdit): ProofCase {
  const { edit, path, text } = hostedEdit;
  const line = lineAt(text, edit.start);
  return withId({
    source: edit.class === null ? 'trap' : 'mutant',
    title: `${path}:${line}: ${edit.says}, in ${host.commit.id.slice(0, 10)} ${host.commit.subject}`,
    ...baseOf(host),
    rounds: [roundOf(host.commit.subject, hostFiles(host, fileWithEdits(hostedEdit, [edit])))],
    planted: edit.class === null ? null : plantedBy(hostedEdit),
    unedited: hostFiles(host),
  });
}

export const SCENARIOS = ['fix-brings-bug', 'sibling-left', 'after-pass', 'rebase'] as const;

export type Scenario = (typeof SCENARIOS)[number];

/**
 * Returns a test case in which the branch changes twice. `first` is a bug that the first round adds and the second
 * round fixes. `second` is the bug that is left at the end.
 */
export function scenarioCase(host: ReadCommit, kind: Scenario, first: HostedEdit, second: HostedEdit): ProofCase {
  const stateWith = (edits: readonly SourceEdit[]) => hostFiles(host, fileWithEdits(second, edits));
  const { subject } = host.commit;
  const start: Readonly<Record<Scenario, readonly SourceEdit[]>> = {
    'fix-brings-bug': [first.edit],
    'sibling-left': [first.edit, second.edit],
    'after-pass': [],
    rebase: [],
  };
  const onBase =
    kind === 'rebase' ? [{ path: 'NOTES-ON-BASE.md' as RepoPath, text: 'A change of someone else.\n' }] : [];
  return withId({
    source: 'scenario',
    title: `${kind}: ${second.path}: ${second.edit.says}, in ${host.commit.id.slice(0, 10)} ${subject}`,
    ...baseOf(host),
    rounds: [
      roundOf(subject, stateWith(start[kind])),
      { ...roundOf('Address the review', stateWith([second.edit])), onBase },
    ],
    planted: plantedBy(second),
    unedited: hostFiles(host),
  });
}

/**
 * Returns the edits that start in one of the line ranges `addedRanges`, the lines that the real change added
 * (counted from 1).
 */
export function editsInLines(
  edits: readonly SourceEdit[],
  source: string,
  addedRanges: readonly { readonly from: number; readonly to: number }[],
): readonly SourceEdit[] {
  return edits.filter((edit) => {
    const from = lineAt(source, edit.start);
    const to = lineAt(source, Math.max(edit.start, edit.end - 1));
    // A reviewer sees the edit of a long statement in the diff only if the first line of the statement is new.
    return addedRanges.some((range) => from >= range.from && from <= range.to && to - from < 40);
  });
}

/**
 * Returns the line numbers of the new file version from a diff with `-U0`. For removed lines, these are the lines
 * around the gap.
 */
export function newLines(diff: string): readonly { readonly from: number; readonly to: number }[] {
  return [...diff.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].map(([, start = '1', size = '1']) => {
    const [from, count] = [Number(start), Number(size)];
    return count === 0 ? { from: Math.max(1, from), to: from + 1 } : { from, to: from + count - 1 };
  });
}
