import { oneLine, showInvisible } from '../../kernel/escape.ts';
import type { SessionId } from '../../kernel/ids.ts';
import { cells, padCells, wrap } from '../../ui/layout.ts';
import { type Styled, UNSTYLED } from '../../ui/style.ts';
import { commandPrefix, someNames } from '../../ui/wording.ts';
import { type BegunInput, type BegunStep, type Step, WHOLE_STEP } from '../types.ts';

/** The reader of a text: an agent that calls MCP tools, or a person who runs commands. */
export type Calls = 'tools' | 'commands';

/** How each reader finishes a step, and gives a reason to finish it without a passed review. */
export const CALLS = {
  tools: { finish: 'finished_step', override: 'quality_review_override_reason' },
  commands: { finish: '"onceover workflow finish"', override: '--override "why"' },
} as const;

/** Returns the call that finishes a step. `alone`: no other step is open, so the call need not name the step. */
function callToFinish(
  calls: Calls,
  given: { readonly session: SessionId; readonly step: Step; readonly alone: boolean },
): string {
  const { session, step, alone } = given;
  if (calls === 'tools') {
    const outputs = step.outputs.map(
      ({ name, type, required }) =>
        `${JSON.stringify(name)}: ${type === 'file' ? '"path"' : '["path", …]'}${required ? '' : ' (optional)'}`,
    );
    const named = alone ? '' : `, step_id "${step.id}"`;
    return `finished_step with session_id "${session}"${named} and outputs {${outputs.join(', ')}}`;
  }
  const outputs = step.outputs.map(({ name, type, required }) => {
    const option = `--output ${commandPrefix(`${name}=PATH`)}${type === 'files' ? ' …' : ''}`;
    return required ? option : `[${option}]`;
  });
  const named = alone ? [] : [`--step ${step.id}`];
  return ['onceover workflow finish', `--session ${session}`, ...named, ...outputs].join(' ');
}

/** Returns for each step to do: instructions, inputs, outputs, reviews, and the call that finishes it. */
export function describeBegunSteps(begun: readonly BegunStep[], calls: Calls, shown: Styled = UNSTYLED): string {
  const alone = begun.length < 2;
  const steps = begun.map((one) => describeBegunStep(one, { calls, shown, alone }));
  if (alone) return steps.join('');
  const ids = begun.map(({ step }) => step.id).join(', ');
  return [`You can do these steps in parallel, for example with sub-agents: ${ids}.`, ...steps].join('\n\n');
}

/** Returns only the call that finishes each step, for a reader that has the other fields of the document. */
export function describeHowToFinish(begun: readonly BegunStep[], calls: Calls): string {
  const alone = begun.length === 1;
  return begun
    .map(({ session, step }) => `When ${step.id} is done: ${callToFinish(calls, { session: session.id, step, alone })}`)
    .join('\n');
}

function describeBegunStep(
  { session, step, job, inputs }: BegunStep,
  { calls, shown, alone }: { readonly calls: Calls; readonly shown: Styled; readonly alone: boolean },
): string {
  const section = (title: string, text: string, gap = '\n') =>
    text === '' ? [] : [`${shown.paint('strong', title)}${gap}${text}`];
  return [
    ...section(`Step ${step.id}: ${oneLine(step.name)}`, oneLine(step.description)),
    `Goal: ${oneLine(session.goal)}`,
    ...section('For all steps', asWritten(job.commonInfo, shown), '\n\n'),
    ...section(`Instructions (${step.instructionsFile})`, asWritten(step.instructions, shown), '\n\n'),
    ...section('Inputs', columns(inputs.map(inputLine))),
    ...section('Outputs', columns(step.outputs.map(outputLine))),
    ...section('Reviews that must pass', describeReviews(step)),
    `When the step is done:\n  ${callToFinish(calls, { session: session.id, step, alone })}`,
  ].join('\n\n');
}

type Line = readonly [name: string, text: string];

function inputLine(input: BegunInput): Line {
  if (input.kind === 'user') return [oneLine(input.name), `ask the user: ${oneLine(input.description)}`];
  const paths = input.paths.length === 0 ? 'not provided' : someNames(input.paths);
  return [oneLine(input.output), `${paths} (from ${input.fromStep})`];
}

function outputLine({ name, type, description, required }: Step['outputs'][number]): Line {
  const kind = `${type === 'file' ? 'a file' : 'files'}${required ? '' : ', optional'}`;
  return [oneLine(name), `${kind}: ${oneLine(description)}`];
}

function describeReviews({ reviews, outputs }: Step): string {
  return reviews
    .flatMap(({ run_each, quality_criteria, additional_review_guidance: guidance }) => {
      const isFile = outputs.some(({ name, type }) => name === run_each && type === 'file');
      const scope = isFile ? oneLine(run_each) : `each file of ${oneLine(run_each)}`;
      return [
        `  ${run_each === WHOLE_STEP ? 'all outputs together' : scope}`,
        ...Object.entries(quality_criteria).map(([name, question]) => `    ${oneLine(name)}: ${oneLine(question)}`),
        ...(guidance == null ? [] : [`    (${oneLine(guidance)})`]),
      ];
    })
    .join('\n');
}

function columns(lines: readonly Line[]): string {
  const width = Math.min(20, Math.max(...lines.map(([name]) => cells(name))));
  return lines.map(([name, text]) => `  ${padCells(name, width)}  ${text}`).join('\n');
}

/** Returns the text of the job's author line by line, with control characters made visible. */
function asWritten(text: string, { width }: Styled): string {
  const lines = text
    .trim()
    .split(/\r?\n/)
    .map((line) => showInvisible(line.replaceAll('\t', '  ')));
  if (width === null) return lines.join('\n');
  return lines.map((line) => wrap(line, width, /^\s*(?:[-*+]|\d+[.)])\s/.test(line) ? 2 : 0)).join('\n');
}
