import type { ReviewExplanation } from '../domain/explanation.ts';
import type { MarkReceipt } from '../domain/pass.ts';
import type { Candidate, InstructionsPlan } from './decide-instructions.ts';
import { stemOf } from './review-id.ts';

/** Why the review with this id is done or not; null where nothing is known of it. */
export function explainReview(
  id: string,
  now: { readonly candidates: readonly Candidate[]; readonly plan: InstructionsPlan },
  past: { readonly passed: boolean; readonly receipt: MarkReceipt | null },
): ReviewExplanation | null {
  const decision = now.plan.decisions.find((one) => one.task.id === id);
  const mark = now.candidates.find((candidate) => candidate.task.id === id)?.mark ?? null;
  if (decision?.kind === 'write') return { kind: 'to-do', task: decision.task, why: decision.why, mark };
  if (decision !== undefined && mark !== null) return { kind: 'skipped', task: decision.task, mark };
  const successor = now.candidates.find((candidate) => stemOf(candidate.task.id) === stemOf(id));
  if (successor !== undefined) return { kind: 'changed', id, now: successor.task, ...past };
  return past.passed || past.receipt !== null ? { kind: 'not-asked-for', id, ...past } : null;
}
