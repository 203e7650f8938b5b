import { decideDispatch, deltaLimit } from '@onceover/agents/economy/resume';
import type { DispatchPlan } from '@onceover/base/kernel/agent';
import { dispatchBy, type LoopTemplate, type PhaseRole, type ReviewerRole } from '@onceover/base/kernel/review-loops';
import type { Ask, CallEnd, PhaseAction, PhaseEvent, PhasePosition, PhaseState, PhaseStep, Replied } from '../state.ts';
import type { LoopCall, PhaseMark, SeenContent } from '../types.ts';
import { endPhase } from './end.ts';
import { agentFor, mostIterations, sessionOf } from './roles.ts';

export type PositionAt<At extends PhasePosition['at']> = Extract<PhasePosition, { at: At }>;

export type EventOf<Kind extends PhaseEvent['kind']> = Extract<PhaseEvent, { kind: Kind }>;

/**
 * Starts a call to a role's agent. If the role has a session, the prompt that would resume it is built first, because
 * its length decides whether the session is resumed.
 */
export function startCall(state: PhaseState, role: PhaseRole): PhaseStep {
  const session = sessionOf(state, role);
  if (session !== null) {
    const why = state.isFinalValidation ? 'final-validation' : 'delta';
    return withCall(state, askFor(state, role, { kind: 'resumed', why, session }), 'measuring');
  }
  return withCall(state, askFor(state, role, { kind: 'fresh', why: whyNoSession(state, role) }), 'asked');
}

/** Returns the reason why a role without a session to resume gets a new session. */
function whyNoSession({ resume, roles }: PhaseState, role: PhaseRole): 'first-look' | 'cannot-resume' | 'asked-for' {
  if (Object.hasOwn(resume, role)) return 'cannot-resume';
  // If the role has already reviewed, its session is missing because of `--no-keep-sessions`.
  return Object.hasOwn(roles, role) ? 'asked-for' : 'first-look';
}

