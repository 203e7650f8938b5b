import { setTimeout as pause } from 'node:timers/promises';
import type { Result } from '@onceover/base/kernel/result';
import type { Database, Query } from '@onceover/store/connect';
import { packTree } from './pack-trees.ts';

/**
 * A part of the code to upload: the files of the git tree `tree` without those that the tree `base` already has. An
 * empty `base` means all files.
 */
export type SnapshotPart = { readonly tree: string; readonly base: string };

/**
 * Returns the parts that a worker needs to check out a tree, in this order: the base, then what changed since the base.
 */
export function partsOf(tree: string, baseTree: string): readonly SnapshotPart[] {
  const base = { tree: baseTree, base: '' };
  return tree === baseTree ? [base] : [base, { tree, base: baseTree }];
}

const CHUNK_BYTES = 4 * 1024 * 1024;

const LARGEST_BYTES = 512 * 1024 * 1024;

/**
 * Uploads the parts that the team store does not have yet. If several clients upload the same part, only one does the
 * work. Returns `null` on success, or the reason of the failure.
 */
export async function uploadSnapshot(
  database: Database,
  repository: number,
  root: string,
  parts: readonly SnapshotPart[],
): Promise<string | null> {
  for (const part of parts) {
    if (await isStored(database.query, repository, part)) continue;
    const why = await uploadPart(database, repository, root, part);
    if (why !== null) return why;
  }
  return null;
}

const LOOK_AGAIN_MS = 200;

async function uploadPart(
  database: Database,
  repository: number,
  root: string,
  part: SnapshotPart,
): Promise<string | null> {
  let pack: Result<Buffer> | null = null;
  const makePack = async () => {
    pack ??= await packTree(root, part.tree, part.base === '' ? null : part.base);
    return pack;
  };
  for (;;) {
    const why = await database.transaction((query) => uploadInTurn(query, repository, part, makePack));
    if (why !== 'busy') return why;
    await pause(LOOK_AGAIN_MS);
    if (await isStored(database.query, repository, part)) return null;
  }
}

async function uploadInTurn(
  query: Query,
  repository: number,
  part: SnapshotPart,
  makePack: () => Promise<Result<Buffer>>,
): Promise<string | 'busy' | null> {
  const name = `${repository}:${part.tree}:${part.base}`;
  const [lock] = await query<{ taken: boolean }>('SELECT pg_try_advisory_xact_lock(hashtextextended($1, 1)) AS taken', [
    name,
  ]);
  if (lock?.taken !== true) return 'busy';
  if (await isStored(query, repository, part)) return null;
  const pack = await makePack();
  if (!pack.ok) return pack.failure.kind === 'git-failed' ? pack.failure.said : pack.failure.kind;
  const bytes = pack.value;
  if (bytes.length > LARGEST_BYTES) return `${bytes.length} bytes, and workers take at most ${LARGEST_BYTES}`;
  const key = [repository, part.tree, part.base];
  const chunks = Math.ceil(bytes.length / CHUNK_BYTES);
  await query('INSERT INTO onceover.snapshots (repository, tree, base, chunks, bytes) VALUES ($1, $2, $3, $4, $5)', [
    ...key,
    chunks,
    bytes.length,
  ]);
  for (let n = 0; n < chunks; n++) {
    await query(
      'INSERT INTO onceover.snapshot_chunks (repository, tree, base, chunk, bytes) VALUES ($1, $2, $3, $4, $5)',
      [...key, n, bytes.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES)],
    );
  }
  return null;
}

/** Whether the team store has a part. This also marks the part as used now, so that it is not deleted soon. */
async function isStored(query: Query, repository: number, { tree, base }: SnapshotPart): Promise<boolean> {
  const rows = await query(
    'UPDATE onceover.snapshots SET used_at = now() WHERE repository = $1 AND tree = $2 AND base = $3 RETURNING 1',
    [repository, tree, base],
  );
  return rows.length > 0;
}

/** Returns the git pack of a part; `null` if the team store does not have the part. */
export async function downloadPart(query: Query, repository: number, part: SnapshotPart): Promise<Buffer | null> {
  const key = [repository, part.tree, part.base];
  const [snapshotRow] = await query<{ chunks: number }>(
    'SELECT chunks FROM onceover.snapshots WHERE repository = $1 AND tree = $2 AND base = $3',
    key,
  );
  if (snapshotRow === undefined) return null;
  const chunks: Buffer[] = [];
  for (let n = 0; n < snapshotRow.chunks; n++) {
    const [row] = await query<{ bytes: Buffer }>(
      'SELECT bytes FROM onceover.snapshot_chunks WHERE repository = $1 AND tree = $2 AND base = $3 AND chunk = $4',
      [...key, n],
    );
    if (row === undefined) return null;
    chunks.push(row.bytes);
  }
  return Buffer.concat(chunks);
}
