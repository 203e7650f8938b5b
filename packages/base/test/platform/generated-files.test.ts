import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INSTRUCTIONS_FOLDER, openPasses, replaceInstructionFiles } from '@onceover/gates/rules/passes';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import type { ReviewId } from '../../src/kernel/ids.ts';
import { generatedPath, makeGeneratedFolder } from '../../src/platform/generated-files.ts';

const IGNORE = '.deepwork/tmp/.gitignore';

test('makes the folder and its .gitignore', () => {
  const root = temporaryFolder();
  expect(makeGeneratedFolder(root, 'things')).toEqual({ ok: true, value: join(root, '.deepwork/tmp/things') });
  expect(readFileSync(join(root, IGNORE), 'utf8')).toBe('*\n');
  expect(generatedPath('things', 'a.md')).toBe('.deepwork/tmp/things/a.md');
});

test('writes a deleted .gitignore again', () => {
  const root = temporaryFolder();
  makeGeneratedFolder(root, 'things');
  rmSync(join(root, IGNORE));
  makeGeneratedFolder(root, 'things');
  expect(readFileSync(join(root, IGNORE), 'utf8')).toBe('*\n');
});

test('keeps the user’s own .gitignore', () => {
  const root = temporaryFolder();
  mkdirSync(join(root, '.deepwork/tmp'), { recursive: true });
  writeFileSync(join(root, IGNORE), '*.log\n');
  expect(makeGeneratedFolder(root, 'things')).toMatchObject({ ok: true });
  expect(readFileSync(join(root, IGNORE), 'utf8')).toBe('*.log\n');
});

test.each<[string, (path: string) => void, string]>([
  ['.deepwork', (path) => writeFileSync(path, ''), 'file'],
  ['.deepwork/tmp', (path) => symlinkSync('/', path), 'symlink'],
  ['.deepwork/tmp/things', (path) => writeFileSync(path, ''), 'file'],
])('fails if something is in the way at %s', (path, placeObstacle, obstacle) => {
  const root = temporaryFolder();
  mkdirSync(join(root, path, '..'), { recursive: true });
  placeObstacle(join(root, path));
  const failure = { kind: 'path-in-the-way', path: join(root, path), found: obstacle };
  expect(makeGeneratedFolder(root, 'things')).toEqual({ ok: false, failure });
});

const [MAY_ALL, MAY_NOT_LIST, MAY_NOT_WRITE, MAY_NOT_REMOVE] = [0o777, 0o333, 0o555, 0o1777];
const ID = 'style--a.py--0123456789ab' as ReviewId;
const write = (root: string) => Promise.resolve(replaceInstructionFiles(root, new Map([[ID, 'new']])));
const look = (root: string) => openPasses({ root, commonDir: join(root, '.git') }).marked();
const mark = (root: string) => openPasses({ root, commonDir: join(root, '.git') }).mark(ID, 'cli', new Date());

test.each<[string, (root: string) => Promise<unknown>, number, number, 'read' | 'write', string]>([
  ['writing where tmp cannot be listed', write, MAY_NOT_LIST, MAY_ALL, 'read', ''],
  ['writing where tmp cannot be written', write, MAY_NOT_WRITE, MAY_ALL, 'write', '.gitignore'],
  ['writing where the folder cannot be listed', write, MAY_ALL, MAY_NOT_LIST, 'read', INSTRUCTIONS_FOLDER],
  ['writing where it cannot be written', write, MAY_ALL, MAY_NOT_WRITE, 'write', `${INSTRUCTIONS_FOLDER}/${ID}.md`],
  ['marking where tmp cannot be listed', mark, MAY_NOT_LIST, MAY_ALL, 'read', ''],
  ['marking where it cannot be written', mark, MAY_ALL, MAY_NOT_WRITE, 'write', `${INSTRUCTIONS_FOLDER}/${ID}.passed`],
  ['looking for marks where they cannot be listed', look, MAY_ALL, MAY_NOT_LIST, 'read', INSTRUCTIONS_FOLDER],
])('fails: %s', async (_, act, topMode, folderMode, action, path) => {
  const { root, top, release } = guardedFolder(topMode, folderMode);
  const result = await asNobody(() => act(root)).finally(release);
  expect(result).toEqual({ ok: false, failure: { kind: 'disk', action, path: join(top, path), code: 'EACCES' } });
});

test.skipIf(process.getuid?.() !== 0)('an earlier instruction file that cannot be removed is a failure', async () => {
  const { root, folder, release } = guardedFolder(MAY_ALL, MAY_NOT_REMOVE);
  const result = await asNobody(() => write(root)).finally(release);
  expect(result).toMatchObject({ ok: false, failure: { kind: 'disk', path: join(folder, 'old.md') } });
  expect(readdirSync(folder)).toEqual(['old.md', `${ID}.md`]);
});

test.skipIf(process.getuid?.() !== 0)('a file of another that cannot be replaced leaves nothing behind', async () => {
  const { root, folder, release } = guardedFolder(MAY_ALL, MAY_NOT_REMOVE);
  writeFileSync(join(folder, `${ID}.md`), 'of another');
  const result = await asNobody(() => write(root)).finally(release);
  expect(result).toMatchObject({ ok: false, failure: { kind: 'disk', path: join(folder, `${ID}.md`), code: 'EPERM' } });
  expect(readdirSync(folder)).toEqual(['old.md', `${ID}.md`]);
});

/** Makes a root with these modes of `.deepwork/tmp` and the instructions folder, which has an old file. */
function guardedFolder(topMode: number, folderMode: number) {
  // Every user must be able to reach the folder, and TMPDIR may be private.
  const root = temporaryFolder('/tmp');
  const top = join(root, '.deepwork/tmp');
  const folder = join(top, INSTRUCTIONS_FOLDER);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'old.md'), 'old');
  chmodSync(root, MAY_ALL);
  chmodSync(folder, folderMode);
  chmodSync(top, topMode);
  const release = () => {
    chmodSync(top, MAY_ALL);
    chmodSync(folder, MAY_ALL);
  };
  return { root, top, folder, release };
}

/** Runs it as a user whom file modes restrict. They do not restrict root. */
async function asNobody<T>(act: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return act();
  process.seteuid?.(65534);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}
