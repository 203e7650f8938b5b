import { spawn } from 'node:child_process';
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ServerEvent } from '@onceover/team/src/serve/types.ts';
import { onTestFinished } from 'vitest';
import { CLI } from './cli.ts';
import { composeWith } from './deploy.ts';
import { startGithub } from './forges/github-server.ts';
import { startGitlab } from './forges/gitlab-server.ts';
import { openWorld, type World } from './forges/world.ts';
import { databaseOfTest } from './postgres.ts';
import { cleanEnvironment, emptyRepo, type TestRepo } from './repo.ts';
import { until } from './until.ts';
import { type ScriptedAgent, scriptedAgent, startWorker } from './workers.ts';

export const SECRET = 'the-secret-of-the-webhooks';

const BEFORE = 'export const a = 1;\n';

const AFTER = `${BEFORE}export const b = 2;\n`;

/** Static tokens of the server: `all` has every scope, `reader` may only read. */
export const TOKENS = { all: 'token-of-ann-with-every-scope', reader: 'token-of-ben-who-may-read' } as const;

export type ForgeKind = 'github' | 'gitlab';

type Event = ServerEvent & { readonly at: string };

export type TestServer = {
  readonly forge: ForgeKind;
  readonly url: string;
  readonly store: string;
  readonly world: World;
  readonly agent: ScriptedAgent;
  /** The repository on the forge: a clone of it is the author's, and pull request 7 has its branch `work`. */
  readonly repo: TestRepo;
  /** The lines of the server's log. */
  readonly events: Event[];
  /** Requests that do not fit the description of the forge. */
  readonly wrong: readonly string[];
  readonly folder: string;
  /** Commits a file on the branch and shows it in the pull request. */
  push(path: string, content: string): string;
  /** Sends a webhook as the forge does. */
  webhook(
    change?: WebhookChange,
  ): Promise<{ readonly status: number; readonly body: { result?: string; run?: string } }>;
  get(path: string, token?: string): Promise<Response>;
  post(path: string, fields: object, token?: string): Promise<Response>;
  /** Waits for the end of the run, and returns its line of the log. */
  ended(run: string | null | undefined): Promise<Extract<ServerEvent, { kind: 'run-ended' }>>;
  /** Ends the server with a signal, and returns its exit code. */
  signal(name: NodeJS.Signals): Promise<number | null>;
};

