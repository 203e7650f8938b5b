import type { AgentFailure, AskMode, DispatchFacts, Session, Usage } from '../kernel/agent.ts';
import type { RepoPath, SnapshotId } from '../kernel/ids.ts';
import type {
  LoopDispatchReason,
  LoopTemplate,
  PhaseRole,
  PhaseStage,
  Preparation,
  ReviewerRole,
  Spent,
} from '../kernel/review-loops.ts';
import type {
  DomainOutcome,
  FixNote,
  IterationEntry,
  LoopAnswer,
  LoopCall,
  PhaseEnd,
  PhaseFix,
  PhaseMark,
  PhaseSetup,
  RoleIssue,
  RoleReview,
  RoleReviewError,
  SeenContent,
  StopReason,
} from './types.ts';

/**
 * The state of a phase, as plain data. A loop with a fixer keeps it in memory. `--step` writes its `checkpoint` to disk, which
 * leaves out calls in progress and, without `keepSessions`, the sessions.
 */
export type PhaseState = {
  readonly setup: PhaseSetup;
  readonly stage: PhaseStage;
  readonly position: PhasePosition;
  /** Reviews that count against the cap, including the current one. */
  readonly counted: Readonly<Record<PhaseStage, number>>;
  /** The number of started rounds, including final validations. */
  readonly round: number;
  /** Whether the current round only confirms earlier passes. It does not count against the cap. */
  readonly isFinalValidation: boolean;
  readonly roles: Readonly<Partial<Record<ReviewerRole, RoleState>>>;
  readonly resume: ResumeState;
  readonly fixes: readonly FixNote[];
  /** Consecutive fixes that changed nothing. */
  readonly unchangedFixes: number;
  /** The content that the last round reviewed. */
  readonly reviewed: SeenContent | null;
  readonly fixedSince: boolean;
  /** Consecutive rounds during which the content changed. */
  readonly disturbances: number;
  readonly commitFailed: boolean;
  readonly domainOutcome: DomainOutcome | null;
};

/** A reviewer's last verdict. */
export type RoleState = {
  readonly status: 'passed' | 'failed';
  readonly iteration: number;
  readonly round: number;
  readonly seen: SeenContent;
  readonly answer: LoopAnswer;
};

/**
 * The requirement's `resume_state`, by role. `session.id` is `agent_id`, `session.firstPromptLength` is
 * `iteration1_prompt_length`, and `session.saw`, a snapshot, is `last_commit_sha`.
 */
type ResumeState = Readonly<
  Partial<Record<ReviewerRole | 'implementer', { readonly session: Session; readonly lastIteration: number }>>
>;

export type PhasePosition =
  | ({ readonly at: 'preparing'; readonly next: number } & Calls)
  /** Waiting for the snapshot that the next round reviews. */
  | { readonly at: 'starting' }
  | ({
      readonly at: 'reviewing';
      readonly seen: SeenContent;
      readonly looks: readonly RoleReview[];
      readonly errors: readonly RoleReviewError[];
    } & Calls)
  /** All reviewers passed. Waiting for a snapshot that shows whether the content is still the same. */
  | { readonly at: 'confirming' }
  | ({ readonly at: 'fixing'; readonly issues: readonly RoleIssue[] } & Calls)
  /** Waiting for the caller to fix the issues. */
  | { readonly at: 'waiting'; readonly issues: readonly RoleIssue[] }
  | {
      readonly at: 'committing';
      readonly paths: readonly RepoPath[];
      readonly message: string;
      /** The number of the next preparation; null if a round follows. */
      readonly next: number | null;
    }
  | { readonly at: 'ended'; readonly end: PhaseEnd };

/** The calls in progress, and the marks that they have left. */
type Calls = {
  readonly flights: Readonly<Partial<Record<PhaseRole, PendingDispatch>>>;
  readonly marks: readonly PhaseMark[];
};

/** A call in progress. */
export type PendingDispatch = {
  /** measuring: the length of the resumed prompt decides whether it is sent. asked: the agent is called. */
  readonly kind: 'measuring' | 'asked';
  readonly ask: Ask;
  readonly asked: 'fresh' | 'resumed';
  readonly others: readonly string[];
  readonly repaired: boolean;
  readonly failedOver: boolean;
  /** Length of the prompt that opened the session; a repair prompt does not open one. */
  readonly openingChars: number | null;
  readonly spent: Spent;
};

