import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { AgentReport, AgentSettings, MissingAgent, ResumeResult } from '@onceover/base/kernel/agent';
import { ACTIVE } from '@onceover/base/kernel/ports';
import { isAmount, isString, readShape, type Shaped } from '@onceover/base/kernel/shape';
import { tryDisk } from '@onceover/base/platform/files';
import { openListFile } from '@onceover/base/platform/private-files';
import { findOnPath, isProgram } from '@onceover/base/platform/program';
import { withoutSecrets } from '@onceover/base/platform/secret-variables';
import { readAccess, runBriefly, UNKNOWN_ACCESS } from './access.ts';
import type { Agent } from './agent.ts';
import { API_VERSION, apiAgent, isApiAgent } from './api-agent.ts';
import { commandAgent } from './command.ts';
import { loadAgents } from './table.ts';

/**
 * Returns the path of a program: `name` itself if it is a path, otherwise the first match on PATH; `null` if there is
 * none.
 */
export function findProgram(name: string, path: string, cwd: string): string | null {
  if (!name.includes('/')) return findOnPath(name, path);
  const absolutePath = isAbsolute(name) ? name : resolve(cwd, name);
  return isProgram(absolutePath) ? absolutePath : null;
}

/** Runs `<program> --version` and returns the version; `null` if the command fails or prints no version. */
export async function programVersion(
  program: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<string | null> {
  const end = await runBriefly(program, ['--version'], env, cwd);
  return end?.code === 0 ? (/\d+\.\d+\.\d+[-+.\w]*/.exec(end.output)?.[0] ?? null) : null;
}

/** Returns the version of an installed agent that is not a custom command; `null` if its program reports none. */
export async function installedVersion(
  { program, env, settings }: Pick<KnownAgent, 'program' | 'env' | 'settings'>,
  root: string,
  versions: Versions = (_, ask) => ask(),
): Promise<string | null> {
  if (program === null) return null;
  const version = await versions(program, () => programVersion(program, env, root));
  if (version === null || settings?.acp == null) return version;
  return (await import('./acp.ts')).acpVersion(version, settings.acp);
}

/** Environment variables that name a proxy, or the addresses that need no proxy. */
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

/**
 * Environment variables that every program may need, for example for the home folder, the language, proxies and
 * certificates.
 */
const ALWAYS: readonly string[] = [
  ...['HOME', 'PATH', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_*', 'TZ', 'TERM', 'TMPDIR', 'XDG_*'],
  ...[...PROXIES, 'ALL_PROXY', 'all_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
  ...['DBUS_SESSION_BUS_ADDRESS', 'SSH_AUTH_SOCK'],
];

/**
 * Returns the environment variables that an agent gets: general ones, and those in `needs`. A `*` in `needs` is a
 * wildcard.
 */
export function agentEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  needs: readonly string[],
): Record<string, string> {
  const allowedNames = [...ALWAYS, ...needs];
  const passes = (name: string) =>
    allowedNames.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
  const entries = Object.entries(withoutSecrets(environment)).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && passes(entry[0]),
  );
  return { [ACTIVE]: '1', ...Object.fromEntries(entries) };
}

/** An agent with its program on this machine and the user's settings for it. */
export type KnownAgent = {
  readonly agent: Agent;
  readonly settings: AgentSettings | null;
  /** The path of the program; `null` if it was not found. */
  readonly program: string | null;
  readonly env: Readonly<Record<string, string>>;
};

/**
 * Returns the built-in agents and those that the settings define. If both have the same name, the one in the settings
 * counts.
 */
export async function knownAgents(
  settings: Readonly<Record<string, AgentSettings>>,
  environment: Readonly<Record<string, string | undefined>>,
  root: string,
): Promise<readonly KnownAgent[]> {
  const { acpAgent } = await acpOf(settings);
  const definedAgents = Object.entries(settings).flatMap(([name, { command, resume, api = null, acp }]) => {
    if (api !== null) return [apiAgent(name, api)];
    const [server, ...words] = acp ?? [];
    if (server !== undefined) return acpAgent === null ? [] : [acpAgent(name, [server, ...words])];
    const [program, ...args] = command ?? [];
    return program === undefined ? [] : [commandAgent({ name, command: [program, ...args], resume })];
  });
  const builtIn = (await loadAgents()).filter(
    ({ name }) => !definedAgents.some((definedAgent) => definedAgent.name === name),
  );
  return [...builtIn, ...definedAgents].map((agent) => {
    const agentSettings = settings[agent.name] ?? null;
    if (agentSettings?.api != null) {
      const env = onlyOf(environment, [...agent.variables, ...PROXIES]);
      return { agent, settings: agentSettings, program: agent.program, env };
    }
    return {
      agent,
      settings: agentSettings,
      program: findProgram(agentSettings?.path ?? agent.program, environment['PATH'] ?? '', root),
      env: { ...agentEnvironment(environment, agent.variables), ...agentSettings?.env },
    };
  });
}

// Load the code for ACP only if the settings define an agent that uses this protocol.
async function acpOf(settings: Readonly<Record<string, AgentSettings>>) {
  const isUsed = Object.values(settings).some(({ acp }) => acp != null);
  return isUsed ? import('./acp.ts') : { acpAgent: null };
}

function onlyOf(
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, environment[name] ?? '']));
}

