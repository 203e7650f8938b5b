import { ASKED_AGAIN } from '@onceover/base/ui/describe-agent-failure';
import { count } from '@onceover/base/ui/wording';
import type { Settings } from '@onceover/repo/config/settings';
import type { SlotNumber } from '../gate-types.ts';
import { allCovered, type GateState, hasSeen } from '../run/decide/gate-state.ts';
import { type CheckState, hasFailedUnchanged } from '../run/decide/plan-run.ts';
import { planSlots } from '../run/decide/skip-reviewers.ts';

type Rules = Pick<Settings, 'maxRetries' | 'unchangedGates' | 'afterPass' | 'certify'>;

/**
 * The numbers of the reviewers that run after the next change. `latch`: all of them had passed, so only the first one
 * runs (the safety latch).
 */
type NextSlots = { readonly slots: readonly SlotNumber[]; readonly latch: boolean };

/** For each event that makes a gate or a reviewer run again, its description. */
export const RERUNS = {
  everyRun: (slots: readonly SlotNumber[]) =>
    `every run calls ${reviewers(slots)} until ${slots.length === 1 ? 'it passes' : 'they pass'}`,
  retryLimit: (failing: number) =>
    `no run calls it, because it failed ${count(failing, 'time')} without progress; ${ASKED_AGAIN}`,
  unchangedFailure:
    'you change its files, its prompt or, if a finding is about a file outside the gate, any file; you use "onceover resolve" on a finding, or --force. Until then, runs skip it ("unchanged_gates: rest" in onceover.yml)',
  removedReviewer:
    'no run calls it: the open findings belong to a reviewer that was removed. Resolve them, or raise num_reviews',
  files: (next: NextSlots) => `you edit, add or remove a file that it covers: then ${runs(next)}`,
  notFiles: (next: NextSlots) =>
    `not when its files change: then ${runs(next)}${next.latch ? ' (with after_pass: all, it runs too)' : ', and this reviewer is skipped'}`,
  prompt: {
    review: 'you edit its prompt file, or change a setting that its verdict depends on',
    rule: 'you edit the instructions or a reference file of its rule, or change a setting that its verdict depends on',
  },
  anyRun: 'another gate has to run (unchanged_gates: run)',
  force: (slots: readonly SlotNumber[]) => `you use --force: ${notReviewed(slots)}`,
  certify: (slots: readonly SlotNumber[]) => `before a run passes (certify: true): ${notReviewed(slots)}`,
  fresh: 'you use --fresh',
  checkEveryRun: 'every run, until the check passes on the current tree',
  tree: 'any file that git does not ignore changes, anywhere in the repository: the check may read it',
  command: 'you edit its command',
  anyChange: 'a file of the gate changes against the base: committed, staged, unstaged or untracked',
} as const;

function reviewers(slots: readonly SlotNumber[]): string {
  return `${slots.length === 1 ? 'reviewer' : 'reviewers'} ${slots.join(', ')}`;
}

function runs({ slots, latch }: NextSlots): string {
  return `${reviewers(slots)} ${slots.length === 1 ? 'runs' : 'run'}${latch ? ', and the others are skipped' : ''}`;
}

function notReviewed(slots: readonly SlotNumber[]): string {
  return `${reviewers(slots)} ${slots.length === 1 ? 'has' : 'have'} not reviewed the current code`;
}

/**
 * Describes the events that make a gate's reviewers run again. With `only`, describes just those for the reviewer with
 * this number.
 */
export function reviewReruns(state: GateState, settings: Rules, only: SlotNumber | null): string[] {
  const { gate, slots, holds, failing } = state;
  const next = nextSlots(state, settings);
  const isMeant = (slot: SlotNumber) => only === null || slot === only;
  const running = next.slots.filter(isMeant);
  const hasNotPassed = slots.some(({ slot, covers }) => covers === null && running.includes(slot));
  if (!holds && (only === null || hasNotPassed)) {
    if (failing > settings.maxRetries) return [RERUNS.retryLimit(failing)];
    if (settings.unchangedGates === 'rest' && hasFailedUnchanged(state)) return [RERUNS.unchangedFailure];
    return [allCovered(slots) ? RERUNS.removedReviewer : RERUNS.everyRun(running)];
  }
  const isCalled = (slot: SlotNumber) => !holds && next.slots.includes(slot);
  const skippedSlots = slots
    .filter((slotState) => !hasSeen(slotState) && isMeant(slotState.slot) && !isCalled(slotState.slot))
    .map(({ slot }) => slot);
  return [
    running.length > 0 ? RERUNS.files({ ...next, slots: running }) : RERUNS.notFiles(next),
    RERUNS.prompt[gate.kind],
    ...(settings.unchangedGates === 'run' && gate.kind === 'review' && running.length > 0 ? [RERUNS.anyRun] : []),
    ...(skippedSlots.length > 0 ? [settings.certify ? RERUNS.certify(skippedSlots) : RERUNS.force(skippedSlots)] : []),
    RERUNS.fresh,
  ];
}

/**
 * Describes the events that make a check run again. Every change of a file is such an event, because a check may read
 * all files.
 */
export function checkReruns(
  { holds }: Pick<CheckState, 'holds'>,
  { unchangedGates }: Pick<Settings, 'unchangedGates'>,
): string[] {
  if (!holds) return [RERUNS.checkEveryRun];
  return [RERUNS.tree, RERUNS.command, ...(unchangedGates === 'run' ? [RERUNS.anyRun] : []), RERUNS.fresh];
}

/** Returns the reviewers that run after the next change. A reviewer that passed earlier code may be skipped then. */
function nextSlots(state: GateState, { afterPass }: Rules): NextSlots {
  const isAfterPass = afterPass === 'all' && (state.holds || state.heldBefore);
  if (isAfterPass) return { slots: state.slots.map(({ slot }) => slot), latch: false };
  const runPlans = planSlots(state.gate.numReviews, state.history).filter((plan) => plan.kind === 'run');
  return { slots: runPlans.map(({ slot }) => slot), latch: runPlans.some(({ why }) => why === 'safety-latch') };
}
