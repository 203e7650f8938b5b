import { ACTIVE } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, forEachOk, ok, type Result } from '@onceover/base/kernel/result';
import { readSettings } from '@onceover/repo/config/effective-settings';
import { openFindings } from './open-findings.ts';
import type { Actor, KnownFinding, Resolution, ResolvedFinding } from './types.ts';
import { decideResolution, type FindingAnswer, findingsAnsweredWith } from './waivers.ts';

/**
 * Marks findings as fixed, waives them, or confirms proposed waivers. An agent's waiver is stored only as a proposal,
 * unless the setting `waivers.who` is `anyone`. Findings of other reviewers about the same code as a named finding get
 * the same answer, and are last in the result. If one of the named findings cannot get the answer, nothing is written.
 */
export async function resolveFindings(
  repository: RepositoryPaths,
  ids: readonly string[],
  answer: FindingAnswer,
  by: Actor,
): Promise<Result<readonly ResolvedFinding[]>> {
  const settings = await readSettings(repository, { kind: 'change', base: null });
  // If the settings cannot be read, apply the stricter rule that only people may waive. A person can still answer.
  const who = settings.ok ? settings.value.settings.waivers.who : 'people';
  const isInRun = process.env[ACTIVE] !== undefined;
  const at = new Date().toISOString();
  const findings = openFindings(repository.commonDir);
  const all = await findings.all();
  if (!all.ok) return all;
  const decided = new Map<KnownFinding, { readonly resolution: Resolution | null; readonly because: string | null }>();
  for (const given of ids) {
    const finding = findingWith(given, all.value);
    if (!finding.ok) return finding;
    const resolution = decideResolution(finding.value, answer, by, { who, isInRun, at });
    if (!resolution.ok) return resolution;
    decided.set(finding.value, { resolution: resolution.value, because: null });
  }
  for (const { id: because, ...named } of [...decided.keys()]) {
    for (const other of findingsAnsweredWith({ id: because, ...named }, all.value, answer)) {
      const resolution = decideResolution(other, answer, by, { who, isInRun, at });
      if (resolution.ok && !decided.has(other)) decided.set(other, { resolution: resolution.value, because });
    }
  }
  const stored = await forEachOk([...decided], async ([{ id }, { resolution }]) =>
    resolution === null ? ok(undefined) : findings.resolve(id, resolution),
  );
  if (!stored.ok) return stored;
  return ok(
    [...decided].map(([finding, { resolution, because }]) => {
      return { ...finding, resolution: resolution ?? finding.resolution, because };
    }),
  );
}

/** Resolves one finding, like `resolveFindings`. */
export async function resolveFinding(
  repository: RepositoryPaths,
  id: string,
  answer: FindingAnswer,
  by: Actor,
): Promise<Result<ResolvedFinding>> {
  const resolved = await resolveFindings(repository, [id], answer, by);
  if (!resolved.ok) return resolved;
  const [finding] = resolved.value;
  return finding === undefined ? err({ kind: 'unknown-finding', id, known: [] }) : ok(finding);
}

function findingWith(given: string, all: readonly KnownFinding[]): Result<KnownFinding> {
  const id = given.trim().toUpperCase();
  const finding = all.find((one) => one.id === id);
  if (finding === undefined) {
    const known = all.filter(({ kept }) => kept === 'open').map((one) => one.id);
    return err({ kind: 'unknown-finding', id: given, known });
  }
  return finding.kept === 'closed' ? err({ kind: 'finding-closed', id }) : ok(finding);
}
