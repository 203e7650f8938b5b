import { quoteName, showInvisible } from '../kernel/escape.ts';
import type { Failure } from '../kernel/failure.ts';
import type { ByKind, Message } from './wording.ts';

/** The messages for failures of `onceover publish`, by the kind of the failure. */
export const FORGE_FAILURES = {
  'no-forge': ({ missing, expected }) => ({
    what: `onceover does not know where to publish: ${quoteName(missing)} is missing or not ${expected}.`,
    next: missing.startsWith('--')
      ? `Use ${quoteName(missing)}, or run "onceover publish" in a job of GitHub Actions.`
      : `Set ${quoteName(missing)} in the environment and run "onceover publish" again.`,
  }),
  'forge-refused': ({ forge, status, said }) => ({
    what: `${showInvisible(forge)} refused the request (${status}): ${showInvisible(said)}`,
    next:
      status === 401
        ? 'Set GITHUB_TOKEN or GITLAB_TOKEN to a valid token.'
        : 'Give the token the permissions "pull-requests: write" and "checks: write" on GitHub, or the scope "api" and the role Developer on GitLab. On GitHub, publish results of forks in a second workflow.',
  }),
  'forge-failed': ({ forge, said }) => ({
    what: `${showInvisible(forge)} could not be used: ${showInvisible(said)}`,
    next: 'Run "onceover publish" again. It does only what is missing.',
  }),
  'unusable-run': ({ path, said }) => ({
    what: `${quoteName(path)} is not the result of a run: ${showInvisible(said)}.`,
    next: 'Write the file with "onceover run --json > run.json", with the same version of onceover.',
  }),
} satisfies Partial<ByKind<Failure, Message>>;
