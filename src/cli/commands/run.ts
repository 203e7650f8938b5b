import { preview, type RunRequestOptions, run, runUntilPass } from '../../api.ts';
import { describeDryRun, describePromptForAgent } from '../../gates/describe/messages.ts';
import { describeRunNotice } from '../../gates/describe/result.ts';
import { type Amount, describeRun } from '../../gates/describe/run.ts';
import { dryRunDocument, runDocument } from '../../gates/json.ts';
import type { LoopOutcome, RunOutcome } from '../../gates/run-types.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { consoleReporter } from '../../progress/reporter.ts';
import { shownOn } from '../../ui/terminal.ts';
import { givenFiles } from '../input.ts';
import { INTERRUPTED, interruptible } from '../interrupt.ts';
import { exitWith, printJson, printResult, printWarnings, workingDirectory } from '../output.ts';
import type { Reports } from '../reports.ts';

export type RunFlags = {
  readonly base?: string;
  readonly commit?: string;
  readonly uncommitted?: boolean;
  readonly files?: readonly string[];
  readonly gate?: readonly string[];
  readonly dryRun?: boolean;
  readonly all?: boolean;
  readonly force?: boolean;
  readonly fresh?: boolean;
  readonly report?: readonly string[];
  readonly untilPass?: boolean;
  readonly fixer?: string;
  readonly maxIterations?: number;
  readonly ratchet?: boolean;
  readonly startedByAgent?: boolean;
  readonly verbose?: boolean;
  readonly quiet?: boolean;
  readonly json?: boolean;
};

export async function runCommand(paths: readonly string[], flags: RunFlags, runGates = run): Promise<void> {
  const json = flags.json === true;
  const selection = await selectionOf(flags);
  if (!selection.ok) return exitWith(selection.failure, json);
  const fixing = fixingOf(flags);
  if (fixing !== null && 'said' in fixing) {
    return exitWith({ kind: 'wrong-usage', said: fixing.said, command: 'run' }, json);
  }
  const reports = await reportsOf(flags);
  if (reports !== null && 'said' in reports) {
    return exitWith({ kind: 'wrong-usage', said: reports.said, command: 'run' }, json);
  }
  if (flags.verbose === true && flags.quiet === true) {
    return exitWith(
      { kind: 'wrong-usage', said: '--verbose and --quiet cannot be used together.', command: 'run' },
      json,
    );
  }
  const reporter = await consoleReporter({ quiet: flags.quiet === true });
  const request: Omit<RunRequestOptions, 'stop'> = {
    selection: selection.value,
    gates: flags.gate ?? [],
    paths,
    force: flags.force === true,
    fresh: flags.fresh === true,
    all: flags.all === true,
    startedBy: flags.startedByAgent === true ? 'agent' : 'person',
    reporter,
  };
  if (flags.dryRun === true) {
    const planned = await preview(workingDirectory(), { ...request, stop: null });
    if (!planned.ok) return exitWith(planned.failure, json);
    const { outcome, plan } = planned.value;
    printWarnings(outcome.notices.map(describeRunNotice));
    if (json) printJson(dryRunDocument(outcome, plan));
    else printResult(describeDryRun(outcome, plan));
    process.exitCode = outcome.exitCode;
    return;
  }
  const work = async (stop: AbortSignal) => {
    try {
      return await runOrFix({ ...request, stop }, fixing, runGates);
    } finally {
      reporter.end();
    }
  };
  const outcome = await interruptible(work, json, async (cut) => {
    if (!cut.ok || cut.value.loop === null) return null;
    const { loopField, describeRounds } = await import('../../fix-loop/describe.ts');
    return { text: `\n${describeRounds(cut.value.loop, process.stderr)}\n`, fields: loopField(cut.value.loop) };
  });
  if (outcome === 'interrupted') return reports?.writeInterrupted(INTERRUPTED);
  if (!outcome.ok) {
    await exitWith(outcome.failure, json, 'run');
    return reports?.writeFailed(outcome.failure);
  }
  const { ended, loop } = outcome.value;
  const missing = (await reports?.write(ended)) ?? [];
  const isShort = missing.length > 0 && ended.exitCode === 0;
  const told = isShort ? { ...ended, exitCode: 3 as const } : ended;
  if (flags.quiet !== true) printWarnings(told.notices.map(describeRunNotice));
  const story = loop === null ? null : await import('../../fix-loop/describe.ts');
  if (json) printJson({ ...runDocument(told, missing), ...story?.loopField(loop) });
  else
    printResult(
      [
        describeRun(told, shownOn(process.stdout, process.env), amountOf(flags)),
        ...(story === null ? [] : [story.describeRounds(loop)]),
      ].join('\n\n'),
    );
  reports?.print(ended);
  process.exitCode = told.exitCode;
}

