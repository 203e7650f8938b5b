import type { PhaseRole, ReviewerRole } from '@onceover/base/kernel/review-loops';
import type { PhaseAction, PhaseState, PhaseStep, RoleState } from '../state.ts';
import type { IterationEntry, RoleReview, RoleReviewError, SeenContent } from '../types.ts';
import { after, callMarks, checkAsked, type EventOf, keepSession, type PositionAt, startCall } from './calls.ts';
import { blockingIssues, endedAtCap, endPhase, isPass, snapshotAction } from './end.ts';
import { startFix } from './fix.ts';
import { mostIterations, reviewersOfStage } from './roles.ts';

type Reviewing = PositionAt<'reviewing'>;

/** How many rounds in a row may be repeated because the content changed while they ran. */
const MAX_DISTURBANCES = 3;

/** After this many fixes in a row that changed nothing, the loop ends as stalled. */
const MAX_UNCHANGED_FIXES = 2;

/** Starts the next round on a new snapshot, unless two fixes in a row changed nothing. */
export function onRoundSnapshot(state: PhaseState, revision: SeenContent): PhaseStep {
  const isSame = revision.content === state.reviewed?.content;
  const unchangedFixes = isSame ? state.unchangedFixes + (state.fixedSince ? 1 : 0) : 0;
  const next: PhaseState = { ...state, unchangedFixes, fixedSince: false };
  return unchangedFixes >= MAX_UNCHANGED_FIXES ? endPhase(next, 'stalled') : openRound(next, revision);
}

/**
 * Starts a round of reviews on the current content. A final validation, in which reviewers confirm their passes, does
 * not count for the limit of reviews.
 */
function openRound(before: PhaseState, revision: SeenContent): PhaseStep {
  const { stage, counted, isFinalValidation } = before;
  const state: PhaseState = {
    ...before,
    round: before.round + 1,
    counted: { ...counted, [stage]: counted[stage] + (isFinalValidation ? 0 : 1) },
    position: { at: 'reviewing', seen: revision, flights: {}, looks: [], errors: [], marks: [] },
  };
  return dueRoles(state, revision).reduce<PhaseStep>(
    (step, role) => {
      const next = startCall(step.state, role);
      return { state: next.state, actions: [...step.actions, ...next.actions] };
    },
    { state, actions: [] },
  );
}

/**
 * Returns the reviewers to call. In `implement`, these are the ones that have not passed. In a final validation they
 * are all reviewers or, with `final_validation: changed`, those that have not reviewed the current content.
 */
function dueRoles(
  { setup, stage, roles, isFinalValidation }: PhaseState,
  revision: SeenContent,
): readonly ReviewerRole[] {
  const reviewers = reviewersOfStage(setup.phase, stage);
  if (stage !== 'implement') return reviewers;
  if (!isFinalValidation) return reviewers.filter((role) => roles[role]?.status !== 'passed');
  return setup.finalValidation === 'all'
    ? reviewers
    : reviewers.filter((role) => roles[role]?.seen.content !== revision.content);
}

/** Stores a reviewer's answer and session. The verdict does not count until all reviewers of the round are done. */
export function onAnswered(state: PhaseState, at: Reviewing, event: EventOf<'answered'>): PhaseStep {
  const { role, call, answer } = event;
  checkAsked(at, event);
  const { [role]: _, ...flights } = at.flights;
  const look: RoleReview = { role, ...call, answer, enginePass: isPass(answer) };
  const position: Reviewing = {
    ...at,
    flights,
    looks: [...at.looks, look],
    marks: [...at.marks, ...callMarks(state, event)],
  };
  return { state: { ...keepSession(state, event, at.seen.snapshot), position }, actions: [] };
}

/** If every reviewer has answered or failed, records the round and decides what comes next. */
export function concludeRound(step: PhaseStep): PhaseStep {
  const { position } = step.state;
  if (position.at !== 'reviewing' || Object.keys(position.flights).length > 0) return step;
  const { state, record } = recordRound(step.state, position, position.errors);
  const next = after(record, afterVerdicts(state, record.entry));
  return { state: next.state, actions: [...step.actions, ...next.actions] };
}

/** Returns the action that records a round, and the state that contains its verdicts. */
export function recordRound(
  before: PhaseState,
  at: Reviewing,
  reviewErrors: readonly RoleReviewError[],
): { readonly state: PhaseState; readonly record: Extract<PhaseAction, { kind: 'record' }> } {
  const { setup, stage, round, isFinalValidation } = before;
  const iteration = before.counted[stage];
  const { seen } = at;
  const reviewers = reviewersOfStage(setup.phase, stage);
  // Sort the answers, because they arrive in any order: records and prompts must not depend on which reviewer was
  // faster.
  const inOrder = <Entry extends { readonly role: string }>(records: readonly Entry[]) =>
    reviewers.flatMap((reviewer) => records.filter(({ role }) => role === reviewer));
  const [looks, errors, marks] = [inOrder(at.looks), inOrder(reviewErrors), inOrder(at.marks)];
  const skippedRoles = skippedReviewers(
    before,
    [...looks, ...errors].map(({ role }) => role),
  );
  const entry: IterationEntry = {
    ...{ phase: setup.phase, stage, iteration, most: mostIterations(setup), isFinalValidation, round },
    ...{ seen, looks, skipped: skippedRoles, errors, marks },
  };
  const verdicts = looks.map(({ role, answer, enginePass }): [ReviewerRole, RoleState] => [
    role,
    { status: enginePass ? 'passed' : 'failed', iteration, round, seen, answer },
  ]);
  const roles = { ...before.roles, ...Object.fromEntries(verdicts) };
  return { state: { ...before, roles, reviewed: seen, commitFailed: false }, record: { kind: 'record', entry } };
}

