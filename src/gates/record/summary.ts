import { estimateTokens } from '../../dispatch/decide-resume.ts';
import type { Budget } from '../../dispatch/limits.ts';
import { addUsage, newTokens, totalTokens, type Usage } from '../../kernel/agent.ts';
import type { GateId } from '../../kernel/ids.ts';
import type { LedgerRun, Saved, SavedUsage } from '../../ledger/entries.ts';
import type { RunPlan } from '../decide/plan-run.ts';
import { type CheckActions, type GateActions, judgeRun, NO_CALL } from '../judge/judge-run.ts';
import {
  callOf,
  dispatchReason,
  type JudgedSlot,
  type RanSlots,
  type RunFacts,
  type RunRequest,
  type SkippedSlot,
} from '../ports.ts';
import type { SlotRecord } from '../record-types.ts';
import type { RunNotice, RunOutcome, SlotOutcome } from '../run-types.ts';
import type { ReviewGate } from '../types.ts';

/** A slot that saved tokens: it made no call, or a cheaper call than a review in a new session. */
export type SavingAction = { readonly gate: GateId } & (
  | { readonly kind: 'held' | 'rested'; readonly slot: number }
  | { readonly kind: 'resumed'; readonly usage: Usage | null; readonly freshTokens: number | null }
  | { readonly kind: 'shared'; readonly usage: Usage | null; readonly stableLength: number }
);

const LEVERS = { held: 'pass', rested: 'slot', resumed: 'session', shared: 'prefix' } as const;

/**
 * Estimates the saved tokens per gate and kind of saving (`lever`), from the tokens of the slot's last call, or of its
 * last new session.
 */
export function estimateSaved(actions: readonly SavingAction[], past: readonly SlotRecord[]): readonly SavedUsage[] {
  const saved = new Map<string, SavedUsage>();
  for (const action of actions) {
    const { gate, kind } = action;
    const lever = LEVERS[kind];
    const key = `${lever} ${gate}`;
    const { looks, tokens } = saved.get(key) ?? { looks: 0, tokens: 0 };
    saved.set(key, { gate, lever, looks: looks + 1, tokens: tokens + tokensOf(action, past) });
  }
  return [...saved.values()];
}

export function totalSaved(spared: readonly SavedUsage[]): Saved {
  const saved = { pass: 0, slot: 0, session: 0, prefix: 0 };
  for (const { lever, tokens } of spared) saved[lever] += tokens;
  return saved;
}

function tokensOf(action: SavingAction, past: readonly SlotRecord[]): number {
  if ('slot' in action) return lastUsed(past, action.gate, action.slot);
  const { usage } = action;
  if (usage === null) return 0;
  if (action.kind === 'shared') return Math.min(usage.cachedInputTokens, estimateTokens(action.stableLength));
  return action.freshTokens === null ? 0 : Math.max(0, action.freshTokens - newTokens(usage));
}

/** Returns the tokens of the slot's last call with a known usage; 0 if there is none. */
function lastUsed(past: readonly SlotRecord[], gate: GateId, slot: number): number {
  const [latest] = past
    .filter((record) => record.gate === gate && record.slot === slot && record.own?.usage != null)
    .sort((a, b) => b.iteration - a.iteration);
  return latest?.own?.usage == null ? 0 : totalTokens(latest.own.usage);
}

/** The checks and slots that ran or were skipped, before the run is judged. */
export type RunActions = {
  readonly iteration: number | null;
  readonly slots: RanSlots;
  readonly checks: ReadonlyMap<GateId, CheckActions>;
  /** The gates whose slots ran or were skipped, with the content at that time. */
  readonly asked: ReadonlyMap<GateId, ReviewGate>;
  readonly stopped: boolean;
};

export const NO_ACTIONS: RunActions = {
  iteration: null,
  slots: { judged: [], resting: [], interrupted: false, stopped: [], binary: [] },
  checks: new Map(),
  asked: new Map(),
  stopped: false,
};

