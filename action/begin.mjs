// Before the review: checks the inputs, removes what an earlier job has left, and decides what is kept between runs.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { giveUp, readEvent, setOutput } from './github.mjs';
import { decideKeep } from './keep.mjs';

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
};
for (const [name, value] of Object.entries(switches)) {
  if (value !== 'true' && value !== 'false') giveUp(`The input "${name}" is "true" or "false", not "${value}".`);
}

const gitDir = ask('rev-parse', '--git-common-dir');
const root = ask('rev-parse', '--show-toplevel');
// Where there is no repository, the review says so.
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
  console.log(
    decided.keep ? 'What passes is kept for later runs.' : `What passes is not kept for later runs: ${decided.why}.`,
  );
  // Proofs and findings, and the records that let reviewers rest. Nothing else is restored: what YAML was found to say, or an index, would
  // be believed without a look at the files.
  const paths = [join(state, 'receipts'), join(state, 'findings'), ...(isOurs(root) ? [join(root, RECORDS)] : [])];
  const prefix = `onceover-1-${env.RUNNER_OS}-${digest(env.GITHUB_WORKFLOW, env.GITHUB_JOB, root, env.ONCEOVER_ARGS, env.ONCEOVER_BASE)}-`;
  setOutput('keep', decided.keep);
  setOutput('paths', paths.join('\n'));
  setOutput('prefix', prefix);
  setOutput('key', `${prefix}${env.GITHUB_RUN_ID}-${env.GITHUB_RUN_ATTEMPT}`);
}

// A runner that is used again still has the repository of the job before, which may have been anybody's; and what runs in this job
// before us may be anybody's too.
function removeLeftovers(state, root) {
  if (existsSync(state)) console.log(`${state} was there before this job had begun its review, so it is removed.`);
  rmSync(state, { recursive: true, force: true });
  ask('-C', root, 'clean', '-ffdxq', '--', RECORDS, MARKS);
}

/**
 * Whether the folder of records is nobody else's. The author of a change could have made a link of it, and then it leads anywhere; and records that
 * git tracks are ignored, but once they were kept they would come back as our own.
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
