import type { SessionId } from '@onceover/base/kernel/ids';
import { jobOf, sessionOf, stepOf } from '@onceover/testing/workflow/samples.ts';
import { expect, test } from 'vitest';
import { chooseSession } from '../../../src/workflows/decide/choose.ts';
import type { WorkflowSession } from '../../../src/workflows/types.ts';

const session = (id: string, end: WorkflowSession['end'] = null) =>
  sessionOf(jobOf([stepOf('a')]), { id: id as SessionId, end });
const ENDED = { kind: 'completed', at: '2026-03-01' } as const;

test.each<
  [title: string, sessions: readonly WorkflowSession[], named: string | null, own: string | null, meant: string]
>([
  ['the named session', [session('x'), session('y')], 'y', null, 'y'],
  ['the named session before the own one', [session('x'), session('y')], 'y', 'x', 'y'],
  ['the only session', [session('x')], null, null, 'x'],
  ['the only active session', [session('x', ENDED), session('y')], null, null, 'y'],
  ['the own session of several', [session('x'), session('y')], null, 'y', 'y'],
  ['the only active session if the own one has ended', [session('x', ENDED), session('y')], null, 'x', 'y'],
  ['a failure if there are several', [session('x'), session('y')], null, null, 'which-session x,y'],
  [
    'a failure if the own session has ended and several are active',
    [session('x'), session('y'), session('z', ENDED)],
    null,
    'z',
    'which-session x,y',
  ],
  ['a failure if there is none', [], null, null, 'no-active-session '],
  [
    'a failure if all have ended',
    ['a', 'b', 'c', 'd'].map((id) => session(id, ENDED)),
    null,
    null,
    'no-active-session a,b,c',
  ],
  ['a failure for an unknown id', [session('x'), session('y', ENDED)], 'z', null, 'unknown-session x'],
  ['a failure for an ended session', [session('x'), session('y', ENDED)], 'y', null, 'session-ended y'],
])('chooses %s', (_, sessions, namedId, ownId, result) => {
  const choice = chooseSession(sessions, { named: namedId, own: ownId as SessionId | null });
  if (choice.ok) return expect(choice.value.id).toBe(result);
  const { failure } = choice;
  const sessionList =
    failure.kind === 'which-session' || failure.kind === 'unknown-session'
      ? failure.active
      : failure.kind === 'no-active-session'
        ? failure.ended
        : failure.kind === 'session-ended'
          ? [failure.session]
          : [];
  expect(`${failure.kind} ${sessionList.map(({ id }) => id).join(',')}`).toBe(result);
});
