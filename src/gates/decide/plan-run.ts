import type { Settings } from '../../config/settings.ts';
import { type CheckGate, isOpen, type SlotPlan } from '../types.ts';
import { allCovered, type GateState, hasSeen, type SlotState } from './gate-state.ts';
import { planSlots } from './skip-reviewers.ts';

export type RunOverrides = {
  /** `--force`: run every slot that has not passed on the current content itself, even beyond the retry limit. */
  readonly force: boolean;
  /** `--fresh`: run all slots, in new sessions. */
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

/** The plan of a run: one iteration, or nothing if no gate has to run. */
export type RunPlan = {
  /** If false, nothing runs and no iteration number is used. */
  readonly iterates: boolean;
  readonly checks: readonly { readonly kind: 'run' | 'rest'; readonly gate: CheckGate }[];
  readonly reviews: readonly ReviewPlan[];
};

/** Decides which checks, gates and slots run. Nothing runs if no gate has to. */
export function decideRun(
  facts: {
    readonly checks: readonly CheckState[];
    readonly reviews: readonly GateState[];
    /** Open findings of removed gates: no gate can close them, so the run cannot pass. */
    readonly orphans?: readonly unknown[];
  },
  settings: Pick<Settings, 'maxRetries' | 'unchangedGates' | 'afterPass' | 'certify'>,
  overrides: RunOverrides,
): RunPlan {
  const needed = new Set(facts.reviews.filter((state) => needsRun(state, settings, overrides)));
  const mustRun =
    overrides.iterationStarted === true ||
    needed.size > 0 ||
    facts.checks.some(({ holds }) => !holds) ||
    (overrides.fresh && facts.checks.length > 0);
  const canPass = facts.reviews.every(({ holds }) => holds) && (facts.orphans ?? []).length === 0;
  const certifies = (state: GateState) => settings.certify && !mustRun && canPass && !state.certified;
  const iterates = mustRun || facts.reviews.some(certifies);
  // An iteration that only certifies skips everything except the slots that have not reviewed the current content.
  const skipsPassing = !mustRun || (settings.unchangedGates === 'rest' && !overrides.fresh);
  return {
    iterates,
    checks: facts.checks.map(({ gate, holds }) => ({
      kind: iterates && !(holds && skipsPassing) ? 'run' : 'rest',
      gate,
    })),
    reviews: facts.reviews.map((state): ReviewPlan => {
      if (needed.has(state)) return { kind: 'run', state, slots: slotsOf(state, settings, overrides) };
      if (certifies(state)) return { kind: 'run', state, slots: state.slots.flatMap(certifySlot) };
      if (isOverLimit(state, settings)) return { kind: 'not-run', state, why: 'retry-limit' };
      // This gate does not need to run. Leave it out if it is a rule, or if the run skips gates that pass.
      if (skipsPassing || state.gate.kind === 'rule') {
        return state.holds ? { kind: 'rest', state } : { kind: 'not-run', state, why: 'open-findings' };
      }
      // Every other gate runs at least one reviewer in each iteration (requirement RUN-SLOTS).
      return { kind: 'run', state, slots: slotsOf(state, settings, overrides) };
    }),
  };
}

type RerunSettings = Pick<Settings, 'maxRetries' | 'unchangedGates'>;

function needsRun(state: GateState, settings: RerunSettings, { force, fresh }: RunOverrides): boolean {
  if (fresh) return force || !isOverLimit(state, settings);
  if (force) return !state.slots.every(hasSeen);
  if (settings.unchangedGates === 'rest' && hasFailedUnchanged(state)) return false;
  // An open finding of a removed slot triggers no review, because no remaining reviewer could close it.
  return !allCovered(state.slots) && !isOverLimit(state, settings);
}

function isOverLimit(state: GateState, settings: Pick<Settings, 'maxRetries'>): boolean {
  return !state.holds && state.failing > settings.maxRetries;
}

/**
 * Whether every reviewer that has not passed already failed the current content with the current prompt, and no
 * finding of the gate was answered since. Then another review would only repeat the answer. If a finding is about a
 * file outside the gate, the whole tree must be the same too, because the fix does not change the gate's content.
 */
export function hasFailedUnchanged({ gate, slots, findings, tree }: GateState): boolean {
  const answers = findings.flatMap(({ finding: { resolution }, state }) =>
    resolution !== null && isOpen(state) && resolution.how !== 'refuted' ? [resolution.at] : [],
  );
  // Leave out slots that passed before, because they are skipped as long as another slot runs.
  const waiting = slots.filter(({ covers, passIteration }) => covers === null && passIteration === null);
  return (
    waiting.length > 0 &&
    waiting.every(
      ({ latest }) =>
        latest?.status === 'fail' &&
        latest.own?.content === gate.content &&
        latest.own.promptDigest === gate.rubric.digest &&
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
    const own = slots.find((one) => one.slot === slot);
    const seen = own !== undefined && hasSeen(own);
    if (plan.kind === 'run') {
      // If all slots passed, `planSlots` still runs one (the safety latch). It is not needed if --force runs others.
      const canSkip = forcesOthers && seen && own.passIteration !== null;
      return canSkip ? { kind: 'skip', slot, passIteration: own.passIteration } : plan;
    }
    if (runsAll) return { kind: 'run', slot, why: 'after-pass' };
    return force && !seen ? { kind: 'run', slot, why: 'forced' } : plan;
  });
  return runsAll ? plans : withoutSettled(plans, slots);
}

/**
 * Removes slots whose findings on the current content are all waived, and slots with an accepted pass of another clone,
 * unless no other slot runs. Such a slot need not review the same content again. It has no pass in the records of this
 * clone, so it is not recorded as skipped either.
 */
function withoutSettled(plans: readonly SlotPlan[], slots: readonly SlotState[]): readonly SlotPlan[] {
  const settled = new Set(
    slots.filter(({ covers }) => covers === 'waived' || covers === 'accepted').map(({ slot }) => slot),
  );
  const running = plans.filter(({ kind }) => kind === 'run');
  const kept = running.find(({ slot }) => !settled.has(slot)) ?? running[0];
  return plans.filter((plan) => plan.kind === 'skip' || plan === kept || !settled.has(plan.slot));
}

/**
 * Returns the plan of a slot in a certifying iteration. A slot that reviewed the content and left warnings gets no
 * plan, because it must neither run again nor be recorded as skipped.
 */
function certifySlot({ slot, covers, passIteration }: SlotState): SlotPlan[] {
  if (covers === 'rests') return [{ kind: 'run', slot, why: 'certify' }];
  return passIteration === null ? [] : [{ kind: 'skip', slot, passIteration }];
}

/** Whether all checks pass, and every needed reviewer already failed the current content with the current prompt. */
export function hasNothingLeftToAsk({ reviews }: Pick<RunPlan, 'reviews'>, checks: readonly CheckState[]): boolean {
  if (checks.some(({ holds }) => !holds)) return false;
  const hasFailing = reviews.some(({ kind, state }) => kind === 'run' && !state.holds);
  return reviews.every(({ kind, state }) => {
    if (kind !== 'run') return true;
    // If a failing gate runs, passing gates only run along with it. Otherwise, a passing gate runs because of `certify`.
    return state.holds ? hasFailing : hasFailedUnchanged(state);
  });
}
