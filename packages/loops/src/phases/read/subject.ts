import { byCodePoint, grouped } from '@onceover/base/kernel/collections';
import { digestOf, type RepoPath, type SnapshotId } from '@onceover/base/kernel/ids';
import type { Comparison, Entry, Selection, Snapshots, TreeFile, WithheldFile } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { omittedFolders } from '@onceover/repo/config/settings';
import { isUnderReview } from '../decide/fix.ts';
import { ARTIFACTS } from '../roles/types.ts';
import type { PhaseNotice, PhaseRequest } from '../run-types.ts';
import type { PhaseState } from '../state.ts';
import type { SeenContent } from '../types.ts';

/** Returns a digest of the content under review: the documents and, in `implement`, every changed file. */
export function phaseContent(
  documents: readonly RepoPath[],
  files: ReadonlyMap<RepoPath, TreeFile>,
  entries: readonly Entry[],
): string {
  return digestOf([
    documents.map((path) => [path, files.get(path)?.mode ?? null, files.get(path)?.id ?? null]),
    [...entries]
      .sort((a, b) => byCodePoint(a.path, b.path))
      .map(({ path, mode, headBlob }) => [path, headBlob === null ? null : mode, headBlob]),
  ]);
}

/** The content under review, read from one snapshot. */
export type ReviewSubject = {
  readonly seen: SeenContent;
  readonly artifact: 'present' | 'missing' | 'empty' | 'unreadable';
  /** The whole document; empty in `implement`. */
  readonly document: string;
  /** The files under review: the document or, in `implement`, the changed files that still exist. */
  readonly files: readonly RepoPath[];
  /** In `implement`, the files that the change deletes. */
  readonly deleted: readonly RepoPath[];
  readonly withheld: readonly WithheldFile[];
  readonly branch: string | null;
  readonly baseName: string | null;
  /** The commit or tree that the first review of the loop compared the code with. */
  readonly began: string;
};

/** The documents of a feature, relative to the repository root. */
export type Documents = {
  /** The document under review; null in `implement`. */
  readonly artifact: RepoPath | null;
  /** Every document that a role must read, including the document under review. */
  readonly all: readonly RepoPath[];
};

/** Reads the content under review. `began` is the base of the loop's first review; null if this is the first. */
export async function readSubject(
  snapshots: Snapshots,
  request: Pick<PhaseRequest, 'settings' | 'selection' | 'feature' | 'fixing'>,
  { artifact, all }: Documents,
  began: ReviewSubject['began'] | null,
): Promise<Result<ReviewSubject>> {
  const { settings } = request;
  // Reviewers of a document get the whole document and no diff, so the base branch does not matter.
  const selection: Selection = artifact === null ? request.selection : { kind: 'uncommitted' };
  const comparison = await snapshots.compare(selection, settings.base);
  if (!comparison.ok) return comparison;
  const reviewComparison = artifact === null ? sinceItBegan(comparison.value, began, request.fixing) : comparison.value;
  const snapshot = await snapshots.take(reviewComparison, omittedFolders(settings));
  if (!snapshot.ok) return snapshot;
  const unnameable = artifact === null ? snapshot.value.unnameable.filter((name) => isCode(request, name)) : [];
  // A file whose name is not UTF-8 cannot be shown to reviewers, so fail instead of approving it unseen.
  if (unnameable.length > 0) return err({ kind: 'unnameable-code', names: unnameable });
  const tree = await snapshot.value.tree();
  if (!tree.ok) return tree;
  const documentFiles = await snapshots.filesIn(tree.value, all);
  if (!documentFiles.ok) return documentFiles;
  const entries = artifact === null ? snapshot.value.entries.filter(({ path }) => isCode(request, path)) : [];
  const view = artifact === null ? code(entries) : await document(snapshots, tree.value, artifact, documentFiles.value);
  if (!view.ok) return view;
  return ok({
    ...view.value,
    seen: { snapshot: tree.value, content: phaseContent(all, documentFiles.value, entries) },
    withheld: snapshot.value.withheld,
    branch: comparison.value.where.branch,
    baseName: comparison.value.baseName,
    began: began ?? comparison.value.baseTree,
  });
}

