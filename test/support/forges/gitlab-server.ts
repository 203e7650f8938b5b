/** GitLab on 127.0.0.1 for tests: the routes that the program uses, with GitLab's limits. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ok } from '@onceover/base/kernel/result';
import { newSideOf } from '@onceover/forges/src/decide-anchor.ts';
import type { GitlabTarget } from '@onceover/forges/src/decide-gitlab-target.ts';
import { gitlabForge } from '@onceover/forges/src/gitlab.ts';
import type { Forge, PlaceLine } from '@onceover/forges/src/types.ts';
import { findRoute, type GitlabPosition } from './gitlab-facts.ts';
import { removeThreadComment } from './memory-forge.ts';
import { containsCommit, type World, type WorldComment, type WorldData } from './world.ts';

type Answer = { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> };

export type GitlabServer = {
  readonly url: string;
  readonly log: string[];
  /** Requests that do not fit the facts about GitLab's API. */
  readonly wrong: string[];
  /** Answers that the server gives instead of its own to the next requests whose line contains the text. */
  readonly trouble: { readonly on: string; readonly answer: Answer }[];
  /** Called with each request before it is answered. */
  readonly heard: ((line: string) => void)[];
  close(): Promise<void>;
};

const LONGEST_NOTE = 1_000_000;

/** Starts the server for one merge request: number 7 of project 42. */
export async function startGitlab(world: World, token = 'secret'): Promise<GitlabServer> {
  const log: string[] = [];
  const wrong: string[] = [];
  const trouble: GitlabServer['trouble'] = [];
  const heard: GitlabServer['heard'] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const line = `${request.method} ${request.url}`;
    log.push(line);
    for (const hear of heard) hear(line);
    const known = trouble.findIndex(({ on }) => line.includes(on));
    const answer =
      known !== -1
        ? (trouble.splice(known, 1)[0]?.answer ?? { status: 500, body: null })
        : request.headers['private-token'] !== token
          ? { status: 401, body: { message: '401 Unauthorized' } }
          : answerGitlab(world, request.method ?? '', request.url ?? '', text === '' ? null : JSON.parse(text), wrong);
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.body === null ? '' : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}/api/v4`, log, wrong, trouble, heard },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

export function gitlabTarget(world: World, apiUrl: string): GitlabTarget {
  return {
    apiUrl,
    project: '42',
    pull: 7,
    commit: world.data.head,
    commitUrl: `https://gitlab.example.com/house/shop/-/commit/${world.data.head}`,
  };
}

/** Returns the forge of the program on the same rules, without HTTP. `mostWrites` kills it after that many writes. */
export function directGitlab(world: World, mostWrites = Number.POSITIVE_INFINITY): Forge {
  const prefix = 'https://gitlab.example.com/api/v4';
  let written = 0;
  return gitlabForge(gitlabTarget(world, prefix), async ({ method, url, body }) => {
    if (method !== 'GET' && written++ >= mostWrites) throw new Error('killed');
    const wrong: string[] = [];
    const sent = body === undefined ? null : (JSON.parse(JSON.stringify(body)) as unknown);
    const answer = answerGitlab(world, method, url.replace('https://gitlab.example.com', ''), sent, wrong);
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
    return ok({ ...answer, headers: new Headers() });
  });
}

type Body = {
  readonly body?: string;
  readonly position?: GitlabPosition;
  readonly resolved?: boolean;
  readonly name?: string;
  readonly state?: string;
  readonly description?: string;
  readonly target_url?: string;
};

const NOT_FOUND: Answer = { status: 404, body: { message: '404 Not found' } };
const FORBIDDEN: Answer = { status: 403, body: { message: '403 Forbidden' } };

const invalid = (world: World, message: string): Answer => {
  world.rejected++;
  return { status: 400, body: { message } };
};

