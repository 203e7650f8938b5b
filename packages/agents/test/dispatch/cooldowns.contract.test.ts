import { randomUUID } from 'node:crypto';
import type { Cooldown } from '@onceover/base/kernel/agent';
import type { Cooldowns } from '@onceover/base/kernel/ports';
import { teamStore } from '@onceover/store/store';
import { memoryCoolings } from '@onceover/testing/memory/coolings.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { newGitFolder, onPostgres } from '@onceover/testing/team-store.ts';
import { describe, expect, test } from 'vitest';
import { openCooldowns } from '../../src/dispatch/cooldowns.ts';
import { postgresCooldowns } from '../../src/dispatch/postgres-cooldowns.ts';

coolingsContract('in memory', memoryCoolings);
coolingsContract('on disk', () => openCooldowns(temporaryFolder()));
onPostgres(() => {
  // Cooldowns count for all repositories of a user, so each test has a user of its own.
  coolingsContract('on PostgreSQL', () => {
    const store = teamStore(newGitFolder());
    const cooldowns = store.then((connection) => postgresCooldowns({ ...connection, login: randomUUID() }));
    return {
      all: async (now) => (await cooldowns).all(now),
      add: async (cooldown) => (await cooldowns).add(cooldown),
      lift: async (now) => (await cooldowns).lift(now),
    };
  });
});

/** The contract of every implementation of Cooldowns. */
function coolingsContract(name: string, open: () => Cooldowns): void {
  const NOON = Date.parse('2026-03-01T12:00:00.000Z');
  const [HOUR, DAY] = [60 * 60_000, 24 * 60 * 60_000];
  const now = new Date(NOON);
  const cooling = (agent: string, ahead: number): Cooldown => ({
    agent,
    until: new Date(NOON + ahead),
    said: `resets in ${ahead} ms`,
  });

  describe(`cooldowns ${name}`, () => {
    test('no agent has a cooldown at first', async () => {
      expect(await open().all(now)).toEqual([]);
    });

    test('an agent that reached a limit has a cooldown until the limit ends', async () => {
      const cooldowns = open();
      expect(await cooldowns.add(cooling('claude', HOUR))).toEqual({ ok: true, value: undefined });
      await cooldowns.add(cooling('codex', 2 * HOUR));
      expect(await cooldowns.all(now)).toEqual([cooling('claude', HOUR), cooling('codex', 2 * HOUR)]);
      expect(await cooldowns.all(new Date(NOON + HOUR))).toEqual([cooling('codex', 2 * HOUR)]);
      expect(await cooldowns.all(new Date(NOON + 2 * HOUR))).toEqual([]);
    });

    test('all cooldowns can be lifted, and later ones count again', async () => {
      const cooldowns = open();
      expect(await cooldowns.lift(now)).toEqual({ ok: true, value: [] });
      await cooldowns.add(cooling('claude', HOUR));
      await cooldowns.add(cooling('codex', -HOUR));
      expect(await cooldowns.lift(now)).toEqual({ ok: true, value: [cooling('claude', HOUR)] });
      expect(await cooldowns.all(now)).toEqual([]);
      await cooldowns.add(cooling('claude', HOUR));
      expect(await cooldowns.all(now)).toEqual([cooling('claude', HOUR)]);
    });

    test.each([
      [[HOUR, 2 * HOUR], 2 * HOUR],
      [[2 * HOUR, HOUR], 2 * HOUR],
      [[HOUR, 3 * HOUR, 2 * HOUR], 3 * HOUR],
      [[HOUR, HOUR], HOUR],
    ])('of %j the latest counts', async (durations, latest) => {
      const cooldowns = open();
      for (const ahead of durations) await cooldowns.add(cooling('claude', ahead));
      expect(await cooldowns.all(now)).toEqual([cooling('claude', latest)]);
    });

    test.each([
      ['31 days', 31 * DAY, true],
      ['31 days and a moment', 31 * DAY + 1, false],
      ['a thousand years', 365_000 * DAY, false],
      ['no time', 0, false],
      ['less than no time', -HOUR, false],
    ])('a limit of %s', async (_, ahead, counts) => {
      const cooldowns = open();
      await cooldowns.add(cooling('claude', ahead));
      expect(await cooldowns.all(now)).toEqual(counts ? [cooling('claude', ahead)] : []);
    });

    test.each([
      ['before', [365_000 * DAY, HOUR]],
      ['after', [HOUR, 365_000 * DAY]],
    ])('an implausible date that comes %s a plausible one does not hide it', async (_, durations) => {
      const cooldowns = open();
      for (const ahead of durations) await cooldowns.add(cooling('claude', ahead));
      expect(await cooldowns.all(now)).toEqual([cooling('claude', HOUR)]);
    });

    test('an entry without a date starts no cooldown', async () => {
      const cooldowns = open();
      await cooldowns.add({ ...cooling('claude', HOUR), until: new Date('soon') });
      expect(await cooldowns.all(now)).toEqual([]);
      await cooldowns.add(cooling('claude', HOUR));
      expect(await cooldowns.all(now)).toEqual([cooling('claude', HOUR)]);
    });
  });
}
