import type { PrefixGate } from '@onceover/agents/dispatch/limits';
import type { CacheHistory } from '@onceover/agents/economy/cache-life';
import type { Cooldown } from '@onceover/base/kernel/agent';
import type { RepoPath, SnapshotId } from '@onceover/base/kernel/ids';
import type { ReviewedTrees, ReviewerFacts, Reviewers } from '@onceover/base/kernel/ports';
import type { Result } from '@onceover/base/kernel/result';
import type { ReviewGate } from '../../gate-types.ts';
import type { GateRun } from '../decide/plan-run.ts';
import type { RunContext, RunFacts } from '../ports.ts';
import { gateSchemaDigest } from './prompt.ts';
import type { IndexedDiff } from './prompt-diff.ts';

/** The data that all reviewers of an iteration share. */
export type IterationContext = RunContext & {
  readonly facts: RunFacts;
  readonly iteration: number;
  readonly reviewers: Reviewers;
  readonly tree: SnapshotId;
  /** A text that identifies the branch's history, so that a later run can tell whether commits were removed since. */
  readonly mark: string | null;
  readonly prefixes: PrefixGate;
  /** The plans of all gates that run in this iteration. */
  readonly plans: readonly GateRun[];
  /** Facts from earlier calls in this repository: about the provider's cache, and about the time between calls. */
  readonly cacheHistory: CacheHistory;
  /** The git trees of both sides of the change, for reviewers that read files from git. */
  readonly trees: ReviewedTrees;
  /** The paths of all changed files. */
  readonly changed: readonly RepoPath[];
  isChanged(path: RepoPath): boolean;
  /** Returns the text of a file under review; `null` if there is none. Each file is read only once. */
  text(path: RepoPath): Promise<Result<string | null>>;
  /** Returns the diff from a tree to the current tree. Each diff is computed only once. */
  diff(from: string, contextLines: number): Promise<Result<IndexedDiff>>;
};

/** Returns the agents that can run a gate now, in order of preference, and the agents that are in a cooldown. */
export async function availableAgents(
  { ports, reviewers }: Pick<IterationContext, 'ports' | 'reviewers'>,
  gate: ReviewGate,
): Promise<{ readonly names: readonly string[]; readonly cooling: readonly Cooldown[] }> {
  const candidates = (gate.agents ?? reviewers.names).filter(
    (name) => reviewers.found.includes(name) && reviewers.refused?.has(name) !== true,
  );
  const cooling = (await ports.cooldowns.all(ports.clock.now())).filter(({ agent }) => candidates.includes(agent));
  return { names: candidates.filter((name) => !cooling.some(({ agent }) => agent === name)), cooling };
}

/**
 * Returns a digest of the inputs that must stay the same in a session: tools, answer schema and the reviewer's
 * instructions.
 */
export function slotFingerprint(
  facts: Pick<ReviewerFacts, 'toolsDigest' | 'forksCached'>,
  { rubric }: ReviewGate,
): string {
  return `${readingFingerprint(facts)}:${rubric.digest}`;
}

/**
 * Returns a digest of the inputs that must stay the same in a session that only reads files: tools and answer schema.
 */
export function readingFingerprint(facts: Pick<ReviewerFacts, 'toolsDigest' | 'forksCached'>): string {
  return `${facts.toolsDigest}:${gateSchemaDigest(facts)}`;
}