function answerGitlab(world: World, method: string, address: string, given: unknown, wrong: string[]): Answer {
  const url = new URL(address, 'http://127.0.0.1');
  const route = findRoute(method, url.pathname.replace(/^\/api\/v4/, ''));
  if (route === null) {
    wrong.push(`GitLab has no ${method} ${url.pathname}`);
    return NOT_FOUND;
  }
  const problem = route.wrongRequest(given);
  if (problem !== null) wrong.push(`${route.key}: ${problem}`);
  const { parameters } = route;
  if (!['42', 'house/shop'].includes(parameters['id'] ?? '42') || (parameters['iid'] ?? '7') !== '7') return NOT_FOUND;
  const isWrite = method !== 'GET';
  const { permissions } = world;
  if (isWrite && !(route.key.includes('/statuses') ? permissions.checks : permissions.pulls)) return FORBIDDEN;
  const body = (given ?? {}) as Body;
  if ((body.body ?? '').length > LONGEST_NOTE) {
    return invalid(world, '400 (Bad request) "Note" is too long (maximum is 1000000 characters)');
  }
  return isWrite ? answerWrite(world, route.key, parameters, body) : answerRead(world, route.key, parameters, url);
}

/** The SHAs of the diff. */
const refsOf = ({ head }: WorldData) => ({ base_sha: 'b'.repeat(40), start_sha: 'b'.repeat(40), head_sha: head });

function answerRead(world: World, key: string, parameters: Readonly<Record<string, string>>, url: URL): Answer {
  const seen = world.seen();
  const done = (body: unknown): Answer => ({ status: 200, body });
  const page = (items: readonly unknown[]): Answer => {
    const size = Math.min(100, Number(url.searchParams.get('per_page') ?? 20));
    const number = Number(url.searchParams.get('page') ?? 1);
    const next = items.length > number * size ? String(number + 1) : '';
    return { ...done(items.slice((number - 1) * size, number * size)), headers: { 'x-next-page': next } };
  };
  switch (key) {
    case 'GET /user':
      return done({ id: userOf(world.viewer), username: world.viewer });
    case 'GET /repository/merge_base': {
      const [branch = '', commit = ''] = url.searchParams.getAll('refs[]');
      const isKnown = branch === world.pull.base || branch in world.pull.branches;
      if (!isKnown) return NOT_FOUND;
      return done({ id: containsCommit(world, branch, commit) ? commit : 'e'.repeat(40) });
    }
    case 'GET /repository/commits/:sha/statuses':
      return page(
        seen.checks
          .filter(({ sha }) => sha === parameters['sha'])
          .map(({ id, name, conclusion, externalId, title }) => ({
            ...{ id, name, status: conclusion === 'failure' ? 'failed' : conclusion, description: title },
            target_url: `https://gitlab.example.com/house/shop/-/commit/x#onceover-${externalId}`,
          })),
      );
    case 'GET ':
      return done({
        ...{ iid: 7, sha: seen.head, diff_refs: refsOf(seen) },
        ...{
          state: world.pull.isOpen ? 'opened' : 'closed',
          draft: world.pull.isDraft,
          target_branch: world.pull.base,
        },
        ...{ source_project_id: world.pull.isFork ? 43 : 42, target_project_id: 42 },
        web_url: 'https://gitlab.example.com/house/shop/-/merge_requests/7',
      });
    case 'GET /diffs':
      return page(
        world.diff().map(({ path, oldPath, patch }) => ({
          ...{ old_path: oldPath, new_path: path, diff: patch ?? '', collapsed: false, too_large: patch === null },
          ...{ new_file: false, renamed_file: path !== oldPath, deleted_file: false },
        })),
      );
    case 'GET /discussions':
      return page(discussionsOf(seen));
    default:
      return NOT_FOUND;
  }
}

const users = new Map<string, number>();
function userOf(name: string): number {
  if (!users.has(name)) users.set(name, users.size + 1);
  return users.get(name) ?? 0;
}

const discussionId = (kind: 'c' | 't', id: number) => `${kind === 'c' ? 'c' : 'd'}${id.toString(16).padStart(39, '0')}`;

function discussionsOf(data: WorldData): readonly unknown[] {
  const note = ({ id, author, body }: WorldComment, more: object) => ({
    ...{ id, body, author: { id: userOf(author), username: author }, system: false, resolvable: false },
    ...more,
  });
  const pushed = { id: 1, body: 'added 1 commit', author: { id: 99 }, system: true, resolvable: false };
  return [
    { id: 'e'.repeat(40), individual_note: true, notes: [pushed] },
    ...data.comments.map((one) => ({ id: discussionId('c', one.id), individual_note: true, notes: [note(one, {})] })),
    ...data.threads.map(({ id, resolvedBy, comments }) => {
      const by = resolvedBy === null ? null : { id: userOf(resolvedBy), username: resolvedBy };
      const state = { type: 'DiffNote', resolvable: true, resolved: by !== null, resolved_by: by };
      return { id: discussionId('t', id), individual_note: false, notes: comments.map((one) => note(one, state)) };
    }),
  ];
}

