import { openPrefixGate, openQueue, sharePending } from '@onceover/agents/dispatch/limits';
import { type CacheHistory, NO_CACHE_HISTORY } from '@onceover/agents/economy/cache-life';
import { planReuse } from '@onceover/agents/economy/plan-reuse';
import { cacheHistory } from '@onceover/agents/ledger/cache-history';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { ok, type Result } from '@onceover/base/kernel/result';
import { omittedFolders } from '@onceover/repo/config/settings';
import { NO_AGENT, type ReviewGate } from '../../gate-types.ts';
import { describePlan } from '../../result/describe/reasons.ts';
import { noPassReason, REFUSALS } from '../../result/describe/refusals.ts';
import type { GateRun } from '../decide/plan-run.ts';
import { slotLog } from '../describe/logs.ts';
import { NO_CALL } from '../judge/judge-run.ts';
import type { RanSlots, RunContext, RunFacts, SlotJob, SlotResult, UnassignableSlot } from '../ports.ts';
import { gatesOf } from '../read/gates.ts';
import { watchGateFiles } from '../record/after-run.ts';
import type { SlotRecord } from '../record-types.ts';
import { answerWithoutReview, askSlot } from './ask-slot.ts';
import { availableAgents, type IterationContext } from './iteration.ts';
import { DEFAULT_DIFF_CONTEXT, type PreparedSlot, prepareSlot } from './prepare-slot.ts';
import { type IndexedDiff, indexDiff, unseenPaths } from './prompt-diff.ts';
import { judgeSlot, recordError, stoppedSlot, writeRecord } from './record-verdict.ts';
import { openReadings, withSharedReading } from './shared-readings.ts';

/**
 * Runs the planned reviewers on the current code, several at once. The records of skipped reviewers are written first.
 */
export async function runReviews(
  run: RunContext,
  facts: RunFacts,
  plans: readonly GateRun[],
  iteration: number,
): Promise<Result<RanSlots>> {
  const contextResult = await openContext(run, facts, { iteration, plans });
  if (!contextResult.ok) return contextResult;
  const context = contextResult.value;
  const slots: SlotResult[] = [];
  const preparedSlots: (PreparedSlot | UnassignableSlot)[] = [];
  for (const plan of plans) {
    const skippedSlots = await recordSkippedSlots(context, plan);
    if (!skippedSlots.ok) return skippedSlots;
    slots.push(...skippedSlots.value);
    for (const slot of plan.slots) {
      if (slot.kind !== 'run') continue;
      const preparedSlot = await prepareSlot(context, plan.state, slot);
      if (!preparedSlot.ok) return preparedSlot;
      preparedSlots.push(preparedSlot.value);
    }
  }
  const jobs = planJobs(context, preparedSlots);
  const results = await reviewSlots(context, jobs, watchFiles(context, plans));
  let isInterrupted = false;
  for (const result of results) {
    if (!result.ok) return result;
    if (result.value === null || result.value.isStopped) isInterrupted = true;
    if (result.value !== null) slots.push(result.value);
  }
  const isShown = jobs.some((job) => 'reuse' in job);
  const shownDiff = isShown ? await context.diff(facts.comparison.baseTree, DEFAULT_DIFF_CONTEXT) : ok(null);
  if (!shownDiff.ok) return shownDiff;
  const entries = plans.flatMap(({ state }) => state.gate.entries);
  const binary = [...new Set(unseenPaths(shownDiff.value?.sections ?? [], entries, 'media'))];
  return ok({ slots, interrupted: isInterrupted, binary, absent: absentAgents(context, jobs) });
}

/** Chooses the sessions of all reviewers at once, because they can share the start of their prompts. */
function planJobs(
  { ports, request, cacheHistory }: IterationContext,
  preparedSlots: readonly (PreparedSlot | UnassignableSlot)[],
): readonly (SlotJob | UnassignableSlot)[] {
  const { cacheTtl, shareReading } = request.settings;
  const reuseJobs = preparedSlots.flatMap((slotToRun) => ('reuse' in slotToRun ? [slotToRun.reuse] : []));
  const history = { cache: cacheHistory, now: ports.clock.now(), cacheTtl, shareReading };
  const plans = new Map(planReuse(reuseJobs, history).map((reuse, i) => [reuseJobs[i], reuse]));
  return preparedSlots.map((slotToRun) => {
    if (!('reuse' in slotToRun)) return slotToRun;
    const reuse = plans.get(slotToRun.reuse);
    if (reuse === undefined) throw new Error('a reviewer without a plan');
    return { ...slotToRun.job, reuse };
  });
}

/** Returns whether a gate's files were changed since the reviews began. */
type StaleCheck = (gate: ReviewGate) => Promise<Result<boolean>>;

