import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openRemoteAt } from '@onceover/agents/remote/remote-reviewers';
import type { Urgency } from '@onceover/agents/remote/types';
import type { AgentSettings } from '@onceover/base/kernel/agent';
import type { SnapshotId } from '@onceover/base/kernel/ids';
import type { AskEnd, AskSubject, Question, Reviewers } from '@onceover/base/kernel/ports';
import { repositoryAt } from '@onceover/repo/git/locate';
import { runWorker } from '@onceover/team/worker/run-worker';
import type { WorkerEvent, WorkerOptions } from '@onceover/team/worker/types';
import { onTestFinished } from 'vitest';
import { CLI } from './cli.ts';
import type { ScriptedAnswer } from './gates.ts';
import { emptyRepo, type TestRepo, temporaryFolder } from './repo.ts';

const AGENT = resolve(import.meta.dirname, 'agent.mjs');

/** A scripted agent: workers and clients have the same command for it. */
export type ScriptedAgent = {
  readonly name: string;
  readonly settings: AgentSettings;
  /** A folder with an onceover.yml that has the command. */
  readonly folder: string;
  readonly yaml: string;
  answers(...answers: readonly ScriptedAnswer[]): void;
  /** Returns the prompts of the calls so far. */
  calls(): readonly string[];
};

export function scriptedAgent(name = 'scripted'): ScriptedAgent {
  const folder = temporaryFolder();
  const command = [process.execPath, AGENT, name, folder];
  const yaml = `agents: [${name}]\nagent:\n  ${name}:\n    command: ${JSON.stringify(command)}\n`;
  writeFileSync(join(folder, 'onceover.yml'), yaml);
  const log = join(folder, 'calls.jsonl');
  return {
    name,
    folder,
    yaml,
    settings: { model: null, command, path: null, resume: false, env: {}, sandbox: false, timeoutSeconds: null },
    answers: (...answers) => writeFileSync(join(folder, `${name}.answers.json`), JSON.stringify(answers)),
    calls: () =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .split('\n')
            .slice(0, -1)
            .map((line) => (JSON.parse(line) as { prompt: string }).prompt)
        : [],
  };
}

const storeAt = (url: string) => ({ url, trust: 'always', waitSeconds: 20 }) as const;

const NO_LIMITS = { callsAtOnce: null, callsPerMinute: null, tokensPerMinute: null };

/** Starts a worker in this process, and ends it with the test. */
export async function startWorker(
  url: string,
  agents: readonly Pick<ScriptedAgent, 'name' | 'folder'>[],
  given: Partial<WorkerOptions> = {},
) {
  const events: WorkerEvent[] = [];
  const stop = new AbortController();
  const stopNow = new AbortController();
  const folder = temporaryFolder();
  let started = () => {};
  const ready = new Promise<void>((resolve) => {
    started = resolve;
  });
  const ended = runWorker(storeAt(url), {
    name: 'worker',
    agents: agents.map(({ name }) => name),
    settingsFolder: agents[0]?.folder ?? null,
    atOnce: 4,
    account: null,
    limits: NO_LIMITS,
    heartbeatSeconds: 10,
    folder,
    stop: stop.signal,
    stopNow: stopNow.signal,
    tell(event) {
      events.push(event);
      if (event.kind === 'started') started();
    },
    ...given,
  });
  const end = async () => {
    stop.abort();
    stopNow.abort();
    return ended;
  };
  onTestFinished(async () => {
    await end();
  });
  await Promise.race([ready, ended]);
  return { events, stop, stopNow, ended, end };
}

/** A repository with a change on its branch. */
export function changedRepo(): TestRepo & { readonly base: string; readonly tree: string } {
  const repo = emptyRepo();
  repo.write('src/a.js', 'export const a = 1;\n');
  repo.write('docs/guide.md', '# Guide\n');
  repo.commit();
  const base = repo.git('rev-parse', 'HEAD').trim();
  repo.write('src/a.js', 'export const a = 2;\n');
  repo.git('add', '-A');
  return { ...repo, base, tree: repo.git('write-tree').trim() };
}

/** Opens a client of the workers, and ends it with the test. */
export async function openClient(
  url: string,
  { root }: Pick<TestRepo, 'root'>,
  agents: readonly ScriptedAgent[],
  urgency: Urgency = 'person',
  waitSeconds = 20,
): Promise<Reviewers> {
  const place = await repositoryAt(root);
  if (!place.ok) throw new Error(JSON.stringify(place.failure));
  const agent = Object.fromEntries(agents.map(({ name, settings }) => [name, settings]));
  const remote = await openRemoteAt(
    place.value,
    { agent, agents: null },
    { store: { ...storeAt(url), waitSeconds }, urgency },
  );
  onTestFinished(() => remote.close());
  return remote.reviewers();
}

/** Starts a worker as a process of its own, which is killed when the test ends. `ready`: it takes calls, or has ended. */
export function spawnWorker(
  url: string,
  agent: Pick<ScriptedAgent, 'name' | 'folder'>,
  folder: string,
  more: readonly string[] = [],
) {
  const flags = ['--agents', agent.name, '--settings', agent.folder, '--folder', folder, '--heartbeat', '10', ...more];
  const env = { PATH: process.env['PATH'], HOME: agent.folder, ONCEOVER_STORE: url };
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const child = spawn(process.execPath, [CLI, 'worker', ...flags], { env, stdio: [...stdio] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const ready = new Promise<void>((resolve) => {
    child.stdout?.once('data', () => resolve());
    child.once('exit', () => resolve());
  });
  return { child, ready };
}

const QUESTION: Question = {
  stable: 'You review a change.',
  dynamic: 'The change.',
  schema: { type: 'object' },
  sessionId: null,
  usedBefore: null,
  cacheTtl: '5m',
  timeoutSeconds: 60,
  idleSeconds: 60,
};

export function subjectOf(
  repo: { readonly base: string; readonly tree: string },
  given: Partial<AskSubject> = {},
): AskSubject {
  return {
    tree: repo.tree as SnapshotId,
    baseTree: repo.base,
    asker: 'review:src:quality@1:0',
    mayShare: true,
    accepts: () => true,
    ...given,
  };
}

/** Asks a scripted agent on a worker. */
export function ask(
  reviewers: Reviewers,
  subject: AskSubject,
  {
    question = {},
    stop = null,
    name = 'scripted',
    watch = () => {},
  }: Partial<{
    question: Partial<Question>;
    stop: AbortSignal | null;
    name: string;
    watch: (doing: string | null) => void;
  }> = {},
): Promise<AskEnd> {
  return reviewers.ask(name, { ...QUESTION, ...question }, { stop, watch, subject });
}
