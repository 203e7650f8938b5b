/** Where the engine is known to differ from design.md; the model follows it there until it is mended. */
export type Defects = Readonly<Record<Defect, boolean>>;

export type Defect = keyof typeof KNOWN;

export const KNOWN = {
  /** The records of a check stay where its entry point has no entries any more. */
  checkRecordsStay: true,
  /** A warning that its slot did not repeat stands, but no longer keeps the slot from resting. */
  warningsForgotten: true,
  /** Failing iterations before a claim count again once the claim is refuted. */
  refutedClaimCounts: true,
  /** A check is meant by every path in or around its entry point, also where nothing changed below it. */
  checksByFolder: true,
  /** Whether a gate held is told by the records of an iteration, not by its having held. */
  heldByRecords: true,
  /** A check that passed on a tree and then failed on it holds there. */
  failedCheckHolds: true,
  /** A finding that was closed, or only warned, and is reported again keeps the claim that it is fixed. */
  oldClaimStands: true,
  /** Where findings of a gate that is no more are open, an iteration without any work is counted before the run could be certified. */
  emptyCertify: true,
  /** A warning that counts as open by stricter settings of today does not make its slot fail when it stands unsaid. */
  warningTurnedOpen: true,
};
