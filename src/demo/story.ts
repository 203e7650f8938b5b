import type { RunOutcome, SlotOutcome } from '../domain/run.ts';
import { CHANGE, type DemoFile, FIRST_FIX, SECOND_FIX } from './project.ts';

/** One run of the demo: what is written before it, and what is to come of it. */
export type DemoAct = {
  readonly writes: readonly DemoFile[];
  readonly exitCode: 0 | 1;
  /** How each reviewer stands after it, as `told` has it. */
  readonly slots: readonly string[];
};

/** The story: two mistakes, one mended, then the other, then nothing. */
export const STORY: readonly DemoAct[] = [
  { writes: CHANGE, exitCode: 1, slots: ['fail fresh', 'fail fresh', 'pass fresh'] },
  { writes: FIRST_FIX, exitCode: 1, slots: ['pass resumed', 'fail resumed', 'holds'] },
  { writes: SECOND_FIX, exitCode: 0, slots: ['rests', 'pass resumed', 'holds'] },
  { writes: [], exitCode: 0, slots: ['rests', 'holds', 'holds'] },
];

/** Whether a run went as the story has it: what is said beside it is true then, and only then. */
export function isAsTold(act: DemoAct, outcome: RunOutcome): boolean {
  const slots = outcome.gates.flatMap(({ status, slots: own }) => own.map((slot) => told(slot, status === 'holds')));
  return outcome.exitCode === act.exitCode && slots.join() === act.slots.join();
}

function told({ status, dispatch }: SlotOutcome, holds: boolean): string {
  if (status === 'skipped_prior_pass') return 'rests';
  return holds ? 'holds' : `${status} ${dispatch}`;
}
