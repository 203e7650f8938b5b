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
import { expect, test } from 'vitest';
import type { Place } from '../../src/domain/change.ts';
import { done, failed, type Result } from '../../src/domain/result.ts';
import { withIndexCopy, withIndexFolder } from '../../src/io/index-copy.ts';
import { findPlace } from '../../src/io/place.ts';
import { withOwnIndex } from '../../src/io/snapshot-index.ts';
import { asNobody } from '../support/as-nobody.ts';
import { repoWith, temporaryFolder } from '../support/repo.ts';

async function placeOf(root: string) {
  const place = await findPlace(root);
  if (!place.ok) throw new Error(place.failure.kind);
  return place.value;
}

test('the work gets a copy that is not younger than the index, and nothing of it is left', async () => {
  const { root } = repoWith({ 'a.txt': '' });
  const place = await placeOf(root);
  const copied = await withIndexCopy(place, async ({ GIT_INDEX_FILE: copy = '' }) => {
    const same = readFileSync(copy).equals(readFileSync(place.index));
    return done({ copy, same, younger: statSync(copy).mtimeMs > statSync(place.index).mtimeMs });
  });
  expect(copied).toMatchObject({ ok: true, value: { same: true, younger: false } });
  expect(copied.ok && existsSync(copied.value.copy)).toBe(false);
  expect(readdirSync(join(place.commonDir, 'onceover'))).toEqual([]);
});

test('also where the work fails', async () => {
  const place = await placeOf(repoWith({ 'a.txt': '' }).root);
  expect(await withIndexCopy(place, async () => failed({ kind: 'git-missing' }))).toMatchObject({ ok: false });
  expect(readdirSync(join(place.commonDir, 'onceover'))).toEqual([]);
});

test('an old copy of a killed process goes, a young one and everything else stays', async () => {
  const place = await placeOf(repoWith({ 'a.txt': '' }).root);
  const folder = join(place.commonDir, 'onceover');
  for (const name of ['index-old', 'index-young', 'passes']) mkdirSync(join(folder, name), { recursive: true });
  const longAgo = Date.now() / 1000 - 3600;
  for (const name of ['index-old', 'passes']) utimesSync(join(folder, name), longAgo, longAgo);
  await withIndexCopy(place, async () => done(undefined));
  expect(readdirSync(folder).sort()).toEqual(['index-young', 'passes']);
});

test("an old copy that belongs to another user stays, and is in nobody's way", async () => {
  // Where every user may go: a temporary folder of one's own may be closed to others.
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
  const worked = await asNobody(() => withIndexFolder(place, async () => done('worked')));
  expect([worked, readdirSync(folder)]).toEqual([done('worked'), ['index-old']]);
  chmodSync(old, 0o755);
});

test.each<[string, string, (place: Place) => Promise<Result<unknown>>]>([
  ['of copies', 'onceover', (place) => withIndexFolder(place, async () => done('worked'))],
  [
    'of kept indexes',
    'onceover/indexes',
    (place) => withOwnIndex(place, null, async () => failed({ kind: 'git-missing' })),
  ],
])('a folder %s that belongs to another user is a failure', async (_, name, act) => {
  const commonDir = temporaryFolder('/tmp');
  const folder = join(commonDir, name);
  mkdirSync(folder, { recursive: true });
  chmodSync(commonDir, 0o777);
  chmodSync(folder, 0);
  const place = { ...(await placeOf(repoWith({ 'a.txt': '' }).root)), commonDir };
  const failure = { kind: 'disk', action: 'write', path: folder, code: 'EACCES' };
  expect(await asNobody(() => act(place))).toEqual({ ok: false, failure });
  chmodSync(folder, 0o755);
});

test('before the first add there is nothing to copy', async () => {
  const { root, git } = repoWith({});
  const place = { ...(await placeOf(root)), index: join(root, '.git/no-index') };
  git('status');
  expect(await withIndexCopy(place, async ({ GIT_INDEX_FILE: copy = '' }) => done(existsSync(copy)))).toEqual({
    ok: true,
    value: false,
  });
});
