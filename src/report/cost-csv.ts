import type { CostRow } from '../domain/cost.ts';
import { csv } from './csv.ts';

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
] as const;

/** One row a look of a reviewer or a turn of a fixer, whose gate is empty; what is not known is empty. */
export function costCsv(rows: readonly CostRow[]): string {
  return csv([COLUMNS, ...rows.map(cellsOf)]);
}

function cellsOf(row: CostRow): readonly (string | number | null)[] {
  const { usage, price } = row;
  const look = row.kind === 'look' ? row : null;
  return [
    row.at,
    row.branch,
    look?.run.scope ?? null,
    look?.run.iteration ?? null,
    row.startedBy,
    look?.gate ?? null,
    look?.slot ?? null,
    row.agent,
    row.model,
    row.dispatch,
    look?.why ?? null,
    look?.status ?? null,
    row.dispatches,
    usage?.inputTokens ?? null,
    usage?.cachedInputTokens ?? null,
    usage?.cacheWriteTokens ?? null,
    usage?.outputTokens ?? null,
    price === null ? null : Number(price.usd.toFixed(6)),
    price?.from ?? null,
    row.durationMs,
  ];
}
