import { type Story, tellStory } from '@onceover/testing/phase/story.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';

// Plays the same stories in every build; PHASE_STORY_SECONDS plays others, for longer. A failure prints its seed and
// path.
const SOAK = process.env['PHASE_STORY_SECONDS'];
const SECONDS = Number(SOAK ?? 3);

const stories: fc.Arbitrary<Story> = fc.record({
  phase: fc.constantFrom('specify', 'create-tasks', 'implement', 'implement' as const),
  mending: fc.constantFrom('fixer', 'fixer', 'caller', 'caller with sessions', 'nobody' as const),
  agents: fc.constantFrom(1, 2),
  canResume: fc.constantFrom(true, true, true, false),
  mostIterations: fc.constantFrom(null, null, 1, 2, 3),
  acceptWithNotes: fc.boolean(),
  commits: fc.constantFrom(true, true, false),
  preparations: fc.constantFrom<Story['preparations']>(
    [],
    [],
    [{ role: 'code-simplifier', part: null }],
    [{ role: 'test-deepener', part: 'A' }],
  ),
  settings: fc.record({
    concurrency: fc.constantFrom(1, 2, 4),
    recheckDomain: fc.boolean(),
    finalValidation: fc.constantFrom('all', 'changed' as const),
    deltaGuard: fc.constantFrom('auto', 'prompt', 'effective' as const),
    budget: fc.constantFrom(
      { usd: null, dispatches: null },
      { usd: null, dispatches: null },
      { usd: null, dispatches: 4 },
    ),
  }),
  choices: fc.array(fc.nat(2 ** 30), { maxLength: 200, size: 'max' }),
});

test(
  'for random stories: no false approval, one entry per round, one ledger entry per call',
  async () => {
    const ends = new Map<string, number>();
    const visits = new Map<string, number>();
    const add = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
    let storyCount = 0;
    await fc.assert(
      fc.asyncProperty(stories, async (story) => {
        const { end, met: states } = await tellStory(story);
        storyCount += 1;
        add(ends, end);
        for (const state of new Set(states)) add(visits, state);
      }),
      {
        numRuns: Number.MAX_SAFE_INTEGER,
        interruptAfterTimeLimit: SECONDS * 1000,
        ...(SOAK === undefined ? { seed: 1 } : {}),
      },
    );
    if (SOAK !== undefined) console.info(storyCount, ends, visits);
    // The stories must reach the interesting events, or they prove nothing. A busy machine plays too few to reach all.
    if (storyCount < 200) return;
    for (const end of ['approved', 'cap', 'stalled', 'reviewer-failed', 'not-fixed', 'forbidden-edit']) {
      expect(ends.get(end) ?? 0, end).toBeGreaterThan(0);
    }
    for (const state of [
      'I1-R4',
      'I2',
      'I2-FV',
      'I3',
      'I7-fresh',
      'I7-resumed',
      'repair',
      'prepare',
      'crash',
      'disturbed',
    ]) {
      expect(visits.get(state) ?? 0, state).toBeGreaterThan(0);
    }
  },
  (SECONDS + 30) * 1000,
);
