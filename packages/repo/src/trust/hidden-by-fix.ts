import type { SnapshotId } from '@onceover/base/kernel/ids';
import { GENERATED_FOLDER } from '@onceover/base/kernel/paths';
import {
  type Comparison,
  type DiffSection,
  type Entry,
  type Selection,
  type Snapshots,
  SUBMODULE,
  type UnseenContent,
  type Visibility,
} from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { omittedFolders, type Settings } from '../config/settings.ts';

/** The files of a change, and the facts that decide which files reviewers see. It is read before and after a fix. */
export type SeenFiles = {
  readonly entries: readonly Entry[];
  readonly dirty: readonly UnseenContent[];
  readonly visibility: Visibility;
};

/** The change under review at one point in time. */
export type ChangeView = SeenFiles & { readonly comparison: Comparison; readonly tree: SnapshotId };

/** Reads the change under review. `hiddenByFix` compares the result before a fix with the one after it. */
export async function readChange(
  ports: { readonly snapshots: Snapshots; visibility(): Promise<Result<Visibility>> },
  { selection, settings }: { readonly selection: Selection; readonly settings: Settings },
): Promise<Result<ChangeView>> {
  const comparison = await ports.snapshots.compare(selection, settings.base);
  if (!comparison.ok) return comparison;
  const snapshot = await ports.snapshots.take(comparison.value, omittedFolders(settings));
  if (!snapshot.ok) return snapshot;
  const tree = await snapshot.value.tree();
  if (!tree.ok) return tree;
  const visible = await ports.visibility();
  if (!visible.ok) return visible;
  const { entries, dirty = [] } = snapshot.value;
  return ok({ comparison: comparison.value, entries, dirty, visibility: visible.value, tree: tree.value });
}

/**
 * Returns the paths by which a fixing agent may have hidden something from reviewers: files that it wrote but that
 * reviewers do not see or cannot read, nested repositories, and files with ignore rules or attributes. A `null` means git's own
 * settings. `fix` is the part of the fix that reviewers see.
 */
export function hiddenByFix(
  before: SeenFiles,
  after: SeenFiles,
  fix: readonly DiffSection[],
): readonly (string | null)[] {
  const hiddenBefore = hiddenFiles(before);
  const writtenFiles = [...hiddenFiles(after)].filter(([path, print]) => hiddenBefore.get(path) !== print);
  const addedLines = fix.flatMap(({ text }) => text.split('\n').filter((line) => line.startsWith('+'))).join('\n');
  const rules = fix.flatMap(({ paths }) => paths).filter((path) => RULE_FILES.test(path));
  const paths = [
    ...writtenFiles.map(([path]) => path).filter((path) => !isByproduct(path, addedLines)),
    ...changedRepositories(before, after),
    ...rules,
    ...fix.flatMap(({ paths, unseen }) => (unseen === 'opaque' ? (paths.at(-1) ?? []) : [])),
  ];
  const settings = before.visibility.settings === after.visibility.settings ? [] : [null];
  return [...settings, ...[...new Set(paths)].sort()];
}

/**
 * Matches the files in which a repository defines what git ignores, converts or hides, and where its submodules are.
 */
const RULE_FILES = /(?:^|\/)\.git(?:ignore|attributes|modules)$/;

function hiddenFiles({ entries, visibility }: SeenFiles): ReadonlyMap<string, string> {
  const visiblePaths = new Set<string>(entries.filter(({ headBlob }) => headBlob !== null).map(({ path }) => path));
  return new Map([...visibility.unseen].filter(([path]) => !visiblePaths.has(path)));
}

/** Returns the nested repositories that are new or changed. Of their content, reviewers see only the commit id. */
function changedRepositories(before: SeenFiles, after: SeenFiles): readonly string[] {
  const printsOf = ({ entries, dirty }: SeenFiles) =>
    new Map<string, string>([
      ...entries.filter(({ mode }) => mode === SUBMODULE).map(({ path, headBlob }) => [path, `${headBlob}`] as const),
      ...dirty.map(({ path, print }) => [`${path}/`, print] as const),
    ]);
  const printsBefore = printsOf(before);
  return [...printsOf(after)].filter(([path, print]) => printsBefore.get(path) !== print).map(([path]) => path);
}

/** Matches folders and files that tools write besides their real work, for example when the fixing agent runs tests. */
const BYPRODUCTS =
  /(?:^|\/)(__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.cache|\.vite|\.vitest|\.turbo|\.nyc_output|coverage|target|\.gradle|\.eslintcache|\.DS_Store|[^/]*\.tsbuildinfo)(?:\/|$)/;

const INSTRUCTIONS = new RegExp(
  `^${GENERATED_FOLDER.replaceAll('.', '\\.')}/(?:review_instructions/[^/]*\\.md|\\.gitignore)$`,
);

/**
 * Whether a tool wrote the file besides its real work. `false` if `addedLines` mentions the file's folder, because the
 * code may then use it.
 */
function isByproduct(path: string, addedLines: string): boolean {
  const [, name] = BYPRODUCTS.exec(path) ?? [];
  return INSTRUCTIONS.test(path) || (name !== undefined && !addedLines.includes(name));
}
