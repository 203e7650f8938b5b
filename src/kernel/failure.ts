import type { AgentFailure, Cooldown } from './agent.ts';
import type { RepoPath, SessionId } from './ids.ts';
import type { DocumentPhase, PhaseName } from './review-loops.ts';

/** A problem with its position, without the file. */
export type PlacedProblem = { readonly line: number; readonly column: number; readonly what: ProblemKind };

// Every other failure is wrong usage or configuration.
const COULD_NOT_JUDGE: ReadonlySet<Failure['kind']> = new Set([
  'not-a-repository',
  'odd-root',
  'bare-repository',
  'git-missing',
  'git-too-old',
  'git-failed',
  'agent-not-tried',
  'path-in-the-way',
  'disk',
  'input-cut-off',
  'lock-held',
  'inside-a-run',
  'waived-inside-a-run',
  'agreed-inside-a-run',
  'config-changed',
  'not-trusted',
  'no-reviewer',
  'unnameable-code',
  'no-verdict',
  'outputs-changed',
  'reviewer-not-here',
  'unreadable-session',
  'session-busy',
] as const);

/** Returns the exit code of a failure: 2 for wrong usage or configuration, 3 if the gates could not be judged. */
export function exitCode(failure: Failure): 2 | 3 {
  const couldNotJudge = failure.kind === 'no-merge-base' ? failure.shallow : COULD_NOT_JUDGE.has(failure.kind);
  return couldNotJudge ? 3 : 2;
}

/** An expected failure: a kind and its facts. The message for the user is made in `ui/`. */
export type Failure =
  | WorkflowFailure
  | { readonly kind: 'not-a-repository'; readonly folder: string }
  | { readonly kind: 'odd-root'; readonly folder: string }
  | { readonly kind: 'bare-repository'; readonly folder: string }
  | { readonly kind: 'git-missing' }
  | { readonly kind: 'git-too-old' }
  | { readonly kind: 'git-failed'; readonly command: string; readonly said: string }
  | { readonly kind: 'unknown-base'; readonly base: string }
  /** Several branches or tags have this name. */
  | { readonly kind: 'ambiguous-name'; readonly name: string }
  | { readonly kind: 'no-base'; readonly tried: readonly string[] }
  | { readonly kind: 'no-merge-base'; readonly base: string; readonly shallow: boolean }
  | { readonly kind: 'several-merge-bases'; readonly base: string }
  | { readonly kind: 'broken-config'; readonly problems: readonly Problem[] }
  | { readonly kind: 'log-dir-hides'; readonly logDir: string; readonly files: readonly string[] }
  | { readonly kind: 'bad-review-id'; readonly id: string; readonly why: BadReviewId }
  | { readonly kind: 'unknown-agent'; readonly name: string; readonly known: readonly string[] }
  /** This agent cannot be allowed to write. */
  | { readonly kind: 'cannot-fix'; readonly name: string; readonly able: readonly string[] }
  | { readonly kind: 'agent-not-tried'; readonly agent: string; readonly failure: AgentFailure }
  | { readonly kind: 'path-outside'; readonly path: string }
  | { readonly kind: 'path-in-the-way'; readonly path: string; readonly found: InTheWay }
  | { readonly kind: 'disk'; readonly action: 'read' | 'write'; readonly path: string; readonly code: string }
  /** Reading standard input failed before its end. */
  | { readonly kind: 'input-cut-off'; readonly code: string }
  | { readonly kind: 'wrong-usage'; readonly said: string; readonly command: string | null }
  | { readonly kind: 'lock-held'; readonly pid: number; readonly host: string; readonly since: string }
  | { readonly kind: 'inside-a-run' }
  /** A process that a run started cannot waive findings. */
  | { readonly kind: 'waived-inside-a-run' }
  | { readonly kind: 'agreed-inside-a-run' }
  | { readonly kind: 'unknown-path'; readonly path: string }
  | { readonly kind: 'config-changed' }
  | { readonly kind: 'unknown-commit'; readonly commit: string }
  | { readonly kind: 'unknown-gate'; readonly gate: string; readonly known: readonly string[] }
  | { readonly kind: 'unknown-finding'; readonly id: string; readonly known: readonly string[] }
  | { readonly kind: 'finding-closed'; readonly id: string }
  | { readonly kind: 'unknown-subject'; readonly name: string }
  | { readonly kind: 'ambiguous-subject'; readonly name: string; readonly gates: readonly string[] }
  | { readonly kind: 'not-trusted'; readonly commands: readonly string[] }
  | { readonly kind: 'unknown-run'; readonly id: string | null }
  | { readonly kind: 'unknown-phase'; readonly name: string }
  /** The ledger has no review loop of this feature. */
  | { readonly kind: 'feature-without-loops'; readonly feature: string; readonly known: readonly string[] }
  | { readonly kind: 'no-feature'; readonly path: string; readonly why: 'missing' | 'not-a-folder' }
  /** A document that the phase `needs` cannot be used. `phase` is the phase that writes it. */
  | {
      readonly kind: 'unusable-artifact';
      readonly path: RepoPath;
      readonly why: 'missing' | 'empty' | 'not-text' | 'ignored' | 'withheld' | 'symlink' | 'generated';
      readonly phase: DocumentPhase | null;
      readonly needs: PhaseName;
    }
  | {
      readonly kind: 'artifact-too-long';
      readonly path: RepoPath;
      readonly characters: number;
      readonly limit: number;
      readonly agent: string;
    }
  | { readonly kind: 'nothing-to-implement'; readonly base: string | null }
  /** Names of changed files that are not UTF-8, one latin1 character per byte. No reviewer can open them. */
  | { readonly kind: 'unnameable-code'; readonly names: readonly string[] }
  | { readonly kind: 'no-reviewer'; readonly wanted: readonly string[]; readonly cooling: readonly Cooldown[] }
  | { readonly kind: 'no-waiting-loop'; readonly phase: PhaseName; readonly feature: string }
  /** The caller reported a fix, but the previous fix is not reviewed yet. */
  | { readonly kind: 'unjudged-round'; readonly phase: PhaseName; readonly feature: string }
  | { readonly kind: 'unknown-loop'; readonly id: string }
  /** The caller reported a fix, but the loop is not waiting for one. */
  | { readonly kind: 'round-goes-on'; readonly id: string }
  | { readonly kind: 'unreadable-loop'; readonly phase: PhaseName; readonly feature: string }
  | { readonly kind: 'unreadable-json'; readonly path: string; readonly said: string };

