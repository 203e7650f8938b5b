import type { ScopedReview } from '../domain/quality.ts';
import { onOneLine } from './quality-payload.ts';
import { additionalContext, authorNotes, criteriaList, GUIDELINES, REVIEWER_ROLE } from './quality-sections.ts';

/** The reviews of a step as one Markdown document, for a reviewer that has only this. */
export function qualityInstructions(given: {
  readonly reviews: readonly ScopedReview[];
  /** The outputs as a payload without notes. */
  readonly outputs: string;
  /** The folder that paths count from. */
  readonly root: string;
  readonly notes: string | null;
}): string {
  const several = given.reviews.length > 1;
  const reviews = given.reviews.map((review, index) =>
    reviewSection(several ? `Review ${index + 1}: ${scopeOf(review)}` : SINGLE, review),
  );
  const sections = [
    '# Quality Review',
    `${REVIEWER_ROLE} You change nothing.`,
    `## Outputs\n\n${OUTPUTS_LEAD} Paths count from ${onOneLine(given.root)}.\n\n${given.outputs}`,
    ...(reviews.length === 0 ? [`## ${SINGLE}\n\n${criteriaList({})}`] : reviews),
    ...authorNotes(given.notes),
    GUIDELINES,
    TASK,
  ];
  return `${sections.join('\n\n')}\n`;
}

const SINGLE = 'Criteria to Evaluate';
const OUTPUTS_LEAD = 'As they were when this was written: where a file has changed since, the file counts.';

const TASK = `## Task

1. Read the output files.
2. Evaluate every criterion of every review, and where files are to be judged one by one, for each file.
3. Report PASS or FAIL for each criterion, with the file where it is about one.
4. State the overall result: PASS only if ALL criteria pass.
5. Provide feedback for each failure: where it is, what is wrong, and what would put it right.`;

function reviewSection(title: string, scoped: ScopedReview): string {
  const { review } = scoped;
  return [
    `## ${title}`,
    whatToJudge(scoped),
    'Criteria:',
    criteriaList(review.quality_criteria),
    ...additionalContext('###', review.additional_review_guidance),
  ].join('\n\n');
}

function scopeOf({ review, files }: ScopedReview): string {
  return files === null ? 'all outputs together' : `output '${onOneLine(review.run_each)}'`;
}

function whatToJudge(scoped: ScopedReview): string {
  const { files } = scoped;
  if (files === null) return 'Judge all outputs together.';
  if (files.paths.length === 0) return `There are no files of ${scopeOf(scoped)}, so there is nothing to judge here.`;
  const lead = files.each ? `Judge each of these files of ${scopeOf(scoped)} on its own:` : `Judge ${scopeOf(scoped)}:`;
  return `${lead}\n\n${files.paths.map((path) => `- ${onOneLine(path)}`).join('\n')}`;
}
