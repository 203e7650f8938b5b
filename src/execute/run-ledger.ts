import type { LedgerRun, Spared } from '../domain/ledger.ts';
import type { RunOutcome } from '../domain/run.ts';
import type { RunFacts } from './read-run.ts';
import { type Deeds, whyAsked } from './run-outcome.ts';
import type { RunPorts, RunRequest } from './run-ports.ts';
import type { RanSlots } from './run-slots.ts';

/** The run as the ledger has it: whoever was not asked is no part of it. */
export function ledgerRun({ clock }: RunPorts, { startedBy }: RunRequest, ended: Ended): LedgerRun {
  const { facts, deeds, outcome, spared, begun } = ended;
  const at = clock.now();
  return {
    kind: 'run',
    at: at.toISOString(),
    durationMs: Math.max(0, at.getTime() - begun.getTime()),
    startedBy,
    branch: facts.comparison.where.branch,
    scope: outcome.scope.key,
    iteration: outcome.iteration,
    status: outcome.status,
    exitCode: outcome.exitCode,
    slots: ledgerSlots(deeds.slots),
    checks: [...deeds.checks].map(([gate, { status, outcome: end }]) => ({ gate, status, durationMs: end.durationMs })),
    spared,
  };
}

type Ended = {
  readonly facts: RunFacts;
  readonly deeds: Deeds;
  readonly outcome: RunOutcome;
  readonly spared: readonly Spared[];
  readonly begun: Date;
};

function ledgerSlots({ judged, stopped }: RanSlots): LedgerRun['slots'] {
  const looks = [
    ...judged,
    ...stopped.map(({ job, answer }) => ({ ...answer, job, asks: answer.exchanges.length, status: 'error' as const })),
  ];
  return looks.flatMap(({ job, agent, model, dispatch, asks, status, usage, durationMs }) => {
    if (agent === null || dispatch === 'none') return [];
    const why = whyAsked(job, dispatch);
    const look = { agent, model, dispatch, asks, usage, durationMs: Math.round(durationMs) };
    return [{ gate: job.gate.id, slot: job.slot, status, why, ...look }];
  });
}
