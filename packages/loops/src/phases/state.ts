import type { SessionUse } from '@onceover/agents/economy/session-use';
import type { AgentFailure, Assigned, DispatchFacts, Session } from '@onceover/base/kernel/agent';
import type { RepoPath, SnapshotId } from '@onceover/base/kernel/ids';
import type {
  LoopDispatchReason,
  LoopTemplate,
  PhaseRole,
  PhaseStage,
  Preparation,
  ReviewerRole,
} from '@onceover/base/kernel/review-loops';
import type {
  DomainOutcome,
  FixNote,
  IterationEntry,
  LoopAnswer,
  LoopCall,
  PhaseEnd,
  PhaseFix,
  PhaseMark,
  PhaseRun,
  PhaseSetup,
  RoleIssue,
  RoleReview,
  RoleReviewError,
  SeenContent,
  StopReason,
} from './types.ts';

/**
 * The state of a phase, as plain data. With `--step`, it is stored for the next command, in the form that `checkpoint`
 * returns.
 */
export type PhaseState = {
  readonly setup: PhaseSetup;
  readonly stage: PhaseStage;
  readonly position: PhasePosition;
  /** For each loop, the number of reviews that count for the limit, including the current one. */
  readonly counted: Readonly<Record<PhaseStage, number>>;
  /** The number of rounds of reviews so far, including final validations (rounds that confirm earlier passes). */
  readonly round: number;
  /**
   * Whether the current round is a final validation. It repeats reviews that passed and does not count for the limit.
   */
  readonly isFinalValidation: boolean;
  readonly roles: Readonly<Partial<Record<ReviewerRole, RoleState>>>;
  readonly resume: ResumeState;
  readonly fixes: readonly FixNote[];
  /** The number of fixes in a row that changed nothing. */
  readonly unchangedFixes: number;
  /** The content that the last round reviewed. */
  readonly reviewed: SeenContent | null;
  /** Whether a fix followed the last round. */
  readonly fixedSince: boolean;
  /** How many rounds in a row had no effect because the content changed while they ran. */
  readonly disturbances: number;
  /** Whether git could not commit the last fix. In this case, the next round gives each reviewer a new session. */
  readonly commitFailed: boolean;
  readonly domainOutcome: DomainOutcome | null;
};

/** A review loop as it is stored on disk, so that the next command can continue it. */
export type KeptLoop = {
  readonly run: PhaseRun;
  readonly state: PhaseState;
  /**
   * The history entries of a round that is not saved yet. After a crash, the next command finds these texts and
   * replaces them.
   */
  readonly pending: { readonly round: number; readonly texts: readonly string[] } | null;
  /** The exact text of the last history entry. onceover searches for this text when it adds a fix to the entry. */
  readonly lastEntry: string | null;
  /** The git commit or tree that the first review of the loop compared the code with. */
  readonly began: string;
};

/** The last verdict of a reviewer, and the content that it reviewed. */
export type RoleState = {
  readonly status: 'passed' | 'failed';
  readonly iteration: number;
  readonly round: number;
  readonly seen: SeenContent;
  readonly answer: LoopAnswer;
};

/**
 * The session of each role; null if the agent reported no session id, so that nothing can be resumed. The requirements
 * call this `resume_state`, and its fields `agent_id` (here `session.id`), `iteration1_prompt_length`
 * (`session.firstPromptLength`) and `last_commit_sha` (`session.saw`, here a snapshot).
 */
type ResumeState = Readonly<
  Partial<Record<PhaseRole, { readonly session: LoopSession | null; readonly lastIteration: number }>>
>;

export type LoopSession = Session &
  SessionUse & {
    /**
     * The first part of the first prompt, which stays the same. Resumed calls repeat exactly this text, so that the
     * provider finds it in its cache.
     */
    readonly opening: string;
    /**
     * The files that the agent opened in the session; `null` if it does not report them. Missing in sessions that an
     * older version stored.
     */
    readonly opened?: readonly string[] | null;
  };

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
  /** All reviewers passed. Waiting for a snapshot to check that the content has not changed meanwhile. */
  | { readonly at: 'confirming' }
  | ({ readonly at: 'fixing'; readonly issues: readonly RoleIssue[] } & Calls)
  /** Waiting for the caller to fix the issues. */
  | { readonly at: 'waiting'; readonly issues: readonly RoleIssue[] }
  | {
      readonly at: 'committing';
      readonly paths: readonly RepoPath[];
      readonly message: string;
      /** The index of the next step that runs before the reviews; null after a fix, because reviews come next. */
      readonly next: number | null;
    }
  | { readonly at: 'ended'; readonly end: PhaseEnd };

