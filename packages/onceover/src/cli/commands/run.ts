import { ok, type Result } from '@onceover/base/kernel/result';
import { shownOn } from '@onceover/base/ui/terminal';
import type { LoopOutcome } from '@onceover/gates/fix-loop/decide-end';
import { describeRunNotice } from '@onceover/gates/result/describe/result';
import { type Amount, describeRun } from '@onceover/gates/result/describe/run';
import type { RunOutcome } from '@onceover/gates/result/types';
import { consoleReporter } from '@onceover/web/progress/reporter';
import { preview, type RunRequestOptions, type RunWish, run, runUntilPass } from '../../api.ts';
import { filesOption, firstWrong, givenFlags } from '../input.ts';
import { INTERRUPTED, interruptible } from '../interrupt.ts';
import { exitWith, type Flags, finish, workingDirectory, wrongUsage } from '../output.ts';
import type { Reports } from '../reports.ts';

type RunFlags = Flags<
  'fixer',
  'dryRun' | 'untilPass' | 'ratchet' | 'publish' | 'startedByAgent' | 'verbose' | 'quiet'
> &
  RunWish & { readonly [Name in 'files' | 'gate' | 'report']?: readonly string[] } & {
    readonly maxIterations?: number;
  };

export async function runCommand(paths: readonly string[], flags: RunFlags, runGates = run): Promise<void> {
  const { json = false, quiet = false } = flags;
  const wrong = wrongFlags(flags);
  if (wrong !== null) return wrongUsage('run', wrong, json);
  const files = await filesOption(flags.files, 'run');
  if (!files.ok) return exitWith(files.failure, json);
  const reporter = await consoleReporter({ quiet });
  const startedBy = flags.startedByAgent === true ? 'agent' : 'person';
  const options = { gates: flags.gate ?? [], paths, files: files.value, startedBy, reporter, stop: null } as const;
  const request: RunRequestOptions = { ...flags, ...options };
  const reports = await reportsOf(flags, request);
  if (!reports.ok) return exitWith(reports.failure, json);
  const publication = flags.publish === true ? await (await import('./publish.ts')).publicationOfRun() : null;
  if (flags.dryRun === true) {
    return printDryRun(request, json);
  }
  const work = async (stop: AbortSignal) => {
    try {
      return await runOrFix({ ...request, stop }, flags, runGates);
    } finally {
      reporter.end();
    }
  };
  const outcome = await interruptible(work, json, async (cut) => {
    if (!cut.ok || cut.value.loop === null) return {};
    const { loopDocument, describeLoop } = await import('@onceover/gates/fix-loop/describe');
    const rounds = describeLoop(cut.value.loop, shownOn(process.stderr, process.env));
    return { text: `\n${rounds}\n`, fields: { loop: loopDocument(cut.value.loop) } };
  });
  if (outcome === 'interrupted') return reports.value?.writeInterrupted(INTERRUPTED);
  if (!outcome.ok) {
    await exitWith(outcome.failure, json, 'run');
    if (publication !== null) {
      const { error } = (await documents()).errorDocument(outcome.failure);
      await publication({ kind: 'error', message: error.message, next: error.next });
    }
    return reports.value?.writeFailed(outcome.failure);
  }
  const { ended, loop } = outcome.value;
  const unwritten = (await reports.value?.write(ended)) ?? [];
  const publicationError =
    publication === null
      ? null
      : await publication({ kind: 'run', document: (await documents()).runDocument(ended, unwritten) });
  const missing = publicationError === null ? unwritten : [...unwritten, publicationError];
  const isShort = missing.length > 0 && ended.exitCode === 0;
  const story = loop === null ? null : await import('@onceover/gates/fix-loop/describe');
  await finish(ok(isShort ? { ...ended, status: 'error' as const, exitCode: 3 as const } : ended), json, {
    warnings: ({ notices }) => (quiet ? [] : notices.map(describeRunNotice)),
    document: async (endedRun) => ({
      ...(await documents()).runDocument(endedRun, missing),
      ...(loop === null ? {} : { loop: story?.loopDocument(loop) }),
    }),
    text: (endedRun, style) =>
      [
        describeRun(endedRun, style, amountOf(flags)),
        ...(loop === null || story === null ? [] : [story.describeLoop(loop, style)]),
      ].join('\n\n'),
    exitCode: (endedRun) => endedRun.exitCode,
  });
  reports.value?.print(ended);
  const canAsk = !json && startedBy === 'person' && process.stdin.isTTY && process.stderr.isTTY;
  if (canAsk && ended.sharing?.kind === 'to-ask') await (await import('./passes.ts')).askToShare();
}

