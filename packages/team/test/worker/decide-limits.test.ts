import type { AccountLimits } from '@onceover/agents/remote/types';
import { describe, expect, test } from 'vitest';
import { type AccountUse, decideAfterLimit, decideTake, limitEnd } from '../../src/worker/decide-limits.ts';

const NOW = new Date('2026-03-01T12:00:00Z');

const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);

const NO_LIMITS: AccountLimits = { callsAtOnce: null, callsPerMinute: null, tokensPerMinute: null };

const IDLE: AccountUse = { running: 0, started: [], ended: [], cooldownUntil: null };

describe('decideTake', () => {
  const rows: readonly [string, Partial<AccountLimits>, Partial<AccountUse>, string | null][] = [
    ['no limits', {}, { running: 100 }, null],
    ['a cooldown that is over', {}, { cooldownUntil: ago(1) }, null],
    ['a cooldown', {}, { cooldownUntil: ago(-90) }, 'cooldown in 90 s'],
    ['one call less than allowed at once', { callsAtOnce: 4 }, { running: 3 }, null],
    ['all calls allowed at once', { callsAtOnce: 4 }, { running: 4 }, 'at-once in 1 s'],
    ['one call a minute left', { callsPerMinute: 3 }, { started: [ago(50), ago(10)] }, null],
    ['no call a minute left', { callsPerMinute: 2 }, { started: [ago(50), ago(10)] }, 'calls in 10 s'],
    ['more calls than allowed', { callsPerMinute: 1 }, { started: [ago(50), ago(10)] }, 'calls in 50 s'],
    ['tokens left', { tokensPerMinute: 100 }, { ended: [{ at: ago(20), tokens: 99 }] }, null],
    [
      'no tokens left',
      { tokensPerMinute: 100 },
      {
        ended: [
          { at: ago(50), tokens: 500 },
          { at: ago(40), tokens: 60 },
          { at: ago(20), tokens: 50 },
        ],
      },
      'tokens in 20 s',
    ],
  ];
  test.each(rows)('%s', (_, limits, use, waitText) => {
    const decision = decideTake({ ...NO_LIMITS, ...limits }, { ...IDLE, ...use }, NOW);
    const decisionText =
      decision.kind === 'take' ? null : `${decision.why} in ${(decision.until.getTime() - NOW.getTime()) / 1000} s`;
    expect(decisionText).toBe(waitText);
  });
});

describe('after a limit', () => {
  test.each([
    ['the limit ends soon', 60, 0, 'put-back'],
    ['the limit lasts hours', 7200, 0, 'fail'],
    ['the limit lasts hours and another account can take the call', 7200, 1, 'put-back'],
  ] as const)('%s', (_, seconds, otherAccounts, outcome) => {
    expect(decideAfterLimit({ resetAt: ago(-seconds), otherAccounts }, NOW)).toBe(outcome);
  });

  test.each([
    ['an announced time', ago(-300), 300],
    ['no announced time', null, 60],
    ['a time in the past', ago(5), 60],
    ['a time in another year', new Date('2099-01-01T00:00:00Z'), 60],
  ])('%s', (_, resetAt, seconds) => {
    expect(limitEnd(resetAt, NOW)).toEqual(ago(-seconds));
  });
});
