import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { CLI } from './cli.ts';
import { cleanEnvironment } from './repo.ts';

export const PROJECT = resolve(import.meta.dirname, '../..');

const step = z.union([
  z.strictObject({
    name: z.string(),
    id: z.string().optional(),
    if: z.string().optional(),
    shell: z.literal('bash'),
    'working-directory': z.string().optional(),
    env: z.record(z.string().regex(/^[A-Z_]+$/), z.string()).optional(),
    run: z.string().min(1),
  }),
  z.strictObject({
    name: z.string(),
    id: z.string().optional(),
    if: z.string().optional(),
    'continue-on-error': z.literal(true).optional(),
    uses: z.string().regex(/^[\w-]+(?:\/[\w-]+)+@[0-9a-f]{40}$/, 'pinned by its commit'),
    with: z.record(z.string(), z.string()),
  }),
]);

/** The part of a composite action that GitHub's runner reads and that our action needs. */
const actionSchema = z.strictObject({
  name: z.string(),
  description: z.string().max(125),
  branding: z.strictObject({ icon: z.string(), color: z.string() }),
  inputs: z.record(z.string().regex(/^[a-z-]+$/), z.strictObject({ description: z.string(), default: z.string() })),
  outputs: z.record(z.string().regex(/^[a-z-]+$/), z.strictObject({ description: z.string(), value: z.string() })),
  runs: z.strictObject({ using: z.literal('composite'), steps: z.array(step) }),
});

export type CompositeAction = z.infer<typeof actionSchema>;

/** The action of this repository. */
export function readAction(): CompositeAction {
  return actionSchema.parse(parse(readFileSync(join(PROJECT, 'action.yml'), 'utf8')));
}

/** The cache between jobs, as actions/cache keeps it: whole folders by key, the newest of a prefix. */
export type Cache = { readonly entries: { readonly key: string; readonly paths: string; readonly folder: string }[] };

export type Job = {
  /** Folder of the checkout. */
  readonly root: string;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
  readonly event?: object;
  readonly cache?: Cache;
  /** Shell lines to insert before the script of a step, by step id. */
  readonly steps?: Readonly<Record<string, string>>;
};

export type Played = {
  readonly isSuccess: boolean;
  readonly outputs: Readonly<Record<string, string>>;
  readonly log: string;
  /** The summary on the page of the job. */
  readonly summary: string;
  /** The used steps of other actions, with their inputs. */
  readonly used: readonly { readonly uses: string; readonly with: Readonly<Record<string, string>> }[];
};

/** Plays the action like GitHub's runner. npm installs the built program, and other actions are only recorded. */
export async function playAction({
  root,
  inputs = {},
  env = {},
  event = {},
  cache = { entries: [] },
  steps = {},
}: Job): Promise<Played> {
  const action = readAction();
  const { home, files, runner } = machineOf(root, event, env);
  const given = {
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, one]) => [name, one.default])),
    ...inputs,
  };
  const outputs: Record<string, Record<string, string>> = {};
  const lookUp = (name: string) => {
    const [context = '', first = '', , last = ''] = name.split('.');
    return (context === 'inputs' ? given[first as keyof typeof given] : outputs[first]?.[last]) ?? '';
  };
  const filled = (text: string) => text.replace(EXPRESSION, (_, name: string) => lookUp(name));
  let isSuccess = true;
  let log = '';
  const used: Played['used'][number][] = [];
  for (const one of action.runs.steps) {
    if (!isToRun(one.if ?? '', isSuccess, lookUp)) continue;
    if ('uses' in one) {
      const values = Object.fromEntries(Object.entries(one.with).map(([name, text]) => [name, filled(text)]));
      used.push({ uses: one.uses.replace(/@.*/, ''), with: values });
      useCache(one.uses, values, cache, home);
      continue;
    }
    const output = join(home, `output-${used.length}-${one.id ?? 'none'}`);
    writeFileSync(output, '');
    const own = Object.fromEntries(Object.entries(one.env ?? {}).map(([name, text]) => [name, filled(text)]));
    const script = join(home, 'step.sh');
    writeFileSync(script, `${steps[one.id ?? ''] ?? ''}${one.run}`);
    const cwd = resolve(root, filled(one['working-directory'] ?? '.'));
    const end = await runBash(script, cwd, { ...runner, ...own, GITHUB_OUTPUT: output });
    log += end.log;
    if (one.id !== undefined) outputs[one.id] = readOutputs(readFileSync(output, 'utf8'));
    if (end.code !== 0) {
      isSuccess = false;
      log += `[${one.name} ended with exit code ${end.code}]\n`;
    }
  }
  if (existsSync(files.npm)) log += readFileSync(files.npm, 'utf8');
  return {
    isSuccess,
    outputs: Object.fromEntries(Object.entries(action.outputs).map(([name, { value }]) => [name, filled(value)])),
    log,
    summary: readFileSync(files.summary, 'utf8'),
    used,
  };
}