/** Chooses between a new and a resumed session. `event` has the length of the prompt that would resume the session. */
export function onMeasured(state: PhaseState, event: EventOf<'measured'>): PhaseStep {
  const { position } = state;
  const { role, deltaLength, mustReadLength = 0 } = event;
  if (flightOf(position, role)?.kind !== 'measuring') throw unexpected(event.kind, role);
  const isReviewer = role !== 'implementer';
  const session = sessionOf(state, role);
  const plan = decideDispatch({
    ...event,
    session,
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
  return withCall(state, askFor(state, role, plan), 'asked', marks);
}

/** Records a call that failed after all retries. If it was a fix or a step before the reviews, the phase ends. */
export function onCallFailed(state: PhaseState, event: EventOf<'call-failed'>): PhaseStep {
  const { position } = state;
  const { role, call, failure } = event;
  checkAsked(position, event);
  if (position.at === 'reviewing') {
    const errors = [...position.errors, { role: role as ReviewerRole, ...call, failure }];
    const { [role]: _, ...flights } = position.flights;
    const marks = [...position.marks, ...callMarks(state, event)];
    return { state: { ...state, position: { ...position, flights, errors, marks } }, actions: [] };
  }
  if (position.at !== 'fixing' && position.at !== 'preparing') throw unexpected(event.kind, position.at);
  const why = position.at === 'fixing' ? 'fixer-failed' : 'preparation-failed';
  return after(failedCall(state, position, event), endPhase(state, why, { failure }));
}

/**
 * If the failed or stopped call was a fix, or one of the steps before the reviews, returns the action that records it.
 */
export function failedCall(
  state: PhaseState,
  position: PositionAt<'fixing' | 'preparing'>,
  callEnd: CallEnd,
): PhaseAction {
  const { round, setup } = state;
  const { call } = callEnd;
  if (position.at === 'fixing') {
    const turn = call.spent.asks > 0 ? call : null;
    const marks = [...position.marks, ...callMarks(state, callEnd)];
    return { kind: 'record-fix', round, summary: null, marks, turn };
  }
  const preparation = setup.preparations[position.next];
  if (preparation === undefined) throw unexpected('a failed call', position.at);
  return { kind: 'record-preparation', ...preparation, summary: null, call };
}

/** Throws if no call to this role's agent is in progress. That would be a bug in `drivePhase`. */
export function checkAsked(
  position: PhasePosition,
  { role, kind }: { readonly role: PhaseRole; readonly kind: string },
): void {
  if (flightOf(position, role)?.kind !== 'asked') throw unexpected(kind, role);
}

function flightOf(position: PhasePosition, role: PhaseRole) {
  return 'flights' in position ? position.flights[role] : undefined;
}

const ACTIONS = { reviewing: 'dispatch', fixing: 'fix', preparing: 'prepare' } as const;

function withCall(
  state: PhaseState,
  ask: Ask,
  kind: 'measuring' | 'asked',
  marks: readonly PhaseMark[] = [],
): PhaseStep {
  const { position } = state;
  if (!('flights' in position)) throw unexpected('a call', position.at);
  const flights = { ...position.flights, [ask.role]: { kind, ask } };
  return {
    state: { ...state, position: { ...position, flights, marks: [...position.marks, ...marks] } },
    actions: [{ kind: kind === 'measuring' ? 'measure' : ACTIONS[position.at], ask }],
  };
}

/** Returns the next question to a role: its agent, session and template, but not the text of the prompt. */
function askFor(state: PhaseState, role: PhaseRole, plan: DispatchPlan): Ask {
  const { position, setup, stage, isFinalValidation } = state;
  const { agent, others } = agentFor(state, role);
  const session = plan.kind === 'resumed' ? sessionOf(state, role) : null;
  const ask: Ask = {
    // If an agent that edits files fails, no other agent replaces it, because it would not know which edits are already
    // made.
    ...{ agent, others: role.endsWith('-reviewer') ? others : [] },
    ...{ role, part: null, template: templateFor(role, plan), why: plan.why, session },
    ...{ iteration: state.counted[stage], most: mostIterations(setup), isFinalValidation },
    ...{ delta: null, lastIteration: null, issues: [], fixes: [], domainOutcome: null },
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

function templateFor(role: PhaseRole, { kind, why }: DispatchPlan): LoopTemplate | null {
  if (kind === 'fresh') return freshTemplate(role, why);
  if (role === 'implementer') return 'I7-resumed';
  return why === 'final-validation' ? 'I2-FV' : 'I2';
}

/**
 * Returns the prompt template for a new session; null for the steps before the reviews, whose prompts do not come from
 * a template.
 */
export function freshTemplate(role: PhaseRole, why: Ask['why'] = 'first-look'): LoopTemplate | null {
  if (role === 'code-simplifier' || role === 'test-deepener') return null;
  if (role === 'implementer') return 'I7-fresh';
  return why === 'session-lost' ? 'I3' : 'I1-R4';
}

/** Returns the question to ask in a new session if resuming the old one fails. */
export function fallbackAsk(ask: Ask): Ask {
  if (ask.session === null) return ask;
  const template = freshTemplate(ask.role, 'session-lost');
  return { ...ask, template, why: 'resume-failed', session: null, delta: null };
}

export function keepSession(state: PhaseState, { role, session }: Replied, saw: SeenContent['snapshot']): PhaseState {
  const resumePoint = { session: session && { ...session, saw }, lastIteration: state.counted[state.stage] };
  return { ...state, resume: { ...state.resume, [role]: resumePoint } };
}

/**
 * Returns the lines that mark events of a call in the history: that a resume failed, or that a new session did not
 * confirm reading its files.
 */
export function callMarks(
  { counted, stage }: PhaseState,
  { role, call, fellBack, readsConfirmed = null }: CallEnd & Partial<Pick<Replied, 'readsConfirmed'>>,
): readonly PhaseMark[] {
  const isUnread = readsConfirmed === false && dispatchBy(call.template) === 'fresh';
  return [
    ...(fellBack === null
      ? []
      : [{ kind: 'resume-fallback', role, iteration: counted[stage], because: fellBack } as const]),
    ...(isUnread ? [{ kind: 'lazy-load-warning', role } as const] : []),
  ];
}

/** Returns the record of a planned call that was never sent to an agent. */
export function unsentCall({ agent, template, why }: Pick<Ask, 'agent' | 'template' | 'why'>): LoopCall {
  const spending = { asks: 0, promptChars: 0, freshChars: 0, usage: null };
  // The steps before the reviews use no template. Any value will do here, because no code reads this field of their
  // records.
  return { agent, template: template ?? 'I1-R4', why, spent: spending };
}

export function after(first: PhaseAction, { state, actions }: PhaseStep): PhaseStep {
  return { state, actions: [first, ...actions] };
}

/**
 * Returns the error to throw if an event cannot occur at the position `at` of the state. That would be a bug in
 * `drivePhase`.
 */
export function unexpected(event: string, at: string): Error {
  return new Error(`the event ${event} does not fit ${at}`);
}
