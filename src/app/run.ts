import { loadSettings } from '../config/load-settings.ts';
import { openParsedFiles } from '../config/parsed-files.ts';
import { ACTIVE } from '../domain/active.ts';
import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import type { LoopOutcome } from '../domain/loop.ts';
import type { Reporter, Snapshots } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { ROLE_NAMES, roleFile } from '../domain/role.ts';
import type { RunNotice, RunOutcome } from '../domain/run.ts';
import type { Selection } from '../domain/scope.ts';
import type { Settings } from '../domain/settings.ts';
import type { RunFacts } from '../execute/read-run.ts';
import { executeRun, previewRun } from '../execute/run.ts';
import type { RunPorts, RunRequest } from '../execute/run-ports.ts';
import type { LoopRequest } from '../execute/until-pass.ts';
import { openChecks } from '../io/checks.ts';
import { openContents } from '../io/contents.ts';
import { digestOfFiles } from '../io/digest-of-files.ts';
import { sparseFiles } from '../io/text-files.ts';
import type { RunPlan } from '../plan/decide-run.ts';
import { commandsDigest, commandsOf } from '../plan/trusted-commands.ts';
import { agentWords, writtenAgents } from '../plan/written-agents.ts';
import { openCoolings } from '../stores/coolings.ts';
import { openFindings } from '../stores/findings.ts';
import { openLedger } from '../stores/ledger.ts';
import { openLock } from '../stores/lock.ts';
import { openOpenings } from '../stores/openings.ts';
import { openPasses } from '../stores/passes.ts';
import { openProof } from '../stores/proof.ts';
import { openReceipts } from '../stores/receipts.ts';
import { openRecords } from '../stores/records.ts';
import { openTrust } from '../stores/trust.ts';
import type { FailingGate } from '../text/failing-gate.ts';
import { version } from '../version.ts';
import { beginRun } from './ahead.ts';
import { type RunConfig, readConfig } from './run-config.ts';
import { readSettings } from './run-settings.ts';

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
export type OpenedRun = {
  readonly ports: RunPorts;
  readonly request: RunRequest;
  /** The settings as they are written. */
  readonly written: Settings;
  /** The branch that they were read from, in a pull request. */
  readonly from: string | null;
  /** The files of the working tree that the configuration was looked for in. */
  readonly configFiles: ReadonlySet<string>;
};

/** Runs the gates; one run at a time a working tree. */
export function run(place: Place, options: RunOptions): Promise<Result<RunOutcome>> {
  return alone(place, options, async ({ ports, request, from }) => {
    const outcome = await executeRun(ports, request);
    if (!outcome.ok) return outcome;
    if (outcome.value.iteration !== null && !(await isSameConfig(place, options, request))) {
      return failed({ kind: 'config-changed' });
    }
    return done(withConfigNotice(outcome.value, from));
  });
}

/** Runs the gates and has a fixer mend what they find, again and again. */
export function runUntilPass(
  place: Place,
  options: RunOptions,
  wish: Omit<LoopRequest, 'isSameConfig' | 'proof'>,
): Promise<Result<LoopOutcome>> {
  return alone(place, options, async ({ ports, request, from }) => {
    const { untilPass } = await import('../execute/until-pass.ts');
    const measures = [...agentWords(request.settings.agent), ...ROLE_NAMES.map(roleFile)];
    const digest = () => digestOfFiles(place.root, measures);
    const began = digest();
    const loop = await untilPass(ports, request, {
      ...wish,
      proof: openProof(place, request.settings.logDir),
      isSameConfig: async () => digest() === began && (await isSameConfig(place, options, request)),
    });
    if (!loop.ok) return loop;
    if (loop.value.end === 'passed' && !(await isSameConfig(place, options, request))) {
      return failed({ kind: 'config-changed' });
    }
    return done({ ...loop.value, run: withConfigNotice(loop.value.run, from) });
  });
}

async function alone<T>(
  place: Place,
  options: RunOptions,
  work: (opened: OpenedRun) => Promise<Result<T>>,
): Promise<Result<T>> {
  if (process.env[ACTIVE] !== undefined) return failed({ kind: 'inside-a-run' });
  const opening = openRun(place, options);
  // While git is looking.
  const lock = await openLock(place).take();
  try {
    const opened = await opening;
    if (!opened.ok) return opened;
    const agreed = await agree(place, opened.value.written, options.startedBy);
    if (!agreed.ok) return agreed;
    return lock.ok ? await work(opened.value) : lock;
  } finally {
    if (lock.ok) await lock.value.release();
  }
}

