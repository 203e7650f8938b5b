import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSessionPrompts, type SessionPrompts } from '../../src/dispatch/cooldowns.ts';
import { memoryOpenings } from '../support/memory/openings.ts';
import { temporaryFolder } from '../support/repo.ts';

openingsContract('in memory', () => {
  const openings = memoryOpenings();
  return { openings, pass: openings.pass };
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
  return { openings: openSessionPrompts(commonDir), pass };
});

/** The contract of every implementation of SessionPrompts; `pass` advances the time. */
function openingsContract(
  name: string,
  open: () => { readonly openings: SessionPrompts; pass(ms: number): void },
): void {
  const DAY = 24 * 3_600_000;
  const fine = { ok: true, value: undefined };
  const keep = async (openings: SessionPrompts, text: string): Promise<string> => {
    const kept = await openings.keep(text);
    if (!kept.ok) throw new Error(kept.failure.kind);
    return kept.value;
  };

  describe(`openings ${name}`, () => {
    test('keeps a text unchanged under its SHA-256', async () => {
      const { openings } = open();
      const text = '# ä 日本 😀\r\n\ttab and no end of line';
      expect(await openings.keep('abc')).toEqual({
        ok: true,
        value: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      });
      expect(await openings.read(await keep(openings, text))).toBe(text);
      expect(await openings.read(await keep(openings, ''))).toBe('');
    });

    test.each(['0'.repeat(64), '', '..', 'x'.repeat(64), '../openings/x'])('finds no text under %j', async (digest) => {
      const { openings } = open();
      await openings.keep('abc');
      expect(await openings.read(digest)).toBeNull();
    });

    test('prunes unwanted texts that are older than two weeks', async () => {
      const { openings, pass } = open();
      const [wanted, old] = [await keep(openings, 'wanted'), await keep(openings, 'old')];
      pass(15 * DAY);
      const young = await keep(openings, 'young');
      pass(13 * DAY);
      expect(await openings.prune(new Set([wanted]))).toEqual(fine);
      expect(await Promise.all([wanted, old, young].map(openings.read))).toEqual(['wanted', null, 'young']);
    });

    test('keeping a text again renews its age', async () => {
      const { openings, pass } = open();
      const digest = await keep(openings, 'text');
      pass(15 * DAY);
      await openings.keep('text');
      await openings.prune(new Set());
      expect(await openings.read(digest)).toBe('text');
    });

    test('prunes an empty store', async () => {
      expect(await open().openings.prune(new Set())).toEqual(fine);
    });
  });
}
