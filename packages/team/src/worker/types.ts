import type { AccountLimits } from '@onceover/agents/remote/types';
import type { AgentFailure } from '@onceover/base/kernel/agent';

/** Something that happened in the worker, for its log. */
export type WorkerEvent =
  | { readonly kind: 'started'; readonly name: string; readonly agents: readonly string[]; readonly atOnce: number }
  | { readonly kind: 'call-started'; readonly call: string; readonly agent: string }
  | {
      readonly kind: 'call-ended';
      readonly call: string;
      readonly agent: string;
      /**
       * `dropped` means that this worker's result is not needed: the agent call was cancelled, or another worker
       * answered it.
       */
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
  /** The agents that the operator allows. The worker runs no others. */
  readonly agents: readonly string[];
  /** The folder whose `onceover.yml` has the operator's settings for these agents; `null` if there is none. */
  readonly settingsFolder: string | null;
  readonly atOnce: number;
  /**
   * The name of the login that all agents share; `null` if each agent uses its own login. Such a login is named after
   * its agent.
   */
  readonly account: string | null;
  readonly limits: AccountLimits;
  readonly heartbeatSeconds: number;
  /** The folder for checkouts and for answers that the team store does not have yet; `null` for the default. */
  readonly folder: string | null;
  /**
   * When this signal aborts, the worker takes no more agent calls, and ends as soon as its current calls have ended.
   */
  readonly stop: AbortSignal;
  /** When this signal aborts, the worker also stops its current calls and puts them back into the queue. */
  readonly stopNow: AbortSignal;
  tell(event: WorkerEvent): void;
};
