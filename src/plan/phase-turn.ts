import type { IterationEntry, LookError, ReviewerRole, Seen } from '../domain/phase.ts';
import type { PhaseAction, PhaseState, PhaseStep, RoleState } from '../domain/phase-step.ts';
import { ended, endedAtCap, takeSnapshot } from './phase-end.ts';
import { startFix } from './phase-fix.ts';
import { mostIterations, reviewersOf } from './phase-roles.ts';
import { openRound, type Reviewing } from './phase-round.ts';
import { blockingIssues } from './phase-verdict.ts';

/** Confirmations in a row that may fail because somebody works on what is under review. */
const MOST_DISTURBANCES = 3;

/** Fixes in a row that change nothing: the second is the last. */
const MOST_UNCHANGED = 2;

/** The round is over: it is recorded, and what was said decides what follows. */
export function concludeRound(before: PhaseState, at: Reviewing): PhaseStep {
  const { state, record } = recorded(before, at, at.errors);
  const next = afterVerdicts(state, record.entry);
  return { state: next.state, actions: [record, ...next.actions] };
}

/** A round as it is recorded, and what is known of its reviewers from then on. */
export function recorded(
  before: PhaseState,
  at: Reviewing,
  failed: readonly LookError[],
): { readonly state: PhaseState; readonly record: Extract<PhaseAction, { kind: 'record' }> } {
  const { setup, stage, round, isFinalValidation } = before;
  const iteration = before.counted[stage];
  const { seen } = at;
  const reviewers = reviewersOf(setup.phase, stage);
  // Answers come in any order; what is told of them, and what the fixer is asked, does not.
  const [looks, errors, marks] = [
    inOrder(reviewers, at.looks),
    inOrder(reviewers, failed),
    inOrder(reviewers, at.marks),
  ];
  const asked = new Set<ReviewerRole>([...looks, ...errors].map(({ role }) => role));
  const skipped = reviewers.flatMap((role) => {
    const last = before.roles[role];
    return asked.has(role) || last === undefined ? [] : [{ role, passedAt: last.iteration }];
  });
  const most = mostIterations(setup);
  const { phase } = setup;
  const entry: IterationEntry = {
    ...{ phase, stage, iteration, most, isFinalValidation, round },
    ...{ seen, looks, skipped, errors, marks },
  };
  const said = looks.map(({ role, answer, enginePass }): [ReviewerRole, RoleState] => [
    role,
    { status: enginePass ? 'passed' : 'failed', iteration, round, seen, answer },
  ]);
  const roles = { ...before.roles, ...Object.fromEntries(said) };
  const state: PhaseState = { ...before, roles, reviewed: seen, commitFailed: false };
  return { state, record: { kind: 'record', entry } };
}

function inOrder<One extends { readonly role: string }>(
  reviewers: readonly string[],
  all: readonly One[],
): readonly One[] {
  return reviewers.flatMap((reviewer) => all.filter(({ role }) => role === reviewer));
}

function afterVerdicts(state: PhaseState, { looks, errors }: Pick<IterationEntry, 'looks' | 'errors'>): PhaseStep {
  const [error] = errors;
  if (error !== undefined) {
    return ended(state, 'reviewer-failed', { failure: error.why.kind === 'stopped' ? null : error.why });
  }
  const failing = looks.filter(({ enginePass }) => !enginePass);
  if (failing.length === 0) return takeSnapshot(state, 'confirming');
  const regular: PhaseState = { ...state, isFinalValidation: false };
  if (isAtCap(state)) return atCap(regular);
  if (state.setup.fixing === 'nobody') return ended(regular, 'not-fixed');
  const issues = failing.flatMap(({ role, answer }) => blockingIssues(answer).map((issue) => ({ role, issue })));
  return startFix(regular, issues);
}

