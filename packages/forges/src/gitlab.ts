import { createHash } from 'node:crypto';
import { ok, type Result } from '@onceover/base/kernel/result';
import type * as z from 'zod';
import type { GitlabTarget } from './decide-gitlab-target.ts';
import { markerOf } from './describe-marker.ts';
import * as shapes from './gitlab-shapes.ts';
import { type ForgeRequest, forgeAnswers, requestSender, type SendRequest } from './request.ts';
import type {
  ChangedFile,
  CheckReport,
  Forge,
  ForgeCheck,
  ForgeComment,
  NewThread,
  PlaceLine,
  PullFacts,
  PullRequestState,
  WriteEnd,
} from './types.ts';

const FORGE = 'GitLab';
// GitLab answers 400 if a line is not part of the diff or if a text is too long.
const { readBody, writeEnd, failed: forgeFailure } = forgeAnswers(FORGE, [400, 413, 422]);
const PAGE = 100;
const MOST_PAGES = 100;
const MOST_OF_DESCRIPTION = 255;
/** GitLab leaves out the files of a change beyond a limit, which is 1000 unless an administrator raised it. */
const MOST_FILES = 1000;
/** How often to read a merge request again if a push arrives while we read it. */
const MOST_READS = 3;

type Wait = (milliseconds: number) => Promise<unknown>;

/** Returns access to an existing merge request on GitLab, or to a commit that has no merge request. */
export function openGitlab(target: GitlabTarget, token: string, wait?: Wait): Forge {
  return gitlabForge(target, requestSender(FORGE, { 'private-token': token, 'user-agent': 'onceover' }, wait));
}

/** Returns an object that reads and writes a merge request on GitLab. `send` sends its requests. */
export function gitlabForge(target: GitlabTarget, send: SendRequest): Forge {
  const project = `${target.apiUrl}/projects/${encodeURIComponent(target.project)}`;
  const request = `${project}/merge_requests/${target.pull}`;
  const write = async (forgeRequest: ForgeRequest) => writeEnd(await send(forgeRequest));
  const edit = (url: string, body: object) => write({ method: 'PUT', url, body, isRepeatable: true });
  let refs: shapes.DiffRefs | null = null;
  return {
    name: target.pull === null ? `${target.project}, commit ${target.commit.slice(0, 10)}` : nameOf(target),
    takesConfirmations: false,
    async contains(branch, commit) {
      const query = [branch, commit].map((ref) => `refs[]=${encodeURIComponent(ref)}`).join('&');
      const answer = await send({ method: 'GET', url: `${project}/repository/merge_base?${query}` });
      // The repository has no such branch or commit, or they have nothing in common.
      if (answer.ok && answer.value.status === 404) return ok(false);
      const common = readBody(answer, shapes.mergeBaseAnswer);
      return common.ok ? ok(common.value.id === commit) : common;
    },
    // Commits on GitLab name an address of their author and no account.
    readAuthors: async () => ok({ author: null, commits: [] }),
    mayWrite: async () => ok(false),
    async read() {
      const checks = await readStatuses(send, project, target.commit);
      if (!checks.ok) return checks;
      if (target.pull === null) return ok({ ...NO_PULL, checks: checks.value });
      for (let tries = 1; tries <= MOST_READS; tries++) {
        const before = await readRefs(send, request);
        if (!before.ok) return before;
        const files = await readFiles(send, request);
        if (!files.ok) return files;
        const talk = await readTalk(send, project, request);
        if (!talk.ok) return talk;
        // If someone pushed between these requests, we would mix the diff of one commit with the head of another.
        const after = await readRefs(send, request);
        if (!after.ok) return after;
        if (after.value.head_sha !== before.value.head_sha) continue;
        refs = after.value;
        const facts = await readGitlabPull(send, request);
        if (!facts.ok) return facts;
        const hasAllFiles = files.value.length < MOST_FILES;
        const { head_sha: head } = refs;
        return ok({ pull: facts.value, head, ...talk.value, checks: checks.value, files: files.value, hasAllFiles });
      }
      return forgeFailure('the merge request got new commits while it was read');
    },
    async createThreads(threads) {
      const ends: WriteEnd[] = [];
      for (const thread of threads) {
        if (refs === null) return forgeFailure('the merge request was not read');
        const body = { body: withRange(thread), position: positionOf(thread.place, refs) };
        const createEnd = await write({ method: 'POST', url: `${request}/discussions`, body });
        if (!createEnd.ok) return createEnd;
        ends.push(createEnd.value);
      }
      return ok(ends);
    },
    reply: (thread, body) => write({ method: 'POST', url: `${request}/discussions/${thread}/notes`, body: { body } }),
    setResolved: (thread, isResolved) => edit(`${request}/discussions/${thread}`, { resolved: isResolved }),
    editThreadComment: (comment, body) => edit(noteUrl(request, comment), { body: withoutSuggestion(body) }),
    // GitLab cannot hide a comment. The edited text already says that the findings are closed.
    setHidden: async () => ok('done'),
    deleteThreadComment: (comment) => write({ method: 'DELETE', url: noteUrl(request, comment) }),
    createComment: (body) => write({ method: 'POST', url: `${request}/notes`, body: { body } }),
    editComment: (comment, body) => edit(`${request}/notes/${numberOf(comment)}`, { body }),
    deleteComment: (comment) => write({ method: 'DELETE', url: `${request}/notes/${numberOf(comment)}` }),
    createCheck: (check) =>
      write({ method: 'POST', url: `${project}/statuses/${target.commit}`, body: statusOf(check, target) }),
  };
}

