import type { LoopDispatchReason, LoopTemplate, PhaseName, PhaseRole, PhaseStage, Spent } from './phase.ts';

/** One dispatch of a review loop, as it was recorded. */
export type LoopDispatch = {
  readonly feature: string;
  readonly phase: PhaseName;
  readonly stage: PhaseStage;
  /** Which playing of the phase: a rerun is another. */
  readonly run: string;
  readonly role: PhaseRole;
  readonly iteration: number;
  readonly isFinalValidation: boolean;
  readonly template: LoopTemplate;
  readonly why: LoopDispatchReason;
  readonly fellBack: boolean;
  readonly guarded: boolean;
  readonly warned: boolean;
  readonly spent: Spent;
};

/** What was sent, beside what the same dispatches would have sent fresh each time. */
export type Compared = {
  readonly sent: number;
  readonly fresh: number;
  /** Null: nothing to compare with. */
  readonly ratio: number | null;
};

/** How often something happened, and how often it could have. */
export type Rate = {
  readonly count: number;
  readonly of: number;
  readonly rate: number | null;
  readonly threshold: number;
  readonly isExceeded: boolean;
};

export type LoopCost = {
  readonly features: number;
  readonly dispatches: number;
  readonly resumed: number;
  readonly characters: Compared;
  /** Input tokens as agents told them; fresh ones are estimated where a dispatch was resumed. */
  readonly tokens: Compared;
  /** The same, weighed by what a cache makes of their price. */
  readonly weighted: Compared;
  /** Dispatches whose agent told no tokens. */
  readonly untold: number;
  /** Resumed prompts whose opening is known, and those of them that are not shorter than it (NFR1). */
  readonly opened: number;
  readonly notShorter: readonly LoopDispatch[];
  /** Loops that went to the cap, and those of them that sent half or more of what fresh ones would have (NFR3). */
  readonly longLoops: number;
  readonly notHalved: readonly LongLoop[];
  readonly fallbacks: Rate;
  readonly guards: Rate;
  readonly lazyLoads: Rate;
  /** The rates are judged once three features went through loops. */
  readonly isJudged: boolean;
};

/** What is watched over features. */
export type Watched = keyof Pick<LoopCost, 'fallbacks' | 'guards' | 'lazyLoads'>;

/** Whether something that is promised of loops is so. */
export type Kept = 'holds' | 'does-not-hold' | 'nothing-to-judge';

/** Of so many that could break it, so many did. */
export function keptOf(of: number, broken: number): Kept {
  if (of === 0) return 'nothing-to-judge';
  return broken === 0 ? 'holds' : 'does-not-hold';
}

export type LongLoop = Pick<LoopDispatch, 'feature' | 'phase' | 'stage' | 'run'> & { readonly characters: Compared };
