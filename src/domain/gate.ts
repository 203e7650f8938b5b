import type { RepoPath } from './brand.ts';
import type { DispatchPlan } from './dispatch.ts';
import type { SlotPlan } from './slot.ts';

/** `check:<entry>:<name>`, `review:<entry>:<name>` or `rule:<folder>:<name>[:<path>]`. */
export type GateId = string;

/** One difference between base and working tree in a gate's paths. */
export type Entry = {
  readonly path: RepoPath;
  readonly mode: string;
  readonly baseBlob: string | null;
  readonly headBlob: string | null;
};

/** What a run intends to do with one gate; `--dry-run` prints it. */
export type GatePlan =
  | { readonly kind: 'check'; readonly gate: GateId; readonly command: string }
  | { readonly kind: 'review'; readonly gate: GateId; readonly slots: readonly PlannedSlot[] }
  | { readonly kind: 'holds'; readonly gate: GateId }
  | { readonly kind: 'not-run'; readonly gate: GateId; readonly why: 'check-failed' | 'retry-limit' | 'not-selected' };

export type PlannedSlot = { readonly plan: SlotPlan; readonly agent: string; readonly dispatch: DispatchPlan | null };