/** Joins the actions of two iterations of one run. Only the later iteration says whether the run was stopped. */
export function joinActions(before: RunActions, { slots, checks, asked, ...last }: RunActions): RunActions {
  return {
    ...last,
    slots: {
      judged: [...before.slots.judged, ...slots.judged],
      resting: [...before.slots.resting, ...slots.resting],
      interrupted: slots.interrupted,
      stopped: [...before.slots.stopped, ...slots.stopped],
      binary: [...new Set([...before.slots.binary, ...slots.binary])],
    },
    checks: new Map([...before.checks, ...checks]),
    asked: new Map([...before.asked, ...asked]),
  };
}

/** Returns the outcome of a run from the state of the gates afterwards and the actions of the run. */
export function concludeRun(
  facts: RunFacts,
  actions: RunActions,
  request: RunRequest,
  spared: readonly SavedUsage[],
  budget: Budget,
): RunOutcome {
  const { comparison, snapshot } = facts;
  const { iteration, slots } = actions;
  const judged = judgeRun({
    ...facts,
    hasEntries: snapshot.entries.length > 0,
    unnameable: facts.seesAll ? snapshot.unnameable.length : 0,
    iteration,
    closed: new Set(slots.judged.flatMap(({ closed }) => closed)),
    actions: gateActions(actions),
    checkActions: actions.checks,
    stopped: actions.stopped,
    interrupted: slots.interrupted,
    settings: request.settings,
  });
  const calls = [...slots.judged, ...slots.stopped].map(callOf);
  const { branch } = comparison.where;
  return {
    ...judged,
    iteration,
    scope: comparison.scope,
    baseName: comparison.baseName,
    isOnBase: branch !== null && branch === `refs/heads/${comparison.baseName}`,
    asked: facts.seesAll ? null : requestedScope(facts, request),
    uncovered: [...facts.planned.uncovered, ...(snapshot.left ?? [])],
    withheld: snapshot.withheld,
    notices: [...facts.notices, ...judged.notices, ...callNotices(slots, request, budget)],
    usage: calls.reduce<Usage | null>((sum, { usage }) => addUsage(sum, usage), null),
    saved: totalSaved(spared),
    dispatches: budget.dispatches(),
  };
}

/** Returns notices about reference and binary files that reviewers did not see, and about agents without a price. */
function callNotices(slots: RanSlots, { settings }: RunRequest, budget: Budget): readonly RunNotice[] {
  const agents = settings.budget.usd === null ? [] : budget.unpriced();
  const unshown = [...slots.judged, ...slots.stopped].flatMap(({ job }) => ('unshown' in job ? job.unshown : []));
  return [
    ...new Map(unshown.map((notice) => [`${notice.rule}\0${notice.path}`, notice])).values(),
    ...(slots.binary.length === 0 ? [] : [{ kind: 'binary', paths: slots.binary } as const]),
    ...(agents.length === 0 ? [] : [{ kind: 'no-price', agents } as const]),
  ];
}

function requestedScope(
  { planned, checks, reviews, comparison }: RunFacts,
  { gates, paths }: RunRequest,
): RunOutcome['asked'] {
  const covered = new Set<GateId>([...checks, ...reviews].map(({ gate }) => gate.id));
  // A run about a commit leaves out all checks, and a separate notice reports that.
  const others = planned.gates.filter(({ kind }) => comparison.headTree === null || kind !== 'check');
  return { gates, paths, others: others.map(({ id }) => id).filter((id) => !covered.has(id)) };
}

function gateActions({ slots, asked }: RunActions): ReadonlyMap<GateId, GateActions> {
  return new Map(
    [...asked].map(([id, { kind, content }]) => {
      const outcomes = new Map<number, SlotOutcome>();
      for (const skip of slots.resting) {
        if (skip.gate.id === id && !outcomes.has(skip.slot)) outcomes.set(skip.slot, skippedSlot(skip));
      }
      for (const judged of slots.judged) {
        if (judged.job.gate.id === id) outcomes.set(judged.job.slot, reviewedSlot(judged));
      }
      return [id, { kind, content, slots: [...outcomes.values()].sort((a, b) => a.slot - b.slot) }];
    }),
  );
}

function skippedSlot({ slot, passIteration, passedBy, assigned, gate }: SkippedSlot): SlotOutcome {
  const agent = passedBy?.adapter ?? assigned;
  const sawOlder = passedBy?.own?.content !== gate.content;
  return { ...NO_CALL, slot, agent, status: 'skipped_prior_pass', why: 'passed-before', passIteration, sawOlder };
}

