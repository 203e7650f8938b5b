import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../../..');

test('a program that uses the library matches its types', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(ROOT, join(folder, 'node_modules/onceover'));
  const source = `import { type Failure, instructions, OnceoverError, reviewId, type Settings } from 'onceover';
const id: string = reviewId('rule', [{ path: 'a', content: null }]);
const { tasks } = await instructions({ files: ['a'] });
const first: string | undefined = tasks[0]?.instruction_file;
const kind = (failure: Failure): Failure['kind'] => failure.kind;
export const cache = (settings: Settings): 'content' | 'strict' => settings.cache;
// @ts-expect-error a number is no path
await instructions({ files: [1] });
console.log(id, first, kind, OnceoverError);
`;
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'use.ts'), source);
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', 'use.ts'];
  const end = spawnSync(process.execPath, [tsc, '--ignoreConfig', ...args], { cwd: folder, encoding: 'utf8' });
  expect(end.stdout).toBe('');
  expect(end.status).toBe(0);
});
