import type { CostReport } from './cost.ts';
import type { RunOutcome } from './run.ts';

/** What the demo played, and what it cost. */
export type DemoOutcome = {
  readonly runs: readonly RunOutcome[];
  /** The number of the run that did not go as the story has it; null: all did. */
  readonly strayed: number | null;
  readonly cost: CostReport;
  /** What the fresh looks of one run were sent alike, from the beginning on. */
  readonly shared: { readonly looks: number; readonly tokens: number };
  /** Where the repository is; null: it is removed. */
  readonly folder: string | null;
  readonly durationMs: number;
};
