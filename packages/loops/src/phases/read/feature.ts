import type { Failure } from '@onceover/base/kernel/failure';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { GENERATED_FOLDER, hiddenByLogDir, isInside, repoPath } from '@onceover/base/kernel/paths';
import type { Contents, TreeFile } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { DOCUMENT_PHASES, type DocumentPhase, type PhaseName } from '@onceover/base/kernel/review-loops';
import { rolesOf } from '../decide/roles.ts';
import type { FeaturePaths } from '../prompt/forms.ts';
import { ARTIFACT_OF, ARTIFACTS, type Artifact, artifactsOf, type Roles, roleName } from '../roles/types.ts';
import type { PhaseNotice, PhasePorts, PhaseRequest } from '../run-types.ts';
import { type Documents, type PhaseSubject, readSubject } from './subject.ts';

/** Returns the documents that at least one role of the phase must read, including the reviewed document. */
export function requiredDocuments(phase: PhaseName, roles: Roles, hasFixer: boolean): readonly Artifact[] {
  const names = rolesOf(phase, []).filter((role) => hasFixer || role !== 'implementer');
  const artifacts = new Set(names.flatMap((role) => artifactsOf(roles[roleName(role, null)], phase)));
  if (phase !== 'implement') artifacts.add(ARTIFACT_OF[phase]);
  return ARTIFACTS.filter((artifact) => artifacts.has(artifact));
}

/**
 * Returns the phase that reviews a document; null for the PRD (product requirements document), which no phase reviews.
 */
export function phaseOf(artifact: Artifact): DocumentPhase | null {
  return DOCUMENT_PHASES.find((phase) => ARTIFACT_OF[phase] === artifact) ?? null;
}

/** Returns the path of a file in the feature's folder, relative to the repository root. */
export function documentPath(feature: RepoPath, name: string): RepoPath {
  return (feature === '' ? name : `${feature}/${name}`) as RepoPath;
}

/** A feature that is ready for the phase: all documents that the phase requires are usable. */
export type Feature = {
  /** Absolute paths, for prompts. */
  readonly paths: FeaturePaths;
  readonly documents: Documents;
  /** The content under review when the phase starts. */
  readonly first: PhaseSubject;
  readonly notices: readonly PhaseNotice[];
};

/**
 * Reads a feature's documents and history. Fails at the first unusable document. If `dry`, an unreadable `.meta.json`
 * is not renamed.
 */
export async function readFeature(
  ports: Pick<PhasePorts, 'snapshots' | 'contents' | 'feature' | 'clock'>,
  request: PhaseRequest,
  { dry, began }: { readonly dry: boolean; readonly began: PhaseSubject['began'] | null },
): Promise<Result<Feature>> {
  const { phase, feature, roles, root } = request;
  const { logDir } = request.settings;
  // Fail if a tracked file is in `log_dir`: snapshots leave out that folder, so reviewers would see only its committed
  // version.
  const trackedFiles = await ports.snapshots.trackedIn(logDir);
  if (!trackedFiles.ok) return trackedFiles;
  const hiddenFiles = hiddenByLogDir(trackedFiles.value, logDir);
  if (hiddenFiles.length > 0) return err({ kind: 'log-dir-hides', logDir, files: hiddenFiles });
  // Read the history before an agent is called: if the history is unreadable, the reviews could not be recorded.
  const history = await ports.feature.history();
  if (!history.ok) return history;
  const artifacts = requiredDocuments(phase, roles, request.fixing.by === 'fixer');
  const meta = await readMeta(ports, request, dry);
  if (!meta.ok) return meta;
  const prd = artifacts.includes('prd.md') ? await findPrd(ports.contents, request, meta.value.source) : NO_PRD;
  const featureDocuments = artifacts
    .filter((artifact) => artifact !== 'prd.md')
    .map((artifact) => documentPath(feature, artifact));
  const documents: Documents = {
    artifact: phase === 'implement' ? null : documentPath(feature, ARTIFACT_OF[phase]),
    all: [...(prd.path === null ? [] : [prd.path]), ...featureDocuments],
  };
  const first = await readSubject(ports.snapshots, request, documents, began);
  if (!first.ok) return first;
  const files = await ports.snapshots.filesIn(first.value.seen.snapshot, documents.all);
  if (!files.ok) return files;
  for (const artifact of artifacts) {
    const path = artifact === 'prd.md' ? prd.path : documentPath(feature, artifact);
    const failure =
      path === null
        ? null
        : await checkDocument(ports, request, { artifact, path, first: first.value, files: files.value });
    if (failure !== null) return err(failure);
  }
  if (phase === 'implement' && first.value.artifact === 'empty') {
    return err({ kind: 'nothing-to-implement', base: first.value.baseName });
  }
  const absolute = (path: string) => (path === '' ? root : `${root}/${path}`);
  return ok({
    paths: { folder: absolute(feature), prd: prd.path === null ? null : absolute(prd.path) },
    documents,
    first: first.value,
    notices: [...meta.value.notices, ...prd.notices],
  });
}

