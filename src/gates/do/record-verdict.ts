import type { Answers } from '../../dispatch/answer-schemas.ts';
import type { SlotTrouble } from '../../kernel/agent.ts';
import type { RepoPath } from '../../kernel/ids.ts';
import { repoPath } from '../../kernel/paths.ts';
import type { Entry } from '../../kernel/repository.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { describeTrouble } from '../../ui/describe-agent-failure.ts';
import { isInCycle } from '../decide/gate-state.ts';
import { slotLog } from '../describe/logs.ts';
import {
  fileFingerprint,
  locateFinding,
  type MatchedFindings,
  matchFindings,
  type ReportedProblem,
  type SlotReview,
} from '../judge/match-findings.ts';
import { toleratedAfter } from '../judge/priority.ts';
import { dispatchReason, type SlotJob, type UnassignableSlot } from '../ports.ts';
import type { RecordMetadata, SlotRecord, Violation } from '../record-types.ts';
import { type Finding, type FindingState, isOpen, type KnownFinding, NO_AGENT, type ReviewGate } from '../types.ts';
import type { SlotAnswer } from './ask-slot.ts';
import type { IterationContext } from './prepare-slot.ts';

/** Interprets an answer: locates each problem in the reviewed files, and adds the earlier findings. */
async function interpretAnswer(
  context: IterationContext,
  job: SlotJob,
  answer: SlotAnswer,
  said: Answers['gate'],
  iteration: number,
  isStale: boolean,
): Promise<Result<SlotReview>> {
  const { comparison } = context.facts;
  const entries = new Map<string, Entry>(job.gate.entries.map((entry) => [entry.path, entry]));
  const files = new Map<RepoPath, { readonly text: string | null; readonly seen: string | null }>();
  const earlier = job.state.findings.flatMap(({ finding }) => finding.file ?? []);
  const pathOf = (name: string) =>
    repoPath(name.startsWith(`${context.request.root}/`) ? name.slice(context.request.root.length + 1) : name);
  for (const file of [...said.violations.map(({ file: one }) => pathOf(one)), ...earlier]) {
    if (file === null || file === '' || files.has(file)) continue;
    const text = await context.ports.snapshots.textIn(job.tree, file);
    if (!text.ok) return text;
    files.set(file, { text: text.value, seen: fileFingerprint(entries.get(file), text.value) });
  }
  const reported = said.violations.map((violation): ReportedProblem => {
    const path = pathOf(violation.file);
    const file = path === null || path === '' ? null : path;
    const known = file === null ? undefined : files.get(file);
    const line = violation['no_such_line'] === true ? 0 : violation.line;
    const pointed = locateFinding(known?.text ?? null, line, violation.code ?? null);
    const entry = file === null ? null : (entries.get(file) ?? null);
    return {
      file,
      line: pointed.line,
      code: violation.code ?? null,
      anchor: pointed.anchor,
      issue: file === null && violation.file.trim() !== '' ? `${violation.file}: ${violation.issue}` : violation.issue,
      fix: violation.fix ?? null,
      priority: violation.priority,
      mark: file !== null && entry === null ? 'off-diff' : pointed.mark,
      entry,
      seen: known?.seen ?? null,
    };
  });
  return ok({
    gate: job.gate.id,
    scope: comparison.scope.key,
    slot: job.slot,
    agent: answer.agent,
    iteration,
    at: context.ports.clock.now().toISOString(),
    content: job.gate.content,
    where: comparison.where,
    isRerun: context.facts.past.slots.some(
      // Only our own records of the same prompt count as an earlier review.
      (record) =>
        record.gate === job.gate.id &&
        record.slot === job.slot &&
        record.own?.promptDigest === job.gate.rubric.digest &&
        isInCycle(record, comparison) &&
        (record.status === 'pass' || record.status === 'fail'),
    ),
    failOn: context.request.settings.failOn,
    rerunNewIssueThreshold: context.request.settings.rerunNewIssueThreshold,
    status: said.status,
    reported,
    previous: said.previous ?? [],
    message: said.message ?? null,
    earlier: job.state.findings,
    entryNow: (file) => entries.get(file) ?? null,
    isStale,
    seenNow: (file) => files.get(file)?.seen ?? null,
  });
}

