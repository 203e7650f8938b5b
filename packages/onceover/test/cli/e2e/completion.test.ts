import { execFileSync } from 'node:child_process';
import { onceover } from '@onceover/testing/cli.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';

/** Returns what bash offers after these words. */
async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await onceover(temporaryFolder(), ['completion', 'bash']);
  const list = words.map((word) => `'${word}'`).join(' ');
  const script = `${stdout}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _onceover; echo "\${COMPREPLY[*]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' ');
}

test.each([
  [['onceover', 'res'], ['resolve']],
  [['onceover', 'run', '--until'], ['--until-pass']],
  [
    ['onceover', 'workflow', 'sta'],
    ['start', 'status'],
  ],
  [['onceover', 'workflow', 'start', '--go'], ['--goal']],
  [['onceover', 'demo-'], ['']],
])('bash completes %j to %j', async (words, completions) => {
  expect(await complete(...words)).toEqual(completions);
});

test.each(['bash', 'zsh', 'fish'])('the %s script names commands and options', async (shell) => {
  const end = await onceover(temporaryFolder(), ['completion', shell]);
  expect([end.code, end.stderr]).toEqual([0, '']);
  for (const word of ['run', 'workflow', 'until-pass', 'snooze']) expect(end.stdout).toContain(word);
  expect(end.stdout).not.toContain('started-by-agent');
});

test('an unknown shell exits with 2 and lists the shells', async () => {
  const end = await onceover(temporaryFolder(), ['completion', 'tcsh']);
  expect(end.code).toBe(2);
  expect(end.stderr).toContain('bash, zsh and fish');
});