const NO_PULL = { pull: null, head: null, comments: [], threads: [], files: [], hasAllFiles: true } as const;

/** Returns the facts of the merge request whose API address is `request`. */
export async function readGitlabPull(send: SendRequest, request: string): Promise<Result<PullFacts>> {
  const answer = readBody(await send({ method: 'GET', url: request }), shapes.mergeRequestFacts);
  if (!answer.ok) return answer;
  const { state, draft, sha, target_branch, source_project_id, target_project_id, web_url } = answer.value;
  return ok({
    isOpen: state === 'opened',
    isDraft: draft === true,
    ...{ head: sha, base: target_branch },
    repository: String(target_project_id),
    headRepository: source_project_id === null ? null : String(source_project_id),
    page: web_url.replace(/\/-\/merge_requests\/\d+$/, ''),
  });
}

function nameOf({ project, pull }: GitlabTarget): string {
  return `${project}!${pull}`;
}

/** Joins the two parts of a comment id: the id of its discussion, then the number of the note. */
const idOf = (discussion: string, number: number) => `${discussion} ${number}`;
const numberOf = (id: string) => encodeURIComponent(id.slice(id.indexOf(' ') + 1));
const noteUrl = (request: string, id: string) =>
  `${request}/discussions/${encodeURIComponent(id.slice(0, id.indexOf(' ')))}/notes/${numberOf(id)}`;

/** Reads all pages of a list, until a page is not full. */
async function readAll<T>(send: SendRequest, url: string, shape: z.ZodType<T[]>): Promise<Result<readonly T[]>> {
  const entries: T[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const mark = url.includes('?') ? '&' : '?';
    const answer = readBody(await send({ method: 'GET', url: `${url}${mark}per_page=${PAGE}&page=${page}` }), shape);
    if (!answer.ok) return answer;
    entries.push(...answer.value);
    if (answer.value.length < PAGE) return ok(entries);
  }
  return forgeFailure(`${url} has more than ${MOST_PAGES} pages`);
}

async function readRefs(send: SendRequest, request: string): Promise<Result<shapes.DiffRefs>> {
  const about = readBody(await send({ method: 'GET', url: request }), shapes.mergeRequestAnswer);
  if (!about.ok) return about;
  const { diff_refs } = about.value;
  return diff_refs === null ? forgeFailure('the diff of the merge request is not ready yet') : ok(diff_refs);
}

async function readFiles(send: SendRequest, request: string): Promise<Result<ChangedFile[]>> {
  const files = await readAll(send, `${request}/diffs`, shapes.diffsAnswer);
  if (!files.ok) return files;
  return ok(
    files.value.map(({ new_path, old_path, diff, too_large, collapsed }) => {
      const isShown = diff !== '' && too_large !== true && collapsed !== true;
      return { path: new_path, oldPath: old_path, patch: isShown ? diff : null };
    }),
  );
}

/**
 * Reads the newest status of each name on the commit. The status link ends with the digest of the check that created
 * it.
 */
async function readStatuses(send: SendRequest, project: string, commit: string): Promise<Result<ForgeCheck[]>> {
  const url = `${project}/repository/commits/${commit}/statuses`;
  const statuses = await readAll(send, url, shapes.statusesAnswer);
  if (!statuses.ok) return statuses;
  const newest = new Map<string, ForgeCheck & { readonly number: number }>();
  for (const { id: number, name, target_url } of statuses.value) {
    if ((newest.get(name)?.number ?? 0) > number) continue;
    const externalId = /#onceover-([0-9a-z-]+)$/.exec(target_url ?? '')?.[1] ?? '';
    newest.set(name, { id: String(number), number, name, externalId });
  }
  return ok([...newest.values()]);
}

