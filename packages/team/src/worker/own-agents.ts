import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { notCalled } from '@onceover/agents/adapters/call-agent';
import { foundForPullRequest } from '@onceover/agents/adapters/from-base';
import { type KnownAgent, knownAgents, missingAgents } from '@onceover/agents/adapters/installed';
import { openReviewers, usualModelOf, versionOf } from '@onceover/agents/adapters/reviewers';
import { madeBy, withoutFolder } from '@onceover/agents/remote/decide-call';
import type { CallRequest, Offer } from '@onceover/agents/remote/types';
import type { SnapshotId } from '@onceover/base/kernel/ids';
import type { AskEnd, AskOptions } from '@onceover/base/kernel/ports';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { version } from '@onceover/base/version';
import { loadSettings, openParsedFiles } from '@onceover/repo/config/read-file';
import { findRepository } from '@onceover/repo/git/locate';
import { diskFiles } from '@onceover/repo/git/tree-files';
import type { WorkerOptions } from './types.ts';

/** An agent installed on this machine, with the offer that the worker registers so that clients can use it. */
export type OwnAgent = { readonly offer: Offer; readonly known: KnownAgent };

/** Returns the agents that the operator named. Fails if one of them is unknown or not installed. */
export async function findOwnAgents({
  agents,
  settingsFolder,
  account,
}: Pick<WorkerOptions, 'agents' | 'settingsFolder' | 'account'>): Promise<Result<readonly OwnAgent[]>> {
  const root = resolve(settingsFolder ?? tmpdir());
  const settings =
    settingsFolder === null ? null : await loadSettings(diskFiles(root), openParsedFiles(join(root, 'none'), version));
  if (settings?.ok === false) return settings;
  const allAgents = await knownAgents(settings?.value.agent ?? {}, process.env, root);
  const missing = missingAgents(allAgents, root);
  const ownAgents: OwnAgent[] = [];
  for (const name of agents) {
    const knownAgent = allAgents.find(({ agent }) => agent.name === name);
    if (knownAgent === undefined)
      return err({ kind: 'unknown-agent', name, known: allAgents.map(({ agent }) => agent.name) });
    const absent = missing.find((agent) => agent.name === name);
    if (absent !== undefined) return err({ kind: 'agent-not-installed', agent: absent });
    const offer: Offer = {
      agent: name,
      made: madeBy(knownAgent.settings),
      version: (await versionOf(knownAgent, (_, ask) => ask(), root)) ?? 'unknown',
      usualModel: usualModelOf(knownAgent),
      // Limits count per account. Add the agent's name, so that a provider that refuses one agent does not stop the
      // other agents.
      account: account === null ? name : `${account}/${name}`,
    };
    ownAgents.push({ offer, known: knownAgent });
  }
  return ok(ownAgents);
}

/**
 * Calls an agent in a checkout, on behalf of a client. Only the model and the sandbox are taken from the client's
 * settings.
 */
export async function callOwnAgent(
  { known, offer }: OwnAgent,
  request: CallRequest,
  folder: string,
  options: Pick<AskOptions, 'stop' | 'watch'>,
): Promise<AskEnd> {
  // The worker takes only agent calls for its own agents. Check again, because a manipulated store must not choose
  // another program.
  if (request.agent !== offer.agent || request.made !== offer.made)
    return notCalled({ kind: 'agent-error', said: 'the worker does not offer this agent' });
  const place = await findRepository(folder);
  if (!place.ok) return notCalled({ kind: 'agent-error', said: 'git cannot read the checkout' });
  const { agent, settings } = known;
  const noSettings = { command: null, path: null, resume: false, env: {}, timeoutSeconds: null };
  const callSettings = {
    ...noSettings,
    ...settings,
    model: request.model,
    sandbox: request.sandbox || settings?.sandbox === true,
  };
  const reviewers = openReviewers({
    known: [foundForPullRequest({ ...known, settings: callSettings }, folder, process.env['PATH'] ?? '')],
    root: folder,
    commonDir: place.value.commonDir,
    repository: place.value,
    preference: null,
    resumable: async () => ({ kind: 'unknown' }),
  });
  const { stable, dynamic, schema, cacheTtl, timeoutSeconds, idleSeconds, mostRetries } = request;
  const question = {
    ...{ stable, dynamic, schema, cacheTtl, timeoutSeconds, idleSeconds, sessionId: null, usedBefore: null },
    ...(mostRetries === null ? {} : { mostRetries }),
  };
  const trees = { head: request.tree as SnapshotId, base: request.baseTree, hidden: [] };
  return withoutFolder(await reviewers.ask(agent.name, { ...question, trees }, options), folder);
}
