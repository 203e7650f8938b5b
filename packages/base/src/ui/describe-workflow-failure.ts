import { oneLine, quoteName, showInvisible } from '../kernel/escape.ts';
import type {
  RefusedOverride,
  ReviewTrouble,
  SessionName,
  UnusableOutput,
  WorkflowFailure,
} from '../kernel/failure.ts';
import { cut } from './layout.ts';
import { type ByKind, count, didYouMean, type Message, quoted } from './wording.ts';

const START = 'start_workflow ("onceover workflow start")';
const START_ONE = `Start a workflow with ${START}.`;

/** The messages for failures that only a workflow can have, by the kind of the failure. */
export const WORKFLOW_FAILURES: ByKind<WorkflowFailure, Message> = {
  'unknown-job': ({ name, known }) => ({
    what: sentence(`There is no job ${quoted(name)}${didYouMean(name, known)}`),
    next:
      known.length === 0
        ? 'Add a job: onceover reads jobs from .deepwork/jobs/<job>/job.yml, and there is none.'
        : 'Use a job that get_workflows ("onceover workflow list") lists.',
  }),
  'unknown-workflow': ({ job, name, known }) => ({
    what:
      name === null
        ? `The job ${quoted(job)} has several workflows, and the call names none.`
        : `The job ${quoted(job)} has no workflow ${quoted(name)}.`,
    next: `Use one of these workflows: ${names(known)}.`,
  }),
  'unknown-session': ({ id, active }) =>
    active.length === 0
      ? { what: `There is no session ${shortId(id)}, and no workflow is in progress.`, next: START_ONE }
      : {
          what: `There is no session ${shortId(id)}. In progress:\n${describeSessions(active)}`,
          next: 'Pass the session_id of one of these sessions (--session on the command line).',
        },
  'no-active-session': ({ ended }) => ({
    what:
      ended.length === 0
        ? 'No workflow was started here.'
        : `No workflow is in progress here. The last workflows have ended:\n${describeSessions(ended)}`,
    next: START_ONE,
  }),
  'which-session': ({ active }) => ({
    what: `Several workflows are in progress, and the call does not say which one it means:\n${describeSessions(active)}`,
    next: 'Pass the session_id of the workflow (--session on the command line). End abandoned workflows with abort_workflow ("onceover workflow abort").',
  }),
  'session-ended': ({ session, end }) => ({
    what: `The session ${describeSession(session)} has ended: it was ${end.kind} at ${end.at}${end.kind === 'aborted' ? ` (${oneLine(end.explanation)})` : ''}.`,
    next: `Nothing was changed. Start a new session with ${START}.`,
  }),
  'unreadable-session': ({ id, path, aside }) => ({
    what: `The saved state of the session ${shortId(id)}, ${quoteName(path)}, is damaged and cannot be read.`,
    next: `${aside === null ? 'Nothing was changed.' : `It was renamed to ${quoteName(aside)}.`} Start the workflow again with ${START}; the output files still exist.`,
  }),
  'session-outdated': ({ session }) => ({
    what: `The steps of the workflow ${quoted(session.workflow)} of ${quoted(session.job)} changed after the session ${session.id} started.`,
    next: 'Restore the steps in job.yml, or end the session with abort_workflow ("onceover workflow abort") and start again.',
  }),
  'session-busy': ({ id }) => ({
    what: `Another process is still writing to the session ${shortId(id)}.`,
    next: 'Nothing was changed. Try again in a moment.',
  }),
  'no-such-step': ({ session, step, open }) => ({
    what: `The workflow of session ${describeSession(session)} has no step ${quoted(step)}.`,
    next: `Use an open step: ${names(open)}.`,
  }),
  'step-finished': ({ session, step, at, open }) => ({
    what: `The step ${quoted(step)} of session ${describeSession(session)} was finished already, at ${at}.`,
    next: `Nothing was changed. Continue with an open step: ${names(open)}.`,
  }),
  'step-not-begun': ({ session, step, open }) => ({
    what: `The step ${quoted(step)} of session ${describeSession(session)} has not started, because earlier steps are not finished.`,
    next: `Finish the open steps first: ${names(open)}.`,
  }),
  'which-step': ({ session, open }) => ({
    what: `Several steps of session ${describeSession(session)} are open, and these outputs could belong to more than one:\n${open.map(({ id, outputs }) => `  ${id}: ${names(outputs) || 'no outputs'}`).join('\n')}`,
    next: 'Pass the outputs of one step, or its step_id (--step on the command line).',
  }),
  'unknown-output': ({ session, step, name, known }) => ({
    what: sentence(
      `The step ${quoted(step)} of session ${describeSession(session)} has no output ${quoted(name)}${didYouMean(name, known)}`,
    ),
    next:
      known.length === 0
        ? 'It has no outputs: finish it without any.'
        : `${NOT_JUDGED} Use the output names of the step.`,
  }),
  'missing-outputs': ({ step, names: missing }) => ({
    what: `The step ${quoted(step)} cannot be finished without ${missing.map(quoted).join(', ')}.`,
    next: `${NOT_JUDGED} Create the missing output and pass its path.`,
  }),
  'wrong-output-type': ({ step, name, given }) => ({
    what: `The output ${quoted(name)} of the step ${quoted(step)} ${WRONG_TYPE[given].what}.`,
    next: `${NOT_JUDGED} ${WRONG_TYPE[given].next}`,
  }),
  'unusable-output': ({ step, name, path, why }) => ({
    what: `${quoteName(path)}, given as ${quoted(name)} of the step ${quoted(step)}, ${UNUSABLE[why].what}.`,
    next: `${NOT_JUDGED} ${UNUSABLE[why].next}`,
  }),
  'override-refused': ({ step, why }) => ({
    what: `The reason to finish ${quoted(step)} without a pass was not accepted: ${REFUSED[why].what}.`,
    next: REFUSED[why].next,
  }),
  'no-verdict': ({ step, errors, passed }) => ({
    what: `${count(errors.length, 'review')} of the step ${quoted(step)} ended without a verdict:\n${errors.map((error) => `  ${describeReviewTrouble(error)}`).join('\n')}`,
    next: `This call does not count as an attempt${passed === 0 ? '' : `, and ${count(passed, 'passed review')} will not run again`}. Fix the error above and call finished_step again ("onceover workflow finish").`,
  }),
  'outputs-changed': ({ paths }) => ({
    what: `These files changed during their review, so the verdict is not about the current content: ${names(paths)}.`,
    next: 'This call does not count as an attempt. Do not edit files under review, and call finished_step again ("onceover workflow finish").',
  }),
  'reviewer-not-here': ({ name, found }) => ({
    what: `The reviewer ${quoteName(name)} is not installed.`,
    next: `Install the reviewer ("onceover doctor" shows how), ${found.length === 0 ? '' : `choose another with --reviewer (${names(found)}), `}or start the workflow with --self-review.`,
  }),
};

/** Returns one line about a review without a verdict. */
export function describeReviewTrouble(trouble: ReviewTrouble): string {
  return `${describeReviewName(trouble)}: ${oneLine(trouble.message)}`;
}

/** Returns what a review is about: all outputs of a step, or one file. */
export function describeReviewName({ review_run_each, target_file }: Omit<ReviewTrouble, 'message'>): string {
  return target_file === null
    ? 'all outputs together'
    : `${quoteName(target_file)} (${showInvisible(review_run_each)})`;
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

function shortId(id: string): string {
  return quoted(cut(id, 80));
}

function names(nameList: readonly string[]): string {
  return nameList.map(quoteName).join(', ');
}

function describeSessions(sessions: readonly SessionName[]): string {
  return sessions.map((session) => `  ${describeSession(session)}: ${cut(oneLine(session.goal), 60)}`).join('\n');
}

/** Returns the id of a session with its job and workflow. */
export function describeSession({ id, job, workflow }: SessionName): string {
  return `${id} (${job === workflow ? job : `${job}/${workflow}`})`;
}

function sentence(text: string): string {
  return text.endsWith('?') ? text : `${text}.`;
}
