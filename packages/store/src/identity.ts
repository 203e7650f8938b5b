import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { asResult, git, gitText } from '@onceover/repo/git/git';
import type { Database } from './connect.ts';
import { chooseRemote, type RepositoryIdentity, repositoryIdentity } from './decide-identity.ts';
import { storeError, storeResult } from './store-error.ts';

/**
 * The facts of a clone that identify its repository. `root`, the first commit, is `null` in a shallow clone, because
 * that commit is missing there.
 */
export type CloneFacts = { readonly remote: string | null; readonly root: string | null };

/** The row of a repository in the store. All other rows of the repository refer to its `id`. */
export type RepositoryRow = RepositoryIdentity & { readonly id: number };

/** Reads the remote address and the first commit of a clone. */
export async function readCloneFacts({
  root,
  shallow,
}: Pick<RepositoryPaths, 'root' | 'shallow'>): Promise<Result<CloneFacts>> {
  return asResult(
    (async () => {
      const options = { expected: [0, 1] };
      const answer = await git(root, ['config', '-z', '--get-regexp', '^remote\\..*\\.url$'], options);
      const remotes = new Map<string, string>();
      for (const line of answer.stdout.toString('utf8').split('\0')) {
        const [, name, url] = /^remote\.(.*)\.url\n(.*)$/s.exec(line) ?? [];
        // If a remote has several addresses, use the first, because git fetches from it.
        if (name !== undefined && url !== undefined && !remotes.has(name)) remotes.set(name, url);
      }
      return { remote: chooseRemote(remotes), root: shallow ? null : await firstCommit(root) };
    })(),
  );
}

/**
 * Returns the first commit of the current branch, following only first parents, so that merged histories of other
 * projects do not matter. Returns an empty text if there is no commit.
 */
async function firstCommit(root: string): Promise<string> {
  const head = await git(root, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { expected: [0, 1] });
  if (head.code === 1) return '';
  return gitText(root, ['rev-list', '--first-parent', '--max-parents=0', 'HEAD']);
}

/**
 * Finds the row of a repository, or adds it. A shallow clone cannot add a row, so a full clone must have connected
 * before.
 */
export async function openRepositoryRow(database: Database, facts: CloneFacts): Promise<Result<RepositoryRow>> {
  const identity = repositoryIdentity(facts.remote, facts.root);
  if (facts.root !== null) return storeResult(addRow(database, identity));
  const rows = await storeResult(rowsOfRemote(database, identity.remote));
  if (!rows.ok) return rows;
  const [row, ...otherRows] = rows.value;
  if (row !== undefined && otherRows.length === 0 && identity.remote !== '') return ok(row);
  return err(storeError(database.where, 'shallow-clone', identity.remote).failure);
}

type Row = { readonly id: string; readonly identity: string; readonly remote: string; readonly root: string };

async function addRow({ query }: Database, { identity, remote, root }: RepositoryIdentity): Promise<RepositoryRow> {
  const [row] = await query<Row>(
    `INSERT INTO onceover.repositories (identity, remote, root) VALUES ($1, $2, $3)
     ON CONFLICT (identity) DO UPDATE SET seen_at = now() RETURNING id, identity, remote, root`,
    [identity, remote, root],
  );
  if (row === undefined) throw new Error('The store returned no row of the repository.');
  return { ...row, id: Number(row.id) };
}

async function rowsOfRemote({ query }: Database, remote: string): Promise<readonly RepositoryRow[]> {
  const rows = await query<Row>(
    'SELECT id, identity, remote, root FROM onceover.repositories WHERE remote = $1 LIMIT 2',
    [remote],
  );
  return rows.map((row) => ({ ...row, id: Number(row.id) }));
}
