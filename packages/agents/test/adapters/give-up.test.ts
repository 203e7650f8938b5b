import type { AgentFailure } from '@onceover/base/kernel/agent';
import { describe, expect, test } from 'vitest';
import { type AgentEvents, NO_EVENTS } from '../../src/adapters/agent.ts';
import { giveUpAt } from '../../src/adapters/call-agent.ts';
import { loadAgents } from '../../src/adapters/table.ts';

const AGENTS = await loadAgents();
const NOW = new Date('2026-01-01T00:00:00Z');
const UNREACHABLE: AgentFailure = { kind: 'unreachable', said: 'Connection failed' };
const ERROR: AgentFailure = { kind: 'agent-error', said: '503' };
const AT = { progressAt: 1000, troubleAt: 30_000 };

test.each<[string, Partial<AgentEvents>, number | undefined, number | null]>([
  ['never without an error', {}, undefined, null],
  ['20 s after the first error', { trouble: ERROR, retries: 1, retriesInARow: 1 }, undefined, 50_000],
  ['20 s after the last progress, if it cannot connect', { trouble: UNREACHABLE, retriesInARow: 1 }, undefined, 21_000],
  ['at the third error in a row', { trouble: ERROR, retriesInARow: 3 }, undefined, 30_000],
  ['at the first retry too many of the review', { trouble: ERROR, retries: 2, retriesInARow: 1 }, 1, 30_000],
  [
    '20 s after the end of a limit that it waits for',
    { trouble: { kind: 'limit', said: '429', resetAt: new Date(90_000) }, retriesInARow: 1 },
    undefined,
    110_000,
  ],
])('gives up %s', (_, events, mostRetries, expected) => {
  expect(giveUpAt({ ...NO_EVENTS, ...events }, AT, mostRetries)).toBe(expected);
});

/** The lines that the real agents printed when they could not connect, or when an answer was cut off. */
const SEEN = {
  claude:
    '{"type":"system","subtype":"api_retry","attempt":1,"max_retries":2,"retry_delay_ms":501,"error_status":null,"error":"unknown"}',
  overloaded:
    '{"type":"system","subtype":"api_retry","attempt":1,"max_retries":2,"retry_delay_ms":524,"error_status":529,"error":"overloaded"}',
  limited:
    '{"type":"system","subtype":"api_retry","attempt":1,"max_retries":2,"retry_delay_ms":2000,"error_status":429,"error":"rate_limit"}',
  codex: '{"type":"error","message":"Reconnecting... waiting for network (Connection failed: error sending request)"}',
  cut: '{"type":"error","message":"Reconnecting... 1/5 (stream disconnected before completion: Transport error: network error: error decoding response body)"}',
  busy: '{"type":"error","message":"Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests, request id: r)"}',
};
const LOGGED =
  'timestamp=2026-11-17T22:29:11.578Z level=ERROR run=4bff89d0 message="stream error" providerID=sim small=false error.error="AI_APICallError: Cannot connect to API: Unable to connect. Is the computer able to access the url?"';

const agent = (name: string) => {
  const match = AGENTS.find((candidate) => candidate.name === name);
  if (match === undefined) throw new Error(name);
  return match;
};

describe('an error after which an agent tries again', () => {
  test.each([
    ['claude', SEEN.claude, 'agent-error'],
    ['claude', SEEN.overloaded, 'agent-error'],
    ['claude', SEEN.limited, 'limit'],
    ['codex', SEEN.codex, 'unreachable'],
    ['codex', SEEN.cut, 'agent-error'],
    ['codex', SEEN.busy, 'limit'],
  ])('of %s is counted and is no activity: %s', (name, line, kind) => {
    const once = agent(name).hear(NO_EVENTS, line, NOW);
    expect(once).toMatchObject({ trouble: { kind }, retries: 1, retriesInARow: 1, failure: null, begun: false });
    expect(agent(name).hear(once, line, NOW)).toMatchObject({ retries: 2, retriesInARow: 2 });
  });

  test('of opencode is read from its log, and nothing else is', () => {
    const { hearLog } = agent('opencode');
    expect(hearLog?.(NO_EVENTS, LOGGED, NOW)).toMatchObject({ trouble: { kind: 'unreachable' }, retries: 1 });
    for (const line of ['level=ERROR message="other"', '{"type":"step_finish","part":{"reason":"stop"}}', '']) {
      expect(hearLog?.(NO_EVENTS, line, NOW)).toBe(NO_EVENTS);
    }
  });

  test('is over with the next part of an answer', () => {
    const { hear } = agent('codex');
    const item = JSON.stringify({ type: 'item.completed', item: { type: 'agent_message', text: 'a' } });
    const after = [SEEN.cut, SEEN.cut, item].reduce((events, line) => hear(events, line, NOW), NO_EVENTS);
    expect(after).toMatchObject({ trouble: null, retries: 2, retriesInARow: 0 });
  });

  test('of a limit says when the limit ends, if the last error does not', () => {
    const { hear } = agent('claude');
    const last =
      '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"API Error: Request rejected (429)"}';
    const events = hear(hear(NO_EVENTS, SEEN.limited, NOW), last, NOW);
    expect(events.failure).toMatchObject({ kind: 'limit', resetAt: new Date(NOW.getTime() + 2000) });
  });
});

test.each([
  [
    'claude',
    '{"type":"result","subtype":"success","is_error":true,"result":"API Error: Unable to connect to API (ConnectionRefused)"}',
  ],
  [
    'gemini',
    '{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: exception TypeError: fetch failed sending request]"}}',
  ],
  ['codex', '{"type":"turn.failed","error":{"message":"Connection failed: error sending request"}}'],
])('%s: a failed connection is named as such', (name, line) => {
  expect(agent(name).hear(NO_EVENTS, line, NOW).failure).toMatchObject({ kind: 'unreachable' });
});
