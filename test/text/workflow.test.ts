import { describe, expect, test } from 'vitest';
import type { RepoPath } from '../../src/domain/brand.ts';
import type { WorkflowSession } from '../../src/domain/workflow.ts';
import type { OfferedWorkflows, StepEnd } from '../../src/domain/workflow-outcome.ts';
import { begunSteps } from '../../src/plan/begun-steps.ts';
import { abortSession, finishStep, rememberInstructions, rememberVerdict } from '../../src/plan/workflow-session.ts';
import { tellStepEnd, tellWorkflowStart } from '../../src/text/workflow-end.ts';
import { tellBegunSteps } from '../../src/text/workflow-step.ts';
import { tellAborted, tellStanding, tellWorkflows, workflowWarnings } from '../../src/text/workflows.ts';
import { failedReview, jobOf, NOW, output, reviewOf, SELF, sessionOf, stepOf } from '../support/workflow/samples.ts';

const JOB = {
  ...jobOf(
    [
      stepOf('research', {
        instructions: '# Read\n\n- all of it\n',
        inputs: [{ kind: 'user', name: 'question', description: 'What to find out.' }],
        outputs: [output('notes', { type: 'files' }), output('index', { required: false })],
        reviews: [reviewOf('notes', { guidance: 'Be kind.' }), reviewOf('step'), reviewOf('index')],
      }),
      stepOf('left', {
        inputs: [
          { kind: 'file', output: 'notes', fromStep: 'research' },
          { kind: 'file', output: 'index', fromStep: 'research' },
        ],
        outputs: [output('left')],
      }),
      stepOf('right', { outputs: [] }),
    ],
    [['research'], ['left', 'right']],
  ),
  commonInfo: 'Cite.',
};
const BEGUN = sessionOf(JOB);
const DONE = { at: NOW, outputs: { notes: ['1.md', '2.md'] }, notes: null, override: null };
const SECOND = finishStep(BEGUN, 'research', DONE).session;
const steps = (session: WorkflowSession, ...ids: string[]) => begunSteps(session, JOB, ids);

