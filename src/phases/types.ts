import type { AgentFailure, Assigned, Usage } from '../kernel/agent.ts';
import type { RepoPath, SnapshotId } from '../kernel/ids.ts';
import type {
  LoopDispatchReason,
  LoopTemplate,
  PhaseName,
  PhaseRole,
  PhaseStage,
  Preparation,
  ReviewerRole,
  SEVERITIES,
  Spent,
} from '../kernel/review-loops.ts';

export type LoopIssue = {
  readonly severity: (typeof SEVERITIES)[number];
  readonly description: string;
  readonly level?: string | undefined;
  readonly category?: string | undefined;
  readonly location?: string | undefined;
  readonly suggestion?: string | undefined;
};

export type RoleIssue = { readonly role: ReviewerRole; readonly issue: LoopIssue };

export type LoopAnswer = {
  readonly approved: boolean;
  readonly issues: readonly LoopIssue[];
  readonly summary: string;
  /** Whether each level passed; only from a reviewer that judges levels. */
  readonly levels?: Readonly<Record<string, boolean>> | undefined;
};

/** The options of a phase. They do not change while it runs. */
export type PhaseSetup = {
  readonly phase: PhaseName;
  readonly assigned: Readonly<Partial<Record<PhaseRole, Assigned>>>;
  /** The cap on counted reviews per loop; at most five. */
  readonly mostIterations: number;
  /** fixer: an agent fixes issues. caller: the caller fixes them between steps. Else: one review. */
  readonly fixing: 'fixer' | 'caller' | 'nobody';
  /** Whether sessions outlive the process (`--keep-sessions`). Within one process they are always kept. */
  readonly keepSessions: boolean;
  readonly commits: boolean;
  readonly acceptWithNotes: boolean;
  readonly recheckDomain: boolean;
  readonly finalValidation: 'all' | 'changed';
  readonly preparations: readonly Preparation[];
  readonly edits: EditRules;
};

export type EditRules = {
  /** The artifact and its upstream documents; null in `implement`, where any file may change. */
  readonly documents: readonly RepoPath[] | null;
  /** Protected files and folders that a fixer must not edit: settings, roles, rules, prompts, the phase's own records. */
  readonly kept: readonly RepoPath[];
  /** In `implement`: the only files and folders that are reviewed and committed; null means all. */
  readonly only: readonly RepoPath[] | null;
};

export type SeenContent = {
  readonly snapshot: SnapshotId;
  /** Digest of the artifact and its upstream documents, or of the code under review. Other files do not count. */
  readonly content: string;
};

/** A marker line in the history entry of an iteration. */
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

/** The state that a resume needed and could not get; commit: git could not commit the fixes. */
export type LostState = 'session' | 'snapshot' | 'diff' | 'commit';

/** The reasons why a phase stops before its end. */
export type StopReason = 'interrupted' | 'budget' | 'trouble';

/** A call to an agent with its retries, and what they used. */
export type LoopCall = {
  readonly agent: string;
  readonly template: LoopTemplate;
  readonly why: LoopDispatchReason;
  readonly spent: Spent;
};

export type RoleReview = LoopCall & {
  readonly role: ReviewerRole;
  readonly answer: LoopAnswer;
  /** The verdict that counts: an approval with blockers or warnings is not a pass. */
  readonly enginePass: boolean;
};

export type RoleReviewError = LoopCall & {
  readonly role: ReviewerRole;
  readonly failure: AgentFailure | { readonly kind: 'stopped'; readonly by: StopReason };
};

/** One round of a loop. It is recorded when the verdicts are in, before anything is fixed. */
export type IterationEntry = {
  readonly phase: PhaseName;
  readonly stage: PhaseStage;
  /** The counted iteration; final validation repeats the last one. */
  readonly iteration: number;
  readonly most: number;
  readonly isFinalValidation: boolean;
  /** The number of the round within the phase. */
  readonly round: number;
  readonly seen: SeenContent;
  readonly looks: readonly RoleReview[];
  /** Reviewers that were skipped, and the iteration in which each passed. */
  readonly skipped: readonly { readonly role: ReviewerRole; readonly passedAt: number }[];
  readonly errors: readonly RoleReviewError[];
  readonly marks: readonly PhaseMark[];
};

export type PhaseRound = {
  readonly entry: IterationEntry;
  readonly at: string;
  /** Null if the round has not been fixed. */
  readonly fix: PhaseFix | null;
};

export type PhaseFix = {
  /** Null if the fixer failed. */
  readonly summary: string | null;
  readonly marks: readonly PhaseMark[];
  /** Null if the caller fixed the issues, or the fixer was stopped before its first call. */
  readonly turn: LoopCall | null;
};

/** A preparation that ran before the reviews of `implement`. */
type PhasePreparation = {
  readonly role: Preparation['role'];
  readonly part: Preparation['part'];
  readonly agent: string;
  readonly summary: string;
  readonly usage: Usage | null;
};

/** One run of a phase, from its first round to its end. With `--step` it spans several calls. */
export type PhaseRun = {
  readonly id: string;
  readonly phase: PhaseName;
  /** The feature's folder, relative to the repository root. */
  readonly feature: RepoPath;
  readonly startedAt: string;
  readonly preparations: readonly PhasePreparation[];
  readonly rounds: readonly PhaseRound[];
};

export type FixNote = { readonly round: number; readonly iteration: number; readonly summary: string };

/** The outcome of the domain loop, for the phase-reviewer's prompt. */
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
  /** The cap was reached, and the caller accepted the open issues. */
  'accepted-with-notes': 'approved',
  cap: 'cap',
  stalled: 'stalled',
  /** Issues are open, and no fixer was configured. */
  'not-fixed': 'needs_work',
  'reviewer-failed': 'error',
  'fixer-failed': 'needs_work',
  'preparation-failed': 'error',
  'forbidden-edit': 'error',
  'artifact-missing': 'error',
  'artifact-empty': 'error',
  'artifact-unreadable': 'error',
  /** The content kept changing during the reviews. */
  disturbed: 'error',
  interrupted: 'error',
  budget: 'error',
  trouble: 'error',
} as const satisfies Readonly<Record<string, PhaseStatus>>;

export type PhaseEndReason = keyof typeof END_STATUSES;

export type PhaseEnd = {
  readonly status: PhaseStatus;
  readonly why: PhaseEndReason;
  /** Blockers and warnings that are still open. */
  readonly open: readonly RoleIssue[];
  readonly paths: readonly RepoPath[];
  readonly failure: AgentFailure | null;
};
