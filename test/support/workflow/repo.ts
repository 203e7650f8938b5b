import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { StepEndDocument, WorkflowStartDocument } from '@onceover/loops/workflows/json';
import { type CliEnd, type CliOptions, onceover } from '../cli.ts';
import { emptyRepo, type TestRepo } from '../repo.ts';

const JUDGE = resolve(import.meta.dirname, 'judge.mjs');
const EXAMPLE = resolve(import.meta.dirname, '../../../examples/workflow/.deepwork');

/** The reaction of the scripted reviewer to a prompt that contains `where`. The first matching rule applies. */
type JudgeRule = {
  readonly where?: string;
  /** The answer; default: a pass. */
  readonly answer?: unknown;
  /** Raw output instead of an answer. */
  readonly raw?: string;
  /** A shell command that runs during the review. */
  readonly run?: string;
  readonly sleep?: number;
  readonly exit?: number;
};

export type WorkflowRepo = TestRepo & {
  /** Sets the rules of the reviewer `judge`. */
  rules(...rules: readonly JudgeRule[]): void;
  /** Returns the prompts of the reviewer in order. */
  asked(): readonly string[];
  pids(): readonly number[];
  forget(): void;
  workflow(args: readonly string[], options?: CliOptions): Promise<CliEnd>;
  /** Runs a command with --json and returns its document with the exit code. */
  document<T>(args: readonly string[], options?: CliOptions): Promise<T & { readonly code: number | null }>;
};

export const FAILS = { passed: false, feedback: 'Not yet.' };

/** Creates a repository with the example's job, and `judge` as an agent. */
export function workflowRepo(): WorkflowRepo {
  const repo = emptyRepo();
  const folder = join(dirname(repo.root), 'judge');
  mkdirSync(folder);
  cpSync(EXAMPLE, join(repo.root, '.deepwork'), { recursive: true });
  repo.write('onceover.yml', `agent:\n  judge: { command: [node, ${JUDGE}, ${folder}] }\n`);
  for (const [name, text] of [
    ['one', 'Tea is cheaper.'],
    ['two', 'Coffee is liked.'],
  ]) {
    repo.write(`notes/${name}.md`, `Source: https://example.org/${name}\n\n${text}\n`);
  }
  repo.write('report.md', 'Both [notes/one.md].\n');
  repo.write('summary.md', 'Offer both.\n');
  repo.commit();
  const lines = () => {
    const file = join(folder, 'asked.jsonl');
    const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as { prompt: string; pid: number });
  };
  const workflow = (args: readonly string[], options: CliOptions = {}) =>
    onceover(repo.root, ['workflow', ...args], options);
  return {
    ...repo,
    rules: (...rules) => writeFileSync(join(folder, 'rules.json'), JSON.stringify(rules)),
    asked: () => lines().map(({ prompt }) => prompt),
    pids: () => lines().map(({ pid }) => pid),
    forget: () => writeFileSync(join(folder, 'asked.jsonl'), ''),
    workflow,
    async document<T>(args: readonly string[], options: CliOptions = {}) {
      const end = await workflow([...args, '--json'], options);
      return { ...(JSON.parse(end.stdout) as T), code: end.code };
    },
  };
}

/** Returns the files that each prompt shows. */
export function filesIn(prompts: readonly string[]): readonly string[] {
  return prompts
    .map((prompt) => [...prompt.matchAll(/^-{20} (.+) -{20}$/gm)].map((match) => match[1]).join(' + '))
    .toSorted();
}

export const NOTES = ['notes/one.md', 'notes/two.md'] as const;

/** The outputs of each step of the example. */
export const OUTPUTS = {
  research: { notes: [...NOTES] },
  report: { report: 'report.md' },
  summary: { summary: 'summary.md' },
} as const;

/** Returns outputs as command-line options. */
export function outputOptions(outputs: Readonly<Record<string, string | readonly string[]>>): readonly string[] {
  return Object.entries(outputs).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).flatMap((path) => ['--output', `${name}=${path}`]),
  );
}

export type { StepEndDocument, WorkflowStartDocument };
