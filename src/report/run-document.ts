import type { GateOutcome, RunOutcome, SlotOutcome, ToldFinding } from '../domain/run.ts';
import type { Usage } from '../domain/usage.ts';
import type { ToldPlan } from '../text/dry-run.ts';
import { tellGateDetail, tellSlotReason } from '../text/gate-reason.ts';
import { tellRunNotice } from '../text/run.ts';
import { tellPlan } from '../text/slots.ts';
import { money } from './paid-document.ts';

/** What `run --json`, `status --json` and `get_run` answer with. */
export type RunDocument = {
  status: RunOutcome['status'];
  iteration: number | null;
  gates: {
    id: string;
    kind: 'check' | 'review' | 'rule';
    status: 'pass' | 'fail' | 'error' | 'holds' | 'not_run';
    why: string;
    detail: string;
    slots: SlotDocument[];
    output?: string;
    would_do?: string[];
  }[];
  not_asked: string[];
  findings: FindingDocument[];
  uncovered_files: string[];
  withheld_files: string[];
  usage: UsageDocument | null;
  saved: { pass: number; slot: number; session: number; prefix: number };
  scope: string;
  base: string | null;
  exit_code: 0 | 1 | 3;
  dispatches: number;
  warnings: string[];
};

type SlotDocument = {
  slot: number;
  agent: string | null;
  status: SlotOutcome['status'];
  dispatch: 'fresh' | 'resumed' | 'none';
  why: string;
  pass_iteration: number | null;
  usage: UsageDocument | null;
  detail: string;
};

export type FindingDocument = {
  id: string;
  gate: string;
  slot: number;
  file: string | null;
  line: number | null;
  code: string | null;
  issue: string;
  fix: string | null;
  priority: ToldFinding['finding']['priority'];
  state: ToldFinding['state'];
  since: number;
  mark: string | null;
  why: string | null;
};

/** What dispatches used, as documents have it. */
export type UsageDocument = {
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
};

/** The document of a run; `more` are warnings beside those of the run itself. */
export function runDocument(outcome: RunOutcome, more: readonly string[] = []): RunDocument {
  return {
    status: outcome.status,
    iteration: outcome.iteration,
    gates: outcome.gates.map(gateDocument),
    not_asked: [...(outcome.asked?.others ?? [])],
    findings: outcome.findings.map(findingDocument),
    uncovered_files: [...outcome.uncovered],
    withheld_files: outcome.withheld.map(({ path }) => path),
    usage: usageDocument(outcome.usage),
    saved: { ...outcome.saved },
    scope: outcome.scope.key,
    base: outcome.baseName,
    exit_code: outcome.exitCode,
    dispatches: outcome.dispatches,
    warnings: [...outcome.notices.map(tellRunNotice), ...more],
  };
}

/** What `run --dry-run --json` answers with: where the gates stand, and what a run would do with each. */
export function dryRunDocument(outcome: RunOutcome, plan: ToldPlan): RunDocument {
  const document = runDocument(outcome);
  const plans = new Map<string, string[]>([
    ...plan.checks.map(({ kind, gate }) => [gate.id, kind === 'run' ? ['Running it'] : []] as const),
    ...plan.reviews.map((one) => [one.state.gate.id, one.kind === 'run' ? one.slots.map(tellPlan) : []] as const),
  ]);
  return { ...document, gates: document.gates.map((gate) => ({ ...gate, would_do: plans.get(gate.id) ?? [] })) };
}

/** A gate as documents have it. */
export function gateDocument(gate: GateOutcome): RunDocument['gates'][number] {
  return {
    id: gate.id,
    kind: gate.kind,
    status: gate.status,
    why: gate.why,
    detail: tellGateDetail(gate),
    slots: gate.slots.map(slotDocument),
    ...(gate.check === null ? {} : { output: gate.check.tail }),
  };
}

function slotDocument(slot: SlotOutcome): SlotDocument {
  return {
    slot: slot.slot,
    agent: slot.agent,
    status: slot.status,
    dispatch: slot.dispatch,
    why: slot.why,
    pass_iteration: slot.passIteration,
    usage: usageDocument(slot.usage),
    detail: tellSlotReason(slot),
  };
}

/** A finding as documents have it. */
export function findingDocument({ finding, state }: ToldFinding): FindingDocument {
  const { id, gate, slot, file, line, code, issue, fix, priority, since, mark, resolution } = finding;
  return { id, gate, slot, file, line, code, issue, fix, priority, state, since, mark, why: resolution?.why || null };
}

/** What `resolve --json` and `resolve_finding` answer with: the finding as it stands after what was said of it. */
export function resolvedDocument(finding: ToldFinding['finding']): FindingDocument {
  return findingDocument({ finding, state: finding.resolution?.how === 'skipped' ? 'waived' : 'fixed_claimed' });
}

export function usageDocument(usage: Usage | null): UsageDocument | null {
  if (usage === null) return null;
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    output_tokens: usage.outputTokens,
    cost_usd: usage.costUsd === null ? null : money(usage.costUsd),
  };
}
