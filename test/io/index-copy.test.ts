import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { done, failed } from '../../src/domain/result.ts';
import { withIndexCopy } from '../../src/io/index-copy.ts';
import { findPlace } from '../../src/io/place.ts';
import { repoWith } from '../support/repo.ts';

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

test('before the first add there is nothing to copy', async () => {
  const { root, git } = repoWith({});
  const place = { ...(await placeOf(root)), index: join(root, '.git/no-index') };
  git('status');
  expect(await withIndexCopy(place, async ({ GIT_INDEX_FILE: copy = '' }) => done(existsSync(copy)))).toEqual({
    ok: true,
    value: false,
  });
});
