import type { ReviewTrouble, UnusableOutput } from '../../kernel/failure.ts';
import type { RepoPath } from '../../kernel/ids.ts';
import type { Contents } from '../../kernel/repository.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { FinishDecision, QualityEvaluation } from '../decide/finish.ts';
import { outputFiles } from '../quality/tasks.ts';
import { QualityGateError, type ReviewResult, type StepOutputs } from '../quality/types.ts';
import { recordPasses, recordVerdict, sessionName, stepState } from '../session.ts';
import type { Step, StepEnd } from '../types.ts';
import { changeOpenStep, type FinishingStep, type OutputJudge, type WorkflowPorts } from './start.ts';

/** Returns the outputs with paths relative to the root. Each must be a readable regular file inside the root. */
export async function locateOutputs(
  { locate }: Pick<WorkflowPorts, 'locate'>,
  contents: Contents,
  step: Step,
  outputs: StepOutputs,
): Promise<Result<StepOutputs>> {
  const located: [string, string | readonly string[]][] = [];
  for (const [name, value] of Object.entries(outputs)) {
    const paths: string[] = [];
    for (const path of typeof value === 'string' ? [value] : value) {
      const found = path === '' ? null : locate(path);
      const why = path === '' ? 'missing' : found === null ? 'outside' : await unusable(contents, found);
      if (why !== null) return err({ kind: 'unusable-output', step: step.id, name, path, why });
      if (found !== null && !paths.includes(found)) paths.push(found);
    }
    located.push([name, typeof value === 'string' ? (paths[0] ?? value) : paths]);
  }
  return ok(Object.fromEntries(located));
}

async function unusable(contents: Contents, path: RepoPath): Promise<UnusableOutput | null> {
  // Reads no content: the file may be large, and it need not be text.
  const text = await contents.text(path, 0);
  if (text.kind === 'text') return null;
  switch (text.why) {
    case 'missing':
    case 'outside':
      return text.why;
    case 'not-a-file':
      return (await contents.exists(path)) === 'folder' ? 'folder' : 'not-a-file';
    default:
      return 'unreadable';
  }
}

/** Returns the digests of the file contents by path, without unreadable files. */
export async function digestsOf(contents: Contents, outputs: StepOutputs): Promise<ReadonlyMap<string, string>> {
  const paths = [...new Set(outputFiles(outputs).map(({ path }) => path))] as RepoPath[];
  const { files } = await contents.digest(paths);
  return new Map(files.flatMap(({ path, sha256 }) => (sha256 === null ? [] : [[path, sha256] as const])));
}

type EvaluationEnd =
  | { readonly kind: 'verdict'; readonly result: ReviewResult }
  | { readonly kind: 'trouble'; readonly trouble: ReviewTrouble }
  /** Files changed during the evaluation, so the verdict is not about their current content. */
  | { readonly kind: 'changed'; readonly paths: readonly string[] };

/**
 * Runs all evaluations at once. Each pass is stored immediately, so that an error of another evaluation or the end of
 * the process does not lose it.
 */
export async function reviewStep(
  ports: WorkflowPorts,
  finishing: FinishingStep,
  { evaluations, skipped }: Extract<FinishDecision, { kind: 'judge' }>,
): Promise<Result<StepEnd | { readonly kind: 'passed' }>> {
  const { session, step } = finishing;
  const judge = await openJudge(ports, finishing);
  if (!judge.ok) return judge;
  let done = 0;
  ports.progress(0, evaluations.length);
  const results = await Promise.all(
    evaluations.map(async (evaluation) => {
      const end = await evaluateOnce(ports, judge.value, finishing, evaluation);
      ports.progress(++done, evaluations.length);
      return end;
    }),
  );
  const ends: EvaluationEnd[] = [];
  for (const result of results) {
    if (!result.ok) return result;
    ends.push(result.value);
  }
  const changed = ends.flatMap((end) => (end.kind === 'changed' ? end.paths : []));
  if (changed.length > 0) return err({ kind: 'outputs-changed', step: step.id, paths: [...new Set(changed)] });
  const failed = ends.flatMap((end) => (end.kind === 'verdict' && !end.result.passed ? [end.result] : []));
  const errors = ends.flatMap((end) => (end.kind === 'trouble' ? [end.trouble] : []));
  if (failed.length === 0) {
    if (errors.length === 0) return ok({ kind: 'passed' });
    const passed = skipped.length + ends.length - errors.length;
    return err({ kind: 'no-verdict', session: sessionName(session), step: step.id, errors, passed });
  }
  return changeOpenStep(ports.sessions, finishing, (open) => {
    const next = recordVerdict(open, step.id, failed);
    const value: StepEnd = {
      kind: 'failed',
      session: next,
      step: step.id,
      failed,
      errors,
      attempts: stepState(next, step.id)?.attempts ?? 0,
      judged: ends.length - errors.length,
      skipped: skipped.map(({ about }) => about),
      notices: [],
    };
    return { session: next, value };
  });
}

/** Opens the reviewer of a step. */
export function openJudge(ports: WorkflowPorts, finishing: FinishingStep): Promise<Result<OutputJudge>> {
  const { session, step, reviewer } = finishing;
  return ports.judge(reviewer, { job: session.job, session: session.id, step: step.id });
}

async function evaluateOnce(
  ports: WorkflowPorts,
  judge: OutputJudge,
  { session, step, digests, notes }: FinishingStep,
  { review, outputs, about, digest }: QualityEvaluation,
): Promise<Result<EvaluationEnd>> {
  const verdict = await catchGateError(() =>
    judge.evaluate({
      qualityCriteria: review.quality_criteria,
      additionalReviewGuidance: review.additional_review_guidance,
      outputs,
      projectRoot: ports.root,
      notes,
    }),
  );
  if (!verdict.ok) {
    const trouble = { runEach: about.review_run_each, file: about.target_file, said: verdict.said };
    return ok({ kind: 'trouble', trouble });
  }
  const after = await digestsOf(ports.contents(), outputs);
  const paths = outputFiles(outputs).map(({ path }) => path);
  const changed = paths.filter((path) => after.get(path) !== digests.get(path));
  if (changed.length > 0) return ok({ kind: 'changed', paths: changed });
  if (verdict.value.passed) {
    const stored = await ports.sessions.update(session.id, (now) =>
      ok({ session: recordPasses(now, step.id, [digest]), value: null }),
    );
    if (!stored.ok) return stored;
  }
  return ok({ kind: 'verdict', result: { ...verdict.value, ...about } });
}

/** Calls a gate and turns a QualityGateError into a value. */
export async function catchGateError<T>(
  call: () => Promise<T>,
): Promise<{ readonly ok: true; readonly value: T } | { readonly ok: false; readonly said: string }> {
  try {
    return { ok: true, value: await call() };
  } catch (error) {
    if (error instanceof QualityGateError) return { ok: false, said: error.message };
    throw error;
  }
}
