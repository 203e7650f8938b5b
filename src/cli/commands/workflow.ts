import { abortWorkflow, finishStep, startWorkflow, workflows } from '../../app.ts';
import type { Failure } from '../../domain/failure.ts';
import { quoteName } from '../../domain/quote-name.ts';
import {
  sessionDocument,
  stepEndDocument,
  workflowStartDocument,
  workflowStatusDocument,
  workflowsDocument,
} from '../../report/workflow-document.ts';
import { count } from '../../text/count.ts';
import { fitted, type Shown } from '../../text/shown.ts';
import { tellStepEnd, tellWorkflowStart } from '../../text/workflow-end.ts';
import { tellWorkflowNotice } from '../../text/workflow-notice.ts';
import { tellAborted, tellStanding, tellWorkflows, workflowWarnings } from '../../text/workflows.ts';
import { interruptible } from '../interrupt.ts';
import { shownOn } from '../looks.ts';
import { answer, answerJson, fail, forLog, warn } from '../output.ts';
import { workingDirectory } from '../working-directory.ts';

type Json = { readonly json?: boolean };

export async function listCommand({ json = false }: Json): Promise<void> {
  const found = await workflows(workingDirectory());
  if (!found.ok) return fail(found.failure, json);
  warn(workflowWarnings(found.value));
  if (json) return answerJson(workflowsDocument(found.value));
  answerShown((shown) => tellWorkflows(found.value, 'commands', shown));
}

export async function startCommand(
  job: string | undefined,
  name: string | undefined,
  options: Json & { readonly goal?: string; readonly reviewer?: string; readonly selfReview?: boolean },
): Promise<void> {
  const { json = false, reviewer = null, selfReview = false } = options;
  const goal = options.goal?.trim() ?? '';
  if (job === undefined) return fail(wrong('Name a job: "onceover workflow list" lists them.'), json);
  if (goal === '') return fail(wrong('Say with --goal what it is done for.'), json);
  if (selfReview && reviewer !== null) return fail(wrong('Say either --reviewer or --self-review.'), json);
  const wish = { job, workflow: name ?? null, goal, reviewer, selfReview, ...PERSON };
  const started = await startWorkflow(workingDirectory(), wish);
  if (!started.ok) return fail(started.failure, json);
  if (json) return answerJson(workflowStartDocument(started.value, 'commands'));
  answerShown((shown) => tellWorkflowStart(started.value, 'commands', shown));
}

const PERSON = { startedBy: 'person', stop: null, progress() {} } as const;

export async function finishCommand(
  options: Json & {
    readonly output?: readonly string[];
    readonly notes?: string;
    readonly override?: string;
    readonly reviewer?: string;
    readonly step?: string;
    readonly session?: string;
  },
): Promise<void> {
  const { json = false } = options;
  const values = outputsOf(options.output ?? []);
  if ('said' in values) return fail(wrong(values.said), json);
  const work = (stop: AbortSignal) =>
    finishStep(workingDirectory(), {
      startedBy: 'person',
      reviewer: options.reviewer ?? null,
      stop,
      progress: tellProgress,
      named: options.session ?? null,
      own: null,
      step: options.step ?? null,
      outputs: { values: values.lists, typed: false },
      pathsFrom: 'arguments',
      notes: options.notes ?? null,
      override: options.override ?? null,
    });
  const ended = await interruptible(work, json, async () => ({ told: '', fields: {}, words: INTERRUPTED }));
  if (ended === 'interrupted') return;
  if (!ended.ok) return fail(ended.failure, json);
  const end = ended.value;
  warn(end.notices.map(tellWorkflowNotice));
  if (json) answerJson(stepEndDocument(end, 'commands'));
  else answerShown((shown) => tellStepEnd(end, 'commands', shown));
  process.exitCode = end.kind === 'finished' ? 0 : 1;
}

const INTERRUPTED = {
  what: 'Interrupted: reviewers that were at work have been ended, and what had passed by then is kept.',
  next: 'To go on from there, run the same command again.',
};

function tellProgress(ended: number, of: number): void {
  const line = ended === 0 ? `${count(of, 'review')} to be done` : `${ended} of ${count(of, 'review')} done`;
  process.stderr.write(forLog(`${line}\n`));
}

export async function statusCommand(options: Json & { readonly session?: string }): Promise<void> {
  const { json = false, session: named } = options;
  const found = await workflows(workingDirectory());
  if (!found.ok) return fail(found.failure, json);
  const { sessions, unreadable } = found.value;
  const active = sessions.filter(({ session }) => session.end === null);
  const shown = named === undefined ? active : sessions.filter(({ session }) => session.id === named);
  if (named !== undefined && shown.length === 0) {
    const damaged = unreadable.find(({ id }) => id === named);
    const names = active.map(({ session }) => session);
    if (damaged !== undefined) return fail({ kind: 'unreadable-session', ...damaged, aside: null }, json);
    return fail({ kind: 'unknown-session', id: named, active: names }, json);
  }
  const warnings = workflowWarnings(found.value);
  warn(warnings);
  if (json) return answerJson(workflowStatusDocument(shown, warnings));
  if (shown.length === 0) return answer('No workflow is going on. "onceover workflow list" lists what can be begun.');
  answerShown((look) => tellStanding(shown, 'commands', look));
}

export async function abortCommand(
  explanation: string,
  { json = false, session }: Json & { readonly session?: string },
): Promise<void> {
  const why = explanation.trim();
  if (why === '') return fail(wrong('Say why it is not gone on with.'), json);
  const aborted = await abortWorkflow(workingDirectory(), { named: session ?? null, own: null, explanation: why });
  if (!aborted.ok) return fail(aborted.failure, json);
  if (json) return answerJson(sessionDocument(aborted.value));
  answerShown((shown) => tellAborted(aborted.value, shown));
}

/** Lists of paths by the names of outputs, from `name=path` each. */
function outputsOf(
  given: readonly string[],
): { readonly lists: Readonly<Record<string, readonly string[]>> } | { readonly said: string } {
  const lists = new Map<string, string[]>();
  for (const one of given) {
    const [, name, path] = /^([^=]+)=(.*)$/s.exec(one) ?? [];
    if (name === undefined || path === undefined) {
      return { said: `--output ${quoteName(one)} is not name=path: the name of an output, and a file.` };
    }
    lists.set(name, [...(lists.get(name) ?? []), path]);
  }
  return { lists: Object.fromEntries(lists) };
}

function answerShown(tell: (shown: Shown) => string): void {
  const shown = shownOn(process.stdout, process.env);
  const text = tell(shown);
  answer(fitted(text, shown));
}

function wrong(said: string): Failure {
  return { kind: 'wrong-usage', said, command: 'workflow' };
}
