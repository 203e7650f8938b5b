import type { LoopRound } from '@onceover/gates/fix-loop/decide-end';
import type { RunOutcome } from '@onceover/gates/result/types';
import { CHECK_FAILED, gateOutcome, reported, runOutcome, slotOutcome } from './run-samples.ts';

/** A run that failed with these open findings; a name with a colon stands for a failing check. */
export function failedRun(open: readonly string[], differs: Partial<RunOutcome> = {}): RunOutcome {
  const checks = open.filter((name) => name.includes(':'));
  const findings = open.filter((name) => !name.includes(':'));
  const review = gateOutcome({
    status: 'fail',
    why: 'open-findings',
    slots: [slotOutcome({ status: 'fail' })],
  });
  return runOutcome({
    status: 'failed',
    exitCode: 1,
    gates: [review, ...checks.map((id) => ({ ...CHECK_FAILED, id: id as `check:${string}` }))],
    findings: findings.map((id) => reported({ id, anchor: { text: id, occurrence: 1 } })),
    ...differs,
  });
}

/** A round of a fix loop without a fix; default: a run that passed. */
export function loopRound(differs: Partial<LoopRound> = {}): LoopRound {
  return { run: runOutcome(), tree: 't1', dispatches: 2, tolerated: new Set(), fix: null, ...differs };
}
