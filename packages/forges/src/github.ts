import { err, ok, type Result } from '@onceover/base/kernel/result';
import type * as z from 'zod';
import type { GithubTarget } from './decide-target.ts';
import * as shapes from './github-shapes.ts';
import {
  errorText,
  type ForgeAnswer,
  type ForgeRequest,
  forgeAnswers,
  requestSender,
  type SendRequest,
} from './request.ts';
import type {
  ChangedFile,
  CheckAnnotation,
  CheckReport,
  Forge,
  ForgeCheck,
  ForgeComment,
  ForgeThread,
  NewThread,
  PullAuthors,
  PullFacts,
  PullRequestState,
  WriteEnd,
} from './types.ts';

const FORGE = 'GitHub';
const { readBody, writeEnd } = forgeAnswers(FORGE, [422]);
const PAGE = 100;
/** GitHub lists at most 3000 files of a pull request, which is 30 pages. */
const MOST_PAGES = 30;
const MOST_ANNOTATIONS = 50;
const MOST_IN_A_REVIEW = 50;

type Wait = (milliseconds: number) => Promise<unknown>;

/** Returns access to an existing pull request on GitHub, or to a commit that has no pull request. */
export async function openGithub(target: GithubTarget, token: string, wait?: Wait): Promise<Result<Forge>> {
  const send = requestSender(
    FORGE,
    {
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      'user-agent': 'onceover',
    },
    wait,
  );
  const pull = target.pull.kind === 'branch' ? await findPull(send, target, target.pull.head) : ok(target.pull.number);
  return pull.ok ? ok(githubForge(send, target, pull.value)) : pull;
}

/**
 * Finds the open pull request of a branch. Its newest commit must be the job's commit, because the branch may have got
 * new commits since.
 */
async function findPull(send: SendRequest, target: GithubTarget, head: string): Promise<Result<number | null>> {
  const query = new URLSearchParams({ state: 'open', head, per_page: String(PAGE) });
  const answer = await send({ method: 'GET', url: `${repositoryUrl(target)}/pulls?${query}` });
  const pulls = readBody(answer, shapes.pullsAnswer);
  if (!pulls.ok) return pulls;
  return ok(pulls.value.find((pull) => pull.head.sha === target.commit)?.number ?? null);
}

function repositoryUrl({ apiUrl, repository }: GithubTarget): string {
  return `${apiUrl}/repos/${repository}`;
}

/**
 * Returns an object that reads and writes a pull request on GitHub, or a commit without one. `send` sends its requests.
 */