/**
 * The calls in progress, by role, and the lines that they will add to the history to mark events such as a failed
 * resume.
 */
type Calls = {
  readonly flights: Readonly<Partial<Record<PhaseRole, Flight>>>;
  readonly marks: readonly PhaseMark[];
};

/**
 * A call in progress. `measuring`: its prompt is being built, to decide whether to resume the session. `asked`: the
 * question was sent.
 */
type Flight = { readonly kind: 'measuring' | 'asked'; readonly ask: Ask };

/** A question to an agent, without the text of its prompt. */
export type Ask = Assigned & {
  readonly role: PhaseRole;
  /** The part (A or B) of the test-deepener; null for other roles. */
  readonly part: 'A' | 'B' | null;
  /** The prompt template; null for the steps before the reviews, whose prompts do not come from a template. */
  readonly template: LoopTemplate | null;
  readonly why: LoopDispatchReason;
  /** The session to resume; null for a new session. */
  readonly session: LoopSession | null;
  readonly iteration: number;
  readonly most: number;
  readonly isFinalValidation: boolean;
  /** The two snapshots between which the prompt shows the diff; null if it shows no diff. */
  readonly delta: { readonly from: SnapshotId; readonly to: SnapshotId } | null;
  /** The iteration of the role's last review or fix; null if this is its first. */
  readonly lastIteration: number | null;
  /** For a reviewer, the issues it reported last; for the implementer, the issues to fix. */
  readonly issues: readonly RoleIssue[];
  /** The fixes since the role's last review. */
  readonly fixes: readonly FixNote[];
  /** The outcome of the first loop (`domain`), for the prompt of the phase-reviewer; null for other roles. */
  readonly domainOutcome: DomainOutcome | null;
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
      /**
       * Files that the agent hid from reviewers, and changed files, such as `.gitignore`, that decide what reviewers
       * see.
       */
      readonly hidden?: readonly RepoPath[];
    } & (Replied | { readonly by: 'caller' }))
  | ({ readonly kind: 'call-failed'; readonly failure: AgentFailure } & CallEnd)
  /** The commit is finished: git committed the edits, found nothing to commit, or failed (`failed`). */
  | { readonly kind: 'commit-ended'; readonly failed: boolean }
  | {
      readonly kind: 'stop';
      readonly why: StopReason;
      /**
       * The calls that were sent; all of them have ended. A planned call that is not in this list is recorded as never
       * sent.
       */
      readonly calls?: readonly CallEnd[];
    };

/** The facts that are recorded about a call that has ended, whatever its result. */
export type CallEnd = {
  readonly role: PhaseRole;
  readonly call: LoopCall;
  /** The failure of the resumed session that a new one had to replace; null if none was replaced. */
  readonly fellBack: AgentFailure | null;
};

/** The facts that decide whether a session is resumed. */
export type Measured = Pick<DispatchFacts, 'now' | 'canResume' | 'lost' | 'cost' | 'deltaLength' | 'mustReadLength'>;

/** A call that was answered, without the content of the answer. */
export type Replied = CallEnd & {
  readonly by: 'agent';
  /** The session that the next call can resume; null if the agent reported no id for its new session. */
  readonly session: Omit<LoopSession, 'saw'> | null;
  /** Whether the agent confirmed reading the required files; null if no files were required. */
  readonly readsConfirmed: boolean | null;
};

/**
 * An action to perform after an event. `drivePhase` records first, then saves the state, and then performs all other
 * actions.
 */
export type PhaseAction =
  | { readonly kind: 'take-snapshot' }
  /** Builds the prompt that would resume the session. Its length decides whether it is sent. */
  | { readonly kind: 'measure'; readonly ask: Ask }
  | { readonly kind: 'dispatch'; readonly ask: Ask }
  | { readonly kind: 'fix'; readonly ask: Ask }
  | { readonly kind: 'prepare'; readonly ask: Ask }
  | { readonly kind: 'wait-for-fix'; readonly issues: readonly RoleIssue[] }
  | { readonly kind: 'commit'; readonly paths: readonly RepoPath[]; readonly message: string }
  | { readonly kind: 'record'; readonly entry: IterationEntry }
  /** Adds the fix to the entry of its round in `.review-history.md`. */
  | ({ readonly kind: 'record-fix'; readonly round: number } & PhaseFix)
  | ({ readonly kind: 'record-preparation'; readonly summary: string | null; readonly call: LoopCall } & Preparation)
  | { readonly kind: 'end'; readonly end: PhaseEnd };

export type PhaseStep = { readonly state: PhaseState; readonly actions: readonly PhaseAction[] };
