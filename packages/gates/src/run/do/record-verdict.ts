import { filesIn } from '@onceover/agents/dispatch/share-reading';
import { openedAgain } from '@onceover/agents/economy/handover';
import type { LedgerSlot } from '@onceover/agents/ledger/entries';
import type { DispatchPlan, SlotTrouble } from '@onceover/base/kernel/agent';
import { forEachOk, ok, type Result } from '@onceover/base/kernel/result';
import { describeTrouble } from '@onceover/base/ui/describe-agent-failure';
import { changedAgents } from '@onceover/repo/trust/changed-agents';
import { type MatchedFindings, matchFindings } from '../../findings/match-findings.ts';
import { toleratedAfter } from '../../findings/priority.ts';
import type { Finding, FindingState } from '../../findings/types.ts';
import { NO_AGENT } from '../../gate-types.ts';
import type { SlotOutcome } from '../../result/types.ts';
import type { GateState } from '../decide/gate-state.ts';
import { reviewFacts } from '../decide/review-facts.ts';
import { slotLog } from '../describe/logs.ts';
import type { SlotAnswer, SlotJob, SlotResult, UnassignableSlot } from '../ports.ts';
import type { RecordMetadata, SlotRecord, Violation } from '../record-types.ts';
import { interpretAnswer } from './interpret-answer.ts';
import type { IterationContext } from './iteration.ts';
import { baseAfter, readingBehind } from './shared-readings.ts';

/**
 * Turns a reviewer's answer into a verdict, and writes the findings, the verdict and the record. `isStale`: whether the
 * files changed during the review.
 */
export async function judgeSlot(
  context: IterationContext,
  job: SlotJob,
  answer: SlotAnswer,
  isStale: boolean,
): Promise<Result<SlotResult>> {
  if (answer.answer === null) return recordError(context, job, answer, answer.trouble);
  const review = await interpretAnswer(context, job, answer.agent, answer.answer, isStale);
  if (!review.ok) return review;
  const matches = matchFindings(review.value);
  const fails =
    matches.unchanged.length > 0 || [...matches.added, ...matches.updated].some(({ kept }) => kept === 'open');
  // The files changed during the review. A pass on the old files does not count for the current ones, but a failure
  // still counts.
  if (isStale && !fails) return recordError(context, job, answer, { kind: 'stale' });
  const addedFindings = await keepFindings(context, matches);
  if (!addedFindings.ok) return addedFindings;
  if (addedFindings.value === 'stopped') return ok(stoppedSlot(job, answer));
  const { ratchetHolder: ratchet } = context.request;
  if (ratchet !== undefined) {
    const { isRerun } = review.value;
    const newToleratedIds = toleratedAfter(ratchet.now, {
      isRerun,
      isStale,
      updated: matches.updated,
      added: addedFindings.value,
    });
    ratchet.now = { ...ratchet.now, tolerated: newToleratedIds };
  }
  const toleratedIds = ratchet?.now.tolerated ?? new Set<string>();
  const standing = standingAfter(matches, addedFindings.value, toleratedIds);
  const open = standing.filter(({ state }) => state === 'open').map(({ finding }) => finding);
  // Store a failure even if all findings are waived or tolerated, so that it counts again when the waiver is withdrawn.
  const waivedFindings = standing
    .filter(({ finding, state }) => state === 'waived' || toleratedIds.has(finding.id))
    .map(({ finding }) => finding);
  const status = open.length + waivedFindings.length > 0 ? 'fail' : 'pass';
  const { gate, slot, content, scope, agent, iteration, at } = review.value;
  const { request, facts } = context;
  const alteredAgents = changedAgents(
    request.settings.agent,
    request.root,
    facts.snapshot.entries.map(({ path }) => path),
  );
  const { version } = await context.reviewers.describe(agent);
  const receipt = await context.ports.receipts.write('review', {
    ...{ gate, slot, content, scope, agent, iteration, at },
    promptDigest: job.gate.rubric.digest,
    verdict: status,
    findings: [...open, ...waivedFindings].map(({ id }) => id),
    // Without these facts the pass never leaves this clone, also not after the change of the program is taken back.
    ...(alteredAgents.has(agent) ? {} : { made: reviewFacts(answer, request.settings, version) }),
    tree: job.tree,
  });
  if (!receipt.ok) return receipt;
  const closedIds = matches.updated.filter((finding) => finding.kept === 'closed').map(({ id }) => id);
  return record(context, job, answer, { status, trouble: null, closed: closedIds, standing });
}

export function recordError(
  context: IterationContext,
  job: SlotJob | UnassignableSlot,
  answer: SlotAnswer | null,
  trouble: SlotTrouble | null,
): Promise<Result<SlotResult>> {
  return record(context, job, answer, { status: 'error', trouble, closed: [], standing: [] });
}

