import { describe, expect, test } from 'vitest';
import type { Trust } from '../../src/domain/ports.ts';
import { openTrust } from '../../src/stores/trust.ts';
import { memoryTrust } from '../support/memory/trust.ts';
import { temporaryFolder } from '../support/repo.ts';

trustContract('in memory', memoryTrust);
trustContract('on disk', () => openTrust(temporaryFolder()));

/** What every implementation of Trust promises. */
function trustContract(name: string, open: () => Trust): void {
  describe(`trust ${name}`, () => {
    test('nothing is trusted at first', async () => {
      expect(await open().isTrusted('aa')).toBe(false);
    });

    test('what was agreed to is trusted, and nothing else', async () => {
      const trust = open();
      expect(await trust.trust('aa')).toEqual({ ok: true, value: undefined });
      await trust.trust('bb');
      await trust.trust('aa');
      expect(await Promise.all(['aa', 'bb', 'cc', 'a', ''].map(trust.isTrusted))).toEqual([
        true,
        true,
        false,
        false,
        false,
      ]);
    });
  });
}
