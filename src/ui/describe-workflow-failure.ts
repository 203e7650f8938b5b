import { oneLine, quoteName, showInvisible } from '../kernel/escape.ts';
import type {
  RefusedOverride,
  ReviewTrouble,
  SessionName,
  UnusableOutput,
  WorkflowFailure,
} from '../kernel/failure.ts';
import { cut } from './layout.ts';
import { count, didYouMean, type Message, quoted } from './wording.ts';

const START = 'start_workflow ("onceover workflow start")';

const START_ONE = `Start a workflow with ${START}.`;

/** Returns the message for a failure that only a workflow can have. */
export function describeWorkflowFailure(failure: WorkflowFailure): Message {
  switch (failure.kind) {
    case 'unknown-job':
      return {
        what: sentence(`There is no job ${quoted(failure.name)}${didYouMean(failure.name, failure.known)}`),
        next:
          failure.known.length === 0
            ? 'Add a job: onceover reads jobs from .deepwork/jobs/<job>/job.yml, and there is none.'
            : 'Use a job that get_workflows ("onceover workflow list") lists.',
      };
    case 'unknown-workflow':
      return {
        what:
          failure.name === null
            ? `The job ${quoted(failure.job)} has several workflows, and the call names none.`
            : `The job ${quoted(failure.job)} has no workflow ${quoted(failure.name)}.`,
        next: `Use one of these workflows: ${names(failure.known)}.`,
      };
    case 'unknown-session':
      if (failure.active.length === 0) {
        return { what: `There is no session ${idOf(failure)}, and no workflow is in progress.`, next: START_ONE };
      }
      return {
        what: `There is no session ${idOf(failure)}. In progress:\n${describeSessions(failure.active)}`,
        next: 'Pass the session_id of one of these sessions (--session on the command line).',
      };
    case 'no-active-session':
      if (failure.ended.length === 0) return { what: 'No workflow was started here.', next: START_ONE };
      return {
        what: `No workflow is in progress here. The last workflows have ended:\n${describeSessions(failure.ended)}`,
        next: START_ONE,
      };
    case 'which-session':
      return {
        what: `Several workflows are in progress, and the call does not say which one it means:\n${describeSessions(failure.active)}`,
        next: 'Pass the session_id of the workflow (--session on the command line). End abandoned workflows with abort_workflow ("onceover workflow abort").',
      };
    case 'session-ended':
      return {
        what: `The session ${describeSession(failure.session)} has ended: it was ${failure.end.kind} at ${failure.end.at}${failure.end.kind === 'aborted' ? ` (${oneLine(failure.end.explanation)})` : ''}.`,
        next: `Nothing was changed. Start a new session with ${START}.`,
      };
    case 'unreadable-session':
      return {
        what: `The saved state of the session ${idOf(failure)}, ${quoteName(failure.path)}, is damaged and cannot be read.`,
        next: `${failure.aside === null ? 'Nothing was changed.' : `It was renamed to ${quoteName(failure.aside)}.`} Start the workflow again with ${START}; the output files still exist.`,
      };
    case 'session-outdated':
      return {
        what: `The steps of the workflow ${quoted(failure.session.workflow)} of ${quoted(failure.session.job)} changed after the session ${failure.session.id} started.`,
        next: 'Restore the steps in job.yml, or end the session with abort_workflow ("onceover workflow abort") and start again.',
      };
    case 'session-busy':
      return {
        what: `Another process is still writing to the session ${idOf(failure)}.`,
        next: 'Nothing was changed. Try again in a moment.',
      };
    case 'no-such-step':
      return {
        what: `The workflow of session ${describeSession(failure.session)} has no step ${quoted(failure.step)}.`,
        next: `Use an open step: ${names(failure.open)}.`,
      };
    case 'step-finished':
      return {
        what: `The step ${quoted(failure.step)} of session ${describeSession(failure.session)} was finished already, at ${failure.at}.`,
        next: `Nothing was changed. Continue with an open step: ${names(failure.open)}.`,
      };
    case 'step-not-begun':
      return {
        what: `The step ${quoted(failure.step)} of session ${describeSession(failure.session)} has not started, because earlier steps are not finished.`,
        next: `Finish the open steps first: ${names(failure.open)}.`,
      };
    case 'which-step':
      return {
        what: `Several steps of session ${describeSession(failure.session)} are open, and these outputs could belong to more than one:\n${failure.open.map(({ id, outputs }) => `  ${id}: ${names(outputs) || 'no outputs'}`).join('\n')}`,
        next: 'Pass the outputs of one step, or its step_id (--step on the command line).',
      };
    case 'unknown-output':
      return {
        what: sentence(
          `The step ${quoted(failure.step)} of session ${describeSession(failure.session)} has no output ${quoted(failure.name)}${didYouMean(failure.name, failure.known)}`,
        ),
        next:
          failure.known.length === 0
            ? 'It has no outputs: finish it without any.'
            : `${NOT_JUDGED} Use the output names of the step.`,
      };
    case 'missing-outputs':
      return {
        what: `The step ${quoted(failure.step)} cannot be finished without ${failure.names.map(quoted).join(', ')}.`,
        next: `${NOT_JUDGED} Create the missing output and pass its path.`,
      };
    case 'wrong-output-type':
      return {
        what: `The output ${quoted(failure.name)} of the step ${quoted(failure.step)} ${WRONG_TYPE[failure.given].what}.`,
        next: `${NOT_JUDGED} ${WRONG_TYPE[failure.given].next}`,
      };
    case 'unusable-output':
      return {
        what: `${quoteName(failure.path)}, given as ${quoted(failure.name)} of the step ${quoted(failure.step)}, ${UNUSABLE[failure.why].what}.`,
        next: `${NOT_JUDGED} ${UNUSABLE[failure.why].next}`,
      };
    case 'override-refused':
      return {
        what: `The reason to finish ${quoted(failure.step)} without a pass was not accepted: ${REFUSED[failure.why].what}.`,
        next: REFUSED[failure.why].next,
      };
    case 'no-verdict': {
      const kept = failure.passed === 0 ? '' : `, and ${count(failure.passed, 'passed review')} will not run again`;
      return {
        what: `${count(failure.errors.length, 'review')} of the step ${quoted(failure.step)} ended without a verdict:\n${failure.errors.map((one) => `  ${describeReviewTrouble(one)}`).join('\n')}`,
        next: `This call does not count as an attempt${kept}. Fix the error above and call finished_step again ("onceover workflow finish").`,
      };
    }
    case 'outputs-changed':
      return {
        what: `These files changed during their review, so the verdict is not about the current content: ${names(failure.paths)}.`,
        next: 'This call does not count as an attempt. Do not edit files under review, and call finished_step again ("onceover workflow finish").',
      };
    case 'reviewer-not-here':
      return {
        what: `The reviewer ${quoteName(failure.name)} is not installed.`,
        next: `Install the reviewer ("onceover doctor" shows how), ${failure.found.length === 0 ? '' : `choose another with --reviewer (${names(failure.found)}), `}or start the workflow with --self-review.`,
      };
  }
}