/**
 * Stores the findings of an answer, and returns the new ones with their ids. Storing thousands of findings takes long,
 * so Ctrl-C can stop it before the end. That is safe: without a stored verdict, the next run calls the reviewer again.
 */
async function keepFindings(
  { ports: { findings }, request: { stop } }: IterationContext,
  matches: MatchedFindings,
): Promise<Result<readonly Finding[] | 'stopped'>> {
  const addedFindings = await findings.add(matches.added, stop);
  if (!addedFindings.ok) return addedFindings;
  if (addedFindings.value.length < matches.added.length) return ok('stopped');
  for (const finding of matches.updated) {
    if (stop?.aborted === true) return ok('stopped');
    const updateResult = await findings.update(finding);
    if (!updateResult.ok) return updateResult;
  }
  const refuteResult = await forEachOk(matches.refuted, ({ id, claim }) => findings.refute(id, claim));
  return refuteResult.ok ? addedFindings : refuteResult;
}

/**
 * Returns the result of a reviewer that was stopped during its review. It has no verdict and no record, but its calls
 * have to be counted.
 */
export function stoppedSlot(job: SlotJob, answer: SlotAnswer): SlotResult {
  return { ...slotResult(job, answer, { status: 'error', trouble: null, closed: [] }), isStopped: true };
}

type Standing = { readonly finding: Finding; readonly state: FindingState };

/** Returns the reviewer's findings for its record: open ones, warnings, and waived ones that were reported again. */
function standingAfter(
  matches: MatchedFindings,
  addedFindings: readonly Finding[],
  toleratedIds: ReadonlySet<string>,
): readonly Standing[] {
  const withState = (finding: Finding): Standing => {
    const warns = finding.kept === 'warning' || toleratedIds.has(finding.id);
    return { finding, state: warns ? 'warning' : 'open' };
  };
  return [
    ...matches.unchanged.map((finding): Standing => ({ finding, state: 'open' })),
    ...matches.updated.filter(({ kept }) => kept !== 'closed').map(withState),
    ...addedFindings.map(withState),
    ...matches.waived.map((finding): Standing => ({ finding, state: 'waived' })),
  ];
}

function toViolation({ finding, state }: Standing): Violation {
  const { id, file, line, code, issue, fix, priority } = finding;
  const status = state === 'waived' ? 'skipped' : 'new';
  return { file: file ?? '', line, issue, fix, priority, status, result: null, id, code, state };
}

type SlotEnd = {
  readonly status: 'pass' | 'fail' | 'error';
  readonly trouble: SlotTrouble | null;
  readonly closed: readonly string[];
};

/** Returns the result of a reviewer from its calls. `answer` is `null` if no agent could be called. */
function slotResult(
  job: SlotJob | UnassignableSlot,
  answer: SlotAnswer | null,
  { status, trouble, closed }: SlotEnd,
): SlotResult {
  const { gate, slot } = job;
  const agent = answer?.agent ?? job.agent;
  const asks = answer?.requests ?? 0;
  const dispatch = answer === null || asks === 0 ? 'none' : answer.dispatch;
  const session = sessionReason(job, dispatch, answer);
  // The reason why the reviewer runs (`job.why`) is more interesting than the fact that its session is the first one or
  // was requested.
  const why = session === null || session === 'first-look' || session === 'asked-for' ? job.why : session;
  const durationMs = answer?.durationMs ?? 0;
  const call = { slot, status, usage: answer?.usage ?? null };
  return {
    gate,
    job: 'reuse' in job ? job : null,
    outcome: {
      ...{ ...call, agent, dispatch, durationMs, trouble },
      ...{ why: trouble?.kind ?? why, passIteration: null, sawOlder: false, earlier: null },
      shared: job.state.slots.find((slotState) => slotState.slot === slot)?.shared ?? null,
    },
    cost:
      agent === null || dispatch === 'none'
        ? null
        : {
            ...{ ...call, gate: gate.id, agent, dispatch, why, asks },
            ...{ model: answer?.model ?? null, durationMs: Math.round(durationMs) },
            ...(answer?.cache == null ? {} : { cache: answer.cache }),
            ...(dispatch === 'fresh' ? readsOf(job, answer) : {}),
          },
    closed,
    forked: answer?.forked === true,
    isStopped: false,
  };
}

/**
 * Returns how many files the reviewer opened in a new session, and how many another session opened for it and for
 * others; nothing if that is unknown.
 */
