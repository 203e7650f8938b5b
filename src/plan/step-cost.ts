import type { LedgerStep } from '../domain/ledger.ts';
import type { QualityQuestions } from '../domain/quality.ts';
import { addUsage, type Usage } from '../domain/usage.ts';

/** Which step of which working through of a workflow. */
export type StepName = Pick<LedgerStep, 'job' | 'session' | 'step'>;

/** What is written down of an evaluation, in which somebody was asked. */
export function stepEntry(
  { job, session, step }: StepName,
  { dispatches, isAnswered }: QualityQuestions,
  dated: Pick<LedgerStep, 'at' | 'startedBy' | 'branch'>,
): LedgerStep {
  const last = dispatches.at(-1);
  return {
    kind: 'step',
    ...dated,
    durationMs: Math.round(dispatches.reduce((sum, { durationMs }) => sum + durationMs, 0)),
    job,
    session,
    step,
    status: isAnswered ? 'done' : 'error',
    agent: last?.agent ?? '',
    model: last?.model ?? null,
    dispatch: 'fresh',
    asks: dispatches.length,
    usage: dispatches.reduce<Usage | null>((sum, { usage }) => addUsage(sum, usage), null),
  };
}
