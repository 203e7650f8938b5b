import { err, ok, type Result } from '@onceover/base/kernel/result';
import { PHASES, type PhaseName } from '@onceover/base/kernel/review-loops';
import { shownOn } from '@onceover/base/ui/terminal';
import { asShellWord } from '@onceover/base/ui/wording';
import { describePhaseEnd } from '@onceover/loops/phases/describe/end';
import {
  describePhase,
  describePhaseNotice,
  describePhasePlan,
  describePhaseSoFar,
} from '@onceover/loops/phases/describe/result';
import { phaseDocument } from '@onceover/loops/phases/json';
import type { PhaseChoices, PhaseOptions, PhaseOutcome } from '@onceover/loops/phases/run-types';
import { consoleReporter } from '@onceover/web/progress/reporter';
import { phase, previewPhase, recordsPage } from '../../api.ts';
import { filesOption, firstWrong, givenFlags, readStdin } from '../input.ts';
import { interruptible } from '../interrupt.ts';
import { exitWith, type Flags, finish, workingDirectory } from '../output.ts';
import type { PageFlags } from '../reports.ts';

type PhaseFlags = Flags<never, 'dryRun' | 'startedByAgent'> &
  PhaseChoices &
  PageFlags & { readonly files?: readonly string[] };

export async function phaseCommand(
  name: string | undefined,
  feature: string | undefined,
  flags: PhaseFlags,
): Promise<void> {
  const { json = false, dryRun = false } = flags;
  const isPhase = PHASES.some((phase) => phase === name);
  if (name !== undefined && !isPhase) return exitWith({ kind: 'unknown-phase', name }, json);
  const requestResult = await requestOf(name as PhaseName | undefined, feature, flags);
  if (!requestResult.ok) return exitWith(requestResult.failure, json);
  const request = requestResult.value;
  const reports = flags.report === undefined ? null : await import('../reports.ts');
  const files = reports?.pageFiles(flags, 'phase') ?? ok([]);
  if (!files.ok) return exitWith(files.failure, json);
  if (dryRun) {
    return finish(await previewPhase(workingDirectory(), request), json, {
      warnings: (plan) => plan.warnings,
      document: (plan) => plan,
      text: describePhasePlan,
    });
  }
  const reporter = await consoleReporter();
  const work = async (stop: AbortSignal) => {
    try {
      return await phase(workingDirectory(), { ...request, reporter, stop });
    } finally {
      reporter.end();
    }
  };
  const again = commandOf(request);
  const phaseResult = await interruptible(work, json, (cut) => (cut.ok ? soFar(cut.value, request, again) : {}));
  const missing =
    reports === null || phaseResult === 'interrupted' || !phaseResult.ok
      ? []
      : await reports.writePages(files.value, await phasePage(phaseResult.value, again));
  await finish(phaseResult, json, {
    warnings: ({ notices }) => notices.map(describePhaseNotice),
    document: phaseDocument,
    text: (outcome, style) => describePhase(outcome, again, style),
    // If a requested report could not be written, a phase that would exit with 0 exits with 3.
    exitCode: ({ exitCode }) => (exitCode === 0 && missing.length > 0 ? 3 : exitCode),
  });
}

/** Returns an HTML page about the phase. */
function phasePage(outcome: PhaseOutcome, again: string) {
  const verdict = [...describePhaseEnd(outcome, again)];
  return recordsPage(workingDirectory(), { page: 'phase', verdict, phase: phaseDocument(outcome) });
}

/** Returns the message and the JSON fields for a phase that Ctrl-C interrupted. */
function soFar(outcome: PhaseOutcome, { step }: PhaseOptions, again: string) {
  return {
    text: `\n${describePhaseSoFar(outcome, shownOn(process.stderr, process.env))}\n`,
    fields: { so_far: phaseDocument(outcome) },
    words: {
      what: 'Interrupted: onceover stopped the phase.',
      next: step === true ? `To continue: ${again}` : `To start again with the current files: ${again}`,
    },
  };
}

/** Returns the command that runs this phase again. */
function commandOf(request: PhaseOptions): string {
  const words = [
    ...['onceover', 'phase', request.phase, asShellWord(request.feature)],
    ...(request.fixer === undefined ? [] : ['--fixer', asShellWord(request.fixer)]),
    ...(request.step === true ? ['--step'] : []),
    ...(request.keepSessions === false ? ['--no-keep-sessions'] : []),
    ...(request.acceptWithNotes === true ? ['--accept-with-notes'] : []),
    ...(request.commit === false ? ['--no-commit'] : []),
    ...(request.base === undefined ? [] : ['--base', asShellWord(request.base)]),
    ...(request.files === null ? [] : ['--files', ...request.files.names.map(asShellWord)]),
  ];
  return words.join(' ');
}

/** Returns the request that the flags describe, or a failure that names the wrong flag. */
async function requestOf(
  name: PhaseName | undefined,
  feature: string | undefined,
  flags: PhaseFlags,
): Promise<Result<PhaseOptions>> {
  if (name === undefined) return wrong(`Name a phase: ${PHASES.join(', ')}.`);
  if (feature === undefined) return wrong(`Name the folder of the feature: onceover phase ${name} FOLDER.`);
  const mistake = wrongFlags(name, flags);
  if (mistake !== null) return wrong(mistake);
  const files = await filesOption(flags.files, 'phase');
  if (!files.ok) return files;
  const summary = flags.summary === '-' ? await readStdin(null) : ok(flags.summary ?? null);
  if (!summary.ok) return summary;
  if (summary.value?.trim() === '') return wrong('--summary is empty: say what you did about the issues.');
  return ok({
    ...flags,
    ...{ phase: name, feature, files: files.value, reporter: { tell() {} }, stop: null },
    ...(summary.value === null ? {} : { summary: summary.value }),
    startedBy: flags.startedByAgent === true ? 'agent' : 'person',
  });
}

const wrong = (message: string) => err({ kind: 'wrong-usage', said: message, command: 'phase' });

/** Returns why these flags cannot be used together or in this phase; null if they can. */
function wrongFlags(name: PhaseName, flags: PhaseFlags): string | null {
  const { step = false, rerun = false, dryRun = false } = flags;
  const [hasFixer, hasSummary] = [flags.fixer !== undefined, flags.summary !== undefined];
  const preparing = { '--simplify': flags.simplify, '--deepen-tests': flags.deepenTests };
  const [writes] = givenFlags(preparing);
  const [ofCode] = givenFlags({ '--files': flags.files, '--base': flags.base, ...preparing });
  return firstWrong([
    [
      name !== 'implement' && ofCode !== undefined,
      `${ofCode} works only with implement: the other phases review a document.`,
    ],
    [step && hasFixer, '--fixer and --step cannot be used together: with --step, you fix the issues yourself.'],
    [hasSummary && !step, '--summary works only with --step.'],
    [
      flags.keepSessions !== undefined && !step,
      '--keep-sessions and --no-keep-sessions work only with --step: otherwise sessions last as long as the loop.',
    ],
    [hasSummary && rerun, '--summary and --rerun cannot be used together: a new loop has no earlier issues.'],
    [hasSummary && dryRun, '--summary cannot be used with --dry-run.'],
    [writes !== undefined && !hasFixer, `${writes} needs an agent that may edit files: name it with --fixer.`],
  ]);
}
