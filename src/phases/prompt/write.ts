import { type Answers, answerSchema } from '../../dispatch/answer-schemas.ts';
import { type ComposedPrompt, composePrompt } from '../../dispatch/prompt.ts';
import { closeFence, fence } from '../../kernel/escape.ts';
import type { RoleIssue } from '../types.ts';
import { requiredArtifacts } from './forms.ts';
import { describeIssues, listFiles, type ReviewTask } from './review.ts';

/** The files and issues that the implementer gets. */
export type LoopFix = { readonly files: readonly string[]; readonly issues: readonly RoleIssue[] };

/** Returns the prompt of a new implementer session (I7, fresh); `isFallback` if an earlier session could not be resumed. */
export function freshLoopFixPrompt(task: ReviewTask, { files, issues }: LoopFix, isFallback: boolean): ComposedPrompt {
  return composePrompt([
    { kind: 'stable', text: 'Fix the following review issues:' },
    ...instructions(task),
    { kind: 'stable', text: FIX_ANSWER },
    { kind: 'dynamic', text: `## All Implementation Files\n${listFiles(files)}` },
    { kind: 'dynamic', text: `## Issues to Fix\n${describeIssues(issues)}` },
    { kind: 'dynamic', text: isFallback ? '(Fresh dispatch — prior fix session unavailable.)' : '' },
  ]);
}

/** Returns the prompt of a resumed implementer session (I7, resumed). */
export function resumedLoopFixPrompt(
  opening: string,
  { files, issues }: LoopFix,
  changed: readonly string[],
): ComposedPrompt {
  const texts = [
    'You already have the upstream artifacts and implementation files in context from your previous fix session.',
    `## New Issues to Fix\n${describeIssues(issues)}`,
    `## Changed Files to Re-read\n${listFiles(changed)}`,
    `## All Implementation Files (for reference)\n${listFiles(files)}`,
    'Answer as before, with one JSON object.',
    'Fix all listed issues. After fixing, briefly summarize what you changed.',
  ];
  return composePrompt([
    { kind: 'stable', text: opening },
    ...texts.map((text) => ({ kind: 'dynamic', text }) as const),
  ]);
}

/** The answer format of every role that writes files. */
const FIX_ANSWER = `## How to answer

When you have finished editing the files, answer with one JSON object and nothing after it. In "summary", say in a few sentences
what you changed and why, and what you left unchanged and why. The schema:

${fence(JSON.stringify(answerSchema('fixer')), 'json')}`;

/** Returns the prompt of the code-simplifier. */
export function simplifierPrompt(task: ReviewTask, files: readonly string[]): ComposedPrompt {
  return composePrompt([
    ...instructions(task),
    { kind: 'stable', text: FIX_ANSWER },
    { kind: 'dynamic', text: `## Implementation Files\n${listFiles(files)}` },
  ]);
}

/** Returns the prompt of the test-deepener's part A, which sees no code. */
export function testOutlinePrompt(task: ReviewTask): ComposedPrompt {
  return composePrompt([
    ...instructions(task),
    { kind: 'stable', text: OUTLINE_ANSWER },
    { kind: 'dynamic', text: 'Read the documents, then answer with the JSON object described above.' },
  ]);
}

/** Returns the prompt of the test-deepener's part B, with the outlines of part A. */
export function testWritingPrompt(
  task: ReviewTask,
  { outlines, summary }: Answers['outline'],
  files: readonly string[],
): ComposedPrompt {
  const text = outlines.map(describeOutline).join('\n\n');
  return composePrompt([
    ...instructions(task),
    { kind: 'stable', text: FIX_ANSWER },
    { kind: 'dynamic', text: `## Implementation Files\n${listFiles(files)}` },
    { kind: 'dynamic', text: `## Test Outlines\n${text === '' ? '(none)' : fence(text)}` },
    { kind: 'dynamic', text: summary.trim() === '' ? '' : `## Summary of the outlines\n${fence(summary)}` },
  ]);
}

function instructions({ role, phase, feature }: ReviewTask) {
  const [rubric, coda, checklist] = [role.rubric, role.coda ?? '', role.checklist ?? ''].map(closeFence);
  const texts = [rubric, coda, requiredArtifacts(role, phase, feature), checklist];
  return texts.map((text = '') => ({ kind: 'stable', text }) as const);
}

function describeOutline(outline: Answers['outline']['outlines'][number], index: number): string {
  return [
    `${index + 1}. ${outline.title}`,
    `given: ${outline.given}`,
    `action: ${outline.action}`,
    `expected: ${outline.expected}`,
    `required by: ${outline.source}`,
    ...(outline.catches === undefined ? [] : [`fails for: ${outline.catches}`]),
  ].join('\n');
}

const OUTLINE_ANSWER = `## How to answer

Answer with one JSON object and nothing after it. "outlines" has one entry per test. "summary" says what you covered and what the
documents leave open. The schema:

${fence(JSON.stringify(answerSchema('outline')), 'json')}`;
