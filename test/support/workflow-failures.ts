import type { SessionName, WorkflowFailure } from '@onceover/base/kernel/failure';
import type { SessionId } from '@onceover/base/kernel/ids';

type Sample<Kind> = readonly [failure: Extract<WorkflowFailure, { kind: Kind }>, names: string, next: RegExp];

/** One failure per kind, with `given` as every value from outside, the expected name and the expected next step. */
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
      /renamed to aside\.json.*start_workflow/,
    ],
    'session-outdated': [{ kind: 'session-outdated', session }, '"full" of "study"', /job\.yml.*abort_workflow/],
    'session-busy': [{ kind: 'session-busy', id: given }, given, /Try again/],
    'no-such-step': [{ kind: 'no-such-step', ...step }, given, /^Use an open step: report\.$/],
    'step-finished': [
      { kind: 'step-finished', ...step, at: '2026-03-01' },
      given,
      /^Nothing was changed\. Continue with an open step: report\.$/,
    ],
    'step-not-begun': [{ kind: 'step-not-begun', ...step }, given, /^Finish the open steps first: report\.$/],
    'which-step': [{ kind: 'which-step', session, open: [{ id: 'report', outputs: [given] }] }, 'report: ', /step_id/],
    'unknown-output': [
      { kind: 'unknown-output', session, step: 'a', name: given, known: ['notes'] },
      given,
      /Nothing was judged/,
    ],
    'missing-outputs': [{ kind: 'missing-outputs', step: 'a', names: [given] }, given, /Create the missing output/],
    'wrong-output-type': [
      { kind: 'wrong-output-type', step: 'a', name: given, expected: 'file', given: 'several' },
      given,
      /Pass one path/,
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
        errors: [{ review_run_each: 'notes', target_file: 'a.md', message: given }],
        passed: 2,
      },
      given,
      /^This call does not count as an attempt, and 2 passed reviews will not run again\./,
    ],
    'outputs-changed': [{ kind: 'outputs-changed', step: 'a', paths: [given] }, given, /does not count as an attempt/],
    'reviewer-not-here': [
      { kind: 'reviewer-not-here', name: given, found: ['codex'] },
      given,
      /onceover doctor.*codex.*--self-review/,
    ],
  };
}
