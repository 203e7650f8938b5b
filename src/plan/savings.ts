import type { GateId } from '../domain/gate.ts';
import type { Spared } from '../domain/ledger.ts';
import type { SlotRecord } from '../domain/record.ts';
import type { Saved } from '../domain/run.ts';
import { newTokens, totalTokens, type Usage } from '../domain/usage.ts';
import { estimateTokens } from './estimate.ts';

/** A slot that was not asked, or was asked for less. */
export type SavingDeed = { readonly gate: GateId } & (
  | { readonly kind: 'held' | 'rested'; readonly slot: number }
  | { readonly kind: 'resumed'; readonly usage: Usage | null; readonly freshTokens: number | null }
  | { readonly kind: 'shared'; readonly usage: Usage | null; readonly stableLength: number }
);

const LEVERS = { held: 'pass', rested: 'slot', resumed: 'session', shared: 'prefix' } as const;

/** What was not paid for, by gate and lever: what the same reviewer used last here, or what a fresh look would have. */
export function estimateSpared(deeds: readonly SavingDeed[], past: readonly SlotRecord[]): readonly Spared[] {
  const spared = new Map<string, Spared>();
  for (const deed of deeds) {
    const { gate, kind } = deed;
    const lever = LEVERS[kind];
    const key = `${lever} ${gate}`;
    const before = spared.get(key) ?? { gate, lever, looks: 0, tokens: 0 };
    spared.set(key, { ...before, looks: before.looks + 1, tokens: before.tokens + tokensOf(deed, past) });
  }
  return [...spared.values()];
}

/** The same by lever alone. */
export function totalSaved(spared: readonly Spared[]): Saved {
  const saved = { pass: 0, slot: 0, session: 0, prefix: 0 };
  for (const { lever, tokens } of spared) saved[lever] += tokens;
  return saved;
}

function tokensOf(deed: SavingDeed, past: readonly SlotRecord[]): number {
  switch (deed.kind) {
    case 'held':
    case 'rested':
      return lastUsed(past, deed);
    case 'resumed':
      if (deed.usage === null || deed.freshTokens === null) return 0;
      return Math.max(0, deed.freshTokens - newTokens(deed.usage));
    case 'shared':
      if (deed.usage === null) return 0;
      return Math.min(deed.usage.cachedInputTokens, estimateTokens(deed.stableLength));
  }
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
