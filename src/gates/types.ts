import type { Priority } from '../config/settings.ts';
import type { Brand, GateId, RepoPath } from '../kernel/ids.ts';
import type { BranchContext, Entry } from '../kernel/repository.ts';
import type { Result } from '../kernel/result.ts';
import type { RuleTask } from '../rules/types.ts';

/** All states of a finding. Only `open` and `fixed_claimed` findings keep their gate from passing. */
export const FINDING_STATES = ['open', 'fixed_claimed', 'warning', 'waived', 'closed', 'gone'] as const;

export type FindingState = (typeof FINDING_STATES)[number];

/** Whether a finding in this state keeps its gate from passing. */
export function isOpen(state: FindingState): boolean {
  return state === 'open' || state === 'fixed_claimed';
}

/** A problem that a reviewer reported, as it is stored. */
export type Finding = BranchContext & {
  /** F1, F2, …; never reused. */
  readonly id: string;
  readonly gate: GateId;
  readonly scope: string;
  readonly slot: number;
  readonly agent: string;
  /** `null` if the reviewer named no file, or one outside of the repository; then the issue text names it. */
  readonly file: RepoPath | null;
  readonly line: number | null;
  readonly code: string | null;
  /** Position of the quoted code, or of the line's text if no code was quoted; `null` if the file does not contain it. */
  readonly anchor: Anchor | null;
  readonly issue: string;
  readonly fix: string | null;
  readonly priority: Priority;
  readonly kept: 'open' | 'warning' | 'closed';
  /** Set if the finding first appeared when the slot reviewed again: `rerun_new_issue_threshold` applies to it. */
  readonly onRerun?: true;
  /** A doubt about the reported position. */
  readonly mark: 'off-diff' | 'no-such-line' | 'code-not-found' | null;
  /** The iteration that reported the finding first. */
  readonly since: number;
  readonly at: string;
  /** The gate's content when the finding was last reported; `null` if unknown. */
  readonly content: GateContent | null;
  /** The file's entry when the finding was last reported; `null` if unknown, or if the file had no entry. */
  readonly entry: Entry | null;
  /** The `fileFingerprint` of the file when the finding was last reported; `null` if unknown. */
  readonly seen: string | null;
  /** Whether the finding's cycle was archived: then it counts only while its entry is unchanged. */
  readonly cycleEnded: boolean;
  readonly closed: Closing | null;
};

/** The text that a finding points at, and which of its occurrences in the file, counted from 1. */
type Anchor = { readonly text: string; readonly occurrence: number };

export type Closing = {
  readonly how: 'fixed' | 'withdrawn' | 'silent';
  readonly why: string;
  readonly iteration: number;
};

/** The answer of a user, an agent or a fixer to a finding. */
export type Resolution = {
  /**
   * - `fixed`: a claim; the finding stays open until a reviewer confirms the fix.
   * - `skipped`: a waiver.
   * - `refuted`: a claim that a reviewer rejected; only its time still counts, for the retry limit.
   * - `disputed`: a fixer's objection; it changes nothing until a reviewer has read it.
   */
  readonly how: 'fixed' | 'skipped' | 'refuted' | 'disputed';
  readonly why: string;
  readonly at: string;
  /** Stored for people; the retry limit goes by `at`. */
  readonly iteration: number;
};

/** Returns the claim as it is stored after a reviewer rejected it. */
export function isRefuted(claim: Resolution): Resolution {
  return { ...claim, how: 'refuted', why: '' };
}

/** Whether two resolutions are equal in every field. */
export function isSameResolution(a: Resolution, b: Resolution): boolean {
  return a.how === b.how && a.why === b.why && a.at === b.at && a.iteration === b.iteration;
}

/** A finding with the answer to it; `null` if there is none. */
export type KnownFinding = Finding & { readonly resolution: Resolution | null };

/** A reviewer's explicit answer about an earlier finding. */
export type Disposition = {
  readonly id: string;
  readonly state: 'fixed' | 'open' | 'withdrawn';
  readonly why: string;
};

/** The number of a reviewer within a review, counted from 1; any agent may fill it. */
export type SlotNumber = number;

/** Stands for the agent's name in records if no agent was available. */
export const NO_AGENT = 'none';

/** The part of a slot record that `planSlots` uses. It does not name the agent, because planning must not depend on it. */
export type SlotRun = {
  readonly slot: SlotNumber;
  readonly iteration: number;
  readonly status: 'pass' | 'fail' | 'error' | 'skipped_prior_pass';
  /** Number of findings in the record. */
  readonly violations: number;
  /** For a skipped slot: the iteration in which it passed. */
  readonly passIteration: number | null;
};

