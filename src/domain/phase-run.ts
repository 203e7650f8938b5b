import type { RepoPath } from './brand.ts';
import type { Failure } from './failure.ts';
import type {
  FixTurn,
  IterationEntry,
  LoopDispatchReason,
  PhaseEnd,
  PhaseMark,
  PhaseName,
  PhaseRole,
  RoleIssue,
} from './phase.ts';
import type { PhaseState } from './phase-step.ts';
import type { RunNotice, Saved } from './run.ts';
import type { Usage } from './usage.ts';
import type { WithheldFile } from './withheld.ts';

/** A round that was recorded, with what was done about it. */
export type PlayedRound = {
  readonly entry: IterationEntry;
  readonly at: string;
  /** Null: nobody has mended anything yet. */
  readonly fix: PlayedFix | null;
};

export type PlayedFix = {
  /** Null: the fixer failed. */
  readonly summary: string | null;
  readonly marks: readonly PhaseMark[];
  /** Null: whoever called mended it. */
  readonly turn: FixTurn | null;
};

/** Something that was done before the reviews of code. */
export type PlayedPreparation = {
  readonly role: PhaseRole;
  readonly part: 'A' | 'B' | null;
  readonly agent: string;
  readonly summary: string;
  readonly usage: Usage | null;
};

/** One playing of a phase: from its first round to its end, however many calls that takes. */
export type PhaseRun = {
  readonly id: string;
  readonly phase: PhaseName;
  /** The folder of the feature, from the root. */
  readonly feature: RepoPath;
  readonly startedAt: string;
  readonly preparations: readonly PlayedPreparation[];
  readonly rounds: readonly PlayedRound[];
};

/** Where a phase stands when a call is over. */
export type PhaseOutcome = {
  readonly run: PhaseRun;
  /** Null: it goes on when whoever called has mended what is open. */
  readonly end: PhaseEnd | null;
  /** Blockers and warnings that nobody has settled. */
  readonly open: readonly RoleIssue[];
  readonly exitCode: 0 | 1 | 3;
  readonly usage: Usage | null;
  readonly saved: Saved;
  readonly notices: readonly PhaseNotice[];
};

/** Something to know beside the result. */
export type PhaseNotice =
  /** `.meta.json` could not be read: it was put aside under this name, and a new one begun. */
  | { readonly kind: 'meta-put-aside'; readonly path: RepoPath; readonly aside: RepoPath }
  /** `.meta.json` names a PRD that is not there, or not in the repository. */
  | { readonly kind: 'prd-left-out'; readonly path: string; readonly why: 'outside' | 'missing' }
  /** A fixer changed files that are not among those under review. */
  | { readonly kind: 'unseen-edits'; readonly paths: readonly RepoPath[] }
  /** Files of the change that no reviewer is shown. */
  | { readonly kind: 'withheld'; readonly why: WithheldFile['why']; readonly paths: readonly RepoPath[] }
  | { readonly kind: 'commit-failed'; readonly message: string; readonly said: string }
  | { readonly kind: 'not-in-ledger'; readonly failure: Failure }
  | { readonly kind: 'no-price'; readonly agents: readonly string[] }
  | Extract<RunNotice, { kind: 'proof-taken-back' }>
  /** Sessions are not resumed: which of V1 to V4 failed, and how. */
  | { readonly kind: 'not-resumed'; readonly agent: string; readonly why: string };

/** What a phase would do next; nothing was asked and nothing written. */
export type PhasePlan = {
  readonly phase: PhaseName;
  readonly feature: RepoPath;
  readonly artifact: RepoPath | null;
  /** Files under review: the document, or those of the change. */
  readonly files: readonly RepoPath[];
  /** Documents that reviewers have to read. */
  readonly required: readonly RepoPath[];
  readonly fixing: { readonly by: 'fixer'; readonly agent: string } | { readonly by: 'caller' | 'nobody' };
  readonly mostIterations: number;
  /** Where a loop that was begun stands; null: it begins anew. */
  readonly goesOn: { readonly round: number; readonly waiting: readonly RoleIssue[] | null } | null;
  readonly dispatches: readonly {
    readonly role: PhaseRole;
    readonly agent: string;
    readonly model: string | null;
    readonly dispatch: 'fresh' | 'resumed';
    readonly why: LoopDispatchReason;
    readonly promptChars: number;
  }[];
  readonly notices: readonly PhaseNotice[];
};

/** A loop as it is kept on disk between calls. */
export type KeptLoop = {
  readonly run: PhaseRun;
  readonly state: PhaseState;
  readonly sessions: readonly SessionMemo[];
  /** What may stand in the history of a round that is not kept yet: noted before it is written, forgotten once it is kept. */
  readonly pending: { readonly round: number; readonly texts: readonly string[] } | null;
  /** The last entry as it stands in the history. */
  readonly lastEntry: string | null;
  /** What code was compared with at the first look: a commit or tree by its id. */
  readonly began: string;
};

/** What is known of a session beside what must be the same for it to be resumed. */
export type SessionMemo = {
  readonly role: PhaseRole;
  /** The stable part that it was opened with: the provider's cache wants it again, byte for byte. */
  readonly opening: string;
  readonly usedBefore: Usage | null;
  readonly contextTokens: number | null;
  readonly freshTokens: number | null;
  readonly lastUsedAt: string;
  readonly warmMinutes: number;
};
