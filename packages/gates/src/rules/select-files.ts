import type { RepoPath } from '@onceover/base/kernel/ids';
import { isGenerated, isInside } from '@onceover/base/kernel/paths';
import {
  type Changes,
  type Contents,
  looksSecret,
  type Repository,
  type RepositoryPaths,
} from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { type NameSource, pathExists, userPath } from '@onceover/base/platform/user-paths';
import {
  MOST_REFERENCES,
  type Notice,
  type ReferenceText,
  type RuleTask,
  type TaskContext,
  type UnusableReference,
} from './types.ts';

/** File names as the caller gave them, and where the caller gave them, for example as arguments. */
export type GivenFiles = { readonly names: readonly string[]; readonly source: NameSource };

type NamedFiles = { readonly listed: readonly RepoPath[] | null; readonly notices: readonly Notice[] };

/**
 * Converts names to paths. `listed` is `null` if no names were given, or if the input from a pipe is not a list of
 * files.
 */
export function toPaths(repository: RepositoryPaths, files: GivenFiles | null): Result<NamedFiles> {
  if (files === null) return ok({ listed: null, notices: [] });
  const paths: RepoPath[] = [];
  for (const name of files.names) {
    const path = name === '' ? null : userPath(repository, name, files.source);
    if (path !== null) paths.push(path);
    else if (files.source !== 'pipe') return err({ kind: 'path-outside', path: name });
  }
  const [first] = files.names;
  // Input from a pipe need not be a list of files. git, for example, pipes other data to its hooks.
  if (files.source === 'pipe' && first !== undefined && !paths.some((path) => pathExists(repository, path))) {
    return ok({ listed: null, notices: [{ kind: 'list-ignored', first }] });
  }
  return ok({ listed: paths, notices: [] });
}

/** Reads reference files of rules. On a pull request, they come from the base branch, as the rules do. */
export type ReferenceFiles = Pick<Contents, 'text'> & { readonly isBase?: boolean };

/** Reads the context that reviewers get besides the reviewed files, with a notice for each file that cannot be used. */
export async function readContext(
  tasks: readonly RuleTask[],
  contents: ReferenceFiles,
  allChanged: readonly RepoPath[],
): Promise<{ readonly context: TaskContext; readonly notices: readonly UnusableReference[] }> {
  const references = new Map<RuleTask, readonly ReferenceText[]>();
  const notices = new Map<string, UnusableReference>();
  const warn = (notice: UnusableReference) => void notices.set(JSON.stringify(notice), notice);
  for (const task of tasks) references.set(task, await readReferences(task, contents, warn));
  return { context: { allChanged, references }, notices: [...notices.values()] };
}

/** Reads the reference files of a review task. Text beyond the limits is left out; `leftOut` says why. */
async function readReferences(
  task: RuleTask,
  contents: ReferenceFiles,
  warn: (notice: UnusableReference) => void,
): Promise<readonly ReferenceText[]> {
  const references: ReferenceText[] = [];
  let bytesLeft: number = MOST_REFERENCES.bytes;
  for (const [i, { path, description }] of task.rule.references.entries()) {
    const add = (text: string | null, leftOut: ReferenceText['leftOut']) =>
      references.push({ path, description, text, leftOut, ...(contents.isBase === true ? { isBase: true } : {}) });
    if (i >= MOST_REFERENCES.files) add(null, 'too-many');
    else if (bytesLeft === 0) add(null, 'cut');
    else {
      const content = await contents.text(path, bytesLeft);
      if (content.kind === 'unusable') {
        add(null, 'unusable');
        warn({ kind: 'reference-unusable', rule: task.rule.name, path, why: content.why });
      } else {
        add(content.text, content.cut ? 'cut' : null);
        bytesLeft -= content.cut ? bytesLeft : content.bytes;
      }
    }
  }
  return references;
}

export type SelectedFiles = {
  readonly files: readonly RepoPath[];
  /**
   * Returns the files of the working tree that are not in `files`. It is a function because few rules need this list.
   */
  unchanged(): readonly RepoPath[];
  /** Untracked files that look like secrets and that the caller did not name. They are in no review. */
  readonly withheld: readonly RepoPath[];
  readonly notices: readonly Notice[];
};

