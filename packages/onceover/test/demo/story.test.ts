import type { RunOutcome } from '@onceover/gates/result/types';
import { gateOutcome, runOutcome, slotOutcome } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { matchesStory } from '../../src/demo/play.ts';

const passed = slotOutcome({ status: 'pass', dispatch: 'resumed' });
const rests = slotOutcome({ slot: 2, status: 'skipped_prior_pass', dispatch: 'none', passIteration: 1 });
const act = { exitCode: 0, slots: ['pass resumed', 'rests'] } as const;

const outcome = (differs: Partial<RunOutcome> = {}, slots = [passed, rests], status: 'pass' | 'holds' = 'pass') =>
  runOutcome({ exitCode: 0, gates: [gateOutcome({ status, slots })], ...differs });

test.each([
  ['as planned', outcome(), true],
  ['with another exit code', outcome({ exitCode: 1 }), false],
  ['with a reviewer that got a new session', outcome({}, [{ ...passed, dispatch: 'fresh' }, rests]), false],
  ['with a reviewer that found something', outcome({}, [{ ...passed, status: 'fail' }, rests]), false],
  ['with a reviewer that ran instead of being skipped', outcome({}, [passed, { ...passed, slot: 2 }]), false],
  ['without any reviewer', outcome({}, [passed, rests], 'holds'), false],
  ['with a reviewer missing', outcome({}, [passed]), false],
  ['with no gate at all', outcome({ gates: [] }), false],
])('recognises a run that went %s: %#', (_title, run, expected) => {
  expect(matchesStory(act, run)).toBe(expected);
});
