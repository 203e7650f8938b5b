/** Where the engine is known to differ from design.md; the model follows it there until it is mended. */
export type Defects = Readonly<Record<keyof typeof KNOWN, boolean>>;

export const KNOWN = {
  /** The records of a check stay where its entry point has no entries any more. */
  checkRecordsStay: true,
  /** What a file was is told by its entry where it has one: to get one, or to lose it, looks like a change. */
  seenByEntry: true,
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
  /** A look that became stale closes by silence what has no file, or was reported on another state of its file than an earlier finding. */
  staleCloses: true,
  /** A slot that failed the very content that is there now may rest on a pass of another content. */
  restsOnFailure: true,
  /** A slot with an open finding that gave no verdict in this cycle, only errors, is taken as looking once more. */
  errorIsRerun: true,
  /** A finding that was closed and is reported again is told as claimed to be fixed, where that was said of it before. */
  oldClaimStands: true,
};

export const MENDED: Defects = {
  checkRecordsStay: false,
  seenByEntry: false,
  warningsForgotten: false,
  refutedClaimCounts: false,
  checksByFolder: false,
  heldByRecords: false,
  failedCheckHolds: false,
  staleCloses: false,
  restsOnFailure: false,
  errorIsRerun: false,
  oldClaimStands: false,
};
