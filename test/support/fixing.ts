import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { loopDocument } from '@onceover/gates/fix-loop/describe';
import type { RunDocument } from '@onceover/gates/result/json';
import { type CliEnd, type CliOptions, onceover } from './cli.ts';
import { failing, type GateRepo, gateRepo, type ScriptedAnswer } from './gates.ts';

export type LoopDocument = RunDocument & { readonly loop: ReturnType<typeof loopDocument> };

type Options = NonNullable<Parameters<typeof gateRepo>[0]>;

/** Makes a repository with the reviewer `one` and the fixer `two`, which can be resumed. */
export function fixRepo(options: Options = {}): GateRepo {
  return gateRepo({ agents: ['one', 'two'], numReviews: 1, ...options });
}

export const UNTIL_PASS = ['--until-pass', '--fixer', 'two'];

/** Runs the fix loop to its end. */
export function untilPass(repo: GateRepo, args: readonly string[] = [], options: CliOptions = {}): Promise<CliEnd> {
  return onceover(repo.root, ['run', ...UNTIL_PASS, ...args], { timeoutMs: 60_000, ...options });
}

/** The same with --json. */
export async function loopOf(
  repo: GateRepo,
  args: readonly string[] = [],
  options: CliOptions = {},
): Promise<LoopDocument & Omit<CliEnd, 'stdout'>> {
  const end = await untilPass(repo, [...args, '--json'], options);
  return { ...(JSON.parse(end.stdout) as LoopDocument), code: end.code, stderr: end.stderr };
}

/** Returns a finding about a line of src/a.ts. */
export function objection(line: string, more: object = {}): ScriptedAnswer {
  return failing('src/a.ts', line, { line: 2, ...more });
}

/** Returns an answer of a fixer that runs a command. Words: "F1 fixed", "F2 declined it is intended". */
export function fix(run: string, words: readonly string[] = [], more: ScriptedAnswer = {}): ScriptedAnswer {
  const dispositions = words.map((word) => {
    const [id = '', state = '', ...why] = word.split(' ');
    return { id, state, why: why.join(' ') || 'so it is' };
  });
  return { summary: `ran ${run}`, dispositions, $run: run, ...more };
}

/** Returns a shell command that makes src/a.ts end in this line. */
export function write(line: string): string {
  return `printf 'export const a = 1;\\n%s\\n' '${line}' > src/a.ts`;
}

/** Lock files. */
export function locksOf(repo: GateRepo): readonly string[] {
  const folder = join(repo.root, '.git/onceover/locks');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
}