/** The kind of thing at a path that onceover needs for itself. */
export type InTheWay = 'symlink' | 'folder' | 'file' | 'repository' | 'other';

/** The reason why a string is not a valid review id. */
export type BadReviewId = 'empty' | 'dots' | 'absolute' | 'separator' | 'nul' | 'too-long';

/** A problem with a job besides the format of its file. */
export type JobProblem =
  | { readonly kind: 'job-name-differs'; readonly name: string; readonly folder: string }
  | { readonly kind: 'duplicate-step'; readonly id: string; readonly line: number }
  | { readonly kind: 'duplicate-workflow'; readonly name: string; readonly line: number }
  | { readonly kind: 'unknown-step'; readonly id: string; readonly known: readonly string[] }
  /** The steps of the cycle, each depending on the next. The first step is repeated at the end. */
  | { readonly kind: 'dependency-cycle'; readonly steps: readonly string[] }
  | { readonly kind: 'input-of-no-dependency'; readonly step: string; readonly from: string }
  /** `step` has no output with this name. */
  | {
      readonly kind: 'unknown-output';
      readonly step: string;
      readonly output: string;
      readonly known: readonly string[];
    }
  | { readonly kind: 'reserved-output'; readonly name: string }
  | { readonly kind: 'no-criteria' }
  | { readonly kind: 'outside-job'; readonly path: string; readonly folder: string }
  | { readonly kind: 'step-twice'; readonly workflow: string; readonly step: string }
  /** A step needs another step that comes later, at the same time, or not at all. */
  | {
      readonly kind: 'step-out-of-order';
      readonly workflow: string;
      readonly step: string;
      readonly needs: string;
      readonly why: 'later' | 'same-group' | 'left-out';
    };

/** A position in a file of the user; line and column start at 1. */
export type Position = { readonly file: string; readonly line: number; readonly column: number };

/** A problem at a position in a configuration or rule file. */
export type Problem = Position & { readonly what: ProblemKind };

export type ProblemKind =
  | { readonly kind: 'syntax'; readonly said: string }
  | { readonly kind: 'merge-conflict' }
  | { readonly kind: 'unknown-key'; readonly key: string; readonly known: readonly string[] }
  | { readonly kind: 'missing-key'; readonly key: string }
  | { readonly kind: 'wrong-type'; readonly key: string; readonly expected: string }
  | { readonly kind: 'not-one-of'; readonly key: string; readonly allowed: readonly string[] }
  | {
      readonly kind: 'out-of-range';
      readonly key: string;
      readonly bound: 'at least' | 'at most' | 'more than';
      readonly limit: number;
      readonly unit: 'characters' | 'entries' | null;
    }
  | { readonly kind: 'bad-value'; readonly key: string; readonly said: string }
  | { readonly kind: 'bad-rule-name'; readonly name: string }
  | { readonly kind: 'unknown-role'; readonly name: string; readonly known: readonly string[] }
  | { readonly kind: 'bad-glob'; readonly glob: string; readonly said: string }
  | { readonly kind: 'unusable-file'; readonly path: string; readonly why: UnusableFile }
  | JobProblem;

