import type { RepoPath } from '@onceover/base/kernel/ids';
import { repoWith } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { findRepository } from '../../src/git/locate.ts';
import { openRepository } from '../../src/git/repository.ts';

test('git gets more names than fit on a command line', async () => {
  const repo = repoWith({ 'a.txt': '' });
  const many = Array.from({ length: 30_000 }, (_, n) => `${'folder/'.repeat(12)}${n}.txt`);
  const place = await findRepository(repo.root);
  if (!place.ok) throw new Error(place.failure.kind);
  const trackedPaths = await openRepository(place.value).known([...many, 'a.txt'] as RepoPath[], null);
  expect(trackedPaths).toEqual({ ok: true, value: new Set(['a.txt']) });
});
