import { estimateTokens } from '../../dispatch/decide-resume.ts';
import type { Budget } from '../../dispatch/limits.ts';
import { addUsage, newTokens, totalTokens, type Usage } from '../../kernel/agent.ts';
import type { GateId } from '../../kernel/ids.ts';
import type { LedgerRun, Saved, SavedUsage } from '../../ledger/entries.ts';
import type { RunPlan } from '../decide/plan-run.ts';
import { judgeRun, type RunActions } from '../judge/judge-run.ts';
import type { RunFacts, RunRequest } from '../ports.ts';
import type { SlotRecord } from '../record-types.ts';
import type { RunNotice, RunOutcome } from '../run-types.ts';
import type { ReviewGate } from '../types.ts';

/** A slot that saved tokens: it made no call, or a cheaper call than a review in a new session. */
export type SavingAction = { readonly gate: GateId } & (
  | { readonly kind: 'held' | 'rested'; readonly slot: number }
  | { readonly kind: 'resumed'; readonly usage: Usage | null; readonly freshTokens: number | null }
  | { readonly kind: 'shared'; readonly usage: Usage | null; readonly stableLength: number }
);

const LEVERS = { held: 'pass', rested: 'slot', resumed: 'session', shared: 'prefix' } as const;

/** Estimates the saved tokens per gate and kind of saving (`lever`), from earlier calls of the slots. */
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

/** Returns the outcome of a run from the state of the gates afterwards and the actions of the run. */
export function concludeRun(
  facts: RunFacts,
  actions: RunActions,
  request: RunRequest,
  spared: readonly SavedUsage[],
  budget: Budget,
): RunOutcome {
  const { comparison, snapshot } = facts;
  const judged = judgeRun(facts, actions, request.settings);
  const { branch } = comparison.where;
  return {
    ...judged,
    iteration: actions.iteration,
    scope: comparison.scope,
    baseName: comparison.baseName,
    isOnBase: branch !== null && branch === `refs/heads/${comparison.baseName}`,
    asked: facts.seesAll ? null : requestedScope(facts, request),
    uncovered: [...facts.planned.uncovered, ...(snapshot.left ?? [])],
    withheld: snapshot.withheld,
    notices: [...facts.notices, ...judged.notices, ...callNotices(actions, request, budget)],
    usage: actions.slots.reduce<Usage | null>((sum, { outcome }) => addUsage(sum, outcome.usage), null),
    saved: totalSaved(spared),
    dispatches: budget.dispatches(),
  };
}

/** Returns notices about reference and binary files that reviewers did not see, and about agents without a price. */
function callNotices({ slots, binary }: RunActions, { settings }: RunRequest, budget: Budget): readonly RunNotice[] {
  const agents = settings.budget.usd === null ? [] : budget.unpriced();
  const unshown = slots.flatMap(({ job }) => job?.unshown ?? []);
  return [
    ...new Map(unshown.map((notice) => [`${notice.rule}\0${notice.path}`, notice])).values(),
    ...(binary.length === 0 ? [] : [{ kind: 'binary', paths: binary } as const]),
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

/** Returns the slots that saved tokens, because they made no call or a cheaper one than a review in a new session. */
export function savingActions({ slots }: RunActions, plan: RunPlan): readonly SavingAction[] {
  const skipped = slots.filter(({ outcome }) => outcome.status === 'skipped_prior_pass');
  const ran = slots.filter((one) => !one.isStopped && !skipped.includes(one));
  // A slot that was skipped first and then ran to certify saved nothing.
  const paid = new Set(ran.map(({ gate, outcome }) => `${gate.id}@${outcome.slot}`));
  const saving = (kind: 'held' | 'rested', { id: gate }: ReviewGate, slot: number): SavingAction[] =>
    paid.has(`${gate}@${slot}`) ? [] : [{ kind, gate, slot }];
  const held = plan.reviews
    .filter(({ kind }) => kind === 'rest')
    .flatMap(({ state }) => state.slots.flatMap(({ slot }) => saving('held', state.gate, slot)));
  const rested = skipped.flatMap(({ gate, outcome }) => saving('rested', gate, outcome.slot));
  const prefixes = new Set<string>();
  const cheaper = ran.flatMap(({ job, outcome: { dispatch, usage } }): SavingAction[] => {
    if (job === null) return [];
    const gate = job.gate.id;
    if (dispatch === 'resumed') {
      return [{ kind: 'resumed', gate, usage, freshTokens: job.resumed?.session.freshTokens ?? null }];
    }
    if (job.prefix === null) return [];
    const isFirst = !prefixes.has(job.prefix);
    prefixes.add(job.prefix);
    return isFirst ? [] : [{ kind: 'shared', gate, usage, stableLength: job.fresh[0]?.stable.length ?? 0 }];
  });
  return [...held, ...rested, ...cheaper];
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
    slots: actions.slots.flatMap(({ cost }) => cost ?? []),
    checks: [...actions.checks.values()].map(({ id, status: ended, check }) => {
      return { gate: id, status: ended, durationMs: check.durationMs };
    }),
    spared,
  };
}