export function githubForge(send: SendRequest, target: GithubTarget, pull: number | null): Forge {
  const base = repositoryUrl(target);
  const ask = <T>(path: string, shape: z.ZodType<T>) => readJson(send, `${base}/${path}`, shape);
  const write = async (request: ForgeRequest) => writeEnd(await send(request));
  const mutate = async (query: string, id: string) => {
    const body = { query, variables: { id } };
    return mutationEnd(await send({ method: 'POST', url: target.graphqlUrl, body, isRepeatable: true }));
  };
  return {
    name: pull === null ? `${target.repository}, commit ${target.commit.slice(0, 10)}` : `${target.repository}#${pull}`,
    takesConfirmations: pull !== null,
    async read() {
      const checks = await readChecks(send, target);
      if (!checks.ok) return checks;
      if (pull === null) return ok({ ...NO_PULL, checks: checks.value });
      const [facts, talk, files] = await Promise.all([
        readGithubPull(send, base, pull),
        readTalk(send, target, pull),
        readFiles(send, target, pull),
      ]);
      if (!facts.ok) return facts;
      if (!talk.ok) return talk;
      if (!files.ok) return files;
      const hasAllFiles = files.value.length < PAGE * MOST_PAGES;
      return ok({ pull: facts.value, ...talk.value, checks: checks.value, files: files.value, hasAllFiles });
    },
    async contains(branch, commit) {
      const range = `${encodeURIComponent(branch)}...${commit}`;
      const answer = await send({ method: 'GET', url: `${base}/compare/${range}?per_page=1` });
      // The repository has no such branch or commit.
      if (answer.ok && answer.value.status === 404) return ok(false);
      const comparison = readBody(answer, shapes.compareAnswer);
      return comparison.ok ? ok(['identical', 'behind'].includes(comparison.value.status)) : comparison;
    },
    readAuthors: () => readAuthors(send, target, pull ?? 0),
    async mayWrite(account) {
      const answer = await ask(`collaborators/${encodeURIComponent(account)}/permission`, shapes.permissionAnswer);
      return answer.ok ? ok(['admin', 'write'].includes(answer.value.permission)) : answer;
    },
    async createThreads(threads) {
      const ends: WriteEnd[] = [];
      for (let at = 0; at < threads.length; at += MOST_IN_A_REVIEW) {
        const reviewEnds = await createSome(
          send,
          `${base}/pulls/${pull}`,
          target.commit,
          threads.slice(at, at + MOST_IN_A_REVIEW),
        );
        if (!reviewEnds.ok) return reviewEnds;
        ends.push(...reviewEnds.value);
      }
      return ok(ends);
    },
    reply: (thread, body) =>
      write({ method: 'POST', url: `${base}/pulls/${pull}/comments/${numberOf(thread)}/replies`, body: { body } }),
    setResolved: (thread, isResolved) => mutate(shapes.RESOLVE[`${isResolved}`], nodeOf(thread)),
    editThreadComment: (comment, body) =>
      write({
        method: 'PATCH',
        url: `${base}/pulls/comments/${numberOf(comment)}`,
        body: { body },
        isRepeatable: true,
      }),
    setHidden: (comment, isHidden) => mutate(shapes.HIDE[`${isHidden}`], nodeOf(comment)),
    deleteThreadComment: (comment) => write({ method: 'DELETE', url: `${base}/pulls/comments/${numberOf(comment)}` }),
    createComment: (body) => write({ method: 'POST', url: `${base}/issues/${pull}/comments`, body: { body } }),
    editComment: (comment, body) =>
      write({
        method: 'PATCH',
        url: `${base}/issues/comments/${numberOf(comment)}`,
        body: { body },
        isRepeatable: true,
      }),
    deleteComment: (comment) => write({ method: 'DELETE', url: `${base}/issues/comments/${numberOf(comment)}` }),
    createCheck: (check) => createCheck(send, base, target.commit, check),
  };
}

const NO_PULL = { pull: null, head: null, comments: [], threads: [], files: [], hasAllFiles: true } as const;

async function readJson<T>(send: SendRequest, url: string, shape: z.ZodType<T>): Promise<Result<T>> {
  return readBody(await send({ method: 'GET', url }), shape);
}

/** Returns the facts of a pull request of the repository whose API address is `base`. */
export async function readGithubPull(send: SendRequest, base: string, number: number): Promise<Result<PullFacts>> {
  const answer = await readJson(send, `${base}/pulls/${number}`, shapes.pullAnswer);
  if (!answer.ok) return answer;
  const { state, draft, head, base: target } = answer.value;
  return ok({
    isOpen: state === 'open',
    isDraft: draft === true,
    ...{ head: head.sha, base: target.ref },
    repository: target.repo.full_name,
    // GitHub keeps the number of a repository when its name changes.
    headRepository: head.repo?.id === target.repo.id ? target.repo.full_name : (head.repo?.full_name ?? null),
    page: target.repo.html_url,
  });
}

/** Joins the two ids of a comment or thread: the number for GitHub's REST API, then the node id for GraphQL. */
function idOf(number: string | number | null, node: string): string {
  return `${number ?? ''} ${node}`;
}

const numberOf = (id: string) => encodeURIComponent(id.slice(0, id.indexOf(' ')));
const nodeOf = (id: string) => id.slice(id.indexOf(' ') + 1);

