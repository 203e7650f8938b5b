// A figure of a benchmark, as a row of the one table: each is told by a line, and handed to bench/all.mjs where that asks for it.
import { appendFileSync } from 'node:fs';

const PRECISION = 6;
const LONGEST = 100;

/**
 * Tells a figure and whether its limit holds.
 *   id         its name among the rows of its benchmark
 *   what       what was measured
 *   figure, unit
 *   beside     [{ what, figure }]: what it was measured beside, in the same run and unit
 *   limit      { most } of the figure, or { ratio } to the first of `beside`; `says`: how it came about
 *   simulated  what a simulated model was told through, where one was
 */
export function report({ id, what, figure, unit, beside = [], limit = null, simulated = null, details = '' }) {
  const row = { id, what, figure, unit, beside, limit, simulated };
  const holds = doesHold(row);
  const compared = beside.map((one) => `; ${one.what} ${show(one.figure, unit)}: ${round(figure / one.figure)} x`);
  const told = limit === null ? '' : ` (limit ${showLimit(row)})`;
  const mark = { true: 'ok  ', false: 'OVER', null: '    ' }[holds];
  console.log(`${mark} ${what}: ${show(figure, unit)}${compared.join('')}${told}${details && `; ${details}`}`);
  if (holds === false) process.exitCode = 1;
  hand(row);
}

/** Tells why there is no figure. */
export function notMeasured({ id, what, why }) {
  console.log(`???? ${what}: not measured: ${why}`);
  process.exitCode ??= 3;
  hand({ id, what, why });
}

function hand(row) {
  const file = process.env.ONCEOVER_BENCH_ROWS;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(row, shorter)}\n`);
}

// A benchmark that breaks has told a part of what it was to tell.
process.on('uncaughtExceptionMonitor', ({ message }) =>
  hand({ id: 'broke', what: 'what comes after', why: message.split('\n')[0].slice(0, LONGEST) }),
);

/** More digits were not measured. */
function shorter(_key, value) {
  return typeof value === 'number' ? Number(value.toPrecision(PRECISION)) : value;
}

/** Whether the limit of a row holds; null where it has none, or no figure. */
export function doesHold({ figure, beside, limit }) {
  if (limit === undefined || limit === null) return null;
  return limit.most === undefined ? figure / beside[0].figure <= limit.ratio : figure <= limit.most;
}

export function showLimit({ unit, limit }) {
  const figure = limit.most === undefined ? `${round(limit.ratio)} x` : show(limit.most, unit);
  return limit.says === undefined ? figure : `${figure}: ${limit.says}`;
}

/** A figure with its unit. */
export function show(figure, unit) {
  return unit === '' ? round(figure) : `${round(figure)} ${unit}`;
}

/** As many digits as say something. */
export function round(figure) {
  if (Number.isInteger(figure) || figure >= 100) return Math.round(figure).toLocaleString('en');
  return figure >= 10 ? figure.toFixed(1) : figure.toFixed(2);
}