function reviewedSlot(judged: JudgedSlot): SlotOutcome {
  const { job, status, trouble } = judged;
  const { agent, dispatch, usage, durationMs } = callOf(judged);
  const why = trouble !== null ? trouble.kind : callReason(job, dispatch);
  const call = { agent, status, dispatch, why, usage, durationMs, trouble };
  return { ...call, slot: job.slot, passIteration: null, sawOlder: false };
}

/** Returns why a slot ran or, if it has reviewed before, why its session was new or resumed. */
function callReason(job: JudgedSlot['job'], dispatch: SlotOutcome['dispatch']): SlotOutcome['why'] {
  if (!('dispatch' in job) || job.dispatch.why === 'first-look') return job.why;
  const why = dispatchReason(job, dispatch);
  // A new session was requested. The reason of the slot says whether the user or the settings requested it.
  return why === 'asked-for' ? job.why : why;
}

/** Returns the slots that saved tokens, because they made no call or a cheaper one than a review in a new session. */
export function savingActions({ slots }: RunActions, plan: RunPlan): readonly SavingAction[] {
  // A slot that was skipped first and then ran to certify saved nothing.
  const paid = new Set(slots.judged.map(({ job }) => `${job.gate.id}@${job.slot}`));
  const saving = (kind: 'held' | 'rested', { id: gate }: ReviewGate, slot: number): SavingAction[] =>
    paid.has(`${gate}@${slot}`) ? [] : [{ kind, gate, slot }];
  const held = plan.reviews
    .filter(({ kind }) => kind === 'rest')
    .flatMap(({ state }) => state.slots.flatMap(({ slot }) => saving('held', state.gate, slot)));
  const skipped = slots.resting.flatMap(({ gate, slot }) => saving('rested', gate, slot));
  const prefixes = new Set<string>();
  const cheaper = slots.judged.flatMap((judged): SavingAction[] => {
    const { job } = judged;
    if (!('fresh' in job)) return [];
    const { dispatch, usage } = callOf(judged);
    const gate = job.gate.id;
    if (dispatch === 'resumed') {
      return [{ kind: 'resumed', gate, usage, freshTokens: job.resumed?.session.freshTokens ?? null }];
    }
    if (job.prefix === null) return [];
    const isFirst = !prefixes.has(job.prefix);
    prefixes.add(job.prefix);
    return isFirst ? [] : [{ kind: 'shared', gate, usage, stableLength: job.fresh[0]?.stable.length ?? 0 }];
  });
  return [...held, ...skipped, ...cheaper];
}

/** Returns the ledger entry of the run, without slots that made no call. */
export function ledgerRun(
  { startedBy }: RunRequest,
  ended: {
    readonly facts: RunFacts;
    readonly actions: RunActions;
    readonly outcome: RunOutcome;
    readonly spared: readonly SavedUsage[];
    readonly startedAt: Date;
    readonly endedAt: Date;
  },
): LedgerRun {
  const { facts, actions, outcome, spared, startedAt, endedAt } = ended;
  const { iteration, status, exitCode } = outcome;
  return {
    kind: 'run',
    at: endedAt.toISOString(),
    durationMs: Math.max(0, endedAt.getTime() - startedAt.getTime()),
    startedBy,
    branch: facts.comparison.where.branch,
    scope: outcome.scope.key,
    iteration,
    status,
    exitCode,
    slots: ledgerSlots(actions.slots),
    checks: [...actions.checks].map(([gate, check]) => {
      return { gate, status: check.status, durationMs: check.outcome.durationMs };
    }),
    spared,
  };
}

function ledgerSlots({ judged, stopped }: RanSlots): LedgerRun['slots'] {
  return [...judged, ...stopped].flatMap((called) => {
    const { job, status } = called;
    const { agent, dispatch, durationMs, ...call } = callOf(called);
    if (agent === null || dispatch === 'none') return [];
    const made = { ...call, agent, dispatch, why: callReason(job, dispatch), durationMs: Math.round(durationMs) };
    return [{ gate: job.gate.id, slot: job.slot, status, ...made }];
  });
}
