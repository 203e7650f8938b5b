import type { Notice, TaskDecision } from '../domain/instructions.ts';
import type { Mark, MarkReceipt, RuleFacts, TaskFacts } from '../domain/pass.ts';
import type { ReviewTask } from '../domain/task.ts';
import { checkReviewId } from './review-id.ts';

export type InstructionsPlan = { readonly decisions: readonly TaskDecision[]; readonly notices: readonly Notice[] };

/** A review with its pass, if one is on record, and what it is about today. */
export type Candidate = { readonly task: ReviewTask; readonly facts: TaskFacts; readonly mark: Mark | null };

/** Which reviews are to be done: one that passed and whose files have not changed is not. */
export function decideInstructions(candidates: readonly Candidate[], cache: 'content' | 'strict'): InstructionsPlan {
  const plans = candidates.map((candidate) => decideOne(candidate, cache));
  return { decisions: plans.map((plan) => plan.decision), notices: plans.flatMap((plan) => plan.notices) };
}

function decideOne(
  { task, facts, mark }: Candidate,
  cache: 'content' | 'strict',
): { readonly decision: TaskDecision; readonly notices: readonly Notice[] } {
  if (mark === null) {
    const notices: Notice[] = checkReviewId(task.id) === null ? [] : [{ kind: 'not-cacheable', id: task.id }];
    return { decision: { kind: 'write', task, why: 'not-passed' }, notices };
  }
  if (cache === 'strict' && !(mark.receipt !== null && vouchesFor(mark.receipt, facts))) {
    return { decision: { kind: 'write', task, why: 'pass-does-not-match' }, notices: [] };
  }
  const notices = mark.receipt === null ? [] : changesSince(mark.receipt, facts);
  if (mark.tracked) notices.push({ kind: 'tracked-pass', id: task.id });
  return { decision: { kind: 'skip', task, why: 'unchanged-since-pass' }, notices };
}

/**
 * Whether a run that trusts marks takes this one: instructions, paths and contents must be those that were passed, of which
 * `instructions` only warns. A mark by hand has no receipt, and is taken at its word unless the cache is strict.
 */
export function isTrusted(receipt: MarkReceipt | null, facts: TaskFacts, cache: 'content' | 'strict'): boolean {
  if (receipt === null) return cache === 'content';
  return cache === 'strict' ? vouchesFor(receipt, facts) : isAboutThese(receipt, facts) && isOf(receipt, facts);
}

/** Whether the pass was given for just this: rule source and text, raw paths and contents, context, prompt. */
function vouchesFor(receipt: MarkReceipt, facts: TaskFacts): boolean {
  return (
    receipt.promptVersion === facts.promptVersion &&
    receipt.parts.length === facts.parts.length &&
    isOf(receipt, facts, (then, part) => then.contextDigest === part.contextDigest) &&
    isAboutThese(receipt, facts)
  );
}

/** Whether it was given by the rules of today, with their texts, and whatever else must be the same. */
function isOf(
  receipt: MarkReceipt,
  { parts }: TaskFacts,
  isSame: (then: RuleFacts, part: RuleFacts) => boolean = () => true,
): boolean {
  return parts.every((part) =>
    receipt.parts.some(
      (then) =>
        then.source === part.source &&
        then.rule === part.rule &&
        then.textDigest === part.textDigest &&
        isSame(then, part),
    ),
  );
}

/** Whether it was given for these files, with these contents. */
function isAboutThese(receipt: MarkReceipt, { files }: TaskFacts): boolean {
  return (
    receipt.files.length === files.length &&
    files.every((file) =>
      receipt.files.some((then) => then.path === file.path && then.sha256 === file.sha256 && then.link === file.link),
    )
  );
}

/** What a person should know of a pass that is honoured although the review would be another one today. */
function changesSince(receipt: MarkReceipt, facts: TaskFacts): Notice[] {
  const notices: Notice[] = [];
  for (const part of facts.parts) {
    const then = receipt.parts.find((other) => other.source === part.source && other.rule === part.rule);
    if (then?.textDigest !== part.textDigest) notices.push({ kind: 'older-rule-text', id: facts.id, rule: part.rule });
  }
  for (const file of facts.files) {
    const then = receipt.files.find((other) => other.path === file.path);
    if (then !== undefined && then.link !== file.link) {
      notices.push({ kind: 'link-changed', id: facts.id, path: file.path });
    }
  }
  return notices;
}
