import type { RunDocument } from '@onceover/gates/result/json';
import { onTestFinished } from 'vitest';
import { type CliEnd, type CliOptions, onceover } from './cli.ts';
import type { RequestSummary, Script } from './model-sim/script.ts';
import { type ModelSim, startModelSim } from './model-sim/server.ts';
import { repoWith, type TestRepo } from './repo.ts';

/** A repository whose reviewers are APIs, and the simulated provider behind them. */
export type ApiRepo = TestRepo & {
  readonly sim: ModelSim;
  /** Sets the answers of an agent's model. */
  script(agent: string, script: Script): void;
  run(args?: readonly string[], options?: CliOptions): Promise<CliEnd>;
  /** Runs with --json and any exit code. */
  document(args?: readonly string[], options?: CliOptions): Promise<RunDocument & Pick<CliEnd, 'code' | 'stderr'>>;
};

const MODELS = { anthropic: 'claude-sonnet-5', openai: 'gpt-5.6-sol' } as const;

/** A key that must appear in no file and in no output. */
export const DUMMY_KEY = 'dummy-key-of-a-test-0123456789';

const PASSED = { kind: 'structured', value: { status: 'pass', violations: [] } } as const;

/** A scripted review: opens the given files in one turn, then answers. */
export function opening(paths: readonly string[], value: object, isOpen = (_: RequestSummary) => false): Script {
  return (request) => {
    if (request.toolResults.length > 0 || isOpen(request)) return { kind: 'structured', value: value as never };
    return { kind: 'tools', calls: paths.map((path) => ({ name: 'read', input: { path } })) };
  };
}

/** Returns the block `agent` of settings with API agents, each with a label of the simulator as its address. */
function apiAgents(sim: ModelSim, agents: Readonly<Record<string, 'anthropic' | 'openai'>>): string {
  const lines = Object.entries(agents).map(([name, api]) => {
    const more = api === 'openai' ? ', endpoint: responses' : '';
    return `  ${name}: { api: ${api}, model: ${MODELS[api]}, base_url: "${sim.baseUrl(name)}", key: TEST_KEY${more} }`;
  });
  return `agents: [${Object.keys(agents).join(', ')}]\nagent:\n${lines.join('\n')}\n`;
}

/** Makes a repository with API reviewers: the settings are committed on main, and src/a.ts is changed on branch work. */
export async function apiRepo(
  options: {
    readonly agents?: Readonly<Record<string, 'anthropic' | 'openai'>>;
    readonly numReviews?: number;
    readonly gates?: string;
    readonly more?: string;
    readonly files?: Readonly<Record<string, string>>;
  } = {},
): Promise<ApiRepo> {
  const sim = await startModelSim({ otherwise: PASSED });
  onTestFinished(() => sim.close());
  const agents = options.agents ?? { sonnet: 'anthropic' };
  const gates =
    options.gates ??
    `  - path: src\n    reviews:\n      code: { prompt: .onceover/reviews/code.md, num_reviews: ${options.numReviews ?? 1} }\n`;
  const repo = repoWith({
    'src/a.ts': 'export const a = 1;\n',
    'src/b.ts': "import { a } from './a.ts';\nexport const b = a;\n",
    '.onceover/reviews/code.md': 'Look for what is wrong.\n',
    ...options.files,
    'onceover.yml': `${options.more ?? ''}${apiAgents(sim, agents)}gates:\n${gates}`,
  });
  repo.write('src/a.ts', 'export const a = 2;\n');
  for (const name of Object.keys(agents)) sim.script(name, PASSED);
  const run: ApiRepo['run'] = (args = [], given = {}) =>
    onceover(repo.root, ['run', ...args], { ...given, env: { TEST_KEY: DUMMY_KEY, ...given.env } });
  return {
    ...repo,
    sim,
    run,
    script: (agent, script) => sim.script(agent, script),
    async document(args = [], given = {}) {
      const { stdout, code, stderr } = await run([...args, '--json'], given);
      if (!stdout.startsWith('{')) throw new Error(`exit ${code}: ${stdout}${stderr}`);
      return { ...(JSON.parse(stdout) as RunDocument), code, stderr };
    },
  };
}
