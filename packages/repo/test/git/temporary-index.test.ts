import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { asNobody } from '@onceover/testing/as-nobody.ts';
import { repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { asResult, GitError } from '../../src/git/git.ts';
import { findRepository } from '../../src/git/locate.ts';
import { withIndex, withIndexCopy, withPrivateIndex } from '../../src/git/private-index.ts';

async function placeOf(root: string) {
  const place = await findRepository(root);
  if (!place.ok) throw new Error(place.failure.kind);
  return place.value;
}

test('the work gets a copy with the time of the index, and no file is left', async () => {
  const { root } = repoWith({ 'a.txt': '' });
  const place = await placeOf(root);
  const result = await withIndexCopy(place, async ({ GIT_INDEX_FILE: copy = '' }) => {
    const isSame = readFileSync(copy).equals(readFileSync(place.index));
    return { copy, same: isSame, younger: statSync(copy).mtimeMs > statSync(place.index).mtimeMs };
  });
  expect(result).toMatchObject({ same: true, younger: false });
  expect(existsSync(result.copy)).toBe(false);
  expect(readdirSync(join(place.commonDir, 'onceover'))).toEqual([]);
});

test('no file is left if the work fails', async () => {
  const place = await placeOf(repoWith({ 'a.txt': '' }).root);
  const failing = withIndexCopy(place, () => Promise.reject(new GitError({ kind: 'git-missing' })));
  await expect(failing).rejects.toMatchObject({ failure: { kind: 'git-missing' } });
  expect(readdirSync(join(place.commonDir, 'onceover'))).toEqual([]);
});

test('removes old copies of killed processes and keeps all other files', async () => {
  const place = await placeOf(repoWith({ 'a.txt': '' }).root);
  const folder = join(place.commonDir, 'onceover');
  for (const name of ['index-old', 'index-young', 'passes']) mkdirSync(join(folder, name), { recursive: true });
  const longAgo = Date.now() / 1000 - 3600;
  for (const name of ['index-old', 'passes']) utimesSync(join(folder, name), longAgo, longAgo);
  await withIndexCopy(place, async () => undefined);
  expect(readdirSync(folder).sort()).toEqual(['index-young', 'passes']);
});

test('ignores an old copy that belongs to another user', async () => {
  // Every user must be able to reach the folder, and TMPDIR may be private.
  const commonDir = temporaryFolder('/tmp');
  const folder = join(commonDir, 'onceover');
  const old = join(folder, 'index-old');
  mkdirSync(old, { recursive: true });
  writeFileSync(join(old, 'index'), '');
  const longAgo = Date.now() / 1000 - 3600;
  utimesSync(old, longAgo, longAgo);
  chmodSync(old, 0o555);
  for (const open of [commonDir, folder]) chmodSync(open, 0o777);
  const place = { ...(await placeOf(repoWith({ 'a.txt': '' }).root)), commonDir };
  const result = await asNobody(() => withIndex(place, Buffer.alloc(0), async () => 'worked'));
  expect([result, readdirSync(folder)]).toEqual(['worked', ['index-old']]);
  chmodSync(old, 0o755);
});

test.each<[string, string, (place: RepositoryPaths) => Promise<unknown>]>([
  ['of copies', 'onceover', (place) => withIndex(place, Buffer.alloc(0), async () => 'worked')],
  [
    'of kept indexes',
    'onceover/indexes',
    (place) => withPrivateIndex(place, null, () => Promise.reject(new GitError({ kind: 'git-missing' }))),
  ],
])('fails if the folder %s belongs to another user', async (_, name, act) => {
  const commonDir = temporaryFolder('/tmp');
  const folder = join(commonDir, name);
  mkdirSync(folder, { recursive: true });
  chmodSync(commonDir, 0o777);
  chmodSync(folder, 0);
  const place = { ...(await placeOf(repoWith({ 'a.txt': '' }).root)), commonDir };
  const failure = { kind: 'disk', action: 'write', path: folder, code: 'EACCES' };
  expect(await asNobody(() => asResult(act(place)))).toEqual({ ok: false, failure });
  chmodSync(folder, 0o755);
});

test('copies nothing before the first git add', async () => {
  const { root, git } = repoWith({});
  const place = { ...(await placeOf(root)), index: join(root, '.git/no-index') };
  git('status');
  expect(await withIndexCopy(place, async ({ GIT_INDEX_FILE: copy = '' }) => existsSync(copy))).toBe(false);
});
