import { describe, expect, test } from 'vitest';
import type { ConsentStore } from '../../src/trust/consent.ts';
import { openConsentStore } from '../../src/trust/consent.ts';
import { memoryTrust } from '../support/memory/trust.ts';
import { temporaryFolder } from '../support/repo.ts';

trustContract('in memory', memoryTrust);
trustContract('on disk', () => openConsentStore(temporaryFolder()));

/** The contract of ConsentStore. */
function trustContract(name: string, open: () => ConsentStore): void {
  describe(`trust ${name}`, () => {
    test('trusts nothing at first', async () => {
      expect(await open().isTrusted('aa')).toBe(false);
    });

    test('trusts only approved configurations', async () => {
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
