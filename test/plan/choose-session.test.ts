import { expect, test } from 'vitest';
import type { SessionId, WorkflowSession } from '../../src/domain/workflow.ts';
import { chooseSession } from '../../src/plan/choose-session.ts';
import { jobOf, sessionOf, stepOf } from '../support/workflow/samples.ts';

const session = (id: string, end: WorkflowSession['end'] = null) =>
  sessionOf(jobOf([stepOf('a')]), { id: id as SessionId, end });
const ENDED = { kind: 'completed', at: '2026-03-01' } as const;

test.each<
  [title: string, sessions: readonly WorkflowSession[], named: string | null, own: string | null, meant: string]
>([
  ['the one named', [session('x'), session('y')], 'y', null, 'y'],
  ['the one named, not the own', [session('x'), session('y')], 'y', 'x', 'y'],
  ['the only one', [session('x')], null, null, 'x'],
  ['the only one that is going on', [session('x', ENDED), session('y')], null, null, 'y'],
  ['of several the own', [session('x'), session('y')], null, 'y', 'y'],
  ['the own has ended, another goes on', [session('x', ENDED), session('y')], null, 'x', 'y'],
  ['several', [session('x'), session('y')], null, null, 'which-session x,y'],
  [
    'several beside the own, which has ended',
    [session('x'), session('y'), session('z', ENDED)],
    null,
    'z',
    'which-session x,y',
  ],
  ['none', [], null, null, 'no-active-session '],
  ['ended ones only', ['a', 'b', 'c', 'd'].map((id) => session(id, ENDED)), null, null, 'no-active-session a,b,c'],
  ['an unknown one', [session('x'), session('y', ENDED)], 'z', null, 'unknown-session x'],
  ['one that has ended', [session('x'), session('y', ENDED)], 'y', null, 'session-ended y'],
])('%s', (_, sessions, named, own, meant) => {
  const chosen = chooseSession(sessions, { named, own: own as SessionId | null });
  if (chosen.ok) return expect(chosen.value.id).toBe(meant);
  const { failure } = chosen;
  const told =
    failure.kind === 'which-session' || failure.kind === 'unknown-session'
      ? failure.active
      : failure.kind === 'no-active-session'
        ? failure.ended
        : failure.kind === 'session-ended'
          ? [failure.session]
          : [];
  expect(`${failure.kind} ${told.map(({ id }) => id).join(',')}`).toBe(meant);
});
