import { usageDocument } from '@onceover/agents/ledger/describe';
import { dispatchBy } from '@onceover/base/kernel/review-loops';
import { describeAgentFailure } from '@onceover/base/ui/describe-agent-failure';
import { describeEarlierRounds } from './describe/end.ts';
import { describeIssueMark, issueDocument, openIssueDocuments } from './describe/issues.ts';
import { describePhaseNotice } from './describe/result.ts';
import type { PhaseDocument } from './json-schema.ts';
import type { PhaseOutcome } from './run-types.ts';
import type { IterationEntry, PhaseRound, RoleReview, RoleReviewError } from './types.ts';

type LoopDocument = PhaseDocument['loops'][number];

/** Returns the JSON document of a phase that has ended or waits for the caller's fix. */
export function phaseDocument(outcome: PhaseOutcome): PhaseDocument {
  const { run, end, open } = outcome;
  const isAccepted = end?.why === 'accepted-with-notes';
  const older = end?.why === 'approved' ? describeEarlierRounds(outcome) : null;
  const roles = run.rounds.flatMap(({ entry }) => [...entry.looks, ...entry.errors].map(({ role }) => role));
  return {
    phase: run.phase,
    feature: run.feature,
    loop_id: run.id,
    status: isAccepted ? 'cap' : (end?.status ?? 'needs_work'),
    end: end?.why ?? null,
    waiting: end === null,
    accepted_with_notes: isAccepted,
    exit_code: outcome.exitCode,
    loops: [...new Set(roles)].map((role) => loopDocument(role, run.rounds)),
    fixes: run.rounds.flatMap(fixDocuments),
    preparations: run.preparations.map(({ usage, ...preparation }) => ({
      ...preparation,
      usage: usageDocument(usage),
    })),
    open_issues: openIssueDocuments(open),
    forbidden_edits: [...(end?.paths ?? [])],
    usage: usageDocument(outcome.usage),
    saved: { ...outcome.saved },
    warnings: [...outcome.notices.map(describePhaseNotice), ...(older === null ? [] : [older])],
  };
}

function loopDocument(role: LoopDocument['role'], rounds: readonly PhaseRound[]): LoopDocument {
  const isOwn = (call: { readonly role: string }) => call.role === role;
  return {
    role,
    iterations: rounds.flatMap(({ entry }) =>
      [...entry.looks, ...entry.errors].filter(isOwn).map((call) => iterationDocument(call, entry)),
    ),
    rested: rounds.flatMap(({ entry }) =>
      entry.skipped
        .filter(isOwn)
        .map(({ passedAt }) => ({ n: entry.iteration, round: entry.round, passed_at: passedAt })),
    ),
  };
}

function iterationDocument(
  call: RoleReview | RoleReviewError,
  entry: IterationEntry,
): LoopDocument['iterations'][number] {
  const answer = 'answer' in call ? call.answer : null;
  return {
    n: entry.iteration,
    round: entry.round,
    final_validation: entry.isFinalValidation,
    agent: call.agent,
    dispatch: dispatchBy(call.template),
    why: call.why,
    prompt_chars: call.spent.promptChars,
    usage: usageDocument(call.spent.usage),
    marks: entry.marks.filter(({ role }) => role === call.role).map(describeIssueMark),
    reviewer_approved: answer?.approved ?? null,
    engine_pass: 'answer' in call && call.enginePass,
    issues: answer?.issues.map(issueDocument) ?? [],
    summary: answer?.summary ?? null,
    error: 'failure' in call ? describeError(call.failure) : null,
  };
}

function describeError(failure: RoleReviewError['failure']): string {
  return failure.kind === 'stopped' ? `stopped: ${failure.by}` : describeAgentFailure(failure);
}

function fixDocuments({ entry, fix }: PhaseRound): PhaseDocument['fixes'] {
  if (fix === null) return [];
  const { turn, summary } = fix;
  return [
    {
      n: entry.iteration,
      round: entry.round,
      by: turn === null && summary !== null ? 'caller' : 'fixer',
      agent: turn?.agent ?? null,
      dispatch: turn === null ? null : dispatchBy(turn.template),
      why: turn?.why ?? null,
      summary,
      prompt_chars: turn?.spent.promptChars ?? 0,
      usage: usageDocument(turn?.spent.usage ?? null),
      marks: fix.marks.map(describeIssueMark),
    },
  ];
}
