import type { RunOutcome } from '@onceover/gates/result/types';
import { gateOutcome, runOutcome, slotOutcome } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { matchesStory } from '../../src/demo/play.ts';

const passedSlot = slotOutcome({ status: 'pass', dispatch: 'resumed' });
const skippedSlot = slotOutcome({ slot: 2, status: 'skipped_prior_pass', dispatch: 'none', passIteration: 1 });
const act = { exitCode: 0, slots: ['pass resumed', 'rests'] } as const;

const outcome = (
  differs: Partial<RunOutcome> = {},
  slots = [passedSlot, skippedSlot],
  status: 'pass' | 'holds' = 'pass',
) => runOutcome({ exitCode: 0, gates: [gateOutcome({ status, slots })], ...differs });

test.each([
  ['as planned', outcome(), true],
  ['with another exit code', outcome({ exitCode: 1 }), false],
  ['with a reviewer that got a new session', outcome({}, [{ ...passedSlot, dispatch: 'fresh' }, skippedSlot]), false],
  ['with a reviewer that found something', outcome({}, [{ ...passedSlot, status: 'fail' }, skippedSlot]), false],
  ['with a reviewer that ran instead of being skipped', outcome({}, [passedSlot, { ...passedSlot, slot: 2 }]), false],
  ['without any reviewer', outcome({}, [passedSlot, skippedSlot], 'holds'), false],
  ['with a reviewer missing', outcome({}, [passedSlot]), false],
  ['with no gate at all', outcome({ gates: [] }), false],
])('recognises a run that went %s: %#', (_title, run, isAsPlanned) => {
  expect(matchesStory(act, run)).toBe(isAsPlanned);
});