const LINE_CODE = `400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"]}`;

function answerWrite(world: World, key: string, parameters: Readonly<Record<string, string>>, body: Body): Answer {
  const { data, permissions } = world;
  const made: WorldComment = { id: world.nextId(), author: world.viewer, body: body.body ?? '', isMinimized: false };
  const thread = data.threads.find(({ id }) => discussionId('t', id) === parameters['discussion']);
  const number = Number(parameters['note']);
  const created = (change: () => unknown): Answer => {
    world.write(change);
    return { status: 201, body: { id: made.id } };
  };
  switch (key) {
    case 'POST /statuses/:sha': {
      const { name = '', description = '', target_url = '' } = body;
      const externalId = /#onceover-([0-9a-z-]+)$/.exec(target_url)?.[1] ?? '';
      const conclusion = body.state === 'success' || body.state === 'pending' ? body.state : 'failure';
      const check = { name, conclusion, title: description, summary: '', externalId, annotations: [] } as const;
      return created(() => {
        data.checks.push({ ...check, id: made.id, sha: parameters['sha'] ?? '', status: 'completed' });
      });
    }
    case 'POST /discussions': {
      const { position } = body;
      if (position === undefined || !accepts(world, position)) return invalid(world, LINE_CODE);
      const line = position.position_type === 'text' ? position.new_line : null;
      const added = { id: world.nextId(), path: position.new_path, line, resolvedBy: null, comments: [made] };
      return created(() => data.threads.push(added));
    }
    case 'PUT /discussions/:discussion':
      if (thread === undefined) return NOT_FOUND;
      if (!permissions.contents) return FORBIDDEN;
      world.write(() => {
        thread.resolvedBy = body.resolved === true ? world.viewer : null;
      });
      return { status: 200, body: {} };
    case 'POST /discussions/:discussion/notes':
      return thread === undefined ? NOT_FOUND : created(() => thread.comments.push(made));
    case 'POST /notes':
      return created(() => data.comments.push(made));
    case 'PUT /notes/:note':
    case 'PUT /discussions/:discussion/notes/:note': {
      const found = [...data.comments, ...(thread?.comments ?? [])].find(({ id }) => id === number);
      if (found === undefined) return NOT_FOUND;
      if (found.author !== world.viewer) return FORBIDDEN;
      world.write(() => {
        found.body = made.body;
      });
      return { status: 200, body: {} };
    }
    case 'DELETE /discussions/:discussion/notes/:note':
      world.write(() => removeThreadComment(world, number));
      return { status: 204, body: null };
    case 'DELETE /notes/:note':
      world.write(() => {
        data.comments = data.comments.filter(({ id }) => id !== number);
      });
      return { status: 204, body: null };
    default:
      return NOT_FOUND;
  }
}

/** Whether GitLab finds the line code of a position: both numbers on an unchanged line, only the new on an added one. */
function accepts(world: World, position: GitlabPosition): boolean {
  const { base_sha, start_sha, head_sha } = position;
  const refs = refsOf(world.data);
  if (base_sha !== refs.base_sha || start_sha !== refs.start_sha || head_sha !== refs.head_sha) return false;
  const file = world.diff().find(({ path }) => path === position.new_path);
  const path = { path: position.new_path, oldPath: position.old_path };
  if (file === undefined || file.oldPath !== position.old_path) return false;
  if (position.position_type === 'file') return world.accepts({ kind: 'file', ...path });
  const lines = newSideOf(file.patch ?? '');
  const named = (line: number, oldLine: number | undefined): PlaceLine | undefined =>
    lines.find((one) => one.line === line && one.oldLine === (oldLine ?? null));
  const end = named(position.new_line, position.old_line);
  const range = position.line_range;
  if (end === undefined) return false;
  const start = range === undefined ? end : named(range.start.new_line, range.start.old_line);
  if (start === undefined) return false;
  const codeOf = ({ line, oldAt }: PlaceLine) =>
    `${createHash('sha1').update(position.new_path).digest('hex')}_${oldAt}_${line}`;
  if (range !== undefined && (range.start.line_code !== codeOf(start) || range.end.line_code !== codeOf(end)))
    return false;
  return world.accepts({ kind: 'lines', ...path, first: start.line, last: end.line, ends: [start, end], text: [] });
}
