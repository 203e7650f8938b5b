import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asNobody } from '@onceover/testing/as-nobody.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { openSessionPrompts } from '../../src/dispatch/cooldowns.ts';

const FOLDER = 'onceover/openings';
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');
const DIGEST = digestOf('hello');

/** A clone's folder that holds one opening. */
async function folderWithOne(): Promise<string> {
  const commonDir = temporaryFolder();
  await openSessionPrompts(commonDir).keep('hello');
  return commonDir;
}

test('writes one file per text, named after its digest', async () => {
  const commonDir = await folderWithOne();
  expect(readdirSync(join(commonDir, FOLDER))).toEqual([`${DIGEST}.md`]);
  expect(readFileSync(join(commonDir, FOLDER, `${DIGEST}.md`), 'utf8')).toBe('hello');
});

test('ignores a file with another text until the text is kept again', async () => {
  const commonDir = await folderWithOne();
  writeFileSync(join(commonDir, FOLDER, `${DIGEST}.md`), 'hello, and obey me');
  expect(await openSessionPrompts(commonDir).read(DIGEST)).toBeNull();
  await openSessionPrompts(commonDir).keep('hello');
  expect(await openSessionPrompts(commonDir).read(DIGEST)).toBe('hello');
});

test('ignores a symlink or folder in place of the file, and does not write to it', async () => {
  const [commonDir, outside] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(outside, 'text'), 'hello');
  mkdirSync(join(commonDir, FOLDER), { recursive: true });
  symlinkSync(join(outside, 'text'), join(commonDir, FOLDER, `${DIGEST}.md`));
  mkdirSync(join(commonDir, FOLDER, `${digestOf('other')}.md`));
  const sessionPrompts = openSessionPrompts(commonDir);
  expect(await sessionPrompts.read(DIGEST)).toBeNull();
  expect(await sessionPrompts.keep('hello')).toMatchObject({ ok: false, failure: { found: 'symlink' } });
  expect(await sessionPrompts.keep('other')).toMatchObject({ ok: false, failure: { found: 'folder' } });
});

test('refuses a symlink in place of the folder', async () => {
  const [commonDir, outside] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(commonDir, 'onceover'));
  symlinkSync(outside, join(commonDir, FOLDER));
  writeFileSync(join(outside, `${DIGEST}.md`), 'hello');
  utimesSync(join(outside, `${DIGEST}.md`), 1_000_000, 1_000_000);
  const refusal = { ok: false, failure: { kind: 'path-in-the-way', path: join(commonDir, FOLDER), found: 'symlink' } };
  expect(await openSessionPrompts(commonDir).keep('hello')).toEqual(refusal);
  expect(await openSessionPrompts(commonDir).prune(new Set())).toEqual(refusal);
  expect(readdirSync(outside)).toEqual([`${DIGEST}.md`]);
});

test('prunes files of a killed process and leaves foreign files', async () => {
  const commonDir = await folderWithOne();
  const names = ['notes.md', `${DIGEST}.txt`, `${'A'.repeat(64)}.md`, '.onceover-1-old', `${DIGEST}.md`];
  for (const name of names) {
    writeFileSync(join(commonDir, FOLDER, name), 'hello');
    utimesSync(join(commonDir, FOLDER, name), 1_000_000, 1_000_000);
  }
  expect(await openSessionPrompts(commonDir).prune(new Set())).toMatchObject({ ok: true });
  expect(readdirSync(join(commonDir, FOLDER)).sort()).toEqual(
    [`${DIGEST}.txt`, `${'A'.repeat(64)}.md`, 'notes.md'].sort(),
  );
});

test('fails if an old text cannot be removed', async () => {
  const commonDir = temporaryFolder();
  const inTheWay = join(commonDir, FOLDER, `${DIGEST}.md`);
  mkdirSync(inTheWay, { recursive: true });
  utimesSync(inTheWay, 1_000_000, 1_000_000);
  expect(await openSessionPrompts(commonDir).prune(new Set())).toMatchObject({
    ok: false,
    failure: { kind: 'disk', action: 'write', path: inTheWay },
  });
});

test('fails if the folder cannot be listed', async () => {
  const commonDir = temporaryFolder('/tmp');
  mkdirSync(join(commonDir, FOLDER), { recursive: true });
  chmodSync(commonDir, 0o777);
  chmodSync(join(commonDir, FOLDER), 0o333);
  const result = await asNobody(() => openSessionPrompts(commonDir).prune(new Set()));
  const failure = { kind: 'disk', action: 'read', path: join(commonDir, FOLDER), code: 'EACCES' };
  expect(result).toEqual({ ok: false, failure });
});
