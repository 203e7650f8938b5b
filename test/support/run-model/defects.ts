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
};

export const MENDED: Defects = {
  checkRecordsStay: false,
  seenByEntry: false,
  warningsForgotten: false,
  refutedClaimCounts: false,
};
