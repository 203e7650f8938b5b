import { temporaryFolder } from '@onceover/testing/repo.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { gitText } from '../../src/git/git.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('git gets the environment of the moment of the call', async () => {
  const editor = () => gitText(temporaryFolder(), ['var', 'GIT_EDITOR']);
  vi.stubEnv('GIT_EDITOR', 'one');
  expect(await editor()).toBe('one');
  vi.stubEnv('GIT_EDITOR', 'another');
  expect(await editor()).toBe('another');
});
