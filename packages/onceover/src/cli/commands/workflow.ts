import { quoteName } from '@onceover/base/kernel/escape';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { type Styled, wrapTo } from '@onceover/base/ui/style';
import { forLog } from '@onceover/base/ui/terminal';
import { count } from '@onceover/base/ui/wording';
import {
  describeBegunSteps,
  describeSessionState,
  describeStepEnd,
  describeWorkflowStart,
  describeWorkflows,
  stepEndWarnings,
  workflowWarnings,
} from '@onceover/loops/workflows/describe';
import {
  sessionDocument,
  stepEndDocument,
  workflowStartDocument,
  workflowStatusDocument,
  workflowsDocument,
} from '@onceover/loops/workflows/json';
import type { OfferedWorkflows, SessionStatus } from '@onceover/loops/workflows/types';
import { abortWorkflow, finishStep, startWorkflow, workflows } from '../../api.ts';
import { interruptible } from '../interrupt.ts';
import { exitWith, type Flags, finish, workingDirectory, wrongUsage } from '../output.ts';

export async function workflowListCommand({ json = false }: Flags): Promise<void> {
  await finish(await workflows(workingDirectory()), json, {
    warnings: workflowWarnings,
    document: workflowsDocument,
    text: wrappedText((offer, style) => describeWorkflows(offer, 'commands', style)),
  });
}

export async function workflowStartCommand(
  job: string | undefined,
  name: string | undefined,
  options: Flags<'goal' | 'reviewer', 'selfReview'>,
): Promise<void> {
  const { json = false, reviewer = null, selfReview = false } = options;
  const goal = options.goal?.trim() ?? '';
  if (job === undefined) return wrongUsage('workflow', 'Name a job. "onceover workflow list" lists the jobs.', json);
  if (goal === '')
    return wrongUsage(
      'workflow',
      '--goal is missing. Describe what you want to achieve, for example --goal "Compare two designs".',
      json,
    );
  if (selfReview && reviewer !== null) return wrongUsage('workflow', 'Use either --reviewer or --self-review.', json);
  const request = { job, workflow: name ?? null, goal, reviewer, selfReview, startedBy: 'person', stop: null } as const;
  await finish(await startWorkflow(workingDirectory(), request), json, {
    document: (start) => workflowStartDocument(start, 'commands'),
    text: wrappedText((start, style) => describeWorkflowStart(start, 'commands', style)),
  });
}

export async function workflowFinishCommand(
  options: Flags<'notes' | 'override' | 'reviewer' | 'step' | 'session'> & { readonly output?: readonly string[] },
): Promise<void> {
  const { json = false } = options;
  const values = outputsOf(options.output ?? []);
  if (!values.ok) return exitWith(values.failure, json);
  const work = (stop: AbortSignal) =>
    finishStep(workingDirectory(), {
      startedBy: 'person',
      reviewer: options.reviewer ?? null,
      stop,
      progress: printProgress,
      named: options.session ?? null,
      own: null,
      step: options.step ?? null,
      outputs: { values: values.value, typed: false },
      pathsFrom: 'arguments',
      notes: options.notes ?? null,
      override: options.override ?? null,
    });
  await finish(await interruptible(work, json), json, {
    warnings: stepEndWarnings,
    document: (end) => stepEndDocument(end, 'commands'),
    text: wrappedText((end, style) => describeStepEnd(end, 'commands', style)),
    exitCode: ({ kind }) => (kind === 'finished' ? 0 : 1),
  });
}

function printProgress(doneCount: number, of: number): void {
  const line = doneCount === 0 ? `${count(of, 'review')} to run` : `${doneCount} of ${count(of, 'review')} done`;
  process.stderr.write(forLog(`${line}\n`));
}

export async function workflowStatusCommand(options: Flags<'session'>): Promise<void> {
  const { json = false, session } = options;
  const offer = await workflows(workingDirectory());
  if (!offer.ok) return exitWith(offer.failure, json);
  const warnings = workflowWarnings(offer.value);
  await finish(sessionsToShow(offer.value, session), json, {
    warnings: () => warnings,
    document: (sessions) => workflowStatusDocument(sessions, warnings),
    text: wrappedText((sessions, look) =>
      sessions.length === 0
        ? 'No workflow is open. Run "onceover workflow list" to see what you can start.'
        : sessions
            .flatMap((status) => [
              describeSessionState(status, look),
              ...(status.open.length === 0 ? [] : [describeBegunSteps(status.open, 'commands', look)]),
            ])
            .join('\n\n'),
    ),
  });
}

/** Returns the open sessions or, if an id is given, the session with this id. */
function sessionsToShow(
  { sessions, unreadable }: OfferedWorkflows,
  sessionId: string | undefined,
): Result<readonly SessionStatus[]> {
  const active = sessions.filter(({ session }) => session.end === null);
  const selection = sessionId === undefined ? active : sessions.filter(({ session }) => session.id === sessionId);
  if (sessionId === undefined || selection.length > 0) return ok(selection);
  const damagedSession = unreadable.find(({ id }) => id === sessionId);
  if (damagedSession !== undefined) return err({ kind: 'unreadable-session', ...damagedSession, aside: null });
  return err({ kind: 'unknown-session', id: sessionId, active: active.map(({ session }) => session) });
}

export async function workflowAbortCommand(
  explanation: string,
  { json = false, session }: Flags<'session'>,
): Promise<void> {
  const why = explanation.trim();
  if (why === '') return wrongUsage('workflow', 'Give a reason for ending the workflow.', json);
  const abortResult = await abortWorkflow(workingDirectory(), { named: session ?? null, own: null, explanation: why });
  await finish(abortResult, json, {
    document: sessionDocument,
    text: wrappedText((endedSession, style) => describeSessionState({ session: endedSession }, style)),
  });
}

/** Parses arguments of the form `name=path`, and returns the paths of each output by name. */
function outputsOf(args: readonly string[]): Result<Readonly<Record<string, readonly string[]>>> {
  const lists = new Map<string, string[]>();
  for (const arg of args) {
    const [, name, path] = /^([^=]+)=(.*)$/s.exec(arg) ?? [];
    if (name === undefined || path === undefined) {
      const message = `--output ${quoteName(arg)} must have the form name=path: an output and a file.`;
      return err({ kind: 'wrong-usage', said: message, command: 'workflow' });
    }
    lists.set(name, [...(lists.get(name) ?? []), path]);
  }
  return ok(Object.fromEntries(lists));
}

/** Wraps the text that `describe` returns to the width of the terminal. */
function wrappedText<T>(describe: (value: T, shown: Styled) => string): (value: T, shown: Styled) => string {
  return (value, style) => wrapTo(describe(value, style), style);
}
