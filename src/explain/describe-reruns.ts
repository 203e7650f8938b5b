import type { Settings } from '../config/settings.ts';
import { allCovered, type GateState, hasSeen } from '../gates/decide/gate-state.ts';
import type { CheckState } from '../gates/decide/plan-run.ts';
import { planSlots } from '../gates/decide/skip-reviewers.ts';
import type { SlotNumber } from '../gates/types.ts';
import { ASKED_AGAIN } from '../ui/describe-agent-failure.ts';
import { count } from '../ui/wording.ts';

type Rules = Pick<Settings, 'maxRetries' | 'unchangedGates' | 'afterPass' | 'certify'>;

/** The slots that run after the next change. `latch`: whether one slot runs for all, because all slots passed. */
type NextSlots = { readonly slots: readonly SlotNumber[]; readonly latch: boolean };

/** The events that make a gate or a reviewer run again, in words. */
export const RERUNS = {
  everyRun: (slots: readonly SlotNumber[]) =>
    `every run calls ${reviewers(slots)} until ${isOne(slots) ? 'it passes' : 'they pass'}`,
  retryLimit: (failing: number) =>
    `no run calls it, because it failed ${count(failing, 'time')} in a row; ${ASKED_AGAIN}`,
  removedReviewer:
    'no run calls it: the open findings belong to a reviewer that was removed. Resolve them, or raise num_reviews',
  files: ({ slots, latch }: NextSlots) =>
    `a file of the gate is edited, added, deleted or gets another mode (compared with the base), or the gate gets other files: then ${runs(slots)}${latch ? ' for all (safety latch)' : ''}. Touching, committing or amending a file does not count`,
  notFiles: ({ slots, latch }: NextSlots) =>
    `not when its files change: then ${runs(slots)}${latch ? ' for all (safety latch), and this reviewer is skipped; after_pass: all would run it too' : ', and this reviewer is skipped'}`,
  prompt: { review: 'its prompt file changes', rule: 'the instructions of its rule change' },
  anyRun: (slots: readonly SlotNumber[]) =>
    `anything else has to run (unchanged_gates: run)${slots.length === 0 ? '' : `: then ${runs(slots)} too`}`,
  force: (slots: readonly SlotNumber[]) => `--force: ${skippedBefore(slots)}`,
  certify: (slots: readonly SlotNumber[]) => `before a run passes (certify: true): ${skippedBefore(slots)}`,
  fresh: '--fresh',
  checkEveryRun: 'every run, until the check passes on the current tree',
  tree: 'any file that git knows changes, anywhere in the repository: a check is about the whole tree',
  command: 'its command changes',
  anyChange: 'a file of the gate changes against the base: committed, staged, unstaged or untracked',
} as const;

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

/** Returns the events that make the reviewers of a gate run again. */
export function gateReruns(state: GateState, settings: Rules): readonly string[] {
  const next = nextSlots(state, settings);
  if (state.holds) return [RERUNS.files(next), ...commonReruns(state, settings, next.slots, null)];
  if (state.failing > settings.maxRetries) return [RERUNS.retryLimit(state.failing)];
  return [allCovered(state.slots) ? RERUNS.removedReviewer : RERUNS.everyRun(next.slots)];
}

/** Returns the events that make one reviewer of a gate run again. */
export function slotReruns(state: GateState, slot: SlotNumber, settings: Rules): readonly string[] {
  const own = state.slots.find((one) => one.slot === slot);
  if (own === undefined) return [];
  const next = nextSlots(state, settings);
  const runsNext = next.slots.includes(slot);
  if (own.covers === null && runsNext) {
    const isStuck = !state.holds && state.failing > settings.maxRetries;
    return [isStuck ? RERUNS.retryLimit(state.failing) : RERUNS.everyRun([slot])];
  }
  return [
    runsNext ? RERUNS.files({ ...next, slots: [slot] }) : RERUNS.notFiles(next),
    ...commonReruns(state, settings, runsNext ? [slot] : [], slot),
  ];
}

/** Returns the events that make a check run again. A check is about the whole tree. */
export function checkReruns(
  { holds }: Pick<CheckState, 'holds'>,
  settings: Pick<Settings, 'unchangedGates'>,
): readonly string[] {
  if (!holds) return [RERUNS.checkEveryRun];
  const anyRun = settings.unchangedGates === 'run' ? [RERUNS.anyRun([])] : [];
  return [RERUNS.tree, RERUNS.command, ...anyRun, RERUNS.fresh];
}

/** Returns the slots that run after the next change. It matters whether a slot passed, not on which content. */
function nextSlots(state: GateState, { afterPass }: Rules): NextSlots {
  const isAfterPass = afterPass === 'all' && (state.holds || state.heldBefore);
  if (isAfterPass) return { slots: state.slots.map(({ slot }) => slot), latch: false };
  const planned = planSlots(state.gate.numReviews, state.history).filter((plan) => plan.kind === 'run');
  return { slots: planned.map(({ slot }) => slot), latch: planned.some(({ why }) => why === 'safety-latch') };
}

/** Returns the events that a gate and its slots have in common; with `only`, those that concern this slot. */
function commonReruns(
  state: GateState,
  settings: Rules,
  running: readonly SlotNumber[],
  only: SlotNumber | null,
): readonly string[] {
  const { gate, holds } = state;
  const anyRun = settings.unchangedGates === 'run' && gate.kind === 'review' && running.length > 0;
  const next = holds ? [] : nextSlots(state, settings).slots;
  // Slots that have not reviewed the current content and that no run would call.
  const skipped = state.slots
    .filter((one) => !hasSeen(one))
    .map(({ slot }) => slot)
    .filter((slot) => !next.includes(slot) && (only === null || slot === only));
  return [
    RERUNS.prompt[gate.kind],
    ...(anyRun ? [RERUNS.anyRun(running)] : []),
    ...(skipped.length > 0 ? [settings.certify ? RERUNS.certify(skipped) : RERUNS.force(skipped)] : []),
    RERUNS.fresh,
  ];
}
