import type * as z from 'zod';
import { fixResult } from '../gates/describe/logs.ts';
import { describePlan } from '../gates/describe/reasons.ts';
import { findingDocument, gateDocument } from '../gates/json.ts';
import type { runExplanationSchema } from '../gates/json-schema.ts';
import type { CheckRecord, FixLog, SlotRecord } from '../gates/record-types.ts';
import { definingFile, explanationSummary } from '../rules/describe.ts';
import type { explainSchema } from '../rules/json-schema.ts';
import type { ReviewExplanation } from '../rules/types.ts';
import { describeRerunTrigger } from './decide-reruns.ts';
import { describeFindingNext } from './describe-finding.ts';
import type { RunExplanation } from './types.ts';

/** The answer of `explain --json` for a review id. */
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

/** The answer of `explain --json` for a gate, a slot or a finding. */
export type RunExplanationDocument = z.output<typeof runExplanationSchema>;

type GateDocument = Extract<RunExplanationDocument, { about: 'gate' }>;

type CheckDocument = Extract<RunExplanationDocument, { about: 'check' }>;

export function runExplanationDocument(explanation: RunExplanation): RunExplanationDocument {
  const runs_again = 'again' in explanation ? explanation.again.map(describeRerunTrigger) : [];
  switch (explanation.kind) {
    case 'gate':
      return {
        about: 'gate',
        gate: gateDocument(explanation.gate),
        files: [...explanation.files],
        prompt: explanation.rubric,
        would_do: explanation.planned.map(describePlan),
        findings: explanation.findings.map(findingDocument),
        history: explanation.records.map(slotHistory),
        fixes: explanation.fixes.map(fixDocument),
        runs_again,
      };
    case 'check':
      return {
        about: 'check',
        gate: gateDocument(explanation.gate),
        command: explanation.command,
        would_run: explanation.planned,
        history: explanation.records.map(checkHistory),
        fixes: explanation.fixes.map(fixDocument),
        log: explanation.log,
        runs_again,
      };
    case 'slot': {
      const gate = gateDocument({ ...explanation.gate, slots: [explanation.slot] });
      const [slot] = gate.slots;
      if (slot === undefined) throw new Error('a slot without a document');
      return {
        about: 'slot',
        gate: gate.id,
        slot,
        would_do: explanation.planned === null ? [] : [describePlan(explanation.planned)],
        findings: explanation.findings.map(findingDocument),
        history: explanation.records.map(slotHistory),
        log: explanation.log,
        runs_again,
      };
    }
    case 'idle-gate':
      return { about: 'idle_gate', gate: explanation.gate, base: explanation.base, runs_again };
    case 'finding':
      return {
        about: 'finding',
        finding: findingDocument(explanation.reported),
        would_be_asked: explanation.planned,
        would_change_it: [...describeFindingNext(explanation.reported, explanation.planned)],
        fixes: explanation.fixes.map(fixDocument),
      };
  }
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
