import type { AgentReply, Exchange } from '../domain/agent.ts';
import type { RepoPath, SnapshotId } from '../domain/brand.ts';
import type { Resuming } from '../domain/meta.ts';
import type { PhaseRole } from '../domain/phase.ts';
import type { PhaseNotice, SessionMemo } from '../domain/phase-run.ts';
import type { Usage } from '../domain/usage.ts';
import type { Answers } from '../prompt/answers.ts';
import type { ComposedPrompt } from '../prompt/compose.ts';
import type { Budget } from './budget.ts';
import type { Feature } from './phase-feature.ts';
import type { Sight } from './phase-look.ts';
import type { PhasePorts, PhaseRequest } from './phase-ports.ts';

/** A phase that is being played. */
export type Playing = {
  readonly ports: PhasePorts;
  readonly request: PhaseRequest;
  readonly feature: Feature;
  readonly budget: Budget;
  readonly memory: PhaseMemory;
};

/** What is remembered while it is played, beside where it stands. */
export type PhaseMemory = {
  /** What was looked at last. */
  sight: Sight;
  readonly sessions: Map<PhaseRole, SessionMemo>;
  /** The prompts that were measured, until they are sent. */
  readonly measured: Map<PhaseRole, ComposedPrompt>;
  /** What each role is being asked, or was asked last. */
  readonly talks: Map<PhaseRole, Talk>;
  /** What was there before somebody began to write. */
  before: { readonly tree: SnapshotId; readonly agentFiles: ReadonlyMap<RepoPath, string> } | null;
  /** How many files the last fix changed. */
  filesChanged: number;
  /** Whether the last fix took the document away: that is not committed. */
  isArtifactGone: boolean;
  outline: Answers['outline'] | null;
  /** The time between rounds of the last loop, where that is known. */
  readonly gapMs: number | null;
  /** Whether sessions are resumed, or which of V1 to V4 an agent failed: the first one that did. */
  resuming: Resuming;
  readonly notices: PhaseNotice[];
};

/** All questions of one dispatch. */
export type Talk = {
  readonly prompt: ComposedPrompt;
  readonly last: AgentReply | null;
  /** The model, where settings, role or agent named it. */
  readonly model: string | null;
  readonly durationMs: number;
  /** Characters of all that was sent, and what all of it used. */
  readonly promptChars: number;
  readonly usage: Usage | null;
  readonly exchanges: readonly Exchange[];
};

export function openMemory(sight: Sight, gapMs: number | null, sessions: readonly SessionMemo[]): PhaseMemory {
  return {
    sight,
    sessions: new Map(sessions.map((one) => [one.role, one])),
    measured: new Map(),
    talks: new Map(),
    before: null,
    filesChanged: 0,
    isArtifactGone: false,
    outline: null,
    gapMs,
    resuming: { kind: 'unknown' },
    notices: [],
  };
}
