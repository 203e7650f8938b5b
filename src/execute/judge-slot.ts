import { type Finding, type FindingState, isOpen, type KnownFinding } from '../domain/finding.ts';
import type { GateContent } from '../domain/gate.ts';
import type { OwnFacts, SlotRecord, SlotTrouble, Violation } from '../domain/record.ts';
import { done, type Result } from '../domain/result.ts';
import { NO_AGENT } from '../domain/slot.ts';
import { letBeAfter } from '../plan/ratchet.ts';
import { type Look, type Settled, settleFindings } from '../plan/settle-findings.ts';
import { slotLog } from '../text/slot-log.ts';
import { tellTrouble } from '../text/trouble.ts';
import type { SlotAnswer } from './ask-slot.ts';
import type { Wave } from './prepare-slot.ts';
import { readLook } from './read-look.ts';
import { dispatchReason, type SlotJob, type StuckSlot } from './slot-job.ts';

/** A slot that was asked, judged and recorded. */
export type JudgedSlot = {
  readonly job: SlotJob | StuckSlot;
  readonly agent: string | null;
  readonly model: string | null;
  readonly dispatch: 'fresh' | 'resumed' | 'none';
  /** How many dispatches it took. */
  readonly asks: number;
  readonly status: 'pass' | 'fail' | 'error';
  readonly trouble: SlotTrouble | null;
  readonly usage: SlotAnswer['usage'];
  readonly durationMs: number;
  readonly open: number;
  readonly warnings: number;
  /** Findings that it closed. */
  readonly closed: readonly string[];
};

