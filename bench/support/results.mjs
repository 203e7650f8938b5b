// What was measured last, kept as data: the table and the README are made from it.
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { doesHold } from './rows.mjs';

/** The benchmarks in the order in which they are run and told. */
export const PARTS = [
  'start',
  'installed',
  'instructions',
  'hook',
  'run',
  'reviews',
  'match',
  'runner',
  'delta',
  'loop',
  'live',
];

/** { parts: { <name>: { on, rows } } }; empty where nothing was measured yet. */
export function readResults(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { parts: {} };
}

/** The results with those of some parts in place of what was there; what was not measured now is kept. */
export function withParts(results, measured) {
  const all = { ...results.parts, ...measured };
  return { parts: Object.fromEntries(PARTS.filter((name) => name in all).map((name) => [name, all[name]])) };
}

/** Where figures come from, as far as it matters to who compares them. */
export function machine() {
  const models = cpus().map(({ model }) => model.trim());
  const cores = `${models.length} ${models.length === 1 ? 'core' : 'cores'}`;
  return `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cores} (${models[0] ?? 'unknown'})`;
}

/** What a benchmark handed over, line by line, and how it ended: a benchmark that broke is a row that says so. */
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
    lines.find((line) => /^\w*Error\b.*:/.test(line)) ?? lines.findLast((line) => line !== '') ?? 'it said nothing'
  );
}

/** What becomes of all rows: 1 where one is over its limit, 3 where one could not be measured. */
export function exitCodeOf(rows) {
  if (rows.some((row) => doesHold(row) === false)) return 1;
  return rows.some(({ why }) => why !== undefined) ? 3 : 0;
}
