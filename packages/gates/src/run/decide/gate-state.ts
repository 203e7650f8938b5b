import type { SnapshotId } from '@onceover/base/kernel/ids';
import type { BranchContext, Entry, Scope } from '@onceover/base/kernel/repository';
import {
  compareSubjects,
  type RecordedSubject,
  type SubjectDifference,
  subjectDigest,
} from '@onceover/base/kernel/review-subject';
import type { Acceptance } from '@onceover/passes/types';
import { onlyWarns, type WarnLevels } from '../../findings/priority.ts';
import type { ReportedFinding } from '../../findings/types.ts';
import { type FindingState, isOpen, type KnownFinding } from '../../findings/types.ts';
import type { ReviewGate, SlotNumber, SlotRun } from '../../gate-types.ts';
import type { GateSubject, PromptMaterial } from '../../subject/review-subject.ts';
import type { SlotRecord } from '../record-types.ts';
import type { HeldReceipt, Receipt } from '../types.ts';
import { isSameEntry } from './gate-list.ts';
import { byIteration, lastPassIteration } from './skip-reviewers.ts';

type CycleContext = { readonly scope: Scope; readonly where: BranchContext };

/**
 * Whether a record belongs to the gate's reviews of the current change on this branch, which began with the iteration
 * `start`. With a detached HEAD, the merge-base identifies the branch. Records of other tools name no branch, so they
 * belong to every branch. Narrow runs, such as `--uncommitted`, neither use earlier records nor are used by later runs.
 */
export function isInCycle(record: SlotRecord, start: number, { scope, where }: CycleContext): boolean {
  if (scope.kind === 'narrow' || record.iteration < start) return false;
  if (record.own === null) return true;
  return record.own.scope === scope.key && isSameBranch(record.own, where);
}

/** Whether both contexts name the same branch or, if HEAD is detached, the same merge-base. */
export function isSameBranch(context: BranchContext, where: BranchContext): boolean {
  if (where.branch !== null) return context.branch === where.branch;
  return context.branch === null && context.mergeBase === where.mergeBase;
}

/** Returns the state of a finding, such as open, warning or waived, in the scope and on the branch of `options`. */
export function findingState(finding: KnownFinding, options: StateOptions): FindingState {
  const { scope, where, levels, tolerated, entryOf } = options;
  if (finding.kept === 'closed') return 'closed';
  const currentEntry = finding.entry === null ? undefined : entryOf(finding.entry.path);
  if (finding.entry !== null && currentEntry === undefined) return 'gone';
  // A waiver applies on every branch and in every scope, so the finding is shown as waived there too.
  if (finding.resolution?.how === 'skipped') return 'waived';
  if (finding.scope !== scope.key) return 'gone';
  // A finding that is archived or belongs to another branch counts only if its file has the same change now.
  const counts = (isSameBranch(finding, where) && !finding.cycleEnded) || isSameEntry(finding.entry, currentEntry);
  if (!counts) return 'gone';
  if (tolerated?.has(finding.id) === true) return 'warning';
  // If the settings have become stricter, a finding that was stored as a warning can count as open.
  const warns = levels === undefined || onlyWarns(finding.priority, finding, levels);
  if (finding.kept === 'warning' && warns) return 'warning';
  return finding.resolution?.how === 'fixed' ? 'fixed_claimed' : 'open';
}

export type GateFacts = {
  readonly gate: ReviewGate;
  /** The repository's part of the gate's prompt. */
  readonly material: PromptMaterial;
  /** The subject of a verdict on the gate as it is now. */
  readonly subject: GateSubject;
  /** All records of the gate's reviews, from every branch and scope. */
  readonly records: readonly SlotRecord[];
  /** The first iteration that reviewed the current change; 0 if the gate reviewed no earlier change. */
  readonly cycleStart: number;
  /** All findings of the gate, from every branch and scope. */
  readonly findings: readonly KnownFinding[];
  /** The stored verdict of each reviewer (slot) on the current subject. */
  readonly receipts: ReadonlyMap<SlotNumber, Receipt>;
  /**
   * For each reviewer without a verdict in this clone, whether a pass of another clone counts. Missing if passes are
   * not shared.
   */
  readonly shared?: ReadonlyMap<SlotNumber, Acceptance>;
  readonly held: HeldReceipt | null;
  /** Whether the setting `trust_marks` is on and someone marked the current task of the rule as passed. */
  readonly marked: boolean;
};

