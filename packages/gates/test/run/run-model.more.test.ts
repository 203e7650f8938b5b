import { type Played, play } from '@onceover/testing/run-model/play.ts';
import type { Setup } from '@onceover/testing/run-model/setup.ts';
import { type Step, setups, step } from '@onceover/testing/run-model/steps.ts';
import { fails, resolve, restore, run, says, write } from '@onceover/testing/run-model/story.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

// A fixed seed, so that a failure is caused by the change. RUN_MODEL_SEED=random and RUN_MODEL_SECONDS search for new stories.
// A failure prints its seed and path: set RUN_MODEL_SEED and RUN_MODEL_PATH to replay it.
const SECONDS = Number(process.env['RUN_MODEL_SECONDS'] ?? 15);
const SEED = process.env['RUN_MODEL_SEED'] ?? '2026';
const PATH = process.env['RUN_MODEL_PATH'];
const MOST_STEPS = 40;

/** The calls of a port at which a run dies, from the first to one after the last. */
const DEATHS = Array.from({ length: 60 }, (_, i) => 1 + i * 2);

describe('runs compared with a model of the definitions', () => {
  test(
    'for any sequence of actions, a run calls the reviewers that the definitions require, and passes only what they let pass',
    async () => {
      const steps = fc.array(step, { minLength: 1, maxLength: MOST_STEPS, size: 'max' });
      const played: Played = { steps: 0, runs: 0, looks: 0, passed: 0, rested: 0 };
      await fc.assert(
        fc.asyncProperty(setups, steps, async (setup, rest) => {
          const one = await play(setup, [write('src/a.ts', 'one bad'), ...rest]);
          for (const key of ['steps', 'runs', 'looks', 'passed', 'rested'] as const) played[key] += one[key];
        }),
        {
          numRuns: Number.MAX_SAFE_INTEGER,
          interruptAfterTimeLimit: SECONDS * 1000,
          ...(SEED === 'random' ? {} : { seed: Number(SEED) }),
          ...(PATH === undefined ? {} : { path: PATH }),
        },
      );
      if (process.env['RUN_MODEL_SECONDS'] !== undefined) console.info(played);
      // Stories without runs and passes would prove nothing.
      expect(played.runs).toBeGreaterThan(played.steps / 7);
      expect(played.looks).toBeGreaterThan(played.steps / 7);
      expect(played.passed).toBeGreaterThan(played.steps / 20);
      expect(played.rested).toBeGreaterThan(played.steps / 80);
    },
    (SECONDS + 60) * 1000,
  );

  test.each<[string, Partial<Setup>, Step[]]>([
    [
      'a slot that failed the current content is not skipped because it passed other content',
      {},
      [
        write('src/a.ts', 'one bad'),
        run(says(), fails('src/a.ts')),
        write('src/a.ts', 'two'),
        run(says(), says({ words: ['fixed'] })),
        write('src/b.ts', 'two'),
        run(),
        restore('src/b.ts'),
        write('src/a.ts', 'one bad'),
        run(),
      ],
    ],
    [
      'a slot that was skipped because of a waiver reviews other content again',
      {},
      [
        write('src/a.ts', 'one bad'),
        run(fails('src/b.ts'), fails('src/a.ts')),
        resolve('skipped'),
        run(fails('src/b.ts'), says()),
        write('src/a.ts', 'two'),
        run(),
      ],
    ],
    [
      'a waiver counts in every scope',
      {},
      [
        write('src/a.ts', 'one bad'),
        run(fails('src/a.ts')),
        resolve('skipped'),
        { ...run(fails('src/a.ts')), what: 'uncommitted' },
      ],
    ],
    [
      'a stale review closes no finding',
      {},
      [
        write('src/a.ts', 'bad'),
        run(says({ status: 'fail' })),
        run(says({ ...fails('src/a.ts'), edit: { path: 0, text: 6 } })),
        run(),
      ],
    ],
    [
      'silence closes no finding if the file is unchanged, with or without an entry',
      {},
      [write('src/a.ts', 'one bad'), run(fails('src/b.ts', 'one')), { do: 'chmod', path: 1 }, run()],
    ],
    [
      'an error is not a review: the rerun threshold does not apply after it',
      { rerunNewIssueThreshold: 'critical' },
      [
        write('src/a.ts', 'one bad'),
        run(fails('src/a.ts')),
        { do: 'switch', branch: 'side' },
        run(says({ kind: 'error' })),
        run(fails('src/a.ts', 'one')),
      ],
    ],
    [
      'a pass by another tool lets a slot be skipped, and is not proof',
      { unchangedGates: 'rest' },
      [
        { do: 'foreign', gate: 0, slot: 1, status: 'pass' },
        { do: 'foreign', gate: 0, slot: 2, status: 'skipped_prior_pass', passIteration: 1 },
        { do: 'foreign', gate: 0, slot: 1, status: 'skipped_prior_pass' },
        write('src/a.ts', 'one bad'),
        run(),
        run(),
      ],
    ],

    [
      'the records of a check are archived if it has no changes left',
      {},
      [write('src/a.ts', 'two'), run(), restore('src/a.ts'), run()],
    ],
    [
      'a slot with warnings is never skipped, even if it did not repeat them',
      { failOn: 'high' },
      [
        write('src/a.ts', 'one bad'),
        run(says(), says({ reports: [{ file: 0, line: 2, code: 'bad', priority: 'low' }] }), says()),
        write('src/b.ts', 'two'),
        run(),
        write('src/b.ts', 'bad'),
        run(),
      ],
    ],
    [
      'failing iterations before a claim no longer count, even after the claim is refuted',
      { maxRetries: 1 },
      [write('src/a.ts', 'one bad'), run(fails('src/a.ts')), resolve('fixed'), run(says({ words: ['open'] })), run()],
    ],
    [
      'a path selects the checks of changes below it',
      {},
      [write('src/b.ts', 'two'), { ...run(), what: 'path', which: 1 }],
    ],
    [
      'failing iterations before a gate passed no longer count, even if nothing ran when it passed',
      { maxRetries: 0 },
      [
        write('src/a.ts', 'one bad'),
        run(),
        write('src/b.ts', 'bad'),
        run(fails('src/b.ts')),
        restore('src/b.ts'),
        run(),
        write('src/b.ts', 'two'),
        run(),
      ],
    ],
    [
      'a check that fails on a tree no longer passes there',
      {},
      [write('src/a.ts', 'two'), run(), { ...run(), how: 'fresh', checks: [{ passes: false, edit: null }] }],
    ],
    [
      'a finding that is reported again is no longer claimed as fixed',
      {},
      [
        write('src/a.ts', 'one bad'),
        run(fails('src/a.ts')),
        resolve('fixed'),
        write('src/a.ts', 'two'),
        run(),
        write('src/a.ts', 'one bad'),
        run(fails('src/a.ts')),
      ],
    ],
    [
      'open findings of a removed gate leave nothing to certify',
      { certify: true },
      [
        write('src/a.ts', 'one bad'),
        run(says(), says(), says(), fails('src/a.ts')),
        { do: 'security' },
        write('src/b.ts', 'two'),
        run(),
      ],
    ],
    [
      'a warning that counts as open now fails its slot',
      { failOn: 'high' },
      [
        write('src/a.ts', 'one bad'),
        run(says({ reports: [{ file: 0, line: 2, code: 'bad', priority: 'low' }] })),
        { do: 'settings', change: { failOn: 'low' } },
        run(),
      ],
    ],
    [
      'a review of a selected path that was reverted in the meantime is not a pass',
      {},
      [
        write('src/a.ts', 'two'),
        write('src/b.ts', 'two'),
        { ...run(says({ edit: { path: 0, text: 1 } })), what: 'path', which: 1 },
      ],
    ],
    [
      'a check that fails and reverts its own changes has failed',
      {},
      [
        write('src/a.ts', 'two'),
        run(),
        write('packages/one/i.ts', 'two'),
        {
          ...run(),
          checks: [
            { passes: true, edit: null },
            { passes: false, edit: { path: 2, text: 1 } },
          ],
        },
      ],
    ],
    [
      'leftovers of a killed run are not a pass',
      { maxRetries: 99 },
      [
        write('src/a.ts', 'one bad'),
        ...DEATHS.map((call): Step => ({ ...run(fails('src/a.ts')), trouble: { how: 'dies', call } })),
        run(),
      ],
    ],
  ])('%s', async (_title, setup, steps) => {
    await play({ ...PLAIN, ...setup }, steps);
  });
});

const PLAIN: Setup = {
  unchangedGates: 'run',
  afterPass: 'latch',
  certify: false,
  maxRetries: 9,
  failOn: 'low',
  rerunNewIssueThreshold: 'low',
  concurrency: 1,
  budget: null,
  diffLimit: 400_000,
  counts: [2, 1, 1, 1],
  prompts: [0, 0, 0, 0],
  hasSecurity: true,
};
