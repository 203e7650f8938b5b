import { loadRules } from '../config/load-rules.ts';
import { loadSettings } from '../config/load-settings.ts';
import { openParsedFiles, type ParsedFiles } from '../config/parsed-files.ts';
import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import type { Rubric } from '../domain/gate.ts';
import type { Reporter } from '../domain/ports.ts';
import type { Problem } from '../domain/problem.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { RunNotice, RunOutcome } from '../domain/run.ts';
import type { Selection } from '../domain/scope.ts';
import type { Settings } from '../domain/settings.ts';
import { leftOut, type RunFacts } from '../execute/read-run.ts';
import { executeRun, previewRun } from '../execute/run.ts';
import type { RunPorts, RunRequest } from '../execute/run-ports.ts';
import { openChecks } from '../io/checks.ts';
import { openContents } from '../io/contents.ts';
import { tipOf } from '../io/diff.ts';
import { listRuleFiles } from '../io/rule-files.ts';
import { openSnapshots } from '../io/snapshots.ts';
import { commitFiles, diskFiles, type TextFiles } from '../io/text-files.ts';
import type { RunPlan } from '../plan/decide-run.ts';
import { isPullRequest, targetBranch, writtenAgents } from '../plan/pull-request.ts';
import { fileRubric } from '../plan/rubric.ts';
import { commandsDigest, commandsOf } from '../plan/trusted-commands.ts';
import { openCoolings } from '../stores/coolings.ts';
import { openFindings } from '../stores/findings.ts';
import { openLock } from '../stores/lock.ts';
import { openOpenings } from '../stores/openings.ts';
import { openPasses } from '../stores/passes.ts';
import { openReceipts } from '../stores/receipts.ts';
import { openRecords } from '../stores/records.ts';
import { openTrust } from '../stores/trust.ts';
import { version } from '../version.ts';
import { lookingAhead } from './looking-ahead.ts';

/** What a caller may ask of a run. */
export type RunOptions = {
  readonly selection: Selection;
  readonly gates: readonly string[];
  readonly paths: readonly RepoPath[];
  readonly force: boolean;
  readonly fresh: boolean;
  readonly all: boolean;
  /** Who starts it: a person's own run is consent to the repository's commands, an agent's is not. */
  readonly startedBy: 'person' | 'agent';
  readonly reporter: Reporter;
  readonly stop: AbortSignal | null;
};

/** Options of a look that asks for nothing and starts nothing. */
export const NOBODY: Omit<RunOptions, 'selection'> = {
  gates: [],
  paths: [],
  force: false,
  fresh: false,
  all: false,
  startedBy: 'agent',
  reporter: { tell: () => {} },
  stop: null,
};

/** Everything that a run is made of, opened and read. */
export type OpenedRun = { readonly ports: RunPorts; readonly request: RunRequest; readonly config: RunConfig };

type RunConfig = {
  readonly settings: Settings;
  /** The branch that it was read from, in a pull request. */
  readonly from: string | null;
};

/** Runs the gates; one run at a time a working tree. */
export async function run(place: Place, options: RunOptions): Promise<Result<RunOutcome>> {
  if (process.env['ONCEOVER_ACTIVE'] !== undefined) return failed({ kind: 'inside-a-run' });
  const opened = await openRun(place, options);
  if (!opened.ok) return opened;
  const { ports, request, config } = opened.value;
  const agreed = await agree(place, config.settings, options.startedBy);
  if (!agreed.ok) return agreed;
  const lock = await openLock(place).take();
  if (!lock.ok) return lock;
  try {
    const outcome = await executeRun(ports, request);
    if (!outcome.ok) return outcome;
    if (outcome.value.iteration !== null && !(await isSameConfig(place, options, request))) {
      return failed({ kind: 'config-changed' });
    }
    return done(withConfigNotice(outcome.value, config));
  } finally {
    await lock.value.release();
  }
}

/** Whether settings, rules and prompts are still what the run judged by. */
async function isSameConfig(place: Place, options: RunOptions, request: RunRequest): Promise<boolean> {
  const now = await openRun(place, options);
  const told = ({ settings, rules, rubrics }: RunRequest) => JSON.stringify([settings, rules, [...rubrics]]);
  return now.ok && told(now.value.request) === told(request);
}

/** What a run would do; nothing is run and nothing is written. */
export async function preview(
  place: Place,
  options: RunOptions,
): Promise<Result<{ readonly outcome: RunOutcome; readonly plan: RunPlan; readonly facts: RunFacts }>> {
  const opened = await openRun(place, options);
  if (!opened.ok) return opened;
  const previewed = await previewRun(opened.value.ports, opened.value.request);
  if (!previewed.ok) return previewed;
  const outcome = withConfigNotice(previewed.value.outcome, opened.value.config);
  return done({ ...previewed.value, outcome });
}

function withConfigNotice(outcome: RunOutcome, { from }: RunConfig): RunOutcome {
  if (from === null) return outcome;
  const notice: RunNotice = { kind: 'base-config', base: from };
  return { ...outcome, notices: [notice, ...outcome.notices] };
}

