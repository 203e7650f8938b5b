import { openCooldowns, openSessionPrompts } from '@onceover/agents/dispatch/cooldowns';
import { probeEntry } from '@onceover/agents/ledger/entries';
import { openLedger } from '@onceover/agents/ledger/store';
import type { RemoteReviewers } from '@onceover/agents/remote/remote-reviewers';
import type { Problem } from '@onceover/base/kernel/failure';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { ACTIVE, type Checks, type ReporterOf } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { openLock } from '@onceover/base/platform/lock';
import { type RunSettings, readSettings } from '@onceover/repo/config/effective-settings';
import { readNonEmpty, unusable } from '@onceover/repo/config/read-file';
import { SETTINGS_FILE, type Settings } from '@onceover/repo/config/settings';
import { listRuleFiles, type MayHave } from '@onceover/repo/git/repository';
import type { TextFiles } from '@onceover/repo/git/tree-files';
import { openContents } from '@onceover/repo/git/working-files';
import { requireConsent } from '@onceover/repo/trust/consent';
import { hasTeamStore } from '@onceover/store/has-store';
import { noTeamPackage, noWorkers } from '@onceover/store/in-store';
import { storeResult } from '@onceover/store/store-error';
import { openFindings } from '../findings/open-findings.ts';
import type { Rubric } from '../gate-types.ts';
import type { FailingGate } from '../result/describe/reasons.ts';
import type { RunOutcome, RunProgress } from '../result/types.ts';
import { loadRules } from '../rules/load.ts';
import { openPasses } from '../rules/passes.ts';
import type { ReferenceFiles } from '../rules/select-files.ts';
import { fileRubric } from './decide/gate-list.ts';
import type { RunPorts, RunRequest, SharedPasses } from './ports.ts';
import { takePrefetch } from './prefetch.ts';
import { openReceipts } from './record/receipts.ts';
import { openRecords } from './record/records.ts';
import { executeRun, previewRun, type RunPreview } from './run.ts';

type RunConfig = Pick<RunRequest, 'settings' | 'rules' | 'rubrics'>;

/** Reads the rules, and the prompt files that the settings name. */
async function readConfig(
  repository: RepositoryPaths,
  { settings, source, parsed }: RunSettings,
  mayHave: Promise<MayHave | null>,
): Promise<Result<RunConfig>> {
  const { rubrics, problems } = readRubrics(settings, source.files);
  const ruleFiles = await listRuleFiles(repository, source.commit, mayHave);
  if (!ruleFiles.ok) return ruleFiles;
  const loadedRules = await loadRules(source.files, { tracked: ruleFiles.value, untracked: [] }, parsed);
  parsed.save();
  const allProblems = [...loadedRules.problems, ...problems];
  return allProblems.length > 0
    ? err({ kind: 'broken-config', problems: allProblems })
    : ok({ settings, rules: loadedRules.rules, rubrics });
}

function readRubrics(
  settings: Settings,
  files: TextFiles,
): { readonly rubrics: ReadonlyMap<RepoPath, Rubric>; readonly problems: readonly Problem[] } {
  const rubrics = new Map<RepoPath, Rubric>();
  const problems: Problem[] = [];
  for (const { prompt, promptAt } of settings.gates.flatMap(({ reviews }) => Object.values(reviews))) {
    if (rubrics.has(prompt)) continue;
    const promptFile = readNonEmpty(files, prompt);
    if (promptFile.ok) rubrics.set(prompt, fileRubric(prompt, promptFile.text));
    else problems.push({ file: SETTINGS_FILE, ...unusable(prompt, promptFile.why, promptAt) });
  }
  return { rubrics, problems };
}

/**
 * The options of a run. If a person starts the run, that also approves the repository's commands; an agent cannot
 * approve them.
 */
export type RunOptions = Pick<
  RunRequest,
  'selection' | 'gates' | 'paths' | 'force' | 'fresh' | 'all' | 'startedBy' | 'stop'
> & {
  readonly reporter: ReporterOf<RunProgress>;
  readonly allowUnconfigured: boolean;
  /** `false` (`--no-accept`): ignore passes and waivers of other clones. */
  readonly accept?: boolean;
  /** `true` (`--share`): share the passes of this run, even if the setting `share` is off. */
  readonly share?: boolean;
  /**
   * `true` (`--remote`): reviewers run on workers, other machines of the team. If missing, the user's config file
   * decides.
   */
  readonly remote?: boolean;
  /**
   * Set for a run that only measures reviewers (`onceover prove`): the repository whose reviewers it measures. Such a
   * run stores everything in files, and workers handle its calls after those of people and CI.
   */
  readonly proofOf?: RepositoryPaths;
};

