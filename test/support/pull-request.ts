import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Job, type Played, playAction } from './composite-action.ts';
import { type GateRepo, gateRepo } from './gates.ts';
import { cleanEnvironment } from './repo.ts';

/** A repository with a pull request from branch work to main; each job runs on its own machine. */
export type PullRequestRepo = GateRepo & {
  /** Folder of the checkout, the same for all jobs, as on GitHub. */
  readonly checkout: string;
  /** Checks out the repository again and plays the action; `meddle` runs in between. */
  job(given?: Partial<Job> & { readonly meddle?: (root: string) => void }): Promise<Played>;
};

export const EVENT = {
  pull_request: { number: 7, node_id: 'PR_7', head: { repo: { full_name: 'house/shop', owner: { login: 'house' } } } },
};

export const FORK = {
  pull_request: { ...EVENT.pull_request, head: { repo: { full_name: 'other/shop', owner: { login: 'other' } } } },
};

export function pullRequestRepo(options: Parameters<typeof gateRepo>[0] = {}): PullRequestRepo {
  const repo = gateRepo({ agents: ['one'], numReviews: 1, ...options });
  repo.commit('change');
  const checkout = join(dirname(repo.root), 'machine/shop');
  return {
    ...repo,
    checkout,
    async job({ meddle = () => {}, env = {}, ...given } = {}) {
      const git = (...args: string[]) =>
        execFileSync('git', args, { cwd: checkout, env: cleanEnvironment(dirname(repo.root)), encoding: 'utf8' });
      rmSync(checkout, { recursive: true, force: true });
      mkdirSync(checkout, { recursive: true });
      // Without --no-local, git would copy all objects, also those that no branch has any more.
      git('clone', '-q', '-n', '--no-local', repo.root, '.');
      git('checkout', '-q', '--detach', 'origin/work');
      const sha = git('rev-parse', 'HEAD').trim();
      meddle(checkout);
      const about = {
        GITHUB_EVENT_NAME: 'pull_request',
        GITHUB_BASE_REF: 'main',
        GITHUB_HEAD_REF: 'work',
        GITHUB_REPOSITORY: 'house/shop',
        GITHUB_SHA: sha,
      };
      return playAction({ root: checkout, event: EVENT, ...given, env: { ...about, ...env } });
    },
  };
}
