import type { CallEstimate, ProofBudget } from './decide/plan.ts';
import type { PlayedProof } from './do/play-proof.ts';
import type { BugClass, CaseSource, GateProof, ProofVariant } from './types.ts';

/** The gates, cases and calls of a proof. */
export type ProvePlan = {
  readonly gates: readonly string[];
  readonly cases: readonly { readonly source: CaseSource; readonly count: number }[];
  readonly classes: readonly { readonly class: BugClass; readonly count: number }[];
  readonly variants: readonly ProofVariant[];
  readonly repeat: number;
  readonly seed: number;
  /** The most calls that the proof makes, without kept answers. */
  readonly calls: number;
  /** The median cost of a call of these gates; `null` if the ledger has none. */
  readonly perCall: CallEstimate;
  readonly budget: ProofBudget;
  /** The number of the project's own checks that edited cases have to pass. */
  readonly checks: number;
  /** Packages that would allow mutants, traps and scenarios in more files. */
  readonly install: readonly string[];
  readonly titles: readonly { readonly source: CaseSource; readonly title: string; readonly class: BugClass | null }[];
};

/** A proof that was played, and the scores of each gate. */
export type PlayedProve = PlayedProof & {
  readonly plan: ProvePlan;
  readonly proofs: readonly GateProof[];
  /** Gates that keep an earlier proof, because it has more cases. */
  readonly outdone: readonly string[];
};
