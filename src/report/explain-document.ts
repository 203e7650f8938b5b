import type { ReviewExplanation, RunExplanation } from '../domain/explanation.ts';
import type { FixLog } from '../domain/ports.ts';
import type { CheckRecord, SlotRecord } from '../domain/record.ts';
import type { ReviewTask } from '../domain/task.ts';
import { explanationSummary } from '../text/explain.ts';
import { tellFindingNext } from '../text/explain-finding.ts';
import { fixResult } from '../text/fix-log.ts';
import { definingFile } from '../text/rules.ts';
import { tellRunsAgain } from '../text/runs-again.ts';
import { tellPlan } from '../text/slots.ts';
import { type FindingDocument, findingDocument, gateDocument, type RunDocument } from './run-document.ts';

/** What `explain --json` answers with for a review id. */
export type ExplainDocument = {
  review_id: string;
  state: ReviewExplanation['kind'];
  why: string;
  current_review_id: string | null;
  rules: { name: string; defining_file: string }[];
  files: string[];
  passed: boolean;
  passed_at: string | null;
  passed_by: string | null;
};

export function explainDocument(explanation: ReviewExplanation): ExplainDocument {
  const task: ReviewTask | null =
    explanation.kind === 'not-asked-for' ? null : explanation.kind === 'changed' ? explanation.now : explanation.task;
  const receipt = 'receipt' in explanation ? explanation.receipt : (explanation.mark?.receipt ?? null);
  return {
    review_id: 'id' in explanation ? explanation.id : explanation.task.id,
    state: explanation.kind,
    why: explanationSummary(explanation),
    current_review_id: task?.id ?? null,
    rules: task?.parts.map(({ rule }) => ({ name: rule.name, defining_file: definingFile(rule) })) ?? [],
    files: [...(task?.files ?? [])],
    passed: 'passed' in explanation ? explanation.passed : explanation.mark !== null,
    passed_at: receipt?.at ?? null,
    passed_by: receipt?.by ?? null,
  };
}

/** What `explain --json` answers with for a gate, a slot or a finding. */
export type RunExplanationDocument =
  | {
      about: 'gate';
      gate: RunDocument['gates'][number];
      files: string[];
      prompt: string | null;
      would_do: string[];
      findings: FindingDocument[];
      history: HistoryDocument[];
      fixes: FixDocument[];
      runs_again: string[];
    }
  | {
      about: 'check';
      gate: RunDocument['gates'][number];
      command: string;
      would_run: boolean;
      history: CheckHistoryDocument[];
      fixes: FixDocument[];
      log: string | null;
      runs_again: string[];
    }
  | {
      about: 'slot';
      gate: string;
      slot: RunDocument['gates'][number]['slots'][number];
      would_do: string[];
      findings: FindingDocument[];
      history: HistoryDocument[];
      log: string | null;
      runs_again: string[];
    }
  | { about: 'idle_gate'; gate: string; base: string | null; runs_again: string[] }
  | {
      about: 'finding';
      finding: FindingDocument;
      would_be_asked: boolean;
      would_change_it: string[];
      fixes: FixDocument[];
    };

/** What a fixer did, and where the log of it is. */
type FixDocument = { agent: string; iteration: number; said: string[]; log: string };

type CheckHistoryDocument = {
  iteration: number;
  status: 'pass' | 'fail' | 'error';
  exit_code: number | null;
  duration_ms: number;
  why: string | null;
};

type HistoryDocument = {
  iteration: number;
  slot: number;
  agent: string;
  status: SlotRecord['status'];
  dispatch: string | null;
  why: string | null;
  findings: string[];
};

export function runExplanationDocument(explanation: RunExplanation): RunExplanationDocument {
  switch (explanation.kind) {
    case 'gate':
      return {
        about: 'gate',
        gate: gateDocument(explanation.gate),
        files: [...explanation.files],
        prompt: explanation.rubric,
        would_do: explanation.planned.map(tellPlan),
        findings: explanation.findings.map(findingDocument),
        history: explanation.records.map(historyDocument),
        fixes: explanation.fixes.map(fixDocument),
        runs_again: explanation.again.map(tellRunsAgain),
      };
    case 'check':
      return {
        about: 'check',
        gate: gateDocument(explanation.gate),
        command: explanation.command,
        would_run: explanation.planned,
        history: explanation.records.map(checkDocument),
        fixes: explanation.fixes.map(fixDocument),
        log: explanation.log,
        runs_again: explanation.again.map(tellRunsAgain),
      };
    case 'slot': {
      const gate = gateDocument({ ...explanation.gate, slots: [explanation.slot] });
      const [slot] = gate.slots;
      if (slot === undefined) throw new Error('a slot without a document');
      return {
        about: 'slot',
        gate: gate.id,
        slot,
        would_do: explanation.planned === null ? [] : [tellPlan(explanation.planned)],
        findings: explanation.findings.map(findingDocument),
        history: explanation.records.map(historyDocument),
        log: explanation.log,
        runs_again: explanation.again.map(tellRunsAgain),
      };
    }
    case 'idle-gate':
      return {
        about: 'idle_gate',
        gate: explanation.gate,
        base: explanation.base,
        runs_again: explanation.again.map(tellRunsAgain),
      };
    case 'finding':
      return {
        about: 'finding',
        finding: findingDocument(explanation.told),
        would_be_asked: explanation.planned,
        would_change_it: [...tellFindingNext(explanation.told, explanation.planned)],
        fixes: explanation.fixes.map(fixDocument),
      };
  }
}

function historyDocument(record: SlotRecord): HistoryDocument {
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

function fixDocument({ agent, iteration, log, path }: FixLog): FixDocument {
  return { agent, iteration, said: [...fixResult(log)], log: path };
}

function checkDocument({ iteration, status, exitCode, durationMs, why }: CheckRecord): CheckHistoryDocument {
  return { iteration, status, exit_code: exitCode, duration_ms: durationMs, why };
}
