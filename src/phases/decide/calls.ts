import { decideDispatch, deltaLimit } from '../../dispatch/decide-resume.ts';
import { nextDispatchStep } from '../../dispatch/retry.ts';
import { addUsage, type DispatchPlan } from '../../kernel/agent.ts';
import type { LoopTemplate, PhaseRole, ReviewerRole, Spent } from '../../kernel/review-loops.ts';
import type {
  Ask,
  PendingDispatch,
  PhaseAction,
  PhaseEvent,
  PhasePosition,
  PhaseState,
  PhaseStep,
  Replied,
} from '../state.ts';
import type { LoopCall, PhaseMark, RoleReviewError, SeenContent } from '../types.ts';
import { endPhase } from './end.ts';
import { agentFor, mostIterations, sessionOf } from './roles.ts';

export type PositionAt<At extends PhasePosition['at']> = Extract<PhasePosition, { at: At }>;

export type EventOf<Kind extends PhaseEvent['kind']> = Extract<PhaseEvent, { kind: Kind }>;

/** Starts a call to a role. If the role has a session, the prompt that would resume the session is measured first. */
export function startCall(state: PhaseState, role: PhaseRole): PhaseStep {
  const { setup, isFinalValidation } = state;
  const session = sessionOf(state, role);
  if (session !== null) {
    const why = isFinalValidation ? 'final-validation' : 'delta';
    return withCall(state, { ...newCall(state, role, { kind: 'resumed', why, session }), kind: 'measuring' });
  }
  // With `--step` and without `--keep-sessions`, no session of an earlier command is stored, so the reason is
  // `asked-for`.
  const isDropped = setup.fixing === 'caller' && !setup.keepSessions && Object.hasOwn(state.roles, role);
  return withCall(state, newCall(state, role, { kind: 'fresh', why: isDropped ? 'asked-for' : 'first-look' }));
}

/** Chooses between a new and a resumed session, now that the length of the prompt for the resumed session is known. */
export function onMeasured(state: PhaseState, event: EventOf<'measured'>): PhaseStep {
  const { position } = state;
  const { role, now, canResume, cost, deltaLength, mustReadLength = 0 } = event;
  if (callOf(position, role)?.kind !== 'measuring') throw unexpected(event.kind, role);
  const isReviewer = role !== 'implementer';
  const session = sessionOf(state, role);
  const plan = decideDispatch({
    ...{ now, canResume, cost, deltaLength, mustReadLength, session },
    who: isReviewer ? 'reviewer' : 'implementer',
    wanted: 'any',
    lost: event.lost ?? (state.commitFailed && isReviewer ? 'diff' : null),
    isFinalValidation: state.isFinalValidation && isReviewer,
    changed: position.at !== 'reviewing' || state.roles[role as ReviewerRole]?.seen.content !== position.seen.content,
  });
  const iteration = state.counted[state.stage];
  const marks: PhaseMark[] = [];
  if (plan.why === 'session-lost') {
    marks.push({ kind: 'resume-fallback', role, iteration, because: { kind: 'lost', what: event.lost ?? 'commit' } });
  }
  if (plan.why === 'delta-too-large' && session !== null) {
    const limit = deltaLimit(session, mustReadLength);
    marks.push({ kind: 'delta-guard', role, iteration, length: deltaLength, limit });
  }
  return withCall(state, newCall(state, role, plan), marks);
}

/**
 * Retries a failed call: with a repair question, in a new session or with another agent. Gives up if no retry is left.
 */
export function onCallFailed(state: PhaseState, event: EventOf<'dispatch-failed'>): PhaseStep {
  const call = askedCall(state.position, event.role, event.kind);
  const { ask } = call;
  const { failure: because } = event;
  const spent = countSpent(call.spent, { ...event, freshChars: 0 });
  const writes = !ask.role.endsWith('-reviewer');
  // No other agent takes over from a writer, because it would not know which edits the writer has already made.
  const others = writes ? [] : call.others;
  const next = nextDispatchStep({ ...call, agent: ask.agent, mode: ask.mode, others, writes }, because);
  if (next === null) return giveUp(state, { ...call, spent }, because);
  const { agent, mode, asked, repaired, failedOver } = next;
  const again = { ...call, asked, others: next.others, repaired, failedOver, spent };
  if (mode === 'repair') {
    const openingChars = call.openingChars ?? (ask.mode === 'fresh' ? event.promptChars : null);
    return withCall(state, { ...again, openingChars, ask: { ...ask, mode, because } });
  }
  const fellBack = call.asked === 'resumed';
  const why = agent === ask.agent ? 'resume-failed' : 'other-agent';
  const template = fellBack ? templateFor(ask.role, { kind: 'fresh', why: 'session-lost' }) : ask.template;
  const { role, iteration } = ask;
  return withCall(
    state,
    { ...again, openingChars: null, ask: { ...ask, agent, mode, template, why, session: null, delta: null, because } },
    fellBack ? [{ kind: 'resume-fallback', role, iteration, because }] : [],
  );
}

