import { type PhaseWish, phase, previewPhase } from '../../app.ts';
import type { Failure } from '../../domain/failure.ts';
import { PHASES, type PhaseName } from '../../domain/phase.ts';
import type { PhaseOutcome } from '../../domain/phase-run.ts';
import { done, failed } from '../../domain/result.ts';
import { phaseDocument, phasePlanDocument } from '../../report/phase-document.ts';
import { commandWord } from '../../text/command-word.ts';
import { tellPhase, tellPhaseSoFar } from '../../text/phase.ts';
import { tellPhaseNotice } from '../../text/phase-notice.ts';
import { tellPhasePlan } from '../../text/phase-plan.ts';
import { givenFiles } from '../file-list.ts';
import { interruptible } from '../interrupt.ts';
import { shownOn } from '../looks.ts';
import { answer, answerJson, fail, warn } from '../output.ts';
import { consoleReporter } from '../reporter.ts';
import { readStdin } from '../standard-input.ts';
import { workingDirectory } from '../working-directory.ts';

export type PhaseFlags = {
  readonly fixer?: string;
  readonly step?: boolean;
  readonly summary?: string;
  readonly rerun?: boolean;
  readonly acceptWithNotes?: boolean;
  readonly maxIterations?: number;
  /** False: with --no-commit. */
  readonly commit?: boolean;
  readonly keepSessions?: boolean;
  readonly files?: readonly string[];
  readonly base?: string;
  readonly simplify?: boolean;
  readonly deepenTests?: boolean;
  readonly dryRun?: boolean;
  readonly startedByAgent?: boolean;
  readonly json?: boolean;
};

type Wish = Omit<PhaseWish, 'reporter' | 'stop'>;

export async function phaseCommand(
  name: string | undefined,
  feature: string | undefined,
  flags: PhaseFlags,
): Promise<void> {
  const json = flags.json === true;
  const isPhase = PHASES.some((one) => one === name);
  if (name !== undefined && !isPhase) return fail({ kind: 'unknown-phase', name }, json);
  const wish = await wishOf(name as PhaseName | undefined, feature, flags);
  if ('failure' in wish) return fail(wish.failure, json);
  if (flags.dryRun === true) return tellPlan(wish, json);
  const reporter = await consoleReporter();
  const work = async (stop: AbortSignal) => {
    try {
      return await phase(workingDirectory(), { ...wish, reporter, stop });
    } finally {
      reporter.end();
    }
  };
  const again = commandOf(wish);
  const played = await interruptible(work, json, async (cut) => (cut.ok ? soFar(cut.value, wish, again) : null));
  if (played === 'interrupted') return;
  if (!played.ok) return fail(played.failure, json);
  const outcome = played.value;
  warn(outcome.notices.map(tellPhaseNotice));
  if (json) answerJson(phaseDocument(outcome));
  else answer(tellPhase(outcome, again, shownOn(process.stdout, process.env)));
  process.exitCode = outcome.exitCode;
}

async function tellPlan(wish: Wish, json: boolean): Promise<void> {
  const reporter = { tell() {} };
  const planned = await previewPhase(workingDirectory(), { ...wish, reporter, stop: null });
  if (!planned.ok) return fail(planned.failure, json);
  warn(planned.value.notices.map(tellPhaseNotice));
  if (json) answerJson(phasePlanDocument(planned.value));
  else answer(tellPhasePlan(planned.value, shownOn(process.stdout, process.env)));
}

/** What is told of a phase that Ctrl-C ended. */
function soFar(outcome: PhaseOutcome, { step }: Wish, again: string) {
  return {
    told: `\n${tellPhaseSoFar(outcome, shownOn(process.stderr, process.env))}\n`,
    fields: { so_far: phaseDocument(outcome) },
    words: {
      what: 'Interrupted: what was started has been ended.',
      next: step ? `To go on from there: ${again}` : `To begin anew with what is there now: ${again}`,
    },
  };
}

/** The command that plays it again. */
function commandOf(wish: Wish): string {
  const words = [
    ...['onceover', 'phase', wish.phase, commandWord(wish.feature)],
    ...(wish.fixer === null ? [] : ['--fixer', commandWord(wish.fixer)]),
    ...(wish.step ? ['--step'] : []),
    ...(wish.keepSessions ? ['--keep-sessions'] : []),
    ...(wish.acceptWithNotes ? ['--accept-with-notes'] : []),
    ...(wish.commits ? [] : ['--no-commit']),
    ...(wish.base === null ? [] : ['--base', commandWord(wish.base)]),
    ...(wish.files === null ? [] : ['--files', ...wish.files.names.map(commandWord)]),
  ];
  return words.join(' ');
}

type Wrong = { readonly failure: Failure };

/** What the flags ask for, or why they cannot be meant. */
async function wishOf(
  name: PhaseName | undefined,
  feature: string | undefined,
  flags: PhaseFlags,
): Promise<Wish | Wrong> {
  if (name === undefined) return wrongUsage(`Name a phase: ${PHASES.join(', ')}.`);
  if (feature === undefined) return wrongUsage(`Name the folder of the feature: onceover phase ${name} FOLDER.`);
  const wrong = wrongFlags(name, flags);
  if (wrong !== null) return wrongUsage(wrong);
  const files = flags.files === undefined ? done(null) : await givenFiles(flags.files);
  if (!files.ok) return files;
  if (flags.files !== undefined && (files.value === null || files.value.names.length === 0))
    return wrongUsage('--files names no file.');
  const summary = flags.summary === '-' ? await readStdin(null) : done(flags.summary ?? null);
  if (!summary.ok) return summary;
  if (summary.value?.trim() === '') return wrongUsage('--summary says nothing: tell what was done about the issues.');
  return {
    phase: name,
    feature,
    fixer: flags.fixer ?? null,
    step: flags.step === true,
    summary: summary.value,
    rerun: flags.rerun === true,
    acceptWithNotes: flags.acceptWithNotes === true,
    mostIterations: flags.maxIterations ?? null,
    commits: flags.commit !== false,
    keepSessions: flags.keepSessions === true,
    files: files.value,
    base: flags.base ?? null,
    simplify: flags.simplify === true,
    deepenTests: flags.deepenTests === true,
    startedBy: flags.startedByAgent === true ? 'agent' : 'person',
  };
}

const wrongUsage = (said: string) => failed({ kind: 'wrong-usage', said, command: 'phase' });

/** Why flags cannot be used together, or not in this phase; null: they can. */
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
    [alien !== undefined, `${alien?.[0]} is for implement: the other phases review a document.`],
    [isStep && hasFixer, '--fixer and --step cannot be used together: with --step, whoever calls mends.'],
    [flags.summary !== undefined && !isStep, '--summary is for --step.'],
    [
      flags.keepSessions === true && !isStep,
      '--keep-sessions is for --step: otherwise sessions last as long as the loop.',
    ],
    [
      flags.summary !== undefined && flags.rerun === true,
      '--summary and --rerun cannot be used together: a loop that begins anew has nothing to be told.',
    ],
    [flags.summary !== undefined && flags.dryRun === true, '--summary cannot be used with --dry-run.'],
    [writes !== null && !hasFixer, `${writes} needs an agent that may write: name it with --fixer.`],
  ];
  return rules.find(([isWrong]) => isWrong)?.[1] ?? null;
}
