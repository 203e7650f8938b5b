import type { RunsAgain } from '../domain/explanation.ts';
import type { Settings } from '../domain/settings.ts';
import type { SlotNumber } from '../domain/slot.ts';
import type { CheckState } from './decide-run.ts';
import { allCovered, type GateState, hasSeen } from './gate-state.ts';
import { planSlots } from './slots.ts';

type Rules = Pick<Settings, 'maxRetries' | 'unchangedGates' | 'afterPass' | 'certify'>;

/** What makes the reviewers of a gate look again. */
export function gateRunsAgain(state: GateState, settings: Rules): readonly RunsAgain[] {
  const stuck = notHolding(state, settings);
  if (stuck !== null) return [stuck];
  const { slots, latch } = nextLook(state, settings);
  return [
    { kind: 'files', slots, latch },
    ...always(state),
    ...anyIteration(state, settings, slots),
    ...rested(state, settings, null),
    { kind: 'fresh' },
  ];
}

/** What makes one slot of it look again. */
export function slotRunsAgain(state: GateState, slot: SlotNumber, settings: Rules): readonly RunsAgain[] {
  const own = state.slots.find((one) => one.slot === slot);
  if (own === undefined) return [];
  const { slots, latch } = nextLook(state, settings);
  const looks = slots.includes(slot);
  if (own.covers === null && looks) {
    const stuck = notHolding(state, settings);
    return [stuck?.kind === 'retry-limit' ? stuck : { kind: 'every-run', slots: [slot] }];
  }
  return [
    looks ? { kind: 'files', slots: [slot], latch } : { kind: 'files-rest', slots, latch },
    ...always(state),
    ...anyIteration(state, settings, looks ? [slot] : []),
    ...rested(state, settings, slot),
    { kind: 'fresh' },
  ];
}

/** What makes a check run again: it is about the whole tree. */
export function checkRunsAgain(
  { holds }: Pick<CheckState, 'holds'>,
  settings: Pick<Settings, 'unchangedGates'>,
): readonly RunsAgain[] {
  if (!holds) return [{ kind: 'check-every-run' }];
  const any: readonly RunsAgain[] = settings.unchangedGates === 'run' ? [{ kind: 'any-iteration', slots: [] }] : [];
  return [{ kind: 'tree' }, { kind: 'command' }, ...any, { kind: 'fresh' }];
}

function notHolding(state: GateState, settings: Rules): RunsAgain | null {
  if (state.holds) return null;
  if (state.failing > settings.maxRetries) return { kind: 'retry-limit', failing: state.failing };
  if (allCovered(state.slots)) return { kind: 'no-such-slot' };
  return { kind: 'every-run', slots: nextLook(state, settings).slots };
}

/** Who looks next: whether a slot passed before decides that, not what it passed. */
function nextLook(
  state: GateState,
  { afterPass }: Rules,
): { readonly slots: readonly SlotNumber[]; readonly latch: boolean } {
  const isAfterPass = afterPass === 'all' && (state.holds || state.heldBefore);
  if (isAfterPass) return { slots: state.slots.map(({ slot }) => slot), latch: false };
  const runs = planSlots(state.gate.numReviews, state.history).filter((plan) => plan.kind === 'run');
  return { slots: runs.map(({ slot }) => slot), latch: runs.some(({ why }) => why === 'safety-latch') };
}

function always({ gate }: GateState): readonly RunsAgain[] {
  return [{ kind: 'prompt', of: gate.kind }];
}

function anyIteration(
  { gate }: GateState,
  { unchangedGates }: Rules,
  slots: readonly SlotNumber[],
): readonly RunsAgain[] {
  const runs = unchangedGates === 'run' && gate.kind === 'review' && slots.length > 0;
  return runs ? [{ kind: 'any-iteration', slots }] : [];
}

/** Slots that have not seen what is there now, and are not asked about it. */
function rested(state: GateState, settings: Rules, only: SlotNumber | null): readonly RunsAgain[] {
  const next = state.holds ? [] : nextLook(state, settings).slots;
  const slots = state.slots
    .filter((one) => !hasSeen(one))
    .map(({ slot }) => slot)
    .filter((slot) => !next.includes(slot) && (only === null || slot === only));
  if (slots.length === 0) return [];
  return settings.certify ? [{ kind: 'certify', slots }] : [{ kind: 'force', slots }];
}
