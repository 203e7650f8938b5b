import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { type NameSource, userPath } from '../../src/platform/user-paths.ts';

test.each<[NameSource, string, string | null]>([
  ['arguments', 'both.ts', 'src/both.ts'],
  ['arguments', 'root.ts', 'src/root.ts'],
  ['arguments', '../root.ts', 'root.ts'],
  ['list', 'both.ts', 'src/both.ts'],
  ['list', 'root.ts', 'root.ts'],
  ['list', 'none.ts', 'src/none.ts'],
  ['tool', 'both.ts', 'both.ts'],
  ['tool', 'src/here.ts', 'src/here.ts'],
  ['tool', 'here.ts', 'src/here.ts'],
  ['tool', '../root.ts', 'root.ts'],
  ['tool', 'none.ts', 'none.ts'],
  ['tool', '../none.ts', null],
  ['tool', '../../none.ts', null],
])('%s in src: %s is %s', (source, name, path) => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'src'));
  for (const there of ['both.ts', 'root.ts', 'src/both.ts', 'src/here.ts']) writeFileSync(join(root, there), '');
  expect(userPath({ root, prefix: 'src' }, name, source)).toBe(path);
});
