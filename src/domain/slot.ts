/** Reviewer number k of a review, counted from 1, whichever agent fills it. */
export type SlotNumber = number;

/** What the records say of a slot's latest iteration. */
export type SlotHistory =
  | { readonly kind: 'none' }
  | { readonly kind: 'passed'; readonly iteration: number }
  | { readonly kind: 'not-passed'; readonly iteration: number };

/** Whether a slot runs in this iteration, and why. */
export type SlotPlan =
  | {
      readonly kind: 'run';
      readonly slot: SlotNumber;
      readonly why: 'first-run' | 'only-reviewer' | 'not-passed' | 'safety-latch';
    }
  | { readonly kind: 'skip'; readonly slot: SlotNumber; readonly passIteration: number };
