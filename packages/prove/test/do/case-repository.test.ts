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
  const caseRepository = await makeCaseRepository(folder, join(repo.root, '.git'), one, CONFIG);
  if (!caseRepository.ok) throw new Error(JSON.stringify(caseRepository.failure));
  const readCaseFile = (path: string) => readFileSync(join(folder, path), 'utf8');
  expect([readCaseFile('src/a.ts'), readCaseFile('src/b.ts')]).toEqual(['old\n', 'other\n']);
  for (const round of one.rounds) expect(await caseRepository.value.play(round)).toMatchObject({ ok: true });
  expect(readCaseFile('src/a.ts')).toBe('new\n');
  expect(await caseRepository.value.reset()).toMatchObject({ ok: true });
  expect(readCaseFile('src/a.ts')).toBe('old\n');
});

test('a case whose base commit is missing is a failure of git', async () => {
  const { repo, one } = changedFile('sha1');
  const base = 'a'.repeat(40) as CommitId;
  const folder = join(temporaryFolder(), 'case');
  const result = await makeCaseRepository(folder, join(repo.root, '.git'), { ...one, base }, CONFIG);
  expect(result).toMatchObject({ ok: false, failure: { kind: 'git-failed' } });
});

test('installed packages that git ignores are copied, moved into a case, and moved back', async () => {
  const { repo } = changedFile('sha1');
  repo.write('.gitignore', 'node_modules\n.venv\ndist\n');
  const packageFiles = ['node_modules/a/index.js', 'packages/b/node_modules/c.js', '.venv/bin/run'];
  for (const path of [...packageFiles, 'dist/out.js', 'vendor/tracked.go', 'packages/b/code.js'])
    repo.write(path, path);
  repo.commit();
  const folder = temporaryFolder();
  const copyResult = await copyDependencies(repo.root, folder);
  if (!copyResult.ok) throw new Error(JSON.stringify(copyResult.failure));
  expect([...copyResult.value].sort()).toEqual(['.venv', 'node_modules', 'packages/b/node_modules']);
  const into = temporaryFolder();
  const there = (root: string) => packageFiles.filter((path) => existsSync(join(root, path)));
  expect(there(folder)).toEqual(packageFiles);
  // The case has no folder packages/b, so its packages stay where they are.
  expect(moveDependencies(copyResult.value, folder, into)).toMatchObject({ ok: true });
  expect([there(into), there(folder)]).toEqual([[packageFiles[0], packageFiles[2]], [packageFiles[1]]]);
  expect(moveDependencies(copyResult.value, into, folder)).toMatchObject({ ok: true });
  mkdirSync(join(into, 'packages/b'), { recursive: true });
  expect(moveDependencies(copyResult.value, folder, into)).toMatchObject({ ok: true });
  expect([there(into), there(folder)]).toEqual([packageFiles, []]);
  expect(there(repo.root)).toEqual(packageFiles);
});
