import type * as z from 'zod';
import { dispatchBy, type PhaseRole, type Preparation } from '../kernel/review-loops.ts';
import { usageDocument } from '../ledger/describe.ts';
import { describeAgentFailure } from '../ui/describe-agent-failure.ts';
import { describeEarlierRounds } from './describe/end.ts';
import { describeIssueMark, mostSevereFirst } from './describe/issues.ts';
import { describePhaseNotice } from './describe/result.ts';
import type { phasePlanSchema, phaseSchema } from './json-schema.ts';
import type { PhaseOutcome, PhasePlan, PhaseRound } from './run-types.ts';
import type { IterationEntry, LoopIssue, PhaseMark, RoleReview, RoleReviewError } from './types.ts';

/** The document of `phase --json`. */
export type PhaseDocument = z.output<typeof phaseSchema>;

/** The document of `phase --dry-run --json`. */
export type PhasePlanDocument = z.output<typeof phasePlanSchema>;

type LoopDocument = PhaseDocument['loops'][number];

/** Returns the document of a phase that has ended or waits for a fix. */
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
    preparations: run.preparations.flatMap(({ role, usage, ...one }) =>
      isPreparing(role) ? [{ role, ...one, usage: usageDocument(usage) }] : [],
    ),
    open_issues: mostSevereFirst(open).map(openIssueDocument),
    forbidden_edits: [...(end?.paths ?? [])],
    usage: usageDocument(outcome.usage),
    saved: { ...outcome.saved },
    warnings: [...outcome.notices.map(describePhaseNotice), ...(older === null ? [] : [older])],
  };
}

function isPreparing(role: PhaseRole): role is Preparation['role'] {
  return role === 'code-simplifier' || role === 'test-deepener';
}

function loopDocument(role: LoopDocument['role'], rounds: readonly PhaseRound[]): LoopDocument {
  return {
    role,
    iterations: rounds.flatMap(({ entry }) => [
      ...entry.looks.filter((look) => look.role === role).map((look) => lookDocument(look, entry)),
      ...entry.errors.filter((error) => error.role === role).map((error) => errorDocument(error, entry)),
    ]),
    rested: rounds.flatMap(({ entry }) =>
      entry.skipped
        .filter((one) => one.role === role)
        .map(({ passedAt }) => ({ n: entry.iteration, round: entry.round, passed_at: passedAt })),
    ),
  };
}

function lookDocument(look: RoleReview, entry: IterationEntry): LoopDocument['iterations'][number] {
  return {
    ...callDocument(look, look.why, entry),
    reviewer_approved: look.reviewerApproved,
    engine_pass: look.enginePass,
    issues: look.answer.issues.map(issueDocument),
    summary: look.answer.summary,
    error: null,
  };
}

function errorDocument(error: RoleReviewError, entry: IterationEntry): LoopDocument['iterations'][number] {
  return {
    ...callDocument(error, error.dispatch, entry),
    reviewer_approved: null,
    engine_pass: false,
    issues: [],
    summary: null,
    error: error.why.kind === 'stopped' ? `stopped: ${error.why.by}` : describeAgentFailure(error.why),
  };
}

function callDocument(call: RoleReview | RoleReviewError, why: RoleReview['why'], entry: IterationEntry) {
  const marks: readonly PhaseMark[] = entry.marks.filter(({ role }) => role === call.role);
  return {
    n: entry.iteration,
    round: entry.round,
    final_validation: entry.isFinalValidation,
    agent: call.agent,
    dispatch: dispatchBy(call.template),
    why,
    prompt_chars: call.spent.promptChars,
    usage: usageDocument(call.spent.usage),
    marks: marks.map(describeIssueMark),
  };
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

function issueDocument({ severity, level, category, description, location, suggestion }: LoopIssue) {
  return {
    severity,
    level: level ?? null,
    category: category ?? null,
    description,
    location: location ?? null,
    suggestion: suggestion ?? null,
  };
}

function openIssueDocument({ role, issue }: PhaseOutcome['open'][number]) {
  return { role, ...issueDocument(issue) };
}

/** Returns the document of a dry run. */
export function phasePlanDocument(plan: PhasePlan): PhasePlanDocument {
  const { phase, feature, artifact, fixing, goesOn } = plan;
  const waiting = goesOn?.waiting ?? null;
  return {
    phase,
    feature,
    artifact,
    files: [...plan.files],
    required: [...plan.required],
    fixing: { by: fixing.by, agent: fixing.by === 'fixer' ? fixing.agent : null },
    max_iterations: plan.mostIterations,
    goes_on:
      goesOn === null
        ? null
        : { round: goesOn.round, waiting: waiting === null ? null : mostSevereFirst(waiting).map(openIssueDocument) },
    dispatches: plan.dispatches.map(({ promptChars, ...one }) => ({ ...one, prompt_chars: promptChars })),
    warnings: plan.notices.map(describePhaseNotice),
  };
}
