import type { Question } from '../kernel/ports.ts';

/** One call to an agent, with everything that a worker on another machine needs for it. */
export type CallRequest = Pick<
  Question,
  'stable' | 'dynamic' | 'schema' | 'cacheTtl' | 'timeoutSeconds' | 'idleSeconds'
> & {
  readonly agent: string;
  /** Identifies the agent's program, arguments and environment. Only a worker whose own agent has the same takes the call. */
  readonly made: string;
  readonly model: string | null;
  readonly sandbox: boolean;
  readonly mostRetries: number | null;
  /** The git tree under review, and the tree of its base. */
  readonly tree: string;
  readonly baseTree: string;
};

/** The order of calls that wait: someone who waits at a terminal comes before CI, and CI before proofs and audits. */
export type Urgency = 'person' | 'ci' | 'background';

/** The states of a call. `failed`: the agent gave no answer. Only `answered` calls are used again. */
export type CallState = 'waiting' | 'running' | 'answered' | 'failed' | 'cancelled';

/** An agent that a worker offers. */
export type Offer = {
  readonly agent: string;
  readonly made: string;
  readonly version: string;
  /** The model in the agent's own settings on the worker; `null` if unknown. */
  readonly usualModel: string | null;
  /** The login that the worker uses. Workers with the same account share its limits. */
  readonly account: string;
};

/** The limits of an account, over all workers; `null` for no limit. */
export type AccountLimits = {
  readonly callsAtOnce: number | null;
  readonly callsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
};
