import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  codexConfig,
  GEMINI_SETTINGS,
  installedPackage,
  latestOr,
  type Newest,
  opencodeConfig,
  pathWithNode,
} from './agent-clis.ts';

/** An agent that speaks ACP and installs from the npm registry, and the settings that connect it to the simulator. */
export type AcpCli = {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Names of its tools that read and write a file, with their arguments. `null`: it ends the review if a write is refused. */
  readonly reads: readonly [tool: string, (path: string) => Record<string, string>];
  readonly writes: readonly [tool: string, (path: string) => Record<string, string>] | null;
  /** Writes the settings that a user would have, and returns the environment variables of that user. */
  configure(home: string, baseUrl: string): Record<string, string>;
};

const byFilePath = (path: string) => ({ file_path: path });
const writing = (path: string) => ({ file_path: path, content: 'x' });
const running = (path: string) => ({ cmd: `cat ${path}` });

const IN_CI: readonly AcpCli[] = [
  {
    ...{ name: 'opencode', package: 'opencode-ai', version: '1.18.33', program: 'opencode', args: ['acp'] },
    reads: ['read', (path) => ({ filePath: path })],
    writes: ['write', (path) => ({ filePath: path, content: 'x' })],
    configure(home, baseUrl) {
      const settings = { model: 'sim/claude-sonnet-5-5', ...opencodeConfig(baseUrl) };
      write(home, '.config/opencode/opencode.json', JSON.stringify(settings));
      return { OPENCODE_DISABLE_MODELS_FETCH: '1' };
    },
  },
  {
    ...{ name: 'gemini', package: '@google/gemini-cli', version: '0.61.0', program: 'gemini', args: ['--acp'] },
    reads: ['read_file', byFilePath],
    writes: ['write_file', writing],
    configure(home, baseUrl) {
      // Without a model, Gemini CLI asks a model which model to use.
      const settings = { ...GEMINI_SETTINGS, model: { name: 'gemini-2.5-pro' } };
      write(home, '.gemini/settings.json', JSON.stringify(settings));
      return { GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: baseUrl };
    },
  },
  {
    ...{ name: 'qwen', package: '@qwen-code/qwen-code', version: '0.24.4', program: 'qwen', args: ['--acp'] },
    reads: ['read_file', byFilePath],
    writes: ['write_file', writing],
    configure(home, baseUrl) {
      const settings = {
        ...{ privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false } },
        security: { auth: { selectedType: 'anthropic' } },
        model: { name: 'claude-sonnet-5-5' },
      };
      write(home, '.qwen/settings.json', JSON.stringify(settings));
      return { ANTHROPIC_API_KEY: 'dummy', ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_MODEL: 'claude-sonnet-5-5' };
    },
  },
  {
    name: 'claude-acp',
    ...{ package: '@agentclientprotocol/claude-agent-acp', version: '0.100.0', program: 'claude-agent-acp', args: [] },
    reads: ['Read', byFilePath],
    writes: ['Write', writing],
    configure: (home, baseUrl) => ({
      ...{ CLAUDE_CONFIG_DIR: join(home, '.claude'), ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_API_KEY: 'dummy' },
      ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1' },
    }),
  },
  {
    name: 'codex-acp',
    ...{ package: '@agentclientprotocol/codex-acp', version: '2.6.0', program: 'codex-acp', args: [] },
    reads: ['exec_command', running],
    writes: ['exec_command', (path) => ({ cmd: `echo x > ${path}` })],
    configure(home, baseUrl) {
      write(home, '.codex/config.toml', codexConfig(baseUrl));
      return { CODEX_HOME: join(home, '.codex'), OPENAI_API_KEY: 'dummy', CODEX_API_KEY: 'dummy' };
    },
  },
];

const OTHERS: readonly AcpCli[] = [
  {
    ...{ name: 'copilot', package: '@github/copilot', version: '1.0.102', program: 'copilot', args: ['--acp'] },
    reads: ['view', (path) => ({ path })],
    writes: null,
    configure: (_home, baseUrl) => ({
      ...{ COPILOT_PROVIDER_BASE_URL: baseUrl, COPILOT_PROVIDER_TYPE: 'anthropic', COPILOT_PROVIDER_API_KEY: 'dummy' },
      ...{ COPILOT_MODEL: 'claude-sonnet-5-5', COPILOT_OFFLINE: 'true', COPILOT_AUTO_UPDATE: 'false' },
    }),
  },
  {
    ...{ name: 'kimi', package: '@moonshot-ai/kimi-code', version: '2.1.0', program: 'kimi', args: ['acp'] },
    reads: ['Read', (path) => ({ path })],
    writes: ['Write', (path) => ({ path, content: 'x' })],
    configure(home, baseUrl) {
      write(home, '.kimi-code/config.toml', kimiConfig(baseUrl));
      return { PATH: pathWithNode(22) };
    },
  },
  {
    ...{ name: 'kilo', package: '@kilocode/cli', version: '7.7.7', program: 'kilo', args: ['acp'] },
    reads: ['read', (path) => ({ filePath: path })],
    writes: ['write', (path) => ({ filePath: path, content: 'x' })],
    configure(home, baseUrl) {
      const settings = { model: 'sim/claude-sonnet-5-5', ...opencodeConfig(baseUrl) };
      write(home, '.config/kilo/kilo.json', JSON.stringify(settings));
      return {};
    },
  },
];

/** The agents to test: in CI only some of them, because each takes about ten seconds, and with `--latest` all. */
export const ACP_CLIS = process.env['ONCEOVER_LATEST'] === undefined ? IN_CI : [...IN_CI, ...OTHERS];

function kimiConfig(baseUrl: string): string {
  return `default_model = "sim"
telemetry = false
[providers.sim]
type = "anthropic"
base_url = "${baseUrl}"
api_key = "dummy"
[models.sim]
provider = "sim"
model = "claude-sonnet-5"
max_context_size = 200000
`;
}

function write(home: string, path: string, text: string): void {
  mkdirSync(join(home, path, '..'), { recursive: true });
  writeFileSync(join(home, path), text);
}

/** Returns the program of an agent; installs it from the registry if it is missing. */
export function acpProgram(cli: AcpCli, version = acpVersion(cli)): string {
  return join(installedPackage({ name: cli.package, version }), 'node_modules/.bin', cli.program);
}

/** Returns the version of an agent that the tests use: the tested one, or with `--latest` the newest one. */
export function acpVersion({ name, version }: AcpCli): string {
  return latestOr(version, name);
}

export const NEWEST_ACP: readonly Newest[] = ACP_CLIS.map((cli) => ({
  ...{ name: cli.name, package: cli.package },
  install: (version) => acpProgram(cli, version),
}));
