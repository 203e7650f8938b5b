// Fetches the signed passes of other clones, if the base branch configures them. The token reaches only this step. git uses it in an empty
// repository: the settings of the checkout could be written by code of the change. A failure is only a message: reviewers run then.
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { annotate, readEvent, setOutput } from './github.mjs';

const { ONCEOVER_PROGRAM, ONCEOVER_FETCH_TOKEN = '', ...env } = process.env;
const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, RUNNER_TEMP } = env;
const REF = 'refs/onceover/passes';
const MOST_MILLISECONDS = 60_000;

const carrier = configuredCarrier();
if (carrier !== null) {
  tellForks();
  const address = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
  const url = /^https?:/.test(carrier) ? '' : (output('git', ['remote', 'get-url', carrier]) ?? '');
  // Another remote or an HTTP store needs its own credentials, so the run reads it.
  if (url.replace(/\.git$/, '') === address.replace(/\.git$/, '')) fetchFrom(url);
}

/** Returns the remote or store of the base branch's setting "passes"; `null` if there is none. */
function configuredCarrier() {
  try {
    return JSON.parse(output(process.execPath, [ONCEOVER_PROGRAM, 'passes', '--json'])).carrier ?? null;
  } catch {
    // The run reports what is wrong.
    return null;
  }
}

function tellForks() {
  const from = readEvent().pull_request?.head?.repo?.full_name;
  if (from === undefined || from === GITHUB_REPOSITORY) return;
  annotate(
    'notice',
    'This pull request comes from a fork, so its gates get a normal review. A pass counts only if someone in the signers file of the base branch signed it for this code.',
  );
}

function fetchFrom(url) {
  const store = mkdtempSync(join(RUNNER_TEMP, 'onceover-passes-'));
  output('git', ['init', '-q', '--bare', store]);
  const fetched = git(store, ['fetch', '-q', '--no-tags', url, `+${REF}:${REF}`], credentials(url));
  if (/couldn't find remote ref/.test(fetched.stderr)) return setOutput('fetched', 'true');
  if (fetched.status !== 0) {
    return annotate(
      'warning',
      `The passes of other clones could not be fetched, so reviewers run here. Give the job the permission "contents: read", or set "persist-credentials: true" for actions/checkout. git said: ${fetched.stderr.trim().slice(-500)}`,
    );
  }
  // The program reads the copy in place of the remote, and stores the passes in the checkout.
  const copy = setting(`url.file://${store}.insteadOf`, url);
  const kept = spawnSync(process.execPath, [ONCEOVER_PROGRAM, 'passes', 'fetch'], {
    env: { ...env, ...copy },
    encoding: 'utf8',
  });
  if (kept.status === 0) setOutput('fetched', 'true');
  else annotate('warning', `The fetched passes cannot be used, so reviewers run here: ${kept.stderr.trim()}`);
}

/** Returns the git setting that sends the token to this address only. */
function credentials(url) {
  const word = Buffer.from(`x-access-token:${ONCEOVER_FETCH_TOKEN}`).toString('base64');
  return ONCEOVER_FETCH_TOKEN === '' ? {} : setting(`http.${url}.extraHeader`, `Authorization: Basic ${word}`);
}

function setting(key, value) {
  return { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: key, GIT_CONFIG_VALUE_0: value };
}

/** Runs git with no settings but the given one. */
function git(cwd, args, more) {
  const own = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
  const { PATH, HOME } = env;
  return spawnSync('git', args, {
    cwd,
    env: { PATH, HOME, ...own, ...more },
    encoding: 'utf8',
    timeout: MOST_MILLISECONDS,
  });
}

function output(program, args) {
  const end = spawnSync(program, args, { env, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
  return end.status === 0 ? end.stdout.trim() : null;
}
