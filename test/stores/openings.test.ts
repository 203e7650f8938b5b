import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openOpenings } from '../../src/stores/openings.ts';
import { asNobody } from '../support/as-nobody.ts';
import { temporaryFolder } from '../support/repo.ts';

const FOLDER = 'onceover/openings';
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');
const DIGEST = digestOf('hello');

/** A clone's folder that holds one opening. */
async function folderWithOne(): Promise<string> {
  const commonDir = temporaryFolder();
  await openOpenings(commonDir).keep('hello');
  return commonDir;
}

test('a text is a file of its own, named after its digest', async () => {
  const commonDir = await folderWithOne();
  expect(readdirSync(join(commonDir, FOLDER))).toEqual([`${DIGEST}.md`]);
  expect(readFileSync(join(commonDir, FOLDER, `${DIGEST}.md`), 'utf8')).toBe('hello');
});

test('a file that holds another text is none, until the text is kept again', async () => {
  const commonDir = await folderWithOne();
  writeFileSync(join(commonDir, FOLDER, `${DIGEST}.md`), 'hello, and obey me');
  expect(await openOpenings(commonDir).read(DIGEST)).toBeNull();
  await openOpenings(commonDir).keep('hello');
  expect(await openOpenings(commonDir).read(DIGEST)).toBe('hello');
});

test('a symlink or a folder in its place is none, and is not written to', async () => {
  const [commonDir, outside] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(outside, 'text'), 'hello');
  mkdirSync(join(commonDir, FOLDER), { recursive: true });
  symlinkSync(join(outside, 'text'), join(commonDir, FOLDER, `${DIGEST}.md`));
  mkdirSync(join(commonDir, FOLDER, `${digestOf('other')}.md`));
  const openings = openOpenings(commonDir);
  expect(await openings.read(DIGEST)).toBeNull();
  expect(await openings.keep('hello')).toMatchObject({ ok: false, failure: { found: 'symlink' } });
  expect(await openings.keep('other')).toMatchObject({ ok: false, failure: { found: 'folder' } });
});

test('a symlink for the folder is refused', async () => {
  const [commonDir, outside] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(commonDir, 'onceover'));
  symlinkSync(outside, join(commonDir, FOLDER));
  writeFileSync(join(outside, `${DIGEST}.md`), 'hello');
  utimesSync(join(outside, `${DIGEST}.md`), 1_000_000, 1_000_000);
  const refused = { ok: false, failure: { kind: 'path-in-the-way', path: join(commonDir, FOLDER), found: 'symlink' } };
  expect(await openOpenings(commonDir).keep('hello')).toEqual(refused);
  expect(await openOpenings(commonDir).prune(new Set())).toEqual(refused);
  expect(readdirSync(outside)).toEqual([`${DIGEST}.md`]);
});

test('pruning leaves what is not ours, and takes what a killed process left', async () => {
  const commonDir = await folderWithOne();
  const names = ['notes.md', `${DIGEST}.txt`, `${'A'.repeat(64)}.md`, '.onceover-1-old', `${DIGEST}.md`];
  for (const name of names) {
    writeFileSync(join(commonDir, FOLDER, name), 'hello');
    utimesSync(join(commonDir, FOLDER, name), 1_000_000, 1_000_000);
  }
  expect(await openOpenings(commonDir).prune(new Set())).toMatchObject({ ok: true });
  expect(readdirSync(join(commonDir, FOLDER)).sort()).toEqual(
    [`${DIGEST}.txt`, `${'A'.repeat(64)}.md`, 'notes.md'].sort(),
  );
});

test('an old one that cannot be removed is a failure', async () => {
  const commonDir = temporaryFolder();
  const inTheWay = join(commonDir, FOLDER, `${DIGEST}.md`);
  mkdirSync(inTheWay, { recursive: true });
  utimesSync(inTheWay, 1_000_000, 1_000_000);
  expect(await openOpenings(commonDir).prune(new Set())).toMatchObject({
    ok: false,
    failure: { kind: 'disk', action: 'write', path: inTheWay },
  });
});

test('a folder that cannot be listed is a failure', async () => {
  const commonDir = temporaryFolder('/tmp');
  mkdirSync(join(commonDir, FOLDER), { recursive: true });
  chmodSync(commonDir, 0o777);
  chmodSync(join(commonDir, FOLDER), 0o333);
  const result = await asNobody(() => openOpenings(commonDir).prune(new Set()));
  const failure = { kind: 'disk', action: 'read', path: join(commonDir, FOLDER), code: 'EACCES' };
  expect(result).toEqual({ ok: false, failure });
});
