// Stores the latest figures as data. The table and the README part are made from them.
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { doesHold } from './rows.mjs';

/** The benchmarks in the order in which they run and appear in the table. */
export const PARTS = [
  'start',
  'installed',
  'instructions',
  'hook',
  'run',
  'gates',
  'reviews',
  'passes',
  'match',
  'runner',
  'delta',
  'loop',
  'reading',
  'reading-pauses',
  'reading-again',
  'reading-growth',
  'reading-agents',
  'api',
  'converge',
  'live',
  'team-store',
  'team',
];

/** Returns { parts: { <name>: { on, rows } } }; empty if nothing was measured yet. */
export function readResults(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { parts: {} };
}

/** Returns the results with the measured parts replaced; other parts are kept. */
export function withParts(results, measured) {
  const all = { ...results.parts, ...measured };
  return { parts: Object.fromEntries(PARTS.filter((name) => name in all).map((name) => [name, all[name]])) };
}

/** Describes the machine, so that figures can be compared. */
export function machine() {
  const models = cpus().map(({ model }) => model.trim());
  const cores = `${models.length} ${models.length === 1 ? 'core' : 'cores'}`;
  return `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cores} (${models[0] ?? 'unknown'})`;
}

/** Returns the rows that a benchmark wrote. If the benchmark broke, a last row says why. */
export function rowsOf(name, lines, { code, said, tookTooLong }) {
  const rows = lines.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  const isExplained =
    code === 0 || (code !== null && rows.some((row) => doesHold(row) === false || row.why !== undefined));
  if (isExplained && rows.length > 0) return rows;
  const why = tookTooLong ? 'it took too long' : lastWords(said);
  return [...rows, { id: 'broke', what: `the rest of bench/${name}.mjs`, why }];
}

function lastWords(said) {
  const lines = said.split('\n').map((line) => line.trim());
  return (
    lines.find((line) => /^\w*Error\b.*:/.test(line)) ?? lines.findLast((line) => line !== '') ?? 'it printed nothing'
  );
}

/** Returns the exit code for the rows: 1 if one is over its limit, 3 if one could not be measured. */
export function exitCodeOf(rows) {
  if (rows.some((row) => doesHold(row) === false)) return 1;
  return rows.some(({ why }) => why !== undefined) ? 3 : 0;
}
