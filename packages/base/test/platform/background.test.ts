import { findRepository } from '@onceover/repo/git/locate';
import { repoWith } from '@onceover/testing/repo.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { waitForJob } from '../../src/platform/background.ts';
import { processInfo } from '../../src/platform/lock.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('waiting for a job ends on time even if the clock is set back', async () => {
  const repo = repoWith({ 'a.txt': 'a' });
  const place = await findRepository(repo.root);
  if (!place.ok) throw new Error(place.failure.kind);
  const facts = { pid: process.pid, startedAt: (await processInfo(process.pid))?.startedAt, root: repo.root };
  repo.write('.git/onceover/works/work-000000000-abcdef.json', JSON.stringify(facts));
  vi.useFakeTimers({ toFake: ['Date'] });
  const kind = { folder: 'onceover/works', prefix: 'work' } as const;
  const job = await waitForJob(place.value, kind, 'work-000000000-abcdef', { seconds: 0.3 });
  expect(job).toMatchObject({ state: 'running', answer: null });
});
