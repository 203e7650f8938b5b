import type { FixProgress } from '@onceover/agents/dispatch/fix-progress';
import type { RunStatus, Saved } from '@onceover/agents/ledger/entries';
import type { AgentFailure, DispatchPlan, NoReading, SlotTrouble, Usage } from '@onceover/base/kernel/agent';
import type { CommitId, GateId, RepoPath } from '@onceover/base/kernel/ids';
import type { Scope, WithheldFile } from '@onceover/base/kernel/repository';
import type { Acceptance } from '@onceover/passes/types';
import type { NoBasePolicy } from '@onceover/repo/config/base-policy';
import type { ReviewedPullRequest } from '@onceover/repo/config/pull-request-job';
import type { ReportedFinding } from '../findings/types.ts';
import type { Gate, RunReason, ShareEnd, SlotPlan, SlotRun } from '../gate-types.ts';
import type { UnusableReference } from '../rules/types.ts';

/** The result of a run, or of a preview that ran nothing. */
export type RunOutcome = {
  readonly status: RunStatus;
  readonly exitCode: 0 | 1 | 3;
  /** The number of the run; `null` if it has none, because nothing ran or it ended before its reviews. */
  readonly iteration: number | null;
  readonly scope: Scope;
  readonly baseName: string | null;
  /** The commit at HEAD; `null` if there is none, or if the run reviews a chosen commit. */
  readonly headCommit: CommitId | null;
  /** The pull request that the run reviewed in CI; `null` if the run was not for one. */
  readonly pullRequest: ReviewedPullRequest | null;
  /** Whether HEAD is on the base branch itself, so that committed work is not part of the change. */
  readonly isOnBase: boolean;
  /** The part to which the user limited the run; `null` if it covers all gates of the change. */
  readonly asked: RequestedScope | null;
  readonly gates: readonly GateOutcome[];
  readonly findings: readonly ReportedFinding[];
  /** Findings of the run's gates that earlier runs closed or that no longer apply, newest first. */
  readonly settled: readonly ReportedFinding[];
  readonly uncovered: readonly RepoPath[];
  readonly withheld: readonly WithheldFile[];
  readonly notices: readonly RunNotice[];
  readonly usage: Usage | null;
  readonly saved: Saved;
  /** The number of calls to agents. It includes `retries`: requests that agents repeated by themselves. */
  readonly dispatches: number;
  readonly retries: number;
  /**
   * The passes and waivers that the run sent to other clones, or would send after a person agrees; `null` if there are
   * none.
   */
  readonly sharing: Exclude<ShareEnd, { kind: 'not-shared' }> | null;
};

/** The gates or paths that the user limited the run to. */
export type RequestedScope = {
  readonly gates: readonly string[];
  readonly paths: readonly RepoPath[];
  /** Gates of the same change that the run left out. */
  readonly others: readonly GateId[];
};

export type GateOutcome = {
  readonly id: GateId;
  readonly kind: Gate['kind'];
  readonly status: 'pass' | 'fail' | 'error' | 'holds' | 'not_run';
  readonly why: GateReason;
  readonly slots: readonly SlotOutcome[];
  /** How the check ended; `null` if the gate is not a check or the check did not run. */
  readonly check: CheckOutcome | null;
};

export type GateReason =
  | 'passed'
  | 'unchanged-since-pass'
  | 'marked-as-passed'
  /** The gate passes because passes that people signed in other clones count here. */
  | 'accepted'
  /** The gate passes only because findings of one of its reviewers are waived. */
  | 'waived'
  | 'open-findings'
  /** The gate failed in an earlier run and is unchanged since, so the setting `unchanged_gates: rest` skipped it. */
  | 'unchanged-since-fail'
  | 'slots-to-run'
  | 'could-not-judge'
  | 'changed-meanwhile'
  | 'check-failed'
  | 'check-broken'
  | 'check-to-run'
  | 'check-keeps-changing-files'
  | 'stopped-by-check'
  /** The check was left out because no reviewer could run after it: none of their agents is available. */
  | 'no-agent'
  | 'retry-limit'
  | 'interrupted';

export type CheckOutcome = {
  readonly command: string;
  readonly exitCode: number | null;
  /** How the check ended, in words; `null` if it passed. */
  readonly why: string | null;
  readonly durationMs: number;
  /** The last lines of the check's output. */
  readonly tail: string;
};

export type SlotOutcome = {
  readonly slot: number;
  readonly agent: string | null;
  readonly status: SlotRun['status'] | 'not_run';
  readonly dispatch: 'fresh' | 'resumed' | 'none';
  readonly why:
    | RunReason
    | 'passed-before'
    | 'covers'
    | 'waived'
    | 'marked-as-passed'
    | 'accepted'
    | DispatchPlan['why']
    | SlotTrouble['kind'];
  readonly passIteration: number | null;
  /** Whether the reviewer passed on earlier content and has not reviewed the current content. */
  readonly sawOlder: boolean;
  readonly usage: Usage | null;
  readonly durationMs: number | null;
  readonly trouble: SlotTrouble | null;
  /**
   * The reviewer's last review, if the reviewer did not run this time and that review failed or ended in an error;
   * otherwise `null`.
   */
  readonly earlier: { readonly iteration: number; readonly isCurrent: boolean; readonly error: string | null } | null;
  /** Whether a pass of another clone counts for this reviewer; `null` if none was looked up. */
  readonly shared: Acceptance | null;
};

