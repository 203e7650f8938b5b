import type { RepoPath } from '@onceover/base/kernel/ids';
import { failedReview, jobOf, NOW, output, reviewOf, sessionOf, stepOf } from '@onceover/testing/workflow/samples.ts';
import { describe, expect, test } from 'vitest';
import {
  describeBegunSteps,
  describeSessionState,
  describeStepEnd,
  describeWorkflowStart,
  describeWorkflows,
  workflowWarnings,
} from '../../src/workflows/describe.ts';
import { begunSteps, changeStep, finishStep, recordVerdict, stepState } from '../../src/workflows/session.ts';
import type { OfferedWorkflows, StepEnd, WorkflowSession } from '../../src/workflows/types.ts';

const JOB = {
  ...jobOf(
    [
      stepOf('research', {
        instructions: '# Read\n\n- all of it\n',
        inputs: [{ name: 'question', description: 'What to find out.' }],
        outputs: { ...output('notes', { type: 'files' }), ...output('index', { required: false }) },
        reviews: [reviewOf('notes', { guidance: 'Be kind.' }), reviewOf('step'), reviewOf('index')],
      }),
      stepOf('left', {
        inputs: [
          { file: 'notes', from_step: 'research' },
          { file: 'index', from_step: 'research' },
        ],
        outputs: output('left'),
      }),
      stepOf('right', { outputs: {} }),
    ],
    [['research'], ['left', 'right']],
  ),
  common_job_info_provided_to_all_steps_at_runtime: 'Cite.',
};
const BEGUN = sessionOf(JOB);
const DONE = { at: NOW, outputs: { notes: ['1.md', '2.md'] }, notes: null, override: null };
const SECOND = finishStep(BEGUN, 'research', DONE);
const steps = (session: WorkflowSession) => begunSteps(session, JOB);

