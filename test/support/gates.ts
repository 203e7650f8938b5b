import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Actor } from '@onceover/gates/findings/types';
import type { RunDocument } from '@onceover/gates/result/json';
import { openFindings } from '@onceover/gates/src/findings/open-findings.ts';
import { type CliEnd, type CliOptions, onceover } from './cli.ts';
import { repoWith, type TestRepo } from './repo.ts';

const AGENT = resolve(import.meta.dirname, 'agent.mjs');

/** One call of a scripted reviewer. */
type Call = { readonly name: string; readonly session: string | null; readonly prompt: string };

/**
 * The answer of a scripted reviewer. `$raw` is printed as it is; `$run` is a shell command that runs during the review;
 * `$sleep` delays the answer by this many milliseconds; `$exit` is the exit code.
 */
export type ScriptedAnswer = {
  readonly status?: 'pass' | 'fail';
  readonly violations?: readonly object[];
  readonly previous?: readonly object[];
  readonly message?: string;
  /** Fields of a fixer's answer. */
  readonly summary?: string;
  readonly dispositions?: readonly object[];
  readonly session_id?: string;
  readonly usage?: object;
  readonly $raw?: string;
  readonly $run?: string;
  readonly $sleep?: number;
  readonly $exit?: number;
  readonly $stderr?: string;
};

export type GateRepo = TestRepo & {
  /** Sets the next answers of a reviewer; after them it passes. */
  answers(name: string, ...answers: readonly ScriptedAnswer[]): void;
  /** Returns the names of the called agents so far, in order. */
  calls(name?: string): readonly Call[];
  /** Clears the list of calls. */
  forget(): void;
  run(args?: readonly string[], options?: CliOptions): Promise<CliEnd>;
  /** Runs with --json and any exit code. */
  document(args?: readonly string[], options?: CliOptions): Promise<RunDocument & Omit<CliEnd, 'stdout'>>;
  /** Returns the names in the folder of records. */
  records(): readonly string[];
  record(name: string): Record<string, unknown>;
  /** Returns the lines of a log in that folder. */
  log(name: string): readonly string[];
  writeRecord(name: string, record: unknown): void;
};

export const ANN: Actor = { kind: 'person', name: 'ann' };

/** Waives a finding as a person does with "onceover resolve --skip" in a terminal. Tests have no terminal. */
export async function waive({ root }: Pick<TestRepo, 'root'>, id: string, why = 'it is meant so'): Promise<void> {
  const waiver = {
    how: 'skipped',
    why,
    at: new Date().toISOString(),
    iteration: 1,
    by: ANN,
    proposedBy: null,
  } as const;
  const stored = await openFindings(join(root, '.git')).resolve(id, waiver);
  if (!stored.ok) throw new Error(stored.failure.kind);
}

export const PASS: ScriptedAnswer = { status: 'pass', violations: [] };

/** Returns an answer with one finding. */
export function failing(file: string, code: string, more: object = {}): ScriptedAnswer {
  const violation = { file, line: 1, code, issue: `something is wrong with ${code}`, priority: 'high', ...more };
  return { status: 'fail', violations: [violation] };
}

/** Returns settings with scripted agents (default: `one` and `two`) and one review of `src` by this many reviewers. */
export function gateSettings(
  folder: string,
  options: { agents?: readonly string[]; numReviews?: number; more?: string; gates?: string } = {},
): string {
  const agents = options.agents ?? ['one', 'two'];
  const agent = (name: string) =>
    `  ${name}: { command: [node, ${AGENT}, ${name}, ${folder}], resume: ${name === 'two'} }`;
  return `${options.more ?? ''}
agents: [${agents.join(', ')}]
agent:
${agents.map(agent).join('\n')}
gates:
${options.gates ?? `  - path: src\n    reviews:\n      code-quality: { prompt: .onceover/reviews/code-quality.md, num_reviews: ${options.numReviews ?? 2} }`}
`;
}

/** Makes a repository with that configuration committed on main, and a change in src/a.ts on branch work. */
export function gateRepo(
  options: {
    agents?: readonly string[];
    numReviews?: number;
    more?: string;
    gates?: string;
    files?: Readonly<Record<string, string>>;
    /** The name of its folder. */
    name?: string;
  } = {},
): GateRepo {
  const files = { 'src/a.ts': 'export const a = 1;\n', 'README.md': '# Work\n', ...options.files };
  const repo = repoWith(files, options.name);
  const folder = join(dirname(repo.root), 'agents');
  mkdirSync(folder);
  repo.git('checkout', '-q', 'main');
  repo.write('onceover.yml', gateSettings(folder, options));
  repo.write('.onceover/reviews/code-quality.md', 'Look for what is wrong.\n');
  repo.commit('gates');
  repo.git('checkout', '-q', '-B', 'work');
  repo.write('src/a.ts', 'export const a = 1;\nexport const b = 2;\n');
  const calls = join(folder, 'calls.jsonl');
  const logs = join(repo.root, '.deepwork/logs');
  const run = (args: readonly string[] = [], cli: CliOptions = {}) => onceover(repo.root, ['run', ...args], cli);
  return {
    ...repo,
    answers(name, ...answers) {
      writeFileSync(join(folder, `${name}.answers.json`), JSON.stringify(answers));
    },
    calls(name) {
      if (!existsSync(calls)) return [];
      const all = readFileSync(calls, 'utf8')
        .trim()
        .split('\n')
        .filter((line) => line !== '');
      return all.map((line) => JSON.parse(line) as Call).filter((call) => name === undefined || call.name === name);
    },
    forget() {
      writeFileSync(calls, '');
    },
    run,
    async document(args = [], cli = {}) {
      const end = await run([...args, '--json'], cli);
      return { ...(JSON.parse(end.stdout) as RunDocument), code: end.code, stderr: end.stderr };
    },
    records: () =>
      existsSync(logs)
        ? readdirSync(logs)
            .filter((name) => name !== '.gitignore')
            .sort()
        : [],
    record: (name) => JSON.parse(readFileSync(join(logs, name), 'utf8')) as Record<string, unknown>,
    log: (name) => readFileSync(join(logs, name), 'utf8').trimEnd().split('\n'),
    writeRecord(name, record) {
      mkdirSync(logs, { recursive: true });
      writeFileSync(join(logs, name), typeof record === 'string' ? record : JSON.stringify(record));
    },
  };
}
