import { readFileSync } from 'node:fs';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { decideGitlabTarget, isGitlab } from './decide-gitlab-target.ts';
import { decideTarget, type PublishingJob, type TargetFacts } from './decide-target.ts';
import type { PublishedRun } from './describe-summary.ts';
import { openGithub } from './github.ts';
import { openGitlab } from './gitlab.ts';
import { type PublishOutcome, publishRun } from './publish.ts';
import { readRunFile } from './read-run.ts';
import type { ResultMaker } from './standing/decide-authority.ts';
import type { Forge } from './types.ts';

/** The options of a user for `onceover publish`. */
export type PublishWish = {
  readonly pull: number | null;
  readonly commit: string | null;
  readonly summary: 'always' | 'quiet';
  readonly checks: boolean;
  readonly isUntrusted: boolean;
  readonly reportUrl: string | null;
  readonly isDry: boolean;
  /** A token that the caller already took from the environment; null to read the token here. */
  readonly token: string | null;
};

/** Publishes the result in a file that `onceover run --json` wrote. The author of the file decided what it says. */
export async function publishFile(path: string, wish: PublishWish): Promise<Result<PublishOutcome>> {
  const run = readRunFile(path);
  return run.ok ? publishFrom('other-job', run.value, wish) : run;
}

/** Publishes the result of a run of this process. */
export async function publishResult(run: PublishedRun, wish: PublishWish): Promise<Result<PublishOutcome>> {
  return publishFrom('this-job', run, wish);
}

/** The environment of the CI job names the pull request and has the token. */
async function publishFrom(maker: ResultMaker, run: PublishedRun, wish: PublishWish): Promise<Result<PublishOutcome>> {
  const { env } = process;
  const runCommit = run.kind === 'run' ? (run.document.pull_request?.head ?? run.document.commit) : null;
  const facts = { env, event: readEvent(env['GITHUB_EVENT_PATH']), ...wish, runCommit };
  const forge = await (isGitlab(env) ? openOnGitlab(facts, wish) : openOnGithub(facts, wish));
  if (!forge.ok) return forge;
  const { opened, commit, workflow, queue } = forge.value;
  const isDeclaredUntrusted = wish.isUntrusted;
  const source = { maker, workflow, queue, isDeclaredUntrusted, runsChecksElsewhere: false };
  return publishRun(opened, { ...wish, run, commit, source });
}

/** Access to a pull request on a forge, the commit whose result is published, and what the CI job is. */
type OpenedForge = PublishingJob & { readonly opened: Forge; readonly commit: string };

async function openOnGithub(facts: TargetFacts, wish: PublishWish): Promise<Result<OpenedForge>> {
  const target = decideTarget(facts);
  if (!target.ok) return target;
  const token = wish.token ?? tokenIn(facts.env);
  if (token === null) return err({ kind: 'no-forge', missing: 'GITHUB_TOKEN', expected: 'a token' });
  const forge = await openGithub(target.value, token);
  return forge.ok ? ok({ ...target.value, opened: forge.value }) : forge;
}

async function openOnGitlab(facts: TargetFacts, wish: PublishWish): Promise<Result<OpenedForge>> {
  const target = decideGitlabTarget(facts);
  if (!target.ok) return target;
  const token = wish.token ?? tokenIn(facts.env);
  if (token === null) return err({ kind: 'no-forge', missing: 'GITLAB_TOKEN', expected: 'a token' });
  return ok({ ...target.value, opened: openGitlab(target.value, token) });
}

const TOKENS = ['ONCEOVER_TOKEN', 'GITHUB_TOKEN', 'GH_TOKEN', 'GITLAB_TOKEN'];

function tokenIn(env: TargetFacts['env']): string | null {
  return TOKENS.map((name) => env[name] ?? '').find((token) => token !== '') ?? null;
}

/**
 * Removes all forge tokens from the environment, so that the commands of a run cannot read them. Returns the first
 * token.
 */
export function takeToken(env: NodeJS.ProcessEnv): string | null {
  const token = tokenIn(env);
  for (const name of TOKENS) delete env[name];
  return token;
}

function readEvent(path: string | undefined): unknown {
  try {
    return path === undefined || path === '' ? null : JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
