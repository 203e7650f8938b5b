import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Played, play } from '../support/run-model/play.ts';
import type { Setup } from '../support/run-model/setup.ts';
import { type Step, setups, step } from '../support/run-model/steps.ts';
import { fails, resolve, restore, run, says, write } from '../support/run-model/story.ts';

// The same stories each time, so that what fails is about the change; RUN_MODEL_SEED=random and RUN_MODEL_SECONDS look for
// new ones. A failure tells its seed and path: RUN_MODEL_SEED and RUN_MODEL_PATH play it again.
const SECONDS = Number(process.env['RUN_MODEL_SECONDS'] ?? 15);
const SEED = process.env['RUN_MODEL_SEED'] ?? '2026';
const PATH = process.env['RUN_MODEL_PATH'];
const MOST_STEPS = 40;

/** Calls of a port at which a run dies, from the first to beyond the last that it makes. */
const DEATHS = Array.from({ length: 60 }, (_, i) => 1 + i * 2);

describe('runs, beside a model of the definitions', () => {
  test(
    'whatever people do, a run asks for what the definitions ask for, and passes only what holds',
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
      // Steps that lead nowhere would prove nothing.
      expect(played.runs).toBeGreaterThan(played.steps / 7);
      expect(played.looks).toBeGreaterThan(played.steps / 7);
      expect(played.passed).toBeGreaterThan(played.steps / 20);
      expect(played.rested).toBeGreaterThan(played.steps / 80);
    },
    (SECONDS + 60) * 1000,
  );

  test.each<[string, Partial<Setup>, Step[]]>([
    [
      'who failed the very content that is there again does not rest on a pass of another one',
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
      'who rested on a waiver looks again at another content',
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
      'a look that became stale closes nothing',
      {},
      [
        write('src/a.ts', 'bad'),
        run(says({ status: 'fail' })),
        run(says({ ...fails('src/a.ts'), edit: { path: 0, text: 6 } })),
        run(),
      ],
    ],
    [
      'silence closes nothing where the file is the same, with an entry or without',
      {},
      [write('src/a.ts', 'one bad'), run(fails('src/b.ts', 'one')), { do: 'chmod', path: 1 }, run()],
    ],
    [
      'errors are no look: what comes after them is not held to the threshold of reruns',
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
      'a pass by another tool lets a slot rest, and proves nothing',
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
      'the records of a check go to the archive where nothing is left to check',
      {},
      [write('src/a.ts', 'two'), run(), restore('src/a.ts'), run()],
    ],
    [
      'who has warnings never rests, also where it did not repeat them',
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
      'failing iterations before a claim count no more, also once the claim is refuted',
      { maxRetries: 1 },
      [write('src/a.ts', 'one bad'), run(fails('src/a.ts')), resolve('fixed'), run(says({ words: ['open'] })), run()],
    ],
    [
      'a path means the checks of what changed below it',
      {},
      [write('src/b.ts', 'two'), { ...run(), what: 'path', which: 1 }],
    ],
    [
      'failing iterations before a gate held count no more, also where nothing ran when it held',
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
      'a check that fails on a tree holds there no more',
      {},
      [write('src/a.ts', 'two'), run(), { ...run(), how: 'fresh', checks: [{ passes: false, edit: null }] }],
    ],
    [
      'a finding that is reported again is not claimed to be fixed any more',
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
      'what is open at a gate that is no more leaves nothing to certify',
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
      'a warning that counts as open today fails its slot',
      { failOn: 'high' },
      [
        write('src/a.ts', 'one bad'),
        run(says({ reports: [{ file: 0, line: 2, code: 'bad', priority: 'low' }] })),
        { do: 'settings', change: { failOn: 'low' } },
        run(),
      ],
    ],
    [
      'whoever looked while the path that was asked about was put back has not passed',
      {},
      [
        write('src/a.ts', 'two'),
        write('src/b.ts', 'two'),
        { ...run(says({ edit: { path: 0, text: 1 } })), what: 'path', which: 1 },
      ],
    ],
    [
      'a check that fails and takes back what it was about has failed',
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
      'what a killed run left behind is no pass',
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
