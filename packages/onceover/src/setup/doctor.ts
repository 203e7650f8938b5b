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
  const known = await knownAgents(project.ok ? project.value.settings.agent : {}, process.env, root);
  // Only a person may end cooldowns. A process that a run started is not a person, so it cannot end those of its own
  // run.
  const isPerson = process.env[ACTIVE] === undefined;
  const lifted = project.ok && isPerson ? await openCooldowns(project.value.place.commonDir).lift(new Date()) : ok([]);
  if (!lifted.ok) return lifted;
  const capabilities = project.ok ? openCapabilities(project.value.place.commonDir) : null;
  if (options.resume !== null && project.ok && capabilities !== null) {
    const { place } = project.value;
    const tested = await testResume(known, { ...options, resume: options.resume }, capabilities, place);
    if (!tested.ok) return tested;
  }
  const probed = capabilities?.probed() ?? [];
  const tested = testedVersions(known.map(({ agent }) => agent));
  const agents = await Promise.all(
    known.map((one) =>
      reportAgent(one, root, ({ name, abilities }, version) => ({
        resume: resumeAbility({ name, version }, { probed, tested }),
        fork: forkAbility({ name, version, fork: abilities.fork }, { probed, tested }),
      })),
    ),
  );
  const bubblewrap = findProgram('bwrap', process.env['PATH'] ?? '', root);
  const command = ownCommand(root, process);
  const { node } = process.versions;
  return ok({ agents, git: await gitVersion(cwd), bubblewrap, node, command, lifted: lifted.value });
}

async function testResume(
  known: readonly KnownAgent[],
  options: DoctorOptions & { readonly resume: string },
  capabilities: Capabilities,
  { root, commonDir }: RepositoryPaths,
): Promise<Result<void>> {
  const named = known.filter(({ agent }) => options.resume === 'all' || agent.name === options.resume);
  if (named.length === 0)
    return err({ kind: 'unknown-agent', name: options.resume, known: known.map((one) => one.agent.name) });
  for (const one of named) {
    const { program, agent } = one;
    // Do not test a custom command, because a call to it could cost any amount. Users set "resume: true" for it
    // themselves.
    if (isCustomCommand(one) || isApiAgent(one)) continue;
    if (program === null) {
      if (options.resume === 'all') continue;
      const failure = { kind: 'not-found', program: one.settings?.path ?? agent.program } as const;
      return err({ kind: 'agent-not-tried', agent: agent.name, failure });
    }
    options.tell?.(agent.name);
    const version = (await installedVersion(one, root)) ?? 'unknown';
    const outcome = await probeInstalled({ ...one, program }, version, { signal: options.signal });
    const paid = await openLedger(commonDir).add(probeEntry(outcome.cost, 'person', new Date()));
    if (!paid.ok) return paid;
    if (outcome.kind === 'not-tried')
      return err({ kind: 'agent-not-tried', agent: agent.name, failure: outcome.failure });
    const kept = capabilities.keep(outcome.result);
    if (!kept.ok) return kept;
  }
  return ok(undefined);
}