/** Whether settings, rules and prompts are still what the run judged by. */
async function isSameConfig(place: Place, options: RunOptions, request: RunRequest): Promise<boolean> {
  const read = await readSettings(place, options.selection);
  const now = read.ok ? await readConfig(place, read.value, Promise.resolve(null)) : read;
  const told = ({ settings, rules, rubrics }: RunConfig) => JSON.stringify([settings, rules, [...rubrics]]);
  return now.ok && told(now.value) === told(request);
}

/** What stands, and what a run would do about it. */
export type Preview = {
  readonly outcome: RunOutcome;
  readonly plan: RunPlan;
  readonly facts: RunFacts;
  failingChecks(): Promise<readonly FailingGate[]>;
};

/** What a run would do; nothing is run and nothing is written. */
export async function preview(place: Place, options: RunOptions): Promise<Result<Preview>> {
  const opened = await openRun(place, options);
  if (!opened.ok) return opened;
  const previewed = await previewRun(opened.value.ports, opened.value.request);
  if (!previewed.ok) return previewed;
  const outcome = withConfigNotice(previewed.value.outcome, opened.value.from);
  return done({
    ...previewed.value,
    outcome,
    failingChecks: async () => (await import('./failing-checks.ts')).failingChecks(opened.value, previewed.value.facts),
  });
}

function withConfigNotice(outcome: RunOutcome, from: string | null): RunOutcome {
  if (from === null) return outcome;
  const notice: RunNotice = { kind: 'base-config', base: from };
  return { ...outcome, notices: [notice, ...outcome.notices] };
}

/** Opens the stores and reads the configuration; the first look at the working tree has begun by then. */
export async function openRun(place: Place, options: RunOptions): Promise<Result<OpenedRun>> {
  const begun = await beginRun(place, options.selection);
  if (!begun.ok) return begun;
  const { read, snapshots, first } = begun.value;
  const { settings, written, source } = read;
  const ports = openPorts(place, settings, snapshots, options);
  const config = await readConfig(
    place,
    read,
    first.then((look) => look?.mayHave ?? null),
  );
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
    startedBy: options.startedBy,
    authorAgents: source.from === null ? null : (changed) => writtenAgents(written.agent, changed),
    stop: options.stop,
  };
  return done({ ports, request, written, from: source.from, configFiles: source.read });
}

function openPorts(place: Place, settings: Settings, snapshots: Snapshots, options: RunOptions): RunPorts {
  const { root, commonDir } = place;
  return {
    snapshots,
    records: openRecords(root, settings.logDir),
    receipts: openReceipts(commonDir),
    findings: openFindings(commonDir),
    openings: openOpenings(commonDir),
    coolings: openCoolings(commonDir),
    passes: openPasses(place),
    ledger: openLedger(commonDir),
    contents: () => openContents(root),
    checks: openChecks(root, process.env),
    clock: { now: () => new Date() },
    reporter: options.reporter,
    reviewers: async () => (await import('./reviewers.ts')).reviewersOf(place, settings, options.stop),
  };
}

/** Agrees to the commands of the present configuration, for starters that are no person. */
export async function trustConfig(place: Place): Promise<Result<readonly string[]>> {
  if (process.env[ACTIVE] !== undefined) return failed({ kind: 'agreed-inside-a-run' });
  const settings = await loadSettings(sparseFiles(place), openParsedFiles(place.commonDir, version));
  if (!settings.ok) return settings;
  const trusted = await openTrust(place.commonDir).trust(commandsDigest(settings.value));
  return trusted.ok ? done(commandsOf(settings.value)) : trusted;
}

/** Whether somebody who is no person may run what the configuration says. */
export async function checkTrust(place: Place): Promise<Result<void>> {
  const settings = await loadSettings(sparseFiles(place), openParsedFiles(place.commonDir, version));
  return settings.ok ? agree(place, settings.value, 'agent') : settings;
}

/** A person's own run agrees to the repository's commands; anybody else's needs that to have been done. */
export async function agree(place: Place, settings: Settings, by: RunOptions['startedBy']): Promise<Result<void>> {
  const commands = commandsOf(settings);
  if (commands.length === 0) return done(undefined);
  const trust = openTrust(place.commonDir);
  const digest = commandsDigest(settings);
  if (await trust.isTrusted(digest)) return done(undefined);
  return by === 'person' ? trust.trust(digest) : failed({ kind: 'not-trusted', commands });
}