function mutationEnd(answer: Result<ForgeAnswer>): Result<WriteEnd> {
  const errorAnswer = answer.ok ? shapes.graphqlErrors.safeParse(answer.value.body) : null;
  if (errorAnswer?.success !== true) return writeEnd(answer);
  const { errors } = errorAnswer.data;
  if (errors.some(({ type }) => type === 'FORBIDDEN' || type === 'NOT_FOUND')) return ok('refused');
  return err({ kind: 'forge-failed', forge: FORGE, said: errorText(errors) });
}

type Talk = Pick<PullRequestState, 'head' | 'comments' | 'threads'>;

async function readTalk(send: SendRequest, target: GithubTarget, number: number): Promise<Result<Talk>> {
  const [owner, name] = target.repository.split('/');
  const comments: shapes.GithubComment[] = [];
  const threads: shapes.GithubThread[] = [];
  let after: { comments: string | null; threads: string | null } = { comments: null, threads: null };
  for (;;) {
    const body = { query: shapes.READ_PULL_REQUEST, variables: { owner, name, number, ...after } };
    const answer = await send({ method: 'POST', url: target.graphqlUrl, body, isRepeatable: true });
    const errorAnswer = answer.ok ? shapes.graphqlErrors.safeParse(answer.value.body) : null;
    if (errorAnswer?.success === true) {
      return err({ kind: 'forge-refused', forge: FORGE, status: 200, said: errorText(errorAnswer.data.errors) });
    }
    const content = readBody(answer, shapes.pullRequestAnswer);
    if (!content.ok) return content;
    const pullRequest = content.value.data.repository?.pullRequest;
    if (pullRequest == null) {
      return err({ kind: 'forge-refused', forge: FORGE, status: 404, said: `${target.repository}#${number}` });
    }
    comments.push(...present(pullRequest.comments.nodes));
    threads.push(...present(pullRequest.reviewThreads.nodes));
    const pages = [pullRequest.comments.pageInfo, pullRequest.reviewThreads.pageInfo] as const;
    if (!pages.some(({ hasNextPage }) => hasNextPage)) {
      return ok({ head: pullRequest.headRefOid, comments: comments.map(commentOf), threads: threads.map(threadOf) });
    }
    after = { comments: pages[0].endCursor ?? after.comments, threads: pages[1].endCursor ?? after.threads };
  }
}

/**
 * Reads who wrote the commits of a pull request. The REST API knows the accounts of programs too, GraphQL those of
 * people whom a commit message names as further authors.
 */
async function readAuthors(send: SendRequest, target: GithubTarget, number: number): Promise<Result<PullAuthors>> {
  const writtenCommits = await readCommits(send, `${repositoryUrl(target)}/pulls/${number}`);
  if (!writtenCommits.ok) return writtenCommits;
  const [owner, name] = target.repository.split('/');
  const accountsByCommit = new Map<string, readonly string[]>();
  for (let after: string | null = null; ; ) {
    const body = { query: shapes.READ_AUTHORS, variables: { owner, name, number, commits: after } };
    const answer = await send({ method: 'POST', url: target.graphqlUrl, body, isRepeatable: true });
    const content = readBody(answer, shapes.authorsAnswer);
    if (!content.ok) return content;
    const { author, commits } = content.value.data.repository.pullRequest;
    for (const { commit } of present(commits.nodes)) {
      accountsByCommit.set(
        commit.oid,
        present(commit.authors.nodes).flatMap(({ user }) => user?.login ?? []),
      );
    }
    if (commits.pageInfo.hasNextPage) {
      after = commits.pageInfo.endCursor;
      continue;
    }
    const commitAuthors = writtenCommits.value.map(({ id, accounts, isKnown }) => {
      const others = accountsByCommit.get(id);
      return { accounts: [...accounts, ...(others ?? [])], isKnown: isKnown && others !== undefined };
    });
    return ok({ author: author?.login ?? null, commits: commitAuthors });
  }
}

type WrittenCommit = PullAuthors['commits'][number] & { readonly id: string };

/** GitHub lists at most 250 commits of a pull request. */
const MOST_COMMITS = 250;

