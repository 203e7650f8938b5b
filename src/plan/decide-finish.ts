import type { SessionReviewer, StepState } from '../domain/workflow.ts';
import type { RefusedOverride } from '../domain/workflow-failure.ts';
import type { Evaluation } from './evaluations.ts';

/** What is known when somebody says that a step is finished. */
export type FinishFacts = {
  readonly state: Pick<StepState, 'passed' | 'failed' | 'instructed'>;
  readonly reviewer: SessionReviewer['kind'];
  /** The looks that its reviews ask for, on what is there now. */
  readonly evaluations: readonly Evaluation[];
  /** Of the instructions that a review of these outputs would need. */
  readonly instructionsDigest: string;
  /** Why it is to count as finished although no reviewer passed it. */
  readonly override: string | null;
};

export type FinishDecision =
  | { readonly kind: 'refuse'; readonly why: RefusedOverride }
  /** It is finished; `override` is the reason where no reviewer passed it. */
  | { readonly kind: 'finish'; readonly override: string | null; readonly rests: readonly Evaluation[] }
  /** Whoever made the outputs is to have them reviewed. */
  | { readonly kind: 'instruct' }
  /** These are to be judged; those that rest passed on the same files by the same criteria. */
  | { readonly kind: 'judge'; readonly evaluations: readonly Evaluation[]; readonly rests: readonly Evaluation[] };

/** What is done about a step that somebody says is finished; its outputs are there and are what they must be. */
export function decideFinish({ state, reviewer, evaluations, ...asked }: FinishFacts): FinishDecision {
  const override = asked.override?.trim() ?? null;
  if (override === '') return { kind: 'refuse', why: 'empty' };
  if (evaluations.length === 0) {
    return override === null ? { kind: 'finish', override: null, rests: [] } : { kind: 'refuse', why: 'no-reviews' };
  }
  if (reviewer === 'self') {
    if (override === null) return { kind: 'instruct' };
    const isInstructed = state.instructed?.digest === asked.instructionsDigest;
    return isInstructed ? { kind: 'finish', override, rests: [] } : { kind: 'refuse', why: 'not-instructed' };
  }
  if (override !== null) {
    return state.failed.length > 0 ? { kind: 'finish', override, rests: [] } : { kind: 'refuse', why: 'not-failed' };
  }
  const rests = evaluations.filter(({ digest }) => state.passed.includes(digest));
  const open = evaluations.filter(({ digest }) => !state.passed.includes(digest));
  return open.length === 0 ? { kind: 'finish', override: null, rests } : { kind: 'judge', evaluations: open, rests };
}
