import type { Question } from '@onceover/base/kernel/ports';

/** One call to an agent, with everything that a worker on another machine needs to run it. */
export type CallRequest = Pick<
  Question,
  'stable' | 'dynamic' | 'schema' | 'cacheTtl' | 'timeoutSeconds' | 'idleSeconds'
> & {
  readonly agent: string;
  /**
   * A digest of the agent's program, arguments and environment. Only a worker whose own agent has the same digest takes
   * the agent call.
   */
  readonly made: string;
  readonly model: string | null;
  readonly sandbox: boolean;
  readonly mostRetries: number | null;
  /** The git tree of the code under review. `baseTree` is the git tree of its base. */
  readonly tree: string;
  readonly baseTree: string;
};

/**
 * The kind of client that waits for an agent call. A person at a terminal comes before CI, and CI before background
 * work such as `onceover prove`.
 */
export type Urgency = 'person' | 'ci' | 'background';

/**
 * The states of an agent call. `failed` means that the agent gave no answer. Only answers of `answered` calls are
 * shared.
 */
export type CallState = 'waiting' | 'running' | 'answered' | 'failed' | 'cancelled';

/** An agent that a worker offers to clients. */
export type Offer = {
  readonly agent: string;
  readonly made: string;
  readonly version: string;
  /** The model in the worker's own settings for the agent; `null` if unknown. */
  readonly usualModel: string | null;
  /** The name of the login that the worker uses for the agent. Workers with the same account share its limits. */
  readonly account: string;
};

/** The limits of an account for all workers together; `null` means no limit. */
export type AccountLimits = {
  readonly callsAtOnce: number | null;
  readonly callsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
};
