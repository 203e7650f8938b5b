import type { RepoPath } from '../domain/brand.ts';
import type { GateId, ReviewGate } from '../domain/gate.ts';
import { leftOut } from '../domain/left-out.ts';
import type { SlotRecord } from '../domain/record.ts';
import { done, type Result } from '../domain/result.ts';
import { NO_AGENT, type SlotPlan } from '../domain/slot.ts';
import { binaryPaths } from '../plan/binary-paths.ts';
import type { ReviewPlan } from '../plan/decide-run.ts';
import type { GateState } from '../plan/gate-state.ts';
import { restLog } from '../text/slot-log.ts';
import { tellPlan } from '../text/slots.ts';
import { askSlot, type SlotAnswer } from './ask-slot.ts';
import type { Budget } from './budget.ts';
import { type JudgedSlot, judgeSlot, recordError } from './judge-slot.ts';
import { prepareSlot, USUAL_CONTEXT, type Wave } from './prepare-slot.ts';
import { coalesce, openQueue } from './queue.ts';
import { gatesOf } from './read-gates.ts';
import type { RestingSlot, SlotJob, StuckSlot } from './slot-job.ts';

/** What the slots of an iteration did; `interrupted` where the work was stopped before all had answered. */
export type RanSlots = {
  readonly judged: readonly JudgedSlot[];
  readonly resting: readonly RestingSlot[];
  readonly interrupted: boolean;
  /** Looks that were stopped: nothing is recorded of them, but they cost something. */
  readonly stopped: readonly StoppedLook[];
  /** Files of which the reviewers were shown only that they differ. */
  readonly binary: readonly RepoPath[];
};

type StoppedLook = { readonly job: SlotJob; readonly answer: SlotAnswer };

/** Runs the slots that are planned, several at once; those that rest get their record first. */
export async function runSlots(
  wave: Wave,
  plans: readonly Extract<ReviewPlan, { kind: 'run' }>[],
  iteration: number,
  budget: Budget,
): Promise<Result<RanSlots>> {
  const resting: RestingSlot[] = [];
  const jobs: (SlotJob | StuckSlot)[] = [];
  for (const plan of plans) {
    const rested = await restSlots(wave, plan, iteration);
    if (!rested.ok) return rested;
    resting.push(...rested.value);
    for (const slot of plan.slots) {
      if (slot.kind === 'skip') continue;
      const job = await prepareSlot(wave, plan.state, slot);
      if (!job.ok) return job;
      jobs.push(job.value);
    }
  }
  const watch = watchFiles(wave, plans);
  const queue = openQueue(wave.request.settings.concurrency);
  const results = await Promise.all(
    jobs.map(async (job): Promise<Result<JudgedSlot | StoppedLook | null>> => {
      if ('trouble' in job) {
        return announced(wave, await recordError(wave, job, null, iteration, job.trouble));
      }
      const begun = await wave.prefixes.join(job.prefix);
      try {
        return await queue(() => runJob(wave, job, iteration, budget, watch, begun));
      } finally {
        begun();
      }
    }),
  );
  const judged: JudgedSlot[] = [];
  const stopped: StoppedLook[] = [];
  for (const result of results) {
    if (!result.ok) return result;
    if (result.value === null) continue;
    if ('answer' in result.value) stopped.push(result.value);
    else judged.push(result.value);
  }
  const isShown = jobs.some((job) => 'fresh' in job);
  const shown = isShown ? await wave.diff(wave.facts.comparison.baseTree, USUAL_CONTEXT) : done([]);
  if (!shown.ok) return shown;
  const entries = plans.flatMap(({ state }) => state.gate.entries);
  const binary = [...new Set(binaryPaths(shown.value, entries))];
  return done({ judged, resting, interrupted: judged.length < jobs.length, stopped, binary });
}

/** Asks and judges one slot; where it was stopped nothing is recorded, and null where it was not asked. */
async function runJob(
  wave: Wave,
  job: SlotJob,
  iteration: number,
  budget: Budget,
  isStale: (gate: ReviewGate) => Promise<Result<boolean>>,
  begun: () => void,
): Promise<Result<JudgedSlot | StoppedLook | null>> {
  if (isStopped(wave)) return done(null);
  const { gate, slot, agent, dispatch } = job;
  wave.ports.reporter.tell({ kind: 'slot-started', gate: gate.id, slot, agent, dispatch });
  const answer = await askSlot(wave, job, budget, begun);
  if (isStopped(wave)) return done({ job, answer });
  const stale = await isStale(gate);
  if (!stale.ok) return stale;
  return announced(wave, await judgeSlot(wave, job, answer, iteration, stale.value));
}

