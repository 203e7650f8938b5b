import type { Answers } from '../../dispatch/answer-schemas.ts';
import type { SlotTrouble } from '../../kernel/agent.ts';
import type { RepoPath } from '../../kernel/ids.ts';
import { repoPath } from '../../kernel/paths.ts';
import type { Entry } from '../../kernel/repository.ts';
import { forEachOk, ok, type Result } from '../../kernel/result.ts';
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
import {
  callOf,
  dispatchReason,
  type JudgedSlot,
  type SlotAnswer,
  type SlotJob,
  type UnassignableSlot,
} from '../ports.ts';
import type { RecordMetadata, SlotRecord, Violation } from '../record-types.ts';
import { type Finding, type FindingState, NO_AGENT, type ReviewGate } from '../types.ts';
import type { IterationContext } from './prepare-slot.ts';

/** Turns a reviewer's answer into a `SlotReview`: locates each problem in the files, and adds the earlier findings. */
async function interpretAnswer(
  context: IterationContext,
  job: SlotJob,
  agent: string,
  said: Answers['gate'],
  isStale: boolean,
): Promise<Result<SlotReview>> {
  const { comparison, past } = context.facts;
  const { root, settings } = context.request;
  const entries = new Map<string, Entry>(job.gate.entries.map((entry) => [entry.path, entry]));
  const files = new Map<RepoPath, { readonly text: string | null; readonly seen: string | null }>();
  const earlier = job.state.findings.flatMap(({ finding }) => finding.file ?? []);
  const pathOf = (name: string) => repoPath(name.startsWith(`${root}/`) ? name.slice(root.length + 1) : name) || null;
  for (const file of [...said.violations.map(({ file: one }) => pathOf(one)), ...earlier]) {
    if (file === null || files.has(file)) continue;
    const text = await context.ports.snapshots.textIn(job.tree, file);
    if (!text.ok) return text;
    files.set(file, { text: text.value, seen: fileFingerprint(entries.get(file), text.value) });
  }
  const reported = said.violations.map((violation): ReportedProblem => {
    const file = pathOf(violation.file);
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
    agent,
    iteration: context.iteration,
    at: context.ports.clock.now().toISOString(),
    content: job.gate.content,
    where: comparison.where,
    isRerun: past.slots.some(
      // Only onceover's own records with the same prompt count as an earlier review.
      (record) =>
        record.gate === job.gate.id &&
        record.slot === job.slot &&
        record.own?.promptDigest === job.gate.rubric.digest &&
        isInCycle(record, comparison) &&
        (record.status === 'pass' || record.status === 'fail'),
    ),
    failOn: settings.failOn,
    rerunNewIssueThreshold: settings.rerunNewIssueThreshold,
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

/** Judges an answer and writes findings, receipt and record. `isStale`: whether the files changed during the review. */
export async function judgeSlot(
  context: IterationContext,
  job: SlotJob,
  answer: SlotAnswer,
  isStale: boolean,
): Promise<Result<JudgedSlot>> {
  if (answer.answer === null) return recordError(context, job, answer, answer.trouble);
  const review = await interpretAnswer(context, job, answer.agent, answer.answer, isStale);
  if (!review.ok) return review;
  const matched = matchFindings(review.value);
  const fails =
    matched.unchanged.length > 0 || [...matched.added, ...matched.updated].some(({ kept }) => kept === 'open');
  // A pass on older files does not count for the current files. A failure still counts.
  if (isStale && !fails) return recordError(context, job, answer, { kind: 'stale' });
  const added = await keepFindings(context, matched);
  if (!added.ok) return added;
  const tolerated = moveRatchet(context, review.value, matched, added.value);
  const standing = standingAfter(matched, added.value, tolerated);
  const open = standing.filter(({ state }) => state === 'open').map(({ finding }) => finding);
  // Findings that are waived, or that the ratchet tolerates, still make this receipt a failure.
  const waived = standing
    .filter(({ finding, state }) => state === 'waived' || tolerated.has(finding.id))
    .map(({ finding }) => finding);
  const status = open.length + waived.length > 0 ? 'fail' : 'pass';
  const receipt = await context.ports.receipts.write('review', {
    gate: job.gate.id,
    slot: job.slot,
    content: job.gate.content,
    scope: context.facts.comparison.scope.key,
    promptDigest: job.gate.rubric.digest,
    verdict: status,
    findings: [...open, ...waived].map(({ id }) => id),
    agent: answer.agent,
    iteration: context.iteration,
    at: review.value.at,
  });
  if (!receipt.ok) return receipt;
  const judged: JudgedSlot = {
    ...{ job, answer, status, trouble: null, open: open.length },
    warnings: standing.filter(({ state }) => state === 'warning').length,
    closed: matched.updated.filter((finding) => finding.kept === 'closed').map(({ id }) => id),
  };
  const violations = standing.map(({ finding, state }) => toViolation(finding, state));
  return record(context, judged, violations);
}

export function recordError(
  context: IterationContext,
  job: SlotJob | UnassignableSlot,
  answer: SlotAnswer | null,
  trouble: SlotTrouble | null,
): Promise<Result<JudgedSlot>> {
  return record(context, { job, answer, status: 'error', trouble, open: 0, warnings: 0, closed: [] }, []);
}

async function keepFindings(
  { ports }: IterationContext,
  matched: MatchedFindings,
): Promise<Result<readonly Finding[]>> {
  const { findings } = ports;
  const added: Finding[] = [];
  for (const finding of matched.added) {
    const kept = await findings.add(finding);
    if (!kept.ok) return kept;
    added.push(kept.value);
  }
  const updated = await forEachOk(matched.updated, (finding) => findings.update(finding));
  if (!updated.ok) return updated;
  const refuted = await forEachOk(matched.refuted, ({ id, claim }) => findings.refute(id, claim));
  return refuted.ok ? ok(added) : refuted;
}

type Standing = { readonly finding: Finding; readonly state: FindingState };

/** Updates the ratchet after a review, and returns the ids of the findings that it tolerates now. */
function moveRatchet(
  { request }: IterationContext,
  review: SlotReview,
  matched: MatchedFindings,
  added: readonly Finding[],
): ReadonlySet<string> {
  const { ratchet } = request;
  if (ratchet === undefined) return new Set();
  const { isRerun, isStale = false } = review;
  const tolerated = toleratedAfter(ratchet.now, { isRerun, isStale, updated: matched.updated, added });
  ratchet.now = { ...ratchet.now, letBe: tolerated };
  return tolerated;
}

/** Returns the slot's findings for its record: open ones, warnings, and waived ones that were reported again. */
function standingAfter(
  matched: MatchedFindings,
  added: readonly Finding[],
  tolerated: ReadonlySet<string>,
): readonly Standing[] {
  const withState = (finding: Finding): Standing => {
    const warns = finding.kept === 'warning' || tolerated.has(finding.id);
    return { finding, state: warns ? 'warning' : 'open' };
  };
  return [
    ...matched.unchanged.map((finding): Standing => ({ finding, state: 'open' })),
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
  violations: readonly Violation[],
): Promise<Result<JudgedSlot>> {
  const { job, answer, status, trouble } = judged;
  const { agent, dispatch, usage, durationMs } = callOf(judged);
  const adapter = agent ?? NO_AGENT;
  const own: RecordMetadata = {
    ...gateMetadata(context, job.gate),
    snapshot: 'tree' in job ? job.tree : null,
    session: status === 'error' ? null : (answer?.session ?? null),
    dispatch,
    why: 'dispatch' in job ? `${job.why}, ${dispatchReason(job, dispatch)}` : job.why,
    parts: 'fresh' in job ? job.fresh.length : 0,
    usage,
    durationMs: Math.round(durationMs),
    error: trouble === null ? null : describeTrouble(trouble),
  };
  const written: SlotRecord = {
    gate: job.gate.id,
    slot: job.slot,
    iteration: context.iteration,
    adapter,
    timestamp: context.ports.clock.now().toISOString(),
    status,
    rawOutput: answer?.raw ?? '',
    violations,
    passIteration: null,
    own,
  };
  const name = context.facts.names.get(job.gate.id);
  if (name === undefined) return ok(judged);
  const log = slotLog(written, { kind: 'run', slot: job.slot, why: job.why }, answer?.exchanges ?? []);
  const kept = await context.ports.records.writeSlot(written, { gate: name, agent: adapter }, log);
  return kept.ok ? ok(judged) : kept;
}

/** Returns the metadata that all records about the gate's current content have in common. */
export function gateMetadata({ facts }: IterationContext, gate: ReviewGate) {
  const { where, scope } = facts.comparison;
  return { content: gate.content, ...where, scope: scope.key, promptDigest: gate.rubric.digest };
}
