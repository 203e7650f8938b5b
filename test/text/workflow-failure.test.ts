import { describe, expect, test } from 'vitest';
import type { SessionId } from '../../src/domain/workflow.ts';
import type { WorkflowFailure } from '../../src/domain/workflow-failure.ts';
import { tellWorkflowFailure } from '../../src/text/workflow-failure.ts';

const session = { id: 'ab12' as SessionId, job: 'study', workflow: 'study', goal: 'Find out.' };

describe('trouble of workflows is told', () => {
  test.each<[title: string, failure: WorkflowFailure, what: string, next: string]>([
    [
      'a job that is nearly named',
      { kind: 'unknown-job', name: 'studdy', known: ['study', 'other'] },
      'There is no job "studdy"; did you mean "study"?',
      'Name one that get_workflows ("onceover workflow list") lists.',
    ],
    [
      'no jobs at all',
      { kind: 'unknown-job', name: 'x', known: [] },
      'There is no job "x".',
      'Jobs are read from .deepwork/jobs/<job>/job.yml, and there is none.',
    ],
    [
      'several workflows',
      { kind: 'unknown-workflow', job: 'study', name: null, known: ['full', 'quick'] },
      'The job "study" has several workflows, and none was named.',
      'Name one of these: full, quick.',
    ],
    [
      'no session',
      { kind: 'unknown-session', id: 'x'.repeat(200), active: [] },
      `There is no session "${'x'.repeat(79)}…", and no workflow is going on.`,
      'Begin one with start_workflow ("onceover workflow start").',
    ],
    [
      'none was ever begun',
      { kind: 'no-active-session', ended: [] },
      'No workflow was begun here.',
      'Begin one with start_workflow ("onceover workflow start").',
    ],
    [
      'several sessions',
      { kind: 'which-session', active: [session, { ...session, workflow: 'quick', goal: 'long '.repeat(40) }] },
      'Several workflows are going on, so it must be said which one is meant:\n  ab12 (study): Find out.\n' +
        `  ab12 (study/quick): ${'long '.repeat(11)}long…`,
      'Give its session_id (--session on the command line); end those that nobody works on with abort_workflow ("onceover workflow abort").',
    ],
    [
      'a completed one',
      { kind: 'session-ended', session, end: { kind: 'completed', at: '2026-03-01T12:00:00.000Z' } },
      'The session ab12 (study) has ended: it was completed at 2026-03-01T12:00:00.000Z.',
      'Nothing was changed. Begin a new one with start_workflow ("onceover workflow start").',
    ],
    [
      'a damaged one that could not be moved',
      { kind: 'unreadable-session', id: 'ab12', path: 'session_ab12.json', aside: null },
      'The state of the session "ab12", session_ab12.json, is damaged and cannot be read.',
      'Nothing was done. Begin the workflow anew with start_workflow ("onceover workflow start"); what was made is still in its files.',
    ],
    [
      'a step without outputs',
      { kind: 'unknown-output', session, step: 'a', name: 'notes', known: [] },
      'The step "a" of session ab12 (study) has no output "notes".',
      'It has no outputs at all: finish it without any.',
    ],
    [
      'steps that cannot be told apart',
      {
        kind: 'which-step',
        session,
        open: [
          { id: 'a', outputs: ['x', 'y'] },
          { id: 'b', outputs: [] },
        ],
      },
      'Several steps of session ab12 (study) are open, and these outputs do not tell which one is finished:\n  a: x, y\n  b: no outputs',
      'Give the outputs of one step, or its step_id (--step on the command line).',
    ],
    [
      'one path instead of a list',
      { kind: 'wrong-output-type', step: 'a', name: 'notes', expected: 'files', given: 'one' },
      'The output "notes" of the step "a" is a list of files, and one path was given.',
      'Nothing was judged. Give a list of paths, also for one file.',
    ],
    [
      'an empty list',
      { kind: 'wrong-output-type', step: 'a', name: 'notes', expected: 'files', given: 'none' },
      'The output "notes" of the step "a" has no files in it.',
      'Nothing was judged. Name at least one.',
    ],
    [
      'a folder',
      { kind: 'unusable-output', step: 'a', name: 'notes', path: 'docs', why: 'folder' },
      'docs, given as "notes" of the step "a", is a folder.',
      'Nothing was judged. Name the files in it.',
    ],
    [
      'no verdict at all',
      {
        kind: 'no-verdict',
        session,
        step: 'a',
        errors: [
          { runEach: 'step', file: null, said: 'it took\ntoo long' },
          { runEach: 'notes', file: 'a.md', said: 'gone' },
        ],
        passed: 0,
      },
      '2 reviews of the step "a" came to no verdict:\n  all outputs together: it took; too long\n  a.md (notes): gone',
      'This was no attempt. Put right what is wrong and call finished_step again ("onceover workflow finish").',
    ],
    [
      'one other review',
      { kind: 'no-verdict', session, step: 'a', errors: [{ runEach: 'step', file: null, said: 'x' }], passed: 1 },
      '1 review of the step "a" came to no verdict:\n  all outputs together: x',
      'This was no attempt, and 1 review that passed is not done again. Put right what is wrong and call finished_step again ("onceover workflow finish").',
    ],
    [
      'nobody who could review',
      { kind: 'reviewer-not-here', name: 'claude', found: [] },
      'claude is to review, and its program was not found.',
      'Install it ("onceover doctor" says how), or begin the workflow with --self-review.',
    ],
  ])('%s', (_, failure, what, next) => {
    expect(tellWorkflowFailure(failure)).toEqual({ what, next });
  });

  test.each([
    ['empty', 'it is empty', 'Say why'],
    ['no-reviews', 'nothing of it is reviewed', 'without quality_review_override_reason'],
    ['not-failed', 'no reviewer has found anything in its outputs yet', 'have them reviewed first'],
    ['not-instructed', 'no review of these outputs by these criteria was asked for yet', 'tells how'],
  ] as const)('a reason that does not count: %s', (why, what, next) => {
    const told = tellWorkflowFailure({ kind: 'override-refused', step: 'a', why });
    expect(told.what).toBe(`A reason to finish "a" without a pass does not count: ${what}.`);
    expect(told.next).toContain(next);
  });

  test.each([
    ['missing', 'does not exist'],
    ['not-a-file', 'is not a plain file'],
    ['outside', 'leads out of the repository'],
    ['unreadable', 'cannot be read'],
  ] as const)('an output that is %s', (why, said) => {
    const { what } = tellWorkflowFailure({ kind: 'unusable-output', step: 'a', name: 'n', path: 'p', why });
    expect(what).toBe(`p, given as "n" of the step "a", ${said}.`);
  });
});
