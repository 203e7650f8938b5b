import type { RepoPath, SnapshotId } from '@onceover/base/kernel/ids';
import type { ReviewerRole, Spent } from '@onceover/base/kernel/review-loops';
import type { PhasePlanDocument } from '@onceover/loops/phases/json-schema';
import type { PhaseOutcome } from '@onceover/loops/phases/run-types';
import type {
  IterationEntry,
  LoopAnswer,
  LoopIssue,
  PhaseEnd,
  PhaseEndReason,
  PhaseFix,
  PhaseRound,
  PhaseRun,
  PhaseStatus,
  RoleReview,
  RoleReviewError,
} from '@onceover/loops/src/phases/types.ts';

export const feature = 'docs/f' as RepoPath;

export function spent(promptChars: number, differs: Partial<Spent> = {}): Spent {
  return { asks: 1, promptChars, freshChars: 12_000, usage: null, ...differs };
}

export function issue(differs: Partial<LoopIssue> = {}): LoopIssue {
  return { severity: 'blocker', description: 'It cannot be tested.', ...differs };
}

export function answerWith(issues: readonly LoopIssue[], differs: Partial<LoopAnswer> = {}): LoopAnswer {
  return { approved: issues.length === 0, issues: [...issues], summary: 'Read.', ...differs };
}

/** A first review of the spec-reviewer that approves. */
export function look(differs: Partial<RoleReview> = {}): RoleReview {
  return {
    role: 'spec-reviewer',
    agent: 'claude',
    template: 'I1-R4',
    why: 'first-look',
    answer: answerWith([]),
    enginePass: true,
    spent: spent(12_345),
    ...differs,
  };
}

/** A review with findings. */
export function found(issues: readonly LoopIssue[], differs: Partial<RoleReview> = {}): RoleReview {
  return look({ answer: answerWith(issues, { approved: false }), enginePass: false, ...differs });
}

export function lookError(differs: Partial<RoleReviewError> = {}): RoleReviewError {
  return {
    role: 'spec-reviewer',
    agent: 'claude',
    template: 'I1-R4',
    why: 'first-look',
    failure: { kind: 'timeout', seconds: 7 },
    spent: spent(12_345),
    ...differs,
  };
}

export function fixBy(agent: string | null, differs: Partial<PhaseFix> = {}): PhaseFix {
  const turn = { agent: agent ?? '', template: 'I7-fresh', why: 'first-look', spent: spent(4_000) } as const;
  return { summary: 'Made it testable.', marks: [], turn: agent === null ? null : turn, ...differs };
}

type RoundSample = Partial<IterationEntry> & { readonly fix?: PhaseFix | null; readonly content?: string };

/** Returns a specify round by the spec-reviewer; `differs` overrides fields. */
export function playedRound({ fix = null, content = 'c1', ...differs }: RoundSample = {}): PhaseRound {
  const entry: IterationEntry = {
    phase: 'specify',
    stage: 'domain',
    iteration: 1,
    most: 5,
    isFinalValidation: false,
    round: 1,
    seen: { snapshot: 'tree1' as SnapshotId, content },
    looks: [look()],
    skipped: [],
    errors: [],
    marks: [],
    ...differs,
  };
  return { entry, at: '2026-03-01T12:00:00.000Z', fix };
}

export function phaseRun(differs: Partial<PhaseRun> = {}): PhaseRun {
  return {
    id: 'loop-1',
    phase: 'specify',
    feature,
    startedAt: '2026-03-01T12:00:00.000Z',
    preparations: [],
    rounds: [
      playedRound(),
      playedRound({ stage: 'phase', round: 2, looks: [look({ role: 'phase-reviewer', spent: spent(6_000) })] }),
    ],
    ...differs,
  };
}

const STATUS: Partial<Record<PhaseEndReason, PhaseStatus>> = {
  approved: 'approved',
  'accepted-with-notes': 'approved',
  cap: 'cap',
  stalled: 'stalled',
  'not-fixed': 'needs_work',
  'fixer-failed': 'needs_work',
};

export function phaseEnd(why: PhaseEndReason, differs: Partial<PhaseEnd> = {}): PhaseEnd {
  return { status: STATUS[why] ?? 'error', why, open: [], paths: [], failure: null, ...differs };
}

export const open = (role: ReviewerRole, differs: Partial<LoopIssue> = {}) => ({ role, issue: issue(differs) });

/** A phase that both reviewers approved at once. */
export function phaseOutcome(differs: Partial<PhaseOutcome> = {}): PhaseOutcome {
  return {
    run: phaseRun(),
    end: phaseEnd('approved'),
    open: [],
    exitCode: 0,
    usage: null,
    saved: { pass: 0, slot: 0, session: 0, prefix: 0, reading: 0 },
    notices: [],
    ...differs,
  };
}

export function phasePlan(differs: Partial<PhasePlanDocument> = {}): PhasePlanDocument {
  return {
    phase: 'specify',
    feature,
    artifact: 'docs/f/spec.md',
    files: ['docs/f/spec.md'],
    required: ['docs/f/prd.md'],
    fixing: { by: 'nobody', agent: null },
    max_iterations: 5,
    goes_on: null,
    dispatches: [
      {
        role: 'spec-reviewer',
        agent: 'claude',
        model: null,
        dispatch: 'fresh',
        why: 'first-look',
        prompt_chars: 12_345,
      },
    ],
    warnings: [],
    ...differs,
  };
}

/** A whole implement phase: a fix, a skipped reviewer, a final validation. */
export function implementRun(): PhaseRun {
  const stage = { phase: 'implement', stage: 'implement' } as const;
  const quality = 'code-quality-reviewer' as const;
  const all = ['implementation-reviewer', quality, 'security-reviewer'] as const;
  return phaseRun({
    phase: 'implement',
    preparations: [
      { role: 'test-deepener', part: 'A', agent: 'codex', summary: 'Added tests for empty input.', usage: null },
    ],
    rounds: [
      playedRound({
        ...stage,
        looks: [
          look({ role: 'implementation-reviewer' }),
          found([issue(), issue({ severity: 'warning' }), issue({ severity: 'suggestion' })], { role: quality }),
          look({ role: 'security-reviewer', agent: 'codex' }),
        ],
        fix: fixBy('codex'),
      }),
      playedRound({
        ...stage,
        content: 'c2',
        iteration: 2,
        round: 2,
        looks: [look({ role: quality, template: 'I2', why: 'delta', spent: spent(2_010) })],
        skipped: [
          { role: 'implementation-reviewer', passedAt: 1 },
          { role: 'security-reviewer', passedAt: 1 },
        ],
      }),
      playedRound({
        ...stage,
        content: 'c2',
        iteration: 2,
        round: 3,
        isFinalValidation: true,
        looks: all.map((role) => look({ role, template: 'I2-FV', why: 'final-validation', spent: spent(1_900) })),
      }),
    ],
  });
}