/** The recorded result of a slot. */
export type JudgedSlot = {
  readonly job: SlotJob | UnassignableSlot;
  readonly agent: string | null;
  readonly model: string | null;
  readonly dispatch: 'fresh' | 'resumed' | 'none';
  /** The number of calls. */
  readonly asks: number;
  readonly status: 'pass' | 'fail' | 'error';
  readonly trouble: SlotTrouble | null;
  readonly usage: SlotAnswer['usage'];
  readonly durationMs: number;
  readonly open: number;
  readonly warnings: number;
  /** The findings that the slot closed. */
  readonly closed: readonly string[];
};

/** Judges an answer, and writes findings, receipt and record. `isStale`: the files changed during the review. */
export async function judgeSlot(
  context: IterationContext,
  job: SlotJob,
  answer: SlotAnswer,
  iteration: number,
  isStale: boolean,
): Promise<Result<JudgedSlot>> {
  if (answer.answer === null) return recordError(context, job, answer, iteration, answer.trouble);
  const review = await interpretAnswer(context, job, answer, answer.answer, iteration, isStale);
  if (!review.ok) return review;
  const matched = matchFindings(review.value);
  // A pass of older files does not count for the current ones. A fail stays a fail.
  if (isStale && !hasOpen(review.value, matched))
    return recordError(context, job, answer, iteration, { kind: 'stale' });
  const kept = await keepFindings(context, matched);
  if (!kept.ok) return kept;
  const tolerated = moveRatchet(context, review.value, matched, kept.value);
  const standing = standingAfter(review.value, matched, kept.value, tolerated);
  const open = standing.filter(({ state }) => state === 'open').map(({ finding }) => finding);
  // Findings that the ratchet tolerates, like waived ones, still make this receipt a fail.
  const waived = standing
    .filter(({ finding, state }) => state === 'waived' || tolerated.has(finding.id))
    .map(({ finding }) => finding);
  const status = open.length + waived.length > 0 ? 'fail' : 'pass';
  const receipt = await context.ports.receipts.write({
    gate: job.gate.id,
    slot: job.slot,
    content: job.gate.content,
    scope: context.facts.comparison.scope.key,
    promptDigest: job.gate.rubric.digest,
    verdict: status,
    findings: [...open, ...waived].map(({ id }) => id),
    agent: answer.agent,
    iteration,
    at: review.value.at,
  });
  if (!receipt.ok) return receipt;
  const judged: JudgedSlot = {
    job,
    agent: answer.agent,
    model: answer.model,
    dispatch: answer.dispatch,
    asks: answer.exchanges.length,
    status,
    trouble: null,
    usage: answer.usage,
    durationMs: answer.durationMs,
    open: open.length,
    warnings: standing.filter(({ state }) => state === 'warning').length,
    closed: matched.updated.filter((finding) => finding.kept === 'closed').map(({ id }) => id),
  };
  const violations = standing.map(({ finding, state }) => toViolation(finding, state));
  return record(context, judged, answer, iteration, violations);
}

/** Records that a slot has no verdict. */
export async function recordError(
  context: IterationContext,
  job: SlotJob | UnassignableSlot,
  answer: SlotAnswer | null,
  iteration: number,
  trouble: SlotTrouble | null,
): Promise<Result<JudgedSlot>> {
  const judged: JudgedSlot = {
    job,
    agent: answer?.agent ?? job.agent,
    model: answer?.model ?? null,
    // Without exchanges the budget was spent before the call.
    dispatch: answer === null || answer.exchanges.length === 0 ? 'none' : answer.dispatch,
    asks: answer?.exchanges.length ?? 0,
    status: 'error',
    trouble,
    usage: answer?.usage ?? null,
    durationMs: answer?.durationMs ?? 0,
    open: 0,
    warnings: 0,
    closed: [],
  };
  return record(context, judged, answer, iteration, []);
}

function hasOpen(review: SlotReview, matched: MatchedFindings): boolean {
  return (
    matched.added.some(({ kept }) => kept === 'open') ||
    matched.updated.some(({ kept }) => kept === 'open') ||
    staysOpen(review, matched).length > 0
  );
}

/** Returns the slot's open findings that the review did not close. */
function staysOpen(review: SlotReview, matched: MatchedFindings): readonly KnownFinding[] {
  const touched = new Set(matched.updated.map(({ id }) => id));
  return review.earlier
    .filter(({ finding, state }) => finding.slot === review.slot && isOpen(state) && !touched.has(finding.id))
    .map(({ finding }) => finding);
}

