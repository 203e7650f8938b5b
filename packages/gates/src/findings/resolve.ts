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
  const allowedActors = settings.ok ? settings.value.settings.waivers.who : 'people';
  const isInRun = process.env[ACTIVE] !== undefined;
  const at = new Date().toISOString();
  const findings = openFindings(repository.commonDir);
  const storedFindings = await findings.all();
  if (!storedFindings.ok) return storedFindings;
  const resolutions = new Map<
    KnownFinding,
    { readonly resolution: Resolution | null; readonly because: string | null }
  >();
  for (const id of ids) {
    const finding = findingWith(id, storedFindings.value);
    if (!finding.ok) return finding;
    const resolution = decideResolution(finding.value, answer, by, { who: allowedActors, isInRun, at });
    if (!resolution.ok) return resolution;
    resolutions.set(finding.value, { resolution: resolution.value, because: null });
  }
  for (const { id: because, ...fields } of [...resolutions.keys()]) {
    for (const relatedFinding of findingsAnsweredWith({ id: because, ...fields }, storedFindings.value, answer)) {
      const resolution = decideResolution(relatedFinding, answer, by, { who: allowedActors, isInRun, at });
      if (resolution.ok && !resolutions.has(relatedFinding))
        resolutions.set(relatedFinding, { resolution: resolution.value, because });
    }
  }
  const storeResult = await forEachOk([...resolutions], async ([{ id }, { resolution }]) =>
    resolution === null ? ok(undefined) : findings.resolve(id, resolution),
  );
  if (!storeResult.ok) return storeResult;
  return ok(
    [...resolutions].map(([finding, { resolution, because }]) => {
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
  const resolvedFindings = await resolveFindings(repository, [id], answer, by);
  if (!resolvedFindings.ok) return resolvedFindings;
  const [finding] = resolvedFindings.value;
  return finding === undefined ? err({ kind: 'unknown-finding', id, known: [] }) : ok(finding);
}

function findingWith(idText: string, findings: readonly KnownFinding[]): Result<KnownFinding> {
  const id = idText.trim().toUpperCase();
  const finding = findings.find((candidate) => candidate.id === id);
  if (finding === undefined) {
    const openIds = findings.filter(({ kept }) => kept === 'open').map((openFinding) => openFinding.id);
    return err({ kind: 'unknown-finding', id: idText, known: openIds });
  }
  return finding.kept === 'closed' ? err({ kind: 'finding-closed', id }) : ok(finding);
}