function isStopped({ request }: Wave): boolean {
  return request.stop?.aborted === true;
}

function announced(wave: Wave, judged: Result<JudgedSlot>): Result<JudgedSlot> {
  if (!judged.ok) return judged;
  const { job, agent, status, open, warnings, trouble, usage, durationMs } = judged.value;
  wave.ports.reporter.tell({
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

/** Tells whether a gate's files are no longer what they were when the slots began, or were not so in between. */
function watchFiles(
  wave: Wave,
  plans: readonly { readonly state: GateState }[],
): (gate: ReviewGate) => Promise<Result<boolean>> {
  const { ports, request, facts } = wave;
  const { comparison } = facts;
  // A commit does not change.
  if (comparison.headTree !== null) return async () => done(false);
  const touchedBefore = new Map<GateId, string>(
    plans.map(({ state }) => [state.gate.id, ports.snapshots.touched(state.gate.entries.map(({ path }) => path))]),
  );
  const look = coalesce(async () => {
    const snapshot = await ports.snapshots.take(comparison, leftOut(request.settings));
    return snapshot.ok ? gatesOf(ports, request, snapshot.value) : snapshot;
  });
  return async (gate) => {
    const now = await look();
    if (!now.ok) return now;
    const same = now.value.planned.gates.find(({ id }) => id === gate.id);
    if (same === undefined || same.kind === 'check' || same.content !== gate.content) return done(true);
    return done(ports.snapshots.touched(gate.entries.map(({ path }) => path)) !== touchedBefore.get(gate.id));
  };
}

/** Writes the gate's decisions, and a record for every slot that rests. */
async function restSlots(
  wave: Wave,
  { state, slots }: Extract<ReviewPlan, { kind: 'run' }>,
  iteration: number,
): Promise<Result<readonly RestingSlot[]>> {
  const { gate } = state;
  const { comparison, names } = wave.facts;
  const name = names.get(gate.id);
  for (const plan of slots) wave.ports.reporter.tell({ kind: 'slot-planned', gate: gate.id, plan });
  if (name === undefined) return done([]);
  const written = await wave.ports.records.writeGateLog(name, iteration, [
    `Review: ${gate.id}, iteration ${iteration}`,
    ...slots.map(tellPlan),
  ]);
  if (!written.ok) return written;
  const available = await wave.available(gate);
  const resting: RestingSlot[] = [];
  for (const plan of slots) {
    if (plan.kind !== 'skip') continue;
    const passedBy = passOf(wave, gate, plan);
    const assigned = available.names[(plan.slot - 1) % Math.max(1, available.names.length)];
    const rest: RestingSlot = {
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
      adapter: passedBy?.adapter ?? rest.assigned,
      timestamp: wave.ports.clock.now().toISOString(),
      status: 'skipped_prior_pass',
      rawOutput: '',
      violations: [],
      passIteration: plan.passIteration,
      own: {
        content: gate.content,
        snapshot: null,
        ...comparison.where,
        scope: comparison.scope.key,
        promptDigest: gate.rubric.digest,
        session: null,
        dispatch: 'none',
        why: 'passed-before',
        parts: 0,
        usage: null,
        durationMs: null,
        error: null,
      },
    };
    const kept = await wave.ports.records.writeSlot(record, { gate: name, agent: rest.assigned }, restLog(record));
    if (!kept.ok) return kept;
    resting.push(rest);
  }
  return done(resting);
}

/** The record of the pass that a slot rests on. */
function passOf(wave: Wave, gate: ReviewGate, plan: Extract<SlotPlan, { kind: 'skip' }>): SlotRecord | null {
  const own = wave.facts.past.slots.filter((record) => record.gate === gate.id && record.slot === plan.slot);
  const inIteration = own.find(({ iteration, status }) => iteration === plan.passIteration && status === 'pass');
  return inIteration ?? own.at(-1) ?? null;
}
