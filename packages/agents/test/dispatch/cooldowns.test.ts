import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { openCooldowns, startCooldown } from '../../src/dispatch/cooldowns.ts';

const NOON = new Date('2026-03-01T12:00:00.000Z');
const GOOD = { agent: 'claude', until: '2026-03-01T15:00:00.000Z', said: 'try again at 3pm' };

/** A clone's folder with this text as the list. */
function folderWith(text: string): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'onceover'));
  writeFileSync(join(folder, 'onceover/cooling.json'), text);
  return folder;
}

test('another process reads the cooldown', async () => {
  const folder = temporaryFolder();
  await openCooldowns(folder).add({ ...GOOD, until: new Date(GOOD.until) });
  expect(await openCooldowns(folder).all(NOON)).toEqual([{ ...GOOD, until: new Date(GOOD.until) }]);
  expect(JSON.parse(readFileSync(join(folder, 'onceover/cooling.json'), 'utf8'))).toEqual([GOOD]);
});

test.each<[string, string, Date | null, number]>([
  ['until the announced time', 'rate limit', new Date(NOON.getTime() + 2000), 2],
  ['for a minute after a 429 that names no time', '429 Too Many Requests', null, 60],
  ['for an hour if the allowance is used up and no time is named', 'You have hit your usage limit.', null, 3600],
])('a cooldown lasts %s', async (_, message, resetAt, seconds) => {
  const cooldowns = openCooldowns(temporaryFolder());
  await startCooldown({ cooldowns, clock: { now: () => NOON } }, 'claude', { kind: 'limit', said: message, resetAt });
  expect(await cooldowns.all(NOON)).toMatchObject([{ until: new Date(NOON.getTime() + seconds * 1000) }]);
});

test.each<[string, unknown]>([
  ['null', null],
  ['a list', []],
  ['without an agent', { ...GOOD, agent: undefined }],
  ['with a number for an agent', { ...GOOD, agent: 1 }],
  ['with a number for a date', { ...GOOD, until: Date.parse(GOOD.until) }],
  ['with a date that is none', { ...GOOD, until: 'tomorrow' }],
  ['without what was said', { ...GOOD, said: null }],
])('an entry %s starts no cooldown, and the other entries count', async (_, entry) => {
  const folder = folderWith(JSON.stringify([entry, GOOD, entry]));
  expect(await openCooldowns(folder).all(NOON)).toEqual([{ ...GOOD, until: new Date(GOOD.until) }]);
  writeFileSync(join(folder, 'onceover/cooling.json'), JSON.stringify([entry]));
  expect(await openCooldowns(folder).all(NOON)).toEqual([]);
});

test.each(['', '{', 'null', JSON.stringify(GOOD), JSON.stringify({ 0: GOOD, length: 1 })])(
  'a broken list starts no cooldown, and the next entry repairs it: %j',
  async (text) => {
    const cooldowns = openCooldowns(folderWith(text));
    expect(await cooldowns.all(NOON)).toEqual([]);
    await cooldowns.add({ ...GOOD, until: new Date(GOOD.until) });
    expect(await cooldowns.all(NOON)).toHaveLength(1);
  },
);

test('keeps only the newest entries', async () => {
  const cooldowns = openCooldowns(
    folderWith(JSON.stringify(Array.from({ length: 100 }, () => ({ ...GOOD, agent: 'old' })))),
  );
  await cooldowns.add({ ...GOOD, until: new Date(GOOD.until) });
  expect((await cooldowns.all(NOON)).map((cooldown) => cooldown.agent)).toEqual(['old', 'claude']);
  const many = Array.from({ length: 99 }, () => ({ ...GOOD, agent: 'codex', until: new Date(GOOD.until) }));
  for (const cooldown of many) await cooldowns.add(cooldown);
  expect((await cooldowns.all(NOON)).map((cooldown) => cooldown.agent)).toEqual(['claude', 'codex']);
});

test.each(['onceover', 'onceover/cooling.json'])('nothing is read or written through a symlink at %s', async (path) => {
  const [folder, outside] = [temporaryFolder(), temporaryFolder()];
  if (path !== 'onceover') mkdirSync(join(folder, 'onceover'));
  writeFileSync(join(outside, 'cooling.json'), JSON.stringify([GOOD]));
  symlinkSync(path === 'onceover' ? outside : join(outside, 'cooling.json'), join(folder, path));
  expect(await openCooldowns(folder).all(NOON)).toEqual([]);
  const failure = { kind: 'path-in-the-way', path: join(folder, path), found: 'symlink' };
  expect(await openCooldowns(folder).add({ ...GOOD, until: NOON })).toEqual({ ok: false, failure });
  expect(readFileSync(join(outside, 'cooling.json'), 'utf8')).toBe(JSON.stringify([GOOD]));
});
