import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cacheLife } from '../../src/economy/cache-life.ts';
import { CACHE_RULES, cacheRule, OTHER_CACHE } from '../../src/economy/cache-rules.ts';
import { judgeHit } from '../../src/economy/session-use.ts';

const MINUTE = 60_000;
const DAY = 24 * 60;
const NOW = new Date('2026-11-18T12:00:00.000Z');

describe('the rule of a model', () => {
  test.each<[string | null, string | null, string, number]>([
    ['anthropic', 'claude-sonnet-5-5', 'Opus 5.5, Sonnet 5.5', 5],
    ['anthropic', 'claude-opus-5', 'Haiku 5.5, Opus 5, Fable 5, Mythos 5', 5],
    ['anthropic', 'claude-sonnet-4-6', 'other Claude models', 5],
    ['anthropic', 'claude-opus-4-5-20251101', 'Opus 4.6 and 4.5, Haiku 4.5', 5],
    ['anthropic', null, 'other Claude models', 5],
    ['openai', 'gpt-5.5', 'GPT-5 to 5.5', DAY],
    ['openai', 'gpt-5', 'GPT-5 to 5.5', DAY],
    ['openai', 'gpt-5.3-codex', 'GPT-5 to 5.5', DAY],
    ['openai', 'gpt-5.6-sol', 'GPT-5.6 and later', 30],
    ['openai', 'gpt-5.10', 'GPT-5.6 and later', 30],
    ['openai', 'gpt-6-luna', 'GPT-5.6 and later', 30],
    ['openai', 'gpt-6.1-sol', 'GPT-6.1', 30],
    ['openai', null, 'other OpenAI models', 30],
    ['openai', 'my-deployment', 'other OpenAI models', 30],
    ['google', 'gemini-3.1-pro', 'Gemini models (implicit cache)', 5],
    ['in-model', 'openai/gpt-5.5', 'GPT-5 to 5.5', DAY],
    ['in-model', 'sim/claude-sonnet-5-5', 'Opus 5.5, Sonnet 5.5', 5],
    ['in-model', 'other/some-model', OTHER_CACHE.models, 5],
    [null, null, OTHER_CACHE.models, 5],
  ])('%s, %s: %s', (provider, model, models, minutes) => {
    const rule = cacheRule(provider, model);
    expect([rule.models, rule.lifeMinutes['5m']]).toEqual([models, minutes]);
  });

  test('every rule has a date, a source, and prices that make sense', () => {
    for (const rule of [...CACHE_RULES, OTHER_CACHE]) {
      expect(rule.date).toMatch(/^2026-\d\d-\d\d$/);
      expect(rule.source.length).toBeGreaterThan(10);
      expect(rule.read).toBeLessThan(rule.write['5m']);
      expect(rule.write['1h']).toBeGreaterThanOrEqual(rule.write['5m']);
      expect(rule.lifeMinutes['1h']).toBeGreaterThanOrEqual(rule.lifeMinutes['5m']);
    }
  });
});

/** A resumed call after a pause of some minutes; `days` ago. */
const observation = (minutes: number, isHit: boolean, days = 0) => ({
  model: null,
  ttl: '5m' as const,
  idleMs: minutes * MINUTE,
  hit: isHit,
  at: new Date(NOW.getTime() - days * DAY * MINUTE).toISOString(),
});

