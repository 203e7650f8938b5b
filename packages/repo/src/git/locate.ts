import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import type { CommitId } from '@onceover/base/kernel/ids';
import { type Base, DEFAULT_BASES, type RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { asResult, type GitAnswer, GitError, git } from './git.ts';
import { gitDirOf } from './worktree-paths.ts';

// If several branches or tags have the same name, git picks one of them, possibly an attacker's, and only warns on
// stderr. With this setting it always warns, so that onceover can fail.
const NAME_QUERIES = ['core.warnAmbiguousRefs=true'] as const;

/**
 * Runs git with arguments that contain the name of a branch, tag or commit. Fails if several of them have that name.
 */
export async function askByName(folder: string, args: readonly string[], input?: Buffer): Promise<GitAnswer> {
  const inputOption = input === undefined ? {} : { input };
  const answer = await git(folder, args, { expected: [0, 1, 128], config: NAME_QUERIES, ...inputOption });
  const name = ambiguousName(answer.stderr);
  if (name !== null) throw new GitError({ kind: 'ambiguous-name', name });
  return answer;
}

// Ignore a warning about the name HEAD, because git always uses the real HEAD and not a branch or tag with that name.
function ambiguousName(stderr: string): string | null {
  return /^warning: refname '(?!HEAD')(.*)' is ambiguous/m.exec(stderr)?.[1] ?? null;
}

/** The base of a change with its merge-base, the commit at HEAD and the current branch (`null` if HEAD is detached). */
export type BaseAndHead = {
  readonly base: NonNullable<Base>;
  readonly head: CommitId;
  readonly branch: string | null;
};

/** Returns the arguments that make `git rev-parse` print HEAD, its merge-bases with `name`, and the current branch. */
export function askBaseAndHead(name: string): readonly string[] {
  return [`${name}^{commit}...HEAD`, ...ASK_BRANCH];
}

export const ASK_BRANCH = ['--symbolic-full-name', 'HEAD'] as const;

/**
 * Parses git's answer to the arguments of `askBaseAndHead`. `rest` contains the lines after it. Returns `null` if there
 * is no merge-base.
 */
export function readBaseAndHead(
  name: string,
  lines: readonly string[],
): { readonly footing: BaseAndHead; readonly rest: readonly string[] } | null {
  const [head = '', , ...linesAfterHead] = lines;
  const [first = ''] = linesAfterHead;
  if (!first.startsWith('^')) return null;
  const end = linesAfterHead.findIndex((line) => !line.startsWith('^'));
  const [branch = '', ...remainingLines] = linesAfterHead.slice(end);
  const otherBases = linesAfterHead.slice(1, end).map((line) => line.slice(1) as CommitId);
  const base = { name, commit: first.slice(1) as CommitId, ...(otherBases.length === 0 ? {} : { others: otherBases }) };
  return { footing: { base, head: head as CommitId, branch: branchOf(branch) }, rest: remainingLines };
}

/** Returns the full name of the branch in a line that `git rev-parse` printed; `null` if HEAD is detached. */
export function branchOf(line: string): string | null {
  return line === 'HEAD' || line === '' ? null : line;
}

/** Returns the version of git; `null` if git is not installed. */
export async function gitVersion(folder: string): Promise<string | null> {
  const answer = await asResult(git(folder, ['--version']));
  return answer.ok ? (/\d+\.\d+[.\d]*/.exec(answer.value.stdout.toString('utf8'))?.[0] ?? null) : null;
}

/** Finds the repository that contains `folder`. */
export async function findRepository(folder: string): Promise<Result<RepositoryPaths>> {
  const result = await findRepositoryWith(folder, null);
  return result.ok ? ok(result.value.place) : result;
}

/**
 * Finds the repository and, in the same call to git, the merge-base with `base` (`footing`, which is `null` if there is
 * none).
 */
