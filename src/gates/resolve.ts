import { ACTIVE } from '../kernel/ports.ts';
import type { RepositoryPaths } from '../kernel/repository.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { openFindings } from './record/findings.ts';
import type { KnownFinding, Resolution } from './types.ts';

/** Marks a finding as fixed or waived. Fails if the finding is closed, or if an agent inside a run waives it. */
export async function resolveFinding(
  repository: RepositoryPaths,
  id: string,
  answer: Pick<Resolution, 'how' | 'why'>,
): Promise<Result<{ readonly finding: KnownFinding; readonly resolution: Resolution }>> {
  if (answer.how === 'skipped' && process.env[ACTIVE] !== undefined) return err({ kind: 'waived-inside-a-run' });
  const findings = openFindings(repository.commonDir);
  const all = await findings.all();
  if (!all.ok) return all;
  const wanted = id.trim().toUpperCase();
  const finding = all.value.find((one) => one.id === wanted);
  if (finding === undefined) {
    const known = all.value.filter(({ kept }) => kept === 'open').map((one) => one.id);
    return err({ kind: 'unknown-finding', id, known });
  }
  if (finding.kept === 'closed') return err({ kind: 'finding-closed', id: wanted });
  const resolution: Resolution = { ...answer, at: new Date().toISOString(), iteration: finding.since };
  const stored = await findings.resolve(finding.id, resolution);
  return stored.ok ? ok({ finding: { ...finding, resolution }, resolution }) : stored;
}
