import { preview, type RunWish, run, runUntilPass } from '../../app.ts';
import type { LoopOutcome } from '../../domain/loop.ts';
import { done, failed, type Result } from '../../domain/result.ts';
import type { RunOutcome } from '../../domain/run.ts';
import { dryRunDocument, runDocument } from '../../report/run-document.ts';
import { tellDryRun } from '../../text/dry-run.ts';
import { tellRun, tellRunNotice } from '../../text/run.ts';
import { givenFiles } from '../file-list.ts';
import { INTERRUPTED, interruptible } from '../interrupt.ts';
import { shownOn } from '../looks.ts';
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
  readonly untilPass?: boolean;
  readonly fixer?: string;
  readonly maxIterations?: number;
  readonly ratchet?: boolean;
  readonly startedByAgent?: boolean;
  readonly json?: boolean;
};

export async function runCommand(paths: readonly string[], flags: RunFlags, runGates = run): Promise<void> {
  const json = flags.json === true;
  const selection = await selectionOf(flags);
  if (!selection.ok) return fail(selection.failure, json);
  const fixing = fixingOf(flags);
  if (fixing !== null && 'said' in fixing) {
    return fail({ kind: 'wrong-usage', said: fixing.said, command: 'run' }, json);
  }
  const reports = await reportsOf(flags);
  if (reports !== null && 'said' in reports) {
    return fail({ kind: 'wrong-usage', said: reports.said, command: 'run' }, json);
  }
  const reporter = await consoleReporter();
  const wish: Omit<RunWish, 'stop'> = {
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
    const planned = await preview(workingDirectory(), { ...wish, stop: null });
    if (!planned.ok) return fail(planned.failure, json);
    const { outcome, plan } = planned.value;
    warn(outcome.notices.map(tellRunNotice));
    if (json) answerJson(dryRunDocument(outcome, plan));
    else answer(tellDryRun(outcome, plan));
    process.exitCode = outcome.exitCode;
    return;
  }
  const work = async (stop: AbortSignal) => {
    try {
      return await runOrFix({ ...wish, stop }, fixing, runGates);
    } finally {
      reporter.end();
    }
  };
  const outcome = await interruptible(work, json, async (cut) => {
    if (!cut.ok || cut.value.loop === null) return null;
    const { loopField, tellStory } = await import('../loop-story.ts');
    return { told: `\n${tellStory(cut.value.loop, process.stderr)}\n`, fields: loopField(cut.value.loop) };
  });
  if (outcome === 'interrupted') return reports?.tellInterrupted(INTERRUPTED);
  if (!outcome.ok) {
    await fail(outcome.failure, json, 'run');
    return reports?.tellFailed(outcome.failure);
  }
  const { ended, loop } = outcome.value;
  const missing = (await reports?.write(ended)) ?? [];
  const isShort = missing.length > 0 && ended.exitCode === 0;
  const told = isShort ? { ...ended, exitCode: 3 as const } : ended;
  warn(told.notices.map(tellRunNotice));
  const story = loop === null ? null : await import('../loop-story.ts');
  if (json) answerJson({ ...runDocument(told, missing), ...story?.loopField(loop) });
  else
    answer(
      [tellRun(told, shownOn(process.stdout, process.env)), ...(story === null ? [] : [story.tellStory(loop)])].join(
        '\n\n',
      ),
    );
  reports?.print(ended);
  process.exitCode = told.exitCode;
}

type Fixing = { readonly fixer: string; readonly mostIterations: number | null; readonly ratchet: boolean };

/** A run, or a loop of runs and fixes. */
async function runOrFix(
  wish: RunWish,
  fixing: Fixing | null,
  runGates: typeof run,
): Promise<Result<{ readonly ended: RunOutcome; readonly loop: LoopOutcome | null }>> {
  if (fixing === null) {
    const ran = await runGates(workingDirectory(), wish);
    return ran.ok ? done({ ended: ran.value, loop: null }) : ran;
  }
  const looped = await runUntilPass(workingDirectory(), { ...wish, ...fixing });
  return looped.ok ? done({ ended: looped.value.run, loop: looped.value }) : looped;
}

/** Who fixes, where that is asked for. */
function fixingOf(flags: RunFlags): Fixing | { readonly said: string } | null {
  const { untilPass, fixer, maxIterations, ratchet, commit, dryRun } = flags;
  if (untilPass !== true) {
    const [first] = [
      ...(fixer === undefined ? [] : ['--fixer']),
      ...(maxIterations === undefined ? [] : ['--max-iterations']),
      ...(ratchet === true ? ['--ratchet'] : []),
    ];
    return first === undefined ? null : { said: `${first} is for --until-pass.` };
  }
  if (fixer === undefined) return { said: '--until-pass needs a fixer: name an agent with --fixer.' };
  if (commit !== undefined) return { said: '--until-pass cannot be used with --commit: a commit cannot be mended.' };
  if (dryRun === true) return { said: '--until-pass cannot be used with --dry-run.' };
  return { fixer, mostIterations: maxIterations ?? null, ratchet: ratchet === true };
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
): Promise<Result<RunWish['selection']>> {
  const given = [
    flags.commit === undefined ? null : '--commit',
    flags.uncommitted === true ? '--uncommitted' : null,
    flags.files === undefined ? null : '--files',
  ].filter((one) => one !== null);
  if (given.length > 1) return wrongUsage(`${given.join(' and ')} cannot be used together.`);
  if (flags.base !== undefined && given.length > 0 && given[0] !== '--files') {
    return wrongUsage(`--base cannot be used with ${given[0]}.`);
  }
  if (flags.commit !== undefined) return done({ kind: 'commit', commit: flags.commit });
  if (flags.uncommitted === true) return done({ kind: 'uncommitted' });
  const base = flags.base ?? null;
  if (flags.files === undefined) return done({ kind: 'change', base });
  const files = await givenFiles(flags.files);
  if (!files.ok) return files;
  return files.value === null || files.value.names.length === 0
    ? wrongUsage('--files names no file.')
    : done({ kind: 'files', files: files.value, base });
}

const wrongUsage = (said: string) => failed({ kind: 'wrong-usage', said, command: 'run' });
