import type { SlotRecord } from '../domain/record.ts';
import type { Saved } from '../domain/run.ts';
import { totalTokens, type Usage } from '../domain/usage.ts';
import { estimateTokens } from './estimate.ts';

/** A slot that was not asked, or was asked for less. */
export type SavingDeed =
  | { readonly kind: 'held' | 'rested'; readonly gate: string; readonly slot: number }
  | { readonly kind: 'resumed'; readonly usage: Usage | null; readonly freshTokens: number | null }
  | { readonly kind: 'shared'; readonly usage: Usage | null; readonly stableLength: number };

/** What was not paid for, by lever: what the same reviewer used last here, or what a fresh look would have. */
export function estimateSaved(deeds: readonly SavingDeed[], past: readonly SlotRecord[]): Saved {
  const saved = { pass: 0, slot: 0, session: 0, prefix: 0 };
  for (const deed of deeds) {
    switch (deed.kind) {
      case 'held':
        saved.pass += lastUsed(past, deed);
        break;
      case 'rested':
        saved.slot += lastUsed(past, deed);
        break;
      case 'resumed':
        if (deed.usage !== null && deed.freshTokens !== null) {
          const paid = deed.usage.inputTokens + deed.usage.cacheWriteTokens + deed.usage.outputTokens;
          saved.session += Math.max(0, deed.freshTokens - paid);
        }
        break;
      case 'shared':
        if (deed.usage !== null) {
          saved.prefix += Math.min(deed.usage.cachedInputTokens, estimateTokens(deed.stableLength));
        }
        break;
    }
  }
  return saved;
}

/** What the slot used when it was last asked; 0 where that was not told. */
function lastUsed(
  past: readonly SlotRecord[],
  { gate, slot }: { readonly gate: string; readonly slot: number },
): number {
  let latest: SlotRecord | null = null;
  for (const record of past) {
    if (record.gate !== gate || record.slot !== slot || record.own?.usage == null) continue;
    if (latest === null || record.iteration > latest.iteration) latest = record;
  }
  return latest?.own?.usage == null ? 0 : totalTokens(latest.own.usage);
}