export type GateState = Pick<GateFacts, 'gate' | 'material' | 'subject'> & {
  /** The records of the gate's reviews of the current change, in the order of their iterations. */
  readonly cycle: readonly SlotRecord[];
  /** The records in `cycle`, each with the status that counts for the current content and prompt. */
  readonly history: readonly SlotRun[];
  readonly slots: readonly SlotState[];
  readonly findings: readonly ReportedFinding[];
  readonly holds: boolean;
  /** Whether the gate passes and every reviewer's pass is about the current content, not an earlier version of it. */
  readonly certified: boolean;
  /**
   * How many iterations in a row failed without progress; 0 if the gate has not failed with its current content and
   * prompt.
   */
  readonly failing: number;
  /** Whether the gate passed on other content before, and no review has failed or ended in an error since. */
  readonly heldBefore: boolean;
  /** Whether the records already say that the gate passed on the current content. */
  readonly isHeldNoted: boolean;
  /** The git tree of the snapshot, needed only if an open finding is about a file that does not belong to the gate. */
  readonly tree?: SnapshotId;
};

export type SlotState = {
  readonly slot: SlotNumber;
  /**
   * Why the reviewer counts as passed on the current content; `null` if it does not. `passed`, `waived`: it reviewed
   * this content. `accepted`: it did so in another clone, and a trusted person signed that. `marked`: someone marked
   * the review as passed. `rests`: it passed on earlier content and was skipped since.
   */
  readonly covers: 'passed' | 'waived' | 'accepted' | 'marked' | 'rests' | null;
  /** Whether a pass of another clone counts for this reviewer; `null` if none was looked up. */
  readonly shared: Acceptance | null;
  readonly passIteration: number | null;
  /** The newest record of this reviewer about the current change. */
  readonly latest: SlotRecord | null;
  /** How the subject of that record differs from the current one; `null` if it is equal or unknown. */
  readonly difference: SubjectDifference | null;
};

export type StateOptions = CycleContext & {
  readonly levels?: WarnLevels;
  /** Findings that count as warnings because `run --until-pass --ratchet` tolerates them. */
  readonly tolerated?: ReadonlySet<string> | undefined;
  /** Returns what changed at a path, according to the snapshot. */
  entryOf(path: string): Entry | undefined;
};

/** Returns the state of a gate. A run calls this before an iteration to plan it, and after it to judge the gate. */
export function gateState(facts: GateFacts, options: StateOptions): GateState {
  const { gate, material, subject, held, cycleStart } = facts;
  const cycle = facts.records
    .filter((record) => isInCycle(record, cycleStart, options))
    .sort((a, b) => a.iteration - b.iteration);
  const findings = facts.findings.map((finding) => ({ finding, state: findingState(finding, options) }));
  const open = findings.filter(({ state }) => isOpen(state));
  // Waivers apply on every branch and in every scope, so use all waived findings of the gate.
  const waivedIds = new Set([
    ...facts.findings.filter(({ resolution }) => resolution?.how === 'skipped').map(({ id }) => id),
    ...(options.tolerated ?? []),
  ]);
  const history = slotHistory(facts, cycle, findings, waivedIds);
  const slots = Array.from({ length: gate.numReviews }, (_, i): SlotState => {
    const slot = i + 1;
    const latest = cycle.findLast((record) => record.slot === slot) ?? null;
    const passIteration = lastPassIteration(history.filter((run) => run.slot === slot));
    const hasOpen = open.some(({ finding }) => finding.slot === slot);
    const covers = hasOpen ? null : coverOf(facts, slot, waivedIds, passIteration !== null ? latest : null);
    const difference = latest?.own == null ? null : compareSubjects({ gate: gate.id, ...latest.own }, subject);
    return { slot, covers, shared: facts.shared?.get(slot) ?? null, passIteration, latest, difference };
  });
  const holds = open.length === 0 && allCovered(slots);
  const hasHeld = passedWithoutLaterFailure(cycle, held);
  return {
    ...{ gate, material, subject },
    cycle,
    history,
    slots,
    findings,
    holds,
    certified: holds && slots.every(hasSeen),
    failing: failingIterations(subject, cycle, facts.findings, held),
    heldBefore: hasHeld && held?.content !== gate.content,
    isHeldNoted: hasHeld && held?.content === gate.content,
  };
}

