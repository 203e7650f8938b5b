import { ACTIVE } from '../domain/active.ts';
import type { Place } from '../domain/change.ts';
import type { KnownFinding, Resolution } from '../domain/finding.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { openFindings } from '../stores/findings.ts';

/** What a person says of a finding. */
export type Word = { readonly how: Resolution['how']; readonly why: string };

/** Keeps what was said of a finding; one that is closed already needs nothing said. */
export async function resolveFinding(
  place: Place,
  id: string,
  word: Word,
): Promise<Result<{ readonly finding: KnownFinding; readonly resolution: Resolution }>> {
  if (word.how === 'skipped' && process.env[ACTIVE] !== undefined) return failed({ kind: 'waived-inside-a-run' });
  const findings = openFindings(place.commonDir);
  const all = await findings.all();
  if (!all.ok) return all;
  const wanted = id.trim().toUpperCase();
  const finding = all.value.find((one) => one.id === wanted && one.kept !== 'closed');
  const isClosed = all.value.some((one) => one.id === wanted && one.kept === 'closed');
  if (isClosed) return failed({ kind: 'finding-closed', id: wanted });
  if (finding === undefined) {
    const known = all.value.filter(({ kept }) => kept === 'open').map((one) => one.id);
    return failed({ kind: 'unknown-finding', id, known });
  }
  const resolution: Resolution = { ...word, at: new Date().toISOString(), iteration: finding.since };
  const kept = await findings.resolve(finding.id, resolution);
  return kept.ok ? done({ finding: { ...finding, resolution }, resolution }) : kept;
}
