// Measures what passes of other clones add to a run in which all gates pass: fetching the ref, finding the statements
// of 20 gates, and verifying them. It is compared with `git fetch` of that ref alone.
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { load } from './support/build.mjs';
import { CLI, median } from './support/measure.mjs';
import { importFiles, newSigner, passNumber } from './support/pass-statements.mjs';
import { gateSettings } from './support/repository.mjs';
import { report } from './support/rows.mjs';

const SIZES = (process.env.PASSES_STATEMENTS ?? '5000,50000').split(',').map(Number);
const ROUNDS = Number(process.env.PASSES_ROUNDS ?? 15);
const FIRST_ROUNDS = Number(process.env.PASSES_FIRST_ROUNDS ?? 5);
const GATES = 20;
const NEW_STATEMENTS = 10;
const PASSES_REF = 'refs/onceover/passes';

const { openGitCarrier } = await load('packages/passes/src/git-carrier.ts');
const { openCarriedPasses } = await load('packages/passes/src/open-passes.ts');
const { readSigners } = await load('packages/passes/src/signers.ts');
const { writeStatement } = await load('packages/passes/src/json-statement.ts');
const { fileName } = await load('packages/passes/src/stored-files.ts');
const { filesDigest } = await load('packages/base/src/kernel/ids.ts');

const signer = newSigner();
const signers = readSigners(signer.line);
const policy = {
  ...{ remote: 'origin', store: null, share: 'off', signers: '.onceover/signers', accept: ['new', 'resumed'] },
  ...{ maxAgeDays: 30, minSigners: 1, neverFor: [], audit: 0 },
};
const trust = { policy, signers, waiverSigners: null, auditSecret: null };

/** Returns what a run asks for: the passes of 20 gates with these numbers. */
function requestsFor(numbers) {
  return numbers.map((n) => {
    const { settingsDigest, agent, files, ...subject } = passOf(n);
    return { subject, files, settingsDigests: new Map([[agent, settingsDigest]]), changedAgents: new Set() };
  });
}

const OLD = Array.from({ length: GATES }, (_, n) => 7 * n + 1);

