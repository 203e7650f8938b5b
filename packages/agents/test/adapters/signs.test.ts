import { describe, expect, test } from 'vitest';
import { errorFailure, resetTime } from '../../src/adapters/parse-output.ts';

const now = new Date('2026-03-01T12:00:00');

describe('what an error means', () => {
  test.each([
    ['API Error: Rate limit reached', null, 'limit'],
    ["You've hit your usage limit. Try again in 3 days 2 hours.", null, 'limit'],
    ['Your credit balance is too low to access the API', null, 'limit'],
    ['exceeded retry limit, last status: 429 Too Many Requests', null, 'limit'],
    ['Quota exceeded for quota metric', null, 'limit'],
    ['whatever', 429, 'limit'],
    ['Not logged in · Please run /login', null, 'not-logged-in'],
    ['Failed to authenticate. API Error: 401', null, 'not-logged-in'],
    ['unexpected status 401 Unauthorized', null, 'not-logged-in'],
    ['Missing environment variable: `OPENAI_API_KEY`', null, 'not-logged-in'],
    ['whatever', 403, 'not-logged-in'],
    ['Internal server error', 500, 'agent-error'],
    ['connection refused', null, 'unreachable'],
    ['Connection error.', null, 'unreachable'],
    ['connection lost (ECONNRESET)', null, 'agent-error'],
  ])('%s (%s) is %s', (message, status, kind) => {
    expect(errorFailure(message, status, now).kind).toBe(kind);
  });

  test('becomes one line of limited length', () => {
    const failure = errorFailure(`a\n  b ${'x'.repeat(1000)}`, null, now);
    expect(failure).toMatchObject({ said: expect.stringMatching(/^a b x+…$/) });
    expect('said' in failure && failure.said.length).toBeLessThan(420);
  });
});

test.each([
  ['Claude AI usage limit reached|1772373600', '2026-03-01T14:00:00.000Z'],
  ['resets 2026-03-02T08:30:00Z', '2026-03-02T08:30:00.000Z'],
  [
    'try again in 3 days 4 hours 5 minutes.',
    new Date(now.getTime() + (3 * 86400 + 4 * 3600 + 300) * 1000).toISOString(),
  ],
  ['Please retry in 33.5s.', new Date(now.getTime() + 33_500).toISOString()],
  ['Your quota will reset after 5h30m12s.', new Date(now.getTime() + (5 * 3600 + 30 * 60 + 12) * 1000).toISOString()],
  ['Your limit will reset at 3pm (Europe/Berlin)', new Date('2026-03-01T15:00:00').toISOString()],
  ['try again at 9:05 AM', new Date('2026-03-02T09:05:00').toISOString()],
  ['limit reached', null],
])('%s', (message, expected) => {
  expect(resetTime(message, now)?.toISOString() ?? null).toBe(expected);
});
