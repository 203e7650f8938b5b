/** GitHub on 127.0.0.1 for tests: the REST and GraphQL operations that the program uses, with GitHub's limits. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ok } from '@onceover/base/kernel/result';
import type { GithubTarget } from '@onceover/forges/decide-target';
import { githubForge } from '@onceover/forges/src/github.ts';
import type { SendRequest } from '@onceover/forges/src/request.ts';
import type { CheckReport, Forge, ThreadPlace } from '@onceover/forges/src/types.ts';
import { answerGraphql } from './github-graphql.ts';
import { removeThreadComment } from './memory-forge.ts';
import { component, type FoundOperation, findOperation } from './openapi.ts';
import { containsCommit, LONGEST_COMMENT, type World, type WorldComment } from './world.ts';

type Answer = { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> };

export type GithubServer = {
  readonly url: string;
  /** Every request: method and path. */
  readonly log: string[];
  /** Requests and answers that do not fit GitHub's published description. */
  readonly wrong: string[];
  /** Answers that the server gives instead of its own to the next requests whose line contains the text. */
  readonly trouble: { readonly on: string; readonly answer: Answer }[];
  close(): Promise<void>;
};

/** Starts the server for one pull request: number 7 of house/shop, or of the branch `head`. */
export async function startGithub(world: World, token = 'secret'): Promise<GithubServer> {
  const log: string[] = [];
  const wrong: string[] = [];
  const trouble: GithubServer['trouble'] = [];
  const server = createServer(async (request, response) => {
    const text = await bodyOf(request);
    const line = `${request.method} ${request.url}`;
    log.push(line);
    const known = trouble.findIndex(({ on }) => line.includes(on));
    const answer =
      known !== -1
        ? (trouble.splice(known, 1)[0]?.answer ?? { status: 500, body: null })
        : request.headers.authorization !== `Bearer ${token}`
          ? { status: 401, body: { message: 'Bad credentials' } }
          : await answerTo(world, line, text === '' ? null : JSON.parse(text), wrong);
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.body === null ? '' : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}`, log, wrong, trouble },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** The pull request of a world, for the program's own code. */
export function githubTarget(world: World, url: string): GithubTarget {
  return {
    apiUrl: url,
    graphqlUrl: `${url}/graphql`,
    repository: 'house/shop',
    pull: { kind: 'number', number: 7 },
    commit: world.data.head,
  };
}

/** Returns the forge of the program on the same rules, without HTTP. `mostWrites` kills it after that many writes. */
export function directGithub(world: World, mostWrites = Number.POSITIVE_INFINITY): Forge {
  const origin = 'https://api.github.com';
  let written = 0;
  const send: SendRequest = async ({ method, url, body }) => {
    const sent = body === undefined ? null : (JSON.parse(JSON.stringify(body)) as { readonly query?: string });
    const isWrite = method !== 'GET' && !/^\s*query\b/.test(sent?.query ?? '');
    if (isWrite && written++ >= mostWrites) throw new Error('killed');
    const wrong: string[] = [];
    const answer = await answerTo(world, `${method} ${url.slice(origin.length)}`, sent, wrong);
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
    return ok({ ...answer, headers: new Headers() });
  };
  return githubForge(send, githubTarget(world, origin), 7);
}

async function answerTo(world: World, line: string, body: unknown, wrong: string[]): Promise<Answer> {
  const [method = '', address = ''] = line.split(' ');
  const url = new URL(address, 'http://127.0.0.1');
  if (url.pathname === '/graphql') {
    const answer = await answerGraphql(world, body);
    if ('errors' in answer && !/FORBIDDEN|NOT_FOUND/.test(JSON.stringify(answer))) wrong.push(JSON.stringify(answer));
    return { status: 200, body: answer };
  }
  const operation = findOperation(method, url.pathname);
  if (operation === null) {
    wrong.push(`GitHub has no ${method} ${url.pathname}`);
    return { status: 404, body: { message: 'Not Found' } };
  }
  const badRequest = operation.wrongRequest(url.searchParams, body);
  if (badRequest !== null) wrong.push(`${operation.key}: ${badRequest}`);
  const answer = answerRest(world, operation, url.searchParams, (body ?? {}) as Body);
  if (answer.status < 300) {
    const badAnswer = operation.wrongAnswer(answer.status, answer.body);
    if (badAnswer !== null) wrong.push(`answer of ${operation.key}: ${badAnswer}`);
  }
  return answer;
}

type Body = {
  readonly body?: string;
  readonly comments?: readonly Body[];
  readonly path?: string;
  readonly line?: number;
  readonly start_line?: number;
  readonly subject_type?: string;
  readonly commit_id?: string;
  readonly name?: string;
  readonly head_sha?: string;
  readonly status?: 'in_progress' | 'completed';
  readonly conclusion?: CheckReport['conclusion'];
  readonly external_id?: string;
  readonly output?: { readonly title: string; readonly summary: string; readonly annotations?: readonly object[] };
};

const FORBIDDEN: Answer = { status: 403, body: { message: 'Resource not accessible by integration' } };

const invalid = (world: World): Answer => {
  world.rejected++;
  // GitHub does not say which comment is wrong.
  return { status: 422, body: { message: 'Unprocessable Entity', errors: ['Line could not be resolved'] } };
};

function answerRest(world: World, operation: FoundOperation, query: URLSearchParams, body: Body): Answer {
  const { data, permissions } = world;
  const { key, parameters } = operation;
  const isWrite = !key.startsWith('GET');
  const ofChecks = key.includes('check-runs');
  if (isWrite && !(ofChecks ? permissions.checks : permissions.pulls)) return FORBIDDEN;
  const done = (status: number, given: object) => ({ status, body: operation.answer(status, given) });
  const page = <T>(items: readonly T[]) => {
    const size = Math.min(100, Number(query.get('per_page') ?? 30));
    const number = Number(query.get('page') ?? 1);
    return items.slice((number - 1) * size, number * size);
  };
  const comment = (text: string): WorldComment => ({
    id: world.nextId(),
    author: world.viewer,
    body: text,
    isMinimized: false,
  });
  const isTooLong = (text = '') => text.length > LONGEST_COMMENT;
  const id = Number(parameters['comment_id']);
  switch (key.replace('/repos/{owner}/{repo}', '')) {
    case 'GET /pulls':
      return {
        status: 200,
        body: ['stranger:work', 'house:work'].includes(query.get('head') ?? '')
          ? [component('pull-request-simple', { number: 7, head: { ...head(), sha: data.head } })]
          : [],
      };
    case 'GET /pulls/{pull_number}':
      return parameters['pull_number'] === '7'
        ? { status: 200, body: pullOf(world, operation) }
        : { status: 404, body: { message: 'Not Found' } };
    case 'GET /pulls/{pull_number}/files':
      return {
        status: 200,
        body: page(world.diff()).map(({ path, patch }) =>
          component('diff-entry', { filename: path, status: 'modified', ...(patch === null ? {} : { patch }) }),
        ),
      };
    case 'GET /pulls/{pull_number}/commits':
      return {
        status: 200,
        body: page(world.pull.commits).map(({ id: sha, author }) =>
          component('commit', {
            ...{ sha, committer: null },
            author: author === null ? null : component('simple-user', { login: author }),
          }),
        ),
      };
    case 'GET /compare/{basehead}': {
      const [branch = '', commit = ''] = decodeURIComponent(parameters['basehead'] ?? '').split('...');
      const isKnown = branch === world.pull.base || branch in world.pull.branches;
      if (!isKnown) return { status: 404, body: { message: 'Not Found' } };
      return done(200, { status: containsCommit(world, branch, commit) ? 'behind' : 'diverged' });
    }
    case 'GET /collaborators/{username}/permission':
      return done(200, { permission: world.pull.writers.includes(parameters['username'] ?? '') ? 'write' : 'read' });
    case 'POST /pulls/{pull_number}/reviews': {
      const comments = body.comments ?? [];
      if (comments.some((one) => isTooLong(one.body) || !accepts(world, one))) return invalid(world);
      world.write(() => {
        for (const one of comments) addThread(world, one, comment(one.body ?? ''));
      });
      return done(200, {});
    }
    case 'POST /pulls/{pull_number}/comments': {
      if (isTooLong(body.body) || !accepts(world, body)) return invalid(world);
      const made = comment(body.body ?? '');
      world.write(() => addThread(world, body, made));
      return done(201, { id: made.id, body: made.body, path: body.path });
    }
    case 'POST /pulls/{pull_number}/comments/{comment_id}/replies': {
      const thread = data.threads.find(({ comments }) => comments[0]?.id === id);
      if (thread === undefined) return { status: 404, body: { message: 'Not Found' } };
      if (isTooLong(body.body)) return invalid(world);
      world.write(() => thread.comments.push(comment(body.body ?? '')));
      return done(201, { body: body.body });
    }
    case 'PATCH /pulls/comments/{comment_id}':
    case 'PATCH /issues/comments/{comment_id}': {
      const all = [...data.comments, ...data.threads.flatMap(({ comments }) => comments)];
      const found = all.find((one) => one.id === id);
      if (found === undefined) return { status: 404, body: { message: 'Not Found' } };
      if (isTooLong(body.body)) return invalid(world);
      world.write(() => {
        found.body = body.body ?? '';
      });
      return done(200, { id, body: found.body });
    }
    case 'DELETE /pulls/comments/{comment_id}':
      world.write(() => removeThreadComment(world, id));
      return { status: 204, body: null };
    case 'DELETE /issues/comments/{comment_id}':
      world.write(() => {
        data.comments = data.comments.filter((one) => one.id !== id);
      });
      return { status: 204, body: null };
    case 'POST /issues/{issue_number}/comments': {
      if (isTooLong(body.body)) return invalid(world);
      const made = comment(body.body ?? '');
      world.write(() => data.comments.push(made));
      return done(201, { id: made.id, body: made.body });
    }
    case 'GET /commits/{ref}/check-runs': {
      const seen = world.seen().checks.filter(({ sha }) => sha === parameters['ref']);
      const latest = seen.filter((one) => !seen.some((other) => other.name === one.name && other.id > one.id));
      const runs = page(latest).map(({ id: run, name, externalId, conclusion }) =>
        component('check-run', {
          ...{ id: run, name, external_id: externalId },
          conclusion: conclusion === 'pending' ? null : conclusion,
        }),
      );
      return { status: 200, body: { total_count: latest.length, check_runs: runs } };
    }
    default:
      return answerCheck(world, operation, body);
  }
}

function pullOf({ data, pull }: World, operation: FoundOperation): object {
  type Side = { readonly repo: object };
  const made = operation.answer(200, {}) as { readonly head: Side; readonly base: Side };
  const repo = { ...made.base.repo, id: 1, full_name: 'house/shop', html_url: 'https://github.com/house/shop' };
  return {
    ...made,
    ...{ number: 7, state: pull.isOpen ? 'open' : 'closed', draft: pull.isDraft },
    head: {
      ...made.head,
      sha: data.head,
      repo: pull.isFork ? { ...made.base.repo, id: 2, full_name: 'stranger/shop' } : repo,
    },
    base: { ...made.base, ref: pull.base, repo },
  };
}

function answerCheck(world: World, operation: FoundOperation, body: Body): Answer {
  const annotations = body.output?.annotations ?? [];
  const texts = [body.output?.title ?? '', body.output?.summary ?? ''];
  if (annotations.length > 50 || texts.some((text) => text.length >= LONGEST_COMMENT)) return invalid(world);
  const number = Number(operation.parameters['check_run_id']);
  const known = world.data.checks.find(({ id }) => id === number);
  const made = known ?? {
    id: world.nextId(),
    sha: body.head_sha ?? '',
    name: body.name ?? '',
    conclusion: 'action_required',
    title: '',
    summary: '',
    externalId: '',
    annotations: [],
    status: 'in_progress',
  };
  const now = {
    ...made,
    status: body.status ?? made.status,
    conclusion: body.conclusion ?? (body.status === 'in_progress' ? 'pending' : made.conclusion),
    externalId: body.external_id ?? made.externalId,
    title: body.output?.title ?? made.title,
    summary: body.output?.summary ?? made.summary,
    // GitHub adds the annotations of an update to those that are there.
    annotations: [...made.annotations, ...(annotations as CheckReport['annotations'])],
  };
  world.write((data) => {
    data.checks = [...data.checks.filter(({ id }) => id !== now.id), now];
  });
  const status = known === undefined ? 201 : 200;
  return {
    status,
    body: operation.answer(status, {
      id: now.id,
      name: now.name,
      external_id: now.externalId,
      conclusion: now.conclusion === 'pending' ? null : now.conclusion,
    }),
  };
}

function placeOf(one: Body): ThreadPlace {
  const path = one.path ?? '';
  if (one.subject_type === 'file') return { kind: 'file', path, oldPath: path };
  const last = one.line ?? 0;
  const first = one.start_line ?? last;
  const end = (line: number) => ({ line, oldLine: null, oldAt: 0 });
  return { kind: 'lines', path, oldPath: path, first, last, ends: [end(first), end(last)], text: [] };
}

function accepts(world: World, one: Body): boolean {
  const isCommit = one.commit_id === undefined || one.commit_id === world.data.head;
  return isCommit && world.accepts(placeOf(one));
}

function addThread(world: World, one: Body, first: WorldComment): void {
  const line = one.subject_type === 'file' ? null : (one.line ?? null);
  world.data.threads.push({ id: world.nextId(), path: one.path ?? '', line, resolvedBy: null, comments: [first] });
}

function head(): object {
  const simple = component('pull-request-simple', {}) as { readonly head: object };
  return simple.head;
}