let runs = 0;

/**
 * A machine for one job: its home, the files that connect GitHub's runner and a step, and the environment of every
 * step.
 */
function machineOf(root: string, event: object, env: NodeJS.ProcessEnv) {
  const home = mkdtempSync(join(dirname(root), 'job-'));
  const temporary = join(home, 'temp');
  mkdirSync(temporary);
  const files = { event: join(home, 'event.json'), summary: join(home, 'summary.md'), npm: join(home, 'npm.log') };
  writeFileSync(files.event, JSON.stringify(event));
  writeFileSync(files.summary, '');
  const runner: NodeJS.ProcessEnv = {
    ...cleanEnvironment(home),
    PATH: `${binWithNpm(home)}:${process.env['PATH']}`,
    NPM_LOG: files.npm,
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_PATH: PROJECT,
    GITHUB_EVENT_PATH: files.event,
    GITHUB_STEP_SUMMARY: files.summary,
    GITHUB_WORKFLOW: 'review',
    GITHUB_JOB: 'gates',
    GITHUB_RUN_ID: String(++runs),
    GITHUB_RUN_ATTEMPT: '1',
    RUNNER_OS: 'Linux',
    RUNNER_TEMP: temporary,
    ...env,
  };
  return { home, files, runner };
}

const EXPRESSION = /\$\{\{ ([\w.-]+) \}\}/g;

/**
 * Evaluates the condition of a step: comparisons with texts, joined by "&&". Without "always()", the step runs only
 * while nothing has failed.
 */
function isToRun(condition: string, isSuccess: boolean, lookUp: (name: string) => string): boolean {
  const parts = condition.split(' && ').filter((part) => part !== '');
  return (
    (isSuccess || parts.includes('always()')) &&
    parts.every((part) => {
      if (part === 'always()') return true;
      const [, name = '', sign, text] = /^([\w.-]+) (==|!=) '([^']*)'$/.exec(part) ?? [];
      if (sign === undefined) throw new Error(`no condition that is understood: ${part}`);
      return (lookUp(name) === text) === (sign === '==');
    })
  );
}

function useCache(uses: string, given: Readonly<Record<string, string>>, { entries }: Cache, home: string): void {
  const { path = '', key = '', 'restore-keys': prefix = key } = given;
  const paths = path.split('\n');
  if (uses.startsWith('actions/cache/save@')) {
    const folder = mkdtempSync(join(home, 'cache-'));
    for (const [index, one] of paths.entries()) {
      if (existsSync(one)) cpSync(one, join(folder, `${index}`), { recursive: true, preserveTimestamps: true });
    }
    entries.push({ key, paths: path, folder });
  }
  if (uses.startsWith('actions/cache/restore@')) {
    const found = entries.filter((one) => one.key.startsWith(prefix) && one.paths === path).at(-1);
    for (const [index, one] of paths.entries()) {
      const kept = join(found?.folder ?? home, `${index}`);
      if (existsSync(kept)) cpSync(kept, one, { recursive: true, preserveTimestamps: true });
    }
  }
}

/** Outputs of a step. */
export function readOutputs(text: string): Record<string, string> {
  const found = [...text.matchAll(/^([a-z-]+)<<(\S+)\n([\s\S]*?)\n\2$/gm)];
  return Object.fromEntries(found.map(([, name = '', , value = '']) => [name, value]));
}

/** A replacement for npm that installs the program that the tests built. */
function binWithNpm(home: string): string {
  const bin = join(home, 'bin');
  mkdirSync(bin);
  const script = `#!/bin/sh
echo "npm in $(pwd): $*" >> "$NPM_LOG"
mkdir -p dist
echo 'require(${JSON.stringify(CLI)});' > dist/cli.cjs
`;
  writeFileSync(join(bin, 'npm'), script, { mode: 0o755 });
  return bin;
}

function runBash(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<{ code: number | null; log: string }> {
  return new Promise((settle, reject) => {
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let log = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        log += chunk;
      });
    }
    child.on('error', reject);
    child.on('close', (code) => settle({ code, log }));
  });
}
