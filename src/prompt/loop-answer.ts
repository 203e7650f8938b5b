import type { LoopAnswer, LoopIssue } from '../domain/phase.ts';
import type { Answers } from './answers.ts';
import { levelResults } from './loop-verdict.ts';

/** What a loop knows of a reviewer's answer. */
export function toLoopAnswer(answer: Answers['loop']): LoopAnswer {
  const levels = levelResults(answer['levels']);
  return {
    approved: answer.approved,
    issues: answer.issues.map(toIssue),
    summary: answer.summary,
    ...(Object.keys(levels).length === 0 ? {} : { levels }),
  };
}

function toIssue(issue: Answers['loop']['issues'][number]): LoopIssue {
  const { severity, category, description, location, suggestion } = issue;
  const level = typeof issue['level'] === 'string' ? issue['level'] : undefined;
  return { severity, description, level, category, location, suggestion };
}