/** Everything about a question to an agent except the prompt text. */
export type Ask = {
  readonly role: PhaseRole;
  /** The part of the test-deepener; null for other roles. */
  readonly part: 'A' | 'B' | null;
  readonly agent: string;
  readonly mode: AskMode;
  /** Null for preparations, which have their own prompts. */
  readonly template: LoopTemplate | null;
  readonly why: LoopDispatchReason;
  readonly session: Session | null;
  readonly iteration: number;
  readonly most: number;
  readonly isFinalValidation: boolean;
  /** The snapshots whose difference the prompt shows; null if it shows none. */
  readonly delta: { readonly from: SnapshotId; readonly to: SnapshotId } | null;
  /** The iteration of the role's last review or fix. */
  readonly lastIteration: number | null;
  /** For a reviewer, the issues it reported last; for the implementer, the issues to fix. */
  readonly issues: readonly RoleIssue[];
  /** The fixes since the role's last review. */
  readonly fixes: readonly FixNote[];
  /** Only for the phase-reviewer. */
  readonly domainOutcome: DomainOutcome | null;
  /** The failure that caused this retry; null for a first attempt. */
  readonly because: AgentFailure | null;
};

export type PhaseEvent =
  | {
      readonly kind: 'snapshot-taken';
      readonly seen: SeenContent;
      readonly artifact: 'present' | 'missing' | 'empty' | 'unreadable';
    }
  | ({ readonly kind: 'measured'; readonly role: PhaseRole } & Measured)
  | ({
      readonly kind: 'answered';
      readonly role: ReviewerRole;
      readonly answer: LoopAnswer;
    } & Replied)
  | ({
      readonly kind: 'fixed';
      readonly summary: string;
      readonly changedPaths: readonly RepoPath[];
    } & (Replied | { readonly by: 'caller' }))
  | {
      readonly kind: 'dispatch-failed';
      readonly role: PhaseRole;
      readonly failure: AgentFailure;
      readonly promptChars: number;
      readonly usage: Usage | null;
    }
  /** git committed the edits, found nothing to commit, or failed. */
  | { readonly kind: 'commit-ended'; readonly failed: boolean }
  | {
      readonly kind: 'stop';
      readonly why: StopReason;
      /** Usage of the calls that were stopped. */
      readonly used?: readonly Used[];
    };

/** The usage of one stopped call. */
export type Used = { readonly role: PhaseRole; readonly promptChars: number; readonly usage: Usage | null };

/** The facts that decide whether a session is resumed. */
export type Measured = Pick<DispatchFacts, 'now' | 'canResume' | 'lost' | 'cost' | 'deltaLength' | 'mustReadLength'>;

/** The facts that come with an agent's answer. */
export type Replied = {
  readonly by: 'agent';
  /** Null if the agent reported no session. A resumed call then keeps its session. */
  readonly session: Pick<Session, 'id' | 'agent' | 'model' | 'version' | 'toolsDigest'> | null;
  readonly promptChars: number;
  readonly freshChars: number;
  readonly usage: Usage | null;
  /** Whether the agent confirmed reading the required files; null if there were none. */
  readonly readsConfirmed: boolean | null;
};

/**
 * Actions of a step, in order; calls of one step may run in parallel. A driver that keeps the state on disk records first, then
 * writes the state, then acts. If it crashes between record and state, the round runs again under the same number.
 */
export type PhaseAction =
  | { readonly kind: 'take-snapshot'; readonly purpose: 'round' | 'confirm' }
  /** Build the resumed prompt and find out whether it can be sent. */
  | { readonly kind: 'measure'; readonly ask: Ask }
  | { readonly kind: 'dispatch'; readonly ask: Ask }
  | { readonly kind: 'fix'; readonly ask: Ask }
  | { readonly kind: 'prepare'; readonly ask: Ask }
  | { readonly kind: 'wait-for-fix'; readonly issues: readonly RoleIssue[] }
  | { readonly kind: 'commit'; readonly paths: readonly RepoPath[]; readonly message: string }
  | { readonly kind: 'record'; readonly entry: IterationEntry }
  /** Add the fix to the history entry of its round. */
  | ({ readonly kind: 'record-fix'; readonly round: number } & PhaseFix)
  | ({ readonly kind: 'record-preparation'; readonly summary: string | null; readonly call: LoopCall } & Preparation)
  | { readonly kind: 'end'; readonly end: PhaseEnd };

export type PhaseStep = { readonly state: PhaseState; readonly actions: readonly PhaseAction[] };
