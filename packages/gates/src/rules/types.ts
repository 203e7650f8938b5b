import type { PlacedProblem, Problem } from '@onceover/base/kernel/failure';
import type { RepoPath, ReviewId } from '@onceover/base/kernel/ids';
import type { FileDigest } from '@onceover/base/kernel/repository';

/** How the files that match a rule are divided into review tasks. */
export type Strategy = 'individual' | 'matches_together' | 'all_changed_files';

/** One checked rule of a `.deepreview` file, which assigns review instructions to files. */
export type Rule = {
  readonly name: string;
  readonly description: string;
  /** The `.deepreview` file that defines the rule, and the line of the rule's name. */
  readonly source: { readonly file: RepoPath; readonly line: number };
  /** The folder to which the globs of the rule are relative; '' is the root of the repository. */
  readonly folder: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly strategy: Strategy;
  readonly instructions: string;
  /** The name of the sub-agent that should review, for each platform: for example `{ claude: 'security-expert' }`. */
  readonly personas: Readonly<Record<string, string>>;
  readonly context: { readonly allChangedFilenames: boolean; readonly unchangedMatchingFiles: boolean };
  readonly references: readonly RuleReference[];
  readonly numReviews: number;
  readonly agents: readonly string[] | null;
};

/** A file that a rule shows to its reviewer for comparison. */
export type RuleReference = { readonly path: RepoPath; readonly description: string | null };

/**
 * The parsed text of one `.deepreview` file. The files that its rules name are not read yet. It is plain data, so it
 * can be cached.
 */
export type ParsedRuleFile = { readonly rules: readonly ParsedRule[]; readonly problems: readonly PlacedProblem[] };

type Position = { readonly line: number; readonly column: number };

export type ParsedRule = Omit<Rule, 'source' | 'folder' | 'instructions' | 'context' | 'references'> &
  Rule['context'] & {
    readonly line: number;
    readonly instructions: Position & ({ readonly text: string } | { readonly file: string });
    readonly references: readonly (Position & { readonly path: string; readonly description: string | null })[];
  };

export function isParsedRuleFile(value: unknown): value is ParsedRuleFile {
  if (typeof value !== 'object' || value === null) return false;
  return 'rules' in value && Array.isArray(value.rules) && 'problems' in value && Array.isArray(value.problems);
}

/** A rule, with the files that one review under this rule covers. */
export type RuleTask = {
  readonly rule: Rule;
  /** The reviewed files, in code-point order. */
  readonly files: readonly RepoPath[];
  /** Unchanged files that match the rule too; empty unless the rule wants them as context. */
  readonly unchangedMatching: readonly RepoPath[];
};

/** One review, to do or to skip. Tasks with the same review id are parts of one review. */
export type RuleReviewTask = {
  readonly id: ReviewId;
  readonly parts: readonly [RuleTask, ...RuleTask[]];
  readonly files: readonly RepoPath[];
  readonly digests: readonly FileDigest[];
};

/** The limits of reference files for one rule: their number, and their bytes in total. */
export const MOST_REFERENCES = { files: 20, bytes: 256 * 1024 } as const;

export type ReferenceText = {
  readonly path: RepoPath;
  readonly description: string | null;
  readonly text: string | null;
  /** Why all or some of the text is missing; `null` if it is complete. */
  readonly leftOut: 'cut' | 'too-many' | 'unusable' | null;
  /** Whether the text was read from the base branch. The file in the working tree may then be different. */
  readonly isBase?: boolean;
};

/** The material that a reviewer gets in addition to the reviewed files. */
export type TaskContext = {
  readonly allChanged: readonly RepoPath[];
  readonly references: ReadonlyMap<RuleTask, readonly ReferenceText[]>;
};

/**
 * Why a review has to be done. `pass-does-not-match`: it passed before, but `cache: strict` does not accept that pass.
 */
export type WriteReason = 'not-passed' | 'pass-does-not-match';

/**
 * Whether the review with this id is marked as passed, and the receipt of that mark. The current change may not need
 * the review.
 */
export type PastPass = { readonly passed: boolean; readonly receipt: MarkReceipt | null };

/** Why the review with a given id is done or skipped, and whether it passed before. */
export type ReviewExplanation = PastPass & { readonly id: string } & (
    | { readonly kind: 'to-do'; readonly task: RuleReviewTask; readonly why: WriteReason }
    | { readonly kind: 'skipped'; readonly task: RuleReviewTask }
    /**
     * The rule and the files still exist, but the content of the files has changed, so the review has another id now.
     */
    | { readonly kind: 'changed'; readonly task: RuleReviewTask }
    /** No rule requires this review for the current change. */
    | { readonly kind: 'not-asked-for'; readonly task: null }
  );

export type Notice =
  | { readonly kind: 'problem'; readonly problem: Problem }
  | { readonly kind: 'tracked-pass' | 'marker-not-a-file'; readonly id: ReviewId }
  | { readonly kind: 'older-rule-text'; readonly id: ReviewId; readonly rule: string }
  | { readonly kind: 'link-changed'; readonly id: ReviewId; readonly path: RepoPath }
  | {
      readonly kind: 'submodule' | 'withheld' | 'no-such-file' | 'deleted-file' | 'generated-file';
      readonly path: RepoPath;
    }
  | { readonly kind: 'unnameable'; readonly name: string }
  | { readonly kind: 'tracked-log-dir'; readonly logDir: string }
  | { readonly kind: 'list-ignored'; readonly first: string }
  | UnusableReference;

export type UnusableReference = {
  readonly kind: 'reference-unusable';
  readonly rule: string;
  readonly path: RepoPath;
  readonly why: string;
};

/** The result of `onceover instructions`: the reviews to do with their instruction files, and the skipped reviews. */
export type InstructionsOutcome = {
  /**
   * The files that were selected. `base` is `null` if there are no commits yet, so that there is no base to compare
   * with.
   */
  readonly selection:
    | { readonly kind: 'changed'; readonly base: string | null; readonly count: number }
    | { readonly kind: 'listed'; readonly count: number };
  readonly ruleCount: number;
  readonly written: readonly WrittenTask[];
  readonly skipped: readonly RuleReviewTask[];
  readonly notices: readonly Notice[];
};

export type WrittenTask = { readonly task: RuleReviewTask; readonly file: RepoPath; readonly why: WriteReason };

/**
 * The state of a review when its instructions were written. If the review is marked as passed later, the mark is about
 * this state.
 */
export type TaskFacts = {
  readonly id: ReviewId;
  readonly parts: readonly RuleFacts[];
  readonly files: readonly FileDigest[];
  /** The version of the text that onceover adds to the instructions of a rule. */
  readonly promptVersion: number;
};

export type RuleFacts = {
  readonly source: RepoPath;
  readonly rule: string;
  readonly textDigest: string;
  readonly contextDigest: string;
};

/**
 * Records when a review was marked as passed and through which interface, with its state when its instructions were
 * written.
 */
export type MarkReceipt = TaskFacts & { readonly by: 'mcp' | 'cli' | 'library' | 'run'; readonly at: string };

/**
 * A pass mark (the file that marks a review as passed) and its receipt; the receipt is `null` if the file was made by
 * hand.
 */
export type Mark = {
  /** Whether the file is committed to git. In that case, another person may have created it. */
  readonly tracked: boolean;
  readonly receipt: MarkReceipt | null;
};
