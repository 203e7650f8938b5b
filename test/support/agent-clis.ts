import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { agentEnvironment } from '@onceover/agents/adapters/installed';
import type { Agent } from '@onceover/agents/src/adapters/agent.ts';
import { claude } from '@onceover/agents/src/adapters/claude.ts';
import { codex } from '@onceover/agents/src/adapters/codex.ts';
import { gemini } from '@onceover/agents/src/adapters/gemini.ts';
import { opencode } from '@onceover/agents/src/adapters/opencode.ts';
import { pi } from '@onceover/agents/src/adapters/pi.ts';

/** A real agent CLI, and the settings that connect it to the simulator. */
export type RealAgent = {
  readonly agent: Agent;
  readonly package: string;
  readonly model: string;
  /** The name and the arguments of the tool that reads a file. */
  read(path: string): { readonly name: string; readonly input: Record<string, string> };
  /** A tool call that writes a file, in the form that the model uses. */
  write(path: string): { readonly name: string; readonly input: Record<string, string> };
  /** Writes the settings that a user would have, and returns the environment variables of that user. */
  configure(home: string, baseUrl: string): Record<string, string>;
};

export const REAL_AGENTS: readonly RealAgent[] = [
  {
    agent: claude,
    package: '@anthropic-ai/claude-code',
    model: 'claude-sonnet-5-5',
    read: (path) => ({ name: 'Read', input: { file_path: path } }),
    write: (path) => ({ name: 'Write', input: { file_path: path, content: 'x' } }),
    configure: (home, baseUrl) => ({
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      ANTHROPIC_BASE_URL: baseUrl,
      ANTHROPIC_API_KEY: 'dummy',
    }),
  },
  {
    agent: codex,
    package: '@openai/codex',
    model: 'gpt-5.5',
    read: (path) => ({ name: 'exec_command', input: { cmd: `cat ${path}` } }),
    write: (path) => ({ name: 'exec_command', input: { cmd: `echo x > ${path}` } }),
    configure: (home, baseUrl) => {
      const folder = join(home, '.codex');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'config.toml'), codexConfig(baseUrl));
      return { CODEX_HOME: folder, OPENAI_API_KEY: 'dummy' };
    },
  },
  {
    agent: gemini,
    package: '@google/gemini-cli',
    model: 'gemini-2.5-pro',
    read: (path) => ({ name: 'read_file', input: { file_path: path } }),
    write: (path) => ({ name: 'write_file', input: { file_path: path, content: 'x' } }),
    configure: (home, baseUrl) => {
      mkdirSync(join(home, '.gemini'), { recursive: true });
      writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(GEMINI_SETTINGS));
      return { GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: baseUrl };
    },
  },
  {
    agent: opencode,
    package: 'opencode-ai',
    model: 'sim/claude-sonnet-5-5',
    read: (path) => ({ name: 'read', input: { filePath: path } }),
    write: (path) => ({ name: 'write', input: { filePath: path, content: 'x' } }),
    configure: (home, baseUrl) => {
      mkdirSync(join(home, '.config/opencode'), { recursive: true });
      writeFileSync(join(home, '.config/opencode/opencode.json'), JSON.stringify(opencodeConfig(baseUrl)));
      return { OPENCODE_DISABLE_MODELS_FETCH: '1' };
    },
  },
  {
    agent: pi,
    package: '@earendil-works/pi-coding-agent',
    model: 'anthropic/claude-sonnet-4-5',
    read: (path) => ({ name: 'read', input: { path } }),
    write: (path) => ({ name: 'write', input: { path, content: 'x' } }),
    configure(home, baseUrl) {
      mkdirSync(join(home, '.pi/agent'), { recursive: true });
      writeFileSync(join(home, '.pi/agent/models.json'), JSON.stringify({ providers: { anthropic: { baseUrl } } }));
      return { ANTHROPIC_API_KEY: 'dummy', PATH: pathWithNode(22) };
    },
  },
];

