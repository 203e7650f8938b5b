// Builds onceover from the action's own checkout, outside the repository under review: the change must not choose the program that judges it.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import { basename, join } from 'node:path';
import { giveUp, setOutput } from './github.mjs';

const { GITHUB_ACTION_PATH, RUNNER_TEMP } = process.env;
const LEFT_OUT = ['.git', 'node_modules', 'dist', 'test', 'docs'];

mkdirSync(RUNNER_TEMP, { recursive: true });
const folder = mkdtempSync(join(RUNNER_TEMP, 'onceover-'));
cpSync(GITHUB_ACTION_PATH, folder, { recursive: true, filter: (path) => !LEFT_OUT.includes(basename(path)) });

// Started in its own folder, so that npm reads no .npmrc of the repository under review.
for (const args of [
  ['ci', '--ignore-scripts', '--no-audit', '--no-fund'],
  ['run', 'build'],
]) {
  const end = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  if (end.status !== 0) giveUp(`onceover could not be built: "npm ${args.join(' ')}" failed. See the log above.`);
}
setOutput('program', join(folder, 'dist/cli.cjs'));
