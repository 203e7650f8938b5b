import type { RepoPath } from './brand.ts';
import type { DispatchPlan } from './dispatch.ts';
import type { Failure } from './failure.ts';
import type { FindingState, KnownFinding } from './finding.ts';
import type { GateId } from './gate.ts';
import type { UnusableReference } from './instructions.ts';
import type { SlotTrouble } from './record.ts';
import type { Scope } from './scope.ts';
import type { RunReason } from './slot.ts';
import type { Usage } from './usage.ts';
import type { WithheldFile } from './withheld.ts';

export const RUN_STATUSES = [
  'no_changes',
  'no_applicable_gates',
  'passed',
  'passed_with_warnings',
  'failed',
  'error',
  'retry_limit_exceeded',
  'lock_conflict',
] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

/** What a run came to, or what stands at the moment. */
export type RunOutcome = {
  readonly status: RunStatus;
  readonly exitCode: 0 | 1 | 3;
  /** Null: nothing ran. */
  readonly iteration: number | null;
  readonly scope: Scope;
  readonly baseName: string | null;
  /** Whether HEAD is the very branch that the change is measured from: what is committed there is no change. */
  readonly isOnBase: boolean;
  /** Null: the run speaks of all gates of what it looks at. */
  readonly asked: Asked | null;
  readonly gates: readonly GateOutcome[];
  readonly findings: readonly ToldFinding[];
  readonly uncovered: readonly RepoPath[];
  readonly withheld: readonly WithheldFile[];
  readonly notices: readonly RunNotice[];
  readonly usage: Usage | null;
  readonly saved: Saved;
  /** How many dispatches were paid for. */
  readonly dispatches: number;
};

/** The gates or paths that a run was asked about. */
export type Asked = {
  readonly gates: readonly string[];
  readonly paths: readonly RepoPath[];
  /** Gates of the same change that were not asked about. */
  readonly others: readonly GateId[];
};

export type ToldFinding = { readonly finding: KnownFinding; readonly state: FindingState };

export type GateOutcome = {
  readonly id: GateId;
  readonly kind: 'check' | 'review' | 'rule';
  readonly status: 'pass' | 'fail' | 'error' | 'holds' | 'not_run';
  readonly why: GateReason;
  readonly slots: readonly SlotOutcome[];
  /** What a check did; null where none ran. */
  readonly check: CheckOutcome | null;
};

export type GateReason =
  | 'passed'
  | 'unchanged-since-pass'
  | 'marked-as-passed'
  | 'open-findings'
  | 'slots-to-run'
  | 'could-not-judge'
  | 'changed-meanwhile'
  | 'check-failed'
  | 'check-broken'
  | 'check-to-run'
  | 'check-keeps-changing-files'
  | 'stopped-by-check'
  | 'retry-limit'
  | 'interrupted';

export type CheckOutcome = {
  readonly command: string;
  readonly exitCode: number | null;
  /** The seconds that it was given, where it did not end within them. */
  readonly overtime: number | null;
  readonly durationMs: number;
  /** The end of what it printed. */
  readonly tail: string;
};

export type SlotOutcome = {
  readonly slot: number;
  readonly agent: string | null;
  readonly status: 'pass' | 'fail' | 'error' | 'skipped_prior_pass' | 'not_run';
  readonly dispatch: 'fresh' | 'resumed' | 'none';
  readonly why:
    | RunReason
    | 'passed-before'
    | 'covers'
    | 'waived'
    | 'marked-as-passed'
    | DispatchPlan['why']
    | SlotTrouble['kind'];
  readonly passIteration: number | null;
  /** What it passed, where that is older than what is there now. */
  readonly sawOlder: boolean;
  readonly usage: Usage | null;
  readonly durationMs: number | null;
  readonly trouble: SlotTrouble | null;
};

/** Something to know beside the result. */
export type RunNotice =
  | { readonly kind: 'idle-gate'; readonly path: string }
  | { readonly kind: 'tracked-log-dir'; readonly logDir: string }
  | { readonly kind: 'unnameable'; readonly name: string }
  | { readonly kind: 'submodule'; readonly path: RepoPath }
  /** A repository inside this one with something in it that is not committed. */
  | { readonly kind: 'dirty-submodule'; readonly path: RepoPath }
  | { readonly kind: 'base-config'; readonly base: string }
  | { readonly kind: 'checks-left-out' }
  /** Files of which reviewers were shown only that they differ. */
  | { readonly kind: 'binary'; readonly paths: readonly RepoPath[] }
  | UnusableReference
  /** There is a budget in dollars, and these agents tell no price. */
  | { readonly kind: 'no-price'; readonly agents: readonly string[] }
  /** What the run cost could not be written down. */
  | { readonly kind: 'not-in-ledger'; readonly failure: Failure }
  /** Files that passes are known from were changed while a fixer worked, and taken back. */
  | { readonly kind: 'proof-taken-back'; readonly paths: readonly string[] }
  | { readonly kind: 'orphan-slot'; readonly gate: GateId; readonly slot: number; readonly ids: readonly string[] }
  | { readonly kind: 'orphan-gate'; readonly gate: GateId; readonly ids: readonly string[] };

/** Tokens that were not paid for, by lever; estimates. */
export type Saved = {
  readonly pass: number;
  readonly slot: number;
  readonly session: number;
  readonly prefix: number;
};
