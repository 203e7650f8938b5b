import type { Answers } from '@onceover/agents/dispatch/answer-schemas';
import type { ConverseEnd } from '@onceover/agents/dispatch/converse';
import type { Budget } from '@onceover/agents/dispatch/limits';
import type { CacheHistory } from '@onceover/agents/economy/cache-life';
import type { costAfterCacheExpiry } from '@onceover/agents/economy/session-cost';
import type { CacheNote } from '@onceover/base/kernel/agent';
import type { ComposedPrompt } from '@onceover/base/kernel/prompt';
import type { PhaseRole } from '@onceover/base/kernel/review-loops';
import type { Feature } from '../read/feature.ts';
import type { ReviewSubject } from '../read/subject.ts';
import type { PhaseNotice, PhasePorts, PhaseRequest } from '../run-types.ts';
import type { Resuming } from '../types.ts';

/**
 * The things that the functions of a running phase share: the request, the ports (access to git, files and agents), and
 * data in memory.
 */
export type PhaseContext = {
  readonly ports: PhasePorts;
  readonly request: PhaseRequest;
  readonly feature: Feature;
  readonly budget: Budget;
  readonly memory: PhaseMemory;
};

/** Data of a running phase that the state machine does not need, so it is not part of `PhaseState`. */
export type PhaseMemory = {
  /** The content under review as it was last read. */
  sight: ReviewSubject;
  /**
   * Prompts for resumed sessions. They were built to measure their length, and are used if the sessions are resumed.
   */
  readonly measured: Map<PhaseRole, ComposedPrompt>;
  /** The last call of each role, for the ledger (the log of calls) and the transcript. */
  readonly talks: Map<PhaseRole, Conversation>;
  /** The number of files that the last fix changed. */
  filesChanged: number;
  /** The test outlines that part A of the test-deepener wrote. Part B needs them. */
  outline: Answers['outline'] | null;
  /** Facts from earlier calls in this repository: about the provider's cache, and about the time between calls. */
  readonly cacheHistory: CacheHistory;
  /** The cost of resuming the session of each role, estimated before the next call. */
  readonly costs: Map<PhaseRole, ReturnType<typeof costAfterCacheExpiry>>;
  /** Whether the agents can resume sessions and, if not, the reason. */
  resuming: Resuming;
  readonly notices: PhaseNotice[];
};

type Conversation = Pick<ConverseEnd<unknown>, 'model' | 'durationMs' | 'exchanges'> & {
  readonly endedAt: number;
  readonly cache: CacheNote | null;
};

export function openMemory({ first, notices }: Feature, history: CacheHistory): PhaseMemory {
  return {
    sight: first,
    measured: new Map(),
    talks: new Map(),
    filesChanged: 0,
    outline: null,
    cacheHistory: history,
    costs: new Map(),
    resuming: { kind: 'unknown' },
    notices: [...notices],
  };
}
