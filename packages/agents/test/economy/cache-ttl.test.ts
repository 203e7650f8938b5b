import { describe, expect, test } from 'vitest';
import { cacheTtl, type NextCall, nextCall, ttlOfCall } from '../../src/economy/cache-life.ts';
import { cacheRule } from '../../src/economy/cache-rules.ts';

const MINUTE = 60_000;
const CLAUDE = cacheRule('anthropic', 'claude-sonnet-4-6');

test.each<[number, NextCall]>([
  [0, 'soon'],
  [5 * MINUTE, 'soon'],
  [5 * MINUTE + 1, 'within-hour'],
  [60 * MINUTE, 'within-hour'],
  [60 * MINUTE + 1, 'later'],
])('a pause of %i ms is followed by a call that comes %s', (pause, expected) => {
  expect(nextCall(pause)).toBe(expected);
});

const S = 'soon' as const;
const H = 'within-hour' as const;
const L = 'later' as const;

describe('the lifetime that a call requests', () => {
  test.each<[string, 'auto' | '5m' | '1h', { next?: readonly NextCall[]; pause?: number | null }, '5m' | '1h']>([
    ['nothing is measured: pauses are assumed to be short', 'auto', {}, '5m'],
    ['this loop has a pause of ten minutes', 'auto', { pause: 10 * MINUTE }, '1h'],
    ['this loop has a pause of two minutes', 'auto', { pause: 2 * MINUTE }, '5m'],
    ['this loop has a pause of two hours', 'auto', { pause: 120 * MINUTE }, '5m'],
    ['a time that cannot be read', 'auto', { pause: Number.NaN }, '5m'],
    ['the first call after a loop of five rounds with pauses', 'auto', { next: [L, H, H, H, H] }, '1h'],
    ['the first call after a loop of three rounds with pauses', 'auto', { next: [L, H, H] }, '1h'],
    ['one loop with one pause is too little to know', 'auto', { next: [L, H] }, '5m'],
    ['two loops with one pause', 'auto', { next: [L, H, L, H] }, '1h'],
    ['three reviewers, five rounds', 'auto', { next: [L, L, L, H, H, H, H, H, H, H, H, H, H, H, H] }, '1h'],
    ['a loop without pauses', 'auto', { next: [L, S, S, S, S] }, '5m'],
    ['most reviews pass at once, so no session is resumed', 'auto', { next: [L, L, L, L, L, L, H] }, '5m'],
    ['pauses of hours: both caches expire', 'auto', { next: [L, L, L, L] }, '5m'],
    ['the last loops had no pauses, an earlier one had', 'auto', { next: [S, S, S, S, S, S, S, S, H, H, H] }, '5m'],
    ['the setting wins', '5m', { next: [H, H, H], pause: 10 * MINUTE }, '5m'],
    ['the setting wins over short pauses', '1h', { next: [S, S, S], pause: 0 }, '1h'],
  ])('%s', (_title, setting, { next = [], pause = null }, expected) => {
    expect(cacheTtl(setting, CLAUDE, { next, pauseMs: pause })).toBe(expected);
  });

  test('a provider without a choice is never asked for an hour', () => {
    expect(cacheTtl('auto', cacheRule('openai', 'gpt-5.5'), { next: [H, H, H], pauseMs: 10 * MINUTE })).toBe('5m');
  });

  // The expected price per token of context: writing now, and again for an hour if the cache expires in the pause.
  test('the choice is the cheaper one for every mix of calls', () => {
    for (let within = 0; within <= 20; within++) {
      const next = Array.from({ length: 20 }, (_, n): NextCall => (n < within ? H : L));
      // In this order, with older calls counting less, the first calls are the ones that count.
      const weights = next.map((is, n) => ({ is, weight: 0.9 ** n }));
      const total = weights.reduce((sum, { weight }) => sum + weight, 1);
      const chance = (weights.filter(({ is }) => is === H).reduce((sum, { weight }) => sum + weight, 0) + 0.2) / total;
      const price = { '5m': 1.25 + chance * 2, '1h': 2 + chance * 0.1 };
      expect(cacheTtl('auto', CLAUDE, { next, pauseMs: null })).toBe(price['1h'] < price['5m'] ? '1h' : '5m');
    }
  });
});

test.each([
  ['a session in the cache keeps its lifetime', 'auto', '5m', { cacheExpired: false, ttl: '1h' }, '1h'],
  ['an expired session gets the chosen one', 'auto', '5m', { cacheExpired: true, ttl: '1h' }, '5m'],
  ['a new session gets the chosen one', 'auto', '1h', null, '1h'],
  ['the setting wins', '5m', '5m', { cacheExpired: false, ttl: '1h' }, '5m'],
] as const)('%s', (_title, setting, chosenTtl, session, expectedTtl) => {
  const cache = { provider: 'anthropic', model: null, sentTokens: null, opening: null, resumed: null };
  const resumedSession = session && { cacheExpired: session.cacheExpired, cache: { ...cache, ttl: session.ttl } };
  expect(ttlOfCall(setting, chosenTtl, resumedSession)).toBe(expectedTtl);
});
