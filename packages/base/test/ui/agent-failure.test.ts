import { expect, test } from 'vitest';
import type { AgentFailure } from '../../src/kernel/agent.ts';
import { describeAgentFailure } from '../../src/ui/describe-agent-failure.ts';

type Samples = { readonly [K in AgentFailure['kind']]: readonly [Extract<AgentFailure, { kind: K }>, RegExp] };

const samples = (input: string): Samples => ({
  'not-found': [{ kind: 'not-found', program: input }, /could not be started/],
  unprotected: [{ kind: 'unprotected', path: input }, /would run code from .*bubblewrap/],
  'not-logged-in': [{ kind: 'not-logged-in', said: input }, /is not logged in/],
  limit: [{ kind: 'limit', said: input, resetAt: new Date('2026-01-01T00:00:00Z') }, /limit until 2026-01-01T00:00:00/],
  unreachable: [{ kind: 'unreachable', said: input }, /cannot reach its service/],
  timeout: [{ kind: 'timeout', seconds: 7 }, /within 7 seconds/],
  idle: [{ kind: 'idle', seconds: 7 }, /nothing for 7 seconds/],
  'session-lost': [{ kind: 'session-lost', said: input }, /no longer has its session/],
  'wrong-session': [{ kind: 'wrong-session', asked: 'a', got: null }, /different session/],
  'unreadable-answer': [{ kind: 'unreadable-answer', why: 'truncated', said: input }, /cut off/],
  'no-tokens': [{ kind: 'no-tokens' }, /reports 0 tokens used/],
  'agent-error': [{ kind: 'agent-error', said: input }, /failed: /],
  cancelled: [{ kind: 'cancelled' }, /was stopped/],
});

test.each(Object.values(samples('boom')))('says why the agent gave no answer: $kind', (failure, sentence) => {
  expect(describeAgentFailure(failure)).toMatch(sentence);
});

test.each(Object.values(samples('a\nb\x1b[31m\u202e')))('escapes the words of an agent: $kind', (failure) => {
  expect(describeAgentFailure(failure)).not.toMatch(/[\p{Cc}\u202e]/u);
});