async function keepFindings(context: IterationContext, matched: MatchedFindings): Promise<Result<readonly Finding[]>> {
  const { findings } = context.ports;
  const added: Finding[] = [];
  for (const finding of matched.added) {
    const kept = await findings.add(finding);
    if (!kept.ok) return kept;
    added.push(kept.value);
  }
  for (const finding of matched.updated) {
    const kept = await findings.update(finding);
    if (!kept.ok) return kept;
  }
  for (const { id, claim } of matched.refuted) {
    const kept = await findings.refute(id, claim);
    if (!kept.ok) return kept;
  }
  return ok(added);
}

type Standing = { readonly finding: Finding; readonly state: FindingState };

const NOTHING: ReadonlySet<string> = new Set();

/** Moves the ratchet, and returns the findings that it tolerates after this review. */
function moveRatchet(
  { request }: IterationContext,
  review: SlotReview,
  matched: MatchedFindings,
  added: readonly Finding[],
): ReadonlySet<string> {
  const { ratchet } = request;
  if (ratchet === undefined) return NOTHING;
  const { isRerun, isStale = false } = review;
  const tolerated = toleratedAfter(ratchet.now, { isRerun, isStale, updated: matched.updated, added });
  ratchet.now = { ...ratchet.now, letBe: tolerated };
  return tolerated;
}

/** Returns the slot's findings for its record: open ones, warnings, and waived ones that were reported again. */
function standingAfter(
  review: SlotReview,
  matched: MatchedFindings,
  added: readonly Finding[],
  tolerated: ReadonlySet<string>,
): readonly Standing[] {
  const withState = (finding: Finding): Standing => {
    const warns = finding.kept === 'warning' || tolerated.has(finding.id);
    return { finding, state: warns ? 'warning' : 'open' };
  };
  return [
    ...staysOpen(review, matched).map((finding): Standing => ({ finding, state: 'open' })),
    ...matched.updated.filter(({ kept }) => kept !== 'closed').map(withState),
    ...added.map(withState),
    ...matched.waived.map((finding): Standing => ({ finding, state: 'waived' })),
  ];
}

function toViolation(finding: Finding, state: FindingState): Violation {
  return {
    file: finding.file ?? '',
    line: finding.line,
    issue: finding.issue,
    fix: finding.fix,
    priority: finding.priority,
    status: state === 'waived' ? 'skipped' : 'new',
    result: null,
    id: finding.id,
    code: finding.code,
    state,
  };
}

async function record(
  context: IterationContext,
  judged: JudgedSlot,
  answer: SlotAnswer | null,
  iteration: number,
  violations: readonly Violation[],
): Promise<Result<JudgedSlot>> {
  const { job } = judged;
  const error = judged.trouble === null ? null : describeTrouble(judged.trouble);
  const own: RecordMetadata = {
    ...gateMetadata(context, job.gate),
    snapshot: 'tree' in job ? job.tree : null,
    session: judged.status === 'error' ? null : (answer?.session ?? null),
    dispatch: judged.dispatch,
    why: 'dispatch' in job ? `${job.why}, ${dispatchReason(job, judged.dispatch)}` : job.why,
    parts: 'fresh' in job ? job.fresh.length : 0,
    usage: judged.usage,
    durationMs: Math.round(judged.durationMs),
    error,
  };
  const written: SlotRecord = {
    gate: job.gate.id,
    slot: job.slot,
    iteration,
    adapter: judged.agent ?? NO_AGENT,
    timestamp: context.ports.clock.now().toISOString(),
    status: judged.status,
    rawOutput: answer?.raw ?? '',
    violations,
    passIteration: null,
    own,
  };
  const name = context.facts.names.get(job.gate.id);
  if (name !== undefined) {
    const file = { gate: name, agent: judged.agent ?? NO_AGENT };
    const kept = await context.ports.records.writeSlot(written, file, slotLog(written, job, answer?.exchanges ?? []));
    if (!kept.ok) return kept;
  }
  return ok(judged);
}

/** Returns the metadata of every record about the current content of a gate. */
export function gateMetadata({ facts }: IterationContext, gate: ReviewGate) {
  const { where, scope } = facts.comparison;
  return { content: gate.content, ...where, scope: scope.key, promptDigest: gate.rubric.digest };
}
