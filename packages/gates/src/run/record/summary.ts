import type { Budget } from '@onceover/agents/dispatch/limits';
import type { AcceptedSlot, LedgerRun, Saved, SavedUsage } from '@onceover/agents/ledger/entries';
import { addUsage, estimateTokens, newTokens, totalTokens, type Usage } from '@onceover/base/kernel/agent';
import { grouped } from '@onceover/base/kernel/collections';
import type { GateId } from '@onceover/base/kernel/ids';
import type { Acceptance } from '@onceover/passes/types';
import type { ReviewGate } from '../../gate-types.ts';
import type { RunNotice, RunOutcome, SlotOutcome } from '../../result/types.ts';
import { lastReview } from '../decide/last-review.ts';
import type { RunPlan } from '../decide/plan-run.ts';
import { judgeRun, type RunActions } from '../judge/judge-run.ts';
import type { RunFacts, RunRequest, SlotJob } from '../ports.ts';
import type { SlotRecord } from '../record-types.ts';

type Saving = Pick<SavedUsage, 'lever' | 'gate' | 'tokens'>;

/**
 * Estimates the tokens saved for each gate and each kind of saving (`lever`), because reviewers were not called or were
 * called more cheaply.
 */
export function savedUsage(
  { slots }: Pick<RunActions, 'slots'>,
  plan: Pick<RunPlan, 'reviews'>,
  past: readonly SlotRecord[],
): readonly SavedUsage[] {
  const isSkipped = ({ outcome }: RunActions['slots'][number]) => outcome.status === 'skipped_prior_pass';
  const ran = slots.filter((slot) => !slot.isStopped && !isSkipped(slot));
  const prefixes = new Set<string>();
  const savings = [
    ...savedByNoCall(plan, { skipped: slots.filter(isSkipped), ran, past }),
    ...ran.flatMap((slot) => savedByCall(slot, prefixes)),
  ];
  return [...grouped(savings, ({ lever, gate }) => `${lever} ${gate}`).values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const tokens = others.reduce((sum, saving) => sum + saving.tokens, first.tokens);
    return [{ ...first, looks: others.length + 1, tokens }];
  });
}

/** Returns what reviewers saved that were not called: those of gates that passed before, and those that were skipped. */
function savedByNoCall(
  { reviews }: Pick<RunPlan, 'reviews'>,
  {
    skipped,
    ran,
    past,
  }: { readonly [Part in 'skipped' | 'ran']: RunActions['slots'] } & { past: readonly SlotRecord[] },
): readonly Saving[] {
  const records = grouped(past, ({ gate, slot }) => `${gate}@${slot}`);
  // A reviewer that was first skipped, and then ran because of the setting `certify`, saved nothing.
  const paidKeys = new Set(ran.map(({ gate, outcome }) => `${gate.id}@${outcome.slot}`));
  const savedCall = (lever: 'pass' | 'slot', { id }: ReviewGate, slot: number): readonly Saving[] => {
    const key = `${id}@${slot}`;
    return paidKeys.has(key) ? [] : [{ lever, gate: id, tokens: lastUsed(records.get(key) ?? []) }];
  };
  const resting = reviews.filter(({ kind }) => kind === 'rest');
  return [
    ...resting.flatMap(({ state }) =>
      state.slots.flatMap(({ slot, covers, shared }): readonly Saving[] => {
        // The review behind a pass of another clone has no record here, but the signed pass says what it cost.
        const usage = covers === 'accepted' && shared?.kind === 'accepted' ? shared.statement.usage : null;
        if (usage === null) return savedCall('pass', state.gate, slot);
        return [{ lever: 'pass', gate: state.gate.id, tokens: totalTokens(usage) }];
      }),
    ),
    ...skipped.flatMap(({ gate, outcome }) => savedCall('slot', gate, outcome.slot)),
  ];
}

/**
 * Returns what a reviewer saved because it was called in an existing session, or found the start of its prompt in the
 * cache. Adds the start of its prompt to `prefixes`, because the next reviewer with the same start finds it there.
 */
