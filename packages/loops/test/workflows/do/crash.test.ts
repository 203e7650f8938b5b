import { jobOf, output, reviewOf, stepOf } from '@onceover/testing/workflow/samples.ts';
import { type Verdict, type WorkflowWorld, workflowWorld } from '@onceover/testing/workflow/world.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WorkflowSessions } from '../../../src/workflows/record/sessions.ts';
import { openSteps } from '../../../src/workflows/session.ts';
import type { Job, WorkflowSession } from '../../../src/workflows/types.ts';

/** Jobs with groups of steps; each step has its own files and reviews. */
const jobs = fc
  .array(
    fc.array(fc.record({ files: fc.integer({ min: 1, max: 3 }), reviewed: fc.boolean() }), {
      minLength: 1,
      maxLength: 3,
    }),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((groups): Job => {
    const steps = groups.map((group, g) =>
      group.map(({ reviewed }, k) => {
        const id = `s${g}_${k}`;
        return stepOf(id, {
          outputs: output(id, { type: 'files' }),
          dependencies: g === 0 ? [] : (groups[g - 1] ?? []).map((_, n) => `s${g - 1}_${n}`),
          reviews: reviewed ? [reviewOf(id), reviewOf('step', { criteria: { All: 'All?' } })] : [],
        });
      }),
    );
    return jobOf(
      steps.flat(),
      steps.map((group) => group.map(({ id }) => id)),
    );
  });

const stories = fc.record({
  job: jobs,
  files: fc.integer({ min: 1, max: 3 }),
  /** The open step to work on, the verdicts, and the write at which the process dies. */
  turns: fc.array(
    fc.record({
      choice: fc.nat(10),
      verdicts: fc.array(fc.constantFrom<Verdict>('pass', 'pass', 'fail', 'crash'), { minLength: 1, maxLength: 4 }),
      dies: fc.option(fc.record({ after: fc.nat(4), written: fc.boolean() }), { nil: null, freq: 2 }),
    }),
    { maxLength: 25 },
  ),
});

class Died extends Error {}

/** Returns sessions whose process may die at a write: before it, or right after it. */
function mortal(sessions: WorkflowSessions, death: { in: number | null; written: boolean }): WorkflowSessions {
  return {
    ...sessions,
    async update(id, change) {
      if (death.in === null) return sessions.update(id, change);
      death.in -= 1;
      if (death.in >= 0) return sessions.update(id, change);
      if (death.written) await sessions.update(id, change);
      throw new Died();
    },
  };
}

/** Returns everything that must not be lost: finished steps with their outputs, verdicts, passes. */
function expectKept(before: WorkflowSession, after: WorkflowSession): void {
  for (const [i, step] of before.steps.entries()) {
    const now = after.steps[i];
    if (step.finished !== null) expect(now?.finished).toEqual(step.finished);
    if (step.begunAt !== null) expect(now?.begunAt).toBe(step.begunAt);
    expect(now?.attempts).toBeGreaterThanOrEqual(step.attempts);
    for (const digest of step.passed) expect(now?.passed).toContain(digest);
  }
}

async function finishAny(world: WorkflowWorld, choice: number, files: number): Promise<void> {
  const session = await world.session();
  const open = openSteps(session);
  const step = open[choice % Math.max(1, open.length)];
  if (step === undefined) return;
  const paths = Array.from({ length: files }, (_, n) => `${step.id}/${n}.md`);
  for (const path of paths) world.files.set(path, path);
  try {
    await world.finish({ [step.id]: paths }, { step: step.id });
  } catch (error) {
    if (!(error instanceof Died)) throw error;
  }
}

test('loses nothing and can complete the workflow after a crash at any write', async () => {
  await fc.assert(
    fc.asyncProperty(stories, async ({ job, files, turns }) => {
      const death: { in: number | null; written: boolean } = { in: null, written: false };
      const world = workflowWorld(job, (sessions) => mortal(sessions, death));
      await world.start();
      for (const { choice, verdicts, dies } of turns) {
        death.in = dies?.after ?? null;
        death.written = dies?.written ?? false;
        let callCount = 0;
        world.verdict = () => verdicts[callCount++ % verdicts.length] ?? 'pass';
        const before = await world.session();
        if (before.end !== null) break;
        await finishAny(world, choice, files);
        expectKept(before, await world.session());
      }
      death.in = null;
      world.verdict = () => 'pass';
      for (let n = 0; n <= job.steps.length; n++) await finishAny(world, 0, files);
      const { end, steps } = await world.session();
      expect(end).toMatchObject({ kind: 'completed' });
      for (const { id, finished, begunAt } of steps) {
        const dependencies = job.steps.find((step) => step.id === id)?.dependencies ?? [];
        const times = dependencies.map((need) => steps.find((step) => step.id === need)?.finished?.at ?? '');
        expect(times.every((at) => at !== '' && at <= (begunAt ?? ''))).toBe(true);
        expect(Object.keys(finished?.outputs ?? {})).toEqual([id]);
      }
    }),
    { numRuns: 100 },
  );
});

test('never repeats a review that passed on the same files, whatever happens in between', async () => {
  await fc.assert(
    fc.asyncProperty(stories, async ({ job, files, turns }) => {
      const world = workflowWorld(job);
      await world.start();
      const passedKeys = new Set<string>();
      for (const { choice, verdicts } of turns) {
        let callCount = 0;
        world.verdict = (call) => {
          const key = JSON.stringify([call.files, call.criteria]);
          expect(passedKeys).not.toContain(key);
          const verdict = verdicts[callCount++ % verdicts.length] ?? 'pass';
          if (verdict === 'pass') passedKeys.add(key);
          return verdict;
        };
        if ((await world.session()).end !== null) break;
        await finishAny(world, choice, files);
      }
    }),
    { numRuns: 60 },
  );
});
