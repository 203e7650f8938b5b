import type { SessionCache } from '@onceover/base/kernel/agent';
import { estimateTokens } from '@onceover/base/kernel/agent';
import { describe, expect, test } from 'vitest';
import { NO_CACHE_HISTORY } from '../../src/economy/cache-life.ts';
import { decideDispatch } from '../../src/economy/resume.ts';
import { costAfterCacheExpiry } from '../../src/economy/session-cost.ts';
import { openingOnce, sessionUse } from '../../src/economy/session-use.ts';

test.each([
  [0, 0],
  [1, 1],
  [4, 1],
  [5, 2],
])('%i characters are about %i tokens', (characters, tokens) => {
  expect(estimateTokens(characters)).toBe(tokens);
});

type Session = Parameters<typeof costAfterCacheExpiry>[0];
type Given = {
  readonly session?: Partial<Session>;
  readonly cache?: Partial<SessionCache>;
  readonly lengths?: Partial<Parameters<typeof costAfterCacheExpiry>[1]>;
  readonly now?: string;
  readonly ttl?: '5m' | '1h';
  readonly seen?: Parameters<typeof costAfterCacheExpiry>[2]['history']['seen'];
};

const SESSION: Session = {
  agent: 'claude',
  contextTokens: 2000,
  freshTokens: 1500,
  firstPromptLength: 4000,
  lastUsedAt: '2026-03-01T12:00:00.000Z',
  warmMinutes: 5,
};

const CACHE: SessionCache = {
  provider: 'anthropic',
  model: 'claude-sonnet-4-6',
  ttl: '5m',
  sentTokens: null,
  opening: null,
  resumed: null,
};

function cost({ session, cache, lengths, now = '2026-03-01T12:00:00.000Z', ttl = '5m', seen = [] }: Given) {
  return costAfterCacheExpiry(
    { ...SESSION, ...session, ...(cache === undefined ? {} : { cache: { ...CACHE, ...cache } }) },
    { delta: 400, fresh: 4000, ...lengths },
    { now: new Date(now), ttl, history: { seen } },
  );
}

describe('whether the cache has expired', () => {
  test.each<[string, Given, boolean]>([
    ['at once', {}, false],
    ['just before five minutes', { now: '2026-03-01T12:04:59.999Z' }, false],
    ['after five minutes', { now: '2026-03-01T12:05:00.000Z' }, true],
    ['after five minutes of an hour', { now: '2026-03-01T12:05:00.000Z', cache: { ttl: '1h' } }, false],
    ['an older record', { now: '2026-03-01T12:05:00.000Z', session: { warmMinutes: 60 } }, false],
    ['just before an hour', { now: '2026-03-01T12:59:59.999Z', cache: { ttl: '1h' } }, false],
    ['after an hour', { now: '2026-03-01T13:00:00.000Z', cache: { ttl: '1h' } }, true],
    ['GPT-5.5, 40 minutes', { now: '2026-03-01T12:40:00.000Z', cache: { model: 'gpt-5.5' } }, false],
    ['GPT-5.5, 25 hours', { now: '2026-03-02T13:00:00.000Z', cache: { model: 'gpt-5.5' } }, true],
    ['GPT-5.6, 40 minutes', { now: '2026-03-01T12:40:00.000Z', cache: { model: 'gpt-5.6-sol' } }, true],
    ['a clock that went backwards', { now: '2026-03-01T11:59:59.000Z' }, true],
    ['a time that cannot be read', { session: { lastUsedAt: 'yesterday' } }, true],
  ])('%s', (_title, situation, expected) => {
    expect(cost(situation).cacheExpired).toBe(expected);
  });

  const measuredHit = { idleMs: 60 * 60_000, hit: true, at: '2026-02-28T12:00:00.000Z', ttl: '5m' } as const;
  test.each<[string, { agent: string; model: string; ttl?: '1h' }, boolean, 'table' | 'measured']>([
    ['of the same agent and model', { agent: 'claude', model: 'claude-sonnet-4-6' }, false, 'measured'],
    ['of another model', { agent: 'claude', model: 'claude-opus-4-8' }, true, 'table'],
    ['of another agent', { agent: 'opencode', model: 'claude-sonnet-4-6' }, true, 'table'],
    ['of the one-hour cache', { agent: 'claude', model: 'claude-sonnet-4-6', ttl: '1h' }, true, 'table'],
  ])('a hit after an hour, %s', (_title, details, isExpired, from) => {
    const { cacheExpired, note } = cost({
      now: '2026-03-01T12:40:00.000Z',
      cache: {},
      seen: [{ ...measuredHit, ...details }],
    });
    expect([cacheExpired, note.lifeFrom]).toEqual([isExpired, from]);
  });
});

