import type { AgentFailure } from '../kernel/agent.ts';
import type { AccountLimits } from '../remote/types.ts';

/** An event of a worker, for its log. */
export type WorkerEvent =
  | { readonly kind: 'started'; readonly name: string; readonly agents: readonly string[]; readonly atOnce: number }
  | { readonly kind: 'call-started'; readonly call: string; readonly agent: string }
  | {
      readonly kind: 'call-ended';
      readonly call: string;
      readonly agent: string;
      /** `dropped`: the call ended without this worker, because it was cancelled or another worker answered it. */
      readonly outcome: 'answered' | 'failed' | 'put-back' | 'dropped';
      readonly failure: AgentFailure | null;
      readonly durationMs: number;
    }
  | { readonly kind: 'limit'; readonly account: string; readonly until: Date }
  | { readonly kind: 'store-lost'; readonly said: string }
  | { readonly kind: 'store-back' }
  | { readonly kind: 'stopping'; readonly running: number }
  | { readonly kind: 'stopped' };

export type WorkerOptions = {
  readonly name: string;
  /** The agents that the operator allows. The worker runs nothing else. */
  readonly agents: readonly string[];
  /** The folder whose `onceover.yml` has the settings of the operator for these agents; `null` for none. */
  readonly settingsFolder: string | null;
  readonly atOnce: number;
  /** The login that the agents use; `null`: one per agent, with the agent's name. */
  readonly account: string | null;
  readonly limits: AccountLimits;
  readonly heartbeatSeconds: number;
  /** The folder for checkouts and for answers that are not stored yet; `null` for the default. */
  readonly folder: string | null;
  /** Ends the worker after its running calls. */
  readonly stop: AbortSignal;
  /** Also stops the running calls and puts them back into the queue. */
  readonly stopNow: AbortSignal;
  tell(event: WorkerEvent): void;
};
