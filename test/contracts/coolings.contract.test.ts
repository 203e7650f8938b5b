import { describe, expect, test } from 'vitest';
import type { Coolings } from '../../src/domain/ports.ts';
import type { Cooling } from '../../src/domain/record.ts';
import { openCoolings } from '../../src/stores/coolings.ts';
import { memoryCoolings } from '../support/memory/coolings.ts';
import { temporaryFolder } from '../support/repo.ts';

coolingsContract('in memory', memoryCoolings);
coolingsContract('on disk', () => openCoolings(temporaryFolder()));

/** What every implementation of Coolings promises. */
function coolingsContract(name: string, open: () => Coolings): void {
  const NOON = Date.parse('2026-03-01T12:00:00.000Z');
  const [HOUR, DAY] = [60 * 60_000, 24 * 60 * 60_000];
  const now = new Date(NOON);
  const cooling = (agent: string, ahead: number): Cooling => ({
    agent,
    until: new Date(NOON + ahead),
    said: `resets in ${ahead} ms`,
  });

  describe(`coolings ${name}`, () => {
    test('nobody rests at first', async () => {
      expect(await open().all(now)).toEqual([]);
    });

    test('who has reached a limit rests until it is over', async () => {
      const coolings = open();
      expect(await coolings.add(cooling('claude', HOUR))).toEqual({ ok: true, value: undefined });
      await coolings.add(cooling('codex', 2 * HOUR));
      expect(await coolings.all(now)).toEqual([cooling('claude', HOUR), cooling('codex', 2 * HOUR)]);
      expect(await coolings.all(new Date(NOON + HOUR))).toEqual([cooling('codex', 2 * HOUR)]);
      expect(await coolings.all(new Date(NOON + 2 * HOUR))).toEqual([]);
    });

    test.each([
      [[HOUR, 2 * HOUR], 2 * HOUR],
      [[2 * HOUR, HOUR], 2 * HOUR],
      [[HOUR, 3 * HOUR, 2 * HOUR], 3 * HOUR],
      [[HOUR, HOUR], HOUR],
    ])('of %j the latest counts', async (added, expected) => {
      const coolings = open();
      for (const ahead of added) await coolings.add(cooling('claude', ahead));
      expect(await coolings.all(now)).toEqual([cooling('claude', expected)]);
    });

    test.each([
      ['31 days', 31 * DAY, true],
      ['31 days and a moment', 31 * DAY + 1, false],
      ['a thousand years', 365_000 * DAY, false],
      ['no time', 0, false],
      ['less than no time', -HOUR, false],
    ])('a limit of %s', async (_, ahead, counts) => {
      const coolings = open();
      await coolings.add(cooling('claude', ahead));
      expect(await coolings.all(now)).toEqual(counts ? [cooling('claude', ahead)] : []);
    });

    test.each([
      ['before', [365_000 * DAY, HOUR]],
      ['after', [HOUR, 365_000 * DAY]],
    ])('a date that makes no sense, told %s one that does, does not hide it', async (_, added) => {
      const coolings = open();
      for (const ahead of added) await coolings.add(cooling('claude', ahead));
      expect(await coolings.all(now)).toEqual([cooling('claude', HOUR)]);
    });

    test('no date at all rests nobody', async () => {
      const coolings = open();
      await coolings.add({ ...cooling('claude', HOUR), until: new Date('soon') });
      expect(await coolings.all(now)).toEqual([]);
      await coolings.add(cooling('claude', HOUR));
      expect(await coolings.all(now)).toEqual([cooling('claude', HOUR)]);
    });
  });
}
