import { QualityGateError, type ReviewResult } from '../domain/quality.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { ReviewTrouble } from '../domain/workflow-failure.ts';
import type { OutputJudge, StepEnd } from '../domain/workflow-outcome.ts';
import type { FinishDecision } from '../plan/decide-finish.ts';
import type { Evaluation } from '../plan/evaluations.ts';
import { outputFiles } from '../plan/quality-tasks.ts';
import { nameOf, rememberPasses, rememberVerdict } from '../plan/workflow-session.ts';
import { digestsOf } from './step-outputs.ts';
import { changeOpenStep } from './workflow.ts';
import { type FinishingStep, stepName, type WorkflowPorts } from './workflow-ports.ts';

type Look =
  | { readonly kind: 'verdict'; readonly result: ReviewResult }
  | { readonly kind: 'trouble'; readonly trouble: ReviewTrouble }
  /** What was looked at is no longer what is there. */
  | { readonly kind: 'changed'; readonly paths: readonly string[] };

/**
 * Has all looks done at once. A pass is remembered as soon as it is given, so that neither another's error nor the end of this
 * process loses it.
 */
export async function judgeStep(
  ports: WorkflowPorts,
  finishing: FinishingStep,
  { evaluations, rests }: Extract<FinishDecision, { kind: 'judge' }>,
): Promise<Result<StepEnd | { readonly kind: 'passed' }>> {
  const { session, step, reviewer } = finishing;
  const judge = await ports.judge(reviewer, stepName(finishing));
  if (!judge.ok) return judge;
  let ended = 0;
  ports.progress(0, evaluations.length);
  const looked = await Promise.all(
    evaluations.map(async (evaluation) => {
      const look = await lookOnce(ports, judge.value, finishing, evaluation);
      ports.progress(++ended, evaluations.length);
      return look;
    }),
  );
  const looks: Look[] = [];
  for (const look of looked) {
    if (!look.ok) return look;
    looks.push(look.value);
  }
  const changed = looks.flatMap((look) => (look.kind === 'changed' ? look.paths : []));
  if (changed.length > 0) return failed({ kind: 'outputs-changed', step: step.id, paths: [...new Set(changed)] });
  const notPassed = looks.flatMap((look) => (look.kind === 'verdict' && !look.result.passed ? [look.result] : []));
  const errors = looks.flatMap((look) => (look.kind === 'trouble' ? [look.trouble] : []));
  if (notPassed.length === 0) {
    if (errors.length === 0) return done({ kind: 'passed' });
    const passed = rests.length + looks.length - errors.length;
    return failed({ kind: 'no-verdict', session: nameOf(session), step: step.id, errors, passed });
  }
  return changeOpenStep(ports.sessions, { id: session.id, step: step.id, reviewer }, (open) => {
    const next = rememberVerdict(open, step.id, notPassed);
    const value: StepEnd = {
      kind: 'failed',
      session: next,
      step: step.id,
      failed: notPassed,
      errors,
      attempts: next.steps.find(({ id }) => id === step.id)?.attempts ?? 0,
      judged: looks.length - errors.length,
      rests: rests.map(({ about }) => about),
      notices: [],
    };
    return { session: next, value };
  });
}

async function lookOnce(
  ports: WorkflowPorts,
  judge: OutputJudge,
  finishing: FinishingStep,
  { review, outputs, about, digest }: Evaluation,
): Promise<Result<Look>> {
  const { session, step, digests, notes } = finishing;
  const verdict = await whatIsSaid(() =>
    judge.evaluate({
      qualityCriteria: review.quality_criteria,
      additionalReviewGuidance: review.additional_review_guidance ?? null,
      outputs,
      projectRoot: ports.root,
      notes,
    }),
  );
  if (!verdict.ok) {
    const trouble = { runEach: about.review_run_each, file: about.target_file, said: verdict.said };
    return done({ kind: 'trouble', trouble });
  }
  const after = await digestsOf(ports.contents(), outputs);
  const paths = outputFiles(outputs).map(({ path }) => path);
  const changed = paths.filter((path) => after.get(path) !== digests.get(path));
  if (changed.length > 0) return done({ kind: 'changed', paths: changed });
  if (verdict.value.passed) {
    const kept = await ports.sessions.update(session.id, (now) =>
      done({ session: rememberPasses(now, step.id, [digest]), value: null }),
    );
    if (!kept.ok) return kept;
  }
  return done({ kind: 'verdict', result: { ...verdict.value, ...about } });
}

/** What a gate answers, or says instead. */
export async function whatIsSaid<T>(
  ask: () => Promise<T>,
): Promise<{ readonly ok: true; readonly value: T } | { readonly ok: false; readonly said: string }> {
  try {
    return { ok: true, value: await ask() };
  } catch (error) {
    if (error instanceof QualityGateError) return { ok: false, said: error.message };
    throw error;
  }
}
