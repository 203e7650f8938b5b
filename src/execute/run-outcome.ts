import type { GateId, ReviewGate } from '../domain/gate.ts';
import type { Spared } from '../domain/ledger.ts';
import type { RunNotice, RunOutcome, SlotOutcome } from '../domain/run.ts';
import { addUsage } from '../domain/usage.ts';
import type { RunPlan } from '../plan/decide-run.ts';
import { type CheckDeed, type GateDeed, judgeRun } from '../plan/judge-run.ts';
import { type SavingDeed, totalSaved } from '../plan/savings.ts';
import type { Budget } from './budget.ts';
import type { JudgedSlot } from './judge-slot.ts';
import type { RunFacts } from './read-run.ts';
import type { RunRequest } from './run-ports.ts';
import type { RanSlots } from './run-slots.ts';
import { dispatchReason, type RestingSlot } from './slot-job.ts';

/** What the run did, before it is judged. */
export type Deeds = {
  readonly iteration: number | null;
  readonly slots: RanSlots;
  readonly checks: ReadonlyMap<GateId, CheckDeed>;
  /** The gates whose slots ran or rested, as they were shown. */
  readonly asked: ReadonlyMap<GateId, ReviewGate>;
  readonly stopped: boolean;
};

/** Nothing was asked and nothing ran. */
export const NOTHING_DONE: Deeds = {
  iteration: null,
  slots: { judged: [], resting: [], interrupted: false, stopped: [], binary: [] },
  checks: new Map(),
  asked: new Map(),
  stopped: false,
};

/** The run as it is told, from what stands now and what was done. */
export function conclude(
  facts: RunFacts,
  deeds: Deeds,
  request: RunRequest,
  spared: readonly Spared[],
  budget: Budget,
): RunOutcome {
  const judged = judgeRun({
    checks: facts.checks,
    reviews: facts.reviews,
    orphans: facts.orphans,
    hasEntries: facts.snapshot.entries.length > 0,
    unnameable: facts.seesAll ? facts.snapshot.unnameable.length : 0,
    iteration: deeds.iteration,
    closed: new Set(deeds.slots.judged.flatMap(({ closed }) => closed)),
    deeds: gateDeeds(deeds),
    checkDeeds: deeds.checks,
    stopped: deeds.stopped,
    interrupted: deeds.slots.interrupted,
    settings: request.settings,
  });
  return {
    ...judged,
    iteration: deeds.iteration,
    scope: facts.comparison.scope,
    baseName: facts.comparison.baseName,
    isOnBase: isOnBase(facts.comparison),
    asked: facts.seesAll ? null : askedOf(facts, request),
    uncovered: [...facts.planned.uncovered, ...(facts.snapshot.left ?? [])],
    withheld: facts.snapshot.withheld,
    notices: [...facts.notices, ...judged.notices, ...askedNotices(deeds, request, budget)],
    usage: [...deeds.slots.judged, ...deeds.slots.stopped.map(({ answer }) => answer)].reduce<RunOutcome['usage']>(
      (sum, { usage }) => addUsage(sum, usage),
      null,
    ),
    saved: totalSaved(spared),
    dispatches: budget.dispatches(),
  };
}

/** What is to be known of how reviewers were asked. */
function askedNotices({ slots }: Deeds, { settings }: RunRequest, budget: Budget): readonly RunNotice[] {
  const agents = settings.budget.usd === null ? [] : budget.unpriced();
  const jobs = [...slots.judged, ...slots.stopped].flatMap(({ job }) => ('unshown' in job ? job.unshown : []));
  return [
    ...new Map(jobs.map((notice) => [`${notice.rule}\0${notice.path}`, notice])).values(),
    ...(slots.binary.length === 0 ? [] : [{ kind: 'binary', paths: slots.binary } as const]),
    ...(agents.length === 0 ? [] : [{ kind: 'no-price', agents } as const]),
  ];
}

