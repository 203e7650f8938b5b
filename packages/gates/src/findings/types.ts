import type { Shaped } from '@onceover/base/kernel/shape';
import type { ACTOR, CLOSING, FINDING, RESOLUTION } from './shapes.ts';

/** All states of a finding. Only `open` and `fixed_claimed` findings keep their gate from passing. */
export const FINDING_STATES = ['open', 'fixed_claimed', 'warning', 'waived', 'closed', 'gone'] as const;

export type FindingState = (typeof FINDING_STATES)[number];

export function isOpen(state: FindingState): boolean {
  return state === 'open' || state === 'fixed_claimed';
}

/** A problem that a reviewer reported, as it is stored. */
export type Finding = Shaped<typeof FINDING> & {
  /**
   * Set if the reviewer had reviewed the change before it reported this finding. In that case, the setting
   * `rerun_new_issue_threshold` applies.
   */
  readonly onRerun?: true;
  /**
   * The number of earlier reviews that saw the same lines without reporting this finding; missing if there were none.
   * If there were some, the setting `convergence` applies.
   */
  readonly seenBefore?: number;
  /** How often the reviewer closed the finding and later reported the same code again. */
  readonly flips?: number;
};

export type Closing = Shaped<typeof CLOSING>;

export type Actor = Shaped<typeof ACTOR>;

export type Resolution = Shaped<typeof RESOLUTION>;

/** Returns the claim that a finding is fixed, in the form that is stored after a reviewer rejected the claim. */
export function asRefuted(claim: Resolution): Resolution {
  return { ...claim, how: 'refuted', why: '' };
}

export function isSameResolution(a: Resolution, b: Resolution): boolean {
  return a.how === b.how && a.why === b.why && a.at === b.at && a.iteration === b.iteration;
}

/** Whether someone proposed to waive an open finding and no person has confirmed that yet. */
export function isProposed({ resolution }: Pick<KnownFinding, 'resolution'>): boolean {
  return resolution?.how === 'proposed';
}

/** After a reviewer has closed and reported a finding this many times, it can no longer close it; a person decides. */
const MOST_FLIPS = 3;

/** Whether a reviewer closed and reported a finding too often, and no person has answered since the last report. */
export function isContested({ flips = 0, at, resolution }: KnownFinding): boolean {
  const isDecided = resolution?.by.kind === 'person' && resolution.how !== 'refuted' && resolution.at >= at;
  return flips >= MOST_FLIPS && !isDecided;
}

/** Whether an open finding can only be resolved by a person, so that an agent can do nothing about it. */
export function waitsForPerson(finding: KnownFinding): boolean {
  return isProposed(finding) || isContested(finding);
}

/** A finding with the answer of a user or a fixer; `resolution` is `null` if there is no answer. */
export type KnownFinding = Finding & {
  readonly resolution: Resolution | null;
  /** The person who signed the waiver in `resolution`, if the waiver comes from another clone. */
  readonly waiverSigner?: string;
  /** In a store for teams: another clone gave the answer in `resolution`, so this clone does not sign it. */
  readonly isOfOtherClone?: boolean;
};

/**
 * A finding that `resolve` answered. `because`: the id of the finding that the user named, if this one is only about
 * the same code; otherwise `null`.
 */
export type ResolvedFinding = KnownFinding & { readonly because: string | null };

/** A reviewer's explicit statement about an earlier finding: still open, fixed or withdrawn. */
export type Disposition = {
  readonly id: string;
  readonly state: 'fixed' | 'open' | 'withdrawn';
  readonly why: string;
};

/** A finding with its state in the current run. */
export type ReportedFinding = { readonly finding: KnownFinding; readonly state: FindingState };
