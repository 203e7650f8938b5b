import type { RepoPath } from '@onceover/base/kernel/ids';
import { failedReview, jobOf, NOW, sessionOf, stepOf } from '@onceover/testing/workflow/samples.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  changeStep,
  finishStep,
  isCurrent,
  openSteps,
  recordPass,
  recordVerdict,
} from '../../src/workflows/session.ts';
import type { Job, WorkflowSession } from '../../src/workflows/types.ts';

const LATER = '2026-03-01T13:00:00.000Z';
const done = (path: string) => ({ at: LATER, outputs: { out: path }, notes: null, override: null });
const open = (session: WorkflowSession) => openSteps(session).map(({ id }) => id);

describe('finishing a step', () => {
  const job = jobOf(
    ['a', 'b', 'c', 'd'].map((id) => stepOf(id)),
    [['a'], ['b', 'c'], ['d']],
  );

  test.each<[title: string, finished: readonly string[], begun: readonly string[], open: readonly string[]]>([
    ['starts nothing else at first', [], [], ['a']],
    ['starts all steps of the next group', ['a'], ['b', 'c'], ['b', 'c']],
    ['starts nothing while another step of the group is open', ['a', 'c'], [], ['b']],
    ['starts the next group when all steps are finished', ['a', 'c', 'b'], ['d'], ['d']],
    ['completes the session', ['a', 'b', 'c', 'd'], [], []],
  ])('%s', (_, finished, begun, opened) => {
    let session = sessionOf(job);
    let last: readonly string[] = [];
    for (const id of finished) {
      const before = open(session);
      session = finishStep(session, id, done(`${id}.md`));
      last = open(session).filter((one) => !before.includes(one));
    }
    expect(last).toEqual(begun);
    expect(open(session)).toEqual(opened);
    expect(session.end).toEqual(finished.length === 4 ? { kind: 'completed', at: LATER } : null);
    for (const { id, begunAt, finished: state } of session.steps) {
      expect(state).toEqual(finished.includes(id) ? done(`${id}.md`) : null);
      expect(begunAt).toBe(id === 'a' ? NOW : opened.includes(id) || finished.includes(id) ? LATER : null);
    }
  });

  test('keeps verdicts, passes and instructions per step', () => {
    let session = sessionOf(job);
    for (const digest of ['x', 'y', 'y', 'z']) session = recordPass(session, 'a', digest);
    session = recordVerdict(session, 'a', [failedReview('step')]);
    session = recordVerdict(session, 'a', []);
    const instructed = { digest: 'd', file: 'x.md' as RepoPath, at: NOW };
    session = changeStep(session, 'a', { instructed });
    expect(session.steps[0]).toMatchObject({ passed: ['x', 'y', 'z'], attempts: 2, failed: [], instructed });
    expect(session.steps[1]).toEqual(sessionOf(job).steps[1]);
  });
});

test.each([
  ['unchanged', [['a'], ['b', 'c']], true],
  ['with another step', [['a'], ['b', 'c'], ['d']], false],
  ['without a step', [['a'], ['b']], false],
  ['with a different step', [['a'], ['b', 'd']], false],
  ['in a different order', [['b'], ['a', 'c']], false],
  ['in different groups', [['a'], ['b'], ['c']], false],
])('knows if a session is current, with the workflow %s', (_, groups, current) => {
  const steps = ['a', 'b', 'c', 'd'].map((id) => stepOf(id));
  const session = sessionOf(jobOf(steps, [['a'], ['b', 'c']]));
  expect(isCurrent(session, { name: 'full', summary: '', steps: groups })).toBe(current);
});

describe('for any job and order of finishing', () => {
  /** A workflow with a number of steps per group, and the open step to finish each time. */
  const story = fc.record({
    sizes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }),
    choices: fc.array(fc.nat(100), { minLength: 24, maxLength: 24 }),
  });

  function jobWith(sizes: readonly number[]): Job {
    const groups = sizes.map((size, g) => Array.from({ length: size }, (_, k) => `s${g}_${k}`));
    const steps = groups.flatMap((group, g) =>
      group.map((id) => stepOf(id, { dependencies: groups.slice(0, g).flat() })),
    );
    return jobOf(steps, groups);
  }

  test('starts every step once, after its dependencies, and loses no output', () => {
    fc.assert(
      fc.property(story, ({ sizes, choices }) => {
        const job = jobWith(sizes);
        let session = sessionOf(job);
        const begun = [...open(session)];
        const finished: string[] = [];
        for (const choice of choices) {
          const there = open(session);
          const id = there[choice % Math.max(1, there.length)];
          if (id === undefined) break;
          const before = session;
          session = finishStep(session, id, done(`${id}.md`));
          finished.push(id);
          const started = open(session).filter((one) => !there.includes(one));
          for (const one of started) {
            expect(begun).not.toContain(one);
            const needs = job.steps.find((step) => step.id === one)?.dependencies ?? [];
            expect(needs.every((need) => finished.includes(need))).toBe(true);
          }
          begun.push(...started);
          for (const step of before.steps) {
            if (step.finished === null) continue;
            expect(session.steps.find((one) => one.id === step.id)?.finished).toEqual(step.finished);
          }
        }
        expect(begun.toSorted()).toEqual(job.steps.map(({ id }) => id).toSorted());
        expect(session.end?.kind).toBe('completed');
        expect(session.steps.map((step) => step.finished?.outputs)).toEqual(
          session.steps.map(({ id }) => ({ out: `${id}.md` })),
        );
      }),
    );
  });
});
