const FIVE_MINUTES_MS = 5 * 60_000;

/** For how long the provider is to keep what it is sent: for an hour where rounds are more than five minutes apart. */
export function cacheTtl(set: 'auto' | '5m' | '1h', gapMs: number | null): '5m' | '1h' {
  if (set !== 'auto') return set;
  return gapMs !== null && gapMs > FIVE_MINUTES_MS ? '1h' : '5m';
}

/** The longest time between two dispatches to one role in the last loop that had any; null where none is known. */
export function lastGap(
  dispatches: readonly {
    readonly run: string;
    readonly role: string;
    readonly at: string;
    readonly durationMs: number;
  }[],
): number | null {
  const runs = [...new Set(dispatches.map(({ run }) => run))].reverse();
  for (const run of runs) {
    const gaps: number[] = [];
    const ends = new Map<string, number>();
    for (const { role, at, durationMs } of dispatches.filter((one) => one.run === run)) {
      const end = Date.parse(at);
      const before = ends.get(role);
      if (before !== undefined) gaps.push(end - durationMs - before);
      ends.set(role, end);
    }
    if (gaps.length > 0) return Math.max(...gaps);
  }
  return null;
}
