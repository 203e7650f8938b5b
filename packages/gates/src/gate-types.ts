import type { Failure } from '@onceover/base/kernel/failure';
import type { Brand, GateId } from '@onceover/base/kernel/ids';
import type { Entry } from '@onceover/base/kernel/repository';
import type { SubjectDifference } from '@onceover/base/kernel/review-subject';
import type { RuleTask } from './rules/types.ts';

/** A hash over a gate's changed files. Equal hashes mean that the change to review is the same. */
export type GateContent = Brand<'GateContent'>;

/** The result of sharing the passes and waivers of a run with other clones. */
export type ShareEnd =
  | { readonly kind: 'shared'; readonly passes: number; readonly waivers: number; readonly carrier: string }
  /** The setting is `share: ask`, so a person has to agree first. */
  | { readonly kind: 'to-ask'; readonly passes: number; readonly waivers: number; readonly carrier: string }
  | { readonly kind: 'not-shared'; readonly failure: Failure };

/** The number of a reviewer within a review, counted from 1. The agent behind a number can change. */
export type SlotNumber = number;

/** The name used in records if no agent was available. */
export const NO_AGENT = 'none';

/**
 * The part of a reviewer's record that `planSlots` uses. It does not name the agent, because the plan must not depend
 * on it.
 */
export type SlotRun = {
  readonly slot: SlotNumber;
  readonly iteration: number;
  readonly status: 'pass' | 'fail' | 'error' | 'skipped_prior_pass';
  readonly violations: number;
  /** For a skipped reviewer: the iteration in which it passed. */
  readonly passIteration: number | null;
};

/** Whether a reviewer runs or is skipped in this iteration, and why. */
export type SlotPlan =
  | {
      readonly kind: 'run';
      readonly slot: SlotNumber;
      readonly why: RunReason;
      /** How the subject of the reviewer's last review differs from the current one; missing if only the content does. */
      readonly changed?: SubjectDifference;
    }
  | { readonly kind: 'skip'; readonly slot: SlotNumber; readonly passIteration: number }
  /** The reviewer does not run, because a pass of another clone counts for it. */
  | { readonly kind: 'accept'; readonly slot: SlotNumber };

/** Why a reviewer runs. `planSlots` gives the first four reasons; options and settings give the others. */
export type RunReason =
  | 'first-run'
  | 'only-reviewer'
  | 'not-passed'
  | 'safety-latch'
  /** `after_pass: all`: the gate passed on earlier content, so all its reviewers review the new content. */
  | 'after-pass'
  /** `certify`: the reviewer was skipped, and has to review the current content before the run passes. */
  | 'certify'
  | 'forced'
  | 'asked-for';

type GateBase = {
  readonly id: GateId;
  readonly entry: string;
  readonly name: string;
  readonly timeoutSeconds: number | null;
  readonly entries: readonly Entry[];
};

/** A gate that runs a command from the settings. It passes if the command exits with 0. */
export type CheckGate = GateBase & { readonly kind: 'check'; readonly command: string };

/**
 * A gate with a prompt that reviewers answer about changed files (`entries`). It comes from `onceover.yml` or from a
 * rule.
 */
export type ReviewGate = GateBase & {
  readonly kind: 'review' | 'rule';
  readonly numReviews: number;
  readonly agents: readonly string[] | null;
  readonly rubric: Rubric;
  readonly content: GateContent;
  /** The review task of a rule; `null` for a review that `onceover.yml` defines. */
  readonly task: RuleTask | null;
};

export type Gate = CheckGate | ReviewGate;

/** The instructions for a reviewer. If their digest changes, earlier passes no longer count. */
export type Rubric = { readonly source: string; readonly text: string; readonly digest: string };
