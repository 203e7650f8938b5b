import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StopMemory } from '@onceover/gates/src/stop-hook/decide.ts';
import { checksum } from '@onceover/gates/src/stop-hook/memory.ts';
import { expect } from 'vitest';
import { type CliOptions, onceover } from './cli.ts';
import { type GateRepo, gateRepo } from './gates.ts';
import type { TestRepo } from './repo.ts';

/** The answer of the stop hook to the agent's program. */
export type Stopped = {
  /** Null if the agent may stop. */
  readonly blocked: string | null;
  /** The message to the user; null if there is none. */
  readonly message: string | null;
  readonly ms: number;
};

type StopOptions = {
  readonly session?: string;
  readonly cwd?: string;
  readonly again?: boolean;
  readonly deadline?: number;
  /** Replaces the input that Claude Code would send. */
  readonly input?: string;
  readonly env?: CliOptions['env'];
};

/**
 * Runs the stop hook of the built program like Claude Code does. The hook always exits with 0 and prints at most one
 * line.
 */
export async function stop(repo: Pick<TestRepo, 'root'>, options: StopOptions = {}): Promise<Stopped> {
  const { session = 'S1', cwd = repo.root, again = false, deadline, input } = options;
  const said = {
    session_id: session,
    transcript_path: '/nowhere',
    cwd,
    hook_event_name: 'Stop',
    stop_hook_active: again,
  };
  const start = performance.now();
  const end = await onceover(
    repo.root,
    ['hook', 'stop', ...(deadline === undefined ? [] : ['--deadline', `${deadline}`])],
    { input: input ?? JSON.stringify(said), env: options.env ?? {} },
  );
  const ms = performance.now() - start;
  expect([end.code, end.stderr]).toEqual([0, '']);
  expect(end.stdout).toMatch(/^(?:\{.*\}\n)?$/);
  if (end.stdout === '') return { blocked: null, message: null, ms };
  const { decision, reason, systemMessage, ...rest } = JSON.parse(end.stdout) as Record<string, string>;
  expect(rest).toEqual({});
  if (systemMessage !== undefined) {
    expect([decision, reason]).toEqual([undefined, undefined]);
    return { blocked: null, message: systemMessage, ms };
  }
  expect([decision, typeof reason]).toEqual(['block', 'string']);
  return { blocked: reason ?? '', message: null, ms };
}

/** Makes a repository with one reviewer, `one`, whose commands are approved. */
export async function hookRepo(options: Parameters<typeof gateRepo>[0] = {}): Promise<GateRepo> {
  const repo = gateRepo({ agents: ['one'], numReviews: 1, ...options });
  expect((await onceover(repo.root, ['trust'])).code).toBe(0);
  return repo;
}

const TOLD = 'this was remembered';

/** Makes the hook report whenever it answers from memory. */
export function markMemory({ root }: Pick<TestRepo, 'root'>, gitDir = join(root, '.git')): void {
  editMemory(gitDir, (memory) => {
    if (memory.judged === null) return memory;
    return { ...memory, judged: { ...memory.judged, verdict: { kind: 'unjudged', why: TOLD } } };
  });
}

/** Replaces the memory of every worktree of a clone, as an onceover that wrote it would have. */
export function editMemory(gitDir: string, edit: (memory: StopMemory) => object): void {
  const folder = join(gitDir, 'onceover/hook');
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.json'))) {
    const text = JSON.stringify(edit(memoryIn(join(folder, name))));
    writeFileSync(join(folder, name), `${checksum(text)}\n${text}`);
  }
}

/** Reads a file of the memory of the hook: a line with its checksum, then its content. */
export function memoryIn(path: string): StopMemory {
  return JSON.parse(readFileSync(path, 'utf8').split('\n')[1] ?? '') as StopMemory;
}

export function isFromMemory({ message }: Stopped): boolean {
  return message?.includes(TOLD) === true;
}

/** Returns how many runs the hook has started. */
export function startedRuns({ root }: GateRepo): number {
  try {
    return readdirSync(join(root, '.git/onceover/runs')).filter((name) => name.endsWith('.json')).length;
  } catch {
    return 0;
  }
}

/** Waits until a review is running. */
export async function asked(repo: GateRepo): Promise<void> {
  while (repo.calls().length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Waits until the started run has ended. */
export async function ended({ root }: GateRepo): Promise<void> {
  const folder = join(root, '.git/onceover/runs');
  const isOver = () => readdirSync(folder).some((name) => name.endsWith('.out') && size(join(folder, name)) > 0);
  while (!isOver()) await new Promise((resolve) => setTimeout(resolve, 50));
  await new Promise((resolve) => setTimeout(resolve, 300));
}

const size = (path: string) => readFileSync(path).length;
