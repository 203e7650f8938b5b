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

/**
 * One row a look of a reviewer, a turn of a fixer, which has neither gate nor feature nor job, a dispatch of a review loop,
 * which has a feature, or a review of a workflow's step, which has a job; what is not known is empty.
 */
export function costCsv(rows: readonly CostRow[]): string {
  return csv([COLUMNS, ...rows.map(cellsOf)]);
}

function cellsOf(row: CostRow): readonly (string | number | null)[] {
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
