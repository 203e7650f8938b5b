import { err, ok, type Result } from '@onceover/base/kernel/result';
import { IS_COMMIT } from './decide-target.ts';
import type { PublishedRun } from './describe-summary.ts';
import { openGithub, readGithubPull } from './github.ts';
import { openGitlab, readGitlabPull } from './gitlab.ts';
import { beginPublication, type PublishOutcome, publishRun } from './publish.ts';
import { requestSender } from './request.ts';
import type { ResultSource } from './standing/read-standing.ts';
import type { Forge, PullFacts } from './types.ts';

/** A forge and one repository on it, for a program that handles pull requests of several repositories. */
export type ForgePlace = {
  readonly name: 'github' | 'gitlab';
  readonly api: string;
  /** The address of GitHub's GraphQL API. */
  readonly graphql: string;
  readonly token: string;
  /** The name of the repository, such as `owner/name`. */
  readonly project: string;
};

export type { PullFacts };

/** A branch name that git cannot mistake for an option, a range of commits or a pattern. */
const IS_BRANCH = /^(?!-|\/)(?!.*(?:\.\.|@\{|\/\/|\/$|\.lock$))[^\0-\x20\x7f~^:?*[\\]{1,255}$/;

/** Asks the forge for the current facts of a pull request. */
export async function readPull(place: ForgePlace, number: number): Promise<Result<PullFacts>> {
  const facts = await (place.name === 'github' ? readOnGithub(place, number) : readOnGitlab(place, number));
  if (!facts.ok) return facts;
  const { head, base } = facts.value;
  if (IS_COMMIT.test(head) && IS_BRANCH.test(base)) return facts;
  return err({ kind: 'forge-failed', forge: place.project, said: 'it names no valid commit or branch' });
}

async function readOnGithub({ api, token, project }: ForgePlace, number: number): Promise<Result<PullFacts>> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json', ...USER_AGENT };
  return readGithubPull(requestSender('GitHub', headers), `${api}/repos/${project}`, number);
}

async function readOnGitlab({ api, token, project }: ForgePlace, number: number): Promise<Result<PullFacts>> {
  const send = requestSender('GitLab', { 'private-token': token, ...USER_AGENT });
  return readGitlabPull(send, `${api}/projects/${encodeURIComponent(project)}/merge_requests/${number}`);
}

const USER_AGENT = { 'user-agent': 'onceover' };

export type PullPublication = {
  readonly number: number;
  readonly commit: string;
  /** The address of the repository's page. */
  readonly page: string;
  readonly reportUrl: string | null;
  readonly runsChecksElsewhere: boolean;
};

/** Publishes a result of the server on a pull request: a summary comment, threads and checks. */
export async function publishOnPull(
  place: ForgePlace,
  { reportUrl, runsChecksElsewhere, ...pull }: PullPublication,
  run: PublishedRun,
): Promise<Result<PublishOutcome>> {
  const forge = await openPull(place, pull);
  if (!forge.ok) return forge;
  const source = { ...SERVER, runsChecksElsewhere };
  const wish = { summary: 'always', checks: true, isDry: false } as const;
  return publishRun(forge.value, { ...wish, run, commit: pull.commit, source, reportUrl });
}

/** Shows on a pull request that its review goes on, unless a valid result for the same change is shown. */
export async function publishPending(
  place: ForgePlace,
  pull: Pick<PullPublication, 'number' | 'commit' | 'page'>,
): Promise<Result<void>> {
  const forge = await openPull(place, pull);
  return forge.ok ? beginPublication(forge.value, pull.commit) : forge;
}

const SERVER: ResultSource = {
  ...{ maker: 'server', workflow: 'base', queue: null },
  ...{ isDeclaredUntrusted: false, runsChecksElsewhere: false },
};

async function openPull(
  { name, api, graphql, project, token }: ForgePlace,
  { number, commit, page }: Pick<PullPublication, 'number' | 'commit' | 'page'>,
): Promise<Result<Forge>> {
  if (name === 'github') {
    const pull = { kind: 'number', number } as const;
    return openGithub({ apiUrl: api, graphqlUrl: graphql, repository: project, pull, commit }, token);
  }
  return ok(openGitlab({ apiUrl: api, project, pull: number, commit, commitUrl: `${page}/-/commit/${commit}` }, token));
}
