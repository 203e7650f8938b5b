import { describe, expect, test } from 'vitest';
import type { WorkflowFailure } from '../../src/kernel/failure.ts';
import type { SessionId } from '../../src/kernel/ids.ts';
import { describeFailure } from '../../src/ui/describe-failure.ts';

const session = { id: 'ab12' as SessionId, job: 'study', workflow: 'study', goal: 'Find out.' };

describe('describeFailure', () => {
  test.each<[title: string, failure: WorkflowFailure, what: string, next: string]>([
    [
      'suggests the nearest job',
      { kind: 'unknown-job', name: 'studdy', known: ['study', 'other'] },
      'There is no job "studdy"; did you mean "study"?',
      'Use a job that get_workflows ("onceover workflow list") lists.',
    ],
    [
      'says where jobs are read from if there is none',
      { kind: 'unknown-job', name: 'x', known: [] },
      'There is no job "x".',
      'Add a job: onceover reads jobs from .deepwork/jobs/<job>/job.yml, and there is none.',
    ],
    [
      'lists the workflows of a job if the call names none',
      { kind: 'unknown-workflow', job: 'study', name: null, known: ['full', 'quick'] },
      'The job "study" has several workflows, and the call names none.',
      'Use one of these workflows: full, quick.',
    ],
    [
      'cuts a long session id',
      { kind: 'unknown-session', id: 'x'.repeat(200), active: [] },
      `There is no session "${'x'.repeat(79)}…", and no workflow is in progress.`,
      'Start a workflow with start_workflow ("onceover workflow start").',
    ],
    [
      'says that no workflow was started',
      { kind: 'no-active-session', ended: [] },
      'No workflow was started here.',
      'Start a workflow with start_workflow ("onceover workflow start").',
    ],
    [
      'lists the sessions if the call names none',
      { kind: 'which-session', active: [session, { ...session, workflow: 'quick', goal: 'long '.repeat(40) }] },
      'Several workflows are in progress, and the call does not say which one it means:\n  ab12 (study): Find out.\n' +
        `  ab12 (study/quick): ${'long '.repeat(11)}long…`,
      'Pass the session_id of the workflow (--session on the command line). End abandoned workflows with abort_workflow ("onceover workflow abort").',
    ],
    [
      'says when a session was completed',
      { kind: 'session-ended', session, end: { kind: 'completed', at: '2026-03-01T12:00:00.000Z' } },
      'The session ab12 (study) has ended: it was completed at 2026-03-01T12:00:00.000Z.',
      'Nothing was changed. Start a new session with start_workflow ("onceover workflow start").',
    ],
    [
      'reports a damaged session that could not be renamed',
      { kind: 'unreadable-session', id: 'ab12', path: 'session_ab12.json', aside: null },
      'The saved state of the session "ab12", session_ab12.json, is damaged and cannot be read.',
      'Nothing was changed. Start the workflow again with start_workflow ("onceover workflow start"); the output files still exist.',
    ],
    [
      'says that a step has no outputs',
      { kind: 'unknown-output', session, step: 'a', name: 'notes', known: [] },
      'The step "a" of session ab12 (study) has no output "notes".',
      'It has no outputs: finish it without any.',
    ],
    [
      'lists the open steps with their outputs',
      {
        kind: 'which-step',
        session,
        open: [
          { id: 'a', outputs: ['x', 'y'] },
          { id: 'b', outputs: [] },
        ],
      },
      'Several steps of session ab12 (study) are open, and these outputs could belong to more than one:\n  a: x, y\n  b: no outputs',
      'Pass the outputs of one step, or its step_id (--step on the command line).',
    ],
    [
      'asks for a list instead of one path',
      { kind: 'wrong-output-type', step: 'a', name: 'notes', expected: 'files', given: 'one' },
      'The output "notes" of the step "a" is a list of files, and one path was given.',
      'Nothing was judged. Pass a list of paths, even for one file.',
    ],
    [
      'asks for at least one file',
      { kind: 'wrong-output-type', step: 'a', name: 'notes', expected: 'files', given: 'none' },
      'The output "notes" of the step "a" has no files in it.',
      'Nothing was judged. Pass at least one.',
    ],
    [
      'refuses a folder as output',
      { kind: 'unusable-output', step: 'a', name: 'notes', path: 'docs', why: 'folder' },
      'docs, given as "notes" of the step "a", is a folder.',
      'Nothing was judged. Name the files in it.',
    ],
    [
      'lists the reviews without a verdict',
      {
        kind: 'no-verdict',
        session,
        step: 'a',
        errors: [
          { review_run_each: 'step', target_file: null, message: 'it took\ntoo long' },
          { review_run_each: 'notes', target_file: 'a.md', message: 'gone' },
        ],
        passed: 0,
      },
      '2 reviews of the step "a" ended without a verdict:\n  all outputs together: it took; too long\n  a.md (notes): gone',
      'This call does not count as an attempt. Fix the error above and call finished_step again ("onceover workflow finish").',
    ],
    [
      'says that a passed review does not run again',
      {
        kind: 'no-verdict',
        session,
        step: 'a',
        errors: [{ review_run_each: 'step', target_file: null, message: 'x' }],
        passed: 1,
      },
      '1 review of the step "a" ended without a verdict:\n  all outputs together: x',
      'This call does not count as an attempt, and 1 passed review will not run again. Fix the error above and call finished_step again ("onceover workflow finish").',
    ],
    [
      'says how to install a missing reviewer',
      { kind: 'reviewer-not-here', name: 'claude', found: [] },
      'The reviewer claude is not installed.',
      'Install the reviewer ("onceover doctor" shows how), or start the workflow with --self-review.',
    ],
  ])('%s', (_, failure, sentence, next) => {
    expect(describeFailure(failure)).toEqual({ what: sentence, next });
  });

  test.each([
    ['empty', 'it is empty', 'Explain why'],
    ['no-reviews', 'the step has no reviews', 'without quality_review_override_reason'],
    ['not-failed', 'you can override only after a reviewer has rejected the outputs', 'have them reviewed first'],
    [
      'not-instructed',
      'no review of these outputs with these criteria was requested yet',
      'get the review instructions',
    ],
  ] as const)('says why a reason is not accepted: %s', (why, reason, next) => {
    const message = describeFailure({ kind: 'override-refused', step: 'a', why });
    expect(message.what).toBe(`The reason to finish "a" without a pass was not accepted: ${reason}.`);
    expect(message.next).toContain(next);
  });

  test.each([
    ['missing', 'does not exist'],
    ['not-a-file', 'is not a plain file'],
    ['outside', 'leads out of the repository'],
    ['unreadable', 'cannot be read'],
  ] as const)('says why an output is unusable: %s', (why, reason) => {
    const { what } = describeFailure({ kind: 'unusable-output', step: 'a', name: 'n', path: 'p', why });
    expect(what).toBe(`p, given as "n" of the step "a", ${reason}.`);
  });
});
