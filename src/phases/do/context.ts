import type { Answers } from '../../dispatch/answer-schemas.ts';
import type { Budget } from '../../dispatch/limits.ts';
import type { ComposedPrompt } from '../../dispatch/prompt.ts';
import type { AgentReply, TranscriptEntry } from '../../kernel/agent.ts';
import type { RepoPath, SnapshotId } from '../../kernel/ids.ts';
import type { PhaseRole } from '../../kernel/review-loops.ts';
import type { Feature } from '../read/feature.ts';
import type { ReviewSubject } from '../read/subject.ts';
import type { PhaseNotice, PhasePorts, PhaseRequest, Resuming, SessionMemo } from '../run-types.ts';

/** The request, ports and data that the functions of a running phase share. */
export type PhaseContext = {
  readonly ports: PhasePorts;
  readonly request: PhaseRequest;
  readonly feature: Feature;
  readonly budget: Budget;
  readonly memory: PhaseMemory;
};

/** Data of a running phase that the state machine does not need, so it is not part of `PhaseState`. */
export type PhaseMemory = {
  /** The content under review, as last read. */
  sight: ReviewSubject;
  readonly sessions: Map<PhaseRole, SessionMemo>;
  /** Prompts for resumed sessions that were built to measure their length, and may be sent next. */
  readonly measured: Map<PhaseRole, ComposedPrompt>;
  /** The current or last conversation per role. */
  readonly talks: Map<PhaseRole, Conversation>;
  /** The working tree before an agent started to edit files; null if no agent is editing. */
  before: { readonly tree: SnapshotId; readonly agentFiles: ReadonlyMap<RepoPath, string> } | null;
  /** The number of files that the last fix changed. */
  filesChanged: number;
  /** Whether the last fix deleted the document under review. If so, the fix is not committed. */
  isArtifactGone: boolean;
  outline: Answers['outline'] | null;
  /**
   * The longest time between two calls to a role in the last loop, which decides the cache duration; null if unknown.
   */
  readonly gapMs: number | null;
  /** Whether the agents can resume sessions; if not, the first resume test (V1 to V4) that failed. */
  resuming: Resuming;
  readonly notices: PhaseNotice[];
};

/** One call to the agent of a role, with its retries. */
export type Conversation = {
  readonly prompt: ComposedPrompt;
  readonly last: AgentReply | null;
  /** The model that settings, role or agent named; null if none did. */
  readonly model: string | null;
  /** The total time of all attempts. */
  readonly durationMs: number;
  readonly exchanges: readonly TranscriptEntry[];
};

export function openMemory(
  { first, notices }: Feature,
  gapMs: number | null,
  sessions: readonly SessionMemo[],
): PhaseMemory {
  return {
    sight: first,
    sessions: new Map(sessions.map((one) => [one.role, one])),
    measured: new Map(),
    talks: new Map(),
    before: null,
    filesChanged: 0,
    isArtifactGone: false,
    outline: null,
    gapMs,
    resuming: { kind: 'unknown' },
    notices: [...notices],
  };
}
