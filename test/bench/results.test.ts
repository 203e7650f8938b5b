import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

type Row = {
  readonly id: string;
  readonly what: string;
  readonly figure?: number;
  readonly unit?: string;
  readonly beside?: readonly { readonly what: string; readonly figure: number }[];
  readonly limit?: { readonly most?: number; readonly ratio?: number } | null;
  readonly simulated?: string | null;
  readonly why?: string;
};
type Results = { readonly parts: Readonly<Record<string, { readonly on: string; readonly rows: readonly Row[] }>> };
type End = { readonly code: number | null; readonly said: string; readonly tookTooLong: boolean };

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(resolve(ROOT, path), 'utf8');
// Programs of bench/ have no types.
const load = (name: string) => import(resolve(ROOT, 'bench/support', name));
const { PARTS, exitCodeOf, rowsOf, withParts } = (await load('results.mjs')) as {
  readonly PARTS: readonly string[];
  exitCodeOf(rows: readonly Row[]): number;
  rowsOf(name: string, lines: string, end: End): readonly Row[];
  withParts(results: Results, measured: Results['parts']): Results;
};
const { cellsOf, fillReadme, resultsPage } = (await load('describe-results.mjs')) as {
  cellsOf(results: Results): readonly (readonly string[])[];
  fillReadme(page: string, results: Results): string | null;
  resultsPage(results: Results): string;
};

const PLACE = '<!-- generated: bench -->\nwhat was there\n<!-- /generated -->';
const kept = JSON.parse(read('bench/results.json')) as Results;

test('README.md and bench/RESULTS.md match bench/results.json', () => {
  expect(read('bench/RESULTS.md')).toBe(resultsPage(kept));
  expect(fillReadme(read('README.md'), kept)).toBe(read('README.md'));
});

test('every benchmark has results, row ids are unique, and the rows of the README exist', () => {
  const names = Object.entries(kept.parts).flatMap(([part, { rows }]) => rows.map(({ id }) => `${part}/${id}`));
  expect(Object.keys(kept.parts)).toEqual(PARTS);
  expect(new Set(names).size).toBe(names.length);
  expect(fillReadme(PLACE, kept)).not.toContain('not measured: see');
});

const row = (more: Partial<Row>): Row => ({
  ...{ id: 'a', what: 'it', figure: 3, unit: 'ms', beside: [{ what: 'other', figure: 2 }], limit: null },
  ...{ simulated: null, ...more },
});
const measured = (...rows: readonly Row[]) => ({ on: 'here', rows });

const cases: readonly [title: string, row: Row, cells: readonly string[], code: number][] = [
  ['no limit', row({}), ['it', '3 ms', 'other: 2 ms', '1.50', '', ''], 0],
  ['within a ratio', row({ limit: { ratio: 1.5 } }), ['it', '3 ms', 'other: 2 ms', '1.50', '1.50 x', 'ok'], 0],
  ['over a ratio', row({ limit: { ratio: 1.4 } }), ['it', '3 ms', 'other: 2 ms', '1.50', '1.40 x', 'over'], 1],
  ['over a figure', row({ limit: { most: 2 }, beside: [] }), ['it', '3 ms', '', '', '2 ms', 'over'], 1],
  ['none of twenty', row({ figure: 0, unit: '', limit: { most: 0 } }), ['it', '0', 'other: 2', '0', '0', 'ok'], 0],
  [
    'a simulated model',
    row({ simulated: 'Agent 1.0', beside: [] }),
    ['it (simulated; Agent 1.0)', '3 ms', '', '', '', ''],
    0,
  ],
  [
    'what could not be measured has no figure',
    { id: 'a', what: 'it', why: 'no network' },
    ['it', 'not measured: no network', '', '', '', '?'],
    3,
  ],
];
test.each(cases)('a row: %s', (_title, one, cells, code) => {
  expect(cellsOf({ parts: { start: measured(one) } }).slice(1)).toEqual([['start', ...cells]]);
  expect(exitCodeOf([row({}), one])).toBe(code);
});

test('measured parts are replaced, the others are kept', () => {
  const before = { parts: { start: measured(row({ id: 'old' })), loop: measured(row({ id: 'loop' })) } };
  const after = withParts(before, { start: measured(row({ id: 'new' })), hook: measured(row({ id: 'hook' })) });
  expect(Object.entries(after.parts).map(([name, { rows }]) => [name, rows.map(({ id }) => id)])).toEqual([
    ['start', ['new']],
    ['hook', ['hook']],
    ['loop', ['loop']],
  ]);
});

const line = (one: Row) => `${JSON.stringify(one)}\n`;
const ends: readonly [title: string, lines: string, end: Partial<End>, why: readonly (string | undefined)[]][] = [
  ['well', line(row({})), {}, [undefined]],
  ['over its limit', line(row({ limit: { most: 1 } })), { code: 1 }, [undefined]],
  ['with a reason for a missing figure', line({ id: 'a', what: 'it', why: 'no agent' }), { code: 3 }, ['no agent']],
  ['broken', line(row({})), { code: 1, said: 'at x\nTypeError: y: z\n at w\n' }, [undefined, 'TypeError: y: z']],
  ['silent', '', {}, ['it printed nothing']],
  ['too late', line(row({ limit: { most: 1 } })), { code: null, tookTooLong: true }, [undefined, 'it took too long']],
];
test.each(ends)('a benchmark that ends %s', (_title, lines, end, why) => {
  const rows = rowsOf('start', lines, { code: 0, said: '', tookTooLong: false, ...end });
  expect(rows.map((one) => one.why)).toEqual(why);
});

test('a README row that was never measured names the command that measures it', () => {
  const page = fillReadme(PLACE, { parts: { start: measured(row({})) } });
  expect(page).toContain('not measured: see `npm run bench -- loop`');
  expect(page).toContain('(bench/RESULTS.md)');
  expect(page).not.toContain('what was there');
  expect(fillReadme('no place', kept)).toBe(null);
});