/** Judges an answer, settles the findings, writes receipt and record; `isStale`: the files changed while it looked. */
export async function judgeSlot(
  wave: Wave,
  job: SlotJob,
  answer: SlotAnswer,
  iteration: number,
  isStale: boolean,
): Promise<Result<JudgedSlot>> {
  if (answer.answer === null) return recordError(wave, job, answer, iteration, answer.trouble);
  const look = await readLook(wave, job, answer, answer.answer, iteration, isStale);
  if (!look.ok) return look;
  const settled = settleFindings(look.value);
  // A stale pass is no pass: what it looked at is not what is there. A stale fail stays a fail.
  if (isStale && !hasOpen(look.value, settled)) return recordError(wave, job, answer, iteration, { kind: 'stale' });
  const kept = await keepFindings(wave, settled);
  if (!kept.ok) return kept;
  const letBe = moveRatchet(wave, look.value, settled, kept.value);
  const standing = standingAfter(look.value, settled, kept.value, letBe);
  const open = standing.filter(({ state }) => state === 'open').map(({ finding }) => finding);
  // What a loop lets be is no pass of this reviewer, any more than what was waived.
  const waived = standing
    .filter(({ finding, state }) => state === 'waived' || letBe.has(finding.id))
    .map(({ finding }) => finding);
  const status = open.length + waived.length > 0 ? 'fail' : 'pass';
  const receipt = await wave.ports.receipts.write({
    gate: job.gate.id,
    slot: job.slot,
    content: job.gate.content,
    scope: wave.facts.comparison.scope.key,
    promptDigest: job.gate.rubric.digest,
    verdict: status,
    findings: [...open, ...waived].map(({ id }) => id),
    agent: answer.agent,
    iteration,
    at: look.value.at,
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
    closed: settled.updated.filter((finding) => finding.kept === 'closed').map(({ id }) => id),
  };
  const violations = standing.map(({ finding, state }) => toViolation(finding, state));
  return record(wave, judged, answer, iteration, violations);
}

/** Records that a slot gave no verdict. */
export async function recordError(
  wave: Wave,
  job: SlotJob | StuckSlot,
  answer: SlotAnswer | null,
  iteration: number,
  trouble: SlotTrouble | null,
): Promise<Result<JudgedSlot>> {
  const judged: JudgedSlot = {
    job,
    agent: answer?.agent ?? job.agent,
    model: answer?.model ?? null,
    // Where the budget was spent before, nobody was asked.
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
  return record(wave, judged, answer, iteration, []);
}

function hasOpen(look: Look, settled: Settled): boolean {
  return (
    settled.added.some(({ kept }) => kept === 'open') ||
    settled.updated.some(({ kept }) => kept === 'open') ||
    staysOpen(look, settled).length > 0
  );
}

/** Findings of the slot that were open and that nothing was said of that would close them. */
function staysOpen(look: Look, settled: Settled): readonly KnownFinding[] {
  const touched = new Set(settled.updated.map(({ id }) => id));
  return look.earlier
    .filter(({ finding, state }) => finding.slot === look.slot && isOpen(state) && !touched.has(finding.id))
    .map(({ finding }) => finding);
}

async function keepFindings(wave: Wave, settled: Settled): Promise<Result<readonly Finding[]>> {
  const { findings } = wave.ports;
  const added: Finding[] = [];
  for (const finding of settled.added) {
    const kept = await findings.add(finding);
    if (!kept.ok) return kept;
    added.push(kept.value);
  }
  for (const finding of settled.updated) {
    const kept = await findings.update(finding);
    if (!kept.ok) return kept;
  }
  for (const { id, claim } of settled.refuted) {
    const kept = await findings.refute(id, claim);
    if (!kept.ok) return kept;
  }
  return done(added);
}

type Standing = { readonly finding: Finding; readonly state: FindingState };

const NOTHING: ReadonlySet<string> = new Set();

/** What a loop lets be after this look. */
function moveRatchet({ request }: Wave, look: Look, settled: Settled, added: readonly Finding[]): ReadonlySet<string> {
  const { ratchet } = request;
  if (ratchet === undefined) return NOTHING;
  const { isRerun, isStale = false } = look;
  const letBe = letBeAfter(ratchet.now, { isRerun, isStale, updated: settled.updated, added });
  ratchet.now = { ...ratchet.now, letBe };
  return letBe;
}

/** The slot's findings as its record tells them: what is open, what only warns, what is waived and was said again. */
function standingAfter(
  look: Look,
  settled: Settled,
  added: readonly Finding[],
  letBe: ReadonlySet<string>,
): readonly Standing[] {
  const told = (finding: Finding): Standing => {
    const warns = finding.kept === 'warning' || letBe.has(finding.id);
    return { finding, state: warns ? 'warning' : 'open' };
  };
  return [
    ...staysOpen(look, settled).map((finding): Standing => ({ finding, state: 'open' })),
    ...settled.updated.filter(({ kept }) => kept !== 'closed').map(told),
    ...added.map(told),
    ...settled.waived.map((finding): Standing => ({ finding, state: 'waived' })),
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
  wave: Wave,
  judged: JudgedSlot,
  answer: SlotAnswer | null,
  iteration: number,
  violations: readonly Violation[],
): Promise<Result<JudgedSlot>> {
  const { job } = judged;
  const { comparison, names } = wave.facts;
  const error = judged.trouble === null ? null : tellTrouble(judged.trouble);
  const own: OwnFacts = {
    content: job.gate.content as GateContent,
    snapshot: 'tree' in job ? job.tree : null,
    ...comparison.where,
    scope: comparison.scope.key,
    promptDigest: job.gate.rubric.digest,
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
    timestamp: wave.ports.clock.now().toISOString(),
    status: judged.status,
    rawOutput: answer?.raw ?? '',
    violations,
    passIteration: null,
    own,
  };
  const name = names.get(job.gate.id);
  if (name !== undefined) {
    const file = { gate: name, agent: judged.agent ?? NO_AGENT };
    const kept = await wave.ports.records.writeSlot(written, file, slotLog(written, job, answer?.exchanges ?? []));
    if (!kept.ok) return kept;
  }
  return done(judged);
}
