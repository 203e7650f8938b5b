/** What can be wrong with a job beside the form of its file. */
export type JobProblem =
  | { readonly kind: 'job-name-differs'; readonly name: string; readonly folder: string }
  | { readonly kind: 'duplicate-step'; readonly id: string; readonly line: number }
  | { readonly kind: 'duplicate-workflow'; readonly name: string; readonly line: number }
  | { readonly kind: 'unknown-step'; readonly id: string; readonly known: readonly string[] }
  /** The steps in the order in which each needs the next, the first once more at the end. */
  | { readonly kind: 'dependency-cycle'; readonly steps: readonly string[] }
  | { readonly kind: 'input-of-no-dependency'; readonly step: string; readonly from: string }
  /** `step` has no output of that name. */
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
  /** A workflow has a step, and what that needs comes later, at the same time, or not at all. */
  | {
      readonly kind: 'step-out-of-order';
      readonly workflow: string;
      readonly step: string;
      readonly needs: string;
      readonly why: 'later' | 'same-group' | 'left-out';
    };
