import { preview, type RunWish, run } from '../../app.ts';
import { lockConflictDocument, runDocument } from '../../report/run-document.ts';
import { tellDryRun } from '../../text/dry-run.ts';
import { tellRun, tellRunNotice } from '../../text/run.ts';
import { givenFiles } from '../file-list.ts';
import { INTERRUPTED, interruptible } from '../interrupt.ts';
import { answer, answerJson, fail, warn } from '../output.ts';
import { consoleReporter } from '../reporter.ts';
import type { Reports } from '../reports.ts';
import { workingDirectory } from '../working-directory.ts';

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
  readonly startedByAgent?: boolean;
  readonly json?: boolean;
};

export async function runCommand(paths: readonly string[], flags: RunFlags): Promise<void> {
  const json = flags.json === true;
  const selection = await selectionOf(flags);
  if ('said' in selection) return fail({ kind: 'wrong-usage', said: selection.said, command: 'run' }, json);
  const reports = await reportsOf(flags);
  if (reports !== null && 'said' in reports) {
    return fail({ kind: 'wrong-usage', said: reports.said, command: 'run' }, json);
  }
  const reporter = await consoleReporter();
  const wish: Omit<RunWish, 'stop'> = {
    selection,
    gates: flags.gate ?? [],
    paths,
    force: flags.force === true,
    fresh: flags.fresh === true,
    all: flags.all === true,
    startedBy: flags.startedByAgent === true ? 'agent' : 'person',
    reporter,
  };
  if (flags.dryRun === true) {
    const planned = await preview(workingDirectory(), { ...wish, stop: null });
    if (!planned.ok) return fail(planned.failure, json);
    const { outcome, plan } = planned.value;
    warn(outcome.notices.map(tellRunNotice));
    if (json) answerJson(runDocument(outcome));
    else answer(tellDryRun(outcome, plan));
    process.exitCode = outcome.exitCode;
    return;
  }
  const outcome = await interruptible(async (stop) => {
    try {
      return await run(workingDirectory(), { ...wish, stop });
    } finally {
      reporter.end();
    }
  }, json);
  if (outcome === 'interrupted') return reports?.tellInterrupted(INTERRUPTED);
  if (!outcome.ok) {
    const { failure } = outcome;
    fail(failure, json, failure.kind === 'lock-held' ? lockConflictDocument(failure) : undefined);
    return reports?.tellFailed(failure);
  }
  const missing = (await reports?.write(outcome.value)) ?? [];
  const isShort = missing.length > 0 && outcome.value.exitCode === 0;
  const told = isShort ? { ...outcome.value, exitCode: 3 as const } : outcome.value;
  warn(told.notices.map(tellRunNotice));
  if (json) answerJson(runDocument(told, missing));
  else answer(tellRun(told));
  reports?.print(outcome.value);
  process.exitCode = told.exitCode;
}

/** The code for reports is loaded where one is asked for. */
async function reportsOf({ report, dryRun, json }: RunFlags): Promise<Reports | { readonly said: string } | null> {
  if (report === undefined) return null;
  const { openReports } = await import('../reports.ts');
  return openReports(report, { dryRun: dryRun === true, json: json === true });
}

/** What the flags select; they exclude each other. */
export async function selectionOf(
  flags: Pick<RunFlags, 'base' | 'commit' | 'uncommitted' | 'files'>,
): Promise<RunWish['selection'] | { readonly said: string }> {
  const given = [
    flags.commit === undefined ? null : '--commit',
    flags.uncommitted === true ? '--uncommitted' : null,
    flags.files === undefined ? null : '--files',
  ].filter((one) => one !== null);
  if (given.length > 1) return { said: `${given.join(' and ')} cannot be used together.` };
  if (flags.base !== undefined && given.length > 0 && given[0] !== '--files') {
    return { said: `--base cannot be used with ${given[0]}.` };
  }
  if (flags.commit !== undefined) return { kind: 'commit', commit: flags.commit };
  if (flags.uncommitted === true) return { kind: 'uncommitted' };
  const base = flags.base ?? null;
  if (flags.files === undefined) return { kind: 'change', base };
  const files = await givenFiles(flags.files);
  return files === null || files.names.length === 0
    ? { said: '--files names no file.' }
    : { kind: 'files', files, base };
}