describe('whether a new session is cheaper than a session with an expired cache', () => {
  const opening = { uncached: 1500, cached: 0, shared: 0, requests: 1 };
  test.each<[string, Given, boolean]>([
    ['nothing was measured about requests: the session has grown', {}, true],
    ['the session is shorter than a new one', { session: { contextTokens: 1000 } }, false],
    ['as dear as each other', { session: { contextTokens: 1400 } }, false],
    ['one token more in the session', { session: { contextTokens: 1401 } }, true],
    ['a longer delta', { session: { contextTokens: 1400 }, lengths: { delta: 404 } }, true],
    ['the change has grown since', { lengths: { fresh: 6400 } }, false],
    ['the change has shrunk since', { session: { contextTokens: 1400 }, lengths: { fresh: 3996 } }, true],
    ['no usage: the delta comes on top', { session: { contextTokens: null, freshTokens: null } }, true],
    ['one request, no file opened', { cache: { opening } }, true],
    ['eight files opened in nine requests', { cache: { opening: { ...opening, cached: 12_000, requests: 9 } } }, false],
    [
      'eight files opened, but a resumed call opens as many',
      {
        cache: {
          opening: { ...opening, cached: 12_000, requests: 9 },
          resumed: { requests: 9, added: 1000 },
        },
      },
      true,
    ],
    [
      'written for an hour, the reads of a new session weigh less',
      { ttl: '1h', cache: { opening: { ...opening, cached: 12_000, requests: 9 } } },
      true,
    ],
  ])('%s', (_title, situation, expected) => {
    expect(cost(situation).freshIsCheaper).toBe(expected);
  });
});

/** Three reviewers, as Claude Code measured them in round 1: the first one wrote the shared start of 11,000 tokens. */
const FILES = 2100;
const reviewer = (opens: number, isFirst: boolean) => {
  const [start, sentTokens] = [11_000, 12_500 + opens * FILES];
  const reads = Array.from({ length: opens }, (_, n) => 12_500 + n * FILES).reduce((sum, tokens) => sum + tokens, 0);
  const uncachedTokens = isFirst ? sentTokens : sentTokens - start;
  const cachedTokens = reads + (isFirst ? 0 : start);
  return sessionUse(null, {
    usage: {
      inputTokens: 0,
      cacheWriteTokens: uncachedTokens,
      cachedInputTokens: cachedTokens,
      outputTokens: 200,
      costUsd: null,
    },
    sessionUsage: null,
    requests: { count: opens + 1, firstRead: isFirst ? 0 : start, lastSent: sentTokens, lastOutput: 200 },
    at: new Date('2026-03-01T12:00:00.000Z'),
    ttl: '5m',
    provider: 'anthropic',
    model: 'claude-sonnet-4-6',
    promptLength: 0,
  });
};

describe('ten minutes later, three reviewers whose prompts share a start', () => {
  const sharedStart = { reviewers: 3, tokens: 11_000 };
  const lengths = { delta: 2000, fresh: 46_000, shared: { fresh: sharedStart, resumed: sharedStart } };
  test.each<[string, number, boolean, boolean]>([
    ['few files, the first reviewer', 2, true, true],
    ['few files, another reviewer', 2, false, true],
    ['many files, the first reviewer', 8, true, false],
    ['many files, another reviewer', 8, false, false],
  ])('%s', (_title, opens, isFirst, freshIsCheaper) => {
    const session = { ...SESSION, firstPromptLength: 46_000, ...reviewer(opens, isFirst) };
    const end = cost({ session, lengths, now: '2026-03-01T12:10:00.000Z', ttl: '1h' });
    expect([end.cacheExpired, end.freshIsCheaper]).toEqual([true, freshIsCheaper]);
  });
});

