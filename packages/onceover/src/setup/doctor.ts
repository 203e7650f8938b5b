import { isApiAgent } from '@onceover/agents/adapters/api-agent';
import {
  findProgram,
  installedVersion,
  isCustomCommand,
  type KnownAgent,
  knownAgents,
  reportAgent,
  testedVersions,
} from '@onceover/agents/adapters/installed';
import { openCooldowns } from '@onceover/agents/dispatch/cooldowns';
import {
  type Capabilities,
  forkAbility,
  openCapabilities,
  probeInstalled,
  resumeAbility,
} from '@onceover/agents/dispatch/resume-probe';
import { probeEntry } from '@onceover/agents/ledger/entries';
import { openLedger } from '@onceover/agents/ledger/store';
import { ACTIVE } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { ownCommand } from '@onceover/base/platform/own-program';
import { openProject } from '@onceover/gates/rules/load';
import { gitVersion } from '@onceover/repo/git/locate';
import type { DoctorReport } from './types.ts';

export type DoctorOptions = {
  /** The agent for which to test whether it can resume sessions; 'all' for every agent, null for none. */
  readonly resume: string | null;
  readonly signal: AbortSignal | null;
  /** Called with the name of each agent before its test. */
  tell?(agent: string): void;
};

/** Returns the known agents and what each can do. With `resume`, first tests whether agents can resume a session. */
export async function doctor(cwd: string, options: DoctorOptions): Promise<Result<DoctorReport>> {
  // Outside a repository there are no settings, but the agents of this machine can still be reported.
  const project = await openProject(cwd);
  if (!project.ok && (project.failure.kind !== 'not-a-repository' || options.resume !== null)) return project;
  const root = project.ok ? project.value.place.root : cwd;
  const allAgents = await knownAgents(project.ok ? project.value.settings.agent : {}, process.env, root);
  // Only a person may end cooldowns. A process that a run started is not a person, so it cannot end those of its own
  // run.
  const isPerson = process.env[ACTIVE] === undefined;
  const cooldowns =
    project.ok && isPerson ? await openCooldowns(project.value.place.commonDir).lift(new Date()) : ok([]);
  if (!cooldowns.ok) return cooldowns;
  const capabilities = project.ok ? openCapabilities(project.value.place.commonDir) : null;
  if (options.resume !== null && project.ok && capabilities !== null) {
    const { place } = project.value;
    const testResult = await testResume(allAgents, { ...options, resume: options.resume }, capabilities, place);
    if (!testResult.ok) return testResult;
  }
  const probes = capabilities?.probed() ?? [];
  const versions = testedVersions(allAgents.map(({ agent }) => agent));
  const agents = await Promise.all(
    allAgents.map((knownAgent) =>
      reportAgent(knownAgent, root, ({ name, abilities }, version) => ({
        resume: resumeAbility({ name, version }, { probed: probes, tested: versions }),
        fork: forkAbility({ name, version, fork: abilities.fork }, { probed: probes, tested: versions }),
      })),
    ),
  );
  const bubblewrap = findProgram('bwrap', process.env['PATH'] ?? '', root);
  const command = ownCommand(root, process);
  const { node } = process.versions;
  return ok({ agents, git: await gitVersion(cwd), bubblewrap, node, command, lifted: cooldowns.value });
}

async function testResume(
  agents: readonly KnownAgent[],
  options: DoctorOptions & { readonly resume: string },
  capabilities: Capabilities,
  { root, commonDir }: RepositoryPaths,
): Promise<Result<void>> {
  const selection = agents.filter(({ agent }) => options.resume === 'all' || agent.name === options.resume);
  if (selection.length === 0)
    return err({
      kind: 'unknown-agent',
      name: options.resume,
      known: agents.map((knownAgent) => knownAgent.agent.name),
    });
  for (const knownAgent of selection) {
    const { program, agent } = knownAgent;
    // Do not test a custom command, because a call to it could cost any amount. Users set "resume: true" for it
    // themselves.
    if (isCustomCommand(knownAgent) || isApiAgent(knownAgent)) continue;
    if (program === null) {
      if (options.resume === 'all') continue;
      const failure = { kind: 'not-found', program: knownAgent.settings?.path ?? agent.program } as const;
      return err({ kind: 'agent-not-tried', agent: agent.name, failure });
    }
    options.tell?.(agent.name);
    const version = (await installedVersion(knownAgent, root)) ?? 'unknown';
    const outcome = await probeInstalled({ ...knownAgent, program }, version, { signal: options.signal });
    const ledgerResult = await openLedger(commonDir).add(probeEntry(outcome.cost, 'person', new Date()));
    if (!ledgerResult.ok) return ledgerResult;
    if (outcome.kind === 'not-tried')
      return err({ kind: 'agent-not-tried', agent: agent.name, failure: outcome.failure });
    const keepResult = capabilities.keep(outcome.result);
    if (!keepResult.ok) return keepResult;
  }
  return ok(undefined);
}
