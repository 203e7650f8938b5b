import type * as z from 'zod';
import { dispatchBy } from '../domain/loop-template.ts';
import type {
  IterationEntry,
  Look,
  LookError,
  LoopIssue,
  PhaseMark,
  PhaseRole,
  ReviewerRole,
} from '../domain/phase.ts';
import type { PhaseOutcome, PhasePlan, PlayedRound } from '../domain/phase-run.ts';
import { tellAgentFailure } from '../text/agent-failure.ts';
import { tellMark } from '../text/history-mark.ts';
import { heaviestFirst } from '../text/open-issues.ts';
import { tellPhaseNotice } from '../text/phase-notice.ts';
import type { phasePlanSchema, phaseSchema } from './phase-schema.ts';
import { usageDocument } from './run-document.ts';

/** What `phase --json` answers with. */
export type PhaseDocument = z.output<typeof phaseSchema>;

export function phaseDocument(outcome: PhaseOutcome): PhaseDocument {
  const { run, end, open } = outcome;
  const isAccepted = end?.why === 'accepted-with-notes';
  return {
    phase: run.phase,
    feature: run.feature,
    loop_id: run.id,
    status: isAccepted ? 'cap' : (end?.status ?? 'needs_work'),
    end: end?.why ?? null,
    waiting: end === null,
    accepted_with_notes: isAccepted,
    exit_code: outcome.exitCode,
    loops: rolesOf(run.rounds).map((role) => loopDocument(role, run.rounds)),
    fixes: run.rounds.flatMap(fixDocuments),
    preparations: run.preparations.flatMap(({ role, part, agent, summary, usage }) =>
      isPreparing(role) ? [{ role, part, agent, summary, usage: usageDocument(usage) }] : [],
    ),
    open_issues: heaviestFirst(open).map(openIssueDocument),
    forbidden_edits: [...(end?.paths ?? [])],
    usage: usageDocument(outcome.usage),
    saved: { ...outcome.saved },
    warnings: outcome.notices.map(tellPhaseNotice),
  };
}

type LoopDocument = PhaseDocument['loops'][number];

function rolesOf(rounds: readonly PlayedRound[]): readonly ReviewerRole[] {
  return [...new Set(rounds.flatMap(({ entry }) => [...entry.looks, ...entry.errors].map(({ role }) => role)))];
}

function loopDocument(role: ReviewerRole, rounds: readonly PlayedRound[]): LoopDocument {
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

type IterationDocument = LoopDocument['iterations'][number];

function lookDocument(look: Look, entry: IterationEntry): IterationDocument {
  return {
    ...askedDocument(look, look.why, entry),
    reviewer_approved: look.reviewerApproved,
    engine_pass: look.enginePass,
    issues: look.answer.issues.map(issueDocument),
    summary: look.answer.summary,
    error: null,
  };
}

function errorDocument(error: LookError, entry: IterationEntry): IterationDocument {
  return {
    ...askedDocument(error, error.dispatch, entry),
    reviewer_approved: null,
    engine_pass: false,
    issues: [],
    summary: null,
    error: error.why.kind === 'stopped' ? `stopped: ${error.why.by}` : tellAgentFailure(error.why),
  };
}

function askedDocument(
  asked: Pick<Look, 'role' | 'agent' | 'template' | 'spent'>,
  why: Look['why'],
  entry: IterationEntry,
) {
  return {
    n: entry.iteration,
    round: entry.round,
    final_validation: entry.isFinalValidation,
    agent: asked.agent,
    dispatch: dispatchBy(asked.template),
    why,
    prompt_chars: asked.spent.promptChars,
    usage: usageDocument(asked.spent.usage),
    marks: marksOf(entry.marks, asked.role),
  };
}

function fixDocuments({ entry, fix }: PlayedRound): PhaseDocument['fixes'] {
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
      marks: fix.marks.map(tellMark),
    },
  ];
}

function marksOf(marks: readonly PhaseMark[], role: PhaseRole): string[] {
  return marks.filter((mark) => mark.role === role).map(tellMark);
}

function isPreparing(role: PhaseRole): role is 'code-simplifier' | 'test-deepener' {
  return role === 'code-simplifier' || role === 'test-deepener';
}

function issueDocument(issue: LoopIssue): IterationDocument['issues'][number] {
  const { severity, description, level, category, location, suggestion } = issue;
  return {
    severity,
    level: level ?? null,
    category: category ?? null,
    description,
    location: location ?? null,
    suggestion: suggestion ?? null,
  };
}

function openIssueDocument({ role, issue }: PhaseOutcome['open'][number]): PhaseDocument['open_issues'][number] {
  return { role, ...issueDocument(issue) };
}

/** What `phase --dry-run --json` answers with. */
export function phasePlanDocument(plan: PhasePlan): z.output<typeof phasePlanSchema> {
  const { fixing, goesOn } = plan;
  const waiting = goesOn?.waiting ?? null;
  return {
    phase: plan.phase,
    feature: plan.feature,
    artifact: plan.artifact,
    files: [...plan.files],
    required: [...plan.required],
    fixing: { by: fixing.by, agent: fixing.by === 'fixer' ? fixing.agent : null },
    max_iterations: plan.mostIterations,
    goes_on:
      goesOn === null
        ? null
        : { round: goesOn.round, waiting: waiting === null ? null : heaviestFirst(waiting).map(openIssueDocument) },
    dispatches: plan.dispatches.map(({ role, agent, model, dispatch, why, promptChars }) => ({
      role,
      agent,
      model,
      dispatch,
      why,
      prompt_chars: promptChars,
    })),
    warnings: plan.notices.map(tellPhaseNotice),
  };
}