function askedOf(
  { planned, checks, reviews, comparison }: RunFacts,
  { gates, paths }: RunRequest,
): RunOutcome['asked'] {
  const looked = new Set<GateId>([...checks, ...reviews].map(({ gate }) => gate.id));
  // That a commit is looked at without checks is told apart.
  const others = planned.gates.filter(({ kind }) => comparison.headTree === null || kind !== 'check');
  return { gates, paths, others: others.map(({ id }) => id).filter((id) => !looked.has(id)) };
}

function gateDeeds({ slots, asked }: Deeds): ReadonlyMap<GateId, GateDeed> {
  return new Map(
    [...asked].map(([gate, { kind, content }]) => {
      const ran = new Map<number, SlotOutcome>();
      for (const rest of slots.resting)
        if (rest.gate.id === gate && !ran.has(rest.slot)) ran.set(rest.slot, rested(rest));
      for (const one of slots.judged) if (one.job.gate.id === gate) ran.set(one.job.slot, looked(one));
      return [gate, { kind, content, slots: [...ran.values()].sort((a, b) => a.slot - b.slot) }];
    }),
  );
}

function rested({ slot, passIteration, passedBy, assigned, gate }: RestingSlot): SlotOutcome {
  return {
    slot,
    agent: passedBy?.adapter ?? assigned,
    status: 'skipped_prior_pass',
    dispatch: 'none',
    why: 'passed-before',
    passIteration,
    sawOlder: passedBy?.own?.content !== gate.content,
    usage: null,
    durationMs: null,
    trouble: null,
  };
}

function looked({ job, agent, dispatch, status, trouble, usage, durationMs }: JudgedSlot): SlotOutcome {
  return {
    slot: job.slot,
    agent,
    status,
    dispatch,
    why: trouble !== null ? trouble.kind : whyAsked(job, dispatch),
    passIteration: null,
    sawOlder: false,
    usage,
    durationMs,
    trouble,
  };
}

/** Why a slot was asked, and where it had been before, why as it was. */
export function whyAsked(job: JudgedSlot['job'], dispatch: JudgedSlot['dispatch']): SlotOutcome['why'] {
  if (!('dispatch' in job) || job.dispatch.why === 'first-look') return job.why;
  const why = dispatchReason(job, dispatch);
  // Who asked for it, a person or the settings, is what the plan says.
  return why === 'asked-for' ? job.why : why;
}

/** What was not asked, or asked for less. */
export function savingDeeds(deeds: Deeds, plan: RunPlan): readonly SavingDeed[] {
  const prefixes = new Set<string>();
  // Who rested and was asked in the same run all the same (certify) was paid.
  const asks = new Set(deeds.slots.judged.map(({ job }) => `${job.gate.id}@${job.slot}`));
  const spared = (kind: 'held' | 'rested', { id: gate }: ReviewGate, slot: number): SavingDeed[] =>
    asks.has(`${gate}@${slot}`) ? [] : [{ kind, gate, slot }];
  const held = plan.reviews
    .filter(({ kind }) => kind === 'rest')
    .flatMap(({ state }) => state.slots.flatMap(({ slot }) => spared('held', state.gate, slot)));
  const rests = deeds.slots.resting.flatMap(({ gate, slot }) => spared('rested', gate, slot));
  const asked = deeds.slots.judged.flatMap(({ job, dispatch, usage }): SavingDeed[] => {
    if (!('fresh' in job)) return [];
    if (dispatch === 'resumed') {
      return [{ kind: 'resumed', gate: job.gate.id, usage, freshTokens: job.resumed?.session.freshTokens ?? null }];
    }
    if (job.prefix === null) return [];
    const isFirst = !prefixes.has(job.prefix);
    prefixes.add(job.prefix);
    return isFirst
      ? []
      : [{ kind: 'shared', gate: job.gate.id, usage, stableLength: job.fresh[0]?.stable.length ?? 0 }];
  });
  return [...held, ...rests, ...asked];
}

function isOnBase({ where, baseName }: RunFacts['comparison']): boolean {
  return where.branch !== null && where.branch === `refs/heads/${baseName}`;
}