/** How much the flags ask to show. */
function amountOf({ verbose, quiet }: Pick<RunFlags, 'verbose' | 'quiet'>): Amount {
  return quiet === true ? 'quiet' : verbose === true ? 'verbose' : 'normal';
}

type Fixing = { readonly fixer: string; readonly mostIterations: number | null; readonly ratchet: boolean };

/** Runs the gates once, or in a loop with a fixer. */
async function runOrFix(
  request: RunRequestOptions,
  fixing: Fixing | null,
  runGates: typeof run,
): Promise<Result<{ readonly ended: RunOutcome; readonly loop: LoopOutcome | null }>> {
  if (fixing === null) {
    const ran = await runGates(workingDirectory(), request);
    return ran.ok ? ok({ ended: ran.value, loop: null }) : ran;
  }
  const looped = await runUntilPass(workingDirectory(), request, fixing);
  return looped.ok ? ok({ ended: looped.value.run, loop: looped.value }) : looped;
}

/** Returns the fix loop that the flags request; null if none, or a sentence about a wrong flag. */
function fixingOf(flags: RunFlags): Fixing | { readonly said: string } | null {
  const { untilPass, fixer, maxIterations, ratchet, commit, dryRun } = flags;
  if (untilPass !== true) {
    const [first] = [
      ...(fixer === undefined ? [] : ['--fixer']),
      ...(maxIterations === undefined ? [] : ['--max-iterations']),
      ...(ratchet === true ? ['--ratchet'] : []),
    ];
    return first === undefined ? null : { said: `${first} works only with --until-pass.` };
  }
  if (fixer === undefined) return { said: '--until-pass needs a fixer: name an agent with --fixer.' };
  if (commit !== undefined) return { said: '--until-pass cannot be used with --commit: a commit cannot be changed.' };
  if (dryRun === true) return { said: '--until-pass cannot be used with --dry-run.' };
  return { fixer, mostIterations: maxIterations ?? null, ratchet: ratchet === true };
}

/** Opens the requested reports. Their code is loaded only then. */
async function reportsOf({ report, dryRun, json }: RunFlags): Promise<Reports | { readonly said: string } | null> {
  if (report === undefined) return null;
  const { openReports } = await import('../reports.ts');
  return openReports(report, { dryRun: dryRun === true, json: json === true });
}

/** Returns which part of the change the flags select. */
export async function selectionOf(
  flags: Pick<RunFlags, 'base' | 'commit' | 'uncommitted' | 'files'>,
): Promise<Result<RunRequestOptions['selection']>> {
  const given = [
    flags.commit === undefined ? null : '--commit',
    flags.uncommitted === true ? '--uncommitted' : null,
    flags.files === undefined ? null : '--files',
  ].filter((one) => one !== null);
  if (given.length > 1) return wrongUsage(`${given.join(' and ')} cannot be used together.`);
  if (flags.base !== undefined && given.length > 0 && given[0] !== '--files') {
    return wrongUsage(`--base cannot be used with ${given[0]}.`);
  }
  if (flags.commit !== undefined) return ok({ kind: 'commit', commit: flags.commit });
  if (flags.uncommitted === true) return ok({ kind: 'uncommitted' });
  const base = flags.base ?? null;
  if (flags.files === undefined) return ok({ kind: 'change', base });
  const files = await givenFiles(flags.files);
  if (!files.ok) return files;
  return files.value === null || files.value.names.length === 0
    ? wrongUsage('--files names no file.')
    : ok({ kind: 'files', files: files.value, base });
}

const wrongUsage = (said: string) => err({ kind: 'wrong-usage', said, command: 'run' });

export async function statusCommand(options: {
  readonly prompt?: boolean;
  readonly base?: string;
  readonly verbose?: boolean;
  readonly json?: boolean;
}): Promise<void> {
  const json = options.json === true;
  const previewed = await preview(workingDirectory(), {
    selection: { kind: 'change', base: options.base ?? null },
    gates: [],
    paths: [],
    force: false,
    fresh: false,
    all: false,
    startedBy: 'agent',
    reporter: { tell: () => {} },
    stop: null,
  });
  if (!previewed.ok) return exitWith(previewed.failure, json);
  const { outcome, failingChecks } = previewed.value;
  printWarnings(outcome.notices.map(describeRunNotice));
  if (json) printJson(runDocument(outcome));
  else if (options.prompt === true) printResult(describePromptForAgent(outcome.findings, await failingChecks()));
  else printResult(describeRun(outcome, shownOn(process.stdout, process.env), amountOf(options)));
  process.exitCode = outcome.exitCode;
}
