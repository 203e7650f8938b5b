import { money } from '@onceover/base/kernel/json';
import type { CostRow } from './rows.ts';

type Cell = string | number | null;

/**
 * Returns a CSV table (RFC 4180). A text that looks like a formula gets an apostrophe in front of it, so that a
 * spreadsheet does not evaluate it.
 */
export function csv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

const FORMULA = /^[\s]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/u;

function field(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Returns a CSV table with one row for each review, fix, call in a phase, review of a workflow step, and resume test.
 */
export function costCsv(rows: readonly CostRow[]): string {
  const cells = Object.values(COLUMNS);
  return csv([Object.keys(COLUMNS), ...rows.map((row) => cells.map((cell) => cell(row) ?? null))]);
}

/**
 * The columns in their order, each with a function that returns the cell of a row. A missing value becomes an empty
 * cell.
 */
const COLUMNS: Readonly<Record<string, (row: CostRow) => Cell | undefined>> = {
  at: ({ at }) => at,
  branch: ({ branch }) => branch,
  scope: (row) => (row.kind === 'review' ? row.scope : null),
  iteration: (row) => ('iteration' in row ? row.iteration : null),
  started_by: ({ startedBy }) => startedBy,
  gate: (row) => (row.kind === 'review' ? row.gate : null),
  slot: (row) => (row.kind === 'review' ? row.slot : null),
  agent: ({ agent }) => agent,
  model: ({ model }) => model,
  dispatch: ({ dispatch }) => dispatch,
  why: (row) => ('why' in row ? row.why : null),
  status: (row) => ('status' in row ? row.status : null),
  dispatches: ({ asks }) => asks,
  input_tokens: ({ usage }) => usage?.inputTokens,
  cached_input_tokens: ({ usage }) => usage?.cachedInputTokens,
  cache_write_tokens: ({ usage }) => usage?.cacheWriteTokens,
  output_tokens: ({ usage }) => usage?.outputTokens,
  cost_usd: ({ price }) => price && money(price.usd),
  cost_source: ({ price }) => price?.from,
  duration_ms: ({ durationMs }) => durationMs,
  feature: (row) => (row.kind === 'loop' ? row.feature : null),
  phase: (row) => (row.kind === 'loop' ? row.phase : null),
  stage: (row) => (row.kind === 'loop' ? row.stage : null),
  role: (row) => (row.kind === 'loop' ? row.role : null),
  template: (row) => (row.kind === 'loop' ? row.template : null),
  final_validation: (row) => (row.kind === 'loop' ? String(row.isFinalValidation) : null),
  prompt_chars: (row) => (row.kind === 'loop' ? row.promptChars : null),
  fresh_chars: (row) => (row.kind === 'loop' ? row.freshChars : null),
  job: (row) => (row.kind === 'step' ? row.job : null),
  step: (row) => (row.kind === 'step' ? row.step : null),
};
