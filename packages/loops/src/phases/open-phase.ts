import { isAbsolute, join, resolve } from 'node:path';
import { openReviewersFor } from '@onceover/agents/dispatch/choose-agents';
import { openCooldowns } from '@onceover/agents/dispatch/cooldowns';
import { probeEntry } from '@onceover/agents/ledger/entries';
import { openLedger } from '@onceover/agents/ledger/store';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { repoPath } from '@onceover/base/kernel/paths';
import { ACTIVE, type TamperGuard } from '@onceover/base/kernel/ports';
import type { RepositoryPaths, Selection } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { PHASES, type PhaseName, type Preparation } from '@onceover/base/kernel/review-loops';
import { newJobId } from '@onceover/base/platform/background';
import { statIfPresent } from '@onceover/base/platform/files';
import { openLock } from '@onceover/base/platform/lock';
import { userPath } from '@onceover/base/platform/user-paths';
import { version } from '@onceover/base/version';
import { type RunSettings, readSettings } from '@onceover/repo/config/effective-settings';
import { omittedFolders, type Settings } from '@onceover/repo/config/settings';
import { openCommits } from '@onceover/repo/git/commit';
import { listRuleFiles } from '@onceover/repo/git/repository';
import { openSnapshots } from '@onceover/repo/git/snapshot';
import { readVisibility } from '@onceover/repo/git/visibility';
import { digestOfFiles } from '@onceover/repo/git/watched-files';
import { openContents } from '@onceover/repo/git/working-files';
import { agentWords } from '@onceover/repo/trust/agent-words';
import { requireConsent } from '@onceover/repo/trust/consent';
import { previewPhase, runPhase } from './do/run-phase.ts';
import type { PhasePlanDocument } from './json-schema.ts';
import { documentPath } from './read/feature.ts';
import { openFeatureFiles, openPhaseLogs, openPhaseLoops } from './record/store.ts';
import { loadRoles } from './roles/load.ts';
import type { Roles } from './roles/types.ts';
import type { PhaseOptions, PhaseOutcome, PhasePorts, PhaseRequest } from './run-types.ts';

/**
 * A function that opens a guard, which undoes a fixing agent's writes to stored passes, findings and approved commands.
 */
export type OpenGuard = (logDir: RepoPath) => TamperGuard;

type Opened = { readonly ports: PhasePorts; readonly request: PhaseRequest };

/** Runs a phase. Fails if another run or phase is in progress in this working tree. */
export async function openAndRunPhase(
  repository: RepositoryPaths,
  options: PhaseOptions,
  guard: OpenGuard,
): Promise<Result<PhaseOutcome>> {
  if (process.env[ACTIVE] !== undefined) return err({ kind: 'inside-a-run' });
  const lock = await openLock(repository).take();
  try {
    const phaseInput = await openPhase(repository, options, guard);
    if (!phaseInput.ok) return phaseInput;
    const consent = requireConsent(repository, phaseInput.value.request.settings, options.startedBy);
    if (!consent.ok) return consent;
    return lock.ok ? await runPhase(phaseInput.value.ports, phaseInput.value.request) : lock;
  } finally {
    if (lock.ok) await lock.value.release();
  }
}

export async function openAndPreviewPhase(
  repository: RepositoryPaths,
  options: PhaseOptions,
  guard: OpenGuard,
): Promise<Result<PhasePlanDocument>> {
  const phaseInput = await openPhase(repository, options, guard);
  return phaseInput.ok ? previewPhase(phaseInput.value.ports, phaseInput.value.request) : phaseInput;
}

