import { FRESH_REASONS, RESUME_REASONS, type Usage } from './agent.ts';

export const REVIEWER_ROLES = [
  'spec-reviewer',
  'design-reviewer',
  'plan-reviewer',
  'task-reviewer',
  'phase-reviewer',
  'implementation-reviewer',
  'code-quality-reviewer',
  'security-reviewer',
] as const;

/**
 * Roles of agents that change files. The test-deepener (which adds tests) works in two parts, each with its own prompt.
 */
const WRITER_ROLES = ['implementer', 'code-simplifier', 'test-deepener-a', 'test-deepener-b'] as const;

/** All roles that have a prompt. Each name is also the name of the prompt file. */
export const ROLE_NAMES = [...REVIEWER_ROLES, ...WRITER_ROLES] as const;

export type RoleName = (typeof ROLE_NAMES)[number];

/**
 * Returns the path, relative to the root, at which the user can put a prompt that replaces the built-in prompt of a
 * role.
 */
export function roleFile(name: RoleName): string {
  return `${ROLE_FOLDER}${name}.md`;
}

export const ROLE_FOLDER = '.onceover/roles/';

/** Returns whether a prompt template of a review loop is for a new or for a resumed session. */
export function dispatchBy(template: LoopTemplate): 'fresh' | 'resumed' {
  return template === 'I2' || template === 'I2-FV' || template === 'I7-resumed' ? 'resumed' : 'fresh';
}

/**
 * The maximum number of reviews in a loop. The final validation, in which reviewers confirm their passes, is not
 * counted. Findings of the last review are not fixed.
 */
export const ITERATION_CAP = 5;

/** Phases that write a document. */
export const DOCUMENT_PHASES = ['specify', 'design', 'create-plan', 'create-tasks'] as const;

export type DocumentPhase = (typeof DOCUMENT_PHASES)[number];

export const PHASES = [...DOCUMENT_PHASES, 'implement'] as const;

export type PhaseName = (typeof PHASES)[number];

/**
 * The review loops that a phase can have. Phases that write a document have the loops `domain` and then `phase`; for
 * code, there is only `implement`.
 */
export const PHASE_STAGES = ['domain', 'phase', 'implement'] as const;

export type PhaseStage = (typeof PHASE_STAGES)[number];

export type ReviewerRole = (typeof REVIEWER_ROLES)[number];

/** An optional step before the code is reviewed. Each of these steps runs in a new session that is never resumed. */
export type Preparation =
  | { readonly role: 'code-simplifier'; readonly part: null }
  | { readonly role: 'test-deepener'; readonly part: 'A' | 'B' };

export const PHASE_ROLES = [...REVIEWER_ROLES, 'implementer', 'code-simplifier', 'test-deepener'] as const;

export type PhaseRole = (typeof PHASE_ROLES)[number];

/**
 * The ids of the prompt templates of a review loop. I1-R4: new session. I2: resumed session (I2-FV: for the final
 * validation). I3: new session because the old one was lost. I7: implementer.
 */
export const LOOP_TEMPLATES = ['I1-R4', 'I2', 'I2-FV', 'I3', 'I7-fresh', 'I7-resumed'] as const;

export type LoopTemplate = (typeof LOOP_TEMPLATES)[number];

/** The severities of an issue. A suggestion never blocks a pass. */
export const SEVERITIES = ['blocker', 'warning', 'suggestion'] as const;

/**
 * The reasons why a session in a review loop is new or resumed. `resume-failed`: it is new because resuming failed.
 * `other-agent`: it is new because another agent took over.
 */
export const LOOP_DISPATCH_REASONS = [...FRESH_REASONS, ...RESUME_REASONS, 'resume-failed', 'other-agent'] as const;

export type LoopDispatchReason = (typeof LOOP_DISPATCH_REASONS)[number];

/** The calls, prompt lengths and usage of one review, including retries and calls to replacement agents. */
export type Spent = {
  readonly asks: number;
  readonly promptChars: number;
  /** Length in characters that the prompt would have had in a new session. */
  readonly freshChars: number;
  readonly usage: Usage | null;
};

/**
 * Returns the reason for a new session, to print after "new session:"; null for usual reasons, such as the first
 * review.
 */
export function describeDispatchReason(why: string): string | null {
  return REASONS[why] ?? null;
}

type UsualReason = 'first-look' | 'delta' | 'final-validation';

const REASONS: Readonly<Record<string, string>> = {
  'asked-for': 'no session was kept',
  'session-differs': 'the agent, model, version or tools have changed',
  'cannot-resume': 'the agent cannot resume sessions',
  'session-lost': 'the session or its snapshot is gone',
  'no-changes': 'nothing has changed',
  'resume-dearer': 'resuming would cost more',
  'reading-continued': 'continued from a shared reading',
  'delta-too-large': 'too much has changed',
  'resume-failed': 'the resume failed',
  'other-agent': 'another agent took over',
} satisfies Record<Exclude<LoopDispatchReason, UsualReason>, string>;