/**
 * Whether an open finding is about a file that does not belong to the gate. Fixing it does not change the gate's
 * content.
 */
export function hasFindingOutside({ gate, findings }: Pick<GateState, 'gate' | 'findings'>): boolean {
  const gatePaths = new Set<string>(gate.entries.map(({ path }) => path));
  return findings.some(({ finding, state }) => isOpen(state) && finding.file !== null && !gatePaths.has(finding.file));
}

/**
 * Whether every reviewer counts as passed on the current content. If all of them were only skipped, the answer is
 * `false`.
 */
export function allCovered(slots: readonly Pick<SlotState, 'covers'>[]): boolean {
  return slots.every(({ covers }) => covers !== null) && slots.some(hasSeen);
}

/**
 * Whether the reviewer's pass is about the current content: it was reviewed here or in another clone, or marked as
 * passed.
 */
export function hasSeen({ covers }: Pick<SlotState, 'covers'>): boolean {
  return covers !== null && covers !== 'rests';
}

function coverOf(
  { receipts, shared, marked }: GateFacts,
  slot: SlotNumber,
  waivedIds: ReadonlySet<string>,
  latest: SlotRecord | null,
): SlotState['covers'] {
  const verdict = verdictOf(receipts.get(slot), waivedIds);
  if (verdict === 'passed' || verdict === 'waived') return verdict;
  // A verdict of this clone counts more than a pass of another clone.
  if (verdict === null && shared?.get(slot)?.kind === 'accepted') return 'accepted';
  if (marked) return 'marked';
  return latest?.status === 'skipped_prior_pass' ? 'rests' : null;
}

/**
 * Returns the verdict that a stored receipt stands for now. A failure becomes `waived` if it has findings and all of
 * them are waived.
 */
function verdictOf(
  receipt: Receipt | undefined,
  waivedIds: ReadonlySet<string>,
): 'passed' | 'waived' | 'failed' | null {
  if (receipt === undefined) return null;
  if (receipt.verdict === 'pass') return 'passed';
  return receipt.findings.length > 0 && receipt.findings.every((id) => waivedIds.has(id)) ? 'waived' : 'failed';
}

/**
 * Returns the reviewers' past results for `planSlots`. Corrects a recorded status that findings, a stored verdict or a
 * new prompt contradict.
 */
function slotHistory(
  { gate, receipts }: GateFacts,
  cycle: readonly SlotRecord[],
  findings: readonly ReportedFinding[],
  waivedIds: ReadonlySet<string>,
): readonly SlotRun[] {
  // A reviewer with an open finding has not passed, and a reviewer with warnings must not be skipped.
  const withFindings = new Set(
    findings.filter(({ state }) => isOpen(state) || state === 'warning').map(({ finding }) => finding.slot),
  );
  return cycle.map(({ slot, iteration, passIteration, status, violations, own }): SlotRun => {
    const run = { slot, iteration, passIteration, violations: violations.length };
    if (withFindings.has(slot)) return { ...run, status: 'fail' };
    // The prompt was different then, so the recorded pass does not count.
    if (own !== null && own.promptDigest !== gate.rubric.digest) return { ...run, status: 'error' };
    // If the stored verdict on the current content is a failure, a record that says otherwise does not count.
    return { ...run, status: verdictOf(receipts.get(slot), waivedIds) === 'failed' ? 'fail' : status };
  });
}

