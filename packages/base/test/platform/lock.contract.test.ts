import { hostname } from 'node:os';
import { memoryLock } from '@onceover/testing/memory/lock.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import type { HeldLock, Lock } from '../../src/kernel/ports.ts';
import { openLock } from '../../src/platform/lock.ts';

lockContract('in memory', () => {
  const lock = memoryLock();
  return [lock, lock];
});
lockContract('on disk', () => {
  const root = temporaryFolder();
  const place = { root, commonDir: root };
  return [openLock(place), openLock(place)];
});

/** The contract of Lock for two callers with the same working tree. */
function lockContract(name: string, open: () => readonly [Lock, Lock]): void {
  const takeNow = async (lock: Lock): Promise<HeldLock> => {
    const held = await lock.take();
    if (!held.ok) throw new Error(held.failure.kind);
    return held.value;
  };

  describe(`lock ${name}`, () => {
    test('refuses other callers while it is held, and names the holder and the time', async () => {
      const [one, other] = open();
      const before = Date.now();
      const held = await takeNow(one);
      const refused = { ok: false, failure: { kind: 'lock-held', pid: process.pid, host: hostname() } };
      for (const lock of [other, one]) {
        const result = await lock.take();
        expect(result).toMatchObject(refused);
        const since = Date.parse(!result.ok && result.failure.kind === 'lock-held' ? result.failure.since : '');
        expect(since).toBeGreaterThanOrEqual(before);
        expect(since).toBeLessThanOrEqual(Date.now());
      }
      await held.release();
    });

    test('can be taken after it is released', async () => {
      const [one, other] = open();
      for (const lock of [one, other, other, one]) await (await takeNow(lock)).release();
    });

    test('can be released twice without affecting the next holder', async () => {
      const [one, other] = open();
      const first = await takeNow(one);
      await first.release();
      const second = await takeNow(other);
      await first.release();
      expect(await one.take()).toMatchObject({ ok: false, failure: { kind: 'lock-held' } });
      await second.release();
    });

    test('goes to exactly one of many simultaneous callers', async () => {
      const [one, other] = open();
      const results = await Promise.all([one, other, one, other, one].map((lock) => lock.take()));
      const held = results.flatMap((result) => (result.ok ? [result.value] : []));
      expect(held).toHaveLength(1);
      for (const lock of held) await lock.release();
    });
  });
}
