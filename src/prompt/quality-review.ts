import { fence } from '../domain/fence.ts';
import type { QualityCriteria } from '../domain/quality.ts';
import { answerSchema } from './answer-schema.ts';
import { additionalContext, authorNotes, criteriaList, GUIDELINES, REVIEWER_ROLE } from './quality-sections.ts';

/** The system prompt of one evaluation; the outputs come as the prompt. */
export function qualitySystemPrompt(given: {
  readonly criteria: QualityCriteria;
  readonly notes: string | null;
  readonly guidance: string | null | undefined;
}): string {
  return [
    '# Quality Review',
    `${REVIEWER_ROLE} You can read the files of the project, and you cannot write.`,
    `## Criteria to Evaluate\n\n${criteriaList(given.criteria)}`,
    ...additionalContext('##', given.guidance),
    ...authorNotes(given.notes),
    GUIDELINES,
    ANSWER,
    `The schema of the answer:\n\n${fence(JSON.stringify(answerSchema('quality')), 'json')}`,
  ].join('\n\n');
}

const ANSWER = `## Answer

Answer with one JSON object, and nothing after it:
- "passed": true only if ALL criteria pass.
- "feedback": what decided the overall result, in a few sentences; where it fails, what has to change.
- "criteria_results": one entry for each criterion, none left out: "criterion", its name exactly as it is written above;
  "passed"; "feedback", what is wrong and what would put it right, or null.`;
