import type { CheckGate } from '../domain/gate.ts';
import type { Settings } from '../domain/settings.ts';
import type { SlotPlan } from '../domain/slot.ts';
import { allCovered, type GateState, hasSeen, type SlotState } from './gate-state.ts';
import { planSlots } from './slots.ts';

/** What the caller asks for beyond what the rules ask for. */
export type RunWishes = {
  /** Slots without a pass on the present content, also where nothing changed and beyond the retry limit. */
  readonly force: boolean;
  /** All slots, in new sessions. */
  readonly fresh: boolean;
  /** An iteration is under way already: its checks have run. */
  readonly isOn: boolean;
};

export type CheckState = { readonly gate: CheckGate; readonly holds: boolean };

/** What is done with a review gate in this iteration. */
export type ReviewPlan =
  | { readonly kind: 'run'; readonly state: GateState; readonly slots: readonly SlotPlan[] }
  | { readonly kind: 'rest'; readonly state: GateState }
  | { readonly kind: 'not-run'; readonly state: GateState; readonly why: 'retry-limit' | 'open-findings' };

type CheckPlan = { readonly kind: 'run' | 'rest'; readonly gate: CheckGate };

/** What a run does: nothing where all holds, else one iteration. */
export type RunPlan = {
  /** False: nothing runs, so nothing is counted. */
  readonly iterates: boolean;
  readonly checks: readonly CheckPlan[];
  readonly reviews: readonly ReviewPlan[];
};

/** Decides what runs: nothing where every gate holds; otherwise each gate as its state and the settings say. */
export function decideRun(
  facts: {
    readonly checks: readonly CheckState[];
    readonly reviews: readonly GateState[];
    /** Findings that no gate can close any more: with them the run cannot pass. */
    readonly orphans?: readonly unknown[];
  },
  settings: Pick<Settings, 'maxRetries' | 'unchangedGates' | 'afterPass' | 'certify'>,
  wishes: RunWishes,
): RunPlan {
  const needed = facts.reviews.filter((state) => needsRun(state, settings, wishes));
  const mustRun =
    wishes.isOn ||
    needed.length > 0 ||
    facts.checks.some(({ holds }) => !holds) ||
    (wishes.fresh && facts.checks.length > 0);
  const canPass = facts.reviews.every(({ holds }) => holds) && (facts.orphans ?? []).length === 0;
  const certifies = (state: GateState) => settings.certify && !mustRun && canPass && !state.certified;
  const iterates = mustRun || facts.reviews.some(certifies);
  // Before the run passes, only those look that have not seen what is there now.
  const leavesOut = !mustRun || (settings.unchangedGates === 'rest' && !wishes.fresh);
  return {
    iterates,
    checks: facts.checks.map(({ gate, holds }) => ({ kind: iterates && !(holds && leavesOut) ? 'run' : 'rest', gate })),
    reviews: facts.reviews.map((state): ReviewPlan => {
      if (needed.includes(state)) return { kind: 'run', state, slots: slotsOf(state, settings, wishes) };
      if (certifies(state)) return { kind: 'run', state, slots: state.slots.flatMap(certifySlot) };
      if (isOverLimit(state, settings)) return { kind: 'not-run', state, why: 'retry-limit' };
      if (!state.holds && (leavesOut || state.gate.kind === 'rule'))
        return { kind: 'not-run', state, why: 'open-findings' };
      // Rules that hold rest; so do gates where the settings say so. Others run at least one reviewer (RUN-SLOTS).
      if (leavesOut || state.gate.kind === 'rule') return { kind: 'rest', state };
      return { kind: 'run', state, slots: slotsOf(state, settings, wishes) };
    }),
  };
}

function needsRun(state: GateState, settings: Pick<Settings, 'maxRetries'>, wishes: RunWishes): boolean {
  if (wishes.fresh) return wishes.force || !isOverLimit(state, settings);
  if (wishes.force) return !state.slots.every(hasSeen);
  // What only a slot that is no more could close is not asked about again.
  return !allCovered(state.slots) && !isOverLimit(state, settings);
}

function isOverLimit(state: GateState, settings: Pick<Settings, 'maxRetries'>): boolean {
  return !state.holds && state.failing > settings.maxRetries;
}

function slotsOf(state: GateState, settings: Pick<Settings, 'afterPass'>, wishes: RunWishes): readonly SlotPlan[] {
  if (wishes.fresh) return state.slots.map(({ slot }): SlotPlan => ({ kind: 'run', slot, why: 'asked-for' }));
  const planned = planSlots(state.gate.numReviews, state.history);
  const asksAll = settings.afterPass === 'all' && state.heldBefore && !state.holds;
  const isForced = wishes.force && !asksAll && !state.slots.every(hasSeen);
  return planned.map((plan): SlotPlan => {
    const own = state.slots.find(({ slot }) => slot === plan.slot);
    const knowsIt = own !== undefined && hasSeen(own);
    if (plan.kind === 'run') {
      // The latch is there so that somebody looks; where others are made to, who has seen it all rests.
      const isSpared = isForced && knowsIt && own.passIteration !== null;
      return isSpared ? { kind: 'skip', slot: plan.slot, passIteration: own.passIteration } : plan;
    }
    if (asksAll) return { kind: 'run', slot: plan.slot, why: 'after-pass' };
    return wishes.force && !knowsIt ? { kind: 'run', slot: plan.slot, why: 'forced' } : plan;
  });
}

/** Who rested looks; who has seen it rests; who has seen it with warnings is left alone, for it never rests. */
function certifySlot({ slot, covers, passIteration }: SlotState): SlotPlan[] {
  if (covers === 'rests') return [{ kind: 'run', slot, why: 'certify' }];
  return passIteration === null ? [] : [{ kind: 'skip', slot, passIteration }];
}