async function readCommits(send: SendRequest, pull: string): Promise<Result<readonly WrittenCommit[]>> {
  const commits: WrittenCommit[] = [];
  for (let page = 1; page <= MOST_COMMITS / PAGE + 1; page++) {
    const answer = await readJson(send, `${pull}/commits?per_page=${PAGE}&page=${page}`, shapes.commitsAnswer);
    if (!answer.ok) return answer;
    for (const { sha, author, committer } of answer.value) {
      const accounts = [author?.login, committer?.login].filter((login) => login !== undefined);
      commits.push({ id: sha, accounts, isKnown: author?.login !== undefined });
    }
    if (answer.value.length < PAGE) break;
  }
  const isWhole = commits.length < MOST_COMMITS;
  return ok(commits.map((commit) => ({ ...commit, isKnown: commit.isKnown && isWhole })));
}

function present<T>(nodes: readonly (T | null)[] | null): readonly T[] {
  return (nodes ?? []).filter((node) => node !== null);
}

function commentOf(comment: shapes.GithubComment): ForgeComment {
  const { id, fullDatabaseId, body, author, isMinimized, viewerDidAuthor, lastEditedAt } = comment;
  return {
    id: idOf(fullDatabaseId, id),
    body,
    isOwn: viewerDidAuthor,
    isHidden: isMinimized,
    author: author === null ? null : { name: author.login, isPerson: author.__typename === 'User' },
    isEdited: lastEditedAt !== null,
  };
}

function threadOf({ id, isResolved, resolvedBy, comments }: shapes.GithubThread): ForgeThread {
  const nodes = present(comments.nodes);
  const ownLogin = nodes.find(({ viewerDidAuthor }) => viewerDidAuthor)?.author?.login;
  return {
    id: idOf(nodes[0]?.fullDatabaseId ?? null, id),
    isResolved,
    // In `resolvedBy`, GitHub names only users. If the field is null, a bot resolved the thread, and we assume that it
    // was our own account.
    resolvedByUs: isResolved && (resolvedBy === null || resolvedBy.login === ownLogin),
    comments: nodes.map(commentOf),
  };
}

async function readFiles(send: SendRequest, target: GithubTarget, pull: number): Promise<Result<ChangedFile[]>> {
  const files: ChangedFile[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const url = `${repositoryUrl(target)}/pulls/${pull}/files?per_page=${PAGE}&page=${page}`;
    const answer = readBody(await send({ method: 'GET', url }), shapes.filesAnswer);
    if (!answer.ok) return answer;
    for (const { filename, previous_filename, patch } of answer.value) {
      files.push({ path: filename, oldPath: previous_filename ?? filename, patch: patch ?? null });
    }
    if (answer.value.length < PAGE) break;
  }
  return ok(files);
}

async function readChecks(send: SendRequest, target: GithubTarget): Promise<Result<ForgeCheck[]>> {
  const newest = new Map<string, ForgeCheck & { readonly number: number }>();
  for (let page = 1; page <= MOST_PAGES; page++) {
    const url = `${repositoryUrl(target)}/commits/${target.commit}/check-runs?filter=latest&per_page=${PAGE}&page=${page}`;
    const answer = readBody(await send({ method: 'GET', url }), shapes.checksAnswer);
    if (!answer.ok) return answer;
    for (const { id, name, external_id } of answer.value.check_runs) {
      if ((newest.get(name)?.number ?? 0) > id) continue;
      newest.set(name, { id: String(id), number: id, name, externalId: external_id ?? '' });
    }
    if (answer.value.check_runs.length < PAGE) break;
  }
  return ok([...newest.values()]);
}

/** Creates threads: those on lines in as few reviews as possible, those on whole files one by one. */
async function createSome(
  send: SendRequest,
  url: string,
  commit: string,
  threads: readonly NewThread[],
): Promise<Result<readonly WriteEnd[]>> {
  const onLines = threads.filter(({ place }) => place.kind === 'lines');
  const reviewEnds = await createReview(send, url, commit, onLines);
  if (!reviewEnds.ok) return reviewEnds;
  const ends = new Map(onLines.map((thread, index) => [thread, reviewEnds.value[index] ?? 'rejected']));
  for (const thread of threads.filter((candidate) => !ends.has(candidate))) {
    const end = await createOne(send, url, commit, thread);
    if (!end.ok) return end;
    ends.set(thread, end.value);
  }
  return ok(threads.map((thread) => ends.get(thread) ?? 'rejected'));
}

