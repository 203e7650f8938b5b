import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '@onceover/base/kernel/ids';
import type { Comparison, HistoryPoint, RepositoryPaths } from '@onceover/base/kernel/repository';
import { git } from './git.ts';

/**
 * Returns a text that identifies a branch's reflog: its length, and a hash of its first entry, which contains the time
 * at which the branch was created. If a branch is deleted and created again, the text differs. Returns `null` if HEAD
 * is detached or the branch has no reflog.
 */
export function branchMark(repo: RepositoryPaths, branch: string | null): string | null {
  const log = branch === null ? null : readLog(repo, branch, 0);
  return log === null ? null : markOf(log);
}

/**
 * Whether the change at HEAD continues the change at `since`: the merge-base is the same, and no commit was removed.
 */
export async function onlyGrew(repo: RepositoryPaths, since: HistoryPoint, now: Comparison): Promise<boolean> {
  const { headCommit, where } = now;
  if (since.mergeBase !== where.mergeBase) return false;
  if (since.head === null || headCommit === null) return since.head === headCommit;
  if (since.head !== headCommit && !(await isAncestor(repo, since.head, headCommit))) return false;
  // If the change had commits of its own and HEAD still has them, it is the same change. If it had none, only the
  // reflog can show it.
  return since.head !== since.mergeBase || hasGrown(repo, where.branch, since.mark);
}

type Log = { readonly size: number; readonly first: string; readonly added: string };

const LONGEST_ENTRY = 4096;
const MOST_ADDED = 1024 * 1024;

function markOf({ size, first }: Log): string {
  return `${size} ${sha256(first)}`;
}

/**
 * Reads the first entry of a reflog, and at most 1 MiB from the byte position `from` on; `null` if the file cannot be
 * read.
 */
function readLog({ commonDir }: RepositoryPaths, branch: string, from: number): Log | null {
  let file: number;
  try {
    file = openSync(join(commonDir, 'logs', branch), 'r');
  } catch {
    return null;
  }
  try {
    const { size } = fstatSync(file);
    const part = (at: number, maxBytes: number) => {
      const buffer = Buffer.alloc(Math.max(0, Math.min(maxBytes, size - at)));
      return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, at));
    };
    const [first = ''] = part(0, LONGEST_ENTRY).split('\n');
    return { size, first, added: part(from, MOST_ADDED) };
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}

/**
 * Matches the reflog messages of commands that only add commits. Other commands, such as `reset`, may remove commits.
 */
const GROWTH = /^(?:commit(?: \((?:initial|merge|cherry-pick)\))?:|merge |pull\b|cherry-pick:|revert:|am:)/;

function hasGrown(repo: RepositoryPaths, branch: string | null, mark: string | null): boolean {
  if (branch === null || mark === null) return false;
  const size = Number(mark.split(' ', 1)[0]);
  const log = readLog(repo, branch, size);
  if (log === null || log.size < size || log.size - size > MOST_ADDED || markOf({ ...log, size }) !== mark)
    return false;
  const entries = log.added.split('\n').filter((line) => line !== '');
  return entries.every((line) => GROWTH.test(line.slice(line.indexOf('\t') + 1)));
}

async function isAncestor(repo: RepositoryPaths, older: string, newer: string): Promise<boolean> {
  // Exit code 128: a commit no longer exists.
  const answer = await git(repo.root, ['merge-base', '--is-ancestor', older, newer], { expected: [0, 1, 128] });
  return answer.code === 0;
}