/** Returns the agents whose program was not found or is not executable. */
export function missingAgents(agents: readonly KnownAgent[], root: string): readonly MissingAgent[] {
  return agents
    .filter(({ program }) => program === null)
    .map(({ agent, settings }) => {
      const program = settings?.path ?? agent.program;
      const stats = program.includes('/') ? statSync(resolve(root, program), { throwIfNoEntry: false }) : undefined;
      return { name: agent.name, program, isFile: stats?.isFile() === true, install: agent.install };
    });
}

/** Whether the agent is a custom command from the settings. */
export function isCustomCommand({ settings }: Pick<KnownAgent, 'settings'>): boolean {
  return settings?.command != null;
}

/**
 * Returns the results of the resume tests (see `probeResume`) that come with onceover, for the tested agent versions.
 */
export function testedVersions(agents: readonly Agent[]): readonly ResumeResult[] {
  return agents.flatMap((builtInAgent) => {
    const { name: agent, testedVersion: version, resumeFailure: failure = null, abilities } = builtInAgent;
    if (version === null) return [];
    const fork = abilities.fork === 'none' ? {} : { forkFailed: builtInAgent.forkFailure ?? null };
    return [{ agent, version, failed: failure, freshMs: null, resumedMs: null, ...fork }];
  });
}

/** Returns what `onceover doctor` shows about an agent. Custom commands are not started. */
export async function reportAgent(
  knownAgent: KnownAgent,
  root: string,
  ability: (agent: Agent, version: string | null) => Pick<AgentReport, 'resume' | 'fork'>,
): Promise<AgentReport> {
  const { agent, program, settings } = knownAgent;
  const { name, testedVersion, abilities, install } = agent;
  const common = { name, program, testedVersion, abilities, install, logIn: agent.access?.logIn ?? null };
  if (isApiAgent(knownAgent)) {
    const { openFetch } = await import('@onceover/base/platform/proxy');
    const { login, service } = await readAccess(knownAgent, null, root, openFetch(knownAgent.env));
    const always = { kind: 'yes', from: 'tested' } as const;
    return { ...common, version: API_VERSION, resume: always, fork: always, login, service };
  }
  if (!isCustomCommand(knownAgent)) {
    const version = await installedVersion(knownAgent, root);
    const { login, service } = await readAccess(knownAgent, version, root);
    return { ...common, version, ...ability(agent, version), login, service };
  }
  const declaredResume: AgentReport['resume'] =
    settings?.resume === true
      ? { kind: 'yes', from: 'config' }
      : { kind: 'no', from: 'config', why: 'onceover.yml does not set "resume: true"' };
  const fork: AgentReport['fork'] = {
    kind: 'no',
    from: 'config',
    why: 'onceover forks no sessions of custom commands',
  };
  return { ...common, version: null, resume: declaredResume, fork, login: UNKNOWN_ACCESS, service: UNKNOWN_ACCESS };
}

const MOST_KEPT = 50;

// A version manager can change the version without changing the launcher file, so stored versions expire.
const KNOWN_FOR_MS = 24 * 60 * 60 * 1000;

const PROGRAM_FILE = { path: isString, size: isAmount, changed: isAmount };

type ProgramFile = Shaped<typeof PROGRAM_FILE>;

/**
 * An entry of the cache of versions: the version, and the size and change time of the program file that reported it.
 */
const ENTRY = { ...PROGRAM_FILE, version: isVersion, at: isAmount };

function isVersion(value: unknown): value is string {
  return isString(value) && /^\d+\.\d+\.\d+[-+.\w]{0,100}$/.test(value);
}

/** A cache of program versions. A program is asked again if its file has changed or its entry has expired. */
export type Versions = ReturnType<typeof openVersions>;

/**
 * Opens the cache of versions, which is in the git folder. If the cache cannot be read, every program is asked again.
 */
export function openVersions(commonDir: string, now: () => number = Date.now) {
  const list = openListFile(commonDir, 'versions.json');
  const readEntries = () => list.read().flatMap((entry) => readShape<Shaped<typeof ENTRY>>(entry, ENTRY) ?? []);
  const versionsByFile = new Map<string, Promise<string | null>>();

  async function findOrAsk(file: ProgramFile, ask: () => Promise<string | null>): Promise<string | null> {
    const entry = readEntries().find(
      ({ path, size, changed }) => path === file.path && size === file.size && changed === file.changed,
    );
    if (entry !== undefined && entry.at <= now() && now() - entry.at < KNOWN_FOR_MS) return entry.version;
    const version = await ask();
    if (version === null) return null;
    const otherEntries = readEntries().filter(({ path }) => path !== file.path);
    // A failed write does not matter: the next onceover command just asks the program again.
    list.write([...otherEntries.slice(1 - MOST_KEPT), { ...file, version, at: now() }]);
    return version;
  }

  /**
   * Returns the version in the cache or, if there is none, the result of `ask`; `null` if the program reports no
   * version.
   */
  return async (program: string, ask: () => Promise<string | null>) => {
    const file = fileOf(program);
    if (file === null) return ask();
    const key = JSON.stringify(file);
    const version = versionsByFile.get(key) ?? findOrAsk(file, ask);
    versionsByFile.set(key, version);
    return version;
  };
}

// Compare ctime, because a replaced file may have the same modification time as the old one.
function fileOf(program: string): ProgramFile | null {
  const file = tryDisk('read', program, () => {
    const path = realpathSync(program);
    const { size, ctimeMs: changedAt } = statSync(path);
    return { path, size, changed: changedAt };
  });
  return file.ok ? file.value : null;
}
