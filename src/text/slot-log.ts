import type { Exchange } from '../domain/agent.ts';
import type { SlotRecord } from '../domain/record.ts';
import type { RunReason } from '../domain/slot.ts';
import { tellAgentFailure } from './agent-failure.ts';
import { tellSlot } from './slots.ts';

/** The log of a slot that was asked: why, what was sent, what was said, what came of it. */
export function slotLog(
  record: SlotRecord,
  plan: { readonly slot: number; readonly why: RunReason },
  exchanges: readonly Exchange[],
): string {
  const line = tellSlot({ kind: 'run', slot: plan.slot, why: plan.why });
  const head = [
    `Review: ${record.gate} @${record.slot}, iteration ${record.iteration}`,
    ...(line === null ? [`Running @${record.slot}: ${record.own?.why ?? plan.why}`] : [line]),
  ];
  return `${[...head, ...tellExchanges(exchanges), '--- Result ---', ...result(record)].join('\n')}\n`;
}

/** What was sent and said, one after the other. */
export function tellExchanges(exchanges: readonly Exchange[]): readonly string[] {
  return exchanges.flatMap(({ agent, mode, sent, said, failure }) => [
    `--- Sent (${agent}, ${mode}) ---`,
    sent,
    `--- Said (${agent}) ---`,
    said,
    ...(failure === null ? [] : [`--- ${agent} ${tellAgentFailure(failure)} ---`]),
  ]);
}

/** The log of a slot that rests. */
export function restLog(record: SlotRecord): string {
  const line = tellSlot({ kind: 'skip', slot: record.slot, passIteration: record.passIteration ?? 0 });
  return `Review: ${record.gate} @${record.slot}, iteration ${record.iteration}\n${line}\n`;
}

function result(record: SlotRecord): readonly string[] {
  const error = record.own?.error ?? null;
  return [
    `Status: ${record.status.toUpperCase()}${error === null ? '' : ` (${error})`}`,
    ...record.violations.map(({ id, file, line, issue, priority, state }) => {
      const place = file === '' ? '' : `${file}${line === null ? '' : `:${line}`} - `;
      return `${id ?? '-'} ${priority} ${state ?? ''} ${place}${issue}`;
    }),
  ];
}