/** Options for a preview of all gates. A preview runs nothing. */
export const READ_ONLY: Omit<RunOptions, 'selection'> = {
  gates: [],
  paths: [],
  force: false,
  fresh: false,
  all: false,
  allowUnconfigured: false,
  startedBy: 'agent',
  reporter: { tell: () => {} },
  stop: null,
};

export type OpenedRun = {
  readonly ports: RunPorts;
  readonly request: RunRequest;
  /**
   * The settings in `onceover.yml`. On a pull request, `request.settings` differs in one value: `base` is the target
   * branch.
   */
  readonly written: Settings;
  /** The paths in the working tree where the configuration was read, or would be read if a file existed there. */
  readonly configFiles: ReadonlySet<string>;
  /** Disconnects from the workers (the machines of the team that run reviewers). */
  closeRemote(): Promise<void>;
};

/** Runs the gates. Only one run per working tree is possible at a time. */
export async function runGates(repository: RepositoryPaths, options: RunOptions): Promise<Result<RunOutcome>> {
  const remote = options.remote === undefined ? await runsRemotely() : ok(options.remote);
  if (!remote.ok) return remote;
  return withRunLock(repository, { ...options, remote: remote.value }, async ({ ports, request }) => {
    const outcome = await executeRun(ports, request);
    if (!outcome.ok || outcome.value.iteration === null) return outcome;
    return (await isSameConfig(repository, request)) ? outcome : err({ kind: 'config-changed' });
  });
}

/** Whether the user's config file sends runs to workers. The file is read only if a team store is configured. */
export async function runsRemotely(): Promise<Result<boolean>> {
  if (!hasTeamStore()) return ok(false);
  const config = (await import('@onceover/store/user-config')).readUserConfig(process.env);
  return config.ok ? ok(config.value.runs === 'remote') : config;
}

/** Opens a run, takes its lock, checks that its commands are approved, and calls `work`. */
export async function withRunLock<T>(
  repository: RepositoryPaths,
  options: RunOptions,
  work: (opened: OpenedRun) => Promise<Result<T>>,
): Promise<Result<T>> {
  if (process.env[ACTIVE] !== undefined) return err({ kind: 'inside-a-run' });
  const opening = openRun(repository, options, true);
  // Take the lock while git still scans the working tree, because this saves time.
  const lock = await openLock(repository).take();
  try {
    const run = await opening;
    if (!run.ok) return run;
    const consent = requireConsent(repository, run.value.written, options.startedBy);
    if (!consent.ok) return consent;
    return lock.ok ? flat(await storeResult(work(run.value))) : lock;
  } finally {
    const run = await opening;
    if (run.ok) run.value.ports.shared?.close();
    if (run.ok) await run.value.closeRemote();
    if (lock.ok) await lock.value.release();
  }
}

/** Returns an object that runs checks. Its code is loaded when the first check runs. */
function openChecksOnce(root: string, env: NodeJS.ProcessEnv): Checks {
  return {
    run: async (command, options) =>
      (await import('@onceover/base/platform/run-process')).openChecks(root, env).run(command, options),
  };
}

/** Whether settings, rules and prompts are unchanged since the run read them. */
export async function isSameConfig(repository: RepositoryPaths, request: RunRequest): Promise<boolean> {
  const runSettings = await readSettings(repository, request.selection);
  const currentConfig = runSettings.ok
    ? await readConfig(repository, runSettings.value, Promise.resolve(null))
    : runSettings;
  const textOf = ({ settings, rules, rubrics }: RunConfig) => JSON.stringify([settings, rules, [...rubrics]]);
  return currentConfig.ok && textOf(currentConfig.value) === textOf(request);
}

function flat<T>(result: Result<Result<T>>): Result<T> {
  return result.ok ? result.value : result;
}

export type Preview = OpenedRun & RunPreview & { failingChecks(): Promise<readonly FailingGate[]> };

/** Returns what a run would do. Runs nothing and writes nothing. */
export async function previewGates(repository: RepositoryPaths, options: RunOptions): Promise<Result<Preview>> {
  const run = await openRun(repository, options, false);
  if (!run.ok) return run;
  const { ports, request } = run.value;
  const preview = flat(await storeResult(previewRun(ports, request)));
  if (!preview.ok) return preview;
  const { facts } = preview.value;
  return ok({
    ...run.value,
    ...preview.value,
    failingChecks: async () => (await import('./read/failing-checks.ts')).failingChecks(ports, request, facts),
  });
}

