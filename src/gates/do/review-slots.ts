import { omitUndefined } from '../../config/settings.ts';
import { type Budget, openPrefixGate, openQueue, sharePending } from '../../dispatch/limits.ts';
import type { GateId, RepoPath } from '../../kernel/ids.ts';
import type { DiffSection } from '../../kernel/repository.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { GateState } from '../decide/gate-state.ts';
import type { ReviewPlan } from '../decide/plan-run.ts';
import { skippedSlotLog } from '../describe/logs.ts';
import { describePlan } from '../describe/reasons.ts';
import type { RunFacts, RunPorts, RunRequest, SkippedSlot, SlotJob, UnassignableSlot } from '../ports.ts';
import { gatesOf } from '../read/state.ts';
import type { SlotRecord } from '../record-types.ts';
import { NO_AGENT, type ReviewGate, type SlotPlan } from '../types.ts';
import { askSlot, type SlotAnswer } from './ask-slot.ts';
import { DEFAULT_DIFF_CONTEXT, type IterationContext, prepareSlot } from './prepare-slot.ts';
import { binaryPaths } from './prompt.ts';
import { gateMetadata, type JudgedSlot, judgeSlot, recordError } from './record-verdict.ts';

/** The results of the slots of an iteration. `interrupted`: the run was stopped before all slots had answered. */
export type RanSlots = {
  readonly judged: readonly JudgedSlot[];
  readonly resting: readonly SkippedSlot[];
  readonly interrupted: boolean;
  /** Reviews that were stopped. They leave no record, but they cost tokens. */
  readonly stopped: readonly StoppedReview[];
  /** Binary files: reviewers saw only that the content differs. */
  readonly binary: readonly RepoPath[];
};

type StoppedReview = { readonly job: SlotJob; readonly answer: SlotAnswer };

/** Runs the planned slots concurrently. Skipped slots get their records first. */
export async function runSlots(
  context: IterationContext,
  plans: readonly Extract<ReviewPlan, { kind: 'run' }>[],
  iteration: number,
  budget: Budget,
): Promise<Result<RanSlots>> {
  const resting: SkippedSlot[] = [];
  const jobs: (SlotJob | UnassignableSlot)[] = [];
  for (const plan of plans) {
    const skipped = await recordSkippedSlots(context, plan, iteration);
    if (!skipped.ok) return skipped;
    resting.push(...skipped.value);
    for (const slot of plan.slots) {
      if (slot.kind === 'skip') continue;
      const job = await prepareSlot(context, plan.state, slot);
      if (!job.ok) return job;
      jobs.push(job.value);
    }
  }
  const isStale = watchFiles(context, plans);
  const queue = openQueue(context.request.settings.concurrency);
  const results = await Promise.all(
    jobs.map(async (job): Promise<Result<JudgedSlot | StoppedReview | null>> => {
      if ('trouble' in job) {
        return reportEnd(context, await recordError(context, job, null, iteration, job.trouble));
      }
      const release = await context.prefixes.join(job.prefix);
      try {
        return await queue(() => runJob(context, job, iteration, budget, isStale, release));
      } finally {
        release();
      }
    }),
  );
  const judged: JudgedSlot[] = [];
  const stopped: StoppedReview[] = [];
  for (const result of results) {
    if (!result.ok) return result;
    if (result.value === null) continue;
    if ('answer' in result.value) stopped.push(result.value);
    else judged.push(result.value);
  }
  const isShown = jobs.some((job) => 'fresh' in job);
  const shown = isShown ? await context.diff(context.facts.comparison.baseTree, DEFAULT_DIFF_CONTEXT) : ok([]);
  if (!shown.ok) return shown;
  const entries = plans.flatMap(({ state }) => state.gate.entries);
  const binary = [...new Set(binaryPaths(shown.value, entries))];
  return ok({ judged, resting, interrupted: judged.length < jobs.length, stopped, binary });
}

