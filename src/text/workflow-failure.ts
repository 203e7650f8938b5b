import { quoteName, showUnseen } from '../domain/quote-name.ts';
import type { SessionName } from '../domain/workflow.ts';
import type {
  OpenStep,
  RefusedOverride,
  ReviewTrouble,
  UnusableOutput,
  WorkflowFailure,
} from '../domain/workflow-failure.ts';
import { count } from './count.ts';
import { didYouMean } from './did-you-mean.ts';
import { oneLine } from './one-line.ts';
import { quoted } from './quoted.ts';
import type { Told } from './told.ts';
import { cut } from './width.ts';

/** The sentences for a failure that only a workflow can have. */
export function tellWorkflowFailure(failure: WorkflowFailure): Told {
  switch (failure.kind) {
    case 'unknown-job':
      return {
        what: sentence(`There is no job ${quoted(failure.name)}${didYouMean(failure.name, failure.known)}`),
        next:
          failure.known.length === 0
            ? 'Jobs are read from .deepwork/jobs/<job>/job.yml, and there is none.'
            : 'Name one that get_workflows ("onceover workflow list") lists.',
      };
    case 'unknown-workflow':
      return {
        what:
          failure.name === null
            ? `The job ${quoted(failure.job)} has several workflows, and none was named.`
            : `The job ${quoted(failure.job)} has no workflow ${quoted(failure.name)}.`,
        next: `Name one of these: ${failure.known.map(quoteName).join(', ')}.`,
      };
    case 'unknown-session':
      return failure.active.length === 0
        ? {
            what: `There is no session ${quoted(cut(failure.id, LONGEST_ID))}, and no workflow is going on.`,
            next: 'Begin one with start_workflow ("onceover workflow start").',
          }
        : {
            what: `There is no session ${quoted(cut(failure.id, LONGEST_ID))}. These are going on:\n${tellSessions(failure.active)}`,
            next: 'Give the session_id of one of them (--session on the command line).',
          };
    case 'no-active-session':
      return {
        what:
          failure.ended.length === 0
            ? 'No workflow was begun here.'
            : `No workflow is going on here. The last ones have ended:\n${tellSessions(failure.ended)}`,
        next: 'Begin one with start_workflow ("onceover workflow start").',
      };
    case 'which-session':
      return {
        what: `Several workflows are going on, so it must be said which one is meant:\n${tellSessions(failure.active)}`,
        next: 'Give its session_id (--session on the command line); end those that nobody works on with abort_workflow ("onceover workflow abort").',
      };
    case 'session-ended':
      return {
        what: `The session ${tellSession(failure.session)} has ended: it was ${failure.end.kind} at ${failure.end.at}${failure.end.kind === 'aborted' ? ` (${oneLine(failure.end.explanation)})` : ''}.`,
        next: 'Nothing was changed. Begin a new one with start_workflow ("onceover workflow start").',
      };
    case 'unreadable-session':
      return {
        what: `The state of the session ${quoted(cut(failure.id, LONGEST_ID))}, ${quoteName(failure.path)}, is damaged and cannot be read.`,
        next:
          failure.aside === null
            ? 'Nothing was done. Begin the workflow anew with start_workflow ("onceover workflow start"); what was made is still in its files.'
            : `It was put aside as ${quoteName(failure.aside)}. Begin the workflow anew with start_workflow ("onceover workflow start"); what was made is still in its files.`,
      };
    case 'session-outdated':
      return {
        what: `The workflow ${quoted(failure.session.workflow)} of ${quoted(failure.session.job)} has other steps now than when the session ${failure.session.id} was begun.`,
        next: 'Put the steps of job.yml back, or end the session with abort_workflow ("onceover workflow abort") and begin anew.',
      };
    case 'session-busy':
      return {
        what: `Somebody else is writing to the session ${quoted(cut(failure.id, LONGEST_ID))} and does not end.`,
        next: 'Nothing was changed. Try again in a moment.',
      };
    case 'no-such-step':
      return {
        what: `The workflow of session ${tellSession(failure.session)} has no step ${quoted(failure.step)}.`,
        next: failure.open.length === 0 ? 'No step is open.' : `Name one that is open: ${names(failure.open)}.`,
      };
    case 'step-finished':
      return {
        what: `The step ${quoted(failure.step)} of session ${tellSession(failure.session)} was finished already, at ${failure.at}.`,
        next: `Nothing was changed. ${failure.open.length === 0 ? 'No step is open.' : `Go on with what is open: ${names(failure.open)}.`}`,
      };
    case 'step-not-begun':
      return {
        what: `The step ${quoted(failure.step)} of session ${tellSession(failure.session)} has not begun yet: steps before it are not finished.`,
        next: `Finish what is open first: ${names(failure.open)}.`,
      };
    case 'which-step':
      return {
        what: `Several steps of session ${tellSession(failure.session)} are open, and these outputs do not tell which one is finished:\n${failure.open.map(tellOpenStep).join('\n')}`,
        next: 'Give the outputs of one step, or its step_id (--step on the command line).',
      };
    case 'unknown-output':
      return {
        what: sentence(
          `The step ${quoted(failure.step)} of session ${tellSession(failure.session)} has no output ${quoted(failure.name)}${didYouMean(failure.name, failure.known)}`,
        ),
        next:
          failure.known.length === 0
            ? 'It has no outputs at all: finish it without any.'
            : 'Nothing was judged. Give the outputs by the names that the step has for them.',
      };
    case 'missing-outputs':
      return {
        what: `The step ${quoted(failure.step)} cannot be finished without ${failure.names.map(quoted).join(', ')}.`,
        next: 'Nothing was judged. Make what is missing, and name its path.',
      };
    case 'wrong-output-type':
      return tellWrongType(failure);
    case 'unusable-output':
      return {
        what: `${quoteName(failure.path)}, given as ${quoted(failure.name)} of the step ${quoted(failure.step)}, ${UNUSABLE[failure.why].what}.`,
        next: `Nothing was judged. ${UNUSABLE[failure.why].next}`,
      };
    case 'override-refused':
      return {
        what: `A reason to finish ${quoted(failure.step)} without a pass does not count: ${REFUSED[failure.why].what}.`,
        next: REFUSED[failure.why].next,
      };
    case 'no-verdict':
      return {
        what: `${count(failure.errors.length, 'review')} of the step ${quoted(failure.step)} came to no verdict:\n${failure.errors.map((one) => `  ${tellReviewTrouble(one)}`).join('\n')}`,
        next: `This was no attempt${failure.passed === 0 ? '' : `, and ${count(failure.passed, 'review')} that passed ${failure.passed === 1 ? 'is' : 'are'} not done again`}. Put right what is wrong and call finished_step again ("onceover workflow finish").`,
      };
    case 'outputs-changed':
      return {
        what: `These files were changed while they were being reviewed, so the verdict is not about what is there now: ${failure.paths.map(quoteName).join(', ')}.`,
        next: 'This was no attempt. Leave them alone while they are reviewed, and call finished_step again ("onceover workflow finish").',
      };
    case 'reviewer-not-here':
      return {
        what: `${quoteName(failure.name)} is to review, and its program was not found.`,
        next: `Install it ("onceover doctor" says how), ${failure.found.length === 0 ? '' : `name another with --reviewer (${failure.found.map(quoteName).join(', ')}), `}or begin the workflow with --self-review.`,
      };
  }
}