async function openPhase(
  repository: RepositoryPaths,
  options: PhaseOptions,
  guard: OpenGuard,
): Promise<Result<Opened>> {
  const phase = PHASES.find((name) => name === options.phase);
  if (phase === undefined) return err({ kind: 'unknown-phase', name: options.phase });
  const feature = featureFolder(repository, options.feature);
  if (!feature.ok) return feature;
  const selection = selectionOf(repository, options);
  if (!selection.ok) return selection;
  const runSettings = await readSettings(repository, { kind: 'change', base: options.base ?? null });
  if (!runSettings.ok) return runSettings;
  const { settings } = runSettings.value;
  const roles = await rolesOf(repository, runSettings.value);
  if (!roles.ok) return roles;
  const ruleFiles = await listRuleFiles(repository, null, Promise.resolve(null));
  if (!ruleFiles.ok) return ruleFiles;
  const snapshots = openSnapshots(repository);
  const agentFiles = filesOfAgents(repository, settings);
  const { root, commonDir } = repository;
  const ledger = openLedger(commonDir);
  const request: PhaseRequest = {
    rerun: options.rerun === true,
    acceptWithNotes: options.acceptWithNotes === true,
    mostIterations: options.maxIterations ?? null,
    commits: options.commit !== false,
    startedBy: options.startedBy,
    stop: options.stop,
    root,
    settings,
    roles: roles.value,
    phase,
    feature: feature.value,
    fixing: fixingOf(options),
    preparations: preparationsOf(phase, options),
    selection: selection.value,
    kept: [...keptFiles(feature.value, settings), ...ruleFiles.value, ...agentFiles],
    agentFiles: () => new Map(agentFiles.map((path) => [path, digestOfFiles(root, [path])])),
  };
  return ok({
    request,
    ports: {
      snapshots,
      feature: openFeatureFiles(root, feature.value),
      loops: openPhaseLoops(repository, version),
      logs: openPhaseLogs(root, settings.logDir),
      commits: openCommits(repository),
      cooldowns: openCooldowns(commonDir),
      ledger,
      clock: { now: () => new Date() },
      reporter: options.reporter,
      reviewers: await openReviewersFor(repository, settings, {
        stop: options.stop,
        base: runSettings.value.source.commit,
        paid: (cost) => ledger.add(probeEntry(cost, options.startedBy, new Date())),
      }),
      proof: guard(settings.logDir),
      visibility: () => readVisibility(repository, omittedFolders(settings)),
      contents: openContents(root),
      newId: () => newJobId('loop'),
    },
  });
}

function featureFolder(repository: RepositoryPaths, name: string): Result<RepoPath> {
  const path = name === '' ? null : userPath(repository, name, 'arguments');
  if (path === null) return err({ kind: 'path-outside', path: name });
  const stats = statIfPresent(join(repository.root, path));
  if (stats === null) return err({ kind: 'no-feature', path: name, why: 'missing' });
  return stats.isDirectory() ? ok(path) : err({ kind: 'no-feature', path: name, why: 'not-a-folder' });
}

function selectionOf(repository: RepositoryPaths, { files, ...options }: PhaseOptions): Result<Selection> {
  const base = options.base ?? null;
  if (files === null) return ok({ kind: 'change', base });
  const paths: RepoPath[] = [];
  for (const name of files.names) {
    const path = name === '' ? null : userPath(repository, name, files.source);
    if (path === null) return err({ kind: 'path-outside', path: name });
    paths.push(path);
  }
  return ok({ kind: 'files', files: paths, base });
}

function fixingOf({ fixer, step, summary, keepSessions }: PhaseOptions): PhaseRequest['fixing'] {
  if (step === true) return { by: 'caller', summary: summary ?? null, keepSessions: keepSessions !== false };
  return typeof fixer === 'string' ? { by: 'fixer', agent: fixer } : { by: 'nobody' };
}

function preparationsOf(phase: PhaseName, { simplify, deepenTests }: PhaseOptions): readonly Preparation[] {
  if (phase !== 'implement') return [];
  return [
    ...(simplify === true ? [{ role: 'code-simplifier', part: null } as const] : []),
    ...(deepenTests === true ? (['A', 'B'] as const).map((part) => ({ role: 'test-deepener', part }) as const) : []),
  ];
}

/** Loads the roles from the same place as the settings: the working tree or, for a pull request, the base branch. */
async function rolesOf(repository: RepositoryPaths, { source }: RunSettings): Promise<Result<Roles>> {
  const trackedFiles = await openSnapshots(repository).files();
  if (!trackedFiles.ok) return trackedFiles;
  // If the roles come from the base branch, role files in the working tree have no effect, so do not report misspelt
  // names.
  const listing = { tracked: source.from === null ? trackedFiles.value : [], untracked: [] };
  return loadRoles(source.files, listing);
}

/**
 * Returns the files and folders that a fixing agent must not edit: settings, prompts, roles, and the records of the
 * phase.
 */
function keptFiles(feature: RepoPath, settings: Settings): readonly RepoPath[] {
  const records = ['.review-history.md', '.meta.json'].map((name) => documentPath(feature, name));
  const prompts = settings.gates.flatMap(({ reviews }) => Object.values(reviews).map(({ prompt }) => prompt));
  const names = ['onceover.yml', '.onceover', ...records, ...prompts];
  return [...new Set(names)] as RepoPath[];
}

function filesOfAgents({ root }: RepositoryPaths, { agent }: Settings): readonly RepoPath[] {
  const paths = agentWords(agent).flatMap((word) => {
    const path = isAbsolute(word) ? (word as RepoPath) : repoPath(word);
    return path === null || path === '' ? [] : [path];
  });
  return [...new Set(paths)].filter((path) => statIfPresent(resolve(root, path))?.isFile() === true);
}