describe('a step that is to be done', () => {
  test('with everything that belongs to it', () => {
    expect(tellBegunSteps(steps(BEGUN, 'research'), 'tools')).toBe(`Step research: Step research
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
  index  a file, may be left out: The index.

Reviewed before it counts as finished
  each file of notes
    Good: Is it good?
    (Be kind.)
  all outputs together
    Good: Is it good?
  index
    Good: Is it good?

When it is done:
  finished_step with session_id "ab12" and outputs {"notes": ["path", …], "index": "path" (may be left out)}`);
  });

  test('by a command', () => {
    expect(tellBegunSteps(steps(BEGUN, 'research'), 'commands')).toMatch(
      /\n {2}onceover workflow finish --session ab12 --output notes=PATH … \[--output index=PATH\]$/,
    );
  });

  test('several at once are named, each with its own call', () => {
    const told = tellBegunSteps(steps(SECOND, 'left', 'right'), 'tools');
    expect(told).toMatch(/^These steps may be done at the same time, .*: left, right\.\n\nStep left: /);
    expect(told).toContain('  notes  1.md, 2.md (from research)\n  index  left out (from research)');
    expect(told).toContain('session_id "ab12", step_id "left" and outputs {"left": "path"}');
    expect(told).toContain('session_id "ab12", step_id "right" and outputs {}');
    expect(tellBegunSteps(steps(SECOND, 'left', 'right'), 'commands')).toContain('--session ab12 --step right');
  });

  test('nothing of an author can act on a terminal', () => {
    const evil = 'a\u001b[31m\nb\rc';
    const job = jobOf([
      stepOf('a', {
        name: evil,
        description: evil,
        instructions: evil,
        reviews: [reviewOf('out', { criteria: { [evil]: evil } })],
      }),
    ]);
    const told = tellBegunSteps(begunSteps(sessionOf(job, { goal: evil }), job, ['a']), 'commands');
    expect(told).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

describe('what came of a step', () => {
  const base = { step: 'research', judged: 0, rests: [], notices: [] } as const;
  const ended = (more: Partial<StepEnd>): StepEnd =>
    ({ ...base, kind: 'finished', session: SECOND, override: null, begun: [], ...more }) as StepEnd;
  const title = (end: StepEnd) => tellStepEnd(end, 'tools').split('\n', 1)[0];

  test.each<[title: string, end: StepEnd, said: string]>([
    ['without reviews', ended({}), 'Finished: research.'],
    ['passed', ended({ judged: 2 }), 'Finished: research. 2 reviews passed.'],
    [
      'all passed before',
      ended({ rests: [{ review_run_each: 'step', target_file: null }] }),
      'Finished: research. Everything had passed before.',
    ],
    [
      'for a reason',
      ended({ override: 'A draft.' }),
      'Finished: research. No reviewer passed it; the reason is kept: A draft.',
    ],
    [
      'reviewed by itself',
      ended({ override: 'All pass.', session: { ...SECOND, reviewer: SELF } }),
      'Finished: research. Reviewed by whoever made it: All pass.',
    ],
  ])('finished %s', (_, end, said) => {
    expect(title(end)).toBe(said);
  });

  test('what rests, what begins, what is still open', () => {
    const rests = [
      { review_run_each: 'notes', target_file: '1.md' },
      { review_run_each: 'step', target_file: null },
    ];
    expect(tellStepEnd(ended({ judged: 1, rests, begun: steps(SECOND, 'left') }), 'tools')).toMatch(
      /^Finished: research\. 1 review passed\.\nNot judged again, unchanged since they passed by the same criteria: 1\.md \(notes\), all outputs together\.\n\nStep left: /,
    );
    expect(tellStepEnd(ended({}), 'tools')).toBe(
      'Finished: research.\n\nStill open: left, right. What comes after begins once they are finished.',
    );
  });

  test('the end: all outputs, and what no reviewer passed', () => {
    let session = finishStep(SECOND, 'left', { ...DONE, outputs: { left: 'l.md' }, override: 'A draft.' }).session;
    session = finishStep(session, 'right', { ...DONE, outputs: {} }).session;
    expect(tellStepEnd(ended({ step: 'right', session }), 'tools')).toBe(`Finished: right.

The workflow is complete: session ab12 (study/full).
Goal: Find out.

  research  notes: 1.md, 2.md
  left      left: l.md
  right     no outputs

Finished without a pass, for a reason:
  left      A draft.`);
  });

  test('not passed: which reviews, why, what rests, who gave no verdict, and what to do', () => {
    const end: StepEnd = {
      ...base,
      kind: 'failed',
      session: BEGUN,
      judged: 3,
      attempts: 2,
      failed: [{ ...failedReview('notes', '2.md'), feedback: 'Two\nlines.' }, failedReview('step')],
      errors: [{ runEach: 'notes', file: '3.md', said: 'It took\ntoo long.' }],
      rests: [{ review_run_each: 'notes', target_file: '1.md' }],
    };
    expect(tellStepEnd(end, 'tools')).toBe(`Not finished: 2 of 3 reviews of research did not pass (attempt 2).

2.md (notes)
  Two
  lines.
  FAIL Good
    It is bad.

all outputs together
  Not yet.
  FAIL Good
    It is bad.

Without a verdict, to be done again:
  3.md (notes): It took; too long.

Not judged again, unchanged since they passed by the same criteria: 1.md (notes).

Mend what did not pass and call finished_step again with all outputs; what passed and is unchanged is not judged again. If the reviewer is wrong, or it must stay as it is, call it with quality_review_override_reason: the reason is kept with the step.`);
    expect(tellStepEnd(end, 'commands')).toContain('call "onceover workflow finish" again');
    expect(tellStepEnd(end, 'commands')).toContain('--override "why"');
  });

  test('to be reviewed by whoever made it', () => {
    const end: StepEnd = { ...base, kind: 'instructed', session: BEGUN, file: 'review.md' as RepoPath };
    expect(tellStepEnd(end, 'tools')).toContain(
      '5. Then call finished_step again with session_id "ab12", the same outputs and quality_review_override_reason: say',
    );
    expect(tellStepEnd(end, 'commands')).toContain(
      '5. Then call "onceover workflow finish --session ab12" again with the same outputs and --override: say',
    );
  });
});

test.each([
  [false, 'Reviews are done by one.\n\nStep research'],
  [true, 'Claude Code was not found and no other reviewer was named.\nReviews are done by'],
])('a start says who reviews', (forWantOfReviewer, said) => {
  const told = tellWorkflowStart({ session: BEGUN, begun: steps(BEGUN, 'research'), forWantOfReviewer }, 'tools');
  expect(told).toContain(`Session ab12 (study/full) has begun.\n${said}`);
});

describe('what there is', () => {
  const NONE: OfferedWorkflows = { jobs: [], problems: [], sessions: [], unreadable: [] };
  const problem = { file: 'x/job.yml', line: 1, column: 2, what: { kind: 'no-criteria' } } as const;

  test('no jobs; none that can be used', () => {
    expect(tellWorkflows(NONE, 'tools')).toMatch(/^There are no jobs\./);
    expect(tellWorkflows({ ...NONE, problems: [problem] }, 'tools')).toMatch(/^There is no job that can be begun/);
  });

  test('jobs, their workflows, and what is going on', () => {
    const several = {
      ...JOB,
      workflows: [...JOB.workflows, { name: 'quick', summary: 'Less.', groups: [['research']] }],
    };
    const single = { ...JOB, name: 'full' };
    const told = tellWorkflows(
      {
        ...NONE,
        jobs: [several, single],
        sessions: [
          { session: BEGUN, isCurrent: true, open: steps(BEGUN, 'research') },
          { session: { ...BEGUN, end: { kind: 'completed', at: NOW } }, isCurrent: true, open: [] },
          { session: BEGUN, isCurrent: false, open: [] },
        ],
      },
      'commands',
    );
    expect(told).toBe(`study  Studies something.
  full   All of it.
         research → (left | right)
  quick  Less.
         research

full  Studies something.
  research → (left | right)

To begin one: onceover workflow start JOB [WORKFLOW] --goal "what for"

Going on
  ab12 (study/full): Find out.
    research: Step research (instructions: .deepwork/jobs/study/steps/research.md)
  ab12 (study/full): Find out.
    its workflow has other steps now, so it cannot be gone on with`);
  });

  test('where a session stands', () => {
    const failing = rememberVerdict(SECOND, 'left', [failedReview('left', 'l.md')]);
    const session = rememberInstructions(failing, 'right', { digest: 'x', file: 'review.md' as RepoPath, at: NOW });
    const told = tellStanding([{ session, isCurrent: true, open: [] }], 'commands');
    expect(told).toBe(`Session ab12 (study/full) has been going on since ${NOW}
Goal: Find out.
Reviews are done by one.

  research  finished  notes: 1.md, 2.md
  left      open      attempt 1 did not pass: l.md (left)
  right     open      to be reviewed: review.md`);
    expect(tellStanding([{ session, isCurrent: false, open: [] }], 'commands')).toContain('cannot be gone on with');
    expect(tellAborted(abortSession(session, 'No\ntime.', NOW))).toContain(`was aborted at ${NOW}: No; time.`);
  });

  test('what is wrong beside it', () => {
    const unreadable = [{ id: 'ab12', path: 'session_ab12.json' }];
    expect(workflowWarnings({ ...NONE, problems: [problem], unreadable })).toEqual([
      expect.stringMatching(/^x\/job\.yml:1:2: a review needs/),
      'session_ab12.json is damaged and cannot be read; the next call that may mean it puts it aside',
    ]);
  });
});
