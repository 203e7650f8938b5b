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
    const takeResult = await lock.take();
    if (!takeResult.ok) throw new Error(takeResult.failure.kind);
    return takeResult.value;
  };

  describe(`lock ${name}`, () => {
    test('refuses other callers while it is held, and names the holder and the time', async () => {
      const [lockA, lockB] = open();
      const before = Date.now();
      const heldLock = await takeNow(lockA);
      const refusal = { ok: false, failure: { kind: 'lock-held', pid: process.pid, host: hostname() } };
      for (const lock of [lockB, lockA]) {
        const result = await lock.take();
        expect(result).toMatchObject(refusal);
        const since = Date.parse(!result.ok && result.failure.kind === 'lock-held' ? result.failure.since : '');
        expect(since).toBeGreaterThanOrEqual(before);
        expect(since).toBeLessThanOrEqual(Date.now());
      }
      await heldLock.release();
    });

    test('can be taken after it is released', async () => {
      const [lockA, lockB] = open();
      for (const lock of [lockA, lockB, lockB, lockA]) await (await takeNow(lock)).release();
    });

    test('can be released twice without affecting the next holder', async () => {
      const [lockA, lockB] = open();
      const holderA = await takeNow(lockA);
      await holderA.release();
      const holderB = await takeNow(lockB);
      await holderA.release();
      expect(await lockA.take()).toMatchObject({ ok: false, failure: { kind: 'lock-held' } });
      await holderB.release();
    });

    test('goes to exactly one of many simultaneous callers', async () => {
      const [lockA, lockB] = open();
      const results = await Promise.all([lockA, lockB, lockA, lockB, lockA].map((lock) => lock.take()));
      const heldLocks = results.flatMap((result) => (result.ok ? [result.value] : []));
      expect(heldLocks).toHaveLength(1);
      for (const lock of heldLocks) await lock.release();
    });
  });
}