function savedByCall({ job, outcome, forked }: RunActions['slots'][number], prefixes: Set<string>): readonly Saving[] {
  if (job === null) return [];
  const { usage } = outcome;
  const { id: gate } = job.gate;
  const { resumed, prefix } = job.reuse;
  const cachedTokens = usage?.cachedInputTokens ?? 0;
  const lessThan = (freshTokens: number) => (usage === null ? 0 : Math.max(0, freshTokens - newTokens(usage)));
  if (outcome.dispatch === 'resumed')
    return [{ lever: 'session', gate, tokens: lessThan(resumed?.session.freshTokens ?? 0) }];
  if (forked && job.shared?.continued != null) {
    const freshTokens = lastReview(job.state, job.slot)?.own?.session?.freshTokens ?? 0;
    return [{ lever: 'reading', gate, tokens: lessThan(freshTokens) }];
  }
  if (forked && job.shared !== undefined && !job.shared.isLeader) {
    // A forked session finds the shared prompt and the opened files in the cache. A session of its own would have had
    // to open the files.
    const prefixTokens = sharedTokens(job);
    const { usage: spent } = job.shared.end;
    const readingTokens = spent === null ? 0 : newTokens(spent) - prefixTokens;
    return [
      { lever: 'prefix', gate, tokens: Math.min(cachedTokens, prefixTokens) },
      { lever: 'reading', gate, tokens: Math.max(0, Math.min(cachedTokens - prefixTokens, readingTokens)) },
    ];
  }
  if (prefix === null) return [];
  if (prefixes.has(prefix)) return [{ lever: 'prefix', gate, tokens: Math.min(cachedTokens, sharedTokens(job)) }];
  prefixes.add(prefix);
  return [];
}

function sharedTokens({ reuse }: SlotJob): number {
  return estimateTokens(reuse.fresh[0]?.stable.length ?? 0);
}

export function totalSaved(savings: readonly SavedUsage[]): Saved {
  const totals = { pass: 0, slot: 0, session: 0, prefix: 0, reading: 0 };
  for (const { lever, tokens } of savings) totals[lever] += tokens;
  return totals;
}

/** Returns the tokens of a reviewer's last call with known usage; 0 if there is none. */
function lastUsed(records: readonly SlotRecord[]): number {
  const [latest] = records.filter(({ own }) => own?.usage != null).sort((a, b) => b.iteration - a.iteration);
  return latest?.own?.usage == null ? 0 : totalTokens(latest.own.usage);
}

export function concludeRun(
  facts: RunFacts,
  actions: RunActions,
  request: RunRequest,
  savings: readonly SavedUsage[],
  budget: Budget,
): RunOutcome {
  const { comparison, snapshot } = facts;
  const judgement = judgeRun(facts, actions, request.settings);
  const { branch } = comparison.where;
  return {
    ...judgement,
    iteration: actions.iteration,
    scope: comparison.scope,
    baseName: comparison.baseName,
    headCommit: comparison.headCommit,
    isOnBase: branch !== null && branch === `refs/heads/${comparison.baseName}`,
    asked: facts.seesAll ? null : requestedScope(facts, request),
    uncovered: facts.planned.uncovered,
    withheld: snapshot.withheld,
    notices: [...facts.notices, ...judgement.notices, ...callNotices(actions, request, budget)],
    usage: actions.slots.reduce<Usage | null>((sum, { outcome }) => addUsage(sum, outcome.usage), null),
    saved: totalSaved(savings),
    dispatches: budget.dispatches(),
    retries: budget.retries(),
    sharing: null,
  };
}