/**
 * Reads the path of the PRD (product requirements document) from `.meta.json`. Renames an unreadable `.meta.json`, so
 * that its content is not lost.
 */
async function readMeta(
  { feature: files, clock }: Pick<PhasePorts, 'feature' | 'clock'>,
  { feature }: PhaseRequest,
  dry: boolean,
): Promise<Result<{ readonly source: string | null; readonly notices: readonly PhaseNotice[] }>> {
  const meta = await files.meta();
  if (!meta.ok) return meta;
  if (meta.value !== null) return ok({ ...meta.value, notices: [] });
  const aside = dry ? ok('.meta.json') : await files.putMetaAside(clock.now());
  return aside.ok ? ok({ source: null, notices: [setAsideFeature(feature, aside.value)] }) : aside;
}

/** Returns the notice that `.meta.json` was renamed. */
export function setAsideFeature(feature: RepoPath, aside: string): PhaseNotice {
  return { kind: 'meta-put-aside', path: documentPath(feature, '.meta.json'), aside: documentPath(feature, aside) };
}

type FoundPrd = { readonly path: RepoPath | null; readonly notices: readonly PhaseNotice[] };

const NO_PRD: FoundPrd = { path: null, notices: [] };

/**
 * Returns the PRD (product requirements document): `prd.md` in the feature's folder, or else the file that `.meta.json`
 * names.
 */
async function findPrd(contents: Contents, { feature, root }: PhaseRequest, source: string | null): Promise<FoundPrd> {
  const featurePrd = documentPath(feature, 'prd.md');
  if ((await contents.exists(featurePrd)) === 'file') return { path: featurePrd, notices: [] };
  if (source === null) return NO_PRD;
  const path = repoPath(source.startsWith(`${root}/`) ? source.slice(root.length + 1) : source);
  const leftOut = (why: 'outside' | 'missing'): FoundPrd => ({
    path: null,
    notices: [{ kind: 'prd-left-out', path: source, why }],
  });
  if (path === null || path.split('/').includes('.git')) return leftOut('outside');
  return (await contents.exists(path)) === 'file' ? { path, notices: [] } : leftOut('missing');
}

async function checkDocument(
  { snapshots, contents }: Pick<PhasePorts, 'snapshots' | 'contents'>,
  request: PhaseRequest,
  document: {
    readonly artifact: Artifact;
    readonly path: RepoPath;
    readonly first: PhaseSubject;
    readonly files: ReadonlyMap<RepoPath, TreeFile>;
  },
): Promise<Failure | null> {
  const { artifact, path, first, files } = document;
  const unusable = (why: Extract<Failure, { kind: 'unusable-artifact' }>['why']): Failure => ({
    kind: 'unusable-artifact',
    path,
    why,
    phase: phaseOf(artifact),
    needs: request.phase,
  });
  if (isInside(path, GENERATED_FOLDER)) return unusable('generated');
  const file = files.get(path);
  if (file === undefined) {
    if (first.withheld.some((entry) => entry.path === path)) return unusable('withheld');
    return unusable((await contents.exists(path)) === 'file' ? 'ignored' : 'missing');
  }
  if (!file.mode.startsWith('100')) return unusable('symlink');
  const text = await snapshots.textIn(first.seen.snapshot, path);
  if (!text.ok) return text.failure;
  if (text.value === null) return unusable('not-text');
  return text.value.trim() === '' ? unusable('empty') : null;
}
