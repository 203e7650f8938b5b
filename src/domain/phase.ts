import type { AgentFailure, Assigned } from './agent.ts';
import type { RepoPath, SnapshotId } from './brand.ts';
import type { DispatchPlan } from './dispatch.ts';
import type { Usage } from './usage.ts';

/** Phases that write a document. */
export const DOCUMENT_PHASES = ['specify', 'design', 'create-plan', 'create-tasks'] as const;
export type DocumentPhase = (typeof DOCUMENT_PHASES)[number];
export const PHASES = [...DOCUMENT_PHASES, 'implement'] as const;
export type PhaseName = (typeof PHASES)[number];

/** The loops of a phase: a document has two, one after the other; code has one. */
export type PhaseStage = 'domain' | 'phase' | 'implement';

export type ReviewerRole =
  | 'spec-reviewer'
  | 'design-reviewer'
  | 'plan-reviewer'
  | 'task-reviewer'
  | 'phase-reviewer'
  | 'implementation-reviewer'
  | 'code-quality-reviewer'
  | 'security-reviewer';

/** What may go before the reviews of code: each a fresh dispatch that is never resumed. */
export type Preparation =
  | { readonly role: 'code-simplifier'; readonly part: null }
  | { readonly role: 'test-deepener'; readonly part: 'A' | 'B' };

export type PhaseRole = ReviewerRole | 'implementer' | Preparation['role'];

/** The prompts of a loop, by the names that the requirement gives them. */
export type LoopTemplate = 'I1-R4' | 'I2' | 'I2-FV' | 'I3' | 'I7-fresh' | 'I7-resumed';

/** How grave an issue is; the last one never keeps anything from passing. */
export const SEVERITIES = ['blocker', 'warning', 'suggestion'] as const;

/** A problem that a reviewer of a loop reports. */
export type LoopIssue = {
  readonly severity: (typeof SEVERITIES)[number];
  readonly description: string;
  readonly level?: string | undefined;
  readonly category?: string | undefined;
  readonly location?: string | undefined;
  readonly suggestion?: string | undefined;
};

export type RoleIssue = { readonly role: ReviewerRole; readonly issue: LoopIssue };

/** What a reviewer of a loop answered. */
export type LoopAnswer = {
  readonly approved: boolean;
  readonly issues: readonly LoopIssue[];
  readonly summary: string;
  /** Whether each level passed, for a reviewer that judges by levels. */
  readonly levels?: Readonly<Record<string, boolean>> | undefined;
};

/** What is settled before a phase begins and stays so. */
export type PhaseSetup = {
  readonly phase: PhaseName;
  readonly assigned: Readonly<Partial<Record<PhaseRole, Assigned>>>;
  /** Counted reviews of a loop; at most five. */
  readonly mostIterations: number;
  /** fixer: an agent mends. caller: whoever called mends between steps. nobody: one review, and its word. */
  readonly fixing: 'fixer' | 'caller' | 'nobody';
  /** Whether sessions outlive the process (`--keep-sessions`); within one they always last. */
  readonly keepSessions: boolean;
  /** Never resume. */
  readonly fresh: boolean;
  readonly commits: boolean;
  readonly acceptWithNotes: boolean;
  readonly recheckDomain: boolean;
  readonly finalValidation: 'all' | 'changed';
  readonly preparations: readonly Preparation[];
  /** What a fixer may write to. */
  readonly edits: EditRules;
};

export type EditRules = {
  /** The artifact with the documents it rests on; null: code, where any file may change. */
  readonly documents: readonly RepoPath[] | null;
  /** Files and folders that nobody may touch who is judged by them: settings, roles, rules, prompts, the phase's own records. */
  readonly kept: readonly RepoPath[];
  /** Of code: files and folders that alone are under review, and are committed; null: all. */
  readonly only: readonly RepoPath[] | null;
};

/** What was there when somebody looked. */
export type Seen = {
  readonly snapshot: SnapshotId;
  /** Digest of the artifact and what it rests on (code: of the files under review): other files do not count. */
  readonly content: string;
};

