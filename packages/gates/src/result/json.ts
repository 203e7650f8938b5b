import { usageDocument } from '@onceover/agents/ledger/describe';
import type { Failure } from '@onceover/base/kernel/failure';
import { describeFailure } from '@onceover/base/ui/describe-failure';
import type * as z from 'zod';
import { findingFingerprint } from '../findings/fingerprint.ts';
import { problemsIn } from '../findings/same-code.ts';
import type { ReportedFinding } from '../findings/types.ts';
import { isContested, isOpen, type ResolvedFinding } from '../findings/types.ts';
import { describeGateDetail, describeSlotReason } from './describe/reasons.ts';
import { describeRefusal } from './describe/refusals.ts';
import { describeRunNotice } from './describe/result.ts';
import { describeRepeated } from './describe/shared.ts';
import type { findingSchema, runSchema } from './json-schema.ts';
import type { GateOutcome, RunOutcome, SlotOutcome } from './types.ts';

/** The JSON result of `run --json`, `status --json` and `get_run`. */
export type RunDocument = z.output<typeof runSchema>;

type GateDocument = RunDocument['gates'][number];

type SlotDocument = GateDocument['slots'][number];

export type FindingDocument = z.output<typeof findingSchema>;

/** Returns the JSON result of a run. `extraWarnings` contains warnings that do not come from the run itself. */
export function runDocument(outcome: RunOutcome, extraWarnings: readonly string[] = []): RunDocument {
  return {
    status: outcome.status,
    iteration: outcome.iteration,
    gates: outcome.gates.map(gateDocument),
    not_asked: [...(outcome.asked?.others ?? [])],
    findings: findingDocuments(outcome.findings),
    settled: outcome.settled.map((report) => findingDocument(report)),
    uncovered_files: [...outcome.uncovered],
    withheld_files: outcome.withheld.map(({ path }) => path),
    usage: usageDocument(outcome.usage),
    saved: { ...outcome.saved },
    scope: outcome.scope.key,
    base: outcome.baseName,
    commit: outcome.headCommit,
    pull_request: pullRequestDocument(outcome),
    exit_code: outcome.exitCode,
    dispatches: outcome.dispatches,
    retries: outcome.retries,
    shared:
      outcome.sharing?.kind === 'shared' ? { passes: outcome.sharing.passes, waivers: outcome.sharing.waivers } : null,
    warnings: [...outcome.notices.map(describeRunNotice), ...extraWarnings],
  };
}