describe('a step that is to be done', () => {
  test('with everything that belongs to it', () => {
    expect(describeBegunSteps(steps(BEGUN), 'tools')).toBe(`Step research: Step research
Does research.

Goal: Find out.

For all steps

Cite.

Instructions (.deepwork/jobs/study/steps/research.md)

# Read

- all of it

Inputs
  question  ask the user: What to find out.

Outputs
  notes  files: The notes.
  index  a file, optional: The index.

Reviews that must pass
  each file of notes
    Good: Is it good?
    (Be kind.)
  all outputs together
    Good: Is it good?
  index
    Good: Is it good?

When research is done: finished_step with session_id "ab12", step_id "research" and outputs {"notes": ["path", …], ["index": "path"]}`);
  });

  test('by a command', () => {
    expect(describeBegunSteps(steps(BEGUN), 'commands')).toMatch(
      /\nWhen research is done: onceover workflow finish --session ab12 --step research --output notes=PATH … \[--output index=PATH\]$/,
    );
  });

  test('names parallel steps, each with its own call', () => {
    const text = describeBegunSteps(steps(SECOND), 'tools');
    expect(text).toMatch(/^You can do these steps in parallel, .*: left, right\.\n\nStep left: /);
    expect(text).toContain('  notes  1.md, 2.md (from research)\n  index  not provided (from research)');
    expect(text).toContain('session_id "ab12", step_id "left" and outputs {"left": "path"}');
    expect(text).toContain('session_id "ab12", step_id "right" and outputs {}');
    expect(describeBegunSteps(steps(SECOND), 'commands')).toContain('--session ab12 --step right');
  });

  test('removes control characters from the text of an author', () => {
    const evil = 'a\u001b[31m\nb\rc';
    const job = jobOf([
      stepOf('a', {
        name: evil,
        description: evil,
        instructions: evil,
        reviews: [reviewOf('out', { criteria: { [evil]: evil } })],
      }),
    ]);
    const text = describeBegunSteps(begunSteps(sessionOf(job, { goal: evil }), job), 'commands');
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

describe('the result of a step', () => {
  const base = { judged: 0, skipped: [], errors: [], begun: [], notInLedger: null } as const;
  const endOf = (fields: Partial<StepEnd>, id = 'research'): StepEnd => {
    const { session = SECOND } = fields;
    return { ...base, kind: 'finished', session, step: stepState(session, id), ...fields };
  };
  const title = (end: StepEnd) => describeStepEnd(end, 'tools').split('\n', 1)[0];

  test.each<[title: string, end: StepEnd, said: string]>([
    ['without reviews', endOf({}), 'Finished: research.'],
    ['passed', endOf({ judged: 2 }), 'Finished: research. 2 reviews passed.'],
    [
      'with all reviews already passed',
      endOf({ skipped: [{ review_run_each: 'step', target_file: null }] }),
      'Finished: research.',
    ],
    [
      'with a reason',
      endOf({ session: finishStep(BEGUN, 'research', { ...DONE, override: 'A draft.' }) }),
      'Finished: research. The reason is stored: A draft.',
    ],
  ])('finished %s', (_, end, heading) => {
    expect(title(end)).toBe(heading);
  });

  test('lists skipped reviews, next steps and open steps', () => {
    const reviews = [
      { review_run_each: 'notes', target_file: '1.md' },
      { review_run_each: 'step', target_file: null },
    ];
    expect(describeStepEnd(endOf({ judged: 1, skipped: reviews, begun: steps(SECOND).slice(0, 1) }), 'tools')).toMatch(
      /^Finished: research\. 1 review passed\.\nSkipped, already passed with the same files and criteria: 1\.md \(notes\), all outputs together\.\n\nStep left: /,
    );
    expect(describeStepEnd(endOf({}), 'tools')).toMatch(/^Finished: research\.\n\nSession ab12 .*left {6}open/s);
  });

  test('lists all outputs and overrides at the end', () => {
    let session = finishStep(SECOND, 'left', { ...DONE, outputs: { left: 'l.md' }, override: 'A draft.' });
    session = finishStep(session, 'right', { ...DONE, outputs: {} });
    expect(describeStepEnd(endOf({ session }, 'right'), 'tools')).toBe(`Finished: right.

Session ab12 (study/full) was completed at ${NOW}
Goal: Find out.
Reviewer: one.

  research  finished  notes: 1.md, 2.md
  left      finished  left: l.md (override: A draft.)
  right     finished  no outputs`);
  });

  test('lists failed and skipped reviews, reviews without a verdict, and the next step', () => {
    const reviews = [{ ...failedReview('notes', '2.md'), feedback: 'Two\nlines.' }, failedReview('step')];
    const end = endOf({
      kind: 'failed',
      session: changeStep(BEGUN, 'research', { attempts: 2, failed: reviews }),
      judged: 3,
      errors: [{ review_run_each: 'notes', target_file: '3.md', message: 'It took\ntoo long.' }],
      skipped: [{ review_run_each: 'notes', target_file: '1.md' }],
    });
    expect(describeStepEnd(end, 'tools')).toBe(`Not finished: 2 of 3 reviews of research did not pass (attempt 2).

2.md (notes)
  Two
  lines.
  FAIL Good
    It is bad.

all outputs together
  Not yet.
  FAIL Good
    It is bad.

These reviews have no verdict and run again:
  3.md (notes): It took; too long.

Skipped, already passed with the same files and criteria: 1.md (notes).

Fix what did not pass and call finished_step again with all outputs. Reviews that passed are skipped if their files are unchanged. If the reviewer is wrong, or the output must stay as it is, call it with quality_review_override_reason: the reason is stored with the step.`);
    expect(describeStepEnd(end, 'commands')).toContain('call "onceover workflow finish" again');
    expect(describeStepEnd(end, 'commands')).toContain('--override "why"');
  });

  test('describes a self-review', () => {
    const instruction = { digest: 'x', file: 'review.md' as RepoPath, at: NOW };
    const end = endOf({ kind: 'instructed', session: changeStep(BEGUN, 'research', { instructed: instruction }) });
    expect(describeStepEnd(end, 'tools')).toContain('1. Have the sub-agent read the review file review.md and');
    expect(describeStepEnd(end, 'tools')).toContain(
      '5. Then call finished_step again for session ab12, with the same outputs and quality_review_override_reason: say',
    );
    expect(describeStepEnd(end, 'commands')).toContain(
      '5. Then call "onceover workflow finish" again for session ab12, with the same outputs and --override "why": say',
    );
  });
});

test.each([
  [false, 'Session ab12 (study/full) '],
  [true, 'Claude Code is not installed and no other reviewer was named.\n\nSession ab12 '],
])('names the reviewer at the start (missing: %s)', (reviewerMissing, opening) => {
  const text = describeWorkflowStart({ session: BEGUN, begun: steps(BEGUN), reviewerMissing }, 'tools');
  expect(text.startsWith(opening)).toBe(true);
  expect(text).toMatch(/\nReviewer: one\.\n\n {2}research {2}open .*\n\nStep research: /s);
});

describe('the list of workflows', () => {
  const NONE: OfferedWorkflows = { jobs: [], problems: [], sessions: [], unreadable: [] };
  const problem = { file: 'x/job.yml', line: 1, column: 2, what: { kind: 'no-criteria' } } as const;

  test('says if there are no jobs, or no valid ones', () => {
    expect(describeWorkflows(NONE, 'tools')).toMatch(/^There are no jobs\./);
    expect(describeWorkflows({ ...NONE, problems: [problem] }, 'tools')).toMatch(/^No job can be started/);
  });

  test('has jobs, workflows and active sessions', () => {
    const several = {
      ...JOB,
      workflows: [...JOB.workflows, { name: 'quick', summary: 'Less.', steps: [['research']] }],
    };
    const single = { ...JOB, name: 'full' };
    const text = describeWorkflows(
      {
        ...NONE,
        jobs: [several, single],
        sessions: [
          { session: BEGUN, isCurrent: true, open: steps(BEGUN) },
          { session: { ...BEGUN, end: { kind: 'completed', at: NOW } }, isCurrent: true, open: [] },
          { session: BEGUN, isCurrent: false, open: [] },
        ],
      },
      'commands',
    );
    expect(text).toBe(`study  Studies something.
  full   All of it. research → (left | right)
  quick  Less. research

full  Studies something.
  full  All of it. research → (left | right)

To start one: onceover workflow start JOB [WORKFLOW] --goal "what for"

Session ab12 (study/full) has been active since ${NOW}
Goal: Find out.
Reviewer: one.

  research  open      instructions: .deepwork/jobs/study/steps/research.md
  left      waiting
  right     waiting

Session ab12 (study/full) has been active since ${NOW}
Goal: Find out.
Reviewer: one.
The steps of its workflow have changed, so this session cannot continue.

  research  open
  left      waiting
  right     waiting`);
  });

  test('has the state of each step', () => {
    const failing = recordVerdict(SECOND, 'left', [failedReview('left', 'l.md')]);
    const instruction = { digest: 'x', file: 'review.md' as RepoPath, at: NOW };
    const session = changeStep(failing, 'right', { instructed: instruction });
    const text = describeSessionState({ session });
    expect(text).toBe(`Session ab12 (study/full) has been active since ${NOW}
Goal: Find out.
Reviewer: one.

  research  finished  notes: 1.md, 2.md
  left      open      attempt 1 did not pass: l.md (left)
  right     open      to be reviewed: review.md`);
    expect(describeSessionState({ session, isCurrent: false })).toContain('this session cannot continue');
    const end = { kind: 'aborted', at: NOW, explanation: 'No\ntime.' } as const;
    const sessionText = describeSessionState({ session: { ...session, end }, isCurrent: false });
    expect(sessionText).toContain(`was aborted at ${NOW}: No; time.`);
    expect(sessionText).not.toContain('cannot continue');
  });

  test('warns about problems and unreadable sessions', () => {
    const unreadable = [{ id: 'ab12', path: 'session_ab12.json' }];
    expect(workflowWarnings({ ...NONE, problems: [problem], unreadable })).toEqual([
      expect.stringMatching(/^x\/job\.yml:1:2: a review needs/),
      'session_ab12.json is damaged and cannot be read; the next call that may refer to this session renames it',
    ]);
  });
});
