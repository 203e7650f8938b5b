import { memoryChecks } from '@onceover/testing/memory/checks.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import type { CheckOptions, Checks } from '../../src/kernel/ports.ts';
import { openChecks } from '../../src/platform/run-process.ts';

checksContract('in memory', () =>
  memoryChecks({
    true: { exitCode: 0, output: '' },
    'exit 7': { exitCode: 7, output: '' },
    'echo one; echo two >&2; echo three': { exitCode: 0, output: 'one\ntwo\nthree\n' },
    'kill -9 $$': { exitCode: null, output: '' },
    'echo begun; sleep 30': { endless: true, output: 'begun\n' },
    'echo "<$WORD>"': (env) => ({ exitCode: 0, output: `<${env['WORD'] ?? ''}>\n` }),
  }),
);
checksContract('of the shell', () => openChecks(temporaryFolder(), { PATH: process.env['PATH'] }));

/** The contract of Checks. */
function checksContract(name: string, open: () => Checks): void {
  const run = (command: string, options: Partial<CheckOptions> = {}) =>
    open().run(command, { timeoutSeconds: 20, env: {}, stop: null, ...options });
  const byItself = { ending: 'by-itself', durationMs: expect.any(Number) };

  describe(`checks ${name}`, () => {
    test.each([
      ['passes', 'true', 0, ''],
      ['fails', 'exit 7', 7, ''],
      ['says something in both ways: in the order said', 'echo one; echo two >&2; echo three', 0, 'one\ntwo\nthree\n'],
      ['is killed: no exit code, so no pass', 'kill -9 $$', null, ''],
    ])('a check that %s', async (_, command, exitCode, output) => {
      expect(await run(command)).toEqual({ ...byItself, exitCode, output });
    });

    test('a missing command fails', async () => {
      const end = await run('no-such-command-at-all');
      expect(end).toMatchObject({ ...byItself, exitCode: 127, output: expect.stringContaining('not found') });
    });

    test('passes the given variables to the command', async () => {
      expect(await run('echo "<$WORD>"', { env: { WORD: 'a "b" $c' } })).toMatchObject({ output: '<a "b" $c>\n' });
      expect(await run('echo "<$WORD>"')).toMatchObject({ output: '<>\n' });
    });

    test('kills a check after the timeout and returns its output without an exit code', async () => {
      const end = await run('echo begun; sleep 30', { timeoutSeconds: 1 });
      expect(end).toMatchObject({ ending: 'timeout', exitCode: null, output: 'begun\n' });
    });

    test('kills a check that is cancelled', async () => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 500);
      const end = await run('echo begun; sleep 30', { stop: stop.signal });
      expect(end).toMatchObject({ ending: 'cancelled', exitCode: null, output: 'begun\n' });
    });

    test('does not start a check that is already cancelled', async () => {
      const end = await run('echo begun; sleep 30', { stop: AbortSignal.abort() });
      expect(end).toEqual({ ending: 'cancelled', exitCode: null, output: '', durationMs: 0 });
    });

    test('keeps the outputs of parallel checks apart', async () => {
      const checks = open();
      const words = Array.from({ length: 20 }, (_, n) => `w${n}`);
      const ends = await Promise.all(
        words.map((WORD) => checks.run('echo "<$WORD>"', { timeoutSeconds: 20, env: { WORD }, stop: null })),
      );
      expect(ends.map((end) => end.output)).toEqual(words.map((word) => `<${word}>\n`));
    });
  });
}