/** Returns one line about a review without a verdict. */
export function describeReviewTrouble({ runEach, file, said }: ReviewTrouble): string {
  return `${describeReview(runEach, file)}: ${oneLine(said)}`;
}

/** Returns the subject of a review: all outputs of a step, or one file. */
export function describeReview(runEach: string, file: string | null): string {
  return file === null ? 'all outputs together' : `${quoteName(file)} (${showInvisible(runEach)})`;
}

const NOT_JUDGED = 'Nothing was judged.';

const WRONG_TYPE: Readonly<Record<'one' | 'several' | 'none', Message>> = {
  one: { what: 'is a list of files, and one path was given', next: 'Pass a list of paths, even for one file.' },
  several: { what: 'is one file, and a list was given', next: 'Pass one path.' },
  none: { what: 'has no files in it', next: 'Pass at least one.' },
};

const INSIDE = 'Use a plain file inside the repository.';

const UNUSABLE: Readonly<Record<UnusableOutput, Message>> = {
  missing: { what: 'does not exist', next: 'Create the file, or correct its path.' },
  folder: { what: 'is a folder', next: 'Name the files in it.' },
  'not-a-file': { what: 'is not a plain file', next: INSIDE },
  outside: { what: 'leads out of the repository', next: INSIDE },
  unreadable: { what: 'cannot be read', next: 'Check its permissions.' },
};

const WITHOUT_REASON =
  'Call finished_step without quality_review_override_reason ("onceover workflow finish" without --override)';

const REFUSED: Readonly<Record<RefusedOverride, Message>> = {
  empty: { what: 'it is empty', next: 'Explain why the outputs are good enough, or omit the reason.' },
  'no-reviews': { what: 'the step has no reviews', next: `${WITHOUT_REASON}.` },
  'not-failed': {
    what: 'you can override only after a reviewer has rejected the outputs',
    next: `${WITHOUT_REASON} to have them reviewed first.`,
  },
  'not-instructed': {
    what: 'no review of these outputs with these criteria was requested yet',
    next: `${WITHOUT_REASON} to get the review instructions.`,
  },
};

function idOf({ id }: { readonly id: string }): string {
  return quoted(cut(id, 80));
}

function names(all: readonly string[]): string {
  return all.map(quoteName).join(', ');
}

function describeSessions(sessions: readonly SessionName[]): string {
  return sessions.map((one) => `  ${describeSession(one)}: ${cut(oneLine(one.goal), 60)}`).join('\n');
}

/** Returns the id of a session with its job and workflow. */
export function describeSession({ id, job, workflow }: SessionName): string {
  return `${id} (${job === workflow ? job : `${job}/${workflow}`})`;
}

function sentence(text: string): string {
  return text.endsWith('?') ? text : `${text}.`;
}
