// The table of all benchmarks: for the terminal, for bench/RESULTS.md, and the few rows that the README has.
import { doesHold, round, show, showLimit } from './rows.mjs';

/** So wide is a cell on a terminal. */
const CELL = 40;
const HEAD = ['part', 'what', 'measured', 'compared with', 'ratio', 'limit', ''];

/** What users ask first: rows by part and id, in fewer words. */
const IN_README = {
  'reviews/branch':
    'Reviews asked for while a branch is worked on: ten runs, ten gates of two reviewers, two findings mended',
  'run/asked-again': 'Reviews that a second `onceover run` asks for, nothing changed since the first',
  'loop/A-three-as-they-pass-tokens': 'Input of three reviewers in five rounds, who open little: resumed, or resting',
  'loop/B-three-as-they-pass-tokens': 'The same, who open eight files each',
  'run/all-hold': '`onceover run` where all gates hold (10,000 files, 20 gates, 20 files changed)',
  'hook/all-hold': '`onceover hook stop` there, as an agent waits for it',
  'instructions/all-passed': '`onceover instructions` where all passed (10,000 files, 200 rules, 50 files changed)',
  'installed/version': '`onceover --version`, installed',
  'installed/download': 'What an installation downloads',
  'installed/packages': 'Packages that it installs',
};

/** All rows of results as cells, the head first. */
export function cellsOf({ parts }) {
  return [HEAD, ...Object.entries(parts).flatMap(([name, { rows }]) => rows.map((row) => [name, ...cells(row)]))];
}

function cells(row) {
  if (row.why !== undefined) return [row.what, `not measured: ${row.why}`, '', '', '', '?'];
  return [
    whatOf(row),
    show(row.figure, row.unit),
    row.beside.map((one) => `${one.what}: ${show(one.figure, row.unit)}`).join('; '),
    row.beside.map((one) => round(row.figure / one.figure)).join('; '),
    row.limit === null ? '' : showLimit(row),
    { true: 'ok', false: 'over', null: '' }[doesHold(row)],
  ];
}

function whatOf({ what, simulated }) {
  return simulated === null ? what : `${what} (simulated; ${simulated})`;
}

/** The table for a terminal; long cells take several lines. */
export function plainTable(rows) {
  const wrapped = rows.map((row) => row.map((cell) => wrap(cell, CELL)));
  const widths = rows[0].map((_, n) => Math.max(...wrapped.flatMap((row) => row[n].map((line) => line.length))));
  return wrapped
    .flatMap((row) =>
      Array.from({ length: Math.max(...row.map((lines) => lines.length)) }, (_, at) =>
        row
          .map((lines, n) => (lines[at] ?? '').padEnd(widths[n]))
          .join('  ')
          .trimEnd(),
      ),
    )
    .join('\n');
}

function wrap(text, width) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = lines.at(-1) === '' ? word : `${lines.at(-1)} ${word}`;
    if (longer.length <= width || lines.at(-1) === '') lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function markdownTable([head, ...rows]) {
  const line = (row) => `| ${row.map((cell) => cell.replace(/\s+/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

/** The page with everything that was measured. */
export function resultsPage(results) {
  return `# What was measured

Written by \`npm run bench\`, which measures all of it in about ten minutes, and \`npm run bench -- start loop\`, which measures some parts of it and keeps
the others. \`node bench/loop.mjs\` tells more of a part than the table has.

${machines(results)} What is compared was measured in the same run, in turns; times are medians. The ratio is what
was measured, by what it is compared with; a limit with an x is one of the ratio. Where a model is simulated, the agent is the real one of the named version, what it sends is
counted, and what a cache makes of it follows the documented rules of the provider: written tokens count 1.25 (kept for an hour: 2), read ones 0.1.
[docs/deltas.md](../docs/deltas.md) says what the loops are.

${markdownTable(cellsOf(results))}
`;
}

/** The part of the README that figures are in. */
function readmePart(results) {
  const rows = Object.entries(IN_README).map(([name, what]) => {
    const [part, id] = name.split('/');
    const row = results.parts[part]?.rows.find((one) => one.id === id);
    return cells(row === undefined ? { what, why: `see \`npm run bench -- ${part}\`` } : { ...row, what }).slice(0, 4);
  });
  const note = `${machines(results)} All figures, their limits and how to repeat them: [bench/RESULTS.md](bench/RESULTS.md).`;
  return `${markdownTable([['', 'measured', 'compared with', 'ratio'], ...rows])}\n\n${note}`;
}

function machines({ parts }) {
  const all = new Map();
  for (const [name, { on }] of Object.entries(parts)) all.set(on, [...(all.get(on) ?? []), name]);
  if (all.size < 2) return `Measured with ${[...all.keys()].join('')}.`;
  return [...all].map(([on, names]) => `${names.join(', ')}: measured with ${on}.`).join(' ');
}

const PLACE = /(<!-- generated: bench -->\n)[\s\S]*?(<!-- \/generated -->)/;

/** A page with its part as the results have it; null where it has no place for one. */
export function fillReadme(page, results) {
  if (!PLACE.test(page)) return null;
  return page.replace(PLACE, (_old, begin, end) => `${begin}${readmePart(results)}\n${end}`);
}
