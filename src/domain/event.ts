import type { GateId } from './gate.ts';
import type { Usage } from './usage.ts';
import type { Verdict } from './verdict.ts';

/** What happens while work goes on; one stream feeds console and records. */
export type Event =
  | { readonly kind: 'iteration-started'; readonly iteration: number }
  | { readonly kind: 'gate-started'; readonly gate: GateId }
  | { readonly kind: 'slot-started'; readonly gate: GateId; readonly slot: number; readonly agent: string }
  | { readonly kind: 'slot-active'; readonly gate: GateId; readonly slot: number; readonly doing: string }
  | {
      readonly kind: 'slot-ended';
      readonly gate: GateId;
      readonly slot: number;
      readonly verdict: Verdict;
      readonly usage: Usage | null;
    }
  | { readonly kind: 'gate-ended'; readonly gate: GateId; readonly verdict: Verdict };