/** Returns notices about files that reviewers did not see, and about agents that are missing or have no price. */
function callNotices(
  { slots, binary, absent }: RunActions,
  { settings }: RunRequest,
  budget: Budget,
): readonly RunNotice[] {
  const agents = settings.budget.usd === null ? [] : budget.unpriced();
  const repeatedSlots = settings.unchangedGates === 'run' ? slots.filter(({ outcome }) => isRepeated(outcome)) : [];
  const unshown = slots.flatMap(({ job }) => job?.unshown ?? []);
  return [
    ...new Map(unshown.map((notice) => [`${notice.rule}\0${notice.path}`, notice])).values(),
    ...(binary.length === 0 ? [] : [{ kind: 'binary', paths: binary } as const]),
    ...(absent.length === 0 ? [] : [{ kind: 'absent-agents', agents: absent } as const]),
    ...(agents.length === 0 ? [] : [{ kind: 'no-price', agents } as const]),
    ...(repeatedSlots.length === 0
      ? []
      : [{ kind: 'passes-repeated', gates: [...new Set(repeatedSlots.map(({ gate }) => gate.id))] } as const]),
  ];
}

/** Whether a reviewer ran although a pass of another clone counts for it. */
function isRepeated({ dispatch, shared }: Pick<SlotOutcome, 'dispatch' | 'shared'>): boolean {
  return shared?.kind === 'accepted' && dispatch !== 'none';
}

function requestedScope(
  { planned, checks, reviews, comparison }: RunFacts,
  { gates, paths }: RunRequest,
): RunOutcome['asked'] {
  const coveredGates = new Set<GateId>([...checks, ...reviews].map(({ gate }) => gate.id));
  // A run about a commit leaves out all checks, which a separate notice reports.
  const plannedGates = planned.gates.filter(({ kind }) => comparison.headTree === null || kind !== 'check');
  return { gates, paths, others: plannedGates.map(({ id }) => id).filter((id) => !coveredGates.has(id)) };
}

/** Returns the run's entry for the ledger (the log of all calls). Reviewers that were not called are left out. */
export function ledgerRun(
  { startedBy }: RunRequest,
  { facts, actions }: { readonly facts: RunFacts; readonly actions: RunActions },
  { iteration, status, exitCode, scope }: RunOutcome,
  savings: readonly SavedUsage[],
  [startedAt, endedAt]: readonly [Date, Date],
): LedgerRun {
  return {
    kind: 'run',
    at: endedAt.toISOString(),
    durationMs: Math.max(0, endedAt.getTime() - startedAt.getTime()),
    startedBy,
    branch: facts.comparison.where.branch,
    scope: scope.key,
    iteration,
    status,
    exitCode,
    slots: actions.slots.flatMap(({ cost }) => cost ?? []),
    checks: [...actions.checks.values()].map(({ id, status: checkStatus, check }) => {
      return { gate: id, status: checkStatus, durationMs: check.durationMs };
    }),
    spared: savings,
    ...sharedSlots(facts, actions),
  };
}

/** Returns the accepted passes of other clones, and the results of reviewers that ran to double-check such a pass. */
function sharedSlots({ reviews }: RunFacts, { slots }: RunActions): Pick<LedgerRun, 'accepted' | 'audits'> {
  const acceptedSlots = reviews.flatMap(({ gate, slots: states }) =>
    states.flatMap(({ slot, covers, shared }) =>
      covers === 'accepted' && shared?.kind === 'accepted' ? [sharedSlot(gate.id, slot, shared)] : [],
    ),
  );
  const audits = slots.flatMap(({ gate, outcome: { slot, status, shared } }) => {
    const isDrawn = shared?.kind === 'refused' && shared.why === 'drawn-for-audit';
    if (!isDrawn || (status !== 'pass' && status !== 'fail')) return [];
    return [{ ...sharedSlot(gate.id, slot, shared), agreed: status === 'pass' }];
  });
  return {
    ...(acceptedSlots.length === 0 ? {} : { accepted: acceptedSlots }),
    ...(audits.length === 0 ? {} : { audits }),
  };
}

function sharedSlot(gate: GateId, slot: number, { statement, signers = [] }: Acceptance): AcceptedSlot {
  return { gate, slot, signers: signers.map(({ principal }) => principal), agent: statement?.agent ?? '' };
}