function giveUp(state: PhaseState, call: PendingDispatch, failure: EventOf<'dispatch-failed'>['failure']): PhaseStep {
  const { position } = state;
  if (position.at === 'reviewing') {
    const errors = [...position.errors, reviewError(call, failure)];
    const flights = withoutKey(position.flights, call.ask.role);
    return { state: { ...state, position: { ...position, flights, errors } }, actions: [] };
  }
  if (position.at !== 'fixing' && position.at !== 'preparing') throw unexpected('a failed call', position.at);
  const why = position.at === 'fixing' ? 'fixer-failed' : 'preparation-failed';
  return after(failedCall(state, position, recordOf(call)), endPhase(state, why, { failure }));
}

/** Returns the action that records a fixer or a preparation that failed or was stopped. */
export function failedCall(
  { round, setup }: PhaseState,
  position: PositionAt<'fixing' | 'preparing'>,
  call: LoopCall,
): PhaseAction {
  if (position.at === 'fixing') {
    const turn = call.spent.asks > 0 ? call : null;
    return { kind: 'record-fix', round, summary: null, marks: position.marks, turn };
  }
  const preparation = setup.preparations[position.next];
  if (preparation === undefined) throw unexpected('a failed call', position.at);
  return { kind: 'record-preparation', ...preparation, summary: null, call };
}

/** Returns the call that an event answers. Throws if there is no such call, which is a bug of the driver. */
export function askedCall(position: PhasePosition, role: PhaseRole, event: string): PendingDispatch {
  const call = callOf(position, role);
  if (call?.kind !== 'asked') throw unexpected(event, role);
  return call;
}

function callOf(position: PhasePosition, role: PhaseRole): PendingDispatch | undefined {
  return 'flights' in position ? position.flights[role] : undefined;
}

const ACTIONS = { reviewing: 'dispatch', fixing: 'fix', preparing: 'prepare' } as const;

/** Returns the state with the call added to those in progress, and the action that makes the call. */
function withCall(state: PhaseState, call: PendingDispatch, marks: readonly PhaseMark[] = []): PhaseStep {
  const { position } = state;
  if (!('flights' in position)) throw unexpected('a call', position.at);
  const { ask } = call;
  const flights = { ...position.flights, [ask.role]: call };
  return {
    state: { ...state, position: { ...position, flights, marks: [...position.marks, ...marks] } },
    actions: [{ kind: call.kind === 'measuring' ? 'measure' : ACTIONS[position.at], ask }],
  };
}

function newCall(state: PhaseState, role: PhaseRole, plan: DispatchPlan): PendingDispatch {
  const { agent, others } = agentFor(state, role);
  const spent: Spent = { asks: 0, promptChars: 0, freshChars: 0, usage: null };
  const opened = { repaired: false, failedOver: false, openingChars: null, spent };
  return { kind: 'asked', ask: askFor(state, role, agent, plan), asked: plan.kind, others, ...opened };
}