/** Calls and judges one slot. A stopped review leaves no record; `null` if the run stopped before the call. */
async function runJob(
  context: IterationContext,
  job: SlotJob,
  iteration: number,
  budget: Budget,
  isStale: (gate: ReviewGate) => Promise<Result<boolean>>,
  release: () => void,
): Promise<Result<JudgedSlot | StoppedReview | null>> {
  if (isStopped(context)) return ok(null);
  const { gate, slot, agent, dispatch } = job;
  context.ports.reporter.tell({ kind: 'slot-started', gate: gate.id, slot, agent, dispatch });
  const answer = await askSlot(context, job, budget, release);
  if (isStopped(context)) return ok({ job, answer });
  const stale = await isStale(gate);
  if (!stale.ok) return stale;
  return reportEnd(context, await judgeSlot(context, job, answer, iteration, stale.value));
}

function isStopped({ request }: IterationContext): boolean {
  return request.stop?.aborted === true;
}

function reportEnd(context: IterationContext, judged: Result<JudgedSlot>): Result<JudgedSlot> {
  if (!judged.ok) return judged;
  const { job, agent, status, open, warnings, trouble, usage, durationMs } = judged.value;
  context.ports.reporter.tell({
    kind: 'slot-ended',
    gate: job.gate.id,
    slot: job.slot,
    agent: agent ?? NO_AGENT,
    status,
    open,
    warnings,
    trouble,
    usage,
    durationMs,
  });
  return judged;
}

/** Returns a check for whether a gate's files changed since the slots started, even if they were changed back. */
function watchFiles(
  context: IterationContext,
  plans: readonly { readonly state: GateState }[],
): (gate: ReviewGate) => Promise<Result<boolean>> {
  const { ports, request, facts } = context;
  const { comparison } = facts;
  // A run about a commit reads no working tree, and a commit never changes.
  if (comparison.headTree !== null) return async () => ok(false);
  const touchedBefore = new Map<GateId, string>(
    plans.map(({ state }) => [state.gate.id, ports.snapshots.touched(state.gate.entries.map(({ path }) => path))]),
  );
  const currentGates = sharePending(async () => {
    const snapshot = await ports.snapshots.take(comparison, omitUndefined(request.settings));
    return snapshot.ok ? gatesOf(ports, request, snapshot.value) : snapshot;
  });
  return async (gate) => {
    const now = await currentGates();
    if (!now.ok) return now;
    const current = now.value.planned.gates.find(({ id }) => id === gate.id);
    if (current === undefined || current.kind === 'check' || current.content !== gate.content) return ok(true);
    return ok(ports.snapshots.touched(gate.entries.map(({ path }) => path)) !== touchedBefore.get(gate.id));
  };
}

/** Writes the gate's log, and a record for every skipped slot. */
async function recordSkippedSlots(
  context: IterationContext,
  { state, slots }: Extract<ReviewPlan, { kind: 'run' }>,
  iteration: number,
): Promise<Result<readonly SkippedSlot[]>> {
  const { gate } = state;
  const name = context.facts.names.get(gate.id);
  for (const plan of slots) context.ports.reporter.tell({ kind: 'slot-planned', gate: gate.id, plan });
  if (name === undefined) return ok([]);
  const written = await context.ports.records.writeGateLog(name, iteration, [
    `Review: ${gate.id}, iteration ${iteration}`,
    ...slots.map(describePlan),
  ]);
  if (!written.ok) return written;
  const available = await context.available(gate);
  const skipped: SkippedSlot[] = [];
  for (const plan of slots) {
    if (plan.kind !== 'skip') continue;
    const passedBy = passOf(context, gate, plan);
    const assigned = available.names[(plan.slot - 1) % Math.max(1, available.names.length)];
    const slot: SkippedSlot = {
      gate,
      slot: plan.slot,
      passIteration: plan.passIteration,
      assigned: assigned ?? passedBy?.adapter ?? NO_AGENT,
      passedBy,
    };
    const record: SlotRecord = {
      gate: gate.id,
      slot: plan.slot,
      iteration,
      adapter: passedBy?.adapter ?? slot.assigned,
      timestamp: context.ports.clock.now().toISOString(),
      status: 'skipped_prior_pass',
      rawOutput: '',
      violations: [],
      passIteration: plan.passIteration,
      own: {
        ...gateMetadata(context, gate),
        ...{ snapshot: null, session: null, usage: null, durationMs: null, error: null },
        ...{ dispatch: 'none', why: 'passed-before', parts: 0 },
      },
    };
    const kept = await context.ports.records.writeSlot(
      record,
      { gate: name, agent: slot.assigned },
      skippedSlotLog(record),
    );
    if (!kept.ok) return kept;
    skipped.push(slot);
  }
  return ok(skipped);
}

