// Runs all benchmarks, or the named ones, each in its own process. Then prints one table of the figures and writes
// bench/results.json, bench/RESULTS.md and the generated part of the README.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cellsOf, fillReadme, plainTable, resultsPage } from './support/describe-results.mjs';
import { exitCodeOf, machine, PARTS, readResults, rowsOf, withParts } from './support/results.mjs';

const LONGEST_MS = 1_500_000;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const named = process.argv.slice(2);
const unknown = named.filter((name) => !PARTS.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown benchmark: ${unknown.join(', ')}. Choose from: ${PARTS.join(', ')}.`);
  process.exit(2);
}

const started = performance.now();
const chosen = PARTS.filter((name) => named.length === 0 || named.includes(name));
const measured = {};
for (const [n, name] of chosen.entries()) {
  process.stdout.write(`${String(n + 1).padStart(2)}/${chosen.length} ${name.padEnd(13)}`);
  const before = performance.now();
  const rows = await measure(name);
  measured[name] = { on: machine(), rows };
  console.log(`${seconds(before)} s, ${tell(rows)}`);
}

const results = withParts(readResults(here('results.json')), measured);
writeFileSync(here('results.json'), `${JSON.stringify(results, null, 2)}\n`);
writeFileSync(here('RESULTS.md'), resultsPage(results));
const readme = fillReadme(readFileSync(here('../README.md'), 'utf8'), results);
if (readme !== null) writeFileSync(here('../README.md'), readme);

console.log(`\n${plainTable(cellsOf({ parts: measured }))}\n`);
console.log(
  `${seconds(started)} s. Written: bench/results.json, bench/RESULTS.md${readme === null ? '' : ', the figures in README.md'}.`,
);
process.exitCode = exitCodeOf(Object.values(measured).flatMap(({ rows }) => rows));

/** Runs a benchmark and returns its rows. */
async function measure(name) {
  const folder = mkdtempSync(join(tmpdir(), 'onceover-bench-'));
  const file = join(folder, 'rows');
  try {
    writeFileSync(file, '');
    const end = await run([here(`${name}.mjs`)], { ...process.env, ONCEOVER_BENCH_ROWS: file });
    return rowsOf(name, readFileSync(file, 'utf8'), end);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let [said, tookTooLong] = ['', false];
    const timer = setTimeout(() => {
      tookTooLong = true;
      child.kill('SIGKILL');
    }, LONGEST_MS);
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, said, tookTooLong });
    });
  });
}

function tell(rows) {
  const over = { 0: '', 1: ', OVER', 3: ', partly not measured' }[exitCodeOf(rows)];
  return `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}${over}`;
}

function seconds(since) {
  return ((performance.now() - since) / 1000).toFixed(0);
}
