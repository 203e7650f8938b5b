import type { FixProgress } from '../dispatch/fix-progress.ts';
import type { AgentFailure, DispatchPlan, SlotTrouble, Usage } from '../kernel/agent.ts';
import type { GateId } from '../kernel/ids.ts';
import type { SlotPlan } from './types.ts';

type OfSlot = { readonly gate: GateId; readonly slot: number };

export type RunProgress =
  | FixProgress
  | { readonly kind: 'iteration-started'; readonly iteration: number; readonly gates: number; readonly slots: number }
  | { readonly kind: 'check-started'; readonly gate: GateId; readonly command: string }
  | {
      readonly kind: 'check-ended';
      readonly gate: GateId;
      readonly status: 'pass' | 'fail' | 'error';
      readonly why: string | null;
      readonly durationMs: number;
    }
  | { readonly kind: 'slot-planned'; readonly gate: GateId; readonly plan: SlotPlan }
  | (OfSlot & { readonly kind: 'slot-started'; readonly agent: string; readonly dispatch: DispatchPlan })
  | (OfSlot & { readonly kind: 'slot-active'; readonly doing: string | null; readonly usage: Usage | null })
  | (OfSlot & {
      readonly kind: 'slot-asked-again';
      readonly agent: string;
      readonly mode: 'fresh' | 'repair' | 'other-agent';
      readonly because: AgentFailure;
    })
  | (OfSlot & {
      readonly kind: 'slot-ended';
      readonly agent: string;
      readonly status: 'pass' | 'fail' | 'error';
      readonly open: number;
      readonly warnings: number;
      readonly trouble: SlotTrouble | null;
      readonly usage: Usage | null;
      readonly durationMs: number;
    });
