// Measures what passes of other clones add to a run in which all gates pass: fetching the ref, finding the statements
// of 20 gates, and verifying them. It is compared with `git fetch` of that ref alone.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from './support/build.mjs';
import { median } from './support/measure.mjs';
import { importFiles, newSigner, passNumber } from './support/pass-statements.mjs';
import { report } from './support/rows.mjs';

const SIZES = (process.env.PASSES_STATEMENTS ?? '5000,50000').split(',').map(Number);
const ROUNDS = Number(process.env.PASSES_ROUNDS ?? 15);
const FIRST_ROUNDS = Number(process.env.PASSES_FIRST_ROUNDS ?? 5);
const GATES = 20;
const NEW_STATEMENTS = 10;

const { openGitCarrier, PASSES_REF } = await load('src/passes/git-carrier.ts');
const { openPasses } = await load('src/passes/open-passes.ts');
const { readSigners } = await load('src/passes/signers.ts');
const { writeStatement } = await load('src/passes/json-statement.ts');
const { fileName } = await load('src/passes/stored-files.ts');
const { filesDigest } = await load('src/kernel/ids.ts');

const signer = newSigner();
const signers = readSigners(signer.line);
const policy = {
  ...{ remote: 'origin', store: null, share: 'off', signers: '.onceover/signers', accept: ['new', 'resumed'] },
  ...{ maxAgeDays: 30, minSigners: 1, neverFor: [], audit: 0 },
};
const trust = { policy, signers, waiverSigners: null, auditSecret: null };

const requests = Array.from({ length: GATES }, (_, n) => {
  const { settingsDigest, agent, files, ...subject } = passOf(7 * n + 1);
  return { subject, files, settingsDigests: new Map([[agent, settingsDigest]]) };
});

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
  git(folder, 'init', '-q', '--bare', bare);
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
  await ours(clones[1]);
  const next = await inTurns(ROUNDS, folder, async () => {
    await add(NEW_STATEMENTS, false);
    return clones;
  });
  tell({ id: `next-${size}`, what: `next fetch, 10 new statements, 20 gates, ${count} statements` }, next);
  const none = await inTurns(ROUNDS, folder, async () => clones);
  tell({ id: `none-${size}`, what: `next fetch, nothing new, 20 gates, ${count} statements` }, none);
}

function tell({ id, what }, { fetched, used }) {
  report({
    ...{ id, what: `passes of other clones: ${what}`, figure: used, unit: 'ms' },
    beside: [{ what: '`git fetch` of the ref', figure: fetched }],
    limit: { most: 1.5 * fetched + 20, says: '1.5 × `git fetch` + 20 ms' },
  });
}

/** Measures `git fetch` in the first repository and onceover in the second, in changing order. */
async function inTurns(rounds, folder, prepare) {
  const [fetches, uses] = [[], []];
  const made = [];
  const newClone = () => {
    made.push(newRepository(folder));
    return made.at(-1);
  };
  for (let round = -1; round < rounds; round++) {
    const [one, other] = await prepare(newClone);
    const steps = [() => timed(() => gitFetch(one)), () => timed(() => ours(other))];
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
  await work();
  return performance.now() - start;
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

/** Fetches the passes and accepts those of 20 gates, as a run does. */
async function ours(root) {
  const opened = openGitCarrier({ root, commonDir: join(root, '.git') }, 'origin');
  const carrier = valueOrThrow(opened);
  valueOrThrow(await carrier.fetch(null));
  const passes = openPasses(carrier, trust, { now: () => new Date() });
  const answers = await passes.accept(requests, []);
  const refused = answers.passes.filter(({ kind }) => kind !== 'accepted');
  if (refused.length > 0) throw new Error(`${refused.length} passes were refused: ${JSON.stringify(refused[0])}`);
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
  const end = spawnSync('git', args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  if (end.status !== 0) throw new Error(`git ${args.join(' ')}: exit ${end.status}\n${end.stderr}`);
}
