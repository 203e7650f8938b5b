import type { Usage } from '@onceover/base/kernel/agent';
import type { CommitId, GateId, RepoPath } from '@onceover/base/kernel/ids';

/** The sources of test cases. Cases of the sources `clean` and `trap` have no bug; they measure false alarms. */
export const CASE_SOURCES = ['own', 'history', 'mutant', 'scenario', 'trap', 'clean', 'set'] as const;

export type CaseSource = (typeof CASE_SOURCES)[number];

/** The kinds of bugs that a test case can contain. `fix` means that a real fix was undone, so the kind is not known. */
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

/** The lines of a file that contain a planted bug, counted from 1 in the text that the reviewer sees. */
export type BugPlace = { readonly file: RepoPath; readonly from: number; readonly to: number };

/** A planted bug. A reviewer finds the bug if it reports a finding at one of these places. */
export type PlantedBug = { readonly class: BugClass; readonly places: readonly BugPlace[] };

/** The new text of a file; `null` deletes the file. */
export type ProofFile = { readonly path: RepoPath; readonly text: string | null };

/**
 * One state of the branch under review, described by what changes since the previous state. A test case has one or more
 * such rounds.
 */
export type ProofRound = {
  readonly message: string;
  readonly files: readonly ProofFile[];
  /** A patch to apply after the files were written; an empty text for none. */
  readonly patch: string;
  /** Files to change on the base branch first. The branch under review is then rebased onto them. */
  readonly onBase: readonly ProofFile[];
};

/** A test case for reviewers: a branch to review, and the bug in it, if any. */
export type ProofCase = {
  readonly id: string;
  readonly source: CaseSource;
  readonly title: string;
  /** The commit whose files are the base of the branch; `null` for an empty base. */
  readonly base: CommitId | null;
  /** Files that replace those of the base commit. */
  readonly baseFiles: readonly ProofFile[];
  readonly rounds: readonly ProofRound[];
  /** The bug that the code contains after the last round; `null` for a case without a bug. */
  readonly planted: PlantedBug | null;
  /**
   * The changed files without the planted edit; `null` if nothing was edited. An edited test case is used only if the
   * project's own checks pass both with and without the edit.
   */
  readonly unedited: readonly ProofFile[] | null;
};

export const SESSION_MODES = ['new', 'resumed', 'skipped'] as const;

/**
 * How reviewers run after the first round of a test case: all in new sessions, all in resumed sessions, or as in a
 * normal run, which skips reviewers that passed.
 */
export type SessionMode = (typeof SESSION_MODES)[number];

export const READING_MODES = ['off', 'reviews', 'all'] as const;

/** A value of the setting `share_reading`: which reviewers share one session that reads the files. */
export type ReadingMode = (typeof READING_MODES)[number];

/**
 * One configuration with which test cases are reviewed, to compare it with others. `reviewers` and `reading` are `null`
 * to use the settings.
 */
export type ProofVariant = {
  readonly reviewers: number | null;
  readonly sessions: SessionMode;
  readonly reading: ReadingMode | null;
};

/** One planned review of a test case, with a given configuration. */
export type ProofTask = { readonly case: ProofCase; readonly variant: ProofVariant; readonly repeat: number };

/** The result of one reviewer for a test case. */
export type ReviewerResult = {
  readonly slot: number;
  readonly agent: string;
  readonly model: string | null;
  readonly verdict: 'pass' | 'fail';
  readonly found: boolean;
};

/**
 * The result of a gate for a test case: its verdict in the last round, and whether a finding was at the place of the
 * bug.
 */
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

/** A share of the test cases, with its 95 % Wilson confidence interval. Without cases, the interval is 0 to 1. */
export type CountedShare = { readonly count: number; readonly of: number; readonly low: number; readonly high: number };

/**
 * The scores of a gate, of a reviewer or of a configuration. Each score is a share of a stated number of test cases.
 */
export type Scores = {
  readonly found: CountedShare;
  readonly byClass: readonly { readonly class: BugClass; readonly found: CountedShare }[];
  readonly falseAlarms: CountedShare;
  /** How often the gate passed although the code contained the bug. */
  readonly falsePasses: CountedShare;
  /** How often two reviews of the same input had different verdicts. */
  readonly flips: CountedShare;
};

/** The scores of a reviewer, identified by its number, agent and model. All three may differ between test cases. */
export type ReviewerScores = Pick<ReviewerResult, 'slot' | 'agent' | 'model'> & { readonly scores: Scores };

/**
 * The scores of one configuration. `usage` is the cost of the first review of each test case, including reused answers.
 */
export type VariantScores = { readonly variant: ProofVariant; readonly scores: Scores; readonly usage: Usage | null };

/**
 * The comparison of two configurations on the test cases that both reviewed. `p` is the p-value of a two-sided sign
 * test, corrected for the number of comparisons.
 */
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
  /** A digest of the agents and models that are configured for the gate. */
  readonly agentsDigest: string;
  readonly agents: readonly { readonly agent: string; readonly model: string | null }[];
  readonly at: string;
  /** The scores with the first configuration only, so that each test case counts once. */
  readonly scores: Scores;
  readonly reviewers: readonly ReviewerScores[];
  readonly variants: readonly VariantScores[];
  readonly comparisons: readonly VariantComparison[];
  /** The cost of all reviews, with all configurations and repetitions. */
  readonly usage: Usage | null;
  readonly calls: number;
};