/** Opens the stores and reads the configuration; the first look at the working tree has begun by then. */
export async function openRun(place: Place, options: RunOptions): Promise<Result<OpenedRun>> {
  const parsed = openParsedFiles(place.commonDir, version);
  const source = await configSource(place, options.selection);
  if (!source.ok) return source;
  const settings = await loadSettings(source.value.files, parsed);
  if (!settings.ok) {
    parsed.save();
    return settings;
  }
  // A pull request is measured from what it goes to, whatever is usual here.
  const own = source.value.from === null ? settings.value : { ...settings.value, base: source.value.from };
  const ports = openPorts(place, own, options);
  const config = await readConfig(place, source.value, own, parsed);
  parsed.save();
  if (!config.ok) return config;
  const request: RunRequest = {
    root: place.root,
    ...config.value,
    selection: options.selection,
    gates: options.gates,
    paths: options.paths,
    force: options.force,
    fresh: options.fresh,
    all: options.all,
    authorAgents: (changed) => (source.value.from === null ? new Map() : writtenAgents(settings.value.agent, changed)),
    stop: options.stop,
  };
  return done({ ports, request, config: { settings: settings.value, from: source.value.from } });
}

function openPorts(place: Place, settings: Settings, options: RunOptions): RunPorts {
  const { root, commonDir } = place;
  return {
    snapshots: lookingAhead(openSnapshots(place), options.selection, settings.base, leftOut(settings)),
    records: openRecords(root, settings.logDir),
    receipts: openReceipts(commonDir),
    findings: openFindings(commonDir),
    openings: openOpenings(commonDir),
    coolings: openCoolings(commonDir),
    passes: openPasses(place),
    contents: () => openContents(root),
    checks: openChecks(root, process.env),
    clock: { now: () => new Date() },
    reporter: options.reporter,
    reviewers: async () => (await import('./reviewers.ts')).reviewersOf(place, settings, options.stop),
  };
}

/** Rules and prompts, beside the settings that name them. */
async function readConfig(
  place: Place,
  { files, commit }: ConfigSource,
  settings: Settings,
  parsed: ParsedFiles,
): Promise<Result<Pick<RunRequest, 'settings' | 'rules' | 'rubrics'>>> {
  const rubrics = readRubrics(settings, files);
  const listed = await listRuleFiles(place, commit);
  if (!listed.ok) return listed;
  const rules = await loadRules(files, { tracked: listed.value, untracked: [] }, parsed);
  const problems = [...rules.problems, ...rubrics.problems];
  if (problems.length > 0) return failed({ kind: 'broken-config', problems });
  return done({ settings, rules: rules.rules, rubrics: rubrics.rubrics });
}

type ConfigSource = {
  readonly files: TextFiles;
  readonly from: string | null;
  readonly commit: Parameters<typeof commitFiles>[1] | null;
};

/** The working tree; in a pull request, the tip of what it goes to: the merge-base is the author's choice. */
async function configSource(place: Place, selection: Selection): Promise<Result<ConfigSource>> {
  if (!isPullRequest(process.env)) return done({ files: diskFiles(place.root), from: null, commit: null });
  const asked = 'base' in selection ? selection.base : null;
  const name = targetBranch(process.env) ?? asked ?? place.usualBase;
  if (name === null) return failed({ kind: 'no-base', tried: [] });
  const tip = await tipOf(place, name);
  return tip.ok ? done({ files: commitFiles(place.root, tip.value), from: name, commit: tip.value }) : tip;
}

const LONGEST_PROMPT = 1024 * 1024;

function readRubrics(
  settings: Settings,
  files: TextFiles,
): { readonly rubrics: ReadonlyMap<RepoPath, Rubric>; readonly problems: readonly Problem[] } {
  const rubrics = new Map<RepoPath, Rubric>();
  const problems: Problem[] = [];
  for (const { prompt, promptAt } of settings.gates.flatMap(({ reviews }) => Object.values(reviews))) {
    if (rubrics.has(prompt)) continue;
    const read = files.read(prompt, LONGEST_PROMPT);
    const why =
      read.kind === 'unusable'
        ? read.why === 'binary'
          ? 'not-utf8'
          : read.why
        : read.cut
          ? 'too-large'
          : read.text.trim() === ''
            ? 'empty'
            : null;
    if (why !== null)
      problems.push({ file: 'onceover.yml', ...promptAt, what: { kind: 'unusable-file', path: prompt, why } });
    else if (read.kind === 'text') rubrics.set(prompt, fileRubric(prompt, read.text));
  }
  return { rubrics, problems };
}

/** Agrees to the commands of the present configuration, for starters that are no person. */
export async function trustConfig(place: Place): Promise<Result<readonly string[]>> {
  const settings = await loadSettings(diskFiles(place.root), openParsedFiles(place.commonDir, version));
  if (!settings.ok) return settings;
  const trusted = await openTrust(place.commonDir).trust(commandsDigest(settings.value));
  return trusted.ok ? done(commandsOf(settings.value)) : trusted;
}

/** Whether somebody who is no person may run what the configuration says. */
export async function checkTrust(place: Place): Promise<Result<void>> {
  const settings = await loadSettings(diskFiles(place.root), openParsedFiles(place.commonDir, version));
  return settings.ok ? agree(place, settings.value, 'agent') : settings;
}

/** A person's own run agrees to the repository's commands; anybody else's needs that to have been done. */
async function agree(place: Place, settings: Settings, by: RunOptions['startedBy']): Promise<Result<void>> {
  const commands = commandsOf(settings);
  if (commands.length === 0) return done(undefined);
  const trust = openTrust(place.commonDir);
  const digest = commandsDigest(settings);
  if (await trust.isTrusted(digest)) return done(undefined);
  return by === 'person' ? trust.trust(digest) : failed({ kind: 'not-trusted', commands });
}
