import { preview, type RunRequestOptions, run, runUntilPass, status } from '../../api.ts';
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
  const wrong = wrongFlags(flags);
  if (wrong !== null) return exitWith(wrongUsage(wrong).failure, json);
  const selection = await selectionOf(flags);
  if (!selection.ok) return exitWith(selection.failure, json);
  const reports = await reportsOf(flags);
  if (reports !== null && 'said' in reports) return exitWith(wrongUsage(reports.said).failure, json);
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
      return await runOrFix({ ...request, stop }, flags, runGates);
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

/** Returns how much output the flags ask for. */
function amountOf({ verbose, quiet }: Pick<RunFlags, 'verbose' | 'quiet'>): Amount {
  return quiet === true ? 'quiet' : verbose === true ? 'verbose' : 'normal';
}

/** Runs the gates one time or, with `--until-pass`, in a loop with a fixer. */
async function runOrFix(
  request: RunRequestOptions,
  { untilPass, fixer, maxIterations, ratchet = false }: RunFlags,
  runGates: typeof run,
): Promise<Result<{ readonly ended: RunOutcome; readonly loop: LoopOutcome | null }>> {
  if (untilPass !== true || fixer === undefined) {
    const ran = await runGates(workingDirectory(), request);
    return ran.ok ? ok({ ended: ran.value, loop: null }) : ran;
  }
  const loop = { fixer, mostIterations: maxIterations ?? null, ratchet };
  const looped = await runUntilPass(workingDirectory(), request, loop);
  return looped.ok ? ok({ ended: looped.value.run, loop: looped.value }) : looped;
}

/** Returns why the flags cannot be used together; null if they can. */
function wrongFlags(flags: RunFlags): string | null {
  const { base, commit, untilPass = false, fixer, dryRun = false } = flags;
  const selecting = given({ '--commit': commit, '--uncommitted': flags.uncommitted, '--files': flags.files });
  const [ofLoop] = given({ '--fixer': fixer, '--max-iterations': flags.maxIterations, '--ratchet': flags.ratchet });
  const rules: readonly (readonly [isWrong: boolean, said: string])[] = [
    [selecting.length > 1, `${selecting.join(' and ')} cannot be used together.`],
    [base !== undefined && selecting.some((one) => one !== '--files'), `--base cannot be used with ${selecting[0]}.`],
    [!untilPass && ofLoop !== undefined, `${ofLoop} works only with --until-pass.`],
    [untilPass && fixer === undefined, '--until-pass needs a fixer: name an agent with --fixer.'],
    [untilPass && commit !== undefined, '--until-pass cannot be used with --commit: a commit cannot be changed.'],
    [untilPass && dryRun, '--until-pass cannot be used with --dry-run.'],
    [flags.verbose === true && flags.quiet === true, '--verbose and --quiet cannot be used together.'],
  ];
  return rules.find(([isWrong]) => isWrong)?.[1] ?? null;
}

/** Returns the names of the flags that have a value. */
function given(flags: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(flags).filter((name) => flags[name] !== undefined);
}

/** Opens the requested reports, and loads their code only then; null if no report is requested. */
async function reportsOf({ report, dryRun, json }: RunFlags): Promise<Reports | { readonly said: string } | null> {
  if (report === undefined) return null;
  const { openReports } = await import('../reports.ts');
  return openReports(report, { dryRun: dryRun === true, json: json === true });
}

/** Returns the part of the change that the flags select. */
async function selectionOf(
  flags: Pick<RunFlags, 'base' | 'commit' | 'uncommitted' | 'files'>,
): Promise<Result<RunRequestOptions['selection']>> {
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
  const previewed = await status(workingDirectory(), options.base ?? null);
  if (!previewed.ok) return exitWith(previewed.failure, json);
  const { outcome, failingChecks } = previewed.value;
  printWarnings(outcome.notices.map(describeRunNotice));
  if (json) printJson(runDocument(outcome));
  else if (options.prompt === true) printResult(describePromptForAgent(outcome.findings, await failingChecks()));
  else printResult(describeRun(outcome, shownOn(process.stdout, process.env), amountOf(options)));
  process.exitCode = outcome.exitCode;
}
