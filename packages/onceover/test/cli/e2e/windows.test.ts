import { join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { repoWith } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';

/** Runs onceover in a repository, as if on Windows. */
async function onWindows(args: readonly string[]) {
  const repo = repoWith({ 'onceover.yml': 'gates: [{ path: ., checks: { a: { run: "true" } } }]\n' });
  repo.write('.git/windows.cjs', "Object.defineProperty(process, 'platform', { value: 'win32' });\n");
  return onceover(repo.root, args, { env: { NODE_OPTIONS: `--require ${join(repo.root, '.git/windows.cjs')}` } });
}

test.each(['run', 'init', 'mcp'])('%s says that it does not support Windows', async (command) => {
  const { code, stderr } = await onWindows([command]);
  expect([code, stderr]).toEqual([3, `onceover ${command} does not support Windows yet. Run it inside WSL.\n`]);
});

test.each([[['status']], [['cost']], [['--help']], [[]]])('%j, which only reads, works on Windows', async (args) => {
  expect((await onWindows(args)).stderr).not.toContain('Windows');
});
