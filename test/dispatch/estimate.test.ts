import { describe, expect, test } from 'vitest';
import { costAfterCacheExpiry, estimateTokens } from '../../src/dispatch/decide-resume.ts';

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
  readonly lengths?: Partial<Parameters<typeof costAfterCacheExpiry>[1]>;
  readonly now?: string;
};

const SESSION: Session = {
  contextTokens: 2000,
  freshTokens: 1500,
  firstPromptLength: 4000,
  lastUsedAt: '2026-03-01T12:00:00.000Z',
  warmMinutes: 5,
};

function cost({ session = {}, lengths = {}, now = '2026-03-01T12:00:00.000Z' }: Given) {
  return costAfterCacheExpiry({ ...SESSION, ...session }, { delta: 400, fresh: 4000, ...lengths }, new Date(now));
}

describe('whether the cache has expired', () => {
  test.each<[string, Given, boolean]>([
    ['at once', {}, false],
    ['just before five minutes', { now: '2026-03-01T12:04:59.999Z' }, false],
    ['after five minutes', { now: '2026-03-01T12:05:00.000Z' }, true],
    ['after five minutes of an hour', { now: '2026-03-01T12:05:00.000Z', session: { warmMinutes: 60 } }, false],
    ['just before an hour', { now: '2026-03-01T12:59:59.999Z', session: { warmMinutes: 60 } }, false],
    ['after an hour', { now: '2026-03-01T13:00:00.000Z', session: { warmMinutes: 60 } }, true],
    ['a clock that went backwards', { now: '2026-03-01T11:59:59.000Z' }, true],
    ['a time that cannot be read', { session: { lastUsedAt: 'yesterday' } }, true],
  ])('%s', (_title, given, expected) => {
    expect(cost(given).cacheExpired).toBe(expected);
  });
});

describe('whether a new session is cheaper than a session with an expired cache', () => {
  test.each<[string, Given, boolean]>([
    ['the session has grown', {}, true],
    ['the session is shorter than a fresh look', { session: { contextTokens: 1000 } }, false],
    ['as dear as each other', { session: { contextTokens: 1400 } }, false],
    ['one token more in the session', { session: { contextTokens: 1401 } }, true],
    ['a longer delta', { session: { contextTokens: 1400 }, lengths: { delta: 404 } }, true],
    ['the change has grown since', { lengths: { fresh: 6400 } }, false],
    ['the change has shrunk since', { session: { contextTokens: 1400 }, lengths: { fresh: 3996 } }, true],
    ['nothing was measured: the delta comes on top', { session: { contextTokens: null, freshTokens: null } }, true],
    [
      'nothing was measured, and the change has grown by more than the delta',
      { session: { contextTokens: null, freshTokens: null }, lengths: { fresh: 4800 } },
      false,
    ],
  ])('%s', (_title, given, expected) => {
    expect(cost(given).freshIsCheaper).toBe(expected);
  });
});