/** The reason why a file that a rule or a setting names cannot be used. */
export type UnusableFile = 'missing' | 'not-a-file' | 'outside' | 'not-utf8' | 'too-large' | 'empty' | 'unreadable';

/** A failure of a workflow. */
export type WorkflowFailure =
  | { readonly kind: 'unknown-job'; readonly name: string; readonly known: readonly string[] }
  | {
      readonly kind: 'unknown-workflow';
      readonly job: string;
      /** Null if the caller named none and the job has several. */
      readonly name: string | null;
      readonly known: readonly string[];
    }
  | { readonly kind: 'unknown-session'; readonly id: string; readonly active: readonly SessionName[] }
  | { readonly kind: 'no-active-session'; readonly ended: readonly SessionName[] }
  | { readonly kind: 'which-session'; readonly active: readonly SessionName[] }
  | { readonly kind: 'session-ended'; readonly session: SessionName; readonly end: SessionEnd }
  /** `aside` is the new name of the renamed file; null if it was not renamed. */
  | { readonly kind: 'unreadable-session'; readonly id: string; readonly path: string; readonly aside: string | null }
  /** The steps of its workflow have changed. */
  | { readonly kind: 'session-outdated'; readonly session: SessionName }
  | { readonly kind: 'session-busy'; readonly id: string }
  | {
      readonly kind: 'no-such-step';
      readonly session: SessionName;
      readonly step: string;
      readonly open: readonly string[];
    }
  | {
      readonly kind: 'step-finished';
      readonly session: SessionName;
      readonly step: string;
      readonly at: string;
      readonly open: readonly string[];
    }
  | {
      readonly kind: 'step-not-begun';
      readonly session: SessionName;
      readonly step: string;
      readonly open: readonly string[];
    }
  | { readonly kind: 'which-step'; readonly session: SessionName; readonly open: readonly OpenStep[] }
  | {
      readonly kind: 'unknown-output';
      readonly session: SessionName;
      readonly step: string;
      readonly name: string;
      readonly known: readonly string[];
    }
  | { readonly kind: 'missing-outputs'; readonly step: string; readonly names: readonly string[] }
  | {
      readonly kind: 'wrong-output-type';
      readonly step: string;
      readonly name: string;
      readonly expected: 'file' | 'files';
      readonly given: 'one' | 'several' | 'none';
    }
  | {
      readonly kind: 'unusable-output';
      readonly step: string;
      readonly name: string;
      readonly path: string;
      readonly why: UnusableOutput;
    }
  | { readonly kind: 'override-refused'; readonly step: string; readonly why: RefusedOverride }
  | {
      readonly kind: 'no-verdict';
      readonly session: SessionName;
      readonly step: string;
      readonly errors: readonly ReviewTrouble[];
      /** Number of reviews that passed, now or earlier. They are not run again. */
      readonly passed: number;
    }
  | { readonly kind: 'outputs-changed'; readonly step: string; readonly paths: readonly string[] }
  | { readonly kind: 'reviewer-not-here'; readonly name: string; readonly found: readonly string[] };

/** A step that the caller may mean, with the names of its outputs. */
type OpenStep = { readonly id: string; readonly outputs: readonly string[] };

export type UnusableOutput = 'missing' | 'folder' | 'not-a-file' | 'outside' | 'unreadable';

/** The reason why a request to continue without a pass is refused. */
export type RefusedOverride =
  | 'empty'
  | 'no-reviews'
  /** No reviewer has reported a finding yet. */
  | 'not-failed'
  /** No review instructions exist yet for these outputs and criteria. */
  | 'not-instructed';

/** A review without a verdict. */
export type ReviewTrouble = { readonly runEach: string; readonly file: string | null; readonly said: string };

export type SessionEnd =
  | { readonly kind: 'completed'; readonly at: string }
  | { readonly kind: 'aborted'; readonly at: string; readonly explanation: string };

/** A session that the caller may mean. */
export type SessionName = {
  readonly id: SessionId;
  readonly job: string;
  readonly workflow: string;
  readonly goal: string;
};