/** Whether a slot runs in this iteration, and why. */
export type SlotPlan =
  | { readonly kind: 'run'; readonly slot: SlotNumber; readonly why: RunReason }
  | { readonly kind: 'skip'; readonly slot: SlotNumber; readonly passIteration: number };

/** Why a slot runs. `planSlots` gives the first four reasons; the user or the settings give the others. */
export type RunReason =
  | 'first-run'
  | 'only-reviewer'
  | 'not-passed'
  | 'safety-latch'
  /** `after_pass: all`: the gate passed earlier content, so all its slots review the new change. */
  | 'after-pass'
  /** `certify`: the slot was skipped, and has to review before the run passes. */
  | 'certify'
  /** `--force` */
  | 'forced'
  /** `--fresh` */
  | 'asked-for';

/** A hash over a gate's entries. Equal hashes mean the same change to review. */
export type GateContent = Brand<'GateContent'>;

type GateBase = {
  readonly id: GateId;
  readonly entry: string;
  readonly name: string;
  readonly timeoutSeconds: number | null;
  readonly entries: readonly Entry[];
};

/** A shell command from the user's settings. */
export type CheckGate = GateBase & { readonly kind: 'check'; readonly command: string };

/** A prompt that reviewers answer about the entries: a review in `onceover.yml`, or the task of a rule. */
export type ReviewGate = GateBase & {
  readonly kind: 'review' | 'rule';
  readonly numReviews: number;
  readonly agents: readonly string[] | null;
  readonly rubric: Rubric;
  readonly content: GateContent;
  /** The rule's task; `null` for a review. */
  readonly task: RuleTask | null;
};

export type Gate = CheckGate | ReviewGate;

/** A reviewer's instructions. A change of the digest means that a pass under the old text no longer counts. */
export type Rubric = { readonly source: string; readonly text: string; readonly digest: string };

/** Verdicts, in the folder that all worktrees of the clone share. They are the only proof that a content passed. */
export interface ReceiptStore {
  find<K extends keyof Receipts>(kind: K, key: ReceiptKeys[K]): Promise<Receipts[K] | null>;
  write<K extends keyof Receipts>(kind: K, receipt: Receipts[K]): Promise<Result<void>>;
}

export type Receipts = { readonly review: Receipt; readonly check: CheckReceipt; readonly held: HeldReceipt };

/** A receipt counts only if all fields of its key are equal. */
export type ReceiptKeys = {
  readonly review: Pick<Receipt, 'gate' | 'slot' | 'content' | 'scope' | 'promptDigest'>;
  readonly check: Pick<CheckReceipt, 'gate' | 'command' | 'tree'>;
  /** A gate's cycle: the gate and its branch, or the merge-base if HEAD is detached. */
  readonly held: BranchContext & { readonly gate: GateId };
};

/** Findings of all iterations, cycles and worktrees. */
export interface FindingStore {
  all(): Promise<Result<readonly KnownFinding[]>>;
  /** Stores the finding under the next free id. */
  add(finding: Omit<Finding, 'id'>): Promise<Result<Finding>>;
  update(finding: Finding): Promise<Result<void>>;
  resolve(id: string, resolution: Resolution): Promise<Result<void>>;
  /** Records that a reviewer rejected the claim. A newer resolution stays as it is. */
  refute(id: string, claim: Resolution): Promise<Result<void>>;
}

/** The verdict of a reviewer that onceover ran, for one content. */
export type Receipt = {
  readonly gate: GateId;
  readonly slot: number;
  readonly content: GateContent;
  readonly scope: string;
  readonly promptDigest: string;
  readonly verdict: 'pass' | 'fail';
  /** Ids of the findings that a failing reviewer left open. */
  readonly findings: readonly string[];
  readonly agent: string;
  readonly iteration: number;
  readonly at: string;
};

/** The last result of a check. A pass counts only for the same whole tree and the same command. */
export type CheckReceipt = {
  readonly gate: GateId;
  readonly command: string;
  readonly tree: string;
  readonly verdict: 'pass' | 'fail';
  readonly at: string;
};

/** Records that a gate passed in a cycle: the retry limit ignores failures before it. */
export type HeldReceipt = ReceiptKeys['held'] & { readonly content: GateContent; readonly at: string };
