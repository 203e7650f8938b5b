import { afterEach, expect, test, vi } from 'vitest';
import { git } from '../../src/git/git.ts';
import { temporaryFolder } from '../support/repo.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('git gets the environment of the moment of the call', async () => {
  const editor = async () => {
    const answer = await git(temporaryFolder(), ['var', 'GIT_EDITOR']);
    return answer.ok ? answer.value.stdout.toString('utf8').trim() : answer.failure;
  };
  vi.stubEnv('GIT_EDITOR', 'one');
  expect(await editor()).toBe('one');
  vi.stubEnv('GIT_EDITOR', 'another');
  expect(await editor()).toBe('another');
});
