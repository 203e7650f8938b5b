import type { Failure } from '@onceover/base/kernel/failure.ts';
import type { GateId, SnapshotId } from '@onceover/base/kernel/ids.ts';
import type { BranchContext, Entry } from '@onceover/base/kernel/repository.ts';
import type { Shaped } from '@onceover/base/kernel/shape.ts';
import type { RuleTask } from '../rules/types.ts';
import type { ACTOR, CLOSING, FINDING, GateContent, RECEIPTS, RESOLUTION, ReviewFacts } from './record/shapes.ts';

export type { GateContent } from './record/shapes.ts';

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

/** The result of sharing the passes and waivers of a run with other clones. */
export type ShareEnd =
  | { readonly kind: 'shared'; readonly passes: number; readonly waivers: number; readonly carrier: string }
  /** The setting is `share: ask`, so a person has to agree first. */
  | { readonly kind: 'to-ask'; readonly passes: number; readonly waivers: number; readonly carrier: string }
  | { readonly kind: 'not-shared'; readonly failure: Failure };

/** The number of a reviewer within a review, counted from 1. The agent behind a number can change. */
export type SlotNumber = number;

/** The name used in records if no agent was available. */
export const NO_AGENT = 'none';

/**
 * The part of a reviewer's record that `planSlots` uses. It does not name the agent, because the plan must not depend
 * on it.
 */
export type SlotRun = {
  readonly slot: SlotNumber;
  readonly iteration: number;
  readonly status: 'pass' | 'fail' | 'error' | 'skipped_prior_pass';
  readonly violations: number;
  /** For a skipped reviewer: the iteration in which it passed. */
  readonly passIteration: number | null;
};

/** Whether a reviewer runs or is skipped in this iteration, and why. */
export type SlotPlan =
  | { readonly kind: 'run'; readonly slot: SlotNumber; readonly why: RunReason }
  | { readonly kind: 'skip'; readonly slot: SlotNumber; readonly passIteration: number };

/** Why a reviewer runs. `planSlots` gives the first four reasons; options and settings give the others. */
export type RunReason =
  | 'first-run'
  | 'only-reviewer'
  | 'not-passed'
  | 'safety-latch'
  /** `after_pass: all`: the gate passed on earlier content, so all its reviewers review the new content. */
  | 'after-pass'
  /** `certify`: the reviewer was skipped, and has to review the current content before the run passes. */
  | 'certify'
  | 'forced'
  | 'asked-for';

type GateBase = {
  readonly id: GateId;
  readonly entry: string;
  readonly name: string;
  readonly timeoutSeconds: number | null;
  readonly entries: readonly Entry[];
};

/** A gate that runs a command from the settings. It passes if the command exits with 0. */
export type CheckGate = GateBase & { readonly kind: 'check'; readonly command: string };

/**
 * A gate with a prompt that reviewers answer about changed files (`entries`). It comes from `onceover.yml` or from a
 * rule.
 */
export type ReviewGate = GateBase & {
  readonly kind: 'review' | 'rule';
  readonly numReviews: number;
  readonly agents: readonly string[] | null;
  readonly rubric: Rubric;
  readonly content: GateContent;
  /** The review task of a rule; `null` for a review that `onceover.yml` defines. */
  readonly task: RuleTask | null;
};

export type Gate = CheckGate | ReviewGate;

/** The instructions for a reviewer. If their digest changes, earlier passes no longer count. */
export type Rubric = { readonly source: string; readonly text: string; readonly digest: string };

type ShapedReceipts = { readonly [K in keyof typeof RECEIPTS]: Shaped<(typeof RECEIPTS)[K]> };

export type Receipts = Omit<ShapedReceipts, 'review'> & {
  readonly review: Omit<ShapedReceipts['review'], 'made' | 'tree'> & {
    readonly made?: ReviewFacts | undefined;
    readonly tree?: SnapshotId | undefined;
  };
};

/**
 * For each kind of receipt (stored verdict), the fields that identify it. A receipt counts only if all of them match.
 */
export type ReceiptKeys = {
  readonly review: Pick<Receipts['review'], 'gate' | 'slot' | 'content' | 'scope' | 'promptDigest'>;
  readonly check: Pick<Receipts['check'], 'gate' | 'command' | 'tree'>;
  /**
   * The fields that identify the record of a gate's last pass: the gate and its branch, or the merge-base if HEAD is
   * detached.
   */
  readonly held: BranchContext & { readonly gate: GateId };
};

export type Receipt = Receipts['review'];

export type CheckReceipt = Receipts['check'];

export type HeldReceipt = Receipts['held'];
