/** Reviewer number k of a review, counted from 1, whichever agent fills it. */
export type SlotNumber = number;

/** The name in place of an agent's where nobody was there to be asked. */
export const NO_AGENT = 'none';

/** What a record says of one slot in one iteration; who filled it does not matter for what is planned. */
export type SlotRun = {
  readonly slot: SlotNumber;
  readonly iteration: number;
  readonly status: 'pass' | 'fail' | 'error' | 'skipped_prior_pass';
  /** How many findings the record holds. */
  readonly violations: number;
  /** For a slot that rested: the iteration in which it passed. */
  readonly passIteration: number | null;
};

/** Whether a slot runs in this iteration, and why. */
export type SlotPlan =
  | {
      readonly kind: 'run';
      readonly slot: SlotNumber;
      readonly why: RunReason;
    }
  | { readonly kind: 'skip'; readonly slot: SlotNumber; readonly passIteration: number };

/** The first four are the rule's; the others are what a person or the settings asked for. */
export type RunReason =
  | 'first-run'
  | 'only-reviewer'
  | 'not-passed'
  | 'safety-latch'
  /** `after_pass: all`: the gate held, and all its slots see the new change. */
  | 'after-pass'
  /** `certify`: it rested, and looks once more before the run passes. */
  | 'certify'
  /** `--force` */
  | 'forced'
  /** `--fresh` */
  | 'asked-for';
