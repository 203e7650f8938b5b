import { isOpen } from '../domain/finding.ts';
import type { GateId } from '../domain/gate.ts';
import type { GateOutcome, RunNotice, RunOutcome, ToldFinding } from '../domain/run.ts';
import { tellGateDetail } from '../text/gate-reason.ts';
import { SLOT_WORDS, tellRunNotice, tellStanding } from '../text/run.ts';
import { tellResult } from '../text/run-result.ts';

/** A run that has ended, as reports tell it. */
export type EndedRun =
  | { readonly kind: 'judged'; readonly outcome: RunOutcome }
  /** Something kept it from an outcome: nothing can be said of any gate. */
  | {
      readonly kind: 'not-judged';
      readonly status: 'error' | 'lock_conflict' | 'interrupted';
      readonly exitCode: 2 | 3 | 130;
      readonly what: string;
      readonly next: string;
    };

/** Something other than a finding that keeps a run from exit code 0. */
export type Obstacle = {
  /** Null: it is not about one gate. */
  readonly gate: GateId | null;
  /** False: nobody could say whether it is right or wrong. */
  readonly isJudged: boolean;
  readonly text: string;
  /** What a command printed. */
  readonly output: string | null;
};

/** The exit code of a run, were there no reports to write. */
export function exitCodeOf(run: EndedRun): number {
  return run.kind === 'judged' ? run.outcome.exitCode : run.exitCode;
}

/** The findings that stand: those that are closed or gone are told nowhere, so that they disappear where reports are read. */
export function standingFindings(run: EndedRun): readonly ToldFinding[] {
  if (run.kind === 'not-judged') return [];
  return run.outcome.findings.filter(({ state }) => state !== 'closed' && state !== 'gone');
}

/** Whether a finding keeps its gate from holding. */
export function isStillOpen({ state }: ToldFinding): boolean {
  return isOpen(state);
}

/** What beside findings keeps the run from exit code 0; with the open findings, never empty where it has another. */
export function obstaclesOf(run: EndedRun): readonly Obstacle[] {
  if (run.kind === 'not-judged') return [notJudged(null, `${run.what} ${run.next}`)];
  const { outcome } = run;
  const found = [...outcome.gates.flatMap(obstacleOfGate), ...outcome.notices.flatMap(obstacleOfNotice)];
  const isTold = found.length > 0 || outcome.findings.some(isStillOpen);
  return outcome.exitCode === 0 || isTold ? found : [notJudged(null, tellResult(outcome).join(' '))];
}

function obstacleOfGate(gate: GateOutcome): readonly Obstacle[] {
  switch (gate.status) {
    case 'pass':
    case 'holds':
      return [];
    case 'fail':
      // Of a review its findings tell.
      return gate.check === null
        ? []
        : [{ gate: gate.id, isJudged: true, text: tellGateDetail(gate), output: gate.check.tail }];
    case 'error':
    case 'not_run':
      return [notJudged(gate.id, tellNotJudged(gate), gate.check?.tail ?? null)];
  }
}

function obstacleOfNotice(notice: RunNotice): readonly Obstacle[] {
  return notice.kind === 'unnameable' ? [notJudged(null, tellRunNotice(notice))] : [];
}

function notJudged(gate: GateId | null, text: string, output: string | null = null): Obstacle {
  return { gate, isJudged: false, text, output };
}

function tellNotJudged(gate: GateOutcome): string {
  const slots = gate.slots.filter(({ status }) => status === 'error');
  const told = slots.map((slot) => `@${slot.slot} ${SLOT_WORDS[slot.status]}: ${tellStanding(slot)}`);
  return [`Not judged: ${tellGateDetail(gate)}`, ...told].join('; ');
}