/** Calls the reviewers, several at once, and returns their results in the same order. */
function reviewSlots(
  context: IterationContext,
  jobs: readonly (SlotJob | UnassignableSlot)[],
  isStale: StaleCheck,
): Promise<readonly Result<SlotResult | null>[]> {
  const queue = openQueue(context.request.settings.concurrency);
  const slotJobs = jobs.flatMap((job) => ('reuse' in job ? [job] : []));
  const readingOf = openReadings(context, slotJobs, queue);
  return Promise.all(
    jobs.map(async (job) => {
      if ('trouble' in job) return recordError(context, job, null, job.trouble);
      const reading = await readingOf(job);
      const ready = reading === null ? job : withSharedReading(job, reading);
      // Reviewers that continue from one session need not wait for each other, because the provider has that session in
      // its cache already.
      const release = await context.prefixes.join(reading?.end.reading == null ? job.reuse.prefix : null);
      try {
        return await queue(() => runJob(context, ready, isStale, release));
      } finally {
        release();
      }
    }),
  );
}

function absentAgents(
  { reviewers, request }: Pick<IterationContext, 'reviewers' | 'request'>,
  jobs: readonly (SlotJob | UnassignableSlot)[],
): readonly string[] {
  const startedJobs = jobs.filter((job) => !('trouble' in job));
  const configuredAgents = new Set(startedJobs.flatMap(({ gate }) => gate.agents ?? request.settings.agents ?? []));
  return reviewers.missing.map(({ name }) => name).filter((name) => configuredAgents.has(name));
}

/** Whether none of the planned reviews has an agent that could run now. */
export async function hasNoAgent({ ports }: RunContext, plans: readonly GateRun[]): Promise<boolean> {
  const context = { ports, reviewers: await ports.reviewers() };
  const available = await Promise.all(plans.map(({ state }) => availableAgents(context, state.gate)));
  return available.every(({ names }) => names.length === 0);
}

/**
 * Returns the data that all reviewers of the run share. Keeps the snapshot, because diffs in later iterations start
 * from it.
 */
async function openContext(
  run: RunContext,
  facts: RunFacts,
  { iteration, plans }: Pick<IterationContext, 'iteration' | 'plans'>,
): Promise<Result<IterationContext>> {
  const { snapshots, reviewers } = run.ports;
  const { headTree } = facts.comparison;
  const treeResult = headTree === null ? await facts.snapshot.tree() : ok(headTree);
  if (!treeResult.ok) return treeResult;
  const tree = treeResult.value;
  const keepResult = await snapshots.keep(tree);
  if (!keepResult.ok) return keepResult;
  const changedPaths = facts.snapshot.entries.map(({ path }) => path);
  const paths = new Set(changedPaths);
  const isChanged = (path: RepoPath) => paths.has(path);
  const texts = new Map<RepoPath, Promise<Result<string | null>>>();
  const diffs = new Map<string, Promise<Result<IndexedDiff>>>();
  const readDiff = async (from: string, contextLines: number): Promise<Result<IndexedDiff>> => {
    const sections = await snapshots.sections(from, tree, contextLines);
    return sections.ok ? ok(indexDiff(sections.value, isChanged)) : sections;
  };
  return ok({
    ...run,
    facts,
    iteration,
    plans,
    cacheHistory: await readCacheHistory(run.ports),
    tree,
    trees: { head: tree, base: facts.comparison.baseTree, hidden: omittedFolders(run.request.settings).folders },
    changed: changedPaths,
    isChanged,
    mark: await snapshots.branchMark(facts.comparison.where.branch),
    reviewers: await reviewers(),
    prefixes: openPrefixGate(),
    text(path) {
      const pendingText = texts.get(path) ?? snapshots.textIn(tree, path);
      texts.set(path, pendingText);
      return pendingText;
    },
    diff(from, contextLines) {
      const key = `${from} ${contextLines}`;
      const pendingDiff = diffs.get(key) ?? readDiff(from, contextLines);
      diffs.set(key, pendingDiff);
      return pendingDiff;
    },
  });
}

/**
 * Returns what the ledger (the log of past calls) shows about caches and pauses. If it cannot be read, returns nothing:
 * only cost estimates need it.
 */
async function readCacheHistory({ ledger, clock }: RunContext['ports']): Promise<CacheHistory> {
  const history = await ledger.all(MOST_ENTRIES);
  return history.ok ? cacheHistory(history.value.entries, clock.now()) : NO_CACHE_HISTORY;
}

/**
 * The number of ledger entries (logged runs) that are enough to estimate the usual pauses between runs in this
 * repository.
 */
const MOST_ENTRIES = 100;

/**
 * Calls one reviewer and judges its answer. A stopped review leaves no record. Returns `null` if the run was stopped
 * before the call.
 */
async function runJob(
  context: IterationContext,
  job: SlotJob,
  isStale: StaleCheck,
  release: () => void,
): Promise<Result<SlotResult | null>> {
  const isStopped = () => context.request.stop?.aborted === true;
  if (isStopped()) {
    const readingAnswer = answerWithoutReview(job);
    return ok(readingAnswer === null ? null : stoppedSlot(job, readingAnswer));
  }
  const { gate, slot, agent } = job;
  context.ports.reporter.tell({ kind: 'slot-started', gate: gate.id, slot, agent, dispatch: job.reuse.dispatch });
  const answer = await askSlot(context, job, release);
  if (isStopped()) return ok(stoppedSlot(job, answer));
  const stale = await isStale(gate);
  if (!stale.ok) return stale;
  return judgeSlot(context, job, answer, stale.value);
}

