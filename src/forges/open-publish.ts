import { readFileSync } from 'node:fs';
import { err, type Result } from '../kernel/result.ts';
import { decideTarget } from './decide-target.ts';
import type { PublishedRun } from './describe-summary.ts';
import { openGithub } from './github.ts';
import { type PublishOutcome, publishRun } from './publish.ts';
import { readRunFile } from './read-run.ts';

/** The choices of a user for a publication. */
export type PublishWish = {
  readonly pull: number | null;
  readonly commit: string | null;
  readonly summary: 'always' | 'quiet';
  readonly checks: boolean;
  readonly isUntrusted: boolean;
  readonly reportUrl: string | null;
  readonly isDry: boolean;
  /** A token that the caller took from the environment; null to read it here. */
  readonly token: string | null;
};

/** Publishes the result in a file that `onceover run --json` wrote. */
export async function publishFile(path: string, wish: PublishWish): Promise<Result<PublishOutcome>> {
  const run = readRunFile(path);
  return run.ok ? publishResult(run.value, wish) : run;
}

/** Publishes a result. The environment of the job says where, and has the token. */
export async function publishResult(run: PublishedRun, wish: PublishWish): Promise<Result<PublishOutcome>> {
  const { env } = process;
  const runCommit = run.kind === 'run' ? run.document.commit : null;
  const found = decideTarget({ env, event: readEvent(env['GITHUB_EVENT_PATH']), ...wish, runCommit });
  if (!found.ok) return found;
  const target = found.value;
  const token = wish.token ?? tokenIn(env);
  if (token === null) return err({ kind: 'no-forge', missing: 'GITHUB_TOKEN', expected: 'a token' });
  const forge = await openGithub(target, token);
  if (!forge.ok) return forge;
  const { commit } = target;
  return publishRun(forge.value, { ...wish, run, commit, isUntrusted: wish.isUntrusted || target.isUntrusted });
}

const TOKENS = ['ONCEOVER_TOKEN', 'GITHUB_TOKEN', 'GH_TOKEN'];

function tokenIn(env: NodeJS.ProcessEnv): string | null {
  return TOKENS.map((name) => env[name] ?? '').find((token) => token !== '') ?? null;
}

/** Takes all tokens out of the environment, so that the checks of a run do not get them, and returns the first. */
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
