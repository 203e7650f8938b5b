import type { AgentFailure, AskMode } from './agent.ts';
import type { CommitId, RepoPath, SnapshotId } from './brand.ts';
import type { DispatchFacts, Session } from './dispatch.ts';
import type {
  DomainOutcome,
  FixNote,
  FixTurn,
  IterationEntry,
  Look,
  LookError,
  LoopAnswer,
  LoopDispatchReason,
  LoopTemplate,
  PhaseEnd,
  PhaseMark,
  PhaseRole,
  PhaseSetup,
  PhaseStage,
  Preparation,
  ReviewerRole,
  RoleIssue,
  Seen,
  Spent,
  StopReason,
} from './phase.ts';
import type { Usage } from './usage.ts';

/**
 * Where a phase stands. All of it is plain data. An autonomous loop keeps it in memory; `--step` writes what `restPoint` leaves
 * of it: everything but questions under way, and sessions only with `keepSessions`.
 */
export type PhaseState = {
  readonly setup: PhaseSetup;
  readonly stage: PhaseStage;
  readonly position: PhasePosition;
  /** Reviews that count against the cap, the present one included. */
  readonly counted: Readonly<Record<PhaseStage, number>>;
  /** Rounds begun, final validations among them. */
  readonly round: number;
  /** The present round confirms what has passed: it is not counted. */
  readonly isFinalValidation: boolean;
  readonly roles: Readonly<Partial<Record<ReviewerRole, RoleState>>>;
  readonly resume: ResumeState;
  readonly fixes: readonly FixNote[];
  /** Fixes in a row that changed nothing. */
  readonly unchangedFixes: number;
  /** What the last round looked at. */
  readonly reviewed: Seen | null;
  readonly fixedSince: boolean;
  /** Rounds in a row whose subject changed while it was looked at. */
  readonly disturbances: number;
  readonly commitFailed: boolean;
  readonly domainOutcome: DomainOutcome | null;
};

/** What a reviewer said last. */
export type RoleState = {
  readonly status: 'passed' | 'failed';
  readonly iteration: number;
  readonly round: number;
  readonly seen: Seen;
  readonly answer: LoopAnswer;
};

/**
 * The `resume_state` of the requirement, by role. `session.id` is its agent_id, `session.firstPromptLength` its
 * iteration1_prompt_length, `session.saw` its last_commit_sha: the state that the role saw last, as a snapshot.
 */
type ResumeState = Readonly<Partial<Record<ReviewerRole | 'implementer', ResumeEntry>>>;
export type ResumeEntry = { readonly session: Session; readonly lastIteration: number };

export type PhasePosition =
  | { readonly at: 'preparing'; readonly next: number; readonly flight: Flight | null }
  /** A snapshot is awaited, for the next round. */
  | { readonly at: 'starting' }
  | {
      readonly at: 'reviewing';
      readonly seen: Seen;
      readonly flights: Readonly<Partial<Record<ReviewerRole, Flight>>>;
      readonly looks: readonly Look[];
      readonly errors: readonly LookError[];
      readonly marks: readonly PhaseMark[];
    }
  /** Everybody passed; a snapshot is awaited that tells whether it is still the same. */
  | { readonly at: 'confirming' }
  | {
      readonly at: 'fixing';
      readonly issues: readonly RoleIssue[];
      readonly flight: Flight | null;
      readonly marks: readonly PhaseMark[];
    }
  /** Whoever called is to mend. */
  | { readonly at: 'waiting'; readonly issues: readonly RoleIssue[] }
  | {
      readonly at: 'committing';
      readonly paths: readonly RepoPath[];
      readonly message: string;
      readonly before: 'round' | 'preparation';
      readonly next: number;
    }
  | { readonly at: 'ended'; readonly end: PhaseEnd };

/** One question under way: first it is measured what a resumed prompt would be, then it is put. */
export type Flight =
  | { readonly kind: 'measuring'; readonly ask: Ask }
  | {
      readonly kind: 'asked';
      readonly ask: Ask;
      readonly asked: 'fresh' | 'resumed';
      readonly others: readonly string[];
      readonly repaired: boolean;
      readonly failedOver: boolean;
      /** Characters of the prompt that opened the session, which a repair question is not. */
      readonly openingChars: number | null;
      readonly spent: Spent;
    };

