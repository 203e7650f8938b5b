import { err, type Result } from '@onceover/base/kernel/result';
import { parseJson } from '@onceover/base/platform/private-files';
import type { RunDocument } from '@onceover/gates/result/json';
import { repositoryAt } from '@onceover/repo/git/locate';
import { userConfigPath } from '@onceover/store/has-store';
import { readUserConfig } from '@onceover/store/user-config';
import { readServerSettings, serverConfigPath } from './config.ts';
import { readReviewRequest } from './json-event.ts';
import type { ServerOptions } from './run-server.ts';

export type ServeWish = Pick<ServerOptions, 'stop' | 'stopNow' | 'tell'> & {
  /** The path of the settings file; `null` for the one beside the user's own config file. */
  readonly config: string | null;
};

/** Serves web pages about all repositories in the team store, and reviews pull requests that webhooks name. */
export async function openServer({ config, ...options }: ServeWish): Promise<Result<void>> {
  const { env, execPath, argv } = process;
  const user = readUserConfig(env);
  if (!user.ok) return user;
  const { store } = user.value;
  if (store === null) return err({ kind: 'store-failed', where: userConfigPath(env), why: 'no-address', said: '' });
  const settings = readServerSettings(config ?? serverConfigPath(env), env);
  if (!settings.ok) return settings;
  const { runServer } = await import('./run-server.ts');
  return runServer({ ...options, store, settings: settings.value, program: [execPath, argv[1] ?? ''] });
}

/**
 * Runs in the child process of the server: reviews the pull request that is checked out in `cwd`. `request` is the
 * server's request as JSON.
 */
export async function serveReview(cwd: string, request: string, stop: AbortSignal): Promise<Result<RunDocument>> {
  const reviewRequest = readReviewRequest(parseJson(request));
  if (reviewRequest === null)
    return err({ kind: 'wrong-usage', said: 'Only "onceover serve" starts this command.', command: 'serve' });
  const repository = await repositoryAt(cwd);
  if (!repository.ok) return repository;
  return (await import('./review-pull.ts')).reviewPull(repository.value, reviewRequest, stop);
}