/** No fix after the last review: a domain loop hands over as failed, every other ends the phase. */
function atCap(state: PhaseState): PhaseStep {
  if (state.stage !== 'domain') return endedAtCap(state);
  const handed = withOutcome(state, 'failed');
  if (state.roles['phase-reviewer'] !== undefined) return endedAtCap(handed);
  return takeSnapshot({ ...handed, stage: 'phase', unchangedFixes: 0 }, 'starting');
}

/** A snapshot for the next round: a fixer that changed nothing gets one more look, and no third. */
export function onRoundSnapshot(state: PhaseState, seen: Seen): PhaseStep {
  const isSame = seen.content === state.reviewed?.content;
  const unchangedFixes = isSame ? state.unchangedFixes + (state.fixedSince ? 1 : 0) : 0;
  const next: PhaseState = { ...state, unchangedFixes, fixedSince: false };
  return unchangedFixes >= MOST_UNCHANGED ? ended(next, 'stalled') : openRound(next, seen);
}

/** Everybody in the round passed: it counts if what is there now is what they saw. */
export function onConfirmed(before: PhaseState, seen: Seen): PhaseStep {
  const isSame = seen.content === before.reviewed?.content;
  const state: PhaseState = { ...before, unchangedFixes: 0, disturbances: isSame ? 0 : before.disturbances + 1 };
  if (state.disturbances > MOST_DISTURBANCES) return ended(state, 'disturbed');
  if (state.stage === 'implement') return codePassed(state, seen);
  if (!isSame) return lookAgain(state, seen);
  return state.stage === 'domain' ? domainPassed(state, seen) : phasePassed(state, seen);
}

function lookAgain(state: PhaseState, seen: Seen): PhaseStep {
  return state.isFinalValidation || !isAtCap(state) ? openRound(state, seen) : ended(state, 'disturbed');
}

/** Each has passed: final validation, unless all of them passed in one round on what is there now. */
function codePassed(state: PhaseState, seen: Seen): PhaseStep {
  const last = reviewersOf(state.setup.phase, state.stage).map((role) => state.roles[role]);
  const areCurrent = last.every((one) => one?.status === 'passed' && one.seen.content === seen.content);
  const areTogether = last.every((one) => one?.round === state.round);
  if (areCurrent && (areTogether || state.setup.finalValidation === 'changed')) return ended(state, 'approved');
  return openRound({ ...state, isFinalValidation: true }, seen);
}

function domainPassed(before: PhaseState, seen: Seen): PhaseStep {
  const state = withOutcome(before, 'approved');
  const phase = state.roles['phase-reviewer'];
  if (phase?.status === 'passed' && phase.seen.content === seen.content) return ended(state, 'approved');
  const next: PhaseState = { ...state, stage: 'phase', isFinalValidation: false };
  return isAtCap(next) ? endedAtCap(next) : openRound(next, seen);
}

function phasePassed(state: PhaseState, seen: Seen): PhaseStep {
  if (state.domainOutcome?.result !== 'approved') return endedAtCap(state);
  const [domain] = reviewersOf(state.setup.phase, 'domain');
  const isOlder = domain !== undefined && state.roles[domain]?.seen.content !== seen.content;
  if (!state.setup.recheckDomain || !isOlder) return ended(state, 'approved');
  return openRound({ ...state, stage: 'domain', isFinalValidation: true }, seen);
}

function withOutcome(state: PhaseState, result: 'approved' | 'failed'): PhaseState {
  const [role] = reviewersOf(state.setup.phase, 'domain');
  const answer = role === undefined ? undefined : state.roles[role]?.answer;
  const unresolved = result === 'failed' && answer !== undefined ? blockingIssues(answer) : [];
  const { domain: iteration } = state.counted;
  return { ...state, domainOutcome: { result, iteration, most: mostIterations(state.setup), unresolved } };
}

function isAtCap({ setup, stage, counted }: PhaseState): boolean {
  return counted[stage] >= mostIterations(setup);
}
