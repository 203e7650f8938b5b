import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Usage } from '@onceover/base/kernel/agent';
import type { RunDocument } from '@onceover/gates/result/json';
import { usersFolder } from './agent-clis.ts';
import { type CliEnd, onceover } from './cli.ts';
import { conversationOf, type LoggedRequest } from './model-sim/log.ts';
import type { Script } from './model-sim/script.ts';
import type { ModelSim } from './model-sim/server.ts';
import { type AgentName, agentSettings, realPerson } from './real-person.ts';
import { CHANGE } from './real-review.ts';
import { repoWith, type TestRepo, temporaryFolder } from './repo.ts';

/** A user who runs the built program in their repository, with real agents that talk to the simulator. */
export type RealRun = TestRepo & {
  /** Runs once; each agent answers by its script, from the beginning. */
  run(scripts: Readonly<Partial<Record<AgentName, Script>>>, args?: readonly string[]): Promise<Iteration>;
  /** Returns a slot record by the end of its file name. */
  record(name: string): RealRecord;
  /** Returns a slot's log by the end of its file name. */
  log(name: string): string;
  /** Returns the texts of the system prompt files that Claude Code received. */
  systemPromptFiles(): readonly string[];
  readonly home: string;
};

/** The result of a run: the document, the printed lines, and the requests of each agent. */
export type Iteration = RunDocument & Omit<CliEnd, 'stdout'> & { sent(agent: AgentName): readonly LoggedRequest[] };

/** The fields of a slot record that these tests check. */
type RealRecord = {
  readonly adapter: string;
  readonly status: string;
  readonly passIteration?: number;
  readonly dispatch: string;
  readonly why: string;
  readonly usage: Usage | null;
  readonly session: { readonly id: string; readonly freshTokens: number | null } | null;
  readonly opened?: readonly string[];
  readonly reading?: { readonly session: string; readonly leader: string; readonly opened: readonly string[] };
};

let runs = 0;

/** Sets up the user: `gates` and `agents` are as in `onceover.yml`; the reviewed change is not committed. */
export function realRun(
  sim: ModelSim,
  given: {
    readonly agents: readonly AgentName[];
    readonly gates: string;
    /** Replaces the version that Claude Code reports. */
    readonly claudeVersion?: string;
    /** More settings of `onceover.yml`, as lines. */
    readonly settings?: string;
    /** More files of the repository, by path. */
    readonly files?: Readonly<Record<string, string>>;
  },
): RealRun {
  const number = ++runs;
  const label = (agent: AgentName) => `run-${number}-${agent}`;
  const { home, env, seen } = realPerson(
    temporaryFolder(usersFolder()),
    (agent) => sim.baseUrl(label(agent)),
    given.claudeVersion,
  );
  const repo = repoWith({
    'onceover.yml': `${given.settings ?? ''}${agentSettings(given.agents)}gates:\n${given.gates}`,
    '.onceover/reviews/code.md': 'Look for wrong results.\n',
    '.onceover/reviews/more.md': 'Look for what is hard to read.\n',
    'src/cart.ts': '',
    'src/tax.ts': '',
    ...given.files,
  });
  repo.write('src/cart.ts', CHANGE.cart);
  repo.write('src/tax.ts', CHANGE.tax);
  const logs = join(repo.root, '.deepwork/logs');
  return {
    ...repo,
    async run(scripts, args = []) {
      const before = sim.requests().length;
      for (const agent of ['claude', 'codex'] as const) sim.script(label(agent), scripts[agent] ?? []);
      const end = await onceover(repo.root, ['run', '--json', ...args], { env, timeoutMs: 60_000 });
      const requests = sim.requests().slice(before);
      return {
        ...(JSON.parse(end.stdout) as RunDocument),
        code: end.code,
        stderr: end.stderr,
        sent: (agent) => conversationOf(requests, label(agent)),
      };
    },
    record: (name) => JSON.parse(readFileSync(join(logs, nameIn(logs, name)), 'utf8')) as RealRecord,
    log: (name) => readFileSync(join(logs, nameIn(logs, name)), 'utf8'),
    systemPromptFiles: () => readdirSync(seen).map((name) => readFileSync(join(seen, name), 'utf8')),
    home,
  };
}

function nameIn(folder: string, end: string): string {
  const found = readdirSync(folder).filter((one) => one.endsWith(end));
  if (found.length !== 1) throw new Error(`${found.length} files in ${folder} end in ${end}`);
  return found[0] ?? '';
}
