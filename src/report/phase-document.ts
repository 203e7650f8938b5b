import { dispatchBy } from '../domain/loop-template.ts';
import type {
  IterationEntry,
  Look,
  LookError,
  LoopIssue,
  PhaseEndReason,
  PhaseMark,
  PhaseName,
  PhaseRole,
  PhaseStatus,
  Preparation,
  ReviewerRole,
} from '../domain/phase.ts';
import type { PhaseOutcome, PhasePlan, PlayedRound } from '../domain/phase-run.ts';
import { tellAgentFailure } from '../text/agent-failure.ts';
import { tellMark } from '../text/history-mark.ts';
import { heaviestFirst } from '../text/open-issues.ts';
import { tellOlder } from '../text/phase-end.ts';
import { tellPhaseNotice } from '../text/phase-notice.ts';
import { type UsageDocument, usageDocument } from './run-document.ts';

/** What `phase --json` answers with. */
export type PhaseDocument = {
  phase: PhaseName;
  feature: string;
  loop_id: string;
  status: PhaseStatus;
  end: PhaseEndReason | null;
  waiting: boolean;
  accepted_with_notes: boolean;
  exit_code: 0 | 1 | 3;
  loops: LoopDocument[];
  fixes: FixDocument[];
  preparations: PreparationDocument[];
  open_issues: OpenIssueDocument[];
  forbidden_edits: string[];
  usage: UsageDocument | null;
  saved: { pass: number; slot: number; session: number; prefix: number };
  warnings: string[];
};

type LoopDocument = {
  role: ReviewerRole;
  iterations: IterationDocument[];
  rested: { n: number; round: number; passed_at: number }[];
};

type IterationDocument = {
  n: number;
  round: number;
  final_validation: boolean;
  agent: string;
  dispatch: 'fresh' | 'resumed';
  why: string;
  prompt_chars: number;
  usage: UsageDocument | null;
  reviewer_approved: boolean | null;
  engine_pass: boolean;
  issues: IssueDocument[];
  summary: string | null;
  error: string | null;
  marks: string[];
};

type IssueDocument = {
  severity: LoopIssue['severity'];
  level: string | null;
  category: string | null;
  description: string;
  location: string | null;
  suggestion: string | null;
};

type OpenIssueDocument = IssueDocument & { role: ReviewerRole };

type FixDocument = {
  n: number;
  round: number;
  by: 'fixer' | 'caller';
  agent: string | null;
  dispatch: 'fresh' | 'resumed' | null;
  why: string | null;
  summary: string | null;
  prompt_chars: number;
  usage: UsageDocument | null;
  marks: string[];
};

type PreparationDocument = {
  role: Preparation['role'];
  part: 'A' | 'B' | null;
  agent: string;
  summary: string;
  usage: UsageDocument | null;
};

/** What `phase --dry-run --json` answers with. */
export type PhasePlanDocument = {
  phase: PhaseName;
  feature: string;
  artifact: string | null;
  files: string[];
  required: string[];
  fixing: { by: 'fixer' | 'caller' | 'nobody'; agent: string | null };
  max_iterations: number;
  goes_on: { round: number; waiting: OpenIssueDocument[] | null } | null;
  dispatches: {
    role: string;
    agent: string;
    model: string | null;
    dispatch: 'fresh' | 'resumed';
    why: string;
    prompt_chars: number;
  }[];
  warnings: string[];
};

/** The document of a phase that has ended, or waits. */
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
    warnings: [...outcome.notices.map(tellPhaseNotice), ...olderApprovals(outcome)],
  };
}

/** An approval that is older than what is there now. */
function olderApprovals(outcome: PhaseOutcome): string[] {
  const older = outcome.end?.why === 'approved' ? tellOlder(outcome) : null;
  return older === null ? [] : [older];
}

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

function fixDocuments({ entry, fix }: PlayedRound): FixDocument[] {
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

function isPreparing(role: PhaseRole): role is Preparation['role'] {
  return role === 'code-simplifier' || role === 'test-deepener';
}

function issueDocument(issue: LoopIssue): IssueDocument {
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

function openIssueDocument({ role, issue }: PhaseOutcome['open'][number]): OpenIssueDocument {
  return { role, ...issueDocument(issue) };
}

/** The document of what a phase would do. */
export function phasePlanDocument(plan: PhasePlan): PhasePlanDocument {
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