/**
 * Returns a function that reports whether a gate's files were changed since this call, even if the change was undone.
 */
function watchFiles({ ports, request, facts }: IterationContext, plans: readonly GateRun[]): StaleCheck {
  const { comparison } = facts;
  // A run about a commit does not read the working tree, and a commit never changes, so its files stay the same.
  if (comparison.headTree !== null) return async () => ok(false);
  const gates = plans.map(({ state }) => state.gate);
  const isUntouched = watchGateFiles(ports.snapshots, gates);
  const currentContents = sharePending(async () => {
    const snapshot = await ports.snapshots.take(comparison, omittedFolders(request.settings));
    if (!snapshot.ok) return snapshot;
    const currentGates = await gatesOf(ports, request, snapshot.value);
    if (!currentGates.ok) return currentGates;
    return ok(
      new Map(currentGates.value.planned.gates.map((gate) => [gate.id, gate.kind === 'check' ? null : gate.content])),
    );
  });
  let cachedContents: ReturnType<typeof currentContents> | null = null;
  const compareOnce = () => {
    cachedContents ??= currentContents();
    return cachedContents;
  };
  return async (gate) => {
    // A gate of one file cannot gain files, so after one comparison it is enough to watch that file. There can be many
    // such gates, and comparing all gates after each review would take quadratic time.
    const isOneFile = gate.task?.rule.strategy === 'individual';
    const contents = await (isOneFile ? compareOnce() : currentContents());
    if (!contents.ok) return contents;
    return ok(contents.value.get(gate.id) !== gate.content || !isUntouched(gate));
  };
}

/** Reports for each reviewer whether it runs, and why no pass of another clone counts for it. */
function announcePlans({ ports, request }: IterationContext, state: GateRun['state'], plans: GateRun['slots']): void {
  for (const plan of plans) {
    const acceptance = plan.kind === 'run' ? state.slots.find(({ slot }) => slot === plan.slot)?.shared : null;
    const noPass = noPassReason(acceptance ?? null, request.pullRequest !== null);
    ports.reporter.tell({
      kind: 'slot-planned',
      gate: state.gate.id,
      plan,
      ...(noPass === null ? {} : { noPass: REFUSALS[noPass] }),
    });
  }
}

/** Writes a log of why each reviewer of the gate runs or is skipped, and a record for every skipped reviewer. */
async function recordSkippedSlots(
  context: IterationContext,
  { state, slots }: GateRun,
): Promise<Result<readonly SlotResult[]>> {
  const { gate } = state;
  const { ports, facts, iteration } = context;
  announcePlans(context, state, slots);
  const lines = [`Review: ${gate.id}, iteration ${iteration}`, ...slots.map(describePlan)];
  const writeResult = await ports.records.writeGateLog(facts.nameOf(gate.id), iteration, lines);
  if (!writeResult.ok) return writeResult;
  const { names } = await availableAgents(context, gate);
  const results: SlotResult[] = [];
  for (const plan of slots) {
    if (plan.kind === 'run') continue;
    const { slot } = plan;
    const slotState = state.slots.find((candidate) => candidate.slot === slot);
    const acceptance = plan.kind === 'accept' ? (slotState?.shared ?? null) : null;
    // A pass of another clone belongs to no iteration of this one.
    const passIteration = plan.kind === 'skip' ? plan.passIteration : (slotState?.passIteration ?? null);
    const slotRecords = state.cycle.filter((record) => record.slot === slot);
    const isPass = ({ iteration: at, status }: SlotRecord) => at === passIteration && status === 'pass';
    const passedBy = slotRecords.find(isPass) ?? slotRecords.at(-1) ?? null;
    // The file name of the record contains the agent that would review now, even though the reviewer is skipped.
    const assignedAgent = names[(slot - 1) % Math.max(1, names.length)] ?? passedBy?.adapter ?? NO_AGENT;
    const agent = acceptance?.statement?.agent ?? passedBy?.adapter ?? assignedAgent;
    const skip = { slot, status: 'skipped_prior_pass', passIteration } as const;
    const why = plan.kind === 'accept' ? 'accepted' : 'passed-before';
    const emptyFields = { snapshot: null, session: null, usage: null, durationMs: null, error: null, parts: 0 };
    const unknownFiles = { opened: undefined, handed: undefined, reading: undefined };
    const record = {
      ...skip,
      adapter: agent,
      rawOutput: '',
      violations: [],
      own: { ...emptyFields, ...unknownFiles, dispatch: 'none', why },
    } as const;
    const recordResult = await writeRecord(context, state, assignedAgent, record, (slotRecord) =>
      slotLog(slotRecord, plan, []),
    );
    if (!recordResult.ok) return recordResult;
    // The state of the gate says how an accepted pass counts.
    if (plan.kind === 'accept') continue;
    const sawOlder = passedBy?.own?.content !== gate.content;
    const outcome = { ...NO_CALL, ...skip, agent, why, sawOlder } as const;
    results.push({ gate, outcome, job: null, cost: null, closed: [], isStopped: false });
  }
  return ok(results);
}