/**
 * GitLab has no status for warnings or for missing results. A missing result becomes `failed`, so that it cannot
 * satisfy a merge rule.
 */
const STATES = {
  success: 'success',
  neutral: 'success',
  failure: 'failed',
  action_required: 'failed',
  pending: 'pending',
} as const;

function statusOf({ name, conclusion, title, externalId }: CheckReport, { commitUrl }: GitlabTarget): object {
  return {
    name,
    state: STATES[conclusion],
    description: title.slice(0, MOST_OF_DESCRIPTION),
    target_url: `${commitUrl}#onceover-${externalId}`,
  };
}

async function readTalk(
  send: SendRequest,
  project: string,
  request: string,
): Promise<Result<Pick<PullRequestState, 'comments' | 'threads'>>> {
  const user = readBody(
    await send({ method: 'GET', url: `${project.split('/projects/')[0]}/user` }),
    shapes.userAnswer,
  );
  if (!user.ok) return user;
  const answer = await readAll(send, `${request}/discussions`, shapes.discussionsAnswer);
  if (!answer.ok) return answer;
  const discussions = answer.value
    .map((discussion) => ({ ...discussion, notes: discussion.notes.filter(({ system }) => !system) }))
    .filter(({ notes }) => notes.length > 0);
  const commentOf = (discussion: string, { id, body, author }: shapes.GitlabNote): ForgeComment => {
    const marker = markerOf(body);
    return {
      id: idOf(discussion, id),
      body,
      isOwn: author.id === user.value.id,
      isHidden: marker?.kind === 'thread' && marker.isClosed,
      // Confirmations by comment need the accounts of commit authors, which GitLab does not name.
      author: null,
      isEdited: false,
    };
  };
  return ok({
    comments: discussions
      .filter(({ individual_note }) => individual_note)
      .flatMap(({ id, notes }) => notes.map((note) => commentOf(id, note))),
    threads: discussions
      .filter(({ notes }) => notes[0]?.resolvable === true)
      .map(({ id, notes }) => ({
        id,
        isResolved: notes.every(({ resolvable, resolved }) => !resolvable || resolved === true),
        resolvedByUs: notes[0]?.resolved_by?.id === user.value.id,
        comments: notes.map((note) => commentOf(id, note)),
      })),
  });
}

/**
 * Returns the position of a thread. GitLab needs both line numbers of an unchanged line, but only the new number of an
 * added line.
 */
function positionOf(place: NewThread['place'], refs: shapes.DiffRefs): object {
  const position = { ...refs, old_path: place.oldPath, new_path: place.path };
  if (place.kind === 'file') return { ...position, position_type: 'file' };
  const [start, end] = place.ends;
  const range = { start: rangeEnd(place.path, start), end: rangeEnd(place.path, end) };
  return {
    ...position,
    position_type: 'text',
    ...lineNumbers(end),
    ...(start.line === end.line ? {} : { line_range: range }),
  };
}

function lineNumbers({ line, oldLine }: PlaceLine): object {
  return { new_line: line, ...(oldLine === null ? {} : { old_line: oldLine }) };
}

/**
 * Returns one end of a line range. GitLab's line code is the hash of the path and a line number for each side, even if
 * the line exists on one side only.
 */
function rangeEnd(path: string, end: PlaceLine): object {
  const code = `${createHash('sha1').update(path).digest('hex')}_${end.oldAt}_${end.line}`;
  return { line_code: code, type: end.oldLine === null ? 'new' : null, ...lineNumbers(end) };
}

const SUGGESTION = /^(`{3,})suggestion$/gm;

/**
 * Returns the text of a thread. A suggestion of GitLab must say how many lines before the last line of the thread it
 * replaces.
 */
function withRange({ body, place }: NewThread): string {
  const above = place.kind === 'lines' ? place.last - place.first : 0;
  return body.replace(SUGGESTION, `$1suggestion:-${above}+0`);
}

/**
 * Turns a suggestion into a plain code block, because the lines that it would replace are not known when a thread is
 * edited.
 */
function withoutSuggestion(body: string): string {
  return body.replace(SUGGESTION, '$1');
}