/** Returns the record of the pass because of which a slot is skipped. */
function passOf(
  context: IterationContext,
  gate: ReviewGate,
  plan: Extract<SlotPlan, { kind: 'skip' }>,
): SlotRecord | null {
  const own = context.facts.past.slots.filter((record) => record.gate === gate.id && record.slot === plan.slot);
  const inIteration = own.find(({ iteration, status }) => iteration === plan.passIteration && status === 'pass');
  return inIteration ?? own.at(-1) ?? null;
}

/** Runs the planned slots on the current code. It keeps the snapshot, because later deltas start from it. */
export async function runReviews(
  ports: RunPorts,
  request: RunRequest,
  facts: RunFacts,
  plans: readonly Extract<ReviewPlan, { kind: 'run' }>[],
  iteration: number,
  budget: Budget,
): Promise<Result<RanSlots>> {
  const tree = facts.comparison.headTree === null ? await facts.snapshot.tree() : ok(facts.comparison.headTree);
  if (!tree.ok) return tree;
  const kept = await ports.snapshots.keep(tree.value);
  if (!kept.ok) return kept;
  const authored = await authoredAgents(ports, request, facts);
  if (!authored.ok) return authored;
  const context = await openContext(ports, request, facts, tree.value, authored.value);
  return runSlots(context, plans, iteration, budget);
}

async function openContext(
  ports: RunPorts,
  request: RunRequest,
  facts: RunFacts,
  tree: IterationContext['tree'],
  authored: IterationContext['authored'],
): Promise<IterationContext> {
  const reviewers = await ports.reviewers();
  const diffs = new Map<string, Promise<Result<readonly DiffSection[]>>>();
  return {
    ports,
    request,
    facts,
    reviewers,
    tree,
    authored,
    prefixes: openPrefixGate(),
    diff(from, contextLines) {
      const key = `${from} ${contextLines}`;
      const made = diffs.get(key) ?? ports.snapshots.sections(from, tree, contextLines);
      diffs.set(key, made);
      return made;
    },
    async available(gate: ReviewGate) {
      const cooling = await ports.coolings.all(ports.clock.now());
      const wanted = (gate.agents ?? reviewers.names).filter(
        (name) => reviewers.found.includes(name) && !authored.has(name),
      );
      const isCooling = (name: string) => cooling.some(({ agent }) => agent === name);
      return {
        names: wanted.filter((name) => !isCooling(name)),
        cooling: cooling.filter(({ agent }) => wanted.includes(agent)),
      };
    },
  };
}

/** Returns the agents whose program the whole change modified, even if the run is about a part of it. */
async function authoredAgents(
  ports: RunPorts,
  { authorAgents, settings }: RunRequest,
  facts: RunFacts,
): Promise<Result<IterationContext['authored']>> {
  if (authorAgents === null) return ok(new Map());
  const pathsOf = (entries: RunFacts['snapshot']['entries']) => entries.map(({ path }): string => path);
  const own = pathsOf(facts.snapshot.entries);
  if (facts.comparison.scope.kind === 'full') return ok(authorAgents(new Set(own)));
  const whole = await ports.snapshots.compare({ kind: 'change', base: null }, settings.base);
  if (!whole.ok) return whole;
  const snapshot = await ports.snapshots.take(whole.value, omitUndefined(settings));
  return snapshot.ok ? ok(authorAgents(new Set([...pathsOf(snapshot.value.entries), ...own]))) : snapshot;
}
