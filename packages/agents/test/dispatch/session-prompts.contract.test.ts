import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { memoryOpenings } from '@onceover/testing/memory/openings.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { openSessionPrompts, type SessionPrompts } from '../../src/dispatch/cooldowns.ts';

openingsContract('in memory', () => {
  const sessionPrompts = memoryOpenings();
  return { sessionPrompts, pass: sessionPrompts.pass };
});
openingsContract('on disk', () => {
  const commonDir = temporaryFolder();
  const folder = join(commonDir, 'onceover/openings');
  const pass = (ms: number) => {
    for (const name of readdirSync(folder)) {
      const before = (statSync(join(folder, name)).mtimeMs - ms) / 1000;
      utimesSync(join(folder, name), before, before);
    }
  };
  return { sessionPrompts: openSessionPrompts(commonDir), pass };
});

/** The contract of every implementation of SessionPrompts; `pass` advances the time. */
function openingsContract(
  name: string,
  open: () => { readonly sessionPrompts: SessionPrompts; pass(ms: number): void },
): void {
  const DAY = 24 * 3_600_000;
  const fine = { ok: true, value: undefined };
  const keep = async (sessionPrompts: SessionPrompts, text: string): Promise<string> => {
    const storeResult = await sessionPrompts.keep(text);
    if (!storeResult.ok) throw new Error(storeResult.failure.kind);
    return storeResult.value;
  };

  describe(`sessionPrompts ${name}`, () => {
    test('keeps a text unchanged under its SHA-256', async () => {
      const { sessionPrompts } = open();
      const text = '# ä 日本 😀\r\n\ttab and no end of line';
      expect(await sessionPrompts.keep('abc')).toEqual({
        ok: true,
        value: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      });
      expect(await sessionPrompts.read(await keep(sessionPrompts, text))).toBe(text);
      expect(await sessionPrompts.read(await keep(sessionPrompts, ''))).toBe('');
    });

    test.each(['0'.repeat(64), '', '..', 'x'.repeat(64), '../openings/x'])('finds no text under %j', async (digest) => {
      const { sessionPrompts } = open();
      await sessionPrompts.keep('abc');
      expect(await sessionPrompts.read(digest)).toBeNull();
    });

    test('prunes unwanted texts that are older than two weeks', async () => {
      const { sessionPrompts, pass } = open();
      const [neededDigest, oldDigest] = [await keep(sessionPrompts, 'wanted'), await keep(sessionPrompts, 'old')];
      pass(15 * DAY);
      const young = await keep(sessionPrompts, 'young');
      pass(13 * DAY);
      expect(await sessionPrompts.prune(new Set([neededDigest]))).toEqual(fine);
      expect(await Promise.all([neededDigest, oldDigest, young].map(sessionPrompts.read))).toEqual([
        'wanted',
        null,
        'young',
      ]);
    });

    test('keeping a text again renews its age', async () => {
      const { sessionPrompts, pass } = open();
      const digest = await keep(sessionPrompts, 'text');
      pass(15 * DAY);
      await sessionPrompts.keep('text');
      await sessionPrompts.prune(new Set());
      expect(await sessionPrompts.read(digest)).toBe('text');
    });

    test('prunes an empty store', async () => {
      expect(await open().sessionPrompts.prune(new Set())).toEqual(fine);
    });
  });
}
