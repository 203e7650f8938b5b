import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CommitId, RepoPath } from '@onceover/base/kernel/ids';
import { emptyRepo, temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { roundOf, withId } from '../../src/decide/cases.ts';
import { copyDependencies, makeCaseRepository, moveDependencies } from '../../src/do/case-repository.ts';

/** Makes a repository of one commit whose ids have this hash. Returns a case that changes a file of the commit. */
function changedFile(format: 'sha1' | 'sha256') {
  const repo = emptyRepo();
  rmSync(join(repo.root, '.git'), { recursive: true });
  repo.git('init', '-q', '-b', 'main', `--object-format=${format}`);
  repo.write('src/a.ts', 'old\n');
  repo.write('src/b.ts', 'other\n');
  repo.commit();
  const base = repo.git('rev-parse', 'HEAD').trim() as CommitId;
  const files = [{ path: 'src/a.ts' as RepoPath, text: 'new\n' }];
  const about = { source: 'clean', title: 'a change', baseFiles: [], planted: null, unedited: null } as const;
  return { repo, one: withId({ ...about, base, rounds: [roundOf('Change a', files)] }) };
}

const CONFIG = { files: [], settings: 'gates: []\n' };

test.each(['sha1', 'sha256'] as const)('a case has the files of its base commit with ids of %s', async (format) => {
  const { repo, one } = changedFile(format);
  const folder = join(temporaryFolder(), 'case');
  const made = await makeCaseRepository(folder, join(repo.root, '.git'), one, CONFIG);
  if (!made.ok) throw new Error(JSON.stringify(made.failure));
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  expect([read('src/a.ts'), read('src/b.ts')]).toEqual(['old\n', 'other\n']);
  for (const round of one.rounds) expect(await made.value.play(round)).toMatchObject({ ok: true });
  expect(read('src/a.ts')).toBe('new\n');
  expect(await made.value.reset()).toMatchObject({ ok: true });
  expect(read('src/a.ts')).toBe('old\n');
});

test('a case whose base commit is missing is a failure of git', async () => {
  const { repo, one } = changedFile('sha1');
  const base = 'a'.repeat(40) as CommitId;
  const folder = join(temporaryFolder(), 'case');
  const made = await makeCaseRepository(folder, join(repo.root, '.git'), { ...one, base }, CONFIG);
  expect(made).toMatchObject({ ok: false, failure: { kind: 'git-failed' } });
});

test('installed packages that git ignores are copied, moved into a case, and moved back', async () => {
  const { repo } = changedFile('sha1');
  repo.write('.gitignore', 'node_modules\n.venv\ndist\n');
  const installed = ['node_modules/a/index.js', 'packages/b/node_modules/c.js', '.venv/bin/run'];
  for (const path of [...installed, 'dist/out.js', 'vendor/tracked.go', 'packages/b/code.js']) repo.write(path, path);
  repo.commit();
  const folder = temporaryFolder();
  const copied = await copyDependencies(repo.root, folder);
  if (!copied.ok) throw new Error(JSON.stringify(copied.failure));
  expect([...copied.value].sort()).toEqual(['.venv', 'node_modules', 'packages/b/node_modules']);
  const into = temporaryFolder();
  const there = (root: string) => installed.filter((path) => existsSync(join(root, path)));
  expect(there(folder)).toEqual(installed);
  // The case has no folder packages/b, so its packages stay where they are.
  expect(moveDependencies(copied.value, folder, into)).toMatchObject({ ok: true });
  expect([there(into), there(folder)]).toEqual([[installed[0], installed[2]], [installed[1]]]);
  expect(moveDependencies(copied.value, into, folder)).toMatchObject({ ok: true });
  mkdirSync(join(into, 'packages/b'), { recursive: true });
  expect(moveDependencies(copied.value, folder, into)).toMatchObject({ ok: true });
  expect([there(into), there(folder)]).toEqual([installed, []]);
  expect(there(repo.root)).toEqual(installed);
});
