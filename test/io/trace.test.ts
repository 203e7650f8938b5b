import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAsTraced, tracesOf } from '../../src/io/trace.ts';
import { temporaryFolder } from '../support/repo.ts';

/** A folder with a file and a folder in it, at rest for longer than a tick of the clock of files. */
async function atRest(): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), 'one');
  mkdirSync(join(folder, 'in'));
  writeFileSync(join(folder, 'in/file'), 'one');
  symlinkSync('in/file', join(folder, 'way'));
  symlinkSync('way', join(folder, 'link'));
  symlinkSync('../file', join(folder, 'in/link'));
  symlinkSync('round', join(folder, 'round'));
  await new Promise((resolve) => setTimeout(resolve, 30));
  return folder;
}

type Change = (folder: string) => void;

test.each<[string, string, Change]>([
  ['a file is edited', 'file', (at) => writeFileSync(join(at, 'file'), 'two')],
  [
    'a file is edited and given its time back',
    'file',
    (at) => {
      const { atime, mtime } = statSync(join(at, 'file'));
      writeFileSync(join(at, 'file'), 'two');
      utimesSync(join(at, 'file'), atime, mtime);
    },
  ],
  ['a file is put in its place', 'file', (at) => renameSync(join(at, 'in/file'), join(at, 'file'))],
  ['a file is removed', 'file', (at) => rmSync(join(at, 'file'))],
  ['a file gets another mode', 'file', (at) => chmodSync(join(at, 'file'), 0o600)],
  ['a file appears', 'new', (at) => writeFileSync(join(at, 'new'), '')],
  [
    'a file becomes a symlink',
    'file',
    (at) => {
      rmSync(join(at, 'file'));
      symlinkSync('in/file', join(at, 'file'));
    },
  ],
  ['what a symlink leads to is edited', 'link', (at) => appendFileSync(join(at, 'in/file'), 'x')],
  [
    'a symlink on the way is turned to the same text',
    'link',
    (at) => {
      writeFileSync(join(at, 'in/other'), 'one');
      rmSync(join(at, 'way'));
      symlinkSync('in/other', join(at, 'way'));
    },
  ],
  ['what a symlink in a folder leads to is edited', 'in/', (at) => appendFileSync(join(at, 'file'), 'x')],
  ['something is put into a folder', 'in', (at) => writeFileSync(join(at, 'in/new'), '')],
  ['something in a folder is replaced', 'in', (at) => renameSync(join(at, 'file'), join(at, 'in/file'))],
  ['something in a folder is written over', 'in/', (at) => appendFileSync(join(at, 'in/file'), 'x')],
  ['a folder is removed', 'in/', (at) => rmSync(join(at, 'in'), { recursive: true })],
  ['a folder appears', 'other/', (at) => mkdirSync(join(at, 'other'))],
])('%s', async (_title, path, change) => {
  const folder = await atRest();
  const traces = tracesOf([`${folder}/${path}`]);
  expect(isAsTraced(traces)).toBe(true);
  change(folder);
  expect(isAsTraced(traces)).toBe(false);
});

test('one change among many is enough, and what is not traced is not looked at', async () => {
  const folder = await atRest();
  const traces = tracesOf([join(folder, 'in/file'), join(folder, 'in'), join(folder, 'gone')]);
  writeFileSync(join(folder, 'file'), 'two');
  expect(isAsTraced(traces)).toBe(true);
  writeFileSync(join(folder, 'in/file'), 'two');
  expect(isAsTraced(traces)).toBe(false);
});

test('a symlink that leads to itself is what it is, and hides nothing', async () => {
  const folder = await atRest();
  const traces = tracesOf([join(folder, 'round'), `${folder}/`]);
  expect(isAsTraced(traces)).toBe(true);
  appendFileSync(join(folder, 'file'), 'x');
  expect(isAsTraced(traces)).toBe(false);
});

test('what lies behind a file is missing, and stays so', async () => {
  const folder = await atRest();
  const traces = tracesOf([join(folder, 'file/in'), `${folder}/file/`]);
  expect(isAsTraced(traces)).toBe(true);
});
