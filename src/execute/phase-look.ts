import type { RepoPath, SnapshotId } from '../domain/brand.ts';
import type { Entry } from '../domain/gate.ts';
import { grouped } from '../domain/grouped.ts';
import { leftOut } from '../domain/left-out.ts';
import type { Seen } from '../domain/phase.ts';
import type { PhaseNotice } from '../domain/phase-run.ts';
import type { Comparison, Snapshots } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { ARTIFACTS } from '../domain/role.ts';
import type { Selection } from '../domain/scope.ts';
import type { WithheldFile } from '../domain/withheld.ts';
import { isUnderReview } from '../plan/fixer-edits.ts';
import { phaseContent } from '../plan/phase-content.ts';
import type { PhaseRequest } from './phase-ports.ts';

/** What is under review, at one moment. */
export type Sight = {
  readonly seen: Seen;
  readonly artifact: 'present' | 'missing' | 'empty' | 'unreadable';
  /** The document, whole; nothing of code. */
  readonly document: string;
  /** Files under review: the document, or those of the change that are there. */
  readonly files: readonly RepoPath[];
  /** Files of code that the change deletes. */
  readonly deleted: readonly RepoPath[];
  readonly withheld: readonly WithheldFile[];
  readonly branch: string | null;
  readonly baseName: string | null;
  /** What code was compared with at the first look of the loop: a commit or tree by its id. */
  readonly began: string;
};

/** The documents of a feature, from the root. */
export type Documents = {
  /** The one under review; null: code is. */
  readonly artifact: RepoPath | null;
  /** All that somebody has to read, that one among them. */
  readonly all: readonly RepoPath[];
};

/** Looks at what is under review; `began` is what its loop began from, null at its first look. */
export async function lookAtPhase(
  snapshots: Snapshots,
  request: Pick<PhaseRequest, 'settings' | 'selection' | 'feature'>,
  { artifact, all }: Documents,
  began: Sight['began'] | null,
): Promise<Result<Sight>> {
  const { settings } = request;
  // What a document is compared with does not matter: it is shown whole.
  const selection: Selection = artifact === null ? request.selection : { kind: 'uncommitted' };
  const comparison = await snapshots.compare(selection, settings.base);
  if (!comparison.ok) return comparison;
  const compared = artifact === null ? sinceItBegan(comparison.value, began) : comparison.value;
  const taken = await snapshots.take(compared, leftOut(settings));
  if (!taken.ok) return taken;
  const unnameable = artifact === null ? taken.value.unnameable.filter((name) => isCode(request, name)) : [];
  // Not being able to show a file is no reason to approve without it.
  if (unnameable.length > 0) return failed({ kind: 'unnameable-code', names: unnameable });
  const tree = await taken.value.tree();
  if (!tree.ok) return tree;
  const found = await snapshots.filesIn(tree.value, all);
  if (!found.ok) return found;
  const entries = artifact === null ? taken.value.entries.filter(({ path }) => isCode(request, path)) : [];
  const shown = artifact === null ? code(entries) : await document(snapshots, tree.value, artifact, found.value);
  if (!shown.ok) return shown;
  return done({
    ...shown.value,
    seen: { snapshot: tree.value, content: phaseContent(all, found.value, entries) },
    withheld: taken.value.withheld,
    branch: comparison.value.where.branch,
    baseName: comparison.value.baseName,
    began: began ?? comparison.value.baseTree,
  });
}

/** On the very branch that code is compared with, what is committed on the way would be no part of the change any more. */
function sinceItBegan(comparison: Comparison, began: string | null): Comparison {
  const isOnBase = comparison.baseTree === comparison.headCommit;
  return began !== null && isOnBase ? { ...comparison, baseTree: began } : comparison;
}

/** Whether a changed file is code under review: one that is asked for, and neither a document of the feature nor told of it. */
export function isCode({ feature, selection }: Pick<PhaseRequest, 'feature' | 'selection'>, path: string): boolean {
  if (!isUnderReview(path, { only: onlyFiles(selection) })) return false;
  const own = feature === '' ? path : path.startsWith(`${feature}/`) ? path.slice(feature.length + 1) : null;
  return own === null || !NO_CODE.some((name) => own === name || own.startsWith(`${name}.unreadable-`));
}

/** What would be code under review, and is shown to nobody, by reason. */
export function withheldCode(
  request: Pick<PhaseRequest, 'feature' | 'selection'>,
  sight: Pick<Sight, 'withheld'>,
): readonly Extract<PhaseNotice, { kind: 'withheld' }>[] {
  const withheld = sight.withheld.filter(({ path }) => isCode(request, path));
  return [...grouped(withheld, ({ why }) => why)].map(([why, files]) => {
    return { kind: 'withheld', why, paths: files.map(({ path }) => path) };
  });
}

/** The files and folders that alone are asked for; null: all. */
export function onlyFiles(selection: Selection): readonly RepoPath[] | null {
  return selection.kind === 'files' ? selection.files : null;
}

const NO_CODE = [...ARTIFACTS, '.review-history.md', '.meta.json'];

type Shown = Pick<Sight, 'artifact' | 'document' | 'files' | 'deleted'>;

function code(entries: readonly Entry[]): Result<Shown> {
  const files = entries.filter(({ headBlob }) => headBlob !== null).map(({ path }) => path);
  const deleted = entries.filter(({ headBlob }) => headBlob === null).map(({ path }) => path);
  return done({ artifact: entries.length === 0 ? 'empty' : 'present', document: '', files, deleted });
}

async function document(
  snapshots: Snapshots,
  tree: SnapshotId,
  path: RepoPath,
  found: ReadonlyMap<RepoPath, unknown>,
): Promise<Result<Shown>> {
  const only = { files: [path], deleted: [] };
  if (!found.has(path)) return done({ artifact: 'missing', document: '', ...only });
  const text = await snapshots.textIn(tree, path);
  if (!text.ok) return text;
  if (text.value === null) return done({ artifact: 'unreadable', document: '', ...only });
  return done({ artifact: text.value.trim() === '' ? 'empty' : 'present', document: text.value, ...only });
}

/** The paths that differ between two looks; fails where one of them is gone. */
export async function changedBetween(
  snapshots: Snapshots,
  from: SnapshotId,
  to: SnapshotId,
): Promise<Result<readonly RepoPath[]>> {
  if (from === to) return done([]);
  const sections = await snapshots.sections(from, to, 0);
  return sections.ok ? done([...new Set(sections.value.flatMap(({ paths }) => paths))]) : sections;
}
