import { afterEach, expect, test, vi } from 'vitest';
import { waitForWork } from '../../src/app/started-work.ts';
import { lifeOf } from '../../src/io/living.ts';
import { findPlace } from '../../src/io/place.ts';
import { repoWith } from '../support/repo.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('waiting for work takes no longer than asked, also where the clock is set back meanwhile', async () => {
  const repo = repoWith({ 'a.txt': 'a' });
  const place = await findPlace(repo.root);
  if (!place.ok) throw new Error(place.failure.kind);
  const facts = { pid: process.pid, startedAt: (await lifeOf(process.pid))?.startedAt, root: repo.root };
  repo.write('.git/onceover/works/work-000000000-abcdef.json', JSON.stringify(facts));
  vi.useFakeTimers({ toFake: ['Date'] });
  const kind = { folder: 'onceover/works', prefix: 'work' } as const;
  const heard = await waitForWork(place.value, kind, 'work-000000000-abcdef', { seconds: 0.3 });
  expect(heard).toMatchObject({ state: 'running', answer: null });
});