/** Loads the code that makes JSON documents, which most runs do not need. */
const documents = () => import('@onceover/gates/result/json');

async function printDryRun(request: RunRequestOptions, json: boolean): Promise<void> {
  const { dryRunDocument } = await import('@onceover/gates/run/json-plan');
  const { describeDryRun } = await import('@onceover/gates/run/describe/plan');
  return finish(await preview(workingDirectory(), request), json, {
    warnings: ({ outcome }) => outcome.notices.map(describeRunNotice),
    document: ({ outcome, plan }) => dryRunDocument(outcome, plan),
    text: ({ outcome, plan }) => describeDryRun(outcome, plan),
    exitCode: ({ outcome }) => outcome.exitCode,
  });
}

/** Returns how much the flags ask the run to print. */
export function amountOf({ verbose, quiet }: Pick<RunFlags, 'verbose' | 'quiet'>): Amount {
  return quiet === true ? 'quiet' : verbose === true ? 'verbose' : 'normal';
}

/** Runs the gates once or, with `--until-pass`, in a loop with an agent that fixes findings. */
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
  const loopResult = await runUntilPass(workingDirectory(), request, loop);
  return loopResult.ok ? ok({ ended: loopResult.value.run, loop: loopResult.value }) : loopResult;
}

/** Returns why these flags cannot be used together; null if they can. */
function wrongFlags(flags: RunFlags): string | null {
  const { base, commit, untilPass = false, fixer, dryRun = false } = flags;
  const selecting = givenFlags({ '--commit': commit, '--uncommitted': flags.uncommitted, '--files': flags.files });
  const [ofLoop] = givenFlags({
    '--fixer': fixer,
    '--max-iterations': flags.maxIterations,
    '--ratchet': flags.ratchet,
  });
  return firstWrong([
    [selecting.length > 1, `${selecting.join(' and ')} cannot be used together.`],
    [base !== undefined && selecting.some((flag) => flag !== '--files'), `--base cannot be used with ${selecting[0]}.`],
    [!untilPass && ofLoop !== undefined, `${ofLoop} works only with --until-pass.`],
    [untilPass && fixer === undefined, '--until-pass needs a fixer: name an agent with --fixer.'],
    [untilPass && commit !== undefined, '--until-pass cannot be used with --commit: a commit cannot be changed.'],
    [untilPass && flags.remote === true, '--until-pass cannot be used with --remote: the fixer works in this folder.'],
    [untilPass && dryRun, '--until-pass cannot be used with --dry-run.'],
    [dryRun && flags.publish === true, '--publish cannot be used with --dry-run: there is no result.'],
    [dryRun && flags.report !== undefined, '--report cannot be used with --dry-run: there is nothing to report.'],
    [flags.verbose === true && flags.quiet === true, '--verbose and --quiet cannot be used together.'],
  ]);
}

/**
 * Returns the reports that `--report` asks for; null without that flag. Loads the code for reports only if it is
 * needed.
 */
async function reportsOf({ report, json = false }: RunFlags, run: RunRequestOptions): Promise<Result<Reports | null>> {
  return report === undefined ? ok(null) : (await import('../reports.ts')).openReports(report, { json, run });
}
