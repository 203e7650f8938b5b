import type { LedgerRun } from '@onceover/agents/ledger/entries';
import { byCodePoint, grouped } from '@onceover/base/kernel/collections';
import { describeWhy } from '@onceover/gates/result/describe/reasons';
import type { CheckRecord, SlotRecord } from '@onceover/gates/run/record-types';
import type { PageDocument } from './json-schema.ts';

type Timeline = PageDocument['timelines'][number];

type Cell = Timeline['runs'][number]['cells'][number];

/** Returns the id of a transcript, made of the gate, the reviewer (unless it is a check) and the run number. */
export function transcriptId(gate: string, slot: number | null, iteration: number): string {
  return `${gate}${slot === null ? '' : `@${slot}`}.${iteration}`;
}

/**
 * Returns the timeline of each gate, with one column per run and one cell per reviewer. If a run skipped the gate
 * because the gate had passed, only the cost ledger lists that run, and its column has one cell for the whole gate. The
 * column of a run has the same time in every gate: the end of the run, if the ledger lists the run, or the time of its
 * newest record.
 */
export function timelinesOf(
  gates: readonly string[],
  records: { readonly slots: readonly SlotRecord[]; readonly checks: readonly CheckRecord[] },
  runs: readonly LedgerRun[],
): readonly Timeline[] {
  const slots = grouped(records.slots, ({ gate }) => gate);
  const checks = grouped(records.checks, ({ gate }) => gate);
  const newest = newestByRun([...records.slots, ...records.checks]);
  return gates.map((gate) => {
    const gateRecords = [
      ...(slots.get(gate) ?? []).map((record) => ({
        iteration: record.iteration,
        at: record.timestamp,
        cell: slotCell(record),
      })),
      ...(checks.get(gate) ?? []).map((record) => ({
        iteration: record.iteration,
        at: record.timestamp,
        cell: checkCell(record),
      })),
    ];
    const columns = [...grouped(gateRecords, ({ iteration }) => iteration)].map(([iteration, runRecords]) => {
      const last = runRecords.reduce((latest, { at }) => (at > latest ? at : latest), '');
      const run = runs.find((candidate) => candidate.iteration === iteration && candidate.at >= last);
      const passCells = run === undefined ? [] : acceptedCells(run, gate);
      const cells = [...runRecords.map(({ cell }) => cell), ...passCells].sort((a, b) => (a.slot ?? 0) - (b.slot ?? 0));
      return { iteration, at: run?.at ?? newest.get(iteration) ?? last, cells };
    });
    const times = new Set(columns.map(({ at }) => at));
    const furtherRuns = runs
      .filter(({ at }) => !times.has(at))
      .flatMap((run) => {
        const passCells = acceptedCells(run, gate);
        const isUnneeded = run.spared.some((saving) => saving.gate === gate && saving.lever === 'pass');
        const cells = passCells.length > 0 ? passCells : isUnneeded ? [CACHED] : [];
        return cells.length === 0 ? [] : [{ iteration: run.iteration, at: run.at, cells }];
      });
    return { gate, runs: [...columns, ...furtherRuns].sort((a, b) => byCodePoint(a.at, b.at)) };
  });
}

/** Returns the time of the newest record of each run. A run in progress is not in the ledger yet. */
function newestByRun(records: readonly (SlotRecord | CheckRecord)[]): ReadonlyMap<number, string> {
  const newest = new Map<number, string>();
  for (const { iteration, timestamp } of records) {
    if (timestamp > (newest.get(iteration) ?? '')) newest.set(iteration, timestamp);
  }
  return newest;
}

const CACHED: Cell = {
  slot: null,
  kind: 'cached',
  status: 'skipped',
  agent: null,
  detail: 'unchanged since it passed, so no reviewer ran',
  duration_ms: null,
  findings: 0,
  transcript: null,
};

/** Returns a cell for each pass from another clone that counted for the gate in this run. */
function acceptedCells({ accepted = [] }: LedgerRun, gate: string): Cell[] {
  return accepted
    .filter((pass) => pass.gate === gate)
    .map(({ slot, agent, signers }) => ({
      ...{ slot, kind: 'accepted', status: 'pass', agent, duration_ms: null, findings: 0, transcript: null },
      detail: `accepted from another clone, signed by ${signers.join(', ')}`,
    }));
}

function slotCell({ gate, slot, iteration, adapter, status, passIteration, violations, own }: SlotRecord): Cell {
  const isSkipped = status === 'skipped_prior_pass';
  const dispatch = own?.dispatch === 'fresh' || own?.dispatch === 'resumed' ? own.dispatch : 'unknown';
  const reason = own?.error ?? (own === null ? 'written by another tool' : describeWhy(own.why));
  return {
    slot,
    kind: isSkipped ? 'skipped' : dispatch,
    status: isSkipped ? 'skipped' : status,
    agent: adapter,
    detail: isSkipped ? `already passed in run ${passIteration ?? '?'}` : reason,
    duration_ms: own?.durationMs ?? null,
    findings: violations.length,
    transcript: isSkipped ? null : transcriptId(gate, slot, iteration),
  };
}

function checkCell({ gate, iteration, status, command, why, durationMs }: CheckRecord): Cell {
  return {
    slot: null,
    kind: 'check',
    status,
    agent: null,
    detail: why === null ? command : `${command}: ${why}`,
    duration_ms: durationMs,
    findings: 0,
    transcript: transcriptId(gate, null, iteration),
  };
}
