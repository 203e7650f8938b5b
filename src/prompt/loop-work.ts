import { closeFence, fence } from '../domain/fence.ts';
import type { Role } from '../domain/role.ts';
import { answerSchema } from './answer-schema.ts';
import type { Answers } from './answers.ts';
import { type ComposedPrompt, composePrompt } from './compose.ts';
import { FIX_ANSWER } from './loop-fix.ts';
import { listFiles, type ReviewTask } from './loop-fresh.ts';
import { requiredArtifacts } from './required-artifacts.ts';

/** The one prompt of the code-simplifier. */
export function simplifierPrompt(task: ReviewTask, files: readonly string[]): ComposedPrompt {
  return composePrompt([
    ...opening(task),
    { kind: 'stable', text: FIX_ANSWER },
    { kind: 'dynamic', text: `## Implementation Files\n${listFiles(files)}` },
  ]);
}

/** The one prompt of the test-deepener's first half, which sees no code. */
export function testOutlinePrompt(task: ReviewTask): ComposedPrompt {
  return composePrompt([
    ...opening(task),
    { kind: 'stable', text: OUTLINE_ANSWER },
    { kind: 'dynamic', text: 'Read the documents, then answer with the JSON object described above.' },
  ]);
}

/** The one prompt of its second half, with what the first came to. */
export function testWritingPrompt(
  task: ReviewTask,
  { outlines, summary }: Answers['outline'],
  files: readonly string[],
): ComposedPrompt {
  const text = outlines.map((one, i) => tellOutline(one, i + 1)).join('\n\n');
  return composePrompt([
    ...opening(task),
    { kind: 'stable', text: FIX_ANSWER },
    { kind: 'dynamic', text: `## Implementation Files\n${listFiles(files)}` },
    { kind: 'dynamic', text: `## Test Outlines\n${text === '' ? '(none)' : fence(text)}` },
    { kind: 'dynamic', text: summary.trim() === '' ? '' : `## What was said of them\n${fence(summary)}` },
  ]);
}

function opening({ role, phase, feature }: ReviewTask) {
  const texts = [told(role.rubric), told(role.coda), requiredArtifacts(role, phase, feature), told(role.checklist)];
  return texts.map((text) => ({ kind: 'stable', text }) as const);
}

function told(text: Role['coda']): string {
  return closeFence(text ?? '');
}

function tellOutline(outline: Answers['outline']['outlines'][number], number: number): string {
  return [
    `${number}. ${outline.title}`,
    `given: ${outline.given}`,
    `action: ${outline.action}`,
    `expected: ${outline.expected}`,
    `demanded by: ${outline.source}`,
    ...(outline.catches === undefined ? [] : [`fails for: ${outline.catches}`]),
  ].join('\n');
}

const OUTLINE_ANSWER = `## How to answer

Answer with one JSON object and nothing after it. "outlines" has one entry for each test; "summary" says what you covered and what
the documents leave open. The schema:

${fence(JSON.stringify(answerSchema('outline')), 'json')}`;