/** A question, complete but for its words. */
export type Ask = {
  readonly role: PhaseRole;
  /** Which of its two halves, for the test-deepener. */
  readonly part: 'A' | 'B' | null;
  readonly agent: string;
  readonly mode: AskMode;
  /** Null: a preparation, which has a prompt of its own. */
  readonly template: LoopTemplate | null;
  readonly why: LoopDispatchReason;
  readonly session: Session | null;
  readonly iteration: number;
  readonly most: number;
  readonly isFinalValidation: boolean;
  /** Between which snapshots the change lies that is told; null: none is. */
  readonly delta: { readonly from: SnapshotId; readonly to: SnapshotId } | null;
  /** When the role looked last. */
  readonly lastIteration: number | null;
  /** A reviewer: what it reported last. The implementer: what is to be fixed. */
  readonly issues: readonly RoleIssue[];
  /** What was fixed since the role looked last. */
  readonly fixes: readonly FixNote[];
  /** For the phase-reviewer. */
  readonly domainOutcome: DomainOutcome | null;
  /** Why it is asked once more; a fallback says so in its prompt. */
  readonly because: AgentFailure | null;
};

export type PhaseEvent =
  | {
      readonly kind: 'snapshot-taken';
      readonly seen: Seen;
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
    } & (Replied | ByCaller))
  | {
      readonly kind: 'dispatch-failed';
      readonly role: PhaseRole;
      readonly failure: AgentFailure;
      readonly promptChars: number;
      readonly usage: Usage | null;
    }
  | { readonly kind: 'committed'; readonly commit: CommitId }
  | { readonly kind: 'nothing-to-commit' }
  | { readonly kind: 'commit-failed' }
  | {
      readonly kind: 'stop';
      readonly why: StopReason;
      /** What those used who were being asked; not given: nobody was. */
      readonly used?: readonly Used[];
    };

/** What a question that was stopped has used. */
export type Used = { readonly role: PhaseRole; readonly promptChars: number; readonly usage: Usage | null };

/** What is known of a role that could be resumed. */
export type Measured = Pick<DispatchFacts, 'now' | 'canResume' | 'lost' | 'cost' | 'deltaLength' | 'mustReadLength'>;

/** What came with an answer. */
export type Replied = {
  readonly by: 'agent';
  /** Null: it told no session. Resumed, that keeps the one it has. */
  readonly session: Pick<Session, 'id' | 'agent' | 'model' | 'version' | 'toolsDigest'> | null;
  readonly promptChars: number;
  readonly freshChars: number;
  readonly usage: Usage | null;
  /** Whether it was seen to read what it must; null: there was nothing to read. */
  readonly readsConfirmed: boolean | null;
};

type ByCaller = { readonly by: 'caller' };

/**
 * What is to be done, in this order; questions of one step may be put at once. Whoever keeps the state on disk does the records
 * first, then writes the state, then does the rest: a round that was recorded and not kept is played again under its number.
 */
export type PhaseAction =
  | { readonly kind: 'take-snapshot'; readonly purpose: 'round' | 'confirm' }
  /** Find out what the resumed prompt would be, and whether it can be sent. */
  | { readonly kind: 'measure'; readonly ask: Ask }
  | { readonly kind: 'dispatch'; readonly ask: Ask }
  | { readonly kind: 'fix'; readonly ask: Ask }
  | { readonly kind: 'prepare'; readonly ask: Ask; readonly preparation: Preparation }
  | { readonly kind: 'wait-for-fix'; readonly issues: readonly RoleIssue[] }
  | { readonly kind: 'commit'; readonly paths: readonly RepoPath[]; readonly message: string }
  | { readonly kind: 'record'; readonly entry: IterationEntry }
  /** Completes the entry of that round with what was done about it. */
  | {
      readonly kind: 'record-fix';
      readonly round: number;
      /** Null: the fixer failed. */
      readonly summary: string | null;
      readonly marks: readonly PhaseMark[];
      /** Null: no fixer was asked, or it was stopped. */
      readonly turn: FixTurn | null;
    }
  | { readonly kind: 'end'; readonly end: PhaseEnd };

export type PhaseStep = { readonly state: PhaseState; readonly actions: readonly PhaseAction[] };
