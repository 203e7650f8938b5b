import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { expect } from 'vitest';
import { programOf, REAL_AGENTS, type RealAgent } from './agent-clis.ts';
import { CLI, onceover } from './cli.ts';
import type { GateRepo } from './gates.ts';
import { hookRepo } from './hook.ts';
import { conversationOf, type LoggedRequest } from './model-sim/log.ts';
import type { Answer, Script } from './model-sim/script.ts';
import type { ModelSim } from './model-sim/server.ts';
import { agentUser } from './real-agents.ts';
import { cleanEnvironment } from './repo.ts';

export type HookedAgent = 'claude' | 'codex' | 'gemini';

/** A user whose real agent works in a repository with the stop hook; the reviewer `one` is scripted. */
export type RealHook = GateRepo & {
  /** Runs the agent once with a prompt; the model answers by the script. */
  work(script: Script, asked?: string): Promise<Work>;
  /** The environment of the agent's program: the user's own. */
  readonly env: NodeJS.ProcessEnv;
  /** Returns tool calls by which the model reads a file of the repository and then writes it. */
  writing(path: string, content: string): readonly Answer[];
};

export type Work = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly sent: readonly LoggedRequest[];
};

/** This repository, which is the marketplace of its plugin. */
const PROJECT = resolve(import.meta.dirname, '../..');

let users = 0;

type HookOptions = {
  readonly isAllowed?: boolean;
  /** The source of the hook: the files that `init` writes, or the installed plugin of this repository. */
  readonly from?: 'init' | 'plugin' | 'both';
};

/** Sets up the user with the hook, and allows the hook if the agent's program asks for that. */
export async function realHook(
  sim: ModelSim,
  name: HookedAgent,
  { isAllowed = true, from = 'init' }: HookOptions = {},
): Promise<RealHook> {
  const label = `hook-${++users}-${name}`;
  const real = realAgentOf(name);
  const user = agentUser(real, sim.baseUrl(label));
  const { ONCEOVER_ACTIVE: _, ...own } = user.env;
  const repo = await hookRepo();
  const bin = dirname(user.project);
  const allowed = isAllowed ? ALLOWED[name] : { args: [], env: {} };
  writeFileSync(join(bin, 'onceover'), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`);
  chmodSync(join(bin, 'onceover'), 0o755);
  const { PATH: path, HOME: __, ...git } = cleanEnvironment(bin);
  const env = { ...own, ...git, ...allowed.env, PATH: [bin, dirname(process.execPath), path].join(delimiter) };
  if (from !== 'plugin') {
    const made = await onceover(repo.root, ['init', '--hook', name]);
    expect([made.code, made.stderr]).toEqual([0, '']);
  }
  if (from !== 'init') {
    const args = ['plugin', 'install', 'onceover', '--marketplace', PROJECT];
    const end = await run({ program: programOf(real), args, cwd: repo.root, env }, '');
    expect([end.code, end.stderr]).toEqual([0, '']);
  }
  repo.write('src/a.ts', 'export const a = 1;\n');
  repo.commit('hook');
  return {
    ...repo,
    env,
    writing: (file, content) => writingOf(name, join(repo.root, file), content),
    async work(script, asked = 'Add b to src/a.ts.') {
      const before = sim.requests().length;
      sim.script(label, script);
      const args = [...ARGS[name](real), ...allowed.args];
      const end = await run({ program: programOf(real), args, cwd: repo.root, env }, asked);
      return { ...end, sent: conversationOf(sim.requests().slice(before), label) };
    },
  };
}

/** Allows the hook in place of the user. */
const ALLOWED: Readonly<Record<HookedAgent, { readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv }>> = {
  claude: { args: [], env: {} },
  codex: { args: ['--dangerously-bypass-hook-trust'], env: {} },
  gemini: { args: [], env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } },
};

const ARGS: Readonly<Record<HookedAgent, (real: RealAgent) => readonly string[]>> = {
  claude: ({ model }) => ['-p', '--model', model, '--permission-mode', 'acceptEdits', '--output-format', 'json'],
  codex: ({ model }) => ['exec', '--json', '--sandbox', 'workspace-write', '--model', model],
  gemini: ({ model }) => ['--model', model, '--approval-mode', 'auto_edit', '--output-format', 'json'],
};

function writingOf(name: HookedAgent, path: string, content: string): readonly Answer[] {
  switch (name) {
    case 'claude':
      return [
        { kind: 'tools', calls: [{ name: 'Read', input: { file_path: path } }] },
        { kind: 'tools', calls: [{ name: 'Write', input: { file_path: path, content } }] },
      ];
    case 'codex':
      return [
        { kind: 'tools', calls: [{ name: 'exec_command', input: { cmd: `printf '%s' '${content}' > ${path}` } }] },
      ];
    case 'gemini':
      return [{ kind: 'tools', calls: [{ name: 'write_file', input: { file_path: path, content } }] }];
  }
}

function realAgentOf(name: HookedAgent): RealAgent {
  const found = REAL_AGENTS.find(({ agent }) => agent.name === name);
  if (found === undefined) throw new Error(`${name} is not an agent that the tests know`);
  return found;
}

type Started = {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
};

function run({ program, args, cwd, env }: Started, said: string): Promise<Omit<Work, 'sent'>> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], timeout: 120_000 });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(said);
  });
}
