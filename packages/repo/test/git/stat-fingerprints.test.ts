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
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { matchesFingerprints, statFingerprints } from '../../src/git/fingerprints.ts';

/** Makes a folder with a file and a folder, and waits longer than one tick of the file system’s clock. */
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
  ['a file is replaced', 'file', (at) => renameSync(join(at, 'in/file'), join(at, 'file'))],
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
  ['the target of a symlink is edited', 'link', (at) => appendFileSync(join(at, 'in/file'), 'x')],
  [
    'a symlink on the way is turned to the same text',
    'link',
    (at) => {
      writeFileSync(join(at, 'in/other'), 'one');
      rmSync(join(at, 'way'));
      symlinkSync('in/other', join(at, 'way'));
    },
  ],
  ['the target of a symlink in a folder is edited', 'in/', (at) => appendFileSync(join(at, 'file'), 'x')],
  ['a file is added to a folder', 'in', (at) => writeFileSync(join(at, 'in/new'), '')],
  ['a file in a folder is replaced', 'in', (at) => renameSync(join(at, 'file'), join(at, 'in/file'))],
  ['a file in a folder is overwritten', 'in/', (at) => appendFileSync(join(at, 'in/file'), 'x')],
  ['a folder is removed', 'in/', (at) => rmSync(join(at, 'in'), { recursive: true })],
  ['a folder appears', 'other/', (at) => mkdirSync(join(at, 'other'))],
])('%s', async (_title, path, change) => {
  const folder = await atRest();
  const traces = statFingerprints([`${folder}/${path}`]);
  expect(matchesFingerprints(traces)).toBe(true);
  change(folder);
  expect(matchesFingerprints(traces)).toBe(false);
});

test('one changed path is enough, and other paths are not checked', async () => {
  const folder = await atRest();
  const traces = statFingerprints([join(folder, 'in/file'), join(folder, 'in'), join(folder, 'gone')]);
  writeFileSync(join(folder, 'file'), 'two');
  expect(matchesFingerprints(traces)).toBe(true);
  writeFileSync(join(folder, 'in/file'), 'two');
  expect(matchesFingerprints(traces)).toBe(false);
});

test('a symlink to itself has a fingerprint and does not hide other changes', async () => {
  const folder = await atRest();
  const traces = statFingerprints([join(folder, 'round'), `${folder}/`]);
  expect(matchesFingerprints(traces)).toBe(true);
  appendFileSync(join(folder, 'file'), 'x');
  expect(matchesFingerprints(traces)).toBe(false);
});

test('a path below a file stays missing', async () => {
  const folder = await atRest();
  const traces = statFingerprints([join(folder, 'file/in'), `${folder}/file/`]);
  expect(matchesFingerprints(traces)).toBe(true);
});