/** A review without a verdict, in one line. */
export function tellReviewTrouble({ runEach, file, said }: ReviewTrouble): string {
  return `${tellReview(runEach, file)}: ${oneLine(said)}`;
}

/** Which review it is: of the whole step, or of a file. */
export function tellReview(runEach: string, file: string | null): string {
  return file === null ? 'all outputs together' : `${quoteName(file)} (${showUnseen(runEach)})`;
}

function tellWrongType({ step, name, expected, given }: Extract<WorkflowFailure, { kind: 'wrong-output-type' }>): Told {
  const output = `The output ${quoted(name)} of the step ${quoted(step)}`;
  if (given === 'none') {
    return { what: `${output} has no files in it.`, next: 'Nothing was judged. Name at least one.' };
  }
  return expected === 'file'
    ? { what: `${output} is one file, and a list was given.`, next: 'Nothing was judged. Give one path.' }
    : {
        what: `${output} is a list of files, and one path was given.`,
        next: 'Nothing was judged. Give a list of paths, also for one file.',
      };
}

const LONGEST_ID = 80;
const LONGEST_GOAL = 60;

const INSIDE = 'Name a plain file inside the repository.';

const UNUSABLE: Readonly<Record<UnusableOutput, Told>> = {
  missing: { what: 'does not exist', next: 'Make it first, or name it by its right path.' },
  folder: { what: 'is a folder', next: 'Name the files in it.' },
  'not-a-file': { what: 'is not a plain file', next: INSIDE },
  outside: { what: 'leads out of the repository', next: INSIDE },
  unreadable: { what: 'cannot be read', next: 'Look at its permissions.' },
};

const WITHOUT_REASON =
  'Call finished_step without quality_review_override_reason ("onceover workflow finish" without --override)';

const REFUSED: Readonly<Record<RefusedOverride, Told>> = {
  empty: { what: 'it is empty', next: 'Say why the outputs are good enough, or leave it out.' },
  'no-reviews': {
    what: 'nothing of it is reviewed',
    next: `${WITHOUT_REASON}.`,
  },
  'not-failed': {
    what: 'no reviewer has found anything in its outputs yet',
    next: `${WITHOUT_REASON}, and have them reviewed first.`,
  },
  'not-instructed': {
    what: 'no review of these outputs by these criteria was asked for yet',
    next: `${WITHOUT_REASON}: it tells how to have them reviewed.`,
  },
};

function names(all: readonly string[]): string {
  return all.map(quoteName).join(', ');
}

function tellOpenStep({ id, outputs }: OpenStep): string {
  return `  ${id}: ${outputs.length === 0 ? 'no outputs' : outputs.map(quoteName).join(', ')}`;
}

function tellSessions(sessions: readonly SessionName[]): string {
  return sessions.map((one) => `  ${tellSession(one)}: ${cut(oneLine(one.goal), LONGEST_GOAL)}`).join('\n');
}

/** A session by its id and what it is about. */
export function tellSession({ id, job, workflow }: SessionName): string {
  return `${id} (${job === workflow ? job : `${job}/${workflow}`})`;
}

function sentence(text: string): string {
  return text.endsWith('?') ? text : `${text}.`;
}
