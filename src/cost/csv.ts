import type { CostRow } from './types.ts';

type Cell = string | number | null;

/** Returns a table in the format of RFC 4180. An apostrophe keeps a spreadsheet from running a text as a formula. */
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

const COLUMNS = [
  'at',
  'branch',
  'scope',
  'iteration',
  'started_by',
  'gate',
  'slot',
  'agent',
  'model',
  'dispatch',
  'why',
  'status',
  'dispatches',
  'input_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'output_tokens',
  'cost_usd',
  'cost_source',
  'duration_ms',
  'feature',
  'phase',
  'stage',
  'role',
  'template',
  'final_validation',
  'prompt_chars',
  'fresh_chars',
  'job',
  'step',
] as const;

/** Returns one row per review, fix, call of a phase (with a feature) or review of a workflow step (with a job). */
export function costCsv(rows: readonly CostRow[]): string {
  return csv([COLUMNS, ...rows.map(cellsOf)]);
}

function cellsOf(row: CostRow): readonly Cell[] {
  const { usage, price } = row;
  const look = row.kind === 'look' ? row : null;
  const loop = row.kind === 'loop' ? row.loop : null;
  const step = row.kind === 'step' ? row : null;
  return [
    row.at,
    row.branch,
    look?.run.scope ?? null,
    look?.run.iteration ?? loop?.iteration ?? null,
    row.startedBy,
    look?.gate ?? null,
    look?.slot ?? null,
    row.agent,
    row.model,
    row.dispatch,
    (look ?? loop)?.why ?? null,
    (look ?? loop ?? step)?.status ?? null,
    row.dispatches,
    usage?.inputTokens ?? null,
    usage?.cachedInputTokens ?? null,
    usage?.cacheWriteTokens ?? null,
    usage?.outputTokens ?? null,
    price === null ? null : Number(price.usd.toFixed(6)),
    price?.from ?? null,
    row.durationMs,
    loop?.feature ?? null,
    loop?.phase ?? null,
    loop?.stage ?? null,
    loop?.role ?? null,
    loop?.template ?? null,
    loop === null ? null : String(loop.isFinalValidation),
    loop?.promptChars ?? null,
    loop?.freshChars ?? null,
    step?.job ?? null,
    step?.step ?? null,
  ];
}
