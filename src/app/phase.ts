import { lstatSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { loadRoles } from '../config/load-roles.ts';
import { ACTIVE } from '../domain/active.ts';
import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import { PHASES, type PhaseName, type Preparation } from '../domain/phase.ts';
import type { PhaseOutcome, PhasePlan } from '../domain/phase-run.ts';
import type { Contents, Reporter } from '../domain/ports.ts';
import { repoPath } from '../domain/repo-path.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { Roles } from '../domain/role.ts';
import type { Selection } from '../domain/scope.ts';
import type { Settings } from '../domain/settings.ts';
import { playPhase, previewPhase } from '../execute/phase.ts';
import type { PhasePorts, PhaseRequest } from '../execute/phase-ports.ts';
import { openCommits } from '../io/commit.ts';
import { openContents } from '../io/contents.ts';
import { digestOfFiles } from '../io/digest-of-files.ts';
import { listRuleFiles } from '../io/rule-files.ts';
import { openSnapshots } from '../io/snapshots.ts';
import { type NameSource, userPath } from '../io/user-path.ts';
import { agentWords } from '../plan/written-agents.ts';
import { BUILT_IN_ROLES } from '../roles/table.ts';
import { openCoolings } from '../stores/coolings.ts';
import { openFeatureFiles } from '../stores/feature-files.ts';
import { openLedger } from '../stores/ledger.ts';
import { openLock } from '../stores/lock.ts';
import { openPhaseLogs } from '../stores/phase-logs.ts';
import { openPhaseLoops } from '../stores/phase-loops.ts';
import { openProof } from '../stores/proof.ts';
import { version } from '../version.ts';
import { barredAgents } from './barred-agents.ts';
import { reviewersOf } from './reviewers.ts';
import { agree } from './run.ts';
import { type RunSettings, readSettings } from './run-settings.ts';
import { newWorkId } from './started-work.ts';

/** What a phase is asked for, in the words of the command line. */
export type PhaseWish = {
  readonly phase: string;
  readonly feature: string;
  /** The agent that mends; null: nobody does, or whoever called. */
  readonly fixer: string | null;
  /** One call a round: whoever called mends in between, and says what it did with the next call. */
  readonly step: boolean;
  readonly summary: string | null;
  readonly rerun: boolean;
  readonly acceptWithNotes: boolean;
  readonly mostIterations: number | null;
  readonly commits: boolean;
  readonly keepSessions: boolean;
  /** Of code: these files instead of those that changed since the base. */
  readonly files: { readonly names: readonly string[]; readonly source: NameSource } | null;
  readonly base: string | null;
  /** What goes before the reviews of code. */
  readonly simplify: boolean;
  readonly deepenTests: boolean;
  readonly startedBy: 'person' | 'agent';
  readonly reporter: Reporter;
  readonly stop: AbortSignal | null;
};

type Opened = { readonly ports: PhasePorts & { readonly contents: Contents }; readonly request: PhaseRequest };

/** Plays a phase as it is wished; one run or phase at a time a working tree. */
export async function playWish(place: Place, wish: PhaseWish): Promise<Result<PhaseOutcome>> {
  if (process.env[ACTIVE] !== undefined) return failed({ kind: 'inside-a-run' });
  const lock = await openLock(place).take();
  try {
    const opened = await openPhase(place, wish);
    if (!opened.ok) return opened;
    const agreed = await agree(place, opened.value.request.settings, wish.startedBy);
    if (!agreed.ok) return agreed;
    return lock.ok ? await playPhase(opened.value.ports, opened.value.request) : lock;
  } finally {
    if (lock.ok) await lock.value.release();
  }
}

/** What playing it would do next. */
export async function previewWish(place: Place, wish: PhaseWish): Promise<Result<PhasePlan>> {
  const opened = await openPhase(place, wish);
  return opened.ok ? previewPhase(opened.value.ports, opened.value.request) : opened;
}

async function openPhase(place: Place, wish: PhaseWish): Promise<Result<Opened>> {
  const phase = PHASES.find((name) => name === wish.phase);
  if (phase === undefined) return failed({ kind: 'unknown-phase', name: wish.phase });
  const feature = featureFolder(place, wish.feature);
  if (!feature.ok) return feature;
  const selection = selectionOf(place, wish);
  if (!selection.ok) return selection;
  const read = await readSettings(place, { kind: 'change', base: wish.base });
  if (!read.ok) return read;
  const { settings } = read.value;
  const roles = await rolesOf(place, read.value);
  if (!roles.ok) return roles;
  const ruleFiles = await listRuleFiles(place, null, Promise.resolve(null));
  if (!ruleFiles.ok) return ruleFiles;
  const snapshots = openSnapshots(place);
  const barred = await barredAgents(snapshots, read.value);
  if (!barred.ok) return barred;
  const agentFiles = filesOfAgents(place, settings);
  const { root, commonDir } = place;
  const { stop, startedBy, reporter } = wish;
  const request: PhaseRequest = {
    root,
    settings,
    roles: roles.value,
    phase,
    feature: feature.value,
    fixing: fixingOf(wish),
    rerun: wish.rerun,
    acceptWithNotes: wish.acceptWithNotes,
    mostIterations: wish.mostIterations,
    commits: wish.commits,
    preparations: preparationsOf(phase, wish),
    selection: selection.value,
    barred: barred.value,
    kept: [...keptFiles(feature.value, settings), ...ruleFiles.value, ...agentFiles],
    agentFiles: () => new Map(agentFiles.map((path) => [path, digestOfFiles(root, [path])])),
    startedBy,
    stop,
  };
  return done({
    request,
    ports: {
      snapshots,
      feature: openFeatureFiles(root, feature.value),
      loops: openPhaseLoops(place, version),
      logs: openPhaseLogs(root, settings.logDir),
      commits: openCommits(place),
      coolings: openCoolings(commonDir),
      ledger: openLedger(commonDir),
      clock: { now: () => new Date() },
      reporter,
      reviewers: reviewersOf(place, settings, stop),
      proof: openProof(place, settings.logDir),
      contents: openContents(root),
      newId: () => newWorkId('loop'),
    },
  });
}

/** The folder that was meant, from the root. */
function featureFolder(place: Place, name: string): Result<RepoPath> {
  const path = name === '' ? null : userPath(place, name, 'arguments');
  if (path === null) return failed({ kind: 'path-outside', path: name });
  const stats = lstatSync(join(place.root, path), { throwIfNoEntry: false });
  if (stats === undefined) return failed({ kind: 'no-feature', path: name, why: 'missing' });
  return stats.isDirectory() ? done(path) : failed({ kind: 'no-feature', path: name, why: 'not-a-folder' });
}

function selectionOf(place: Place, { files, base }: PhaseWish): Result<Selection> {
  if (files === null) return done({ kind: 'change', base });
  const listed: RepoPath[] = [];
  for (const name of files.names) {
    const path = name === '' ? null : userPath(place, name, files.source);
    if (path === null) return failed({ kind: 'path-outside', path: name });
    listed.push(path);
  }
  return done({ kind: 'files', files: listed, base });
}

function fixingOf({ fixer, step, summary, keepSessions }: PhaseWish): PhaseRequest['fixing'] {
  if (step) return { by: 'caller', summary, keepSessions };
  return fixer === null ? { by: 'nobody' } : { by: 'fixer', agent: fixer };
}

function preparationsOf(phase: PhaseName, { simplify, deepenTests }: PhaseWish): readonly Preparation[] {
  if (phase !== 'implement') return [];
  return [
    ...(simplify ? [{ role: 'code-simplifier', part: null } as const] : []),
    ...(deepenTests ? (['A', 'B'] as const).map((part) => ({ role: 'test-deepener', part }) as const) : []),
  ];
}

/** The roles, from where the settings are read: in a pull request that is what it goes to. */
async function rolesOf(place: Place, { source }: RunSettings): Promise<Result<Roles>> {
  const listed = await openSnapshots(place).files();
  if (!listed.ok) return listed;
  // A slip in a name is the author's business, and in a pull request nothing of the author's is read.
  const listing = { tracked: source.from === null ? listed.value : [], untracked: [] };
  return loadRoles(source.files, listing, BUILT_IN_ROLES);
}

/** What nobody may touch who is judged by it, or who is told of it. */
function keptFiles(feature: RepoPath, settings: Settings): readonly RepoPath[] {
  const own = (name: string) => (feature === '' ? name : `${feature}/${name}`);
  const prompts = settings.gates.flatMap(({ reviews }) => Object.values(reviews).map(({ prompt }) => prompt));
  const names = ['onceover.yml', '.onceover', own('.review-history.md'), own('.meta.json'), ...prompts];
  return [...new Set(names)] as RepoPath[];
}

/** Files that agents are started from, as far as the settings name them. */
function filesOfAgents({ root }: Place, { agent }: Settings): readonly RepoPath[] {
  const paths = agentWords(agent).flatMap((word) => {
    const path = isAbsolute(word) ? (word as RepoPath) : repoPath(word);
    return path === null || path === '' ? [] : [path];
  });
  return [...new Set(paths)].filter((path) => isFile(isAbsolute(path) ? path : join(root, path)));
}

function isFile(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}
