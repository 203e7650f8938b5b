import type { RepoPath } from '../domain/brand.ts';
import type { Failure } from '../domain/failure.ts';
import { GENERATED_FOLDER, isInside } from '../domain/generated.ts';
import type { PhaseNotice } from '../domain/phase-run.ts';
import type { Contents, Snapshots, TreeFile } from '../domain/ports.ts';
import { repoPath } from '../domain/repo-path.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { ARTIFACT_OF, type Artifact } from '../domain/role.ts';
import { hiddenByLogDir } from '../plan/log-dir.ts';
import { documentPath, phaseOf, requiredDocuments } from '../plan/phase-documents.ts';
import { type FeaturePaths, resolvePrd } from '../prompt/required-artifacts.ts';
import { type Documents, lookAtPhase, type Sight } from './phase-look.ts';
import type { PhasePorts, PhaseRequest } from './phase-ports.ts';

/** A feature whose phase can be played. */
export type Feature = {
  /** As prompts name them: absolute. */
  readonly paths: FeaturePaths;
  readonly documents: Documents;
  /** What was there when it was looked at first. */
  readonly first: Sight;
  readonly notices: readonly PhaseNotice[];
};

type FeaturePorts = Pick<PhasePorts, 'snapshots' | 'feature' | 'clock'> & { readonly contents: Contents };

/** Reads a feature: everything that the phase needs is there, or it is said what is not. Nothing is written with `dry`. */
export async function readFeature(
  ports: FeaturePorts,
  request: PhaseRequest,
  { dry, began }: { readonly dry: boolean; readonly began: Sight['began'] | null },
): Promise<Result<Feature>> {
  const { phase, feature, roles, root } = request;
  const { logDir } = request.settings;
  // What is in log_dir is no part of a snapshot: there, what was committed would be reviewed instead of what is there now.
  const tracked = await ports.snapshots.trackedIn(logDir);
  if (!tracked.ok) return tracked;
  const hidden = hiddenByLogDir(tracked.value, logDir);
  if (hidden.length > 0) return failed({ kind: 'log-dir-hides', logDir, files: hidden });
  // What nobody could write down is not worth a question.
  const history = await ports.feature.history();
  if (!history.ok) return history;
  const artifacts = requiredDocuments(phase, roles, request.fixing.by === 'fixer');
  const meta = await readMeta(ports, request, dry);
  if (!meta.ok) return meta;
  const prd = artifacts.includes('prd.md') ? await findPrd(ports.contents, request, meta.value.source) : NO_PRD;
  const own = artifacts.filter((artifact) => artifact !== 'prd.md').map((one) => documentPath(feature, one));
  const documents: Documents = {
    artifact: phase === 'implement' ? null : documentPath(feature, ARTIFACT_OF[phase]),
    all: [...(prd.path === null ? [] : [prd.path]), ...own],
  };
  const first = await lookAtPhase(ports.snapshots, request, documents, began);
  if (!first.ok) return first;
  const found = await ports.snapshots.filesIn(first.value.seen.snapshot, documents.all);
  if (!found.ok) return found;
  for (const artifact of artifacts) {
    const path = artifact === 'prd.md' ? prd.path : documentPath(feature, artifact);
    const trouble =
      path === null
        ? null
        : await troubleWith(ports, request, { artifact, path, first: first.value, files: found.value });
    if (trouble !== null) return failed(trouble);
  }
  if (phase === 'implement' && first.value.artifact === 'empty') {
    return failed({ kind: 'nothing-to-implement', base: first.value.baseName });
  }
  const absolute = (path: string) => (path === '' ? root : `${root}/${path}`);
  return done({
    paths: { folder: absolute(feature), prd: prd.path === null ? null : absolute(prd.path) },
    documents,
    first: first.value,
    notices: [...meta.value.notices, ...prd.notices],
  });
}

/** The document that the feature was made from; a `.meta.json` that cannot be read is put aside, so that nothing is lost. */
async function readMeta(
  { feature: files, clock }: Pick<PhasePorts, 'feature' | 'clock'>,
  { feature }: PhaseRequest,
  dry: boolean,
): Promise<Result<{ readonly source: string | null; readonly notices: readonly PhaseNotice[] }>> {
  const meta = await files.meta();
  if (!meta.ok) return meta;
  if (meta.value.kind !== 'unreadable') {
    return done({ source: meta.value.kind === 'read' ? meta.value.source : null, notices: [] });
  }
  const aside = dry ? done('.meta.json') : await files.putMetaAside(clock.now());
  return aside.ok ? done({ source: null, notices: [putAside(feature, aside.value)] }) : aside;
}

/** What is said where `.meta.json` had to be put aside. */
export function putAside(feature: RepoPath, aside: string): PhaseNotice {
  const own = (name: string) => (feature === '' ? name : `${feature}/${name}`) as RepoPath;
  return { kind: 'meta-put-aside', path: own('.meta.json'), aside: own(aside) };
}

type FoundPrd = { readonly path: RepoPath | null; readonly notices: readonly PhaseNotice[] };
const NO_PRD: FoundPrd = { path: null, notices: [] };

/** The feature's PRD, or the document that `.meta.json` says it was made from, if that is a file of the repository. */
async function findPrd(contents: Contents, { feature, root }: PhaseRequest, source: string | null): Promise<FoundPrd> {
  const own = documentPath(feature, 'prd.md');
  const hasOwn = (await contents.exists(own)) === 'file';
  const chosen = resolvePrd({ own: hasOwn ? own : null, source });
  if (chosen === null || hasOwn) return { path: hasOwn ? own : null, notices: [] };
  const path = repoPath(chosen.startsWith(`${root}/`) ? chosen.slice(root.length + 1) : chosen);
  const leftOut = (why: 'outside' | 'missing'): FoundPrd => ({
    path: null,
    notices: [{ kind: 'prd-left-out', path: chosen, why }],
  });
  if (path === null || path.split('/').includes('.git')) return leftOut('outside');
  return (await contents.exists(path)) === 'file' ? { path, notices: [] } : leftOut('missing');
}

async function troubleWith(
  { snapshots, contents }: { readonly snapshots: Snapshots; readonly contents: Contents },
  request: PhaseRequest,
  given: {
    readonly artifact: Artifact;
    readonly path: RepoPath;
    readonly first: Sight;
    readonly files: ReadonlyMap<RepoPath, TreeFile>;
  },
): Promise<Failure | null> {
  const { artifact, path, first, files } = given;
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
    if (first.withheld.some((one) => one.path === path)) return unusable('withheld');
    return unusable((await contents.exists(path)) === 'file' ? 'ignored' : 'missing');
  }
  if (!file.mode.startsWith('100')) return unusable('symlink');
  const text = await snapshots.textIn(first.seen.snapshot, path);
  if (!text.ok) return text.failure;
  if (text.value === null) return unusable('not-text');
  return text.value.trim() === '' ? unusable('empty') : null;
}
