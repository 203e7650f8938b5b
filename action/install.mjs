// Installs onceover beside the repository: which program judges a change is not for the change to say.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { giveUp, setOutput } from './github.mjs';

const version = process.env.ONCEOVER_VERSION ?? '';
if (!/^[0-9A-Za-z][0-9A-Za-z.+-]*$/.test(version))
  giveUp(`The input "version" is a version or a tag, not "${version}".`);

mkdirSync(process.env.RUNNER_TEMP, { recursive: true });
const folder = mkdtempSync(join(process.env.RUNNER_TEMP, 'onceover-'));
writeFileSync(join(folder, 'package.json'), '{"private":true}');
// Started in a folder of its own, so that no .npmrc of the repository is read.
const args = [
  'install',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-save',
  '--omit=dev',
  `onceover@${version}`,
];
const end = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
if (end.status !== 0) giveUp(`onceover ${version} could not be installed; see the log of npm above.`);

const home = join(folder, 'node_modules/onceover');
const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
setOutput('program', join(home, bin.onceover));