/**
 * Returns 1 plus the number of iterations that failed without progress since the gate's last pass, or since one of its
 * findings was last resolved. An iteration makes progress if it reviews new content, uses a new prompt or closes a
 * finding. Returns 0 if the gate has not failed on the current content, because changed content is reviewed in any
 * case.
 */
export function failingIterations(
  current: RecordedSubject,
  cycle: readonly SlotRecord[],
  findings: readonly KnownFinding[],
  heldReceipt: HeldReceipt | null,
): number {
  const resolvedAt = findings.reduce((latest, { resolution }) => {
    const counts = resolution !== null && resolution.how !== 'proposed';
    return counts && resolution.at > latest ? resolution.at : latest;
  }, '');
  const countedRecords = recordsSince(heldReceipt, cycle).filter(
    ({ timestamp }) => timestamp === '' || timestamp >= resolvedAt,
  );
  const reviewedSubjects = new Set<string | null>();
  const open = new Map<SlotNumber, ReadonlySet<string>>();
  let retries = 0;
  let failedOn: string | null | undefined;
  for (const [, records] of byIteration(countedRecords)) {
    // A review that passed again does not make the first failure after it a retry.
    if (failedOn === undefined && !records.some(isFailing)) continue;
    const subject = reviewedSubject(records);
    const isNew = reviewedSubjects.size === 0 || !reviewedSubjects.has(subject);
    const closes = updateOpen(open, records);
    reviewedSubjects.add(subject);
    if (!records.some(isFailing)) continue;
    failedOn = subject;
    if (!isNew && !closes) retries++;
  }
  // Records of other tools do not say which content they reviewed, so assume that it was the current content.
  const isCurrent = failedOn === null || failedOn === subjectDigest(current);
  return isCurrent ? retries + 1 : 0;
}

/** Returns the digest of the subject that an iteration reviewed; `null` if unknown. */
function reviewedSubject(records: readonly SlotRecord[]): string | null {
  const record = records.find(({ own }) => own !== null);
  return record?.own == null ? null : subjectDigest({ gate: record.gate, ...record.own });
}

/** Updates the reviewers' open findings with the records of an iteration. Returns whether a finding was closed. */
function updateOpen(open: Map<SlotNumber, ReadonlySet<string>>, records: readonly SlotRecord[]): boolean {
  let closes = false;
  for (const { slot, status, violations } of records) {
    if (status !== 'pass' && status !== 'fail') continue;
    const openIds = new Set(
      violations.flatMap(({ id, state }) => (id !== null && state !== null && isOpen(state) ? [id] : [])),
    );
    if ([...(open.get(slot) ?? [])].some((id) => !openIds.has(id))) closes = true;
    open.set(slot, openIds);
  }
  return closes;
}

/** Whether the gate passed on this branch, and none of its reviews failed or ended in an error since. */
export function passedWithoutLaterFailure(cycle: readonly SlotRecord[], heldReceipt: HeldReceipt | null): boolean {
  return (
    heldReceipt !== null &&
    !recordsSince(heldReceipt, cycle).some((record) => isFailing(record) || record.status === 'error')
  );
}

function recordsSince(heldReceipt: HeldReceipt | null, cycle: readonly SlotRecord[]): readonly SlotRecord[] {
  if (heldReceipt === null) return cycle;
  const earlierRecords = cycle.filter(({ timestamp }) => timestamp !== '' && timestamp <= heldReceipt.at);
  // Some records, for example handwritten ones, have no timestamp, so compare iteration numbers instead.
  const last = Math.max(0, ...earlierRecords.map(({ iteration }) => iteration));
  return cycle.filter(({ iteration }) => iteration > last);
}

/** Whether a review left a finding open. A review that only repeats waived findings does not fail the gate. */
function isFailing({ status, own, violations }: SlotRecord): boolean {
  return status === 'fail' && (own === null || violations.some(({ state }) => state !== null && isOpen(state)));
}
