import { setTimeout as pause } from 'node:timers/promises';
import type { Result } from '@onceover/base/kernel/result';
import { describeFailure } from '@onceover/base/ui/describe-failure';
import type { Database } from '@onceover/store/connect';
import { StoreError, storeResult } from '@onceover/store/store-error';
import { decideWebhook } from './decide-webhook.ts';
import { describeMetrics, type MetricFamily } from './describe-metrics.ts';
import { describeLogin, describeRepositories, describeRepository } from './describe-pages.ts';
import type { ServerReply, ServerRequest } from './http.ts';
import { readMetrics } from './metrics.ts';
import type { PullRuns } from './pull-runs.ts';
import { listRepositories, openStoreFindings, storePage, waiveInStore } from './repositories.ts';
import type { AccessScope, ForgeName, PullName, ServerEvent, ServerSettings, Visitor } from './types.ts';
import type { openVisitors } from './visitors.ts';

export type RouteFacts = {
  readonly settings: ServerSettings;
  readonly database: Database;
  readonly runs: PullRuns;
  readonly visitors: ReturnType<typeof openVisitors>;
  tell(event: ServerEvent): void;
  /** Wakes the server when a review run was added to the queue. */
  wake(): void;
  isStopping(): boolean;
};

const LONGEST_WEBHOOK = 4 * 1024 * 1024;

const LONGEST_BODY = 64 * 1024;

/**
 * Returns the size limit of a request body in bytes. Webhooks may be larger, because they describe a whole pull
 * request.
 */
export function longestBody(path: string): number {
  return path.startsWith('/webhooks/') ? LONGEST_WEBHOOK : LONGEST_BODY;
}

const PAGE_POLICY = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
};

type Asked = { readonly request: ServerRequest; readonly visitor: Visitor; readonly isCookie: boolean };

type Route = {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  readonly scope: AccessScope;
  answer(asked: Asked, parts: readonly string[]): Promise<ServerReply>;
};