/** What is remembered inside the entry of an iteration. */
export type PhaseMark =
  | {
      readonly kind: 'resume-fallback';
      readonly role: PhaseRole;
      readonly iteration: number;
      readonly because: AgentFailure | { readonly kind: 'lost'; readonly what: LostThing };
    }
  | {
      readonly kind: 'delta-guard';
      readonly role: PhaseRole;
      readonly iteration: number;
      readonly length: number;
      readonly limit: number;
    }
  | { readonly kind: 'lazy-load-warning'; readonly role: PhaseRole };

/** What a resume needs and was gone; commit: git could not commit what the resumed prompt would tell of. */
export type LostThing = 'session' | 'snapshot' | 'diff' | 'commit';

/** Why a dispatch was fresh or resumed; the last two are decided after a resume was tried. */
export type LoopDispatchReason = DispatchPlan['why'] | 'resume-failed' | 'other-agent';

/** What a dispatch sent and used, repairs and fallbacks among it. */
export type Spent = {
  readonly asks: number;
  readonly promptChars: number;
  /** What a fresh prompt would have had at this moment. */
  readonly freshChars: number;
  readonly usage: Usage | null;
};

/** One look of a reviewer. */
export type Look = {
  readonly role: ReviewerRole;
  readonly agent: string;
  readonly template: LoopTemplate;
  readonly why: LoopDispatchReason;
  readonly answer: LoopAnswer;
  /** What the reviewer said, and what counts: an approval with blockers or warnings is none. */
  readonly reviewerApproved: boolean;
  readonly enginePass: boolean;
  readonly spent: Spent;
};

/** A reviewer that gave no verdict; what it used all the same. */
export type LookError = {
  readonly role: ReviewerRole;
  readonly agent: string;
  readonly template: LoopTemplate;
  readonly dispatch: LoopDispatchReason;
  readonly why: AgentFailure | { readonly kind: 'stopped'; readonly by: StopReason };
  readonly spent: Spent;
};

/** One round of a loop as history tells it: written when its verdicts are in, before anything is fixed. */
export type IterationEntry = {
  readonly phase: PhaseName;
  readonly stage: PhaseStage;
  /** Counted iterations; final validation tells the last one. */
  readonly iteration: number;
  readonly most: number;
  readonly isFinalValidation: boolean;
  /** Numbers every round of the phase. */
  readonly round: number;
  readonly seen: Seen;
  readonly looks: readonly Look[];
  /** Reviewers that rest, and the iteration in which they passed. */
  readonly skipped: readonly { readonly role: ReviewerRole; readonly passedAt: number }[];
  readonly errors: readonly LookError[];
  readonly marks: readonly PhaseMark[];
};

/** A turn of the fixer. */
export type FixTurn = Pick<Look, 'agent' | 'template' | 'why' | 'spent'>;

/** What was done about the issues of a round. */
export type FixNote = { readonly round: number; readonly iteration: number; readonly summary: string };

/** What the domain reviewer's loop came to, as the phase-reviewer is told. */
export type DomainOutcome = {
  readonly result: 'approved' | 'failed';
  readonly iteration: number;
  readonly most: number;
  readonly unresolved: readonly LoopIssue[];
};

export type StopReason = 'interrupted' | 'budget' | 'trouble';

/** Why a phase ended. */
export type PhaseEndReason =
  | 'approved'
  /** The cap was reached, and whoever called chose to go on with what is open. */
  | 'accepted-with-notes'
  | 'cap'
  | 'stalled'
  /** Nobody was there to fix. */
  | 'not-fixed'
  | 'reviewer-failed'
  | 'fixer-failed'
  | 'preparation-failed'
  | 'forbidden-edit'
  | 'artifact-missing'
  | 'artifact-empty'
  | 'artifact-unreadable'
  /** What is under review changed again and again while it was looked at. */
  | 'disturbed'
  | StopReason;

export type PhaseStatus = 'approved' | 'needs_work' | 'stalled' | 'cap' | 'error';

export type PhaseEnd = {
  readonly status: PhaseStatus;
  readonly why: PhaseEndReason;
  /** Blockers and warnings that nobody has settled. */
  readonly open: readonly RoleIssue[];
  /** What a fixer changed and must not. */
  readonly paths: readonly RepoPath[];
  readonly failure: AgentFailure | null;
};
