import { phase, previewPhase } from '../../api.ts';
import type { Failure } from '../../kernel/failure.ts';
import { err, ok } from '../../kernel/result.ts';
import { PHASES, type PhaseName } from '../../kernel/review-loops.ts';
import {
  describePhase,
  describePhaseNotice,
  describePhasePlan,
  describePhaseSoFar,
} from '../../phases/describe/result.ts';
import { phaseDocument } from '../../phases/json.ts';
import type { PhaseChoices, PhaseOptions, PhaseOutcome } from '../../phases/run-types.ts';
import { consoleReporter } from '../../progress/reporter.ts';
import { shownOn } from '../../ui/terminal.ts';
import { asShellWord } from '../../ui/wording.ts';
import { givenFiles, readStdin } from '../input.ts';
import { interruptible } from '../interrupt.ts';
import { exitWith, printJson, printResult, printWarnings, workingDirectory } from '../output.ts';

export type PhaseFlags = PhaseChoices & {
  readonly files?: readonly string[];
  readonly dryRun?: boolean;
  readonly startedByAgent?: boolean;
  readonly json?: boolean;
};

type Request = Omit<PhaseOptions, 'reporter' | 'stop'>;

export async function phaseCommand(
  name: string | undefined,
  feature: string | undefined,
  flags: PhaseFlags,
): Promise<void> {
  const json = flags.json === true;
  const isPhase = PHASES.some((one) => one === name);
  if (name !== undefined && !isPhase) return exitWith({ kind: 'unknown-phase', name }, json);
  const request = await requestOf(name as PhaseName | undefined, feature, flags);
  if ('failure' in request) return exitWith(request.failure, json);
  if (flags.dryRun === true) return describePlan(request, json);
  const reporter = await consoleReporter();
  const work = async (stop: AbortSignal) => {
    try {
      return await phase(workingDirectory(), { ...request, reporter, stop });
    } finally {
      reporter.end();
    }
  };
  const again = commandOf(request);
  const played = await interruptible(work, json, async (cut) => (cut.ok ? soFar(cut.value, request, again) : null));
  if (played === 'interrupted') return;
  if (!played.ok) return exitWith(played.failure, json);
  const outcome = played.value;
  printWarnings(outcome.notices.map(describePhaseNotice));
  if (json) printJson(phaseDocument(outcome));
  else printResult(describePhase(outcome, again, shownOn(process.stdout, process.env)));
  process.exitCode = outcome.exitCode;
}

async function describePlan(request: Request, json: boolean): Promise<void> {
  const reporter = { tell() {} };
  const planned = await previewPhase(workingDirectory(), { ...request, reporter, stop: null });
  if (!planned.ok) return exitWith(planned.failure, json);
  printWarnings(planned.value.warnings);
  if (json) printJson(planned.value);
  else printResult(describePhasePlan(planned.value, shownOn(process.stdout, process.env)));
}

/** Returns the message and the JSON fields of a phase that Ctrl-C interrupted. */
function soFar(outcome: PhaseOutcome, { step }: Request, again: string) {
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
function commandOf(request: Request): string {
  const words = [
    ...['onceover', 'phase', request.phase, asShellWord(request.feature)],
    ...(request.fixer === undefined ? [] : ['--fixer', asShellWord(request.fixer)]),
    ...(request.step === true ? ['--step'] : []),
    ...(request.keepSessions === true ? ['--keep-sessions'] : []),
    ...(request.acceptWithNotes === true ? ['--accept-with-notes'] : []),
    ...(request.commit === false ? ['--no-commit'] : []),
    ...(request.base === undefined ? [] : ['--base', asShellWord(request.base)]),
    ...(request.files === null ? [] : ['--files', ...request.files.names.map(asShellWord)]),
  ];
  return words.join(' ');
}

type Wrong = { readonly failure: Failure };

/** Returns the request that the flags describe, or a failure that says which flag is wrong. */
async function requestOf(
  name: PhaseName | undefined,
  feature: string | undefined,
  flags: PhaseFlags,
): Promise<Request | Wrong> {
  if (name === undefined) return wrongUsage(`Name a phase: ${PHASES.join(', ')}.`);
  if (feature === undefined) return wrongUsage(`Name the folder of the feature: onceover phase ${name} FOLDER.`);
  const wrong = wrongFlags(name, flags);
  if (wrong !== null) return wrongUsage(wrong);
  const files = flags.files === undefined ? ok(null) : await givenFiles(flags.files);
  if (!files.ok) return files;
  if (flags.files !== undefined && (files.value === null || files.value.names.length === 0))
    return wrongUsage('--files names no file.');
  const summary = flags.summary === '-' ? await readStdin(null) : ok(flags.summary ?? null);
  if (!summary.ok) return summary;
  if (summary.value?.trim() === '') return wrongUsage('--summary is empty: say what you did about the issues.');
  return {
    ...flags,
    phase: name,
    feature,
    ...(summary.value === null ? {} : { summary: summary.value }),
    files: files.value,
    startedBy: flags.startedByAgent === true ? 'agent' : 'person',
  };
}

const wrongUsage = (said: string) => err({ kind: 'wrong-usage', said, command: 'phase' });

/** Returns why the flags cannot be used together or in this phase; null if they can. */
function wrongFlags(name: PhaseName, flags: PhaseFlags): string | null {
  const isStep = flags.step === true;
  const hasFixer = flags.fixer !== undefined;
  const ofCode: readonly (readonly [string, boolean])[] = [
    ['--files', flags.files !== undefined],
    ['--base', flags.base !== undefined],
    ['--simplify', flags.simplify === true],
    ['--deepen-tests', flags.deepenTests === true],
  ];
  const [alien] = name === 'implement' ? [] : ofCode.filter(([, isGiven]) => isGiven);
  const writes = flags.simplify === true ? '--simplify' : flags.deepenTests === true ? '--deepen-tests' : null;
  const rules: readonly (readonly [boolean, string])[] = [
    [alien !== undefined, `${alien?.[0]} works only with implement: the other phases review a document.`],
    [isStep && hasFixer, '--fixer and --step cannot be used together: with --step, you fix the issues yourself.'],
    [flags.summary !== undefined && !isStep, '--summary works only with --step.'],
    [
      flags.keepSessions === true && !isStep,
      '--keep-sessions works only with --step: otherwise sessions last as long as the loop.',
    ],
    [
      flags.summary !== undefined && flags.rerun === true,
      '--summary and --rerun cannot be used together: a new loop has no earlier issues.',
    ],
    [flags.summary !== undefined && flags.dryRun === true, '--summary cannot be used with --dry-run.'],
    [writes !== null && !hasFixer, `${writes} needs an agent that may edit files: name it with --fixer.`],
  ];
  return rules.find(([isWrong]) => isWrong)?.[1] ?? null;
}
