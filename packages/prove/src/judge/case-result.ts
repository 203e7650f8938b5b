import type { LedgerRun, LedgerSlot } from '@onceover/agents/ledger/entries';
import { addUsage, type Usage } from '@onceover/base/kernel/agent';
import type { GateId } from '@onceover/base/kernel/ids';
import type { ReportedFinding } from '@onceover/gates/findings/types';
import { isOpen } from '@onceover/gates/findings/types';
import type { GateOutcome, RunOutcome, SlotOutcome } from '@onceover/gates/result/types';
import type { CaseResult, ProofTask, ReviewerResult } from '../types.ts';
import { findsBug } from './match.ts';

/** The outcome of a test case's last round, and the cost ledger entries of all its rounds. */
export type PlayedRounds = { readonly last: RunOutcome; readonly entries: readonly LedgerRun[] };

/**
 * Returns the result of each gate that reviews the file with the bug. A gate whose reviewers reached no verdict is left
 * out, because it neither passed nor failed the test case.
 */
export function caseResults(
  task: ProofTask,
  { last, entries }: PlayedRounds,
  originalIds: ReadonlyMap<GateId, GateId>,
): readonly CaseResult[] {
  const { case: proofCase, variant, repeat } = task;
  return last.gates.flatMap((gate): readonly CaseResult[] => {
    const id = originalIds.get(gate.id);
    const verdict = verdictOf(gate);
    if (id === undefined || verdict === null) return [];
    const slots = entries.flatMap((entry) => entry.slots.filter((slot) => slot.gate === gate.id));
    const about = last.findings.filter(({ finding }) => finding.gate === gate.id);
    const hits = proofCase.planted === null ? [] : about.filter((reportedFinding) => isHit(reportedFinding, task));
    const reviewers = gate.slots.flatMap((slot) => reviewerResult(slot, slots, about, hits));
    return [
      {
        ...{
          case: proofCase.id,
          title: proofCase.title,
          source: proofCase.source,
          class: proofCase.planted?.class ?? null,
        },
        ...{ gate: id, variant, repeat, verdict },
        found: hits.length > 0,
        reviewers,
        calls: slots.reduce((sum, { asks }) => sum + asks, 0),
        usage: slots.reduce((sum: Usage | null, { usage }) => addUsage(sum, usage), null),
      },
    ];
  });
}

function verdictOf({ status }: GateOutcome): 'pass' | 'fail' | null {
  if (status === 'pass' || status === 'holds') return 'pass';
  return status === 'fail' ? 'fail' : null;
}

/** Whether a finding that still applies, as an error or as a warning, is about the planted bug. */
function isHit({ finding, state }: ReportedFinding, { case: { planted } }: ProofTask): boolean {
  return planted !== null && (isOpen(state) || state === 'warning') && findsBug(finding, planted);
}

function reviewerResult(
  { slot, status }: SlotOutcome,
  calls: readonly LedgerSlot[],
  about: readonly ReportedFinding[],
  hits: readonly ReportedFinding[],
): readonly ReviewerResult[] {
  const last = calls.filter((call) => call.slot === slot).at(-1);
  if (last === undefined || status === 'error') return [];
  const ofSlot = (list: readonly ReportedFinding[]) => list.filter(({ finding }) => finding.slot === slot);
  const hasOpen = ofSlot(about).some(({ state }) => isOpen(state));
  // A reviewer that took part only in an earlier round of the test case has neither passed nor failed the last round.
  if (status === 'not_run' && !hasOpen) return [];
  const verdict = hasOpen || status === 'fail' ? 'fail' : 'pass';
  return [{ slot, agent: last.agent, model: last.model, verdict, found: ofSlot(hits).length > 0 }];
}
