import type { Answers } from '@onceover/agents/dispatch/answer-schemas';
import type { AgentFailure, Assigned, Usage } from '@onceover/base/kernel/agent';
import type { RepoPath, SnapshotId } from '@onceover/base/kernel/ids';
import type {
  LoopDispatchReason,
  LoopTemplate,
  PhaseName,
  PhaseRole,
  PhaseStage,
  Preparation,
  ReviewerRole,
  Spent,
} from '@onceover/base/kernel/review-loops';

export type LoopAnswer = Answers['loop'];

export type LoopIssue = LoopAnswer['issues'][number];

export type RoleIssue = { readonly role: ReviewerRole; readonly issue: LoopIssue };

/** The options of a phase. They do not change while it runs. */
export type PhaseSetup = {
  readonly phase: PhaseName;
  readonly assigned: Readonly<Partial<Record<PhaseRole, Assigned>>>;
  /**
   * The limit of reviews per loop, at most five. Final validations, in which reviewers confirm their passes, do not
   * count.
   */
  readonly mostIterations: number;
  readonly fixing: 'fixer' | 'caller' | 'nobody';
  /** The id of the loop. Commit messages contain it, so that the commits of two loops never have the same message. */
  readonly loop: string;
  /** Whether sessions are stored for the next command. During one command, they are always remembered. */
  readonly keepSessions: boolean;
  readonly commits: boolean;
  readonly acceptWithNotes: boolean;
  readonly recheckDomain: boolean;
  readonly finalValidation: 'all' | 'changed';
  readonly preparations: readonly Preparation[];
  readonly edits: EditRules;
};

export type EditRules = {
  /**
   * The only files that a fixing agent may edit; null in `implement`, where it may edit every file that is not in
   * `kept`.
   */
  readonly documents: readonly RepoPath[] | null;
  /**
   * Files and folders that a fixing agent must never edit: settings, roles, rules, prompts, and the records of the
   * phase.
   */
  readonly kept: readonly RepoPath[];
  /** In `implement`: the files and folders to review and commit; null for all. */
  readonly only: readonly RepoPath[] | null;
};

export type SeenContent = {
  readonly snapshot: SnapshotId;
  /** Digest of the documents that reviewers read and, in `implement`, of the changed code. */
  readonly content: string;
};

/**
 * A marker line in `.review-history.md`, such as `DELTA-GUARD: …`. Users can search for such lines (see
 * docs/phases.md).
 */
export type PhaseMark =
  | {
      readonly kind: 'resume-fallback';
      readonly role: PhaseRole;
      readonly iteration: number;
      readonly because: AgentFailure | { readonly kind: 'lost'; readonly what: LostState };
    }
  | {
      readonly kind: 'delta-guard';
      readonly role: PhaseRole;
      readonly iteration: number;
      readonly length: number;
      readonly limit: number;
    }
  | { readonly kind: 'lazy-load-warning'; readonly role: PhaseRole };

/** The reason why a session cannot be resumed: something is missing. `commit`: git could not commit the last fix. */
export type LostState = 'session' | 'snapshot' | 'diff' | 'commit';

/** The reasons why a phase stops early: the user interrupted it, the budget is used up, or git or the disk failed. */
export type StopReason = 'interrupted' | 'budget' | 'trouble';

/** A call to an agent including its retries, with their total usage. */
export type LoopCall = {
  readonly agent: string;
  readonly template: LoopTemplate;
  readonly why: LoopDispatchReason;
  readonly spent: Spent;
};

export type RoleReview = LoopCall & {
  readonly role: ReviewerRole;
  readonly answer: LoopAnswer;
  /** The verdict as onceover counts it: an approval with blockers or warnings is not a pass. */
  readonly enginePass: boolean;
};

export type RoleReviewError = LoopCall & {
  readonly role: ReviewerRole;
  readonly failure: AgentFailure | { readonly kind: 'stopped'; readonly by: StopReason };
};

/** The record of one round of a loop. It is written when all reviews have ended, before the issues are fixed. */
export type IterationEntry = {
  readonly phase: PhaseName;
  readonly stage: PhaseStage;
  /**
   * The number of the review in its loop. A final validation, which confirms earlier passes, has the number of the
   * review before it.
   */
  readonly iteration: number;
  readonly most: number;
  readonly isFinalValidation: boolean;
  readonly round: number;
  readonly seen: SeenContent;
  readonly looks: readonly RoleReview[];
  readonly skipped: readonly { readonly role: ReviewerRole; readonly passedAt: number }[];
  readonly errors: readonly RoleReviewError[];
  readonly marks: readonly PhaseMark[];
};

