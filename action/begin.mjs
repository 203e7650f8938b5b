// Checks the inputs, removes files of earlier jobs, and decides what is kept between runs.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { giveUp, readEvent, setOutput } from './github.mjs';
import { decideKeep } from './keep.mjs';
import { showPending } from './pending.mjs';

const env = process.env;
const RECORDS = '.deepwork/logs';
const MARKS = '.deepwork/tmp';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  giveUp(`onceover needs Node 20.19 or newer, and this is ${process.version}. Use actions/setup-node before it.`);
}
const switches = {
  receipts: env.ONCEOVER_RECEIPTS,
  sarif: env.ONCEOVER_SARIF,
  'fail-on-error': env.ONCEOVER_FAIL_ON_ERROR,
  publish: env.ONCEOVER_PUBLISH,
  artifact: env.ONCEOVER_ARTIFACT,
};
for (const [name, value] of Object.entries(switches)) {
  if (value !== 'true' && value !== 'false') giveUp(`The input "${name}" is "true" or "false", not "${value}".`);
}

const gitDir = ask('rev-parse', '--git-common-dir');
const root = ask('rev-parse', '--show-toplevel');
if (switches.publish === 'true') await showPending(env, readEvent());
// git runs programs that the settings of the checkout name.
delete env.ONCEOVER_TOKEN;

// Without a repository, the review step reports the error.
if (gitDir === null || root === null) setOutput('keep', 'false');
else begin(join(resolve(gitDir), 'onceover'), root);

function begin(state, root) {
  removeLeftovers(state, root);
  const decided = decideKeep({
    wanted: switches.receipts === 'true',
    eventName: env.GITHUB_EVENT_NAME ?? '',
    event: readEvent(),
    repository: env.GITHUB_REPOSITORY,
    head: ask('rev-parse', 'HEAD'),
    sha: env.GITHUB_SHA,
  });
  console.log(decided.keep ? 'Passes are kept for later runs.' : `Passes are not kept for later runs: ${decided.why}.`);
  // Receipts, findings and records only. Caches (parsed YAML, indexes) are not restored, because onceover would trust them without reading
  // the files.
  const paths = [join(state, 'receipts'), join(state, 'findings'), ...(isOurs(root) ? [join(root, RECORDS)] : [])];
  const prefix = `onceover-1-${env.RUNNER_OS}-${digest(env.GITHUB_WORKFLOW, env.GITHUB_JOB, root, env.ONCEOVER_ARGS, env.ONCEOVER_BASE)}-`;
  setOutput('keep', decided.keep);
  setOutput('paths', paths.join('\n'));
  setOutput('prefix', prefix);
  setOutput('key', `${prefix}${env.GITHUB_RUN_ID}-${env.GITHUB_RUN_ATTEMPT}`);
}

// A self-hosted runner may still have the repository of an earlier job, and earlier steps of this job may run code of the change. Neither
// can be trusted, so remove their state.
function removeLeftovers(state, root) {
  if (existsSync(state)) console.log(`${state} existed before this job started its review, so it is removed.`);
  rmSync(state, { recursive: true, force: true });
  ask('-C', root, 'clean', '-ffdxq', '--', RECORDS, MARKS);
}

/**
 * Whether the folder of records belongs to onceover alone. The author of a change could make it a symlink to anywhere. Records that git tracks are
 * ignored, but from the cache they would come back as untracked files and count.
 */
function isOurs(root) {
  const isPlain = ['.deepwork', RECORDS].every(
    (path) => lstatSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ?? true,
  );
  return isPlain && ask('-C', root, 'ls-files', '--', `:(icase)${RECORDS}`) === '';
}

function ask(...args) {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).replace(/\n$/, '');
  } catch {
    return null;
  }
}

function digest(...parts) {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
