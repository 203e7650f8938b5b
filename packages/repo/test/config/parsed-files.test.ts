import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { openParsedFiles } from '../../src/config/read-file.ts';

type Said = { readonly said: string };
const isSaid = (value: unknown): value is Said => typeof value === 'object' && value !== null && 'said' in value;

/** Reads a text and returns whether it had to be parsed. */
async function needsParsing(folder: string, text: string, { kind = 'rules', version = '1' } = {}): Promise<boolean> {
  const files = openParsedFiles(folder, version);
  let wasParsed = false;
  const result = await files.get(kind, text, isSaid, async () => {
    wasParsed = true;
    return { said: text };
  });
  files.save();
  expect(result).toEqual({ said: text });
  return wasParsed;
}

const cachePath = (folder: string) => join(folder, 'onceover/parsed.json');

test('parses a text once per content, kind and version', async () => {
  const folder = temporaryFolder();
  expect(await needsParsing(folder, 'a')).toBe(true);
  expect(await needsParsing(folder, 'a')).toBe(false);
  expect(await needsParsing(folder, 'b')).toBe(true);
  expect(await needsParsing(folder, 'a')).toBe(false);
  expect(await needsParsing(folder, 'a', { kind: 'settings' })).toBe(true);
  expect(await needsParsing(folder, 'a', { version: '2' })).toBe(true);
  expect(await needsParsing(folder, 'a')).toBe(true);
});

test.each<[string, (folder: string) => void]>([
  ['is gone', (folder) => renameSync(cachePath(folder), `${cachePath(folder)}.old`)],
  ['is broken', (folder) => writeFileSync(cachePath(folder), readFileSync(cachePath(folder), 'utf8').slice(0, -2))],
  ['is a list', (folder) => writeFileSync(cachePath(folder), '[]')],
  ['has no files', (folder) => writeFileSync(cachePath(folder), '{"version":"1","files":7}')],
  [
    'holds something else',
    (folder) => writeFileSync(cachePath(folder), readFileSync(cachePath(folder), 'utf8').replace('said', 'told')),
  ],
  [
    'has one wrong bit',
    (folder) => {
      const bytes = readFileSync(cachePath(folder));
      const at = bytes.lastIndexOf('a');
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(cachePath(folder), bytes);
    },
  ],
  [
    'is a symlink',
    (folder) => {
      renameSync(cachePath(folder), join(folder, 'elsewhere.json'));
      symlinkSync('../elsewhere.json', cachePath(folder));
    },
  ],
])('parses again if the cache file %s', async (_title, change) => {
  const folder = temporaryFolder();
  await needsParsing(folder, 'a');
  change(folder);
  expect(await needsParsing(folder, 'a')).toBe(true);
});

test('works if the cache cannot be written', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'onceover/parsed.json'), { recursive: true });
  expect(await needsParsing(folder, 'a')).toBe(true);
  expect(await needsParsing(folder, 'a')).toBe(true);
});