/**
 * Creates threads on lines as one review. A single invalid line makes GitHub reject the whole review without naming the
 * line, so each half is tried separately until the invalid threads are isolated.
 */
async function createReview(
  send: SendRequest,
  url: string,
  commit: string,
  threads: readonly NewThread[],
): Promise<Result<readonly WriteEnd[]>> {
  const [first, ...furtherThreads] = threads;
  if (first === undefined) return ok([]);
  if (furtherThreads.length === 0) {
    const end = await createOne(send, url, commit, first);
    return end.ok ? ok([end.value]) : end;
  }
  const comments = threads.map(({ body, place }) => ({ body, ...placeFields(place) }));
  const body = { commit_id: commit, event: 'COMMENT', comments };
  const reviewEnd = writeEnd(await send({ method: 'POST', url: `${url}/reviews`, body }));
  if (!reviewEnd.ok) return reviewEnd;
  const { value: end } = reviewEnd;
  if (end !== 'rejected') return ok(threads.map(() => end));
  const half = Math.ceil(threads.length / 2);
  const firstHalf = await createReview(send, url, commit, threads.slice(0, half));
  if (!firstHalf.ok) return firstHalf;
  const secondHalf = await createReview(send, url, commit, threads.slice(half));
  return secondHalf.ok ? ok([...firstHalf.value, ...secondHalf.value]) : secondHalf;
}

async function createOne(
  send: SendRequest,
  url: string,
  commit: string,
  { body, place }: NewThread,
): Promise<Result<WriteEnd>> {
  const fields = place.kind === 'file' ? { path: place.path, subject_type: 'file' } : placeFields(place);
  return writeEnd(await send({ method: 'POST', url: `${url}/comments`, body: { body, commit_id: commit, ...fields } }));
}

function placeFields(place: NewThread['place']): object {
  if (place.kind === 'file') return { path: place.path };
  const { path, first, last } = place;
  const range = first === last ? {} : { start_line: first, start_side: 'RIGHT' };
  return { path, line: last, side: 'RIGHT', ...range };
}

/**
 * Creates a check run. GitHub limits the annotations per request. If a check needs several requests, only the last one
 * sets the conclusion and the digest, so an interrupted check is created again.
 */
async function createCheck(
  send: SendRequest,
  base: string,
  commit: string,
  { name, conclusion, title, summary, externalId, annotations }: CheckReport,
): Promise<Result<WriteEnd>> {
  const parts: (readonly CheckAnnotation[])[] = [];
  for (let at = 0; at === 0 || at < annotations.length; at += MOST_ANNOTATIONS) {
    parts.push(annotations.slice(at, at + MOST_ANNOTATIONS));
  }
  let id: number | null = null;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const isPending = !isLast || conclusion === 'pending';
    const end = {
      ...(isPending ? { status: 'in_progress' } : { status: 'completed', conclusion }),
      ...(isLast ? { external_id: externalId } : {}),
    };
    const output = { title, summary, annotations: part.map(annotationFields) };
    const request: ForgeRequest =
      id === null
        ? { method: 'POST', url: `${base}/check-runs`, body: { name, head_sha: commit, ...end, output } }
        : { method: 'PATCH', url: `${base}/check-runs/${id}`, body: { ...end, output } };
    const answer = await send(request);
    const writeResult = writeEnd(answer);
    if (!writeResult.ok || writeResult.value !== 'done') return writeResult;
    if (id !== null) continue;
    const checkRun = readBody(answer, shapes.createdCheck);
    if (!checkRun.ok) return checkRun;
    id = checkRun.value.id;
  }
  return ok('done');
}

function annotationFields({ path, first, last, level, title, message }: CheckAnnotation): object {
  return { path, start_line: first, end_line: last, annotation_level: level, title, message };
}
