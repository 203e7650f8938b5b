import { err, ok, type Result } from '@onceover/base/kernel/result';
import type * as z from 'zod';
import type { GitlabTarget } from './decide-gitlab-target.ts';
import { type GithubTarget, IS_COMMIT } from './decide-target.ts';
import type { PublishedRun } from './describe-summary.ts';
import { openGithub } from './github.ts';
import * as github from './github-shapes.ts';
import { openGitlab } from './gitlab.ts';
import * as gitlab from './gitlab-shapes.ts';
import { type PublishOutcome, publishRun } from './publish.ts';
import { forgeAnswers, requestSender } from './request.ts';

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

/** The facts of a pull request that the forge reports now. */
export type PullFacts = {
  readonly isOpen: boolean;
  readonly isDraft: boolean;
  readonly head: string;
  /** The name of the target branch. */
  readonly base: string;
  /**
   * Whether the source branch is in another repository, or the forge does not say which repository the branch is in.
   */
  readonly isFork: boolean;
  /** The address of the repository's page. */
  readonly page: string;
};

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
  const pull = await readOne('GitHub', headers, `${api}/repos/${project}/pulls/${number}`, github.pullAnswer);
  if (!pull.ok) return pull;
  const { state, draft, head, base } = pull.value;
  return ok({
    isOpen: state === 'open',
    isDraft: draft === true,
    head: head.sha,
    base: base.ref,
    isFork: head.repo == null || head.repo.id !== base.repo.id,
    page: base.repo.html_url,
  });
}

async function readOnGitlab({ api, token, project }: ForgePlace, number: number): Promise<Result<PullFacts>> {
  const url = `${api}/projects/${encodeURIComponent(project)}/merge_requests/${number}`;
  const pull = await readOne('GitLab', { 'private-token': token, ...USER_AGENT }, url, gitlab.mergeRequestFacts);
  if (!pull.ok) return pull;
  const { state, draft, sha, target_branch, source_project_id, target_project_id, web_url } = pull.value;
  return ok({
    isOpen: state === 'opened',
    isDraft: draft === true,
    head: sha,
    base: target_branch,
    isFork: source_project_id !== target_project_id,
    page: web_url.replace(/\/-\/merge_requests\/\d+$/, ''),
  });
}

const USER_AGENT = { 'user-agent': 'onceover' };

async function readOne<T>(
  forge: string,
  headers: Readonly<Record<string, string>>,
  url: string,
  shape: z.ZodType<T>,
): Promise<Result<T>> {
  const answer = await requestSender(forge, headers)({ method: 'GET', url });
  return forgeAnswers(forge, []).readBody(answer, shape);
}

export type PullPublication = {
  readonly number: number;
  readonly commit: string;
  /** The address of the repository's page. */
  readonly page: string;
  readonly reportUrl: string | null;
  readonly runsChecksElsewhere: boolean;
};

/** Publishes a result on a pull request: a summary comment, threads and checks. */
export async function publishOnPull(
  place: ForgePlace,
  { number, commit, page, reportUrl, runsChecksElsewhere }: PullPublication,
  run: PublishedRun,
): Promise<Result<PublishOutcome>> {
  const { api, graphql, project, token } = place;
  const about = { apiUrl: api, commit, isUntrusted: false };
  const onGithub = (): GithubTarget => ({
    ...about,
    graphqlUrl: graphql,
    repository: project,
    pull: { kind: 'number', number },
  });
  const onGitlab = (): GitlabTarget => ({ ...about, project, pull: number, commitUrl: `${page}/-/commit/${commit}` });
  const forge = place.name === 'github' ? await openGithub(onGithub(), token) : ok(openGitlab(onGitlab(), token));
  if (!forge.ok) return forge;
  const wish = { summary: 'always', checks: true, isDry: false } as const;
  return publishRun(forge.value, { ...wish, run, commit, reportUrl, runsChecksElsewhere, isUntrusted: false });
}
