import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorktreePaths } from '@onceover/base/kernel/repository';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { snooze } from '../../src/stop-hook/check-gates.ts';
import type { Blocks, StopMemory } from '../../src/stop-hook/decide.ts';
import { checksum, readMemory, snoozedUntil, withSession, writeMemory } from '../../src/stop-hook/memory.ts';

const EMPTY: StopMemory = { judged: null, awaited: null, sessions: {} };
const BLOCKS: Blocks = { count: 2, open: ['F1'], waits: 1 };
const WHOLE: StopMemory = {
  judged: {
    index: 'i',
    print: 'p',
    traces: { '/a': '1 2' },
    verdict: { kind: 'fails', open: ['F1'], proposed: [], reason: 'fix it' },
  },
  awaited: { run: 'run-1', print: 'p' },
  sessions: { 'session S1': BLOCKS },
};

function spotIn(commonDir = temporaryFolder(), root = '/work'): WorktreePaths {
  return { root, gitDir: commonDir, commonDir };
}

/** Returns the file with the memory of a worktree. */
function fileOf(spot: WorktreePaths): string {
  writeMemory(spot, EMPTY);
  const folder = join(spot.commonDir, 'onceover/hook');
  return join(folder, readdirSync(folder).filter((name) => name.endsWith('.json'))[0] ?? '');
}

/** Returns the same change of the file, with the checksum of the changed text. */
const resealed = (change: (text: string) => string) => (whole: string) => {
  const text = change(whole.split('\n')[1] ?? '');
  return `${checksum(text)}\n${text}`;
};

describe('the memory of stops', () => {
  test.each<[string, StopMemory]>([
    ['nothing', EMPTY],
    ['everything', WHOLE],
    ['a tree that holds', { ...EMPTY, judged: { index: 'i', print: 'p', traces: {}, verdict: { kind: 'holds' } } }],
    [
      'what could not be judged',
      { ...EMPTY, judged: { index: 'i', print: 'p', traces: {}, verdict: { kind: 'unjudged', why: 'x' } } },
    ],
  ])('is read as it was written: %s', (_title, memory) => {
    const spot = spotIn();
    expect(readMemory(spot)).toEqual(EMPTY);
    expect(writeMemory(spot, memory)).toBe(true);
    expect(readMemory(spot)).toEqual(memory);
    expect(readdirSync(join(spot.commonDir, 'onceover/hook'))).toHaveLength(1);
  });

  test('belongs to one worktree', () => {
    const spot = spotIn();
    writeMemory(spot, WHOLE);
    expect(readMemory(spotIn(spot.commonDir, '/other'))).toEqual(EMPTY);
    const linked = { ...spot, root: '/linked', gitDir: join(spot.commonDir, 'worktrees/linked') };
    expect(readMemory(linked)).toEqual(EMPTY);
    writeMemory(linked, EMPTY);
    expect(readMemory(spot)).toEqual(WHOLE);
  });

  test('keeps the newest twenty sessions', () => {
    const spot = spotIn();
    let memory = EMPTY;
    for (let n = 0; n < 30; n++) memory = withSession(memory, `session ${n}`, BLOCKS);
    memory = withSession(memory, 'session 12', BLOCKS);
    writeMemory(spot, memory);
    const kept = Object.keys(readMemory(spot).sessions);
    expect([kept.length, kept.at(0), kept.at(-1), kept.includes('session 11')]).toEqual([
      20,
      'session 10',
      'session 12',
      true,
    ]);
  });

  test('forgets a session without blocks', () => {
    expect(withSession(WHOLE, 'session S1', null).sessions).toEqual({});
  });

  test.each<[string, (text: string) => string]>([
    ['empty', () => ''],
    ['cut off', (text) => text.slice(0, text.length / 2)],
    ['no JSON', () => 'x'],
    ['null', () => 'null'],
    ['a list', () => '[]'],
    ['of another version', resealed((text) => text.replace(/"version":"[^"]*"/, '"version":"0"'))],
    ['without a version', resealed((text) => text.replace(/"version":"[^"]*",/, ''))],
    ['without a checksum', (text) => text.replace(/^.*\n/, '')],
    ['not JSON, with a right checksum', resealed(() => 'x')],
    ['null, with a right checksum', resealed(() => 'null')],
    ['changed to a pass', (text) => text.replace('"kind":"fails"', '"kind":"holds"')],
    ['followed by another line', (text) => `${text}\n`],
    ['without sessions', (text) => text.replace('"sessions"', '"others"')],
    ['of a working tree that was moved', resealed((text) => text.replace('"/work"', '"/elsewhere"'))],
    ['with a list of sessions', (text) => text.replace(/"sessions":\{.*\}\}\}?/, '"sessions":[]}')],
    ['with a session without a count', (text) => text.replace('"count":2', '"count":"2"')],
    ['with a count below zero', (text) => text.replace('"count":2', '"count":-2')],
    ['with a count that is none', (text) => text.replace('"count":2', '"count":1.5')],
    ['without waits', (text) => text.replace(',"waits":1', '')],
    ['with open that is no list', (text) => text.replace('"open":["F1"],"waits"', '"open":"F1","waits"')],
    ['without an index', (text) => text.replace('"index":"i",', '')],
    ['without a print', (text) => text.replace('"print":"p","traces"', '"traces"')],
    ['with traces that are none', (text) => text.replace('{"/a":"1 2"}', '{"/a":1}')],
    ['with a list of traces', (text) => text.replace('{"/a":"1 2"}', '[]')],
    ['without a verdict', (text) => text.replace('"verdict"', '"v"')],
    ['with another kind of verdict', (text) => text.replace('"kind":"fails"', '"kind":"running"')],
    ['with a verdict without a reason', (text) => text.replace('"reason":"fix it"', '"reason":null')],
    ['with open findings that are none', (text) => text.replace('"open":["F1"],"proposed"', '"open":[1],"proposed"')],
    ['without what is waited for', (text) => text.replace('"awaited"', '"a"')],
    ['with a run that is none', (text) => text.replace('"run-1"', '7')],
    ['too large', (text) => text + ' '.repeat(5 * 1024 * 1024)],
  ])('a file that is %s is no memory', (_title, damage) => {
    const spot = spotIn();
    writeMemory(spot, WHOLE);
    const path = fileOf(spotIn(spot.commonDir, '/work'));
    writeMemory(spot, WHOLE);
    const text = readFileSync(path, 'utf8');
    expect(damage(text)).not.toBe(text);
    writeFileSync(path, damage(text));
    expect(readMemory(spot)).toEqual(EMPTY);
    expect(writeMemory(spot, WHOLE)).toBe(true);
    expect(readMemory(spot)).toEqual(WHOLE);
  });

  test('drops a verdict that is too long, and keeps the count', () => {
    const spot = spotIn();
    const traces = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`/${'x'.repeat(80)}${n}`, '1']));
    writeMemory(spot, { ...WHOLE, judged: { index: 'i', print: 'p', traces, verdict: { kind: 'holds' } } });
    expect(readMemory(spot)).toEqual({ ...WHOLE, judged: null });
  });

  test.each(['onceover', 'onceover/hook'])('does not write through a symlink at %s', (path) => {
    const [spot, outside] = [spotIn(), temporaryFolder()];
    mkdirSync(join(spot.commonDir, path, '..'), { recursive: true });
    symlinkSync(outside, join(spot.commonDir, path));
    expect(writeMemory(spot, WHOLE)).toBe(false);
    expect(readdirSync(outside)).toEqual([]);
  });

  test('replaces a symlink in place of the file, and does not read it', () => {
    const [spot, outside] = [spotIn(), join(temporaryFolder(), 'mine')];
    const path = fileOf(spot);
    writeMemory(spot, WHOLE);
    writeFileSync(outside, readFileSync(path));
    const other = spotIn();
    mkdirSync(join(other.commonDir, 'onceover/hook'), { recursive: true });
    symlinkSync(outside, path.replace(spot.commonDir, other.commonDir));
    expect(readMemory(other)).toEqual(EMPTY);
    const before = readFileSync(outside, 'utf8');
    expect(writeMemory(other, EMPTY)).toBe(true);
    expect(readFileSync(outside, 'utf8')).toBe(before);
  });

  test.each(['onceover', 'onceover/hook'])('reports that a file at %s prevents writing', (path) => {
    const spot = spotIn();
    mkdirSync(join(spot.commonDir, path, '..'), { recursive: true });
    writeFileSync(join(spot.commonDir, path), '');
    expect(writeMemory(spot, WHOLE)).toBe(false);
    expect(readMemory(spot)).toEqual(EMPTY);
  });
});