export async function findRepositoryWith(
  folder: string,
  base: string | null,
): Promise<Result<{ readonly place: RepositoryPaths; readonly footing: BaseAndHead | null }>> {
  const args = [
    'rev-parse',
    '--path-format=absolute',
    '--show-toplevel',
    '--git-common-dir',
    '--absolute-git-dir',
    '--git-path',
    'index',
    '--is-shallow-repository',
    '--show-prefix',
    ...(base === null ? ['--symbolic-full-name'] : askBaseAndHead(base)),
    ...DEFAULT_BASES.map(patternFor),
  ];
  const answer = await asResult(git(folder, args, { config: NAME_QUERIES }));
  if (!answer.ok) {
    if (answer.failure.kind !== 'git-failed') return answer;
    if (base !== null) return findRepositoryWith(folder, null);
    if (/not a git repository/i.test(answer.failure.said)) return err({ kind: 'not-a-repository', folder });
    if (/must be run in a work tree/i.test(answer.failure.said)) return err({ kind: 'bare-repository', folder });
    return answer;
  }
  const [root, commonDir, gitDir = '', index, shallow, prefix, ...laterLines] = answer.value.stdout
    .toString('utf8')
    .split('\n');
  if (root === undefined || commonDir === undefined || index === undefined || root.startsWith('--')) {
    return err({ kind: 'git-too-old' });
  }
  // If a path contains a line break, all later lines are shifted, so this line is neither "true" nor "false".
  if (shallow !== 'true' && shallow !== 'false') return err({ kind: 'odd-root', folder });
  if (!isOwnWorktree(folder, root, gitDir)) return err({ kind: 'other-worktree', folder, root });
  const { stderr } = answer.value;
  const parsedBase = base === null || ambiguousName(stderr) !== null ? null : readBaseAndHead(base, laterLines);
  if (base !== null && parsedBase === null) return findRepositoryWith(folder, null);
  const [firstRef] = parsedBase?.rest ?? laterLines;
  const place = {
    root,
    commonDir,
    index,
    prefix: (prefix ?? '').replace(/\/$/, ''),
    shallow: shallow === 'true',
    usualBase: preferredBase(firstRef?.replace(/^refs\/(?:remotes|heads)\//, '') || null, stderr),
  };
  return ok({ place, footing: parsedBase?.footing ?? null });
}

/**
 * Whether `root` is the working tree of `gitDir`. If the user set GIT_DIR or GIT_WORK_TREE, whether `root` contains
 * `folder`.
 */
function isOwnWorktree(folder: string, root: string, gitDir: string): boolean {
  const real = realpathSync.native;
  try {
    if (WORKTREE_CHOICE.some((name) => process.env[name] !== undefined)) {
      return !relative(real(root), real(folder)).startsWith('..');
    }
    const ownGitDir = gitDirOf(root);
    return ownGitDir === gitDir || real(ownGitDir) === real(gitDir);
  } catch {
    return false;
  }
}

const WORKTREE_CHOICE = ['GIT_DIR', 'GIT_WORK_TREE'];

// git does not list a default branch whose short name is ambiguous; it only mentions the branch on stderr. Return that
// branch anyway, so that the next command reports the ambiguity. Otherwise onceover would silently use a less preferred
// branch.
function preferredBase(detectedBase: string | null, stderr: string): string | null {
  const names: readonly string[] = DEFAULT_BASES;
  const at = detectedBase === null ? names.length : Math.max(0, names.indexOf(detectedBase));
  const errors = stderr.split('\n');
  const isOmitted = (name: string) => errors.some((line) => line.startsWith(`error: refname '${name}' is ambiguous`));
  return names.slice(0, at).find(isOmitted) ?? detectedBase;
}

// git fails if a branch is missing, but not if a pattern matches nothing, so turn the name into a pattern.
function patternFor(name: string): string {
  const pattern = `${name.slice(0, -1)}[${name.slice(-1)}]`;
  return name.startsWith('origin/') ? `--remotes=${pattern}` : `--branches=${pattern}`;
}

type Prefetched = { readonly cwd: string; readonly place: Promise<Result<RepositoryPaths>> };

let earlyLookup: Prefetched | null = null;

/** Stores a repository that was looked up early. The next call of `repositoryAt` for the same folder returns it. */
export function keepPrefetched(lookup: Prefetched): void {
  earlyLookup = lookup;
}

/** Returns the repository that contains a folder. If it was looked up early, the result of that lookup is used. */
export function repositoryAt(cwd: string): Promise<Result<RepositoryPaths>> {
  const lookup = earlyLookup;
  // Use the result of an early lookup only once: a server that runs for days must look the repository up again.
  earlyLookup = null;
  return lookup?.cwd === cwd ? lookup.place : findRepository(cwd);
}
