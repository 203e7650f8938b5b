import type { Usage } from '../kernel/agent.ts';
import type { CommitId, GateId, RepoPath } from '../kernel/ids.ts';

/** The sources of cases. `clean` and `trap` cases have no bug; they measure false alarms. */
export const CASE_SOURCES = ['own', 'history', 'mutant', 'scenario', 'trap', 'clean', 'set'] as const;

export type CaseSource = (typeof CASE_SOURCES)[number];

/** The kinds of bugs that a case can contain. `fix` is the reverse of a real fix, whose kind is not known. */
export const BUG_CLASSES = [
  'boundary',
  'guard',
  'await',
  'swallowed-error',
  'argument-order',
  'off-by-one',
  'validation',
  'resource',
  'unit',
  'fix',
  'other',
] as const;

export type BugClass = (typeof BUG_CLASSES)[number];

/** The lines of a file at which a planted bug is, counted from 1 in the text that the reviewer gets. */
export type BugPlace = { readonly file: RepoPath; readonly from: number; readonly to: number };

/** A planted bug. A finding at one of its places counts as found. */
export type PlantedBug = { readonly class: BugClass; readonly places: readonly BugPlace[] };

/** The new text of a file; `null` removes the file. */
export type ProofFile = { readonly path: RepoPath; readonly text: string | null };

/** One state of the branch, made from the state before it. */
export type ProofRound = {
  readonly message: string;
  readonly files: readonly ProofFile[];
  /** A patch to apply after the files were written; '' for none. */
  readonly patch: string;
  /** Files that first change on the base branch, onto which the branch is then rebased. */
  readonly onBase: readonly ProofFile[];
};

/** A branch to review, and the bug in it. */
export type ProofCase = {
  readonly id: string;
  readonly source: CaseSource;
  readonly title: string;
  /** The commit whose files are the base; `null` for an empty base. */
  readonly base: CommitId | null;
  /** Files that replace those of the base commit. */
  readonly baseFiles: readonly ProofFile[];
  readonly rounds: readonly ProofRound[];
  /** The bug that is in the code after the last round; `null` for a case without a bug. */
  readonly planted: PlantedBug | null;
  /**
   * The files of the change without the edit; `null` for a case that is real code. An edited case counts only if the
   * project's own checks pass with these files and also with the edit.
   */
  readonly unedited: readonly ProofFile[] | null;
};

export const SESSION_MODES = ['new', 'resumed', 'skipped'] as const;

/**
 * How reviewers run after the first round: all in a new session, all in a resumed session, or as in a normal run, which
 * skips reviewers that passed.
 */
export type SessionMode = (typeof SESSION_MODES)[number];

export const READING_MODES = ['off', 'reviews', 'all'] as const;

/** A value of the setting `share_reading`: which reviewers share what one session reads. */
export type ReadingMode = (typeof READING_MODES)[number];

/** One way to review a case. `reviewers` and `reading` are `null` for what the settings name. */
export type ProofVariant = {
  readonly reviewers: number | null;
  readonly sessions: SessionMode;
  readonly reading: ReadingMode | null;
};

/** One planned execution of a case. */
export type ProofTask = { readonly case: ProofCase; readonly variant: ProofVariant; readonly repeat: number };

/** The result of one reviewer in a case. */
export type ReviewerResult = {
  readonly slot: number;
  readonly agent: string;
  readonly model: string | null;
  readonly verdict: 'pass' | 'fail';
  readonly found: boolean;
};

/** The result of a gate in a case: its verdict in the last round, and whether a finding is at the place of the bug. */
export type CaseResult = {
  readonly case: string;
  readonly title: string;
  readonly source: CaseSource;
  readonly class: BugClass | null;
  readonly gate: GateId;
  readonly variant: ProofVariant;
  readonly repeat: number;
  readonly verdict: 'pass' | 'fail';
  readonly found: boolean;
  readonly reviewers: readonly ReviewerResult[];
  readonly calls: number;
  readonly usage: Usage | null;
};

/** A share of cases with its 95 % Wilson interval; without cases, the interval is everything from 0 to 1. */
export type CountedShare = { readonly count: number; readonly of: number; readonly low: number; readonly high: number };

/** The scores of a gate, of a reviewer or of a variant. Every share says of how many cases it is. */
export type Scores = {
  readonly found: CountedShare;
  readonly byClass: readonly { readonly class: BugClass; readonly found: CountedShare }[];
  readonly falseAlarms: CountedShare;
  /** How often the gate passed although the bug was in the code. */
  readonly falsePasses: CountedShare;
  /** How often two reviews of identical input had different verdicts. */
  readonly flips: CountedShare;
};

/** A reviewer by number, agent and model. Any of them may differ between cases. */
export type ReviewerScores = Pick<ReviewerResult, 'slot' | 'agent' | 'model'> & { readonly scores: Scores };

/** `usage` is the cost of the first review of each case, kept answers included. */
export type VariantScores = { readonly variant: ProofVariant; readonly scores: Scores; readonly usage: Usage | null };

/** Whether two variants differ on the cases that both played. `p` is the two-sided exact sign test. */
export type VariantComparison = {
  readonly a: ProofVariant;
  readonly b: ProofVariant;
  readonly cases: number;
  readonly onlyA: number;
  readonly onlyB: number;
  readonly p: number;
};

export type GateProof = {
  readonly gate: GateId;
  readonly promptDigest: string;
  /** Digest of the configured agents and models of the gate. */
  readonly agentsDigest: string;
  readonly agents: readonly { readonly agent: string; readonly model: string | null }[];
  readonly at: string;
  /** The scores of the first variant, because a case counts one time. */
  readonly scores: Scores;
  readonly reviewers: readonly ReviewerScores[];
  readonly variants: readonly VariantScores[];
  readonly comparisons: readonly VariantComparison[];
  /** The cost of all reviews, of every variant and repetition. */
  readonly usage: Usage | null;
  readonly calls: number;
};
