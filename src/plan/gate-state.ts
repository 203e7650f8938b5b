import { type FindingState, isOpen, type KnownFinding } from '../domain/finding.ts';
import type { Entry, ReviewGate } from '../domain/gate.ts';
import type { HeldReceipt, Receipt } from '../domain/receipt.ts';
import type { SlotRecord } from '../domain/record.ts';
import type { SlotNumber, SlotRun } from '../domain/slot.ts';
import { findingState, isInCycle, type Standpoint } from './cycle.ts';
import type { WarnLevels } from './priority.ts';
import { failingIterations, heldLast } from './retries.ts';
import { passedIn } from './slots.ts';

/** What is known of a review gate before it is decided about. */
export type GateFacts = {
  readonly gate: ReviewGate;
  /** All records of the gate, of whatever cycle. */
  readonly records: readonly SlotRecord[];
  /** All findings of the gate, of whatever cycle. */
  readonly findings: readonly KnownFinding[];
  /** What each slot concluded about the present content, under today's prompt. */
  readonly receipts: ReadonlyMap<SlotNumber, Receipt>;
  /** When it last held in this cycle, as far as a run has seen. */
  readonly held: HeldReceipt | null;
  /** `trust_marks`: a mark vouches for the rule's task as it is. */
  readonly marked: boolean;
};

/** Where a gate stands: what each slot covers, what is open, and whether it holds. */
export type GateState = {
  readonly gate: ReviewGate;
  /** What `planSlots` is told. */
  readonly history: readonly SlotRun[];
  readonly slots: readonly SlotState[];
  readonly findings: readonly StandingFinding[];
  readonly holds: boolean;
  /** It holds, and every slot by its own look at the present content. */
  readonly certified: boolean;
  /** Failing iterations with a verdict since it last held. */
  readonly failing: number;
  /** It held with another content, and no look since has failed or come to nothing. */
  readonly heldBefore: boolean;
  /** That it holds is known already. */
  readonly isHeldNoted: boolean;
};

export type SlotState = {
  readonly slot: SlotNumber;
  /** How it covers the present content: by having run on it, by a waiver, by a mark, or by resting; null: it does not. */
  readonly covers: 'passed' | 'waived' | 'marked' | 'rests' | null;
  readonly passIteration: number | null;
  /** Its newest record in this cycle. */
  readonly latest: SlotRecord | null;
};

export type StandingFinding = { readonly finding: KnownFinding; readonly state: FindingState };

export type StateOptions = Standpoint & {
  readonly levels?: WarnLevels;
  /** Findings that a loop lets be: they only warn. */
  readonly letBe?: ReadonlySet<string>;
  entryOf(path: string): Entry | undefined;
};

/** Where the gate stands; the same before and after an iteration. */
export function gateState(facts: GateFacts, options: StateOptions): GateState {
  const { gate } = facts;
  const cycle = facts.records.filter((record) => isInCycle(record, options));
  const findings = facts.findings.map((finding) => ({
    finding,
    state: findingState(finding, options, options.entryOf),
  }));
  const open = findings.filter(({ state }) => isOpen(state));
  // A waiver reaches over cycles and scopes.
  const waived = new Set([
    ...facts.findings.filter(({ resolution }) => resolution?.how === 'skipped').map(({ id }) => id),
    ...(options.letBe ?? []),
  ]);
  const history = slotHistory(facts, cycle, findings, waived);
  const slots = Array.from({ length: gate.numReviews }, (_, i): SlotState => {
    const slot = i + 1;
    const own = history.filter((run) => run.slot === slot);
    const latest = newest(cycle.filter((record) => record.slot === slot));
    const isFree = !open.some(({ finding }) => finding.slot === slot);
    const passIteration = passedIn(own);
    const covers = !isFree ? null : coverOf(facts, slot, waived, passIteration !== null ? latest : null);
    return { slot, covers, passIteration, latest };
  });
  const holds = open.length === 0 && allCovered(slots);
  const hasHeld = heldLast(cycle, facts.held);
  return {
    gate,
    history,
    slots,
    findings,
    holds,
    certified: holds && slots.every(({ covers }) => covers !== 'rests'),
    failing: failingIterations(cycle, facts.findings, facts.held),
    heldBefore: hasHeld && facts.held?.content !== gate.content,
    isHeldNoted: hasHeld && facts.held?.content === gate.content,
  };
}

/** Every slot covers the content, at least one by having run on it. */
export function allCovered(slots: readonly Pick<SlotState, 'covers'>[]): boolean {
  return slots.every(({ covers }) => covers !== null) && slots.some(hasSeen);
}

/** Whether a slot's word is about the present content: it ran on it, or a mark that is trusted says so. */
export function hasSeen({ covers }: Pick<SlotState, 'covers'>): boolean {
  return covers !== null && covers !== 'rests';
}

function coverOf(
  { receipts, marked }: GateFacts,
  slot: SlotNumber,
  waived: ReadonlySet<string>,
  latest: SlotRecord | null,
): SlotState['covers'] {
  const receipt = receipts.get(slot);
  if (receipt?.verdict === 'pass') return 'passed';
  if (receipt?.verdict === 'fail' && isWaived(receipt, waived)) return 'waived';
  if (marked) return 'marked';
  return latest?.status === 'skipped_prior_pass' ? 'rests' : null;
}

function isWaived(receipt: Receipt, waived: ReadonlySet<string>): boolean {
  return receipt.findings.length > 0 && receipt.findings.every((id) => waived.has(id));
}

/** The cycle's records as `planSlots` reads them: what is no pass today is told as none. */
function slotHistory(
  { gate, receipts }: GateFacts,
  cycle: readonly SlotRecord[],
  findings: readonly StandingFinding[],
  waived: ReadonlySet<string>,
): readonly SlotRun[] {
  // Who has something open has not passed; who has warnings covers what it saw, but never rests.
  const restless = new Set(
    findings.filter(({ state }) => isOpen(state) || state === 'warning').map(({ finding }) => finding.slot),
  );
  return cycle.map((record): SlotRun => {
    const { slot, iteration, passIteration } = record;
    const run = { slot, iteration, passIteration, violations: record.violations.length };
    if (restless.has(slot)) return { ...run, status: 'fail' };
    // Passed under another prompt: nobody has looked with today's.
    if (record.own !== null && record.own.promptDigest !== gate.rubric.digest) return { ...run, status: 'error' };
    const receipt = receipts.get(slot);
    const isWaivedNow =
      record.own?.content === gate.content && receipt?.verdict === 'fail' && isWaived(receipt, waived);
    if (record.status === 'fail' && isWaivedNow) return { ...run, status: 'pass', violations: 0 };
    // It has failed just this, whatever a record says.
    if (receipt?.verdict === 'fail' && !isWaived(receipt, waived)) return { ...run, status: 'fail' };
    return { ...run, status: record.status };
  });
}

function newest(records: readonly SlotRecord[]): SlotRecord | null {
  let latest: SlotRecord | null = null;
  for (const record of records) if (latest === null || record.iteration >= latest.iteration) latest = record;
  return latest;
}
