import {
  failedReview,
  jobOf,
  NOW,
  output,
  reviewOf,
  SELF,
  sessionOf,
  stepOf,
} from '@onceover/testing/workflow/samples.ts';
import { expect, test } from 'vitest';
import {
  sessionDocument,
  stepEndDocument,
  workflowStartDocument,
  workflowStatusDocument,
  workflowsDocument,
} from '../../src/workflows/json.ts';
import {
  stepEndSchema,
  workflowAbortSchema,
  workflowStartSchema,
  workflowStatusSchema,
  workflowsSchema,
} from '../../src/workflows/json-schema.ts';
import { begunSteps, finishStep, recordVerdict, stepState } from '../../src/workflows/session.ts';
import type { StepEnd, WorkflowSession } from '../../src/workflows/types.ts';

const JOB = jobOf(
  [
    stepOf('a', {
      inputs: [{ name: 'question', description: 'What?' }],
      reviews: [reviewOf('out', { guidance: 'x' })],
    }),
    stepOf('b', { inputs: [{ file: 'out', from_step: 'a' }] }),
    stepOf('c', { outputs: output('out', { type: 'files' }) }),
  ],
  [['a'], ['b', 'c']],
);
const BEGUN = sessionOf(JOB);
const done = (out: string | string[]) => ({ at: NOW, outputs: { out }, notes: 'Notes.', override: null });
const NEXT = finishStep(BEGUN, 'a', done('a.md'));
const LAST = finishStep(finishStep(NEXT, 'b', done('b.md')), 'c', done(['c.md']));

const end = (session: WorkflowSession, fields: Partial<StepEnd> = {}): StepEnd => ({
  kind: 'finished',
  session,
  step: stepState(session, 'a'),
  judged: 1,
  skipped: [],
  errors: [],
  begun: [],
  notInLedger: null,
  ...fields,
});

test('documents a start with parallel steps', () => {
  const session = sessionOf(jobOf(JOB.steps, [['b', 'c'], ['a']]), { reviewer: SELF });
  const document = workflowStartDocument({
    session,
    begun: begunSteps(session, JOB),
    reviewerMissing: true,
  });
  expect(workflowStartSchema.parse(document)).toEqual(document);
  expect(document).toMatchObject({
    session_id: 'ab12',
    reviewer: null,
    begin_step: { step_id: 'b', inputs: [{ name: 'out', from_step: 'a', paths: [] }] },
    also_begin: [{ step_id: 'c' }],
    next: 'When b is done: finished_step with session_id "ab12", step_id "b" and outputs {"out": "path"}\nWhen c is done: finished_step with session_id "ab12", step_id "c" and outputs {"out": ["path", …]}',
    warnings: ['Claude Code is not installed and no other reviewer was named.'],
  });
});

test('documents the next steps', () => {
  const document = stepEndDocument(
    end(NEXT, {
      begun: begunSteps(NEXT, JOB),
      skipped: [{ review_run_each: 'out', target_file: 'a.md' }],
    }),
  );
  expect(stepEndSchema.parse(document)).toEqual(document);
  expect(document).toMatchObject({
    status: 'next_step',
    feedback: null,
    begin_step: { step_id: 'b', inputs: [{ paths: ['a.md'] }], reviews: [] },
    also_begin: [{ step_id: 'c' }],
    open_steps: ['b', 'c'],
    next: expect.stringContaining('When b is done: finished_step with '),
    not_judged_again: [{ review_run_each: 'out', target_file: 'a.md' }],
    summary: null,
    all_outputs: null,
  });
});

test('documents the outputs of every step at the end, also if two have the same name', () => {
  const document = stepEndDocument(end(LAST));
  expect(stepEndSchema.parse(document)).toEqual(document);
  expect(document).toMatchObject({
    status: 'workflow_complete',
    summary: expect.stringContaining('was completed at'),
    all_outputs: { a: { out: 'a.md' }, b: { out: 'b.md' }, c: { out: ['c.md'] } },
    open_steps: [],
    next: null,
  });
});

test('documents failed reviews', () => {
  const session = recordVerdict(BEGUN, 'a', [failedReview('out', 'a.md')]);
  const document = stepEndDocument(
    end(session, { kind: 'failed', errors: [{ review_run_each: 'step', target_file: null, message: 'gone' }] }),
  );
  expect(stepEndSchema.parse(document)).toEqual(document);
  expect(document).toMatchObject({
    status: 'needs_work',
    attempts: 1,
    feedback: expect.stringContaining('did not pass'),
    failed_reviews: [{ review_run_each: 'out', target_file: 'a.md', passed: false }],
    errors: [{ review_run_each: 'step', target_file: null, message: 'gone' }],
    open_steps: ['a'],
  });
});

test('documents a ledger failure as a warning', () => {
  const notInLedger = { kind: 'disk', action: 'write', path: 'ledger', code: 'ENOSPC' } as const;
  const document = stepEndDocument(end(NEXT, { notInLedger }));
  expect(stepEndSchema.parse(document)).toEqual(document);
  expect(document.warnings).toEqual([
    'the cost of reviewing this step is not in the ledger: ledger could not be written: the disk is full (ENOSPC).',
  ]);
});

test('documents jobs, sessions and their state', () => {
  const standing = { session: NEXT, isCurrent: true, open: begunSteps(NEXT, JOB).slice(0, 1) };
  const aborting = { ...BEGUN, end: { kind: 'aborted', at: NOW, explanation: 'Why.' } } as const;
  const abortion = { session: aborting, isCurrent: true, open: [] };
  const list = workflowsDocument({ jobs: [JOB], problems: [], sessions: [standing, abortion], unreadable: [] });
  expect(workflowsSchema.parse(list)).toEqual(list);
  expect(list).toMatchObject({
    jobs: [{ name: 'study', workflows: [{ steps: [['a'], ['b', 'c']] }] }],
    sessions: [{ session_id: 'ab12', open_steps: [{ step_id: 'b' }] }],
  });
  const status = workflowStatusDocument([standing, abortion], ['careful']);
  expect(workflowStatusSchema.parse(status)).toEqual(status);
  expect(status.sessions.map((entry) => entry.status)).toEqual(['active', 'aborted']);
  const document = sessionDocument(abortion.session);
  expect(workflowAbortSchema.parse(document)).toEqual(document);
  expect(document).toMatchObject({
    explanation: 'Why.',
    ended_at: NOW,
    steps: [{ status: 'open' }, { status: 'waiting' }, {}],
  });
  expect(sessionDocument(NEXT).steps[0]).toMatchObject({
    status: 'finished',
    notes: 'Notes.',
    outputs: { out: 'a.md' },
  });
});
