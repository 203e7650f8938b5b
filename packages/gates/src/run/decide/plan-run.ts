import type { Settings } from '@onceover/repo/config/settings';
import { isOpen } from '../../findings/types.ts';
import type { CheckGate, SlotPlan } from '../../gate-types.ts';
import { allCovered, type GateState, hasSeen, type SlotState } from './gate-state.ts';
import { planSlots } from './skip-reviewers.ts';

export type RunOverrides = {
  /** `--force`: run every reviewer that has not itself passed the current content, even beyond the retry limit. */
  readonly force: boolean;
  /** `--fresh`: run all reviewers, in new sessions. */
  readonly fresh: boolean;
  /** Whether the iteration has already started and its checks have run. */
  readonly iterationStarted?: boolean;
};

export type CheckState = { readonly gate: CheckGate; readonly holds: boolean };

export type GateRun = { readonly kind: 'run'; readonly state: GateState; readonly slots: readonly SlotPlan[] };

export type ReviewPlan =
  | GateRun
  | { readonly kind: 'rest'; readonly state: GateState }
  | { readonly kind: 'not-run'; readonly state: GateState; readonly why: 'retry-limit' | 'open-findings' };

/** The plan of a run: one iteration, or none if nothing has to run. */
export type RunPlan = {
  /** If false, nothing runs, and no iteration number is used up. */
  readonly iterates: boolean;
  readonly checks: readonly { readonly kind: 'run' | 'rest'; readonly gate: CheckGate }[];
  readonly reviews: readonly ReviewPlan[];
};

/** Decides which checks, gates and reviewers run. Nothing runs if no gate has to. */
export function decideRun(
  facts: {
    readonly checks: readonly CheckState[];
    readonly reviews: readonly GateState[];
    /**
     * Open findings of gates that were removed from the configuration. No reviewer can close them, so the run cannot
     * pass.
     */
    readonly orphans?: readonly unknown[];
  },
  settings: Pick<Settings, 'maxRetries' | 'unchangedGates' | 'afterPass' | 'certify'>,
  overrides: RunOverrides,
): RunPlan {
  const statesToRun = new Set(facts.reviews.filter((state) => needsRun(state, settings, overrides)));
  const mustRun =
    overrides.iterationStarted === true ||
    statesToRun.size > 0 ||
    facts.checks.some(({ holds }) => !holds) ||
    (overrides.fresh && facts.checks.length > 0);
  const canPass = facts.reviews.every(({ holds }) => holds) && (facts.orphans ?? []).length === 0;
  const certifies = (state: GateState) => settings.certify && !mustRun && canPass && !state.certified;
  const iterates = mustRun || facts.reviews.some(certifies);
  // If only the setting `certify` requires this iteration, it runs just the reviewers that have not seen the current
  // content, and skips everything else.
  const skipsPassing = !mustRun || (settings.unchangedGates === 'rest' && !overrides.fresh);
  return {
    iterates,
    checks: facts.checks.map(({ gate, holds }) => ({
      kind: iterates && !(holds && skipsPassing) ? 'run' : 'rest',
      gate,
    })),
    reviews: facts.reviews.map((state): ReviewPlan => {
      if (statesToRun.has(state)) return gateRun(state, slotsOf(state, settings, overrides));
      if (certifies(state)) return gateRun(state, state.slots.flatMap(certifySlot));
      if (isOverLimit(state, settings)) return { kind: 'not-run', state, why: 'retry-limit' };
      // This gate need not run. Leave it out if it belongs to a rule, or if the run skips gates that pass.
      if (skipsPassing || state.gate.kind === 'rule') {
        return state.holds ? { kind: 'rest', state } : { kind: 'not-run', state, why: 'open-findings' };
      }
      // Every other gate runs at least one reviewer in each iteration (requirement RUN-SLOTS).
      return gateRun(state, slotsOf(state, settings, overrides));
    }),
  };
}

/** Returns the plan of a gate that runs. Adds to each reviewer what changed since its last review beside the content. */
function gateRun(state: GateState, plans: readonly SlotPlan[]): GateRun {
  const differences = new Map(state.slots.map(({ slot, difference }) => [slot, difference]));
  const slots = plans.map((plan): SlotPlan => {
    const changed = differences.get(plan.slot) ?? null;
    const isNews = plan.kind === 'run' && changed !== null && changed.part !== 'content';
    return isNews ? { ...plan, changed } : plan;
  });
  return { kind: 'run', state, slots };
}

type RerunSettings = Pick<Settings, 'maxRetries' | 'unchangedGates'>;

function needsRun(state: GateState, settings: RerunSettings, { force, fresh }: RunOverrides): boolean {
  if (fresh) return force || !isOverLimit(state, settings);
  if (force) return !state.slots.every(hasSeen);
  if (settings.unchangedGates === 'rest' && hasFailedUnchanged(state)) return false;
  // An open finding of a removed reviewer does not make the gate run, because no remaining reviewer could close it.
  return !allCovered(state.slots) && !isOverLimit(state, settings);
}