describe('how long the cache lives', () => {
  test.each<[string, number, ReturnType<typeof observation>[], number, 'table' | 'measured']>([
    ['nothing is measured', 30, [], 30, 'table'],
    ['a hit within the time of the table', 30, [observation(20, true)], 30, 'table'],
    ['a hit although the table says expired', 30, [observation(40, true)], 41, 'measured'],
    [
      'the longest hit counts',
      30,
      [observation(40, true), observation(90, true), observation(50, true)],
      91,
      'measured',
    ],
    ['a hit after two days: at most 24 hours', 30, [observation(2 * DAY, true)], DAY, 'measured'],
    ['a miss although the table says cached: one proves nothing', 30, [observation(20, false)], 30, 'table'],
    [
      'two misses in a row shorten the time to half of the pause',
      30,
      [observation(20, false), observation(20, false)],
      10,
      'measured',
    ],
    [
      'but not below a hit',
      30,
      [observation(16, true), observation(20, false), observation(20, false)],
      16,
      'measured',
    ],
    [
      'a hit between two misses',
      30,
      [observation(20, false), observation(22, true), observation(20, false)],
      30,
      'table',
    ],
    ['a miss after the table says expired', 30, [observation(40, false), observation(50, false)], 30, 'table'],
    [
      'shortened, then a longer hit',
      30,
      [observation(20, false), observation(20, false), observation(25, true)],
      26,
      'measured',
    ],
    [
      'lengthened, then two misses',
      30,
      [observation(60, true), observation(50, false), observation(50, false)],
      25,
      'measured',
    ],
    [
      'never below a minute',
      5,
      [observation(1, false), observation(1, false), observation(1, false), observation(1, false)],
      1,
      'measured',
    ],
    ['measurements older than two weeks are ignored', 30, [observation(40, true, 15)], 30, 'table'],
    ['a measurement from the future is ignored', 30, [observation(40, true, -1)], 30, 'table'],
  ])('%s', (_title, table, list, minutes, from) => {
    expect(cacheLife(table, list, NOW)).toEqual({ minutes, from });
  });

  test('stays within its limits, whatever is measured', () => {
    const anyObservation = fc.record({ minutes: fc.double({ min: 0, max: 5000, noNaN: true }), hit: fc.boolean() });
    fc.assert(
      fc.property(fc.constantFrom(5, 30, 60, DAY), fc.array(anyObservation), (table, list) => {
        const { minutes } = cacheLife(
          table,
          list.map(({ minutes: idle, hit }) => observation(idle, hit)),
          NOW,
        );
        expect(minutes).toBeGreaterThanOrEqual(1);
        expect(minutes).toBeLessThanOrEqual(DAY);
      }),
    );
  });
});

describe('whether a resumed session was still cached', () => {
  const usage = (inputTokens: number, cachedInputTokens: number, cacheWriteTokens = 0) => {
    return { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens: 100, costUsd: null };
  };
  const requests = (firstRead: number | null) => ({ count: 2, firstRead, lastSent: null, lastOutput: null });
  const session = (sentTokens: number | null, contextTokens: number | null, model = 'claude-sonnet-4-6') => ({
    contextTokens,
    cache: { provider: null, model, ttl: '5m' as const, sentTokens, opening: null, resumed: null },
  });
  test.each<[string, Parameters<typeof judgeHit>, boolean | null]>([
    ['read as a whole', [session(20_000, 20_100), { usage: null, requests: requests(20_000) }], true],
    ['nothing read', [session(20_000, 20_100), { usage: null, requests: requests(0) }], false],
    [
      'only the start that a sibling wrote',
      [session(20_000, 20_100), { usage: null, requests: requests(15_000) }],
      false,
    ],
    ['OpenAI reads in steps', [session(20_000, 20_100, 'gpt-5.5'), { usage: null, requests: requests(18_432) }], true],
    ['too short to be cached', [session(600, 700), { usage: null, requests: requests(0) }], null],
    ['sum of the call: little is new', [session(null, 20_000), { usage: usage(2000, 40_000), requests: null }], true],
    ['sum of the call: all is new', [session(null, 20_000), { usage: usage(21_000, 20_000), requests: null }], false],
    ['sum of the call: unclear', [session(null, 20_000), { usage: usage(14_000, 40_000), requests: null }], null],
    ['written to the cache again', [session(null, 20_000), { usage: usage(0, 0, 20_500), requests: null }], false],
    ['no usage', [session(20_000, 20_000), { usage: null, requests: null }], null],
    ['an older record', [{ contextTokens: null }, { usage: usage(1, 1), requests: null }], null],
  ])('%s', (_title, args, expected) => {
    expect(judgeHit(...args)).toBe(expected);
  });
});