/** Returns the function that answers all HTTP requests to the server. */
export function openServerRoutes(facts: RouteFacts): (request: ServerRequest) => Promise<ServerReply> {
  const { visitors, tell } = facts;
  const webhooks = new Map<string, number>();
  const routes = routesOf(facts, webhooks);

  async function answerPublic(request: ServerRequest): Promise<ServerReply | null> {
    const { method, path } = request;
    if (path === '/healthz') return text(200, 'ok');
    if (path === '/readyz') return ready(facts);
    const [, forge] = /^\/webhooks\/(github|gitlab)$/.exec(path) ?? [];
    if (forge !== undefined) {
      const reply = method === 'POST' ? await receive(facts, forge as ForgeName, request) : text(405, 'Use POST.');
      const key = `${forge} ${reply.status}`;
      webhooks.set(key, (webhooks.get(key) ?? 0) + 1);
      return reply;
    }
    if (path === '/login' && method === 'GET') return page(describeLogin(null));
    if (path === '/login' && method === 'POST') {
      if (!isOwnPage(request)) return text(403, 'The request comes from another page.');
      const cookie = await visitors.logIn(fieldsOf(request).get('token') ?? '');
      if (cookie === null) return { ...page(describeLogin('The token is not valid.')), status: 401 };
      return redirect('/', { 'set-cookie': cookie });
    }
    if (path === '/logout' && method === 'POST') return redirect('/login', { 'set-cookie': visitors.logOut(request) });
    return null;
  }

  async function answerVisitor(request: ServerRequest): Promise<ServerReply> {
    const { method, path } = request;
    const identity = await visitors.identify(request);
    const isPage = request.header('authorization') === null && !path.startsWith('/api/') && path !== '/metrics';
    if (identity.kind === 'unsure') return json(503, { error: 'The issuer of the token does not answer.' });
    if (identity.kind !== 'visitor') {
      if (isPage && method === 'GET') return redirect('/login');
      return json(401, { error: 'Log in, or send a valid token.' }, { 'www-authenticate': 'Bearer' });
    }
    const { visitor, isCookie } = identity;
    if (method !== 'GET' && isCookie && !isOwnPage(request)) return text(403, 'The request comes from another page.');
    for (const route of routes) {
      const parts = route.method === method ? route.path.exec(path) : null;
      if (parts === null) continue;
      if (!visitor.scopes.has(route.scope))
        return json(403, { error: `Your token does not have the scope "${route.scope}".` });
      const reply = await route.answer({ request, visitor, isCookie }, parts.slice(1));
      if (method !== 'GET') tell({ kind: 'request', method, path, status: reply.status, by: visitor.name });
      return reply;
    }
    return json(404, { error: 'There is no such page.' });
  }

  return async (request) => {
    try {
      const getRequest = request.method === 'HEAD' ? { ...request, method: 'GET' } : request;
      return (await answerPublic(getRequest)) ?? (await answerVisitor(getRequest));
    } catch (error) {
      if (error instanceof StoreError) return json(503, { error: describeFailure(error.failure).what });
      tell({ kind: 'bug', said: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      return json(500, { error: 'onceover has a bug. Its log has the details.' });
    }
  };
}

/** How long the store may take to answer before the server counts as not ready. Probes give up after some seconds. */
const READY_MS = 2000;

async function ready({ database, isStopping }: RouteFacts): Promise<ServerReply> {
  if (isStopping()) return text(503, 'stopping');
  const queryCheck = storeResult(database.query('SELECT 1')).then(({ ok }) => ok);
  const tooLate = pause(READY_MS, false, { ref: false });
  return (await Promise.race([queryCheck, tooLate])) ? text(200, 'ready') : text(503, 'the store does not answer');
}

/** Receives a webhook. The forge gets the answer as soon as the webhook is stored; the review runs later. */
async function receive(
  { settings, runs, tell, wake, isStopping }: RouteFacts,
  name: ForgeName,
  request: ServerRequest,
): Promise<ServerReply> {
  const forge = settings.forges.find((candidate) => candidate.name === name);
  if (forge === undefined) return json(404, { error: `The settings of the server have no "${name}".` });
  const reply = (delivery: string, status: number, result: string, run: string | null = null) => {
    tell({ kind: 'webhook', forge: name, delivery, status, result, run });
    return json(status, { result, run });
  };
  const decision = decideWebhook(forge, request);
  if (!decision.ok) return reply('', decision.status, decision.why);
  const { delivery, keys, wish } = decision;
  if (wish.kind === 'ignored') return reply(delivery, 202, `ignored: ${wish.why}`);
  // Refuse the webhook. The forge then shows the delivery as failed, and a person can send it again.
  if (isStopping()) return reply(delivery, 503, 'the server stops');
  try {
    const acceptance = await runs.accept(keys, wish);
    if (acceptance.kind === 'queued') {
      wake();
      return reply(delivery, 202, 'queued', acceptance.run);
    }
    return reply(delivery, acceptance.kind === 'repetition' ? 200 : 202, acceptance.kind);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return reply(delivery, 503, describeFailure(error.failure).what);
  }
}

function routesOf(
  { settings, database, runs, wake }: RouteFacts,
  webhooks: ReadonlyMap<string, number>,
): readonly Route[] {
  const remoteOf = async (id: number) =>
    (await listRepositories(database)).find((repository) => repository.id === id) ?? null;
  const doneReply = ({ isCookie }: Asked, to: string, document: object) =>
    isCookie ? redirect(to) : json(200, document);

  async function again(visit: Asked, pull: PullName, head: string): Promise<ServerReply> {
    const isKnown = settings.forges.some(
      ({ name, repositories }) => name === pull.forge && repositories.includes(pull.project),
    );
    if (!isKnown) return json(404, { error: 'The repository is not in the settings of the server.' });
    const run = await runs.again(pull, head, visit.visitor.name);
    wake();
    return doneReply(visit, `/runs/${run}`, { run });
  }

  const get = (path: RegExp, answer: Route['answer']): Route => ({ method: 'GET', path, scope: 'read', answer });
  const post = (path: RegExp, scope: AccessScope, answer: Route['answer']): Route => ({
    method: 'POST',
    path,
    scope,
    answer,
  });
  return [
    get(/^\/metrics$/, async () => {
      const samples = [...webhooks].map(([key, value]) => {
        const [forge = '', status = ''] = key.split(' ');
        return { labels: { forge, status }, value };
      });
      const webhookMetric: MetricFamily = {
        ...{ name: 'onceover_webhooks_total', help: 'Webhooks that this server answered.', type: 'counter', samples },
      };
      return {
        status: 200,
        type: 'text/plain; version=0.0.4',
        body: describeMetrics([...(await readMetrics(database)), webhookMetric]),
      };
    }),
    get(/^\/$/, async ({ visitor }) =>
      page(describeRepositories(await listRepositories(database), await runs.list(null), visitor)),
    ),
    get(/^\/repositories\/([1-9]\d{0,14})$/, async ({ visitor }, [id]) => {
      const repository = await remoteOf(Number(id));
      if (repository === null) return json(404, { error: 'There is no such repository.' });
      const open = await openStoreFindings(database, repository.id);
      if (!open.ok) return failureReply(open);
      const findings = open.value.map(({ id: finding, priority, file, line, issue, resolution }) => ({
        ...{ id: finding, priority, file, line, issue },
        resolution: resolution === null ? null : `${resolution.how} by ${resolution.by.name}: ${resolution.why}`,
      }));
      return page(describeRepository({ ...repository, findings, runs: await runs.list(repository.id) }, visitor));
    }),
    get(/^\/repositories\/([1-9]\d{0,14})\/history$/, async (_asked, [id]) => {
      const repository = await remoteOf(Number(id));
      if (repository === null) return json(404, { error: 'There is no such repository.' });
      return report(await storePage(database, { repository: repository.id, name: repository.remote, run: null }));
    }),
    get(/^\/runs\/([0-9a-f-]{36})$/, async (_asked, [id = '']) => {
      const run = await runs.find(id);
      if (run === null) return json(404, { error: 'There is no such run.' });
      return report(await storePage(database, { repository: null, name: run.project, run }));
    }),
    get(/^\/api\/repositories$/, async () => json(200, { repositories: await listRepositories(database) })),
    get(/^\/api\/runs$/, async () => json(200, { runs: await runs.list(null) })),
    get(/^\/api\/runs\/([0-9a-f-]{36})$/, async (_asked, [id = '']) => {
      const run = await runs.find(id);
      return run === null ? json(404, { error: 'There is no such run.' }) : json(200, run);
    }),
    post(/^\/runs\/([0-9a-f-]{36})\/again$/, 'run', async (visit, [id = '']) => {
      const run = await runs.find(id);
      if (run === null) return json(404, { error: 'There is no such run.' });
      return again(visit, { forge: run.forge as ForgeName, project: run.project, number: run.number }, run.head);
    }),
    post(/^\/runs\/([0-9a-f-]{36})\/stop$/, 'administer', async (visit, [id = '']) => {
      const run = await runs.find(id);
      if (run === null) return json(404, { error: 'There is no such run.' });
      await runs.stop({ forge: run.forge as ForgeName, project: run.project, number: run.number }, visit.visitor.name);
      return doneReply(visit, '/', { stopped: id });
    }),
    post(
      /^\/repositories\/([1-9]\d{0,14})\/findings\/(F[1-9]\d{0,8})\/waive$/,
      'waive',
      async (visit, [id, finding = '']) => {
        const why = (fieldsOf(visit.request).get('why') ?? '').trim().slice(0, 4000);
        if (why === '') return json(400, { error: 'Give a reason with "why".' });
        const result = await waiveInStore(database, Number(id), { id: finding, why, by: visit.visitor.name });
        return result.ok ? doneReply(visit, `/repositories/${id}`, { waived: result.value }) : failureReply(result);
      },
    ),
  ];
}

/**
 * Whether a request comes from a page of this server. Browsers set these headers themselves, and scripts on other pages
 * cannot change them.
 */
function isOwnPage(request: ServerRequest): boolean {
  const site = request.header('sec-fetch-site');
  if (site !== null && site !== 'same-origin') return false;
  const origin = request.header('origin');
  return origin !== null && URL.canParse(origin) && new URL(origin).host === request.header('host');
}

/** Returns the fields of a submitted form or of a JSON object. */
function fieldsOf({ body, header }: ServerRequest): ReadonlyMap<string, string> {
  const text_ = body.toString('utf8');
  if (header('content-type')?.startsWith('application/json') !== true) return new Map(new URLSearchParams(text_));
  try {
    const content: unknown = JSON.parse(text_);
    const entries = typeof content === 'object' && content !== null ? Object.entries(content) : [];
    return new Map(entries.filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
  } catch {
    return new Map();
  }
}

function text(status: number, body: string): ServerReply {
  return { status, type: 'text/plain', body: `${body}\n` };
}

function json(status: number, document: object, headers: Readonly<Record<string, string>> = {}): ServerReply {
  return { status, type: 'application/json', body: `${JSON.stringify(document)}\n`, headers };
}

function page(body: string): ServerReply {
  return { status: 200, type: 'text/html', body, headers: PAGE_POLICY };
}

/**
 * Replies with a report page in the form that `onceover ui` shows. The page contains its own content security policy.
 */
function report(document: Result<string>): ServerReply {
  if (!document.ok) return failureReply(document);
  return {
    status: 200,
    type: 'text/html',
    body: document.value,
    headers: { 'content-security-policy': "frame-ancestors 'none'" },
  };
}

function failureReply({ failure }: Extract<Result<never>, { ok: false }>): ServerReply {
  return json(failure.kind === 'store-failed' ? 503 : 400, { error: describeFailure(failure).what });
}

function redirect(to: string, headers: Readonly<Record<string, string>> = {}): ServerReply {
  return { status: 303, type: 'text/plain', body: '', headers: { location: to, ...headers } };
}