export type RunNotice =
  | { readonly kind: 'idle-gate'; readonly path: string }
  /** `onceover.yml` has a setting of an older version that no longer has an effect. */
  | { readonly kind: 'ignored-setting'; readonly name: string }
  | { readonly kind: 'tracked-log-dir'; readonly logDir: string }
  | { readonly kind: 'unnameable'; readonly name: string }
  | { readonly kind: 'submodule'; readonly path: RepoPath }
  /** A nested repository with uncommitted changes. */
  | { readonly kind: 'dirty-submodule'; readonly path: RepoPath }
  | { readonly kind: 'base-config'; readonly base: string }
  /** There is neither a gate nor a rule, in the working tree or on the pull request's target branch `base`. */
  | { readonly kind: 'unconfigured'; readonly base: string | null }
  | { readonly kind: 'checks-left-out' }
  /** These files are images, audio, video or fonts, so reviewers saw only that they differ, not how. */
  | { readonly kind: 'binary'; readonly paths: readonly RepoPath[] }
  | UnusableReference
  /** The settings name these agents, but they are not installed, so other agents reviewed instead. */
  | { readonly kind: 'absent-agents'; readonly agents: readonly string[] }
  /** The budget is in dollars, but these agents report no price, so the budget does not limit their calls. */
  | { readonly kind: 'no-price'; readonly agents: readonly string[] }
  | { readonly kind: 'not-in-ledger'; readonly message: string }
  | { readonly kind: 'not-shared'; readonly message: string }
  /** Why passes of other clones could not be read or do not count in this run. */
  | { readonly kind: 'no-shared-passes'; readonly why: NoSharedPasses }
  /** Passes of other clones count for these gates, but `unchanged_gates: run` made their reviewers run. */
  | { readonly kind: 'passes-repeated'; readonly gates: readonly GateId[] }
  /**
   * Files with passes, findings or approvals changed while a fixing agent ran, so onceover deleted or restored them.
   */
  | { readonly kind: 'proof-taken-back'; readonly paths: readonly string[] }
  /** Files that a fixing agent changed and that determine what reviewers see. `null` means git's own settings. */
  | { readonly kind: 'hidden-by-fixer'; readonly paths: readonly (string | null)[] }
  | { readonly kind: 'orphan-slot'; readonly gate: GateId; readonly slot: number; readonly ids: readonly string[] }
  | { readonly kind: 'orphan-gate'; readonly gate: GateId; readonly ids: readonly string[] };

export type Cleaned = {
  /** The number of the last archived iteration; 0 if none was archived. */
  readonly iterations: number;
  /** Ids of the findings that stay open. Each stays open as long as its file does not change. */
  readonly open: readonly string[];
};

export const LOOP_ENDS = [
  'passed',
  /**
   * The same findings stay open in every round, or the fixing agent changed nothing and the reviewers fail the change
   * again.
   */
  'stalled',
  /** The code returned to an earlier state, or two sets of findings alternate. */
  'oscillating',
  'max-iterations',
  'retry-limit',
  'budget',
  'fixer-failed',
  /** The fixing agent changed settings, prompts, rules, agents or the base branch, or hid a file from review. */
  'gate-changed',
  /** The fixing agent reverted the change instead of fixing it, so nothing is left to review. */
  'nothing-left',
  'could-not-judge',
  'interrupted',
] as const;

export type LoopEnd = (typeof LOOP_ENDS)[number];

type OfSlot = { readonly gate: GateId; readonly slot: number };

export type RunProgress =
  | FixProgress
  | { readonly kind: 'iteration-started'; readonly iteration: number; readonly checks: number; readonly slots: number }
  | { readonly kind: 'check-started'; readonly gate: GateId; readonly command: string }
  | {
      readonly kind: 'check-ended';
      readonly gate: GateId;
      readonly status: 'pass' | 'fail' | 'error';
      readonly why: string | null;
      readonly durationMs: number;
    }
  | { readonly kind: 'reading-started'; readonly agent: string; readonly readers: readonly OfSlot[] }
  | {
      readonly kind: 'reading-ended';
      readonly agent: string;
      readonly readers: readonly OfSlot[];
      /**
       * The number of files that one session read for several reviewers, because it opened them or its prompt showed
       * them; `null` if the reviewers cannot use the session, for the reason in `why`.
       */
      readonly files: number | null;
      readonly why: NoReading | null;
      readonly usage: Usage | null;
      readonly durationMs: number;
    }
  | {
      readonly kind: 'slot-planned';
      readonly gate: GateId;
      readonly plan: SlotPlan;
      /** Why the reviewer runs although passes of other clones can count; missing if the reason is not worth a line. */
      readonly noPass?: string;
    }
  | (OfSlot & { readonly kind: 'slot-started'; readonly agent: string; readonly dispatch: DispatchPlan })
  | (OfSlot & { readonly kind: 'slot-active'; readonly doing: string | null; readonly usage: Usage | null })
  | (OfSlot & {
      readonly kind: 'slot-asked-again';
      readonly agent: string;
      readonly mode: 'fresh' | 'repair' | 'other-agent';
      readonly because: AgentFailure;
    })
  | (OfSlot & {
      readonly kind: 'slot-ended';
      readonly agent: string;
      readonly status: 'pass' | 'fail' | 'error';
      readonly open: number;
      readonly warnings: number;
      readonly trouble: SlotTrouble | null;
      readonly usage: Usage | null;
      readonly durationMs: number;
    });

/** Why passes of other clones cannot count. A failure is already described. */
export type NoSharedPasses =
  | Exclude<NoBasePolicy, { kind: 'failed' }>
  | { readonly kind: 'failed'; readonly message: string };
