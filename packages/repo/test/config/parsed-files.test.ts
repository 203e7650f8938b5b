import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { openParsedFiles } from '../../src/config/read-file.ts';

type Said = { readonly said: string };
const isSaid = (value: unknown): value is Said => typeof value === 'object' && value !== null && 'said' in value;

/** Reads a text and returns whether it had to be parsed. */
async function read(folder: string, text: string, { kind = 'rules', version = '1' } = {}): Promise<boolean> {
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

const kept = (folder: string) => join(folder, 'onceover/parsed.json');

test('parses a text once per content, kind and version', async () => {
  const folder = temporaryFolder();
  expect(await read(folder, 'a')).toBe(true);
  expect(await read(folder, 'a')).toBe(false);
  expect(await read(folder, 'b')).toBe(true);
  expect(await read(folder, 'a')).toBe(false);
  expect(await read(folder, 'a', { kind: 'settings' })).toBe(true);
  expect(await read(folder, 'a', { version: '2' })).toBe(true);
  expect(await read(folder, 'a')).toBe(true);
});

test.each<[string, (folder: string) => void]>([
  ['is gone', (folder) => renameSync(kept(folder), `${kept(folder)}.old`)],
  ['is broken', (folder) => writeFileSync(kept(folder), readFileSync(kept(folder), 'utf8').slice(0, -2))],
  ['is a list', (folder) => writeFileSync(kept(folder), '[]')],
  ['has no files', (folder) => writeFileSync(kept(folder), '{"version":"1","files":7}')],
  [
    'holds something else',
    (folder) => writeFileSync(kept(folder), readFileSync(kept(folder), 'utf8').replace('said', 'told')),
  ],
  [
    'has one wrong bit',
    (folder) => {
      const bytes = readFileSync(kept(folder));
      const at = bytes.lastIndexOf('a');
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(kept(folder), bytes);
    },
  ],
  [
    'is a symlink',
    (folder) => {
      renameSync(kept(folder), join(folder, 'elsewhere.json'));
      symlinkSync('../elsewhere.json', kept(folder));
    },
  ],
])('parses again if the cache file %s', async (_title, change) => {
  const folder = temporaryFolder();
  await read(folder, 'a');
  change(folder);
  expect(await read(folder, 'a')).toBe(true);
});

test('works if the cache cannot be written', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'onceover/parsed.json'), { recursive: true });
  expect(await read(folder, 'a')).toBe(true);
  expect(await read(folder, 'a')).toBe(true);
});
