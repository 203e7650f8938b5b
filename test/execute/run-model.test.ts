import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Defect, KNOWN } from '../support/run-model/defects.ts';
import { type Played, play } from '../support/run-model/play.ts';
import type { Setup } from '../support/run-model/setup.ts';
import { type Step, setups, step } from '../support/run-model/steps.ts';
import { fails, resolve, restore, run, says, write } from '../support/run-model/story.ts';

const SEQUENCES = Number(process.env['RUN_MODEL_SEQUENCES'] ?? 150);
const STEPS = Number(process.env['RUN_MODEL_STEPS'] ?? 40);
const SEED = process.env['RUN_MODEL_SEED'];
const HOURS = 10 * 3_600_000;

/** Calls of a port at which a run dies, from the first to beyond the last that it makes. */
const DEATHS = Array.from({ length: 60 }, (_, i) => 1 + i * 2);

describe('runs, beside a model of the definitions', () => {
  test(
    'whatever people do, a run asks for what the definitions ask for, and passes only what holds',
    async () => {
      const steps = fc.array(step, { minLength: 1, maxLength: STEPS, size: 'max' });
      const played: Played = { runs: 0, looks: 0, passed: 0, rested: 0 };
      await fc.assert(
        fc.asyncProperty(setups, steps, async (setup, rest) => {
          const one = await play(setup, [write('src/a.ts', 'one bad'), ...rest], KNOWN);
          for (const key of ['runs', 'looks', 'passed', 'rested'] as const) played[key] += one[key];
        }),
        { numRuns: SEQUENCES, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
      );
      // Steps that lead nowhere would prove nothing.
      expect(played.runs).toBeGreaterThan(SEQUENCES * 3);
      expect(played.looks).toBeGreaterThan(SEQUENCES * 3);
      expect(played.passed).toBeGreaterThan(SEQUENCES);
      expect(played.rested).toBeGreaterThan(SEQUENCES / 4);
    },
    HOURS,
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
      {},
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
      'what a killed run left behind is no pass',
      { maxRetries: 99 },
      [
        write('src/a.ts', 'one bad'),
        ...DEATHS.map((call): Step => ({ ...run(fails('src/a.ts')), trouble: { how: 'dies', call } })),
        run(),
      ],
    ],
  ])('%s', async (_title, setup, steps) => {
    await play({ ...PLAIN, ...setup }, steps, KNOWN);
  });

  for (const [defect, setup, steps] of stories()) {
    // defect: see KNOWN
    test.fails(`defect: ${defect}`, async () => {
      await play({ ...PLAIN, ...setup }, steps, { ...KNOWN, [defect]: false });
    });
  }

  test('every known defect has a story', () => {
    expect(
      stories()
        .map(([defect]) => defect)
        .sort(),
    ).toEqual(Object.keys(KNOWN).sort());
  });
});

/** How each defect comes to light. */
function stories(): [Defect, Partial<Setup>, Step[]][] {
  return [
    ['checkRecordsStay', {}, [write('src/a.ts', 'two'), run(), restore('src/a.ts'), run()]],
    [
      'warningsForgotten',
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
      'refutedClaimCounts',
      { maxRetries: 1 },
      [write('src/a.ts', 'one bad'), run(fails('src/a.ts')), resolve('fixed'), run(says({ words: ['open'] })), run()],
    ],
    ['checksByFolder', {}, [write('src/b.ts', 'two'), { ...run(), what: 'path', which: 1 }]],
    [
      'heldByRecords',
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
      'failedCheckHolds',
      {},
      [write('src/a.ts', 'two'), run(), { ...run(), how: 'fresh', checks: [{ passes: false, edit: null }] }],
    ],
    [
      'oldClaimStands',
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
      'emptyCertify',
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
      'warningTurnedOpen',
      { failOn: 'high' },
      [
        write('src/a.ts', 'one bad'),
        run(says({ reports: [{ file: 0, line: 2, code: 'bad', priority: 'low' }] })),
        { do: 'settings', change: { failOn: 'low' } },
        run(),
      ],
    ],
  ];
}

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
