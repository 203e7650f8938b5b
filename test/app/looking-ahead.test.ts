import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lookingAhead } from '../../src/app/looking-ahead.ts';
import { findPlace } from '../../src/io/place.ts';
import { openSnapshots } from '../../src/io/snapshots.ts';
import { repoWith } from '../support/repo.ts';

test('a look that breaks is told to whoever asks for it, and nobody before', async () => {
  const place = await findPlace(repoWith({ 'a.txt': 'a' }).root);
  if (!place.ok) throw new Error(place.failure.kind);
  const broken = { ...openSnapshots(place.value), take: () => Promise.reject(new Error('broken')) };
  const { first, snapshots } = lookingAhead(broken, { kind: 'change', base: null }, 'main', { folders: [] });
  expect(await first).toBeNull();
  // Until now nobody has asked: one that nobody takes care of would end the process.
  await sleep(1);
  const comparison = await snapshots.compare({ kind: 'change', base: null }, 'main');
  if (!comparison.ok) throw new Error(comparison.failure.kind);
  await expect(snapshots.take(comparison.value, { folders: [] })).rejects.toThrow('broken');
});
