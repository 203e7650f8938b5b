// Records terminal sessions with onceover and draws the pictures of the docs from them:
// npm run build && node tools/picture/record.mjs [shop] [team]
// Needs tmux. The runs are real; the reviewers are scripted, so no model is needed.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { drawPicture, PICTURES } from './pictures.mjs';

const CLI = process.env.ONCEOVER_CLI ?? fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));
const REVIEWER = fileURLToPath(new URL('reviewer.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'onceover-picture-'));
const env = {
  PATH: `${folder}/bin:${process.env.PATH}`,
  HOME: join(folder, 'home'),
  TMPDIR: folder,
  TERM: 'xterm-256color',
  LANG: 'C.UTF-8',
  PS1: '\\n\\[\\e[1;32m\\]$\\[\\e[0m\\] ',
};

try {
  for (const name of ['bin', 'home']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'bin/onceover'), `#!/bin/sh\nexec ${process.execPath} ${CLI} "$@"\n`);
  chmodSync(join(folder, 'bin/onceover'), 0o755);
  const shop = makeShop();
  const scenes = { shop, team: makeTeam(shop) };
  const wanted = process.argv.slice(2);
  for (const picture of PICTURES.filter(({ scene }) => wanted.length === 0 || wanted.includes(scene))) {
    writeFileSync(picture.recording, await record(picture, scenes[picture.scene]));
    drawPicture(picture);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Makes the project of the demo before a review, with one mistake in the change. */
function makeShop() {
  const said = execFileSync(process.execPath, [CLI, 'demo', '--keep', '--json'], { env, encoding: 'utf8' });
  const shop = join(folder, 'shop');
  cpSync(JSON.parse(said).repository, shop, { recursive: true, filter: (path) => !/\/(\.git|\.deepwork)$/.test(path) });
  const git = (...args) =>
    execFileSync('git', ['-C', shop, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { env });
  git('init', '-q', '-b', 'main');
  git('add', '--', '.', ':!src/cart.ts', ':!src/receipt.ts', ':!docs/cart.md');
  git('commit', '-qm', 'A shop');
  git('checkout', '-qb', 'cart');
  const settings = join(shop, 'onceover.yml');
  writeFileSync(
    settings,
    readFileSync(settings, 'utf8').replaceAll(/"[^"]*cli.cjs","demo-reviewer"/g, JSON.stringify(REVIEWER)),
  );
  git('commit', '-qam', 'Its reviewers');
  git('branch', '-f', 'main');
  const cart = join(shop, 'src/cart.ts');
  writeFileSync(cart, readFileSync(cart, 'utf8').replace('sum + cents, 0)', 'sum + cents)'));
  return shop;
}

/**
 * Makes a laptop's clone that shares passes and has a commit without the mistake, and the clone of a CI job for its pull
 * request. In the folder of that clone, `onceover` gets the environment of the job.
 */
function makeTeam(shop) {
  const [bare, laptop, job] = ['bare.git', 'laptop', 'ci-job'].map((name) => join(folder, name));
  const start = (cwd, program, ...args) => execFileSync(program, args, { cwd, env });
  cpSync(shop, laptop, { recursive: true });
  const git = (...args) => start(laptop, 'git', ...args);
  const key = join(folder, 'home/id_ed25519');
  start(folder, 'ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', key);
  start(folder, 'git', 'init', '-q', '--bare', '-b', 'main', bare);
  const settings = { 'user.name': 'dev', 'user.email': 'dev@example.com', 'gpg.format': 'ssh', 'user.signingkey': key };
  for (const [name, value] of Object.entries(settings)) git('config', name, value);
  git('remote', 'add', 'origin', `file://${bare}`);
  git('stash', '-q', '--include-untracked');
  git('checkout', '-q', 'main');
  start(laptop, process.execPath, CLI, 'init', '--passes');
  git('add', '-A');
  git('commit', '-qm', 'Share passes');
  git('push', '-q', 'origin', 'main');
  git('checkout', '-qB', 'cart');
  git('stash', 'pop', '-q');
  const cart = join(laptop, 'src/cart.ts');
  writeFileSync(cart, readFileSync(cart, 'utf8').replace('sum + cents)', 'sum + cents, 0)'));
  git('add', '-A');
  git('commit', '-qm', 'Add a cart');
  git('push', '-q', 'origin', 'cart:cart');
  start(folder, 'git', 'clone', '-q', '--branch', 'cart', `file://${bare}`, job);
  git('push', '-q', 'origin', ':cart');
  const variables =
    'CI=true GITHUB_ACTIONS=true GITHUB_EVENT_NAME=pull_request GITHUB_BASE_REF=main GITHUB_HEAD_REF=cart';
  const program = `#!/bin/sh\ncase "$PWD" in */ci-job) export ${variables} ;; esac\nexec ${process.execPath} ${CLI} "$@"\n`;
  writeFileSync(join(folder, 'bin/onceover'), program);
  return laptop;
}

/** Types the lines of a picture into a shell, each after the one before has ended, and returns the screen. */
async function record({ columns, lines }, cwd) {
  const tmux = (...args) =>
    execFileSync('tmux', ['-L', 'onceover-picture', '-f', '/dev/null', ...args], { env, cwd, encoding: 'utf8' });
  tmux(
    'new-session',
    '-d',
    '-x',
    String(columns),
    '-y',
    '120',
    'bash',
    '--norc',
    '--noprofile',
    '-c',
    `PS1='${env.PS1}' exec bash --norc --noprofile -i`,
  );
  try {
    for (const line of lines) {
      await setTimeout(300);
      tmux('send-keys', '-l', line);
      tmux('send-keys', 'Enter');
      await ended(tmux);
    }
    const screen = tmux('capture-pane', '-e', '-p');
    return `${screen.replace(/^\n+/, '').trimEnd().split('\n').slice(0, -1).join('\n').trimEnd()}\n`;
  } finally {
    tmux('kill-server');
  }
}

/** Waits until the shell shows a prompt in the last line and the screen no longer changes. */
async function ended(tmux) {
  for (let before = '', tries = 0; tries < 60; tries++) {
    await setTimeout(300);
    const screen = tmux('capture-pane', '-p').trimEnd();
    if (screen === before && /(^|\n)\$$/.test(screen)) return;
    before = screen;
  }
  throw new Error(`The shell did not return to its prompt:\n${tmux('capture-pane', '-p').trimEnd()}`);
}
