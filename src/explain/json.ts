import type * as z from 'zod';
import { fixResult } from '../gates/describe/logs.ts';
import { describePlan } from '../gates/describe/reasons.ts';
import { findingDocument, gateDocument, slotDocument } from '../gates/json.ts';
import type { runExplanationSchema } from '../gates/json-schema.ts';
import type { CheckRecord, FixLog, SlotRecord } from '../gates/record-types.ts';
import { definingFile, explanationSummary } from '../rules/describe.ts';
import type { explainSchema } from '../rules/json-schema.ts';
import type { ReviewExplanation } from '../rules/types.ts';
import { describeFindingState } from './describe-finding.ts';
import type { RunExplanation } from './types.ts';

/** The JSON result of `explain --json` for a review id. */
export type ExplainDocument = z.output<typeof explainSchema>;

export function explainDocument(explanation: ReviewExplanation): ExplainDocument {
  const { id, task, passed, receipt } = explanation;
  return {
    review_id: id,
    state: explanation.kind,
    why: explanationSummary(explanation),
    current_review_id: task?.id ?? null,
    rules: task?.parts.map(({ rule }) => ({ name: rule.name, defining_file: definingFile(rule) })) ?? [],
    files: [...(task?.files ?? [])],
    passed,
    passed_at: receipt?.at ?? null,
    passed_by: receipt?.by ?? null,
  };
}

/** The JSON result of `explain --json` for a gate, a slot or a finding. */
export type RunExplanationDocument = z.output<typeof runExplanationSchema>;

type GateDocument = Extract<RunExplanationDocument, { about: 'gate' }>;

type CheckDocument = Extract<RunExplanationDocument, { about: 'check' }>;

export function runExplanationDocument(explanation: RunExplanation): RunExplanationDocument {
  if (explanation.kind === 'finding') {
    const { reported, planned, fixes } = explanation;
    return {
      about: 'finding',
      finding: findingDocument(reported),
      would_be_asked: planned,
      would_change_it: [...describeFindingState(reported, planned).next],
      fixes: fixes.map(fixDocument),
    };
  }
  const runs_again = [...explanation.again];
  if (explanation.kind === 'idle-gate') {
    return { about: 'idle_gate', gate: explanation.gate, base: explanation.base, runs_again };
  }
  const { log } = explanation;
  const fixes = explanation.fixes.map(fixDocument);
  if (explanation.kind === 'check') {
    const gate = gateDocument(explanation.gate);
    const history = explanation.records.map(checkHistory);
    const { command, planned } = explanation;
    return { about: 'check', gate, command, would_run: planned, history, fixes, log, runs_again };
  }
  const { gate, slot, rubric } = explanation;
  const would_do = explanation.planned.map(describePlan);
  const findings = explanation.findings.map(findingDocument);
  const history = explanation.records.map(slotHistory);
  if (slot !== null) {
    const own = slotDocument(slot);
    return { about: 'slot', gate: gate.id, slot: own, would_do, findings, history, log, runs_again };
  }
  const files = [...explanation.files];
  const about = { about: 'gate', gate: gateDocument(gate), files, prompt: rubric } as const;
  return { ...about, would_do, findings, history, fixes, runs_again };
}

function slotHistory(record: SlotRecord): GateDocument['history'][number] {
  return {
    iteration: record.iteration,
    slot: record.slot,
    agent: record.adapter,
    status: record.status,
    dispatch: record.own?.dispatch ?? null,
    why: record.own?.error ?? record.own?.why ?? null,
    findings: record.violations.flatMap(({ id }) => id ?? []),
  };
}

function checkHistory({ iteration, status, exitCode, durationMs, why }: CheckRecord): CheckDocument['history'][number] {
  return { iteration, status, exit_code: exitCode, duration_ms: durationMs, why };
}

function fixDocument({ agent, iteration, log, path }: FixLog): GateDocument['fixes'][number] {
  return { agent, iteration, said: [...fixResult(log)], log: path };
}