test('the context of a session includes what came from the cache', () => {
  expect(reviewer(2, false).contextTokens).toBe(reviewer(2, true).contextTokens);
});

describe('a session of Codex, which reports only sums', () => {
  const call = (inputTokens: number, cachedInputTokens: number, count: number) => ({
    usage: { inputTokens, cachedInputTokens, cacheWriteTokens: 0, outputTokens: 100, costUsd: null },
    sessionUsage: null,
    requests: { count, firstRead: null, lastSent: null, lastOutput: null },
    at: new Date('2026-03-01T12:00:00.000Z'),
    ttl: '5m' as const,
    provider: 'openai',
    model: 'gpt-5.5',
    promptLength: 2000,
  });
  const first = sessionUse(null, call(20_000, 60_000, 5));
  test('a new session has as many tokens as it did not read from the cache', () => {
    expect(first.contextTokens).toBe(20_100);
  });
  test('a resumed session that was cached adds what is new', () => {
    expect(sessionUse(first, call(1500, 40_000, 2)).contextTokens).toBe(21_700);
  });
  test('a resumed session that had expired shows its whole context, which is not added a second time', () => {
    expect(sessionUse(first, call(21_500, 21_000, 2)).contextTokens).toBe(21_600);
  });
  test('no request can be longer than the average says', () => {
    expect(sessionUse(null, call(1000, 60_000, 2)).contextTokens).toBe(30_550);
  });
});

// Weighted tokens of five rounds, 40 minutes apart, with GPT-5.5: plain resuming against a new session in each round.
test.each([
  ['many files', 8, 356_755, 999_104],
  ['few files', 2, 196_506, 394_347],
])('an OpenAI model with a cache of 24 hours is resumed after 40 minutes: %s', (_title, opens, resuming, renewing) => {
  const requests = { count: opens + 1, firstRead: null, lastSent: null, lastOutput: null };
  // One of five new sessions of three reviewers; the rounds of a resumed one cost the rest of the total.
  const perReview = renewing / 15;
  const session = {
    ...SESSION,
    agent: 'codex',
    ...sessionUse(null, {
      usage: {
        inputTokens: Math.round(perReview * 0.7),
        cachedInputTokens: Math.round(perReview * 3),
        cacheWriteTokens: 0,
        outputTokens: 200,
        costUsd: null,
      },
      ...{ sessionUsage: null, requests, at: new Date(SESSION.lastUsedAt), ttl: '5m', promptLength: 40_000 },
      ...{ provider: 'openai', model: 'gpt-5.5' },
    }),
  };
  const at = { now: new Date('2026-03-01T12:40:00.000Z'), ttl: '5m', history: NO_CACHE_HISTORY } as const;
  const cacheCost = costAfterCacheExpiry(session, { delta: 2000, fresh: 4000 }, at);
  expect(cacheCost).toMatchObject({ cacheExpired: false, note: { lifeMinutes: 1440, lifeFrom: 'table' } });
  const now = { agent: 'codex', model: null, version: '1', toolsDigest: 't' };
  const plan = decideDispatch({
    ...{ who: 'reviewer', wanted: 'any', now, canResume: true, lost: null, isFinalValidation: false, changed: true },
    ...{
      session: { ...now, id: 's', saw: 'tree' as never, firstPromptLength: 40_000 },
      cost: cacheCost,
      deltaLength: 2000,
    },
  });
  expect(plan).toMatchObject({ kind: 'resumed', why: 'delta' });
  expect(resuming).toBeLessThan(renewing);
});

test.each([
  ['nothing again', 0, { uncached: 21_000, cached: 200_000 }],
  ['half of its files again', 0.5, { uncached: 11_000, cached: 115_000 }],
  // Its own prompt and the reading are left.
  ['all its files again', 1, { uncached: 1000, cached: 30_000 }],
])('the opening of a fork that opened %s counts each file once', (_, again, expected) => {
  const opening = { uncached: 21_000, cached: 200_000, shared: 30_000, requests: 9 };
  expect(openingOnce(opening, { again, promptLength: 4000 })).toEqual({ ...opening, ...expected });
});