/** Returns the next question to a role: its agent, session and template. The text of the prompt is added later. */
function askFor(state: PhaseState, role: PhaseRole, agent: string, plan: DispatchPlan): Ask {
  const { position, setup, stage, isFinalValidation } = state;
  const session = plan.kind === 'resumed' ? plan.session : null;
  const ask: Ask = {
    ...{ role, part: null, agent, mode: plan.kind, template: templateFor(role, plan), why: plan.why, session },
    ...{ iteration: state.counted[stage], most: mostIterations(setup), isFinalValidation },
    ...{ delta: null, lastIteration: null, issues: [], fixes: [], domainOutcome: null, because: null },
  };
  const deltaTo = (to: SeenContent | null) =>
    session === null || to === null ? null : { from: session.saw, to: to.snapshot };
  if (position.at === 'preparing') return { ...ask, part: setup.preparations[position.next]?.part ?? null };
  if (position.at === 'fixing') {
    const lastIteration = state.resume.implementer?.lastIteration ?? null;
    return { ...ask, delta: deltaTo(state.reviewed), lastIteration, issues: position.issues };
  }
  if (position.at !== 'reviewing') throw unexpected('a call', position.at);
  const reviewer = role as ReviewerRole;
  const last = state.roles[reviewer];
  return {
    ...ask,
    delta: deltaTo(position.seen),
    lastIteration: last?.iteration ?? null,
    issues: last?.answer.issues.map((issue) => ({ role: reviewer, issue })) ?? [],
    fixes: state.fixes.filter(({ round }) => last === undefined || round >= last.round),
    domainOutcome: stage === 'phase' ? state.domainOutcome : null,
  };
}

/** Returns the prompt template for a call; null for preparations, which have their own prompts. */
function templateFor(role: PhaseRole, { kind, why }: Pick<DispatchPlan, 'kind' | 'why'>): LoopTemplate | null {
  if (role === 'code-simplifier' || role === 'test-deepener') return null;
  if (role === 'implementer') return kind === 'resumed' ? 'I7-resumed' : 'I7-fresh';
  if (kind === 'resumed') return why === 'final-validation' ? 'I2-FV' : 'I2';
  return why === 'session-lost' ? 'I3' : 'I1-R4';
}

/**
 * Returns the state with the role's session after an answer. A new session is kept only if the agent reported its id.
 */
export function keepSession(
  state: PhaseState,
  { ask, asked, openingChars }: PendingDispatch,
  replied: Replied,
  saw: SeenContent['snapshot'],
): PhaseState {
  const others = withoutKey(state.resume, ask.role);
  const session =
    asked === 'resumed' && ask.session !== null
      ? { ...ask.session, id: replied.session?.id ?? ask.session.id, saw }
      : replied.session && { ...replied.session, firstPromptLength: openingChars ?? replied.promptChars, saw };
  if (session === null) return { ...state, resume: others };
  return { ...state, resume: { ...others, [ask.role]: { session, lastIteration: state.counted[state.stage] } } };
}

/** Returns the warning to record if the agent did not confirm, in a new session, that it read the required files. */
export function readMarks({ ask, asked }: PendingDispatch, { readsConfirmed }: Replied): readonly PhaseMark[] {
  if (asked === 'resumed' || readsConfirmed !== false) return [];
  return [{ kind: 'lazy-load-warning', role: ask.role }];
}

/**
 * Adds one question to the totals of a call. A prompt with 0 characters was not sent, so it does not count as a
 * question.
 */
export function countSpent(before: Spent, more: Pick<Replied, 'promptChars' | 'freshChars' | 'usage'>): Spent {
  return {
    asks: before.asks + (more.promptChars > 0 ? 1 : 0),
    promptChars: before.promptChars + more.promptChars,
    freshChars: Math.max(before.freshChars, more.freshChars),
    usage: addUsage(before.usage, more.usage),
  };
}

/** Returns the record of a reviewer that gave no verdict in this round. */
export function reviewError(call: PendingDispatch, failure: RoleReviewError['failure']): RoleReviewError {
  return { role: call.ask.role as ReviewerRole, ...recordOf(call), failure };
}

export function recordOf({ ask, spent }: PendingDispatch): LoopCall {
  // Preparations have no template. Their record ignores this field, so any value is correct for them.
  return { agent: ask.agent, template: ask.template ?? 'I1-R4', why: ask.why, spent };
}

export function after(first: PhaseAction, { state, actions }: PhaseStep): PhaseStep {
  return { state, actions: [first, ...actions] };
}

export function withoutKey<T extends object>(all: T, key: string): T {
  return Object.fromEntries(Object.entries(all).filter(([name]) => name !== key)) as T;
}

/** Returns the error for an event that the current position does not accept, which is a bug of the driver. */
export function unexpected(event: string, at: string): Error {
  return new Error(`the event ${event} does not fit ${at}`);
}
