import { setTimeout as sleep } from 'node:timers/promises';
import { findRepository } from '@onceover/repo/git/locate';
import { openSnapshots } from '@onceover/repo/git/snapshot';
import { repoWith } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { prefetchSnapshot } from '../../src/run/prefetch.ts';

test('a prefetch that fails rejects only when a caller uses it', async () => {
  const place = await findRepository(repoWith({ 'a.txt': 'a' }).root);
  if (!place.ok) throw new Error(place.failure.kind);
  const broken = { ...openSnapshots(place.value), take: () => Promise.reject(new Error('broken')) };
  const { first, snapshots } = prefetchSnapshot(broken, { kind: 'change', base: null }, 'main', { folders: [] });
  expect(await first).toBeNull();
  // No caller has used it yet: an unhandled rejection would end the process.
  await sleep(1);
  const comparison = await snapshots.compare({ kind: 'change', base: null }, 'main');
  if (!comparison.ok) throw new Error(comparison.failure.kind);
  await expect(snapshots.take(comparison.value, { folders: [] })).rejects.toThrow('broken');
});
