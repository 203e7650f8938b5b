import type { Failure } from '../kernel/failure.ts';
import type { GateId, SnapshotId } from '../kernel/ids.ts';
import type { BranchContext, Entry } from '../kernel/repository.ts';
import type { Shaped } from '../kernel/shape.ts';
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
  /** Set if the reviewer reported the finding in a repeated review. Then `rerun_new_issue_threshold` applies. */
  readonly onRerun?: true;
  /**
   * Set if the finding was new on lines that its reviewer had already reviewed: the number of its earlier reviews. Then
   * `convergence` applies.
   */
  readonly seenBefore?: number;
  /** How often the reviewer reported the same code again after it had closed the finding. */
  readonly flips?: number;
};

export type Closing = Shaped<typeof CLOSING>;

export type Actor = Shaped<typeof ACTOR>;

export type Resolution = Shaped<typeof RESOLUTION>;

/** Returns the claim of a fix as it is stored after a reviewer rejected it. */
export function asRefuted(claim: Resolution): Resolution {
  return { ...claim, how: 'refuted', why: '' };
}

export function isSameResolution(a: Resolution, b: Resolution): boolean {
  return a.how === b.how && a.why === b.why && a.at === b.at && a.iteration === b.iteration;
}

/** Whether someone proposed to waive an open finding, and no person has confirmed that. */
export function isProposed({ resolution }: Pick<KnownFinding, 'resolution'>): boolean {
  return resolution?.how === 'proposed';
}

/** After this many flips, a reviewer does not close a finding any more; a person decides. */
const MOST_FLIPS = 3;

/** Whether a reviewer changed its mind about a finding too often, and no person has answered since its last report. */
export function isContested({ flips = 0, at, resolution }: KnownFinding): boolean {
  const isDecided = resolution?.by.kind === 'person' && resolution.how !== 'refuted' && resolution.at >= at;
  return flips >= MOST_FLIPS && !isDecided;
}

/** Whether an open finding waits for a person, so that an agent can do nothing about it. */
export function waitsForPerson(finding: KnownFinding): boolean {
  return isProposed(finding) || isContested(finding);
}

/** A finding with the answer of a user or a fixer; `resolution` is `null` if there is no answer. */
export type KnownFinding = Finding & {
  readonly resolution: Resolution | null;
  /** The signer of the waiver in `resolution`, if the waiver was made in another clone. */
  readonly waiverSigner?: string;
  /** With a store for teams: another clone gave the answer in `resolution`, so this clone does not sign it. */
  readonly isOfOtherClone?: boolean;
};

/** A finding that `resolve` answered. `because`: it was not named, but is about the same code as this finding. */
export type ResolvedFinding = KnownFinding & { readonly because: string | null };

/** A reviewer's explicit answer about an earlier finding. */
export type Disposition = {
  readonly id: string;
  readonly state: 'fixed' | 'open' | 'withdrawn';
  readonly why: string;
};

/** The result of sharing passes. */
export type ShareEnd =
  | { readonly kind: 'shared'; readonly passes: number; readonly waivers: number; readonly carrier: string }
  /** `share: ask`: a person has to agree first. */
  | { readonly kind: 'to-ask'; readonly passes: number; readonly waivers: number; readonly carrier: string }
  | { readonly kind: 'not-shared'; readonly failure: Failure };

/** The number of a reviewer within a review, counted from 1. Any agent may review under this number. */
export type SlotNumber = number;

/** Stands for the agent's name in records if no agent was available. */
export const NO_AGENT = 'none';

/** The part of a slot record that `planSlots` uses. It has no agent, because the plan must not depend on the agent. */
export type SlotRun = {
  readonly slot: SlotNumber;
  readonly iteration: number;
  readonly status: 'pass' | 'fail' | 'error' | 'skipped_prior_pass';
  readonly violations: number;
  /** For a skipped slot: the iteration in which it passed. */
  readonly passIteration: number | null;
};

/** Whether a slot runs in this iteration, and why. */
export type SlotPlan =
  | { readonly kind: 'run'; readonly slot: SlotNumber; readonly why: RunReason }
  | { readonly kind: 'skip'; readonly slot: SlotNumber; readonly passIteration: number };

/** Why a slot runs. `planSlots` gives the first four reasons; options and settings give the others. */
export type RunReason =
  | 'first-run'
  | 'only-reviewer'
  | 'not-passed'
  | 'safety-latch'
  /** `after_pass: all`: the gate passed on earlier content, so all its slots review the new content. */
  | 'after-pass'
  /** `certify`: the slot was skipped earlier, and has to review before the run passes. */
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

/** A command from the settings. The check passes if the command exits with 0. */
export type CheckGate = GateBase & { readonly kind: 'check'; readonly command: string };

/** A prompt that reviewers answer about changed files (`entries`): a review in `onceover.yml`, or a rule's task. */
export type ReviewGate = GateBase & {
  readonly kind: 'review' | 'rule';
  readonly numReviews: number;
  readonly agents: readonly string[] | null;
  readonly rubric: Rubric;
  readonly content: GateContent;
  /** The rule's task; `null` for a review that `onceover.yml` defines. */
  readonly task: RuleTask | null;
};

export type Gate = CheckGate | ReviewGate;

/** The instructions for a reviewer. If their digest changes, passes under the old text no longer count. */
export type Rubric = { readonly source: string; readonly text: string; readonly digest: string };

type ShapedReceipts = { readonly [K in keyof typeof RECEIPTS]: Shaped<(typeof RECEIPTS)[K]> };

export type Receipts = Omit<ShapedReceipts, 'review'> & {
  readonly review: Omit<ShapedReceipts['review'], 'made' | 'tree'> & {
    readonly made?: ReviewFacts | undefined;
    readonly tree?: SnapshotId | undefined;
  };
};

/** The fields that identify a receipt (a stored verdict), by its kind. A receipt counts only if all of them match. */
export type ReceiptKeys = {
  readonly review: Pick<Receipts['review'], 'gate' | 'slot' | 'content' | 'scope' | 'promptDigest'>;
  readonly check: Pick<Receipts['check'], 'gate' | 'command' | 'tree'>;
  /** The key of a gate's last pass: the gate and its branch, or the merge-base if HEAD is detached. */
  readonly held: BranchContext & { readonly gate: GateId };
};

export type Receipt = Receipts['review'];

export type CheckReceipt = Receipts['check'];

export type HeldReceipt = Receipts['held'];