/** Selects the changed files. Leaves out files that onceover generates and files that may contain secrets. */
export function selectChanged(changes: Changes, logDir: string): SelectedFiles {
  const secrets = secretsIn(changes);
  const changedPaths = changes.changed.filter((path) => !isGenerated(path, logDir));
  const files = changedPaths.filter((path) => !secrets.has(path));
  const isTracked = changes.listing.tracked.some((path) => isInside(path, logDir));
  const notices: Notice[] = [
    ...(isTracked ? [{ kind: 'tracked-log-dir', logDir } as const] : []),
    ...changes.submodules.map((path): Notice => ({ kind: 'submodule', path })),
    ...changes.listing.unnameable.map((name): Notice => ({ kind: 'unnameable', name })),
  ];
  return {
    files,
    unchanged: () => otherFiles(changes, new Set(files), logDir),
    withheld: changedPaths.filter((path) => secrets.has(path)),
    notices,
  };
}

/**
 * Selects the listed files. A listed folder means all files in it that git knows, except those that may contain
 * secrets.
 */
export async function selectListed(
  listedPaths: readonly RepoPath[],
  changes: Changes,
  ports: { readonly repository: Repository; readonly contents: Contents },
  options: { readonly logDir: string; readonly base: string | null },
): Promise<Result<SelectedFiles>> {
  const files = new Set<RepoPath>();
  const missing: RepoPath[] = [];
  const folders: RepoPath[] = [];
  const repositories = new Set<RepoPath>();
  const notices: Notice[] = [];
  let allFiles: readonly RepoPath[] | null = null;
  for (const path of listedPaths) {
    if (isGenerated(path, options.logDir)) {
      notices.push({ kind: 'generated-file', path });
      continue;
    }
    const pathKind = path === '' ? 'folder' : await ports.contents.exists(path);
    if (pathKind === 'file') files.add(path);
    else if (pathKind === 'missing') missing.push(path);
    else {
      folders.push(path);
      if (changes.listing.tracked.includes(path)) repositories.add(path);
      allFiles ??= otherFiles(changes, new Set(), options.logDir);
      for (const inside of allFiles.filter((file) => isIn(path, file))) {
        // git tracks this folder like a file, so it is a nested repository.
        if ((await ports.contents.exists(inside)) === 'folder') repositories.add(inside);
        else files.add(inside);
      }
      for (const submodule of changes.submodules)
        if (submodule === path || isIn(path, submodule)) repositories.add(submodule);
    }
  }
  for (const path of repositories) notices.push({ kind: 'submodule', path });
  for (const name of changes.listing.unnameable) {
    if (folders.some((folder) => isIn(asLatin1(folder), name))) notices.push({ kind: 'unnameable', name });
  }
  if (missing.length > 0) {
    const knownPaths = await ports.repository.known(missing, options.base);
    if (!knownPaths.ok) return knownPaths;
    for (const path of missing) {
      if (knownPaths.value.has(path)) notices.push({ kind: 'deleted-file', path });
      // U+FFFD in a name replaces bytes that are not UTF-8, so the file may exist under its real name.
      else if (path.includes('\ufffd')) notices.push({ kind: 'unnameable', name: path });
      else {
        files.add(path);
        notices.push({ kind: 'no-such-file', path });
      }
    }
  }
  return ok({
    files: [...files],
    unchanged: () => otherFiles(changes, files, options.logDir),
    withheld: [...secretsIn(changes)].filter(
      (path) => folders.some((folder) => isIn(folder, path)) && !files.has(path) && !isGenerated(path, options.logDir),
    ),
    notices,
  });
}

function otherFiles(changes: Changes, files: ReadonlySet<RepoPath>, logDir: string): RepoPath[] {
  const leftOut = new Set([...changes.deleted, ...changes.submodules, ...secretsIn(changes)]);
  return [...changes.listing.tracked, ...changes.listing.untracked].filter(
    (path) => !files.has(path) && !leftOut.has(path) && !isGenerated(path, logDir),
  );
}

function isIn(folder: string, path: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

/**
 * Returns the name with each byte as one latin1 character. In the listing, names that are not valid UTF-8 have this form.
 */
function asLatin1(name: string): string {
  return Buffer.from(name).toString('latin1');
}

function secretsIn({ listing }: Changes): ReadonlySet<RepoPath> {
  return new Set(listing.untracked.filter(looksSecret));
}
