import type { AgentFailure } from './agent.ts';
import type { DispatchPlan } from './dispatch.ts';
import type { GateId } from './gate.ts';
import type { Fix } from './loop.ts';
import type { LoopDispatchReason, PhaseName, PhaseRole, PhaseStage } from './phase.ts';
import type { SlotTrouble } from './record.ts';
import type { SlotPlan } from './slot.ts';
import type { Usage } from './usage.ts';

/** What happens while work goes on; one stream feeds console and records. */
export type Event =
  | { readonly kind: 'iteration-started'; readonly iteration: number; readonly gates: number; readonly slots: number }
  | { readonly kind: 'check-started'; readonly gate: GateId; readonly command: string }
  | {
      readonly kind: 'check-ended';
      readonly gate: GateId;
      readonly status: 'pass' | 'fail' | 'error';
      readonly why: string | null;
      readonly durationMs: number;
    }
  | {
      readonly kind: 'fix-started';
      readonly round: number;
      readonly agent: string;
      readonly dispatch: 'fresh' | 'resumed';
      readonly findings: number;
      readonly checks: number;
    }
  | { readonly kind: 'fix-active'; readonly doing: string | null; readonly usage: Usage | null }
  | {
      readonly kind: 'fix-ended';
      readonly agent: string;
      readonly fix: Fix;
    }
  | { readonly kind: 'slot-planned'; readonly gate: GateId; readonly plan: SlotPlan }
  | {
      readonly kind: 'slot-started';
      readonly gate: GateId;
      readonly slot: number;
      readonly agent: string;
      readonly dispatch: DispatchPlan;
    }
  | {
      readonly kind: 'slot-active';
      readonly gate: GateId;
      readonly slot: number;
      readonly doing: string | null;
      readonly usage: Usage | null;
    }
  | {
      readonly kind: 'slot-asked-again';
      readonly gate: GateId;
      readonly slot: number;
      readonly agent: string;
      readonly mode: 'fresh' | 'repair' | 'other-agent';
      readonly because: AgentFailure;
    }
  | {
      readonly kind: 'slot-ended';
      readonly gate: GateId;
      readonly slot: number;
      readonly agent: string;
      readonly status: 'pass' | 'fail' | 'error';
      readonly open: number;
      readonly warnings: number;
      readonly trouble: SlotTrouble | null;
      readonly usage: Usage | null;
      readonly durationMs: number;
    }
  | {
      readonly kind: 'round-started';
      readonly phase: PhaseName;
      readonly stage: PhaseStage;
      readonly iteration: number;
      readonly most: number;
      readonly isFinalValidation: boolean;
      /** Who looks, and who rests since which iteration. */
      readonly roles: readonly PhaseRole[];
      readonly resting: readonly { readonly role: PhaseRole; readonly passedAt: number }[];
    }
  | {
      readonly kind: 'look-started';
      readonly role: PhaseRole;
      readonly part: 'A' | 'B' | null;
      /** What the dispatch is called. */
      readonly label: string;
      readonly agent: string;
      readonly model: string | null;
      readonly dispatch: 'fresh' | 'resumed';
      readonly why: LoopDispatchReason;
    }
  | {
      readonly kind: 'look-active';
      readonly role: PhaseRole;
      readonly doing: string | null;
      readonly usage: Usage | null;
    }
  | {
      readonly kind: 'look-asked-again';
      readonly role: PhaseRole;
      readonly agent: string;
      readonly mode: 'fresh' | 'repair' | 'other-agent';
      readonly because: AgentFailure;
    }
  | {
      readonly kind: 'look-ended';
      readonly role: PhaseRole;
      readonly agent: string;
      /** done: whoever writes has answered. */
      readonly status: 'pass' | 'fail' | 'error' | 'done';
      readonly blockers: number;
      readonly warnings: number;
      readonly suggestions: number;
      readonly failure: AgentFailure | null;
      readonly usage: Usage | null;
      readonly durationMs: number;
    }
  /** said: why it failed; null: it is done. */
  | { readonly kind: 'committed'; readonly message: string; readonly files: number; readonly said: string | null };
