import { abortWorkflow, finishStep, startWorkflow, workflows } from '../../api.ts';
import { quoteName } from '../../kernel/escape.ts';
import type { Failure } from '../../kernel/failure.ts';
import { type Styled, wrapTo } from '../../ui/style.ts';
import { forLog, shownOn } from '../../ui/terminal.ts';
import { count } from '../../ui/wording.ts';
import {
  describeBegunSteps,
  describeSessionState,
  describeStepEnd,
  describeWorkflowStart,
  describeWorkflows,
  stepEndWarnings,
  workflowWarnings,
} from '../../workflows/describe.ts';
import {
  sessionDocument,
  stepEndDocument,
  workflowStartDocument,
  workflowStatusDocument,
  workflowsDocument,
} from '../../workflows/json.ts';
import { interruptible } from '../interrupt.ts';
import { exitWith, printJson, printResult, printWarnings, workingDirectory } from '../output.ts';

type Json = { readonly json?: boolean };

export async function workflowListCommand({ json = false }: Json): Promise<void> {
  const found = await workflows(workingDirectory());
  if (!found.ok) return exitWith(found.failure, json);
  printWarnings(workflowWarnings(found.value));
  if (json) return printJson(workflowsDocument(found.value));
  printStyled((shown) => describeWorkflows(found.value, 'commands', shown));
}

export async function workflowStartCommand(
  job: string | undefined,
  name: string | undefined,
  options: Json & { readonly goal?: string; readonly reviewer?: string; readonly selfReview?: boolean },
): Promise<void> {
  const { json = false, reviewer = null, selfReview = false } = options;
  const goal = options.goal?.trim() ?? '';
  if (job === undefined) return exitWith(wrong('Name a job. "onceover workflow list" lists the jobs.'), json);
  if (goal === '') return exitWith(wrong('Describe what you want to achieve with --goal.'), json);
  if (selfReview && reviewer !== null) return exitWith(wrong('Use either --reviewer or --self-review.'), json);
  const request = { job, workflow: name ?? null, goal, reviewer, selfReview, startedBy: 'person', stop: null } as const;
  const started = await startWorkflow(workingDirectory(), request);
  if (!started.ok) return exitWith(started.failure, json);
  if (json) return printJson(workflowStartDocument(started.value, 'commands'));
  printStyled((shown) => describeWorkflowStart(started.value, 'commands', shown));
}

export async function workflowFinishCommand(
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
  if ('said' in values) return exitWith(wrong(values.said), json);
  const work = (stop: AbortSignal) =>
    finishStep(workingDirectory(), {
      startedBy: 'person',
      reviewer: options.reviewer ?? null,
      stop,
      progress: describeProgress,
      named: options.session ?? null,
      own: null,
      step: options.step ?? null,
      outputs: { values: values.lists, typed: false },
      pathsFrom: 'arguments',
      notes: options.notes ?? null,
      override: options.override ?? null,
    });
  const ended = await interruptible(work, json, async () => ({ text: '', fields: {}, words: INTERRUPTED }));
  if (ended === 'interrupted') return;
  if (!ended.ok) return exitWith(ended.failure, json);
  const end = ended.value;
  printWarnings(stepEndWarnings(end));
  if (json) printJson(stepEndDocument(end, 'commands'));
  else printStyled((shown) => describeStepEnd(end, 'commands', shown));
  process.exitCode = end.kind === 'finished' ? 0 : 1;
}

const INTERRUPTED = {
  what: 'Interrupted: onceover stopped the running reviewers. Verdicts that were finished are kept.',
  next: 'Run the same command again to continue.',
};

function describeProgress(ended: number, of: number): void {
  const line = ended === 0 ? `${count(of, 'review')} to run` : `${ended} of ${count(of, 'review')} done`;
  process.stderr.write(forLog(`${line}\n`));
}

export async function workflowStatusCommand(options: Json & { readonly session?: string }): Promise<void> {
  const { json = false, session: named } = options;
  const found = await workflows(workingDirectory());
  if (!found.ok) return exitWith(found.failure, json);
  const { sessions, unreadable } = found.value;
  const active = sessions.filter(({ session }) => session.end === null);
  const shown = named === undefined ? active : sessions.filter(({ session }) => session.id === named);
  if (named !== undefined && shown.length === 0) {
    const damaged = unreadable.find(({ id }) => id === named);
    const names = active.map(({ session }) => session);
    if (damaged !== undefined) return exitWith({ kind: 'unreadable-session', ...damaged, aside: null }, json);
    return exitWith({ kind: 'unknown-session', id: named, active: names }, json);
  }
  const warnings = workflowWarnings(found.value);
  printWarnings(warnings);
  if (json) return printJson(workflowStatusDocument(shown, warnings));
  if (shown.length === 0)
    return printResult('No workflow is open. Run "onceover workflow list" to see what you can start.');
  printStyled((look) =>
    shown
      .flatMap((one) => [
        describeSessionState(one, look),
        ...(one.open.length === 0 ? [] : [describeBegunSteps(one.open, 'commands', look)]),
      ])
      .join('\n\n'),
  );
}

export async function workflowAbortCommand(
  explanation: string,
  { json = false, session }: Json & { readonly session?: string },
): Promise<void> {
  const why = explanation.trim();
  if (why === '') return exitWith(wrong('Give a reason for ending the workflow.'), json);
  const aborted = await abortWorkflow(workingDirectory(), { named: session ?? null, own: null, explanation: why });
  if (!aborted.ok) return exitWith(aborted.failure, json);
  if (json) return printJson(sessionDocument(aborted.value));
  printStyled((shown) => describeSessionState({ session: aborted.value }, shown));
}

/** Returns the paths by output name from `name=path` values, or a sentence about the first wrong value. */
function outputsOf(
  given: readonly string[],
): { readonly lists: Readonly<Record<string, readonly string[]>> } | { readonly said: string } {
  const lists = new Map<string, string[]>();
  for (const one of given) {
    const [, name, path] = /^([^=]+)=(.*)$/s.exec(one) ?? [];
    if (name === undefined || path === undefined) {
      return { said: `--output ${quoteName(one)} must have the form name=path: an output and a file.` };
    }
    lists.set(name, [...(lists.get(name) ?? []), path]);
  }
  return { lists: Object.fromEntries(lists) };
}

function printStyled(describe: (shown: Styled) => string): void {
  const shown = shownOn(process.stdout, process.env);
  const text = describe(shown);
  printResult(wrapTo(text, shown));
}

function wrong(said: string): Failure {
  return { kind: 'wrong-usage', said, command: 'workflow' };
}
