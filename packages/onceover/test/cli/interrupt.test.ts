import { afterEach, expect, test, vi } from 'vitest';
import { interruptible } from '../../src/cli/interrupt.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
});

/** Returns what interrupted work prints to stderr; `text` is the extra text of the command. */
async function outputOfInterruption(text: string): Promise<string> {
  let output = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    output += String(chunk);
    return true;
  });
  const work = async () => process.emit('SIGHUP');
  expect(await interruptible(work, false, async () => ({ text, fields: {} }))).toBe('interrupted');
  expect(process.exitCode).toBe(130);
  return output;
}

test('prints what was stopped, the extra text, and how to continue', async () => {
  expect(await outputOfInterruption('Nothing was approved.')).toMatch(
    /^onceover: Interrupted: .*\nNothing was approved\.\nRun the same command again to continue\.\n$/,
  );
});

test('in a GitHub job, prints no text of a reviewer as a workflow command', async () => {
  vi.stubEnv('GITHUB_ACTIONS', 'true');
  const output = await outputOfInterruption('An issue:\n    ::add-mask::secret');
  expect(output).toContain('An issue:');
  expect(output).not.toMatch(/^\s*::/m);
});
