import { afterEach, expect, test, vi } from 'vitest';
import { interruptible } from '../../src/cli/interrupt.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
});

/** What is said of work that is ended from outside. */
async function interrupted(told: string): Promise<string> {
  let said = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += String(text);
    return true;
  });
  const work = async () => process.emit('SIGHUP');
  expect(await interruptible(work, false, async () => ({ told, fields: {} }))).toBe('interrupted');
  expect(process.exitCode).toBe(130);
  return said;
}

test('what was ended, what it had come to, and how to go on', async () => {
  expect(await interrupted('Nothing was approved.')).toMatch(
    /^onceover: Interrupted: .*\nNothing was approved\.\nTo go on from there, run again\.\n$/,
  );
});

test('in a job of GitHub, nothing that a reviewer said is a command to its runner', async () => {
  vi.stubEnv('GITHUB_ACTIONS', 'true');
  const said = await interrupted('An issue:\n    ::add-mask::secret');
  expect(said).toContain('An issue:');
  expect(said).not.toMatch(/^\s*::/m);
});