export type PhaseRound = {
  readonly entry: IterationEntry;
  readonly at: string;
  readonly fix: PhaseFix | null;
};

export type PhaseFix = {
  /** The summary of the fix, by the fixing agent or the caller; null if the agent failed. */
  readonly summary: string | null;
  readonly marks: readonly PhaseMark[];
  /**
   * The call to the fixing agent; null if the caller fixed the issues, or if the agent was stopped before its first
   * call.
   */
  readonly turn: LoopCall | null;
};

/** A step that ran before the reviews of `implement`: the code-simplifier, or part A or B of the test-deepener. */
type PhasePreparation = Pick<Preparation, 'role' | 'part'> & {
  readonly agent: string;
  readonly summary: string;
  readonly usage: Usage | null;
};

/** One run of a phase, from its first round to its end. With `--step`, a run takes several commands. */
export type PhaseRun = {
  readonly id: string;
  readonly phase: PhaseName;
  readonly feature: RepoPath;
  readonly startedAt: string;
  readonly preparations: readonly PhasePreparation[];
  readonly rounds: readonly PhaseRound[];
};

export type FixNote = { readonly round: number; readonly iteration: number; readonly summary: string };

/** The outcome of `domain`, the first review loop of a document. It is shown to the reviewer of the second loop. */
export type DomainOutcome = {
  readonly result: 'approved' | 'failed';
  readonly iteration: number;
  readonly most: number;
  readonly unresolved: readonly LoopIssue[];
};

export type PhaseStatus = 'approved' | 'needs_work' | 'stalled' | 'cap' | 'error';

/** The reasons why a phase ends, each with the status of the phase. */
export const END_STATUSES = {
  approved: 'approved',
  /** The limit of reviews was reached, and the caller accepted the open issues. */
  'accepted-with-notes': 'approved',
  cap: 'cap',
  stalled: 'stalled',
  /** Issues are open, but neither an agent nor the caller fixes them. */
  'not-fixed': 'needs_work',
  'reviewer-failed': 'error',
  'fixer-failed': 'needs_work',
  'preparation-failed': 'error',
  'forbidden-edit': 'error',
  'artifact-missing': 'error',
  'artifact-empty': 'error',
  'artifact-unreadable': 'error',
  /** The content changed again and again while reviewers worked. */
  disturbed: 'error',
  interrupted: 'error',
  budget: 'error',
  trouble: 'error',
} as const satisfies Readonly<Record<string, PhaseStatus>>;

export type PhaseEndReason = keyof typeof END_STATUSES;

export type PhaseEnd = {
  readonly status: PhaseStatus;
  readonly why: PhaseEndReason;
  readonly open: readonly RoleIssue[];
  readonly paths: readonly RepoPath[];
  readonly failure: AgentFailure | null;
};

/** The fields that a phase writes to the `.meta.json` of the feature. */
export type MetaUpdate = {
  readonly phase: PhaseName;
  readonly started: string;
  /** The time at which the phase was approved or accepted with open issues; null if it was neither. */
  readonly completed: string | null;
  readonly loops: readonly MetaLoop[];
  readonly reviewerNotes: readonly string[];
  readonly resuming: Resuming;
};

/** Whether the agents of a phase can resume sessions. `unknown`: the phase has no session to resume yet. */
export type Resuming =
  | { readonly kind: 'unknown' | 'works' }
  /** `why` names the first resume test (V1 to V4, see dispatch/resume-probe.ts) that an agent failed, and how. */
  | { readonly kind: 'deferred'; readonly why: string };

export type MetaLoop = {
  readonly stage: PhaseStage;
  readonly started: string;
  readonly completed: string | null;
  readonly iterations: number;
  readonly approved: boolean;
  readonly reviewerNotes: readonly string[];
};

/** The state of a review loop whose rounds run as background jobs, one job per round. */
export type StartedPhase = {
  readonly id: string;
  /** `waiting`: the caller has to fix the open issues. `died`: the job of the round ended without a result. */
  readonly state: 'running' | 'waiting' | 'ended' | 'died';
  readonly progress: readonly string[];
  /** The JSON that `onceover phase` printed for the round: a phase document or an error; `null` if it printed none. */
  readonly answer: unknown;
};
