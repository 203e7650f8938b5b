import type { Answers } from '../../dispatch/answer-schemas.ts';
import type { Budget } from '../../dispatch/limits.ts';
import type { ComposedPrompt } from '../../dispatch/prompt.ts';
import type { AgentReply, TranscriptEntry } from '../../kernel/agent.ts';
import type { RepoPath, SnapshotId } from '../../kernel/ids.ts';
import type { PhaseRole } from '../../kernel/review-loops.ts';
import type { Feature } from '../read/feature.ts';
import type { ReviewSubject } from '../read/subject.ts';
import type { PhaseNotice, PhasePorts, PhaseRequest, Resuming, SessionMemo } from '../run-types.ts';

/** A running phase. */
export type PhaseContext = {
  readonly ports: PhasePorts;
  readonly request: PhaseRequest;
  readonly feature: Feature;
  readonly budget: Budget;
  readonly memory: PhaseMemory;
};

/** Facts about a running phase that its state does not hold. */
export type PhaseMemory = {
  /** The content under review, as last read. */
  sight: ReviewSubject;
  readonly sessions: Map<PhaseRole, SessionMemo>;
  /** Resumed prompts that were measured and not yet sent. */
  readonly measured: Map<PhaseRole, ComposedPrompt>;
  /** The current or last conversation per role. */
  readonly talks: Map<PhaseRole, Conversation>;
  /** The working tree before an agent started to edit files. */
  before: { readonly tree: SnapshotId; readonly agentFiles: ReadonlyMap<RepoPath, string> } | null;
  /** The number of files that the last fix changed. */
  filesChanged: number;
  /** Whether the last fix deleted the document. The deletion is not committed. */
  isArtifactGone: boolean;
  outline: Answers['outline'] | null;
  /** The time between rounds of the last loop; null if unknown. */
  readonly gapMs: number | null;
  /** Whether sessions can be resumed, else the first failed test of V1 to V4. */
  resuming: Resuming;
  readonly notices: PhaseNotice[];
};

/** One call to a role, with its retries. */
export type Conversation = {
  readonly prompt: ComposedPrompt;
  readonly last: AgentReply | null;
  /** The model that settings, role or agent named; null if none did. */
  readonly model: string | null;
  /** The time of all attempts. */
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