type Sharing = { readonly shared: SharedPasses; readonly request: Pick<RunRequest, 'builtInAgents'> };

async function openSharing(
  repository: RepositoryPaths,
  runSettings: RunSettings,
  { options, accept, fetches }: { readonly options: RunOptions; readonly accept: boolean; readonly fetches: boolean },
): Promise<Sharing> {
  const { openShared, BUILT_IN_AGENTS } = await import('./open-shared.ts');
  // `--fresh` runs every reviewer again, so no earlier pass counts. Waivers stay, because people decided on them.
  const isInPullRequest = runSettings.source.from !== null;
  const acceptsPasses = accept && !options.fresh;
  // In CI, an earlier step may have fetched the passes with a token that the run itself does not get.
  const isFetched = process.env['ONCEOVER_PASSES_FETCHED'] === 'true';
  const use = {
    ...{ acceptsPasses, acceptsWaivers: accept, fetches: fetches && !isFetched },
    sharesBySetting: !isInPullRequest,
  };
  return { shared: openShared(repository, runSettings, use), request: { builtInAgents: BUILT_IN_AGENTS } };
}

/** Returns a function that copies records to the store for teams, so that web pages on other machines can show them. */
function copyRecords({ root, commonDir }: RepositoryPaths) {
  return async (texts: Readonly<Record<string, string>>) =>
    ONCEOVER_TEAM
      ? (await import('./record/postgres-records.ts')).copyToStore({ root, commonDir }, texts)
      : err(noTeamPackage().failure);
}

function baseReferences(files: TextFiles): ReferenceFiles {
  return { isBase: true, text: async (path, limit) => files.read(path, limit) };
}

/** Opens the stores and reads the configuration, while git takes the first snapshot. */
async function openRun(repository: RepositoryPaths, options: RunOptions, fetches: boolean): Promise<Result<OpenedRun>> {
  const { reporter, accept = true, remote: _, proofOf, ...requested } = options;
  const prefetch = await takePrefetch(repository, options.selection);
  if (!prefetch.ok) return prefetch;
  const { read, snapshots, first } = prefetch.value;
  const { settings, written, source } = read;
  // The code for passes of other clones is loaded only if the setting `passes` exists. They are fetched while git scans
  // the files.
  const sharing = settings.passes === null ? null : openSharing(repository, read, { options, accept, fetches });
  const config = await readConfig(
    repository,
    read,
    first.then((snapshot) => snapshot?.mayHave ?? null),
  );
  const passSharing = await sharing;
  if (!config.ok) {
    passSharing?.shared.close();
    return config;
  }
  const { root, commonDir } = repository;
  const usesStore = proofOf === undefined && hasTeamStore();
  const ledger = openLedger(commonDir, usesStore);
  // The connection to the workers is opened when the first reviewer runs.
  let remote: Promise<RemoteReviewers> | undefined;
  const ports: RunPorts = {
    snapshots,
    records: openRecords(root, settings.logDir, usesStore ? copyRecords(repository) : null),
    receipts: openReceipts(commonDir, usesStore),
    findings: openFindings(commonDir, usesStore),
    sessionPrompts: openSessionPrompts(commonDir),
    cooldowns: openCooldowns(commonDir, usesStore),
    passes: openPasses(repository),
    ledger,
    contents: () => openContents(root),
    references: () => (source.commit === null ? openContents(root) : baseReferences(source.files)),
    checks: openChecksOnce(root, process.env),
    clock: { now: () => new Date() },
    reporter,
    shared: passSharing?.shared ?? null,
    async reviewers() {
      if (options.remote === true) {
        if (!ONCEOVER_TEAM) throw noWorkers();
        remote ??= import('@onceover/agents/remote/remote-reviewers').then((module) =>
          module.openRemote(repository, settings, proofOf),
        );
        return (await remote).reviewers();
      }
      return (await import('@onceover/agents/dispatch/choose-agents')).openReviewersFor(repository, settings, {
        stop: options.stop,
        base: source.commit,
        paid: (cost) => ledger.add(probeEntry(cost, options.startedBy, new Date())),
      });
    },
  };
  const { pullRequest } = source;
  const request = { ...requested, ...config.value, ...passSharing?.request, root, pullRequest };
  const closeRemote = async () =>
    remote?.then(
      ({ close }) => close(),
      () => undefined,
    );
  return ok({ ports, request, written, configFiles: source.read, closeRemote });
}