/** Returns PATH with a Node.js of at least this version first; installs one from the registry if ours is older. */
export function pathWithNode(major: number): string {
  const own = process.env['PATH'] ?? '';
  if (Number(process.versions.node.split('.')[0]) > major) return own;
  const folder = installedPackage({ name: `node-${process.platform}-${process.arch}`, version: '22.23.3' });
  return [join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin'), own].join(delimiter);
}

/** Returns the settings of Codex for the simulator. */
export function codexConfig(baseUrl: string): string {
  return `model = "gpt-5.5"
model_provider = "sim"
[analytics]
enabled = false
[model_providers.sim]
name = "sim"
base_url = "${baseUrl}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
`;
}

/** The settings of Gemini CLI for the simulator. */
export const GEMINI_SETTINGS = {
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  security: { auth: { selectedType: 'gemini-api-key' } },
};

/** Returns the settings of opencode for the simulator. */
export function opencodeConfig(baseUrl: string): object {
  return {
    provider: {
      sim: {
        npm: '@ai-sdk/anthropic',
        name: 'Simulator',
        options: { baseURL: `${baseUrl}/v1`, apiKey: 'dummy' },
        models: { 'claude-sonnet-5-5': { name: 'Simulated' } },
      },
    },
  };
}

/** Folder that keeps the CLIs between runs, by name and version. */
export const AGENTS_FOLDER = process.env['ONCEOVER_AGENTS_DIR'] ?? join(homedir(), '.cache/onceover-agents');

/** The file with the newest version of each agent, or why it is missing: `npm run test:agents -- --latest` uses it. */
const LATEST_FILE = join(AGENTS_FOLDER, 'latest.json');

/** Returns the version of an agent that the tests use: the tested one, or with `--latest` the newest one. */
export function versionUnderTest({ agent }: RealAgent): string {
  return latestOr(agent.testedVersion ?? '', agent.name);
}

/** Returns the newest version of an agent with `--latest`, and the tested one otherwise. */
export function latestOr(tested: string, name: string): string {
  if (process.env['ONCEOVER_LATEST'] !== 'use') return tested;
  const { versions } = JSON.parse(readFileSync(LATEST_FILE, 'utf8')) as { versions: Record<string, string> };
  return versions[name] ?? tested;
}

/** An agent whose newest version is tried, and how to install a version of it. */
export type Newest = { readonly name: string; readonly package: string; install(version: string): unknown };

export const NEWEST_CLIS: readonly Newest[] = REAL_AGENTS.map((real) => ({
  ...{ name: real.agent.name, package: real.package },
  install: (version) => programOf(real, version),
}));

/** Finds and installs the newest version of each agent. Returns what could not be installed, with the reason. */
export function installLatest(agents: readonly Newest[]): readonly string[] {
  const versions: Record<string, string> = {};
  const troubles: Record<string, string> = {};
  for (const { name, package: wanted, install: installs } of agents) {
    const told = spawnSync('npm', ['view', wanted, 'version'], { encoding: 'utf8' });
    const version = told.stdout.trim();
    try {
      if (told.status !== 0) throw new Error(told.stderr);
      installs(version);
      versions[name] = version;
    } catch (error) {
      const why = String(error).match(/npm error (?!code).*/)?.[0] ?? String(error);
      troubles[name] = `${version} cannot be installed: ${why}`;
    }
  }
  writeFileSync(LATEST_FILE, JSON.stringify({ versions, troubles }));
  return Object.entries(troubles).map(([name, why]) => `${name} ${why}`);
}

/** Returns the program of a CLI; installs it from the registry if it is missing. */
export function programOf(real: RealAgent, version = versionUnderTest(real)): string {
  const folder = join(AGENTS_FOLDER, `${real.agent.name}-${version}`);
  const program = join(folder, 'node_modules/.bin', real.agent.program);
  if (!existsSync(program)) install(`${real.package}@${version}`, folder);
  return program;
}

/** A server of other people that answers like OpenAI and Anthropic. No model runs: the answers are fixtures. */
export const AIMOCK = { name: '@copilotkit/aimock', version: '1.43.0' };

/** Returns the folder in which a pinned package is installed; installs it from the registry if it is missing. */
export function installedPackage({ name, version }: { readonly name: string; readonly version: string }): string {
  const folder = join(AGENTS_FOLDER, `${name.replace(/^@[^/]*\//, '')}-${version}`);
  if (!existsSync(join(folder, 'node_modules', name))) install(`${name}@${version}`, folder);
  return folder;
}

function install(wanted: string, folder: string): void {
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  writeFileSync(join(unfinished, 'package.json'), '{"private":true}');
  const args = ['install', '--no-audit', '--no-fund', '--no-save', wanted];
  // Install scripts of agents write to the home folder: one of them changed the shell's profile and git's ignore file.
  const home = join(unfinished, 'home');
  mkdirSync(home);
  const env = {
    npm_config_userconfig: join(homedir(), '.npmrc'),
    npm_config_cache: join(homedir(), '.npm'),
    ...process.env,
    HOME: home,
  };
  const end = spawnSync('npm', args, { cwd: unfinished, encoding: 'utf8', env });
  if (end.status !== 0) rmSync(unfinished, { recursive: true, force: true });
  if (end.status !== 0) throw new Error(`${wanted} could not be installed: ${end.stderr}`);
  rmSync(folder, { recursive: true, force: true });
  renameSync(unfinished, folder);
}

/** Folder for the homes of users during a test. Codex does not put its sandbox into a home in the temporary folder. */
export function usersFolder(): string {
  const folder = join(AGENTS_FOLDER, 'users');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * Makes the folders of a user in an existing folder: a home, a project and a temporary folder. Returns the environment
 * of their agent.
 */
export function settle(
  real: RealAgent,
  folder: string,
  baseUrl: string,
): { readonly project: string; readonly env: Readonly<Record<string, string>> } {
  const [home, project, temporary] = ['home', 'project', 'tmp'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const one of [home, project, temporary]) mkdirSync(one);
  const own = {
    HOME: home,
    PATH: process.env['PATH'] ?? '',
    LANG: 'C.UTF-8',
    TMPDIR: temporary,
    DISABLE_TELEMETRY: '1',
    ...real.configure(home, baseUrl),
  };
  const env = {
    ...agentEnvironment(own, [...real.agent.variables, 'DISABLE_*', 'OPENCODE_DISABLE_*']),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_ERROR_REPORTING: '1',
  };
  return { project, env };
}