function readsOf(job: SlotJob | UnassignableSlot, answer: SlotAnswer | null): Pick<LedgerSlot, 'reads'> {
  if (answer?.opened == null) return {};
  const openedCount = new Set(answer.opened).size;
  const reading = answer.forked && 'shared' in job ? (job.shared?.end.reading ?? null) : null;
  if (reading === null) return { reads: { opened: openedCount } };
  const files = filesIn(reading);
  return { reads: { opened: openedCount, reading: files.length, again: openedAgain(answer.opened, files).length } };
}

/** Returns why the session was new or resumed. If it is new although a resume was planned, the old session was lost. */
function sessionReason(
  job: SlotJob | UnassignableSlot,
  actual: SlotOutcome['dispatch'],
  answer: SlotAnswer | null,
): DispatchPlan['why'] | null {
  if (!('reuse' in job)) return null;
  const { kind, why } = job.reuse.dispatch;
  const isLost = kind === 'resumed' ? actual === 'fresh' : why === 'reading-continued' && answer?.forked !== true;
  return isLost ? 'session-lost' : why;
}

async function record(
  context: IterationContext,
  job: SlotJob | UnassignableSlot,
  answer: SlotAnswer | null,
  end: SlotEnd & { readonly standing: readonly Standing[] },
): Promise<Result<SlotResult>> {
  const { status, trouble, standing } = end;
  const { gate, slot } = job;
  const result = slotResult(job, answer, end);
  const { agent, dispatch, usage } = result.outcome;
  const adapter = agent ?? NO_AGENT;
  const session = sessionReason(job, dispatch, answer);
  const durationMs = answer?.durationMs ?? 0;
  const writeResult = await writeRecord(
    context,
    job.state,
    adapter,
    {
      ...{ slot, adapter, status, rawOutput: answer?.raw ?? '', passIteration: null },
      violations: standing.map(toViolation),
      own: {
        snapshot: 'tree' in job ? job.tree : null,
        session: status === 'error' ? null : (answer?.session ?? null),
        dispatch,
        ...(answer?.cache == null ? {} : { cache: answer.cache }),
        why: session === null ? job.why : `${job.why}, ${session}`,
        parts: 'reuse' in job ? job.reuse.fresh.length : 0,
        usage,
        durationMs: Math.round(durationMs),
        error: trouble === null ? null : describeTrouble(trouble),
        opened: answer?.opened == null ? undefined : [...new Set(answer.opened)],
        handed: handedTo(job, answer),
        reading: readingBehind(job, answer),
        base: baseAfter(job, answer),
      },
    },
    (slotRecord) => slotLog(slotRecord, { kind: 'run', slot, why: job.why }, answer?.exchanges ?? []),
  );
  if (!writeResult.ok) return writeResult;
  const inState = (targetState: FindingState) => standing.filter(({ state }) => state === targetState).length;
  context.ports.reporter.tell({
    ...{ kind: 'slot-ended', gate: gate.id, slot, agent: adapter, status, trouble, usage, durationMs },
    ...{ open: inState('open'), warnings: inState('warning') },
  });
  return ok(result);
}

/** Returns the files whose whole text was in the prompt; `undefined` if there were none. */
function handedTo(job: SlotJob | UnassignableSlot, answer: SlotAnswer | null): RecordMetadata['handed'] {
  if (!('reuse' in job) || answer === null) return undefined;
  // The prompt of an earlier session that was continued is not the prompt of a new session.
  if (answer.forked && job.shared?.continued !== null) return undefined;
  if (answer.dispatch === 'resumed') return job.reuse.resumed?.handed;
  return job.reuse.given.length === 0 ? undefined : job.reuse.given;
}

type NewRecord = Omit<SlotRecord, 'gate' | 'iteration' | 'timestamp' | 'own'> & {
  readonly own: Omit<RecordMetadata, 'content' | 'branch' | 'mergeBase' | 'scope' | 'promptDigest' | 'cycle'>;
};

/** Writes the record and the log of a reviewer in this iteration. Their file names contain `agent`. */
export async function writeRecord(
  { ports, facts, iteration, mark }: IterationContext,
  { gate, cycle }: GateState,
  agent: string,
  { own, ...record }: NewRecord,
  logOf: (record: SlotRecord) => string,
): Promise<Result<void>> {
  const { where, scope, baseTree: base, headCommit: head } = facts.comparison;
  const start = cycle[0]?.iteration ?? iteration;
  const about = { content: gate.content, ...where, scope: scope.key, promptDigest: gate.rubric.digest };
  const timestamp = ports.clock.now().toISOString();
  const fullRecord = {
    ...record,
    gate: gate.id,
    iteration,
    timestamp,
    own: { ...about, ...own, cycle: { start, base, head, mark } },
  };
  return ports.records.writeSlot(fullRecord, { gate: facts.nameOf(gate.id), agent }, logOf(fullRecord));
}