for (const size of SIZES) {
  const folder = mkdtempSync(join(tmpdir(), 'onceover-bench-'));
  try {
    await measureSize(folder, size);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureSize(folder, size) {
  const bare = join(folder, 'bare.git');
  git(folder, 'init', '-q', '--bare', '-b', 'main', bare);
  const laptop = makeTeam(folder, bare);
  let made = 0;
  const add = async (count, isLast) => {
    const numbers = Array.from({ length: count }, (_, at) => made + at);
    made += count;
    await importFiles(bare, PASSES_REF, numbers.map(signedFile), { isLast });
  };
  await add(size, true);
  const count = size.toLocaleString('en');

  const first = await inTurns(FIRST_ROUNDS, folder, async (newClone) => [newClone(), newClone()]);
  tell({ id: `first-${size}`, what: `first fetch, 20 gates, ${count} statements` }, first);

  // Both clones have the statements, as after an earlier run.
  const clones = [newRepository(folder), newRepository(folder)];
  gitFetch(clones[0]);
  await ours(clones[1], requestsFor(OLD));
  const newest = () => Array.from({ length: NEW_STATEMENTS }, (_, n) => made - 1 - n);
  const next = await inTurns(
    ROUNDS,
    folder,
    async () => {
      await add(NEW_STATEMENTS, false);
      return clones;
    },
    () => [...OLD.slice(NEW_STATEMENTS), ...newest()],
  );
  tell({ id: `next-${size}`, what: `next fetch, 10 of the 20 passes are new, ${count} statements` }, next);
  const none = await inTurns(ROUNDS, folder, async () => clones);
  tell({ id: `none-${size}`, what: `next fetch, nothing new, 20 gates, ${count} statements` }, none);

  measureRuns(folder, { bare, laptop }, { size, count });
}

/**
 * Measures whole runs of the program in which all gates pass: by passes of this clone, and by those of another. All clones
 * of a round are new copies, so that git reads their files for the first time in each of them.
 */
function measureRuns(folder, { bare, laptop }, { size, count }) {
  const template = join(folder, 'template');
  git(folder, 'clone', '-q', '--branch', 'work', `file://${bare}`, template);
  const times = { own: [], first: [], ownNext: [], next: [], fetch: [], fetchNext: [] };
  for (let round = -1; round < FIRST_ROUNDS; round++) {
    const [own, plain, clone] = ['own', 'plain', 'run'].map((name) => join(folder, `${name}-${round}`));
    cpSync(laptop, own, { recursive: true });
    for (const one of [plain, clone]) cpSync(template, one, { recursive: true });
    const note = (name, took) => round >= 0 && times[name].push(took);
    note('own', timeOfRun(own, 0));
    note('first', timeOfRun(clone, GATES));
    note('fetch', timeOfFetch(plain));
    for (let again = 0; again < 4; again++) {
      note('ownNext', timeOfRun(own, 0));
      note('next', timeOfRun(clone, GATES));
      note('fetchNext', timeOfFetch(plain));
    }
    for (const one of [own, plain, clone]) rmSync(one, { recursive: true, force: true });
  }
  const what = (which) => `what it adds to \`onceover run\` where all 20 gates pass, ${which}, ${count} statements`;
  const added = (run, own, fetch) => ({
    used: median(times[run]) - median(times[own]),
    fetched: median(times[fetch]),
  });
  tell({ id: `run-first-${size}`, what: what('first fetch') }, added('first', 'own', 'fetch'));
  tell({ id: `run-next-${size}`, what: what('next run') }, added('next', 'ownNext', 'fetchNext'));
  if (size === SIZES[0]) countCalls(folder, { template, laptop });
}

/** Counts how often the program starts git in a run where all gates pass, the second in this clone. */
function countCalls(folder, { template, laptop }) {
  const [own, accepted] = [laptop, template].map((root) => {
    timeOfRun(root, root === template ? GATES : 0);
    const trace = join(folder, 'trace');
    rmSync(trace, { force: true });
    spawnSync(process.execPath, [CLI, 'run'], { cwd: root, env: { ...process.env, GIT_TRACE2_EVENT: trace } });
    const events = readFileSync(trace, 'utf8').trim().split('\n');
    // The id of a git process that git itself started has a slash.
    return events.map((line) => JSON.parse(line)).filter(({ event, sid }) => event === 'start' && !sid.includes('/'))
      .length;
  });
  report({
    ...{
      id: 'git-calls',
      what: 'passes of other clones: calls of git in a run where all 20 gates pass',
      figure: accepted,
    },
    ...{ unit: 'calls', beside: [{ what: 'passes of this clone', figure: own }] },
    limit: { most: own + 2, says: '2 more' },
  });
}

function timeOfFetch(root) {
  const begun = performance.now();
  gitFetch(root);
  return performance.now() - begun;
}

/** Makes a repository with 20 gates on the branch work, and a clone whose run has passed and shared all of them. */
function makeTeam(folder, bare) {
  const key = join(folder, 'key');
  start(folder, 'ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', key);
  const laptop = join(folder, 'laptop');
  git(folder, 'clone', '-q', `file://${bare}`, laptop);
  for (const setting of [
    'user.name=bench',
    'user.email=bench@example.invalid',
    'gpg.format=ssh',
    `user.signingkey=${key}`,
  ]) {
    git(laptop, 'config', ...setting.split('='));
  }
  const write = (path, text) => {
    mkdirSync(dirname(join(laptop, path)), { recursive: true });
    writeFileSync(join(laptop, path), text);
  };
  write('.onceover/signers', `bench@example.invalid ${readFileSync(`${key}.pub`, 'utf8')}`);
  write('.onceover/reviews/quality.md', 'Look for what is wrong.\n');
  const gates = `unchanged_gates: rest\n${gateSettings(GATES)}`;
  write('onceover.yml', `passes: { remote: origin, share: off }\n${gates}`);
  for (let n = 0; n < GATES; n++) write(`area${n}/file.ts`, 'export const value = 1;\n');
  git(laptop, 'add', '-A');
  git(laptop, 'commit', '-q', '-m', 'first');
  git(laptop, 'push', '-q', 'origin', 'HEAD:main');
  git(laptop, 'checkout', '-q', '-b', 'work');
  for (let n = 0; n < GATES; n++) write(`area${n}/file.ts`, 'export const value = 2;\n');
  git(laptop, 'commit', '-q', '-a', '-m', 'second');
  git(laptop, 'push', '-q', 'origin', 'work');
  git(laptop, 'fetch', '-q', 'origin');
  start(laptop, process.execPath, CLI, 'run', '--share');
  // From here on, its runs pass by its own receipts, and know nothing of other clones.
  write('onceover.yml', gates);
  return laptop;
}

/** Returns how long a run takes; fails if it calls a reviewer or accepts another number of passes. */
function timeOfRun(root, expected) {
  const begun = performance.now();
  const { stdout } = start(root, process.execPath, CLI, 'run', '--json');
  const took = performance.now() - begun;
  const { dispatches, gates } = JSON.parse(stdout);
  const accepted = gates.filter(({ slots }) => slots.every(({ accepted }) => accepted !== null)).length;
  if (dispatches !== 0 || accepted !== expected) {
    throw new Error(`the run called ${dispatches} reviewers and accepted ${accepted} passes`);
  }
  return took;
}

function tell({ id, what }, { fetched, used }) {
  report({
    ...{ id, what: `passes of other clones: ${what}`, figure: used, unit: 'ms' },
    beside: [{ what: '`git fetch` of the ref', figure: fetched }],
    limit: { most: 1.5 * fetched + 20, says: '1.5 × `git fetch` + 20 ms' },
  });
}

/** Measures `git fetch` in the first repository and onceover in the second, in changing order. */
async function inTurns(rounds, folder, prepare, numbers = () => OLD) {
  const [fetches, uses] = [[], []];
  const made = [];
  const newClone = () => {
    made.push(newRepository(folder));
    return made.at(-1);
  };
  for (let round = -1; round < rounds; round++) {
    const [one, other] = await prepare(newClone);
    const requests = requestsFor(numbers());
    const steps = [() => timed(() => gitFetch(one)), () => timed(() => ours(other, requests))];
    const isTurned = round % 2 === 0;
    const [a, b] = isTurned ? [await steps[0](), await steps[1]()] : [await steps[1](), await steps[0]()];
    // The first round only warms the file cache.
    if (round >= 0) fetches.push(isTurned ? a : b);
    if (round >= 0) uses.push(isTurned ? b : a);
    for (const repository of made.splice(0)) rmSync(repository, { recursive: true, force: true });
  }
  return { fetched: median(fetches), used: median(uses) };
}

async function timed(work) {
  const start = performance.now();
  const done = await work();
  const took = performance.now() - start;
  await done?.fetching;
  return took;
}

function newRepository(folder) {
  const root = mkdtempSync(join(folder, 'clone-'));
  git(root, 'init', '-q', '-b', 'main');
  appendFileSync(
    join(root, '.git/config'),
    `[gc]\n\tauto = 0\n[remote "origin"]\n\turl = file://${join(folder, 'bare.git')}\n`,
  );
  return root;
}

function gitFetch(root) {
  git(root, 'fetch', '-q', '--no-tags', 'origin', `+${PASSES_REF}:refs/bench/passes`);
}

/**
 * Fetches the passes and accepts those of 20 gates, as a run does: first those that are already here, while git fetches.
 * Returns the fetch, for which a run waits only if a pass is missing.
 */
async function ours(root, requests) {
  const carrier = valueOrThrow(openGitCarrier({ root, commonDir: join(root, '.git') }, 'origin'));
  const fetching = carrier.fetch(null);
  const passes = openCarriedPasses(carrier, trust, { now: () => new Date() });
  const isMissing = ({ kind }) => kind !== 'accepted';
  const before = await passes.accept(requests, []);
  const missing = requests.filter((_, i) => isMissing(before.passes[i]));
  if (missing.length === 0) return { fetching };
  valueOrThrow(await fetching);
  const refused = (await passes.accept(missing, [])).passes.filter(isMissing);
  if (refused.length > 0) throw new Error(`${refused.length} passes were refused: ${JSON.stringify(refused[0])}`);
  return { fetching };
}

function valueOrThrow(result) {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}

function passOf(n) {
  const pass = passNumber(n);
  return { ...pass, content: filesDigest(pass.files) };
}

function signedFile(n) {
  const pass = passOf(n);
  const written = writeStatement(pass);
  if (!written.ok) throw new Error(`the sample statement is not valid: ${JSON.stringify(written)}`);
  const signature = signer.sign(written.bytes);
  const file = { statement: written.bytes, signature };
  return { key: pass.content, name: fileName(file), ...file };
}

function git(cwd, ...args) {
  start(cwd, 'git', ...args);
}

function start(cwd, program, ...args) {
  const end = spawnSync(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  if (end.status !== 0) throw new Error(`${program} ${args.join(' ')}: exit ${end.status}\n${end.stderr}`);
  return end;
}
