import type { AgentFailure } from '@onceover/base/kernel/agent';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DispatchState, isResumeFailure, nextDispatchStep, startDispatch } from '../../src/dispatch/retry.ts';

const failures = {
  'not-found': { kind: 'not-found', program: 'codex' },
  unprotected: { kind: 'unprotected', path: '.opencode' },
  'not-logged-in': { kind: 'not-logged-in', said: 'log in' },
  limit: { kind: 'limit', said: 'usage limit', resetAt: null },
  unreachable: { kind: 'unreachable', said: 'Connection failed' },
  timeout: { kind: 'timeout', seconds: 5 },
  idle: { kind: 'idle', seconds: 5 },
  'session-lost': { kind: 'session-lost', said: 'no such session' },
  'wrong-session': { kind: 'wrong-session', asked: 'a', got: 'b' },
  'unreadable-answer': { kind: 'unreadable-answer', why: 'no-object', said: 'hm' },
  'no-tokens': { kind: 'no-tokens' },
  'agent-error': { kind: 'agent-error', said: 'boom' },
  cancelled: { kind: 'cancelled' },
} satisfies { [K in AgentFailure['kind']]: Extract<AgentFailure, { kind: K }> };

type FailureKind = keyof typeof failures;

/** Returns the call that follows each failure, as "mode agent". */
function play(start: DispatchState, ...kinds: FailureKind[]): string[] {
  const calls: string[] = [];
  let state = start;
  for (const kind of kinds) {
    const next = nextDispatchStep(state, failures[kind]);
    calls.push(summary(next));
    if (next !== null) state = next;
  }
  return calls;
}

function summary(next: DispatchState | null): string {
  return next === null ? 'gives up' : `${next.mode} ${next.agent}`;
}

const fresh = startDispatch('codex', 'fresh', ['claude', 'codex', 'gemini']);
const resumedState = startDispatch('codex', 'resumed', ['claude']);
const alone = startDispatch('codex', 'fresh', []);
const writer: DispatchState = { ...startDispatch('codex', 'resumed', []), writes: true };

describe('the call after a failed one', () => {
  test.each<[string, DispatchState, FailureKind[], string[]]>([
    ['asks once to repeat an unreadable answer', fresh, ['unreadable-answer'], ['repair codex']],
    [
      'goes to the next agent after a second unreadable answer',
      fresh,
      ['unreadable-answer', 'unreadable-answer'],
      ['repair codex', 'fresh claude'],
    ],
    ['goes to the next agent only once', fresh, ['agent-error', 'agent-error'], ['fresh claude', 'gives up']],
    [
      'asks the next agent to repeat its answer, too',
      fresh,
      ['timeout', 'unreadable-answer', 'unreadable-answer'],
      ['fresh claude', 'repair claude', 'gives up'],
    ],
    ['gives up if there is no other agent', alone, ['agent-error'], ['gives up']],
    ['starts a new session with the same agent after a failed resume', resumedState, ['session-lost'], ['fresh codex']],
    [
      'goes from the new session to the next agent',
      resumedState,
      ['agent-error', 'agent-error', 'agent-error'],
      ['fresh codex', 'fresh claude', 'gives up'],
    ],
    [
      'repairs an unreadable answer in every session',
      resumedState,
      Array(6).fill('unreadable-answer'),
      ['repair codex', 'fresh codex', 'repair codex', 'fresh claude', 'repair claude', 'gives up'],
    ],
    [
      'starts a new session after a failed repair in a resumed one',
      resumedState,
      ['unreadable-answer', 'session-lost'],
      ['repair codex', 'fresh codex'],
    ],
    ['goes to the next agent after a usage limit', fresh, ['limit'], ['fresh claude']],
    ['starts no new session with an agent that reached its limit', resumedState, ['limit'], ['fresh claude']],
    ['gives up after a usage limit without another agent', alone, ['limit'], ['gives up']],
    ['goes to the next agent if the program is missing', resumedState, ['not-found'], ['fresh claude']],
    ['goes to the next agent if the agent cannot be sandboxed', resumedState, ['unprotected'], ['fresh claude']],
    ['goes to the next agent if the agent is not logged in', resumedState, ['not-logged-in'], ['fresh claude']],
    ['goes to the next agent if the agent cannot reach its service', resumedState, ['unreachable'], ['fresh claude']],
    ['is never made after a cancelled call', fresh, ['cancelled'], ['gives up']],
    ['starts a new session after a resumed reviewer ran out of time', resumedState, ['timeout'], ['fresh codex']],
    ['is not made after a writer ran out of time', writer, ['timeout'], ['gives up']],
    ['starts a new session if a resumed writer fell silent', writer, ['idle'], ['fresh codex']],
  ])('%s', (_title, state, kinds, expected) => {
    expect(play(state, ...kinds)).toEqual(expected);
  });

  test.each<[string, DispatchState, string]>([
    ['starts a new session after an empty answer of a resumed reviewer', resumedState, 'fresh codex'],
    ['asks to repeat an empty answer of a new session', fresh, 'repair codex'],
    ['asks a resumed writer to repeat an empty answer', { ...resumedState, writes: true }, 'repair codex'],
  ])('%s', (_title, state, expected) => {
    const failure: AgentFailure = { kind: 'unreadable-answer', why: 'empty', said: '' };
    expect(summary(nextDispatchStep(state, failure))).toBe(expected);
  });

  test('is never the seventh', () => {
    const kinds = fc.constantFrom(...(Object.keys(failures) as FailureKind[]));
    fc.assert(
      fc.property(
        fc.constantFrom(fresh, resumedState, alone, writer),
        fc.array(kinds, { minLength: 7, maxLength: 7 }),
        (start, sequence) => {
          let state = start;
          for (const [callIndex, kind] of sequence.entries()) {
            const next = nextDispatchStep(state, failures[kind]);
            if (next === null) return;
            expect(callIndex).toBeLessThan(6);
            state = next;
          }
          expect.unreachable();
        },
      ),
    );
  });
});

test('failures that can come from resuming a session', () => {
  const kinds = Object.values(failures).filter(isResumeFailure);
  expect(kinds.map(({ kind }) => kind).sort()).toEqual([
    'agent-error',
    'no-tokens',
    'session-lost',
    'unreadable-answer',
    'wrong-session',
  ]);
});
