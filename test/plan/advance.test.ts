import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentFailure } from '../../src/domain/agent.ts';
import {
  advance,
  type DispatchEvent,
  type DispatchState,
  type DispatchStep,
  startDispatch,
} from '../../src/plan/advance.ts';

const reset = new Date('2026-01-01T00:00:00Z');
const failures = {
  'not-found': { kind: 'not-found', program: 'codex' },
  unprotected: { kind: 'unprotected', path: '.opencode' },
  'not-logged-in': { kind: 'not-logged-in', said: 'log in' },
  limit: { kind: 'limit', said: 'usage limit', resetAt: reset },
  timeout: { kind: 'timeout', seconds: 5 },
  idle: { kind: 'idle', seconds: 5 },
  'session-lost': { kind: 'session-lost', said: 'no such session' },
  'wrong-session': { kind: 'wrong-session', asked: 'a', got: 'b' },
  'unreadable-answer': { kind: 'unreadable-answer', why: 'no-object', said: 'hm' },
  'no-tokens': { kind: 'no-tokens' },
  'agent-error': { kind: 'agent-error', said: 'boom' },
  cancelled: { kind: 'cancelled' },
} satisfies { [K in AgentFailure['kind']]: Extract<AgentFailure, { kind: K }> };

/** Plays failures one after the other and tells what was done at each, in short. */
function play(state: DispatchState, ...kinds: (keyof typeof failures | 'answer')[]): string[] {
  const said: string[] = [];
  let now = state;
  for (const kind of kinds) {
    const event: DispatchEvent<string> =
      kind === 'answer' ? { kind: 'answered', answer: 'yes' } : { kind: 'failed', failure: failures[kind] };
    const step = advance(now, event);
    said.push(tell(step));
    if (step.kind === 'ask') now = step.state;
  }
  return said;
}

/** What is done next, in short. */
function tell(step: DispatchStep<unknown>): string {
  if (step.kind === 'done') return `done by ${step.agent}`;
  const notes = step.notes.map((note) => note.kind).join('+');
  return `${step.kind === 'ask' ? `${step.state.mode} ${step.state.agent}` : 'error'}${notes && ` (${notes})`}`;
}

const fresh = startDispatch('codex', 'fresh', ['claude', 'codex', 'gemini']);
const resumed = startDispatch('codex', 'resumed', ['claude']);
const alone = startDispatch('codex', 'fresh', []);

describe('the life of a dispatch', () => {
  test.each([
    ['an answer ends it', fresh, ['answer'], ['done by codex']],
    ['one repair question', fresh, ['unreadable-answer', 'answer'], ['repair codex', 'done by codex']],
    ['one only', fresh, ['unreadable-answer', 'unreadable-answer'], ['repair codex', 'fresh claude (failed-over)']],
    ['a failed agent hands over, once', fresh, ['agent-error', 'agent-error'], ['fresh claude (failed-over)', 'error']],
    [
      'the next agent has a repair question too',
      fresh,
      ['timeout', 'unreadable-answer', 'unreadable-answer'],
      ['fresh claude (failed-over)', 'repair claude', 'error'],
    ],
    ['nobody to hand over to', alone, ['agent-error'], ['error']],
    [
      'a failed resume goes fresh with the same agent',
      resumed,
      ['session-lost', 'answer'],
      ['fresh codex (resume-failed)', 'done by codex'],
    ],
    [
      'then to the next',
      resumed,
      ['agent-error', 'agent-error', 'agent-error'],
      ['fresh codex (resume-failed)', 'fresh claude (failed-over)', 'error'],
    ],
    [
      'an unreadable resume: repair, fresh, repair, next, repair, error',
      resumed,
      Array(6).fill('unreadable-answer'),
      [
        'repair codex',
        'fresh codex (resume-failed)',
        'repair codex',
        'fresh claude (failed-over)',
        'repair claude',
        'error',
      ],
    ],
    [
      'a failed repair of a resume is a failed resume',
      resumed,
      ['unreadable-answer', 'session-lost'],
      ['repair codex', 'fresh codex (resume-failed)'],
    ],
    ['a limit cools the agent down and hands over', fresh, ['limit'], ['fresh claude (cooling+failed-over)']],
    ['also in a resume: asking it fresh would not help', resumed, ['limit'], ['fresh claude (cooling+failed-over)']],
    ['a limit with nobody left', alone, ['limit'], ['error (cooling)']],
    ['a missing agent hands over', resumed, ['not-found'], ['fresh claude (failed-over)']],
    [
      'so does one that cannot be protected from the repository',
      resumed,
      ['unprotected'],
      ['fresh claude (failed-over)'],
    ],
    ['so does one that is not logged in', resumed, ['not-logged-in'], ['fresh claude (failed-over)']],
    ['a cancelled dispatch stops at once', fresh, ['cancelled'], ['error']],
  ] as const)('%s', (_title, state, events, expected) => {
    expect(play(state, ...(events as (keyof typeof failures)[]))).toEqual(expected);
  });

  test.each<[string, DispatchState, string]>([
    ['of a resumed session is a failed resume, and not asked for again', resumed, 'fresh codex (resume-failed)'],
    ['of a fresh question is asked for once more', fresh, 'repair codex'],
    ['of somebody who writes is, too', { ...resumed, writes: true }, 'repair codex'],
  ])('an empty answer %s', (_title, state, expected) => {
    const failure: AgentFailure = { kind: 'unreadable-answer', why: 'empty', said: '' };
    const step = advance(state, { kind: 'failed', failure });
    expect(tell(step)).toBe(expected);
  });

  test('the time of the reset is handed on', () => {
    const step = advance(fresh, { kind: 'failed', failure: failures.limit });
    expect(step.kind === 'ask' && step.notes[0]).toEqual({ kind: 'cooling', agent: 'codex', until: reset });
  });

  test('it always ends, after at most six questions, and never with an answer that nobody gave', () => {
    const kinds = fc.constantFrom(...(Object.keys(failures) as (keyof typeof failures)[]));
    fc.assert(
      fc.property(
        fc.constantFrom(fresh, resumed, alone),
        fc.array(kinds, { minLength: 7, maxLength: 7 }),
        (start, sequence) => {
          let state = start;
          for (const [asked, kind] of sequence.entries()) {
            const step = advance<string>(state, { kind: 'failed', failure: failures[kind] });
            expect(step.kind).not.toBe('done');
            if (step.kind !== 'ask') return;
            expect(asked).toBeLessThan(6);
            state = step.state;
          }
          expect.unreachable();
        },
      ),
    );
  });
});