/**
 * Returns the comparison to review. If the current base could hide commits of the loop, it starts from `began`, the
 * base of the loop's first review. That can happen on the base branch itself, or if a fixing agent moved the base
 * branch.
 */
function sinceItBegan(comparison: Comparison, began: string | null, { by }: PhaseRequest['fixing']): Comparison {
  const canHide = by === 'fixer' || comparison.baseTree === comparison.headCommit;
  return began !== null && canHide ? { ...comparison, baseTree: began } : comparison;
}

/**
 * Whether a changed file is code under review: it is in the requested paths, and is not a document or record of the
 * feature.
 */
export function isCode({ feature, selection }: Pick<PhaseRequest, 'feature' | 'selection'>, path: string): boolean {
  if (!isUnderReview(path, { only: onlyFiles(selection) })) return false;
  return !isNamed(NO_CODE, pathInFeature(feature, path));
}

/** Whether onceover itself writes this file after each round. Its changes are no news for a reviewer. */
export function isPhaseRecord({ feature }: Pick<PhaseRequest, 'feature'>, path: string): boolean {
  return isNamed(RECORDS, pathInFeature(feature, path));
}

function pathInFeature(feature: string, path: string): string | null {
  if (feature === '') return path;
  return path.startsWith(`${feature}/`) ? path.slice(feature.length + 1) : null;
}

function isNamed(names: readonly string[], path: string | null): boolean {
  return path !== null && names.some((name) => path === name || path.startsWith(`${name}.unreadable-`));
}

/** Returns notices about changed files that reviewers do not see, one notice for each reason. */
export function withheldCode(
  request: Pick<PhaseRequest, 'feature' | 'selection'>,
  sight: Pick<ReviewSubject, 'withheld'>,
): readonly Extract<PhaseNotice, { kind: 'withheld' }>[] {
  const withheld = sight.withheld.filter(({ path }) => isCode(request, path));
  return [...grouped(withheld, ({ why }) => why)].map(([why, files]) => {
    return { kind: 'withheld', why, paths: files.map(({ path }) => path) };
  });
}

/** Returns the requested files and folders; null means all. */
export function onlyFiles(selection: Selection): readonly RepoPath[] | null {
  return selection.kind === 'files' ? selection.files : null;
}

const RECORDS = ['.review-history.md', '.meta.json'];
const NO_CODE = [...ARTIFACTS, ...RECORDS];

type Shown = Pick<ReviewSubject, 'artifact' | 'document' | 'files' | 'deleted'>;

function code(entries: readonly Entry[]): Result<Shown> {
  const files = entries.filter(({ headBlob }) => headBlob !== null).map(({ path }) => path);
  const deletedPaths = entries.filter(({ headBlob }) => headBlob === null).map(({ path }) => path);
  return ok({ artifact: entries.length === 0 ? 'empty' : 'present', document: '', files, deleted: deletedPaths });
}

async function document(
  snapshots: Snapshots,
  tree: SnapshotId,
  path: RepoPath,
  files: ReadonlyMap<RepoPath, unknown>,
): Promise<Result<Shown>> {
  const only = { files: [path], deleted: [] };
  if (!files.has(path)) return ok({ artifact: 'missing', document: '', ...only });
  const text = await snapshots.textIn(tree, path);
  if (!text.ok) return text;
  if (text.value === null) return ok({ artifact: 'unreadable', document: '', ...only });
  return ok({ artifact: text.value.trim() === '' ? 'empty' : 'present', document: text.value, ...only });
}

/**
 * Returns the snapshots that a later command needs to compare with: the last reviewed one, and those that the sessions
 * saw.
 */
export function neededSnapshots({ position, reviewed, resume }: PhaseState): ReadonlySet<SnapshotId> {
  if (position.at === 'ended') return new Set();
  const sessionSnapshots = Object.values(resume).flatMap(({ session }) => session?.saw ?? []);
  return new Set(reviewed === null ? sessionSnapshots : [reviewed.snapshot, ...sessionSnapshots]);
}
