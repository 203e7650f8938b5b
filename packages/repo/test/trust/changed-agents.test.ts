import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { parseSettings } from '../../src/config/parse-settings.ts';
import { changedAgents } from '../../src/trust/changed-agents.ts';

/** Whether a change of these files may replace the program of an agent with these settings, given in YAML. */
function isChanged(agent: string, changedPaths: readonly string[]): boolean {
  const root = temporaryFolder();
  mkdirSync(join(root, 'tools'));
  writeFileSync(join(root, 'tools/real.mjs'), '');
  symlinkSync('tools/real.mjs', join(root, 'linked'));
  const result = parseSettings(`agent:\n  ${agent.replaceAll('ROOT', root)}\n`);
  if (!result.ok) throw new Error(JSON.stringify(result));
  return changedAgents(result.settings.agent, root, changedPaths).size > 0;
}

const COMMAND = 'one: { command: [node, tools/review.mjs] }';

test.each([
  ['its script', COMMAND, ['tools/review.mjs']],
  ['its script, named by an unusual path', 'one: { command: [node, ./src/../tools/review.mjs] }', ['tools/review.mjs']],
  ['its script, named by its full path', 'one: { command: [node, ROOT/tools/review.mjs] }', ['tools/review.mjs']],
  [
    'its script inside a longer command',
    'one: { command: [sh, -c, "cd . && node tools/review.mjs"] }',
    ['tools/review.mjs'],
  ],
  ['a module beside its script', COMMAND, ['src/a.ts', 'tools/lib/parse.mjs']],
  ['a file of the folder that it names', 'one: { command: [reviewer, --rules=rules] }', ['rules/one.md']],
  ['any file, if it starts the whole repository', 'one: { command: [node, .] }', ['src/a.ts']],
  ['the target of its script, which is a symlink', 'one: { command: [node, linked] }', ['tools/real.mjs']],
  ['the module that Python starts', 'one: { command: [python3, -m, tools.review] }', ['tools/review.py']],
  ['the scripts of npm', 'one: { command: [npm, run, review] }', ['package.json']],
  [
    'a file that a variable loads',
    'one: { command: [reviewer], env: { NODE_OPTIONS: "--require=./hook.cjs" } }',
    ['hook.cjs'],
  ],
  ['the program of a known agent', 'claude: { path: tools/claude }', ['tools/claude']],
] as const)('a change of %s may replace the program of an agent', (_title, agent, changedPaths) => {
  expect(isChanged(agent, changedPaths)).toBe(true);
});

test.each([
  ['its script is not in the change', COMMAND, ['src/a.ts', 'review.mjs', 'src/tools/review.mjs']],
  ['its script is outside of the repository', 'one: { command: [node, /opt/tools/review.mjs] }', ['tools/review.mjs']],
  ['another folder has a longer name', 'one: { command: [node, tools/review.mjs] }', ['tools-2/review.mjs']],
  ['it is a known agent', 'claude: { model: small }', ['claude.ts', 'small.ts']],
] as const)('a change replaces no program if %s', (_title, agent, changedPaths) => {
  expect(isChanged(agent, changedPaths)).toBe(false);
});
