import { isRecord } from '@onceover/base/kernel/json';
import { isPullRequest } from '@onceover/repo/config/pull-request';
import { normaliseRemote } from './decide-identity.ts';

/** The values of the setting `store.trust`, which says in which runs unsigned results from the store count. */
export const STORE_TRUST = ['never', 'own-branches', 'always'] as const;

export type StoreTrust = (typeof STORE_TRUST)[number];

/**
 * Whether results from the store (passes, findings and waivers) count in this run. With `own-branches` they count,
 * except in a pull request from a fork, or if the CI service does not say where the branch comes from. `event` is the
 * payload of the GitHub event.
 */
export function decideTrust(trust: StoreTrust, env: NodeJS.ProcessEnv, event: unknown): boolean {
  if (trust !== 'own-branches') return trust === 'always';
  return !isPullRequest(env) || isOwnBranch(env, event);
}

function isOwnBranch(env: NodeJS.ProcessEnv, event: unknown): boolean {
  // Only people who may push to the repository can add to its merge queue, so a merge queue run is not from a fork.
  if (env['GITHUB_EVENT_NAME'] === 'merge_group') return true;
  if (env['GITHUB_EVENT_NAME'] !== undefined) return isSameRepository(event);
  const isSame = (first: string | undefined, second: string | undefined) =>
    first !== undefined && first !== '' && first === second;
  return (
    isSame(env['CI_MERGE_REQUEST_SOURCE_PROJECT_ID'], env['CI_MERGE_REQUEST_PROJECT_ID']) ||
    env['SYSTEM_PULLREQUEST_ISFORK'] === 'False' ||
    isSame(remoteIn(env['BUILDKITE_PULL_REQUEST_REPO']), remoteIn(env['BUILDKITE_REPO']))
  );
}

function isSameRepository(event: unknown): boolean {
  const pull = isRecord(event) ? event['pull_request'] : null;
  const nameOf = (side: 'head' | 'base') => {
    const branch = isRecord(pull) ? pull[side] : null;
    const repo = isRecord(branch) ? branch['repo'] : null;
    return isRecord(repo) ? repo['full_name'] : null;
  };
  return typeof nameOf('head') === 'string' && nameOf('head') === nameOf('base');
}

function remoteIn(address: string | undefined): string | undefined {
  return address === undefined || address === '' ? undefined : normaliseRemote(address);
}
