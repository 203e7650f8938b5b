// Reports the figures of a benchmark. Each is a row of the common table: it is printed as a line and passed to
// bench/all.mjs if that program started the benchmark.
import { appendFileSync } from 'node:fs';

const PRECISION = 6;
const LONGEST = 100;

/**
 * Prints a figure and whether it is within its limit.
 * id         its name among the rows of its benchmark
 * what       what was measured
 * figure, unit
 * beside     [{ what, figure }]: what it is compared with, measured in the same run and unit
 * limit      { most } of the figure, or { ratio } to the first of `beside`; `says`: how the limit is computed
 * simulated  the agent whose model was simulated, if any
 */
export function report({ id, what, figure, unit, beside = [], limit = null, simulated = null, details = '' }) {
  const row = { id, what, figure, unit, beside, limit, simulated };
  const holds = doesHold(row);
  const compared = beside.map((one) => `; ${one.what} ${show(one.figure, unit)}: ${round(figure / one.figure)} x`);
  const shownLimit = limit === null ? '' : ` (limit ${showLimit(row)})`;
  const mark = { true: 'ok  ', false: 'OVER', null: '    ' }[holds];
  console.log(`${mark} ${what}: ${show(figure, unit)}${compared.join('')}${shownLimit}${details && `; ${details}`}`);
  if (holds === false) process.exitCode = 1;
  hand(row);
}

/** Reports why there is no figure. */
export function notMeasured({ id, what, why }) {
  console.log(`???? ${what}: not measured: ${why}`);
  process.exitCode ??= 3;
  hand({ id, what, why });
}

function hand(row) {
  const file = process.env.ONCEOVER_BENCH_ROWS;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(row, shorter)}\n`);
}

// A benchmark that crashes may have reported some of its rows; add one that says why the others are missing.
process.on('uncaughtExceptionMonitor', ({ message }) =>
  hand({ id: 'broke', what: 'the remaining rows', why: message.split('\n')[0].slice(0, LONGEST) }),
);

/** Keep only the measured digits. */
function shorter(_key, value) {
  return typeof value === 'number' ? Number(value.toPrecision(PRECISION)) : value;
}

/** Whether a row is within its limit; null if it has no limit or no figure. */
export function doesHold({ figure, beside, limit }) {
  if (limit === undefined || limit === null) return null;
  return limit.most === undefined ? figure / beside[0].figure <= limit.ratio : figure <= limit.most;
}

export function showLimit({ unit, limit }) {
  const figure = limit.most === undefined ? `${round(limit.ratio)} x` : show(limit.most, unit);
  return limit.says === undefined ? figure : `${figure}: ${limit.says}`;
}

/** Formats a figure with its unit. */
export function show(figure, unit) {
  return unit === '' ? round(figure) : `${round(figure)} ${unit}`;
}

/** Keeps only significant digits. */
export function round(figure) {
  if (Number.isInteger(figure) || figure >= 100) return Math.round(figure).toLocaleString('en');
  return figure >= 10 ? figure.toFixed(1) : figure.toFixed(2);
}
