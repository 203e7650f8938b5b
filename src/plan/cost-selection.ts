import type { LedgerEntry, LedgerLoop } from '../domain/ledger.ts';

/** Which entries are asked about. */
export type CostSelection = {
  readonly since: Date | null;
  /** Null: every branch. */
  readonly branch: string | null;
};

/**
 * The entries that are asked about, with branches as people name them. A run counts where and when it ended, and so does
 * the playing of a phase: half of one would be compared with the whole of nothing.
 */
export function selectEntries(
  entries: readonly LedgerEntry[],
  { since, branch }: CostSelection,
): readonly LedgerEntry[] {
  const wanted = branchName(branch);
  const named = entries.map((entry) => ({ ...entry, branch: branchName(entry.branch) }));
  const ends = new Map<string, LedgerLoop>();
  for (const entry of named) if (entry.kind === 'loop') ends.set(playingOf(entry), entry);
  return named.filter((entry) => {
    const end = (entry.kind === 'loop' ? ends.get(playingOf(entry)) : null) ?? entry;
    return (since === null || Date.parse(end.at) >= since.getTime()) && (wanted === null || end.branch === wanted);
  });
}

/** What tells one playing of a phase from another. */
export function playingOf({ feature, phase, run }: Pick<LedgerLoop, 'feature' | 'phase' | 'run'>): string {
  return JSON.stringify([feature, phase, run]);
}

function branchName(branch: string | null): string | null {
  return branch?.replace(/^refs\/heads\//, '') ?? null;
}