/** Returns the end of a snooze. */
function snoozed(result: ReturnType<typeof snooze>): number {
  if (!result.ok || result.value === null) throw new Error('not snoozed');
  return result.value.getTime();
}

describe('a snoozed hook', () => {
  test('is snoozed until the given time and not longer', () => {
    const spot = spotIn();
    expect(snoozedUntil(spot, 0)).toBeNull();
    const begun = Date.now();
    const end = snoozed(snooze(spot, 1));
    expect(end - begun).toBeGreaterThanOrEqual(60_000);
    expect([end - 1, end, end + 1].map((now) => snoozedUntil(spot, now))).toEqual([end, null, null]);
    const later = snoozed(snooze(spot, 5));
    expect(later - end).toBeGreaterThanOrEqual(240_000);
    expect(snoozedUntil(spot, end + 1)).toBe(later);
    expect(snooze(spot, 0)).toEqual({ ok: true, value: null });
    expect(snoozedUntil(spot, 0)).toBeNull();
    expect(snooze(spot, 0)).toEqual({ ok: true, value: null });
  });

  test.each(['', 'soon', 'NaN', 'Infinity', '-1', '{}'])('a snooze file with %j has no effect', (text) => {
    const spot = spotIn();
    snooze(spot, 1);
    writeFileSync(join(spot.commonDir, 'onceover/hook/snoozed'), text);
    expect(snoozedUntil(spot, 0)).toBeNull();
  });

  test('does not write through a symlink in place of the snooze file', () => {
    const [spot, outside] = [spotIn(), join(temporaryFolder(), 'mine')];
    mkdirSync(join(spot.commonDir, 'onceover/hook'), { recursive: true });
    writeFileSync(outside, 'mine');
    symlinkSync(outside, join(spot.commonDir, 'onceover/hook/snoozed'));
    expect(snooze(spot, 1)).toMatchObject({ ok: false });
    expect(readFileSync(outside, 'utf8')).toBe('mine');
  });
});
