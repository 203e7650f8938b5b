import type { SnapshotId } from '../domain/brand.ts';
import type { DispatchPlan } from '../domain/dispatch.ts';
import type { ReviewGate } from '../domain/gate.ts';
import type { UnusableReference } from '../domain/instructions.ts';
import type { Cooling, KeptSession, SlotRecord, SlotTrouble } from '../domain/record.ts';
import type { RunReason } from '../domain/slot.ts';
import type { GateState } from '../plan/gate-state.ts';
import type { ComposedPrompt } from '../prompt/compose.ts';

/** One slot that is to look: whom to ask, how, and with what. */
export type SlotJob = {
  readonly state: GateState;
  readonly gate: ReviewGate;
  readonly slot: number;
  readonly why: RunReason;
  readonly agent: string;
  readonly others: readonly string[];
  readonly dispatch: DispatchPlan;
  /** The whole change, in one part or several. */
  readonly fresh: readonly ComposedPrompt[];
  /** Reference files of its rule that are not in it. */
  readonly unshown: readonly UnusableReference[];
  readonly resumed: { readonly prompt: ComposedPrompt; readonly session: KeptSession } | null;
  readonly tree: SnapshotId;
  readonly lastLook: SlotRecord | null;
  /** Slots of one agent with the same key share what comes first in their prompts. */
  readonly prefix: string | null;
  readonly timeoutSeconds: number;
};

/** Why a slot was asked as it was in the end; a resume that failed is a session that was lost. */
export function dispatchReason(
  { dispatch: planned }: SlotJob,
  asked: SlotJob['dispatch']['kind'] | 'none',
): DispatchPlan['why'] {
  return planned.kind === 'resumed' && asked === 'fresh' ? 'session-lost' : planned.why;
}

/** A slot that cannot be asked. */
export type StuckSlot = {
  readonly state: GateState;
  readonly gate: ReviewGate;
  readonly slot: number;
  readonly why: RunReason;
  readonly agent: string | null;
  readonly trouble: SlotTrouble;
};

/** A slot that rests: who would fill it now, and who passed. */
export type RestingSlot = {
  readonly gate: ReviewGate;
  readonly slot: number;
  readonly passIteration: number;
  readonly assigned: string;
  readonly passedBy: SlotRecord | null;
};

/** Who can be asked now, in order; and who cannot because of a limit. */
export type Available = { readonly names: readonly string[]; readonly cooling: readonly Cooling[] };
