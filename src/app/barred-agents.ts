import { leftOut } from '../domain/left-out.ts';
import type { Snapshots } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import { writtenAgents } from '../plan/written-agents.ts';
import type { RunSettings } from './run-settings.ts';

/** In a pull request, agents whose program it has written to: their word would be the author's. */
export async function barredAgents(
  snapshots: Snapshots,
  { source, settings, written }: RunSettings,
): Promise<Result<ReadonlySet<string>>> {
  if (source.from === null) return done(new Set());
  const comparison = await snapshots.compare({ kind: 'change', base: null }, settings.base);
  if (!comparison.ok) return comparison;
  const taken = await snapshots.take(comparison.value, leftOut(settings));
  if (!taken.ok) return taken;
  const changed = new Set<string>(taken.value.entries.map(({ path }) => path));
  return done(new Set(writtenAgents(written.agent, changed).keys()));
}
