// Formats the figures of all benchmarks: for the terminal, for bench/RESULTS.md, and for the README.
import { doesHold, round, show, showLimit } from './rows.mjs';

/** Width of a cell on a terminal. */
const CELL = 40;
const HEAD = ['part', 'what', 'measured', 'compared with', 'ratio', 'limit', ''];

/** The rows of the README, by part and id, with shorter descriptions. */
const IN_README = {
  'reviews/branch': 'Ten runs on a branch: ten reviews with two reviewers each, two findings fixed',
  'run/asked-again': 'A second run, nothing changed',
  'loop/A-three-as-they-pass-tokens': 'Input of a review loop: three reviewers, five rounds, one file opened',
};

/** Returns all rows of results as cells, the header first. */
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

/** Formats the table for a terminal; long cells take several lines. */
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

/** Returns the page with all figures. */
export function resultsPage(results) {
  return `# Benchmark results

\`npm run bench\` measures everything in about half an hour and writes this page. \`npm run bench -- start loop\` measures only the named parts and keeps
the others. \`node bench/loop.mjs\` prints more details of that part.

${machines(results)} Compared commands ran in turns in the same run; times are medians. The ratio is the measured figure divided by the
compared one. A limit with an x applies to the ratio. Rows marked as simulated use the real agent of the named version with a simulated model. They count what the agent sends.
Its cache follows the documented rules of the provider: written tokens count 1.25 (kept for an hour: 2), read tokens count 0.1.
[docs/deltas.md](../docs/deltas.md) describes the loops.

${markdownTable(cellsOf(results))}
`;
}

/** Returns the generated part of the README. */
function readmePart(results) {
  const rows = Object.entries(IN_README).map(([name, what]) => {
    const [part, id] = name.split('/');
    const row = results.parts[part]?.rows.find((one) => one.id === id);
    if (row === undefined) return cells({ what, why: `see \`npm run bench -- ${part}\`` }).slice(0, 4);
    // In the README, a review is a prompt, so a row that counts executions says "reviewer calls".
    return cells({ ...row, what, unit: row.unit === 'reviews' ? 'reviewer calls' : row.unit }).slice(0, 4);
  });
  const note =
    'In a review loop (`onceover phase`), reviews and fixes alternate. A session is one conversation with an agent. Weighted tokens are input tokens, weighted by price. Simulated means that the real agent ran with a simulated model. See [all figures](bench/RESULTS.md).';
  return `${markdownTable([['', 'measured', 'compared with', 'ratio'], ...rows])}\n\n${note}`;
}

function machines({ parts }) {
  const all = new Map();
  for (const [name, { on }] of Object.entries(parts)) all.set(on, [...(all.get(on) ?? []), name]);
  if (all.size < 2) return `Measured with ${[...all.keys()].join('')}.`;
  return [...all].map(([on, names]) => `${names.join(', ')}: measured with ${on}.`).join(' ');
}

const PLACE = /(<!-- generated: bench -->\n)[\s\S]*?(<!-- \/generated -->)/;

/** Returns the page with its generated part updated; null if the page has no generated part. */
export function fillReadme(page, results) {
  if (!PLACE.test(page)) return null;
  return page.replace(PLACE, (_old, begin, end) => `${begin}${readmePart(results)}\n${end}`);
}
