import { closeFence, fence } from '../domain/fence.ts';
import type { RoleIssue } from '../domain/phase.ts';
import { answerSchema } from './answer-schema.ts';
import { type ComposedPrompt, composePrompt } from './compose.ts';
import { listFiles, type ReviewTask } from './loop-fresh.ts';
import { tellIssues } from './loop-issues.ts';
import { requiredArtifacts } from './required-artifacts.ts';

/** What the implementer is given to fix. */
export type LoopFix = { readonly files: readonly string[]; readonly issues: readonly RoleIssue[] };

/** The prompt of the implementer's first fix, and of one whose session is gone (I7, fresh). */
export function freshLoopFixPrompt(
  { role, phase, feature }: ReviewTask,
  { files, issues }: LoopFix,
  isFallback: boolean,
): ComposedPrompt {
  return composePrompt([
    { kind: 'stable', text: 'Fix the following review issues:' },
    { kind: 'stable', text: closeFence(role.rubric) },
    { kind: 'stable', text: closeFence(role.coda ?? '') },
    { kind: 'stable', text: requiredArtifacts(role, phase, feature) },
    { kind: 'stable', text: closeFence(role.checklist ?? '') },
    { kind: 'stable', text: FIX_ANSWER },
    { kind: 'dynamic', text: `## All Implementation Files\n${listFiles(files)}` },
    { kind: 'dynamic', text: `## Issues to Fix\n${tellIssues(issues)}` },
    { kind: 'dynamic', text: isFallback ? '(Fresh dispatch — prior fix session unavailable.)' : '' },
  ]);
}

/** The prompt that the implementer is resumed with (I7, resumed). */
export function resumedLoopFixPrompt(
  opening: string,
  { files, issues }: LoopFix,
  changed: readonly string[],
): ComposedPrompt {
  return composePrompt([
    { kind: 'stable', text: opening },
    {
      kind: 'dynamic',
      text: 'You already have the upstream artifacts and implementation files in context from your previous fix session.',
    },
    { kind: 'dynamic', text: `## New Issues to Fix\n${tellIssues(issues)}` },
    { kind: 'dynamic', text: `## Changed Files to Re-read\n${listFiles(changed)}` },
    { kind: 'dynamic', text: `## All Implementation Files (for reference)\n${listFiles(files)}` },
    { kind: 'dynamic', text: 'Answer as before, with one JSON object.' },
    { kind: 'dynamic', text: 'Fix all listed issues. After fixing, briefly summarize what you changed.' },
  ]);
}

/** How whoever writes answers. */
export const FIX_ANSWER = `## How to answer

When the files are as they should be, answer with one JSON object and nothing after it. Its "summary" says in a few sentences what
you changed and why, and what you left as it is and why. The schema:

${fence(JSON.stringify(answerSchema('fixer')), 'json')}`;