function isOverLimit(state: GateState, settings: Pick<Settings, 'maxRetries'>): boolean {
  return !state.holds && state.failing > settings.maxRetries;
}

/**
 * Whether another review would only repeat the last answer: every reviewer that has not passed already failed the
 * current content with the current prompt, and no finding was answered since. If a finding is about a file outside the
 * gate, the rest of the repository must be unchanged too, because the fix may be there.
 */
export function hasFailedUnchanged({ slots, findings, tree }: GateState): boolean {
  const answers = findings.flatMap(({ finding: { resolution }, state }) =>
    resolution !== null && isOpen(state) && resolution.how !== 'refuted' ? [resolution.at] : [],
  );
  // Leave out reviewers that passed before, because they are skipped as long as another reviewer runs.
  const waiting = slots.filter(({ covers, passIteration }) => covers === null && passIteration === null);
  return (
    waiting.length > 0 &&
    waiting.every(
      ({ latest, difference }) =>
        latest?.status === 'fail' &&
        latest.own !== null &&
        difference === null &&
        (tree === undefined || latest.own.snapshot === tree) &&
        !answers.some((at) => at >= latest.timestamp),
    )
  );
}

function slotsOf(
  { gate, slots, history, holds, heldBefore }: GateState,
  settings: Pick<Settings, 'afterPass'>,
  { force, fresh }: RunOverrides,
): readonly SlotPlan[] {
  if (fresh) return slots.map(({ slot }): SlotPlan => ({ kind: 'run', slot, why: 'asked-for' }));
  const runsAll = settings.afterPass === 'all' && heldBefore && !holds;
  const forcesOthers = force && !runsAll && !slots.every(hasSeen);
  const plans = planSlots(gate.numReviews, history).map((plan): SlotPlan => {
    const { slot } = plan;
    const slotState = slots.find((state) => state.slot === slot);
    const hasSeenContent = slotState !== undefined && hasSeen(slotState);
    if (plan.kind === 'run') {
      // If all reviewers passed, `planSlots` still runs one. That one can be skipped if `--force` runs other reviewers
      // of the gate.
      const canSkip = forcesOthers && hasSeenContent && slotState.passIteration !== null;
      return canSkip ? { kind: 'skip', slot, passIteration: slotState.passIteration } : plan;
    }
    if (runsAll) return { kind: 'run', slot, why: 'after-pass' };
    return force && !hasSeenContent ? { kind: 'run', slot, why: 'forced' } : plan;
  });
  return runsAll ? plans : withoutSettled(plans, slots);
}

/**
 * Removes reviewers that need not review the current content again because all their findings on it are waived, or
 * because a pass of another clone is accepted. If no other reviewer would run, the first of them stays. Reviewers with
 * waived findings get no record, because a skip refers to a pass.
 */
function withoutSettled(plans: readonly SlotPlan[], slots: readonly SlotState[]): readonly SlotPlan[] {
  const settledSlots = new Map(
    slots
      .filter(({ covers }) => covers === 'waived' || covers === 'accepted')
      .map(({ slot, covers }) => [slot, covers]),
  );
  const running = plans.filter(({ kind }) => kind === 'run');
  const keptPlan = running.find(({ slot }) => !settledSlots.has(slot)) ?? running[0];
  return plans.flatMap((plan): SlotPlan[] => {
    const covers = plan.kind !== 'run' || plan === keptPlan ? undefined : settledSlots.get(plan.slot);
    if (covers === undefined) return [plan];
    return covers === 'accepted' ? [{ kind: 'accept', slot: plan.slot }] : [];
  });
}

/**
 * Returns the plan of a reviewer in an iteration that `certify` requires. A reviewer that left only warnings on the
 * current content gets no plan: it must neither run again nor be recorded as skipped.
 */
function certifySlot({ slot, covers, passIteration }: SlotState): SlotPlan[] {
  if (covers === 'rests') return [{ kind: 'run', slot, why: 'certify' }];
  if (covers === 'accepted') return [{ kind: 'accept', slot }];
  return passIteration === null ? [] : [{ kind: 'skip', slot, passIteration }];
}

/**
 * Whether a run would be pointless: all checks pass, and every reviewer that has to run already failed the current
 * content with the current prompt.
 */
export function hasNothingLeftToAsk({ reviews }: Pick<RunPlan, 'reviews'>, checks: readonly CheckState[]): boolean {
  if (checks.some(({ holds }) => !holds)) return false;
  const hasFailing = reviews.some(({ kind, state }) => kind === 'run' && !state.holds);
  return reviews.every(({ kind, state }) => {
    if (kind !== 'run') return true;
    // If any gate fails, a passing gate runs only along with it. If none fails, it runs because of the setting
    // `certify`.
    return state.holds ? hasFailing : hasFailedUnchanged(state);
  });
}