type WebhookChange = {
  readonly secret?: string;
  readonly delivery?: string;
  readonly body?: (payload: Payload) => unknown;
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

// biome-ignore lint/suspicious/noExplicitAny: a payload of another program, which tests change at will
export type Payload = any;

/** Returns a recorded payload of a forge. */
export function recordedWebhook(forge: ForgeKind): Payload {
  const name = forge === 'github' ? 'github-pull-request.json' : 'gitlab-merge-request.json';
  return JSON.parse(readFileSync(join(import.meta.dirname, 'forges/webhooks', name), 'utf8'));
}

/** Returns the recorded payload for pull request 7 of house/shop. */
export function payloadFor(forge: ForgeKind, head: string): Payload {
  const payload = recordedWebhook(forge);
  if (forge === 'gitlab') {
    payload.object_attributes.last_commit.id = head;
    return payload;
  }
  payload.number = 7;
  payload.repository.full_name = 'house/shop';
  payload.pull_request.number = 7;
  payload.pull_request.head.sha = head;
  payload.after = head;
  return payload;
}

export type ServerGiven = {
  readonly forge?: ForgeKind;
  readonly workers?: number;
  /** More lines of the server's settings. */
  readonly settings?: string;
  /** The gates in the onceover.yml of the base branch. */
  readonly gates?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The address of the store, if it is not a database of its own. */
  readonly store?: string;
  /** The content of the user's own config file. */
  readonly userConfig?: string;
};

const GATES = 'gates:\n  - path: src\n    reviews:\n      quality: { prompt: quality.md, num_reviews: 2 }\n';

/**
 * Starts the server of compose.yml as a process, with a forge, a repository on it, a database and workers. All end with
 * the test.
 */
export async function startServer(given: ServerGiven = {}): Promise<TestServer> {
  const { forge = 'github', workers = 2, settings = '', gates = GATES, env = {}, userConfig = null } = given;
  const store = given.store ?? (await databaseOfTest());
  const agent = scriptedAgent();
  const repo = emptyRepo();
  const remote = join(dirname(repo.root), 'remote');
  mkdirSync(join(remote, 'house'), { recursive: true });
  symlinkSync(join(repo.root, '.git'), join(remote, 'house/shop.git'));
  const head = firstPull(repo, agent, gates);
  const world = openWorld({ head, base: { 'src/a.js': BEFORE }, files: { 'src/a.js': AFTER } });
  world.pull.branches['main'] = [repo.git('rev-parse', 'main').trim()];
  const simulator = await (forge === 'github' ? startGithub(world, 'forge-token') : startGitlab(world, 'forge-token'));
  onTestFinished(() => simulator.close());
  for (let n = 0; n < workers; n++) await startWorker(store, [agent], { name: `worker-${n}`, atOnce: 1 });

  const folder = join(dirname(repo.root), 'server');
  const config = join(dirname(repo.root), '.config/onceover');
  mkdirSync(config, { recursive: true });
  if (userConfig !== null) writeFileSync(join(config, 'config.yml'), userConfig);
  const digest = (token: string) => createHash('sha256').update(token).digest('hex');
  writeFileSync(
    join(config, 'server.yml'),
    `listen: 127.0.0.1:0
folder: ${folder}
${forge}:
  api: ${simulator.url}
  clone: file://${remote}
  repositories: [house/shop]
tokens:
  - { name: ann, sha256: ${digest(TOKENS.all)}, scopes: [read, run, waive, administer] }
  - { name: ben, sha256: ${digest(TOKENS.reader)}, scopes: [read] }
${settings}`,
  );
  const upper = forge.toUpperCase();
  const { command = [] } =
    composeWith({ POSTGRES_PASSWORD: 'unused', AGENT_NAMES: agent.name }).services['server'] ?? {};
  const child = spawn(process.execPath, [CLI, ...command], {
    env: {
      ...cleanEnvironment(dirname(repo.root)),
      ONCEOVER_STORE: store,
      [`ONCEOVER_${upper}_SECRET`]: SECRET,
      [`ONCEOVER_${upper}_TOKEN`]: 'forge-token',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const events: Event[] = [];
  let rest = '';
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) events.push(JSON.parse(line) as Event);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    // The second signal puts running runs back, and ends their processes.
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGTERM'), 100);
    const last = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await exit;
    clearTimeout(last);
  });
  await until(() => {
    if (child.exitCode !== null) throw new Error(`the server ended: ${said}`);
    return events.some(({ kind }) => kind === 'started');
  }, 30_000);
  const [started] = events;
  const url = started?.kind === 'started' ? started.address : '';

  return {
    ...{ forge, url, store, world, agent, repo, events, folder, wrong: simulator.wrong },
    push(path, content) {
      repo.git('checkout', '-q', 'work');
      repo.write(path, content);
      repo.commit('more');
      const now = showPull(repo);
      world.person((data) => {
        data.head = now;
        data.files[path] = content;
      });
      return now;
    },
    async webhook({ secret = SECRET, delivery = randomUUID(), body, raw, headers = {} } = {}) {
      const payload = payloadFor(forge, world.data.head);
      const text = raw ?? JSON.stringify(body === undefined ? payload : body(payload));
      const own =
        forge === 'github'
          ? {
              'x-github-event': 'pull_request',
              'x-github-delivery': delivery,
              'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`,
            }
          : { 'x-gitlab-event': 'Merge Request Hook', 'x-gitlab-event-uuid': delivery, 'x-gitlab-token': secret };
      const answer = await fetch(`${url}/webhooks/${forge}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...own, ...headers },
        body: text,
      });
      const answered = await answer.text();
      return { status: answer.status, body: answered.startsWith('{') ? JSON.parse(answered) : { result: answered } };
    },
    get: (path, token = TOKENS.all) =>
      fetch(`${url}${path}`, { redirect: 'manual', headers: { authorization: `Bearer ${token}` } }),
    post: (path, fields, token = TOKENS.all) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(fields),
      }),
    async ended(run) {
      const isEnd = (event: ServerEvent) => event.kind === 'run-ended' && event.outcome !== 'put-back';
      const find = () => events.findLast((event) => isEnd(event) && 'run' in event && event.run === run);
      await until(() => find() !== undefined, 60_000).catch(() => undefined);
      const found = find();
      if (found?.kind !== 'run-ended') throw new Error(`the run did not end: ${JSON.stringify(events)} ${said}`);
      return found;
    },
    async signal(name) {
      child.kill(name);
      return exit;
    },
  };
}

/** Makes the base branch with a configuration, and pull request 7. Returns its head. */
function firstPull(repo: TestRepo, agent: ScriptedAgent, gates: string): string {
  repo.write('onceover.yml', `${agent.yaml}${gates}`);
  repo.write('quality.md', 'Look for what is wrong.\n');
  repo.write('src/a.js', BEFORE);
  repo.commit('base');
  repo.git('checkout', '-q', '-b', 'work');
  repo.write('src/a.js', AFTER);
  repo.commit('change');
  return showPull(repo);
}

function showPull(repo: TestRepo): string {
  const head = repo.git('rev-parse', 'work').trim();
  repo.git('update-ref', 'refs/pull/7/head', head);
  repo.git('update-ref', 'refs/merge-requests/7/head', head);
  return head;
}
