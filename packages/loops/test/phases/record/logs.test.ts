import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { openPhaseLogs } from '../../../src/phases/record/store.ts';

const LOG_DIR = '.deepwork/logs' as RepoPath;
const RUN = { id: 'loop-1', phase: 'specify' } as const;

test('git ignores the folder', async () => {
  const root = temporaryFolder();
  await openPhaseLogs(root, LOG_DIR).write(RUN, '01_spec-reviewer', 'text');
  expect(readFileSync(join(root, LOG_DIR, '.gitignore'), 'utf8').trim()).toBe('*');
});

test('no name leads out of the folder', async () => {
  const root = temporaryFolder();
  await openPhaseLogs(root, LOG_DIR).write(RUN, '../../../out of it', 'text');
  expect(readdirSync(root)).toEqual(['.deepwork']);
  expect(readdirSync(join(root, LOG_DIR, 'phases/specify_loop-1'))).toEqual(['.._.._.._out_of_it.log']);
});

test.each(['.deepwork', '.deepwork/logs', '.deepwork/logs/phases'])(
  'never writes through a symlink at %s',
  async (at) => {
    const root = temporaryFolder();
    const outside = temporaryFolder();
    mkdirSync(join(root, at, '..'), { recursive: true });
    symlinkSync(outside, join(root, at));
    const end = await openPhaseLogs(root, LOG_DIR).write(RUN, '01_spec-reviewer', 'text');
    expect(end).toMatchObject({ ok: false, failure: { kind: 'path-in-the-way', found: 'symlink' } });
    expect(existsSync(join(outside, 'phases'))).toBe(false);
    expect(readdirSync(outside)).toEqual([]);
  },
);
