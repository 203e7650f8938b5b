import { expect, test } from 'vitest';
import { leavePullRequest } from '../../src/config/pull-request.ts';

test('a run in a temporary repository leaves the pull request', () => {
  const env: NodeJS.ProcessEnv = {
    PATH: '/bin',
    GITHUB_EVENT_NAME: 'pull_request',
    CI_MERGE_REQUEST_IID: '7',
    GIT_DIR: '/x/.git',
    GIT_EXEC_PATH: '/usr/lib/git-core',
  };
  leavePullRequest(env);
  expect(env).toEqual({ PATH: '/bin', GIT_EXEC_PATH: '/usr/lib/git-core' });
});
