import type { PhaseName, PhaseStage } from './phase.ts';

/** What a phase leaves in `.meta.json`. */
export type MetaUpdate = {
  readonly phase: PhaseName;
  readonly started: Date;
  /** Null: it did not end with an approval, or with the caller's word that it may go on. */
  readonly completed: Date | null;
  /** What each loop came to, in the order in which they ran. */
  readonly loops: readonly MetaLoop[];
  /** What is open, one line each. */
  readonly notes: readonly string[];
  readonly resuming: Resuming;
};

/** Whether sessions are resumed. unknown: nobody had to be yet. */
export type Resuming =
  | { readonly kind: 'unknown' | 'works' }
  /** `{test}: {what failed}`. */
  | { readonly kind: 'deferred'; readonly why: string };

/** What one loop came to. */
export type MetaLoop = {
  readonly stage: PhaseStage;
  readonly started: Date;
  readonly completed: Date | null;
  readonly iterations: number;
  readonly approved: boolean;
  readonly notes: readonly string[];
};
