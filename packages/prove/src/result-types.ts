import type { CallEstimate, ProofBudget } from './decide/plan.ts';
import type { PlayedProof } from './do/play-proof.ts';
import type { BugClass, CaseSource, GateProof, ProofVariant } from './types.ts';

/** The plan of a run of `onceover prove`: its gates, test cases and calls. */
export type ProvePlan = {
  readonly gates: readonly string[];
  readonly cases: readonly { readonly source: CaseSource; readonly count: number }[];
  readonly classes: readonly { readonly class: BugClass; readonly count: number }[];
  readonly variants: readonly ProofVariant[];
  readonly repeat: number;
  readonly seed: number;
  /** The maximum number of calls to agents, without retries. Answers of earlier proofs are counted, although they are reused. */
  readonly calls: number;
  /** The median cost of a call of these gates; `null` if the cost ledger has no such call. */
  readonly perCall: CallEstimate;
  readonly budget: ProofBudget;
  /**
   * How many of the project's own checks run on test cases with an edit. Such a case is used only if the checks pass.
   */
  readonly checks: number;
  /** Packages that must be installed so that bugs can be planted in more of the repository's files. */
  readonly install: readonly string[];
  readonly titles: readonly { readonly source: CaseSource; readonly title: string; readonly class: BugClass | null }[];
};

/** The result of a run of `onceover prove`, with the scores of each gate. */
export type PlayedProve = PlayedProof & {
  readonly plan: ProvePlan;
  readonly proofs: readonly GateProof[];
  /** The gates that keep their earlier scores, because those cover more test cases. */
  readonly outdone: readonly string[];
};