function pullRequestDocument({ pullRequest }: RunOutcome): RunDocument['pull_request'] {
  if (pullRequest === null) return null;
  const { head, headRepository, repository, base, baseCommit } = pullRequest;
  return {
    ...{ head, head_repository: headRepository, repository },
    ...{ base: base.replace(/^origin\//, ''), base_commit: baseCommit },
  };
}

export function gateDocument(gate: GateOutcome): GateDocument {
  const { id, kind, status, why, slots, check } = gate;
  return {
    ...{ id, kind, status, why, detail: describeGateDetail(gate), slots: slots.map(slotDocument) },
    ...(check === null ? {} : { output: check.tail }),
  };
}

export function slotDocument(outcome: SlotOutcome): SlotDocument {
  const { slot, agent, status, dispatch, why, passIteration, usage } = outcome;
  return {
    ...{ slot, agent, status, dispatch, why, pass_iteration: passIteration },
    usage: usageDocument(usage),
    detail: describeSlotReason(outcome),
    ...sharedDocument(outcome),
  };
}

function sharedDocument({ why, dispatch, shared }: SlotOutcome): Pick<SlotDocument, 'accepted' | 'not_accepted'> {
  if (shared?.kind === 'refused') {
    return { accepted: null, not_accepted: { why: shared.why, detail: describeRefusal(shared) } };
  }
  if (shared === null || (why !== 'accepted' && dispatch === 'none')) return { accepted: null, not_accepted: null };
  if (why !== 'accepted')
    return { accepted: null, not_accepted: { why: 'repeated', detail: describeRepeated(shared) } };
  const { passedAt: at, agent, model, session, waived } = shared.statement;
  const by = shared.signers.map(({ principal }) => principal);
  return { accepted: { by, at, agent, model, session, waived: waived.length }, not_accepted: null };
}

/** Returns the JSON of findings. Each one lists the ids of other findings that report the same problem. */
function findingDocuments(findings: readonly ReportedFinding[]): FindingDocument[] {
  const problems = problemsIn(findings).filter((problem) => problem.length > 1);
  const ids = new Map(
    problems.flatMap((problem) => problem.map((report) => [report, problem.map((duplicate) => duplicate.finding.id)])),
  );
  return findings.map((report) =>
    findingDocument(
      report,
      (ids.get(report) ?? []).filter((id) => id !== report.finding.id),
    ),
  );
}

export function findingDocument(
  { finding, state }: ReportedFinding,
  sameCode: readonly string[] = [],
): FindingDocument {
  const { id, gate, slot, file, line, code, issue, fix, priority, since, mark, resolution, agent } = finding;
  return {
    ...{ id, gate, slot, file, line, code, issue, fix, priority, state, since, mark, why: resolution?.why || null },
    ...{ agent, anchor: finding.anchor === null ? null : { ...finding.anchor } },
    fingerprint: findingFingerprint(finding),
    closed: finding.closed === null ? null : { ...finding.closed },
    answer: resolution?.how ?? null,
    by: resolution === null ? null : { ...resolution.by },
    proposed_by: resolution?.proposedBy == null ? null : { ...resolution.proposedBy },
    ...(sameCode.length === 0 ? {} : { same_code: [...sameCode] }),
    ...(state === 'warning' && finding.seenBefore !== undefined ? { seen_before: finding.seenBefore } : {}),
    ...(isOpen(state) && isContested(finding) ? { contested: true as const } : {}),
  };
}

/**
 * Returns the JSON result of `resolve --json` and `resolve_finding`: the finding in its new state. `same_code` lists
 * other findings that got the same answer because they are about the same code.
 */
export function resolvedDocument(finding: ResolvedFinding, findings: readonly ResolvedFinding[] = []): FindingDocument {
  const how = finding.resolution?.how;
  const state = how === 'skipped' ? 'waived' : how === 'proposed' ? 'open' : 'fixed_claimed';
  const answeredIds = findings.filter(({ because }) => because === finding.id).map(({ id }) => id);
  return findingDocument({ finding, state }, finding.because === null ? answeredIds : [finding.because]);
}

/**
 * Returns the JSON for a failed command: usually an error, but a run result if the command was a run that found another
 * run in progress.
 */
export function failureDocument(failure: Failure, command: 'run' | null): object {
  return command === 'run' && failure.kind === 'lock-held' ? lockConflictDocument(failure) : errorDocument(failure);
}

export function errorDocument(failure: Failure): { error: { kind: string; message: string; next: string } } {
  const { what, next } = describeFailure(failure);
  return { error: { kind: failure.kind, message: what, next } };
}

/** Returns the JSON result of `run --json` if nothing was reviewed because another run is in progress. */
export function lockConflictDocument(failure: Extract<Failure, { kind: 'lock-held' }>): RunDocument {
  const emptyLists = { gates: [], not_asked: [], findings: [], settled: [], uncovered_files: [], withheld_files: [] };
  return {
    status: 'lock_conflict',
    iteration: null,
    ...emptyLists,
    usage: null,
    saved: { pass: 0, slot: 0, session: 0, prefix: 0, reading: 0 },
    scope: '',
    base: null,
    commit: null,
    pull_request: null,
    exit_code: 3,
    dispatches: 0,
    retries: 0,
    shared: null,
    warnings: [describeFailure(failure).what],
  };
}
