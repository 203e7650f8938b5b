import type { Answers } from '../../dispatch/answer-schemas.ts';
import { openQueue } from '../../dispatch/limits.ts';
import type { DispatchPlan, SlotTrouble } from '../../kernel/agent.ts';
import type { RepoPath } from '../../kernel/ids.ts';
import type { Entry } from '../../kernel/repository.ts';
import { forEachOk, ok, type Result } from '../../kernel/result.ts';
import { describeTrouble } from '../../ui/describe-agent-failure.ts';
import type { GateState } from '../decide/gate-state.ts';
import { reviewFacts } from '../decide/review-facts.ts';
import { slotLog } from '../describe/logs.ts';
import { findFile, readFileName } from '../judge/finding-path.ts';
import { fileFingerprint, findingLocator, locateFinding } from '../judge/locate-finding.ts';
import { type MatchedFindings, matchFindings, type ReportedProblem, type SlotReview } from '../judge/match-findings.ts';
import { toleratedAfter } from '../judge/priority.ts';
import type { SlotAnswer, SlotJob, SlotResult, UnassignableSlot } from '../ports.ts';
import type { RecordMetadata, SlotRecord, Violation } from '../record-types.ts';
import type { SlotOutcome } from '../run-types.ts';
import { type Finding, type FindingState, NO_AGENT } from '../types.ts';
import type { IterationContext } from './prepare-slot.ts';
import { readingBehind } from './shared-readings.ts';

