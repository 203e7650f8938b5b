import type { SessionId, SessionName } from '../../src/domain/workflow.ts';
import type { WorkflowFailure } from '../../src/domain/workflow-failure.ts';

type Sample<Kind> = readonly [failure: Extract<WorkflowFailure, { kind: Kind }>, names: string, next: RegExp];

/** One of each kind, with `given` wherever a value comes from outside: what it names, and what is to be done. */
export function workflowFailures(given: string): { readonly [Kind in WorkflowFailure['kind']]: Sample<Kind> } {
  const session: SessionName = { id: 'ab12' as SessionId, job: 'study', workflow: 'full', goal: given };
  const step = { session, step: given, open: ['report'] };
  return {
    'unknown-job': [{ kind: 'unknown-job', name: given, known: ['study'] }, given, /get_workflows/],
    'unknown-workflow': [{ kind: 'unknown-workflow', job: 'study', name: given, known: ['full'] }, given, /full/],
    'unknown-session': [{ kind: 'unknown-session', id: given, active: [session] }, given, /session_id/],
    'no-active-session': [{ kind: 'no-active-session', ended: [session] }, 'ab12 (study/full)', /start_workflow/],
    'which-session': [{ kind: 'which-session', active: [session] }, 'ab12 (study/full)', /session_id/],
    'session-ended': [
      { kind: 'session-ended', session, end: { kind: 'aborted', at: '2026-03-01', explanation: given } },
      'ab12 (study/full) has ended: it was aborted at 2026-03-01',
      /Nothing was changed.*start_workflow/,
    ],
    'unreadable-session': [
      { kind: 'unreadable-session', id: 'ab12', path: given, aside: 'aside.json' },
      given,
      /put aside as aside\.json.*start_workflow/,
    ],
    'session-outdated': [{ kind: 'session-outdated', session }, '"full" of "study"', /job\.yml.*abort_workflow/],
    'session-busy': [{ kind: 'session-busy', id: given }, given, /Try again/],
    'no-such-step': [{ kind: 'no-such-step', ...step }, given, /^Name one that is open: report\.$/],
    'step-finished': [
      { kind: 'step-finished', ...step, at: '2026-03-01' },
      given,
      /^Nothing was changed\. Go on with what is open: report\.$/,
    ],
    'step-not-begun': [{ kind: 'step-not-begun', ...step }, given, /^Finish what is open first: report\.$/],
    'which-step': [{ kind: 'which-step', session, open: [{ id: 'report', outputs: [given] }] }, 'report: ', /step_id/],
    'unknown-output': [
      { kind: 'unknown-output', session, step: 'a', name: given, known: ['notes'] },
      given,
      /Nothing was judged/,
    ],
    'missing-outputs': [{ kind: 'missing-outputs', step: 'a', names: [given] }, given, /Make what is missing/],
    'wrong-output-type': [
      { kind: 'wrong-output-type', step: 'a', name: given, expected: 'file', given: 'several' },
      given,
      /Give one path/,
    ],
    'unusable-output': [
      { kind: 'unusable-output', step: 'a', name: 'notes', path: given, why: 'outside' },
      given,
      /inside the repository/,
    ],
    'override-refused': [{ kind: 'override-refused', step: given, why: 'not-failed' }, given, /reviewed first/],
    'no-verdict': [
      {
        kind: 'no-verdict',
        session,
        step: 'a',
        errors: [{ runEach: 'notes', file: 'a.md', said: given }],
        passed: 2,
      },
      given,
      /^This was no attempt, and 2 reviews that passed are not done again\./,
    ],
    'outputs-changed': [{ kind: 'outputs-changed', step: 'a', paths: [given] }, given, /no attempt/],
    'reviewer-not-here': [
      { kind: 'reviewer-not-here', name: given, found: ['codex'] },
      given,
      /onceover doctor.*codex.*--self-review/,
    ],
  };
}
