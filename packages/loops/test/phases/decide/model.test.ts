import { phaseSetup } from '@onceover/testing/phase/player.ts';
import { playPhase } from '@onceover/testing/phase/world.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PhaseSetup } from '../../../src/phases/types.ts';

// A failure prints its seed and path; PHASE_MODEL_SECONDS runs the test for longer.
const SECONDS = Number(process.env['PHASE_MODEL_SECONDS'] ?? 5);

const setups: fc.Arbitrary<PhaseSetup> = fc
  .record({
    phase: fc.constantFrom('specify', 'create-tasks', 'implement', 'implement' as const),
    mostIterations: fc.constantFrom(1, 2, 3, 5, 5),
    fixing: fc.constantFrom('fixer', 'fixer', 'caller', 'nobody' as const),
    keepSessions: fc.boolean(),
    fresh: fc.constantFrom(false, false, false, true),
    commits: fc.boolean(),
    acceptWithNotes: fc.boolean(),
    recheckDomain: fc.boolean(),
    finalValidation: fc.constantFrom('all', 'changed' as const),
    preparations: fc.constantFrom<PhaseSetup['preparations']>([], [{ role: 'test-deepener', part: 'A' }]),
    others: fc.constantFrom<readonly string[]>([], ['codex']),
  })
  .map(({ others, phase, ...rest }) => {
    const usual = phaseSetup(phase);
    const assignments = Object.keys(usual.assigned).map((role) => [role, { agent: 'claude', others }]);
    return { ...usual, ...rest, assigned: Object.fromEntries(assignments) };
  });

describe('phases, compared with a model of their rules', () => {
  test(
    'for random events: no false approval, no review beyond the cap, and an end',
    () => {
      const ends = new Map<string, number>();
      const visits = new Map<string, number>();
      const add = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
      let runs = 0;
      fc.assert(
        fc.property(setups, fc.array(fc.nat(2 ** 30), { maxLength: 250, size: 'max' }), (setup, choices) => {
          const { end, seen } = playPhase(setup, choices);
          runs += 1;
          add(ends, end.why);
          for (const state of new Set(seen)) add(visits, state);
        }),
        { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: SECONDS * 1000 },
      );
      if (process.env['PHASE_MODEL_SECONDS'] !== undefined) console.info(runs, ends, visits);
      expect(runs).toBeGreaterThan(100);
      // The stories must reach the interesting events, or they prove nothing. A busy machine plays too few to reach
      // all.
      if (runs < 2000) return;
      for (const why of ['approved', 'cap', 'accepted-with-notes', 'stalled', 'reviewer-failed', 'fixer-failed']) {
        expect(ends.get(why) ?? 0, why).toBeGreaterThan(0);
      }
      for (const event of ['I1-R4', 'I2', 'I2-FV', 'I3', 'I7-fresh', 'I7-resumed', 'crash', 'wait-for-fix']) {
        expect(visits.get(event) ?? 0, event).toBeGreaterThan(0);
      }
    },
    (SECONDS + 30) * 1000,
  );
});