/** Turns a reviewer's answer into a `SlotReview`: locates each problem in the files, and adds the earlier findings. */
async function interpretAnswer(
  context: IterationContext,
  job: SlotJob,
  agent: string,
  said: Answers['gate'],
  isStale: boolean,
): Promise<Result<SlotReview>> {
  const { comparison } = context.facts;
  const { settings } = context.request;
  const entries = new Map<string, Entry>(job.gate.entries.map((entry) => [entry.path, entry]));
  const named = await namedFiles(context, job, said.violations);
  if (!named.ok) return named;
  const earlier = job.state.findings.flatMap(({ finding }) => finding.file ?? []);
  const reading = await readFiles(context, job, [...named.value.values()].map(({ file }) => file).concat(earlier));
  if (!reading.ok) return reading;
  const files = reading.value;
  const reported = said.violations.map((violation): ReportedProblem => {
    const name = violation.file.trim();
    const { file, line: lineInName } = named.value.get(violation.file) ?? NO_FILE;
    const known = file === null ? undefined : files.get(file);
    const line = violation['no_such_line'] === true ? 0 : (violation.line ?? lineInName);
    const pointed = known?.locate(line, violation.code ?? null) ?? locateFinding(null, line, violation.code ?? null);
    const entry = file === null ? null : (entries.get(file) ?? null);
    return {
      file,
      line: pointed.line,
      code: violation.code ?? null,
      anchor: pointed.anchor,
      issue: file === null && name !== '' ? `${name}: ${violation.issue}` : violation.issue,
      fix: violation.fix ?? null,
      priority: violation.priority,
      mark: name !== '' && entry === null ? 'off-diff' : pointed.mark,
      entry,
      seen: known?.seen ?? null,
    };
  });
  return ok({
    ...{ gate: job.gate.id, slot: job.slot, content: job.gate.content, agent, iteration: context.iteration },
    at: context.ports.clock.now().toISOString(),
    scope: comparison.scope.key,
    where: comparison.where,
    isRerun: job.state.cycle.some(
      // Only onceover's own records with the same prompt count as an earlier review.
      ({ slot, own, status }) =>
        slot === job.slot && own?.promptDigest === job.gate.rubric.digest && (status === 'pass' || status === 'fail'),
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

type NamedFile = { readonly file: RepoPath | null; readonly line: number | null };

const NO_FILE: NamedFile = { file: null, line: null };

/** Maps each file name in an answer to the file that it means: a file of the gate, the change or the repository. */
async function namedFiles(
  { ports, request, changed, isChanged }: IterationContext,
  job: SlotJob,
  violations: Answers['gate']['violations'],
): Promise<Result<ReadonlyMap<string, NamedFile>>> {
  const own = job.gate.entries.map(({ path }) => path);
  const spelled = new Map(violations.map(({ file }) => [file, readFileName(file, request.root)]));
  const unknown = new Set([...spelled.values()].flatMap(({ paths }) => paths).filter((path) => !isChanged(path)));
  const found = await ports.snapshots.filesIn(job.tree, [...unknown]);
  if (!found.ok) return found;
  const exists = (path: RepoPath) => isChanged(path) || found.value.has(path);
  const named = [...spelled].map(([name, spelling]): [string, NamedFile] => {
    const file = findFile(spelling, own, exists) ?? findFile(spelling, changed, exists) ?? spelling.literal;
    return [name, { file, line: spelling.line }];
  });
  return ok(new Map(named));
}

type KnownFile = { readonly locate: ReturnType<typeof findingLocator>; readonly seen: string | null };

/** Reads files in the reviewed tree, a few at a time. */
async function readFiles(
  { ports }: IterationContext,
  job: SlotJob,
  paths: readonly (RepoPath | null)[],
): Promise<Result<ReadonlyMap<RepoPath, KnownFile>>> {
  const entries = new Map<string, Entry>(job.gate.entries.map((entry) => [entry.path, entry]));
  const distinct = [...new Set(paths.filter((path) => path !== null))];
  const queue = openQueue(FILES_AT_ONCE);
  const texts = await Promise.all(distinct.map((path) => queue(() => ports.snapshots.textIn(job.tree, path))));
  const files = new Map<RepoPath, KnownFile>();
  for (const [i, path] of distinct.entries()) {
    const text = texts[i];
    if (text?.ok !== true) return text ?? ok(files);
    files.set(path, { locate: findingLocator(text.value), seen: fileFingerprint(entries.get(path), text.value) });
  }
  return ok(files);
}

const FILES_AT_ONCE = 8;

/** Judges an answer and writes findings, receipt and record. `isStale`: whether the files changed during the review. */
export async function judgeSlot(
  context: IterationContext,
  job: SlotJob,
  answer: SlotAnswer,
  isStale: boolean,
): Promise<Result<SlotResult>> {
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
  if (added.value === 'stopped') return ok(stoppedSlot(job, answer));
  const { ratchetHolder: ratchet } = context.request;
  if (ratchet !== undefined) {
    const { isRerun } = review.value;
    const letBe = toleratedAfter(ratchet.now, { isRerun, isStale, updated: matched.updated, added: added.value });
    ratchet.now = { ...ratchet.now, letBe };
  }
  const tolerated = ratchet?.now.letBe ?? new Set<string>();
  const standing = standingAfter(matched, added.value, tolerated);
  const open = standing.filter(({ state }) => state === 'open').map(({ finding }) => finding);
  // Waived and tolerated findings also make the receipt a failure, which counts again if the waiver is taken back.
  const waived = standing
    .filter(({ finding, state }) => state === 'waived' || tolerated.has(finding.id))
    .map(({ finding }) => finding);
  const status = open.length + waived.length > 0 ? 'fail' : 'pass';
  const { gate, slot, content, scope, agent, iteration, at } = review.value;
  const receipt = await context.ports.receipts.write('review', {
    ...{ gate, slot, content, scope, agent, iteration, at },
    promptDigest: job.gate.rubric.digest,
    verdict: status,
    findings: [...open, ...waived].map(({ id }) => id),
    made: reviewFacts(answer, context.request.settings, (await context.reviewers.describe(agent)).version),
  });
  if (!receipt.ok) return receipt;
  const closed = matched.updated.filter((finding) => finding.kept === 'closed').map(({ id }) => id);
  return record(context, job, answer, { status, trouble: null, closed, standing });
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
 * so Ctrl-C stops it halfway. That is safe: the reviewer has no receipt yet, so it runs again in the next run.
 */
async function keepFindings(
  { ports: { findings }, request: { stop } }: IterationContext,
  matched: MatchedFindings,
): Promise<Result<readonly Finding[] | 'stopped'>> {
  const added = await findings.add(matched.added, stop);
  if (!added.ok) return added;
  if (added.value.length < matched.added.length) return ok('stopped');
  for (const finding of matched.updated) {
    if (stop?.aborted === true) return ok('stopped');
    const updated = await findings.update(finding);
    if (!updated.ok) return updated;
  }
  const refuted = await forEachOk(matched.refuted, ({ id, claim }) => findings.refute(id, claim));
  return refuted.ok ? added : refuted;
}

/** Returns the result of a slot whose review was stopped. Its calls are paid, but it has no verdict and no record. */
export function stoppedSlot(job: SlotJob, answer: SlotAnswer): SlotResult {
  return { ...slotResult(job, answer, { status: 'error', trouble: null, closed: [] }), isStopped: true };
}

type Standing = { readonly finding: Finding; readonly state: FindingState };

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

/** Returns the result of a slot from its calls. `answer` is `null` if no agent could be called. */
function slotResult(
  job: SlotJob | UnassignableSlot,
  answer: SlotAnswer | null,
  { status, trouble, closed }: SlotEnd,
): SlotResult {
  const { gate, slot } = job;
  const agent = answer?.agent ?? job.agent;
  const asks = answer?.requests ?? 0;
  const dispatch = answer === null || asks === 0 ? 'none' : answer.dispatch;
  const session = sessionReason(job, dispatch);
  // The reason why the slot runs (`job.why`) says more than that its session is the first one or was requested.
  const why = session === null || session === 'first-look' || session === 'asked-for' ? job.why : session;
  const durationMs = answer?.durationMs ?? 0;
  const call = { slot, status, usage: answer?.usage ?? null };
  return {
    gate,
    job: 'fresh' in job ? job : null,
    outcome: {
      ...{ ...call, agent, dispatch, durationMs, trouble },
      ...{ why: trouble?.kind ?? why, passIteration: null, sawOlder: false, earlier: null },
      shared: job.state.slots.find((one) => one.slot === slot)?.shared ?? null,
    },
    cost:
      agent === null || dispatch === 'none'
        ? null
        : {
            ...{ ...call, gate: gate.id, agent, dispatch, why, asks },
            ...{ model: answer?.model ?? null, durationMs: Math.round(durationMs) },
            ...(answer?.cache == null ? {} : { cache: answer.cache }),
          },
    closed,
    forked: answer?.forked === true,
    isStopped: false,
  };
}

/** Returns why the session was new or resumed. If it is new although a resume was planned, the old one was lost. */
function sessionReason(job: SlotJob | UnassignableSlot, actual: SlotOutcome['dispatch']): DispatchPlan['why'] | null {
  if (!('dispatch' in job)) return null;
  return job.dispatch.kind === 'resumed' && actual === 'fresh' ? 'session-lost' : job.dispatch.why;
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
  const session = sessionReason(job, dispatch);
  const durationMs = answer?.durationMs ?? 0;
  const written = await writeRecord(
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
        parts: 'fresh' in job ? job.fresh.length : 0,
        usage,
        durationMs: Math.round(durationMs),
        error: trouble === null ? null : describeTrouble(trouble),
        opened: answer?.opened == null ? undefined : [...new Set(answer.opened)],
        handed: dispatch === 'resumed' && 'fresh' in job ? job.resumed?.handed : undefined,
        reading: readingBehind(job, answer),
      },
    },
    (all) => slotLog(all, { kind: 'run', slot, why: job.why }, answer?.exchanges ?? []),
  );
  if (!written.ok) return written;
  const inState = (wanted: FindingState) => standing.filter(({ state }) => state === wanted).length;
  context.ports.reporter.tell({
    ...{ kind: 'slot-ended', gate: gate.id, slot, agent: adapter, status, trouble, usage, durationMs },
    ...{ open: inState('open'), warnings: inState('warning') },
  });
  return ok(result);
}

type NewRecord = Omit<SlotRecord, 'gate' | 'iteration' | 'timestamp' | 'own'> & {
  readonly own: Omit<RecordMetadata, 'content' | 'branch' | 'mergeBase' | 'scope' | 'promptDigest' | 'cycle'>;
};

/** Writes the record and the log of a slot in this iteration. The files are named after `agent`. */
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
  const written = {
    ...record,
    gate: gate.id,
    iteration,
    timestamp,
    own: { ...about, ...own, cycle: { start, base, head, mark } },
  };
  return ports.records.writeSlot(written, { gate: facts.nameOf(gate.id), agent }, logOf(written));
}
