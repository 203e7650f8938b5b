import type { Settings } from '../config/settings.ts';
import { allCovered, type GateState, hasSeen, planSlots } from '../gates/decide/gate-state.ts';
import type { CheckState } from '../gates/decide/plan-run.ts';
import type { SlotNumber } from '../gates/types.ts';
import { ASKED_AGAIN } from '../ui/describe-agent-failure.ts';
import { count } from '../ui/wording.ts';
import type { RerunTrigger } from './types.ts';

type Rules = Pick<Settings, 'maxRetries' | 'unchangedGates' | 'afterPass' | 'certify'>;

/** Returns the events that make the reviewers of a gate run again. */
export function gateRerunTriggers(state: GateState, settings: Rules): readonly RerunTrigger[] {
  const stuck = failingTrigger(state, settings);
  if (stuck !== null) return [stuck];
  const next = nextSlots(state, settings);
  return [{ kind: 'files', ...next }, ...commonTriggers(state, settings, next.slots, null)];
}

/** Returns the events that make one reviewer of a gate run again. */
export function slotRerunTriggers(state: GateState, slot: SlotNumber, settings: Rules): readonly RerunTrigger[] {
  const own = state.slots.find((one) => one.slot === slot);
  if (own === undefined) return [];
  const next = nextSlots(state, settings);
  const runsNext = next.slots.includes(slot);
  if (own.covers === null && runsNext) {
    const stuck = failingTrigger(state, settings);
    return [stuck?.kind === 'retry-limit' ? stuck : { kind: 'every-run', slots: [slot] }];
  }
  return [
    runsNext ? { kind: 'files', slots: [slot], latch: next.latch } : { kind: 'files-rest', ...next },
    ...commonTriggers(state, settings, runsNext ? [slot] : [], slot),
  ];
}

/** Returns the events that make a check run again. A check is about the whole tree. */
export function checkRerunTriggers(
  { holds }: Pick<CheckState, 'holds'>,
  settings: Pick<Settings, 'unchangedGates'>,
): readonly RerunTrigger[] {
  if (!holds) return [{ kind: 'check-every-run' }];
  const any: readonly RerunTrigger[] = settings.unchangedGates === 'run' ? [{ kind: 'any-iteration', slots: [] }] : [];
  return [{ kind: 'tree' }, { kind: 'command' }, ...any, { kind: 'fresh' }];
}

function failingTrigger(state: GateState, settings: Rules): RerunTrigger | null {
  if (state.holds) return null;
  if (state.failing > settings.maxRetries) return { kind: 'retry-limit', failing: state.failing };
  if (allCovered(state.slots)) return { kind: 'no-such-slot' };
  return { kind: 'every-run', slots: nextSlots(state, settings).slots };
}

/** Returns the slots that run after the next change. It matters whether a slot passed before, not which content. */
function nextSlots(
  state: GateState,
  { afterPass }: Rules,
): { readonly slots: readonly SlotNumber[]; readonly latch: boolean } {
  const isAfterPass = afterPass === 'all' && (state.holds || state.heldBefore);
  if (isAfterPass) return { slots: state.slots.map(({ slot }) => slot), latch: false };
  const runs = planSlots(state.gate.numReviews, state.history).filter((plan) => plan.kind === 'run');
  return { slots: runs.map(({ slot }) => slot), latch: runs.some(({ why }) => why === 'safety-latch') };
}

/** Returns the triggers that a gate and its slots share. `only` limits them to one slot. */
function commonTriggers(
  state: GateState,
  settings: Rules,
  running: readonly SlotNumber[],
  only: SlotNumber | null,
): readonly RerunTrigger[] {
  const { gate, holds } = state;
  const anyRun = settings.unchangedGates === 'run' && gate.kind === 'review' && running.length > 0;
  const next = holds ? [] : nextSlots(state, settings).slots;
  // Slots that did not see the current content and that no run would call.
  const skipped = state.slots
    .filter((one) => !hasSeen(one))
    .map(({ slot }) => slot)
    .filter((slot) => !next.includes(slot) && (only === null || slot === only));
  return [
    { kind: 'prompt', of: gate.kind },
    ...(anyRun ? [{ kind: 'any-iteration', slots: running } as const] : []),
    ...(skipped.length > 0 ? [{ kind: settings.certify ? 'certify' : 'force', slots: skipped } as const] : []),
    { kind: 'fresh' },
  ];
}

/** Describes an event that makes something run again, in one line. */
export function describeRerunTrigger(trigger: RerunTrigger): string {
  switch (trigger.kind) {
    case 'every-run':
      return `every run calls ${reviewers(trigger.slots)} until ${isOne(trigger.slots) ? 'it passes' : 'they pass'}`;
    case 'retry-limit':
      return `no run calls it, because it failed ${count(trigger.failing, 'time')} in a row; ${ASKED_AGAIN}`;
    case 'no-such-slot':
      return 'no run calls it: the open findings belong to a reviewer that was removed. Resolve them, or raise num_reviews';
    case 'files':
      return `a file of the gate changes against the base in content, mode or existence, or a file joins or leaves the gate: then ${runs(trigger.slots)}${trigger.latch ? ' for all (safety latch)' : ''}. Touching, committing or amending makes no difference`;
    case 'files-rest':
      return `not when its files change: then ${runs(trigger.slots)}${trigger.latch ? ' for all (safety latch), and this reviewer is skipped; after_pass: all would run it too' : ', and this reviewer is skipped'}`;
    case 'prompt':
      return trigger.of === 'rule' ? 'the instructions of its rule change' : 'its prompt file changes';
    case 'any-iteration':
      return `anything else has to run (unchanged_gates: run)${trigger.slots.length === 0 ? '' : `: then ${runs(trigger.slots)} too`}`;
    case 'force':
      return `--force: ${skippedBefore(trigger.slots)}`;
    case 'certify':
      return `before a run passes (certify: true): ${skippedBefore(trigger.slots)}`;
    case 'fresh':
      return '--fresh';
    case 'check-every-run':
      return 'every run, until the check passes on the current tree';
    case 'tree':
      return 'any file that git knows changes, anywhere in the repository: a check is about the whole tree';
    case 'any-change':
      return 'a file of the gate changes against the base: committed, staged, unstaged or untracked';
    case 'command':
      return 'its command changes';
  }
}

function isOne(slots: readonly SlotNumber[]): boolean {
  return slots.length === 1;
}

function reviewers(slots: readonly SlotNumber[]): string {
  return `${isOne(slots) ? 'reviewer' : 'reviewers'} ${slots.join(', ')}`;
}

function runs(slots: readonly SlotNumber[]): string {
  return `${reviewers(slots)} ${isOne(slots) ? 'runs' : 'run'}`;
}

function skippedBefore(slots: readonly SlotNumber[]): string {
  return `${reviewers(slots)} ${isOne(slots) ? 'was skipped and has' : 'were skipped and have'} not reviewed the current code`;
}
