import {
  type QualityCli,
  type QualityCriteria,
  QualityGateError,
  type QualityGateResult,
  type ReviewError,
  type ReviewResult,
} from '../domain/quality.ts';
import { parseQualityResult } from '../plan/quality-result.ts';
import { outputFiles, type QualityTask } from '../plan/quality-tasks.ts';
import { qualityTimeoutSeconds } from '../plan/quality-timeout.ts';
import { settleVerdict } from '../plan/quality-verdict.ts';
import { answerSchema } from '../prompt/answer-schema.ts';
import { qualitySystemPrompt } from '../prompt/quality-review.ts';
import { type QualitySubject, qualityPayload, refuseOutside } from './quality-payload.ts';

/** Who judges, and how many files it is shown with their contents. */
export type QualityJudge = { readonly cli: QualityCli | null; readonly mostInline: number };

/** What the outputs are judged by. */
export type QualityMeasure = {
  readonly criteria: QualityCriteria;
  readonly guidance: string | null | undefined;
};

const NOTHING_ASKED = 'No quality criteria defined - auto-passing';

/** One verdict on all the outputs. */
export async function evaluateQuality(
  { cli, mostInline }: QualityJudge,
  { criteria, guidance }: QualityMeasure,
  subject: QualitySubject,
): Promise<QualityGateResult> {
  if (Object.keys(criteria).length === 0) return { passed: true, feedback: NOTHING_ASKED, criteria_results: [] };
  if (cli === null) {
    throw new QualityGateError(
      'There are quality criteria and nobody to evaluate them: give the QualityGate a cli, or build review instructions.',
    );
  }
  const call = {
    systemPrompt: qualitySystemPrompt({ criteria, guidance, notes: subject.notes }),
    prompt: await qualityPayload(subject, mostInline),
    jsonSchema: answerSchema('quality'),
    timeoutSeconds: qualityTimeoutSeconds(outputFiles(subject.outputs).length),
    cwd: subject.root,
  };
  let answer: unknown;
  try {
    answer = await cli.run(call);
  } catch (error) {
    throw new QualityGateError(`The reviewer gave no verdict: ${messageOf(error)}`, { cause: error });
  }
  return settleVerdict(parseQualityResult(answer), criteria);
}

/**
 * All evaluations at once; answers with those that did not pass. Where some come to no verdict, all are waited for, and the
 * error has the verdicts of the others.
 */
export async function evaluateTasks(
  judge: QualityJudge,
  tasks: readonly QualityTask[],
  subject: QualitySubject,
): Promise<ReviewResult[]> {
  // Before anybody is asked: what cannot be judged should cost nothing.
  await refuseOutside(subject);
  const results: ReviewResult[] = [];
  const errors: ReviewError[] = [];
  const ends = await Promise.allSettled(
    tasks.map(({ review, outputs }) =>
      evaluateQuality(
        judge,
        { criteria: review.quality_criteria, guidance: review.additional_review_guidance },
        { ...subject, outputs },
      ),
    ),
  );
  for (const [index, { about }] of tasks.entries()) {
    const end = ends[index];
    if (end?.status === 'fulfilled') results.push({ ...end.value, ...about });
    else errors.push({ ...about, error: asGateError(end?.reason) });
  }
  if (errors.length > 0) throw new QualityGateError(tellErrors(errors, tasks.length), { results, errors });
  return results.filter(({ passed }) => !passed);
}

function asGateError(error: unknown): QualityGateError {
  return error instanceof QualityGateError ? error : new QualityGateError(messageOf(error), { cause: error });
}

function tellErrors(errors: readonly ReviewError[], of: number): string {
  const [first] = errors;
  return `${errors.length} of ${of} evaluations came to no verdict. The first: ${first?.error.message ?? ''}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
