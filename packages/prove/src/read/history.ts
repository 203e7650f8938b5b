import type { CommitId, RepoPath } from '@onceover/base/kernel/ids';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { decodeUtf8 } from '@onceover/base/platform/private-files';
import { asResult, git } from '@onceover/repo/git/git';
import { newLines, type ReadCommit } from '../decide/cases.ts';
import { type PastCommit, readLog } from '../decide/commits.ts';

const MOST_COMMITS = 1500;

// Count a merge as one change, compared with the branch that it was merged into.
const LOG = [
  ...['log', '--first-parent', '--diff-merges=first-parent', '--no-renames', '--no-color', '--no-ext-diff'],
  ...['--format=%x00%H %P%n%s', '--numstat', `--max-count=${MOST_COMMITS}`],
];

/** Reads the latest commits of HEAD, newest first; returns none if there is no commit. */
export async function readCommits({ root }: Pick<RepositoryPaths, 'root'>): Promise<Result<readonly PastCommit[]>> {
  const log = await asResult(git(root, [...LOG, 'HEAD'], { expected: [0, 128] }));
  return log.ok ? ok(readLog(log.value.stdout.toString('utf8'))) : log;
}

const LARGEST_FILE = 400_000;

/** Reads the texts of a commit's files before and after the commit; `null` if one of them is binary or too long. */
export async function readCommitFiles(root: string, commit: PastCommit): Promise<ReadCommit | null> {
  const before = new Map<RepoPath, string | null>();
  const after = new Map<RepoPath, string | null>();
  for (const { path } of commit.files) {
    const [old, now] = [await textAt(root, commit.parent, path), await textAt(root, commit.id, path)];
    if (old === 'unusable' || now === 'unusable') return null;
    before.set(path, old);
    after.set(path, now);
  }
  return { commit, before, after };
}

async function textAt(root: string, commit: CommitId, path: RepoPath): Promise<string | null | 'unusable'> {
  const blob = await asResult(git(root, ['cat-file', 'blob', `${commit}:${path}`], { expected: [0, 128] }));
  if (!blob.ok) return 'unusable';
  if (blob.value.code !== 0) return null;
  const { stdout } = blob.value;
  const text = stdout.length > LARGEST_FILE || stdout.includes(0) ? null : decodeUtf8(stdout)?.text;
  return text ?? 'unusable';
}

/** Returns the line ranges of the new version in which a file differs between two commits. */
export async function differingLines(root: string, from: CommitId, to: CommitId, path: RepoPath) {
  const args = ['diff', '-U0', '--no-color', '--no-ext-diff', '--no-textconv', from, to, '--', path];
  const diff = await asResult(git(root, args));
  return diff.ok ? newLines(diff.value.stdout.toString('utf8')) : [];
}
