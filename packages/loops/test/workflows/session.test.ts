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
  ])('%s', (_, ids, newIds, openIds) => {
    let session = sessionOf(job);
    let last: readonly string[] = [];
    for (const id of ids) {
      const before = open(session);
      session = finishStep(session, id, done(`${id}.md`));
      last = open(session).filter((id) => !before.includes(id));
    }
    expect(last).toEqual(newIds);
    expect(open(session)).toEqual(openIds);
    expect(session.end).toEqual(ids.length === 4 ? { kind: 'completed', at: LATER } : null);
    for (const { id, begunAt, finished: state } of session.steps) {
      expect(state).toEqual(ids.includes(id) ? done(`${id}.md`) : null);
      expect(begunAt).toBe(id === 'a' ? NOW : openIds.includes(id) || ids.includes(id) ? LATER : null);
    }
  });

  test('keeps verdicts, passes and instructions per step', () => {
    let session = sessionOf(job);
    for (const digest of ['x', 'y', 'y', 'z']) session = recordPass(session, 'a', digest);
    session = recordVerdict(session, 'a', [failedReview('step')]);
    session = recordVerdict(session, 'a', []);
    const instruction = { digest: 'd', file: 'x.md' as RepoPath, at: NOW };
    session = changeStep(session, 'a', { instructed: instruction });
    expect(session.steps[0]).toMatchObject({
      passed: ['x', 'y', 'z'],
      attempts: 2,
      failed: [],
      instructed: instruction,
    });
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
        const seenIds = [...open(session)];
        const doneIds: string[] = [];
        for (const choice of choices) {
          const there = open(session);
          const id = there[choice % Math.max(1, there.length)];
          if (id === undefined) break;
          const before = session;
          session = finishStep(session, id, done(`${id}.md`));
          doneIds.push(id);
          const newIds = open(session).filter((id) => !there.includes(id));
          for (const newId of newIds) {
            expect(seenIds).not.toContain(newId);
            const needs = job.steps.find((step) => step.id === newId)?.dependencies ?? [];
            expect(needs.every((need) => doneIds.includes(need))).toBe(true);
          }
          seenIds.push(...newIds);
          for (const step of before.steps) {
            if (step.finished === null) continue;
            expect(session.steps.find((state) => state.id === step.id)?.finished).toEqual(step.finished);
          }
        }
        expect(seenIds.toSorted()).toEqual(job.steps.map(({ id }) => id).toSorted());
        expect(session.end?.kind).toBe('completed');
        expect(session.steps.map((step) => step.finished?.outputs)).toEqual(
          session.steps.map(({ id }) => ({ out: `${id}.md` })),
        );
      }),
    );
  });
});
