// Measures `onceover run` when no gate has to run, and the cost of planning compared with git alone.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { load } from './support/build.mjs';
import { BARE, CLI, median, sideBySide } from './support/measure.mjs';
import { withRepository } from './support/repository.mjs';
import { report } from './support/rows.mjs';

const { previewGates, READ_ONLY } = await load('packages/gates/src/run/open-run.ts');
const { findRepository } = await load('packages/repo/src/git/locate.ts');
const { openSnapshots } = await load('packages/repo/src/git/snapshot.ts');

await nothingToRun();
await manyUntracked();
await largerAndLarger();

/** 10,000 files and 20 gates: first nothing changed, then every changed file has passed. */
async function nothingToRun() {
  await withRepository({ files: 10_000, gates: 20 }, ({ root, git }) => {
    measure(root, { id: 'nothing-changed', what: '`onceover run`, nothing changed (10,000 files, 20 gates)' });
    git('checkout', '-q', '-b', 'work');
    for (let folder = 0; folder < 20; folder++) {
      writeFileSync(join(root, `area${folder}/file0.ts`), 'export const value = -1;\n');
    }
    const [first, second] = [runs(root), runs(root)];
    if (first.dispatches !== 20) throw new Error('the sample repository is not in the expected state');
    report({
      id: 'asked-again',
      what: 'reviews in a second `onceover run`, nothing changed since the first passed',
      figure: second.dispatches,
      unit: 'reviews',
      beside: [{ what: 'the first run', figure: first.dispatches }],
      limit: { most: 0 },
    });
    measure(root, { id: 'all-hold', what: '`onceover run`, all gates pass (10,000 files, 20 gates, 20 changed)' });
  });
}

/** Runs the gates, expects them to pass, and returns the JSON document. */
function runs(root) {
  const told = JSON.parse(execFileSync(process.execPath, [CLI, 'run', '--json'], { cwd: root, stdio: 'pipe' }));
  if (told.status !== 'passed') throw new Error(`the sample repository is not in the expected state: ${told.status}`);
  return told;
}

function measure(root, named) {
  const [bare, status, run] = sideBySide([BARE, ['git', 'status', '--porcelain'], [process.execPath, CLI, 'run']], {
    cwd: root,
  });
  report({
    ...named,
    figure: run,
    unit: 'ms',
    beside: [{ what: '`git status`', figure: status }],
    limit: { most: status + 3 * bare, says: '`git status` + 3 × `node -e 0`' },
  });
}

/** 1,000 untracked files for 10 gates, in one process: the whole plan with its diff, compared with git alone. */
async function manyUntracked() {
  const planned = [];
  const alone = [];
  for (let round = 0; round < 5; round++) {
    await withRepository({ files: 1000, gates: 10 }, async ({ root, git }) => {
      git('checkout', '-q', '-b', 'work');
      for (let n = 0; n < 1000; n++) {
        writeFileSync(join(root, `area${n % 10}/new${n}.ts`), `export const added = ${n};\n`.repeat(20));
      }
      alone.push(gitAlone(root));
    });
    await withRepository({ files: 1000, gates: 10 }, async ({ root, git }) => {
      git('checkout', '-q', '-b', 'work');
      for (let n = 0; n < 1000; n++) {
        writeFileSync(join(root, `area${n % 10}/new${n}.ts`), `export const added = ${n};\n`.repeat(20));
      }
      planned.push((await plan(root)).ms);
    });
  }
  report({
    id: 'many-untracked',
    what: 'planning a change of 1,000 untracked files for 10 gates',
    figure: median(planned),
    unit: 'ms',
    beside: [{ what: 'git alone (temporary index, write-tree, one diff)', figure: median(alone) }],
    limit: { ratio: 1.5 },
  });
}

function gitAlone(root) {
  const env = { ...process.env, GIT_INDEX_FILE: join(root, '.git/alone') };
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, env, maxBuffer: 1 << 28 })
      .toString()
      .trim();
  const start = performance.now();
  git('read-tree', 'HEAD');
  git('add', '-A');
  const tree = git('write-tree');
  git('diff', '--no-ext-diff', 'main', tree);
  return performance.now() - start;
}

async function largerAndLarger() {
  const figures = [];
  for (const files of [1000, 10_000, 100_000]) {
    await withRepository({ files, gates: 20 }, async ({ root, git }) => {
      git('checkout', '-q', '-b', 'work');
      for (let n = 0; n < files / 100; n++)
        writeFileSync(join(root, `area${n % 100}/new${n}.ts`), `export const a = ${n};\n`);
      const cold = await plan(root);
      const warm = [];
      for (let round = 0; round < 5; round++) warm.push((await plan(root)).ms);
      figures.push({ files, cold: cold.ms, warm: median(warm) });
    });
  }
  for (const { files, cold, warm } of figures) {
    console.log(
      `     planning, ${files} files, 1 % of them new: ${warm.toFixed(0)} ms (${((warm / files) * 1000).toFixed(1)} µs a file), first time ${cold.toFixed(0)} ms`,
    );
  }
  const [small, , large] = figures.map(({ files, warm }) => (warm / files) * 1000);
  report({
    id: 'growth',
    what: 'planning with 1 % new files, in 100,000 files: time per file',
    figure: large,
    unit: 'µs',
    beside: [{ what: 'in 1,000 files', figure: small }],
    limit: { ratio: 1 },
  });
}

/** Makes the plan of a run with the diff of every gate in this process. */
async function plan(root) {
  const place = (await findRepository(root)).value;
  const start = performance.now();
  const previewed = await previewGates(place, { ...READ_ONLY, selection: { kind: 'change', base: null } });
  if (!previewed.ok) throw new Error(JSON.stringify(previewed.failure));
  const { facts } = previewed.value;
  const tree = await facts.snapshot.tree();
  const sections = await openSnapshots(place).sections(facts.comparison.baseTree, tree.value, 3);
  if (!sections.ok || sections.value.length === 0) throw new Error('the plan has no diff');
  return { ms: performance.now() - start };
}
