import type { CommitId } from '@onceover/base/kernel/ids';
import type { Reviewers } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import type { Settings } from '@onceover/repo/config/settings';
import { foundForPullRequest } from '../adapters/from-base.ts';
import { knownAgents, testedVersions } from '../adapters/installed.ts';
import { openReviewers } from '../adapters/reviewers.ts';
import { ensureResumable, forkAbility, openCapabilities, type ProbeCost, probeInstalled } from './resume-probe.ts';

/** Returns a failure if the agent is not installed or if onceover cannot let it edit files. */
export async function checkFixer(reviewers: Reviewers, name: string): Promise<Result<void>> {
  const { found } = reviewers;
  const agent = reviewers.missing.find((missingAgent) => missingAgent.name === name);
  if (agent !== undefined) return err({ kind: 'agent-not-installed', agent });
  if (!found.includes(name)) return err({ kind: 'unknown-agent', name, known: found });
  const able = await agentsThatCanFix(reviewers, found);
  return able.includes(name) ? ok(undefined) : err({ kind: 'cannot-fix', name, able });
}

/** Returns those of the given agents that onceover can let edit files. */
export async function agentsThatCanFix(reviewers: Reviewers, names: readonly string[]): Promise<readonly string[]> {
  const able = await Promise.all(names.map(async (name) => ((await reviewers.describe(name)).canFix ? [name] : [])));
  return able.flat();
}

type ReviewerOptions = {
  readonly stop: AbortSignal | null;
  readonly base: CommitId | null;
  paid(cost: ProbeCost): Promise<unknown>;
};

/**
 * Opens the agents of this machine as reviewers. An agent version that onceover does not know is tested before its
 * first session is resumed; `paid` is called with the cost of that test. On a pull request, `base` is the commit of the
 * base branch that the settings come from, so that the change under review cannot decide which commands run.
 */
export async function openReviewersFor(
  repository: RepositoryPaths,
  settings: Settings,
  { stop, base, paid }: ReviewerOptions,
): Promise<Reviewers> {
  const { root, commonDir } = repository;
  const agents = await knownAgents(settings.agent, process.env, root);
  const usableAgents =
    base === null
      ? agents
      : agents.map((knownAgent) => foundForPullRequest(knownAgent, root, process.env['PATH'] ?? ''));
  const capabilities = openCapabilities(commonDir);
  return openReviewers({
    known: usableAgents,
    root,
    commonDir,
    repository,
    preference: settings.agents,
    base,
    forkable(agent, version) {
      const { name, abilities } = agent;
      const results = { probed: capabilities.probed(), tested: testedVersions([agent]) };
      return forkAbility({ name, version, fork: abilities.fork }, results).kind === 'yes';
    },
    async resumable(name, version) {
      const knownAgent = usableAgents.find(({ agent }) => agent.name === name);
      const program = knownAgent?.program ?? null;
      if (knownAgent === undefined || program === null) return { kind: 'unknown' };
      const probe = async () => {
        const outcome = await probeInstalled({ ...knownAgent, program }, version, { signal: stop });
        await paid(outcome.cost);
        return outcome;
      };
      return ensureResumable({ name, version }, { capabilities, tested: testedVersions([knownAgent.agent]), probe });
    },
  });
}