/** Returns the reviewers of the loop that are not called in this round, and the iteration in which each passed. */
export function skippedReviewers(
  { setup, stage, roles }: PhaseState,
  calledRoles: readonly PhaseRole[],
): IterationEntry['skipped'] {
  return reviewersOfStage(setup.phase, stage).flatMap((role) => {
    const last = roles[role];
    return calledRoles.includes(role) || last === undefined ? [] : [{ role, passedAt: last.iteration }];
  });
}

function afterVerdicts(state: PhaseState, { looks, errors }: Pick<IterationEntry, 'looks' | 'errors'>): PhaseStep {
  const [error] = errors;
  if (error !== undefined) {
    return endPhase(state, 'reviewer-failed', { failure: error.failure.kind === 'stopped' ? null : error.failure });
  }
  const failing = looks.filter(({ enginePass }) => !enginePass);
  if (failing.length === 0) return snapshotAction(state, 'confirming');
  const regular: PhaseState = { ...state, isFinalValidation: false };
  if (isAtCap(state)) return atCap(regular);
  if (state.setup.fixing === 'nobody') return endPhase(regular, 'not-fixed');
  const issues = failing.flatMap(({ role, answer }) => blockingIssues(answer).map((issue) => ({ role, issue })));
  return startFix(regular, issues);
}

/**
 * Ends a loop at the limit of reviews. After the first loop of a document (`domain`), the reviewer of the second loop
 * still runs if it has not run yet.
 */
function atCap(state: PhaseState): PhaseStep {
  if (state.stage !== 'domain') return endedAtCap(state);
  const failedState = withOutcome(state, 'failed');
  if (state.roles['phase-reviewer'] !== undefined) return endedAtCap(failedState);
  return snapshotAction({ ...failedState, stage: 'phase', unchangedFixes: 0 }, 'starting');
}

/**
 * Continues after a round in which all reviewers passed. The passes count only if the content did not change meanwhile.
 */
export function onConfirmed(before: PhaseState, revision: SeenContent): PhaseStep {
  const isSame = revision.content === before.reviewed?.content;
  const state: PhaseState = { ...before, unchangedFixes: 0, disturbances: isSame ? 0 : before.disturbances + 1 };
  if (state.disturbances > MAX_DISTURBANCES) return endPhase(state, 'disturbed');
  if (state.stage === 'implement') return codePassed(state, revision);
  if (isSame) return state.stage === 'domain' ? domainPassed(state, revision) : phasePassed(state, revision);
  return state.isFinalValidation || !isAtCap(state) ? openRound(state, revision) : endPhase(state, 'disturbed');
}

/**
 * Approves the code if all reviewers passed the current content, in this round or, with `final_validation: changed`, in
 * any round. Otherwise starts a final validation.
 */
function codePassed(state: PhaseState, revision: SeenContent): PhaseStep {
  const last = reviewersOfStage(state.setup.phase, state.stage).map((role) => state.roles[role]);
  const areCurrent = last.every(
    (roleState) => roleState?.status === 'passed' && roleState.seen.content === revision.content,
  );
  const areTogether = last.every((roleState) => roleState?.round === state.round);
  if (areCurrent && (areTogether || state.setup.finalValidation === 'changed')) return endPhase(state, 'approved');
  return openRound({ ...state, isFinalValidation: true }, revision);
}

function domainPassed(before: PhaseState, revision: SeenContent): PhaseStep {
  const state = withOutcome(before, 'approved');
  const phase = state.roles['phase-reviewer'];
  if (phase?.status === 'passed' && phase.seen.content === revision.content) return endPhase(state, 'approved');
  const next: PhaseState = { ...state, stage: 'phase', isFinalValidation: false };
  return isAtCap(next) ? endedAtCap(next) : openRound(next, revision);
}

function phasePassed(state: PhaseState, revision: SeenContent): PhaseStep {
  if (state.domainOutcome?.result !== 'approved') return endedAtCap(state);
  const [domain] = reviewersOfStage(state.setup.phase, 'domain');
  const isOlder = domain !== undefined && state.roles[domain]?.seen.content !== revision.content;
  if (!state.setup.recheckDomain || !isOlder) return endPhase(state, 'approved');
  return openRound({ ...state, stage: 'domain', isFinalValidation: true }, revision);
}

function withOutcome(state: PhaseState, result: 'approved' | 'failed'): PhaseState {
  const [role] = reviewersOfStage(state.setup.phase, 'domain');
  const answer = role === undefined ? undefined : state.roles[role]?.answer;
  const openIssues = result === 'failed' && answer !== undefined ? blockingIssues(answer) : [];
  const { domain: iteration } = state.counted;
  return { ...state, domainOutcome: { result, iteration, most: mostIterations(state.setup), unresolved: openIssues } };
}

function isAtCap({ setup, stage, counted }: PhaseState): boolean {
  return counted[stage] >= mostIterations(setup);
}
