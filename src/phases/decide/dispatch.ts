import { decideDispatch, deltaLimit } from '../../dispatch/decide-resume.ts';
import { nextDispatchStep } from '../../dispatch/retry.ts';
import {
  type AgentFailure,
  addUsage,
  type DispatchFacts,
  type DispatchPlan,
  type Session,
} from '../../kernel/agent.ts';
import type { PhaseRole, Spent } from '../../kernel/review-loops.ts';
import type { Ask, Measured, PendingDispatch, PhaseEvent, PhaseState, Replied, ResumeEntry } from '../state.ts';
import type { PhaseMark } from '../types.ts';
import { assignedTo, sessionOf, templateFor } from './questions.ts';

type Asked = Extract<PendingDispatch, { kind: 'asked' }>;

/** Makes the question of a role: reviewers and the implementer differ in it. */
type MakeAsk = (how: Pick<Ask, 'mode' | 'template' | 'why' | 'session'>) => Ask;

/** The call that comes next, with the marks to record for it. */
export type StartedDispatch = { readonly flight: PendingDispatch; readonly marks: readonly PhaseMark[] };

/** Starts a call: at once in a new session, or after measuring the resumed prompt if the role has a session. */
export function startLoopDispatch(state: PhaseState, role: PhaseRole, make: MakeAsk): StartedDispatch {
  const session = sessionOf(state, role);
  if (session !== null && !state.setup.fresh) {
    const how = state.isFinalValidation ? 'final-validation' : 'resumed';
    const why = state.isFinalValidation ? 'final-validation' : 'delta';
    const ask = make({ mode: 'resumed', template: templateFor(role, how), why, session });
    return { flight: { kind: 'measuring', ask }, marks: [] };
  }
  const plan = decideDispatch({ ...UNMEASURED, ...factsOf(state, role, true), session: null });
  return { flight: askedFor(state, role, make, plan), marks: [] };
}

/** Decides between a new and a resumed session after the resumed prompt was measured. */
export function settleDispatch(
  state: PhaseState,
  role: PhaseRole,
  given: { readonly measured: Measured; readonly changed: boolean; readonly make: MakeAsk },
): StartedDispatch {
  const session = sessionOf(state, role);
  const { measured, changed, make } = given;
  const commitLost = state.commitFailed && role !== 'implementer';
  const lost = measured.lost ?? (commitLost ? 'diff' : null);
  const { now, canResume, cost, deltaLength, mustReadLength = 0 } = measured;
  const known = { now, canResume, cost, deltaLength, mustReadLength };
  const plan = decideDispatch({ ...factsOf(state, role, changed), ...known, lost, session });
  return { flight: askedFor(state, role, make, plan), marks: marksOf(state, role, plan, measured, session) };
}

function askedFor(state: PhaseState, role: PhaseRole, make: MakeAsk, plan: DispatchPlan): Asked {
  const kind = plan.kind === 'resumed' ? 'resumed' : plan.why === 'session-lost' ? 'fallback' : 'fresh';
  const how = plan.why === 'final-validation' ? 'final-validation' : kind;
  const session = plan.kind === 'resumed' ? plan.session : null;
  return pendingDispatches(
    make({ mode: plan.kind, template: templateFor(role, how), why: plan.why, session }),
    assignedTo(state, role).others,
  );
}

/** Returns the state of a call that is about to be sent. */
export function pendingDispatches(ask: Ask, others: readonly string[]): Asked {
  const asked = ask.mode === 'resumed' ? 'resumed' : 'fresh';
  return {
    kind: 'asked',
    ask,
    asked,
    others,
    repaired: false,
    failedOver: false,
    openingChars: null,
    spent: NOTHING_SPENT,
  };
}

type FailedDispatch = Extract<PhaseEvent, { kind: 'dispatch-failed' }>;

/** Returns the call that follows a failed one, or the final failure. */
export function afterFailure(
  flight: Asked,
  event: FailedDispatch,
): StartedDispatch | { readonly failure: AgentFailure; readonly spent: Spent } {
  const { ask } = flight;
  const { failure: because } = event;
  const spent = countSpent(flight.spent, { ...event, freshChars: 0 });
  const writes = !ask.role.endsWith('-reviewer');
  // No other agent takes over from a writer: it would not know the first one's edits.
  const others = writes ? [] : flight.others;
  const next = nextDispatchStep({ ...flight, agent: ask.agent, mode: ask.mode, others, writes }, because);
  if (next === null) return { failure: because, spent };
  const { agent, mode, asked, repaired, failedOver } = next;
  const common = { kind: 'asked', asked, others: next.others, repaired, failedOver, spent } as const;
  if (mode === 'repair') {
    const openingChars = flight.openingChars ?? (ask.mode === 'fresh' ? event.promptChars : null);
    return { flight: { ...common, openingChars, ask: { ...ask, mode, because } }, marks: [] };
  }
  const fellBack = flight.asked === 'resumed';
  const template = fellBack && ask.template !== null ? templateFor(ask.role, 'fallback') : ask.template;
  const why = agent === ask.agent ? 'resume-failed' : 'other-agent';
  const again: Ask = { ...ask, agent, mode, template, why, session: null, delta: null, because };
  const { role, iteration } = ask;
  return {
    flight: { ...common, openingChars: null, ask: again },
    marks: fellBack ? [{ kind: 'resume-fallback', role, iteration, because }] : [],
  };
}

/** Returns the session to keep for a role after its answer; `null` if the agent named none and none was resumed. */
export function keptAfter(
  flight: Asked,
  replied: Replied,
  saw: { readonly snapshot: Session['saw']; readonly iteration: number },
): ResumeEntry | null {
  const entry = (session: Session): ResumeEntry => ({ session, lastIteration: saw.iteration });
  const { session: kept } = flight.ask;
  if (flight.asked === 'resumed' && kept !== null) {
    return entry({ ...kept, id: replied.session?.id ?? kept.id, saw: saw.snapshot });
  }
  if (replied.session === null) return null;
  const firstPromptLength = flight.openingChars ?? replied.promptChars;
  return entry({ ...replied.session, firstPromptLength, saw: saw.snapshot });
}

/** Returns the warning to record if a new session did not read the files that it must read. */
export function readMarks(flight: Asked, { readsConfirmed }: Replied): readonly PhaseMark[] {
  if (flight.asked === 'resumed' || readsConfirmed !== false) return [];
  return [{ kind: 'lazy-load-warning', role: flight.ask.role }];
}

/** Adds one question to the totals. A question without characters was not sent, so it is not counted. */
export function countSpent(before: Spent, more: Pick<Replied, 'promptChars' | 'freshChars' | 'usage'>): Spent {
  return {
    asks: before.asks + (more.promptChars > 0 ? 1 : 0),
    promptChars: before.promptChars + more.promptChars,
    freshChars: Math.max(before.freshChars, more.freshChars),
    usage: addUsage(before.usage, more.usage),
  };
}

export const NOTHING_SPENT: Spent = { asks: 0, promptChars: 0, freshChars: 0, usage: null };

const UNMEASURED: Omit<DispatchFacts, 'who' | 'wanted' | 'session' | 'isFinalValidation' | 'changed'> = {
  now: { agent: '', model: null, version: '', toolsDigest: '' },
  canResume: false,
  lost: null,
  cost: null,
  deltaLength: 0,
};

function factsOf(
  state: PhaseState,
  role: PhaseRole,
  changed: boolean,
): Pick<DispatchFacts, 'who' | 'wanted' | 'isFinalValidation' | 'changed'> {
  const who = role === 'implementer' ? 'implementer' : 'reviewer';
  return {
    who,
    wanted: wantedFor(state, role),
    isFinalValidation: state.isFinalValidation && who === 'reviewer',
    changed,
  };
}

function wantedFor(state: PhaseState, role: PhaseRole): DispatchFacts['wanted'] {
  if (state.setup.fresh) return 'fresh';
  const hasLooked = Object.hasOwn(state.roles, role);
  const isDropped = state.setup.fixing === 'caller' && !state.setup.keepSessions;
  return isDropped && hasLooked && sessionOf(state, role) === null ? 'no-sessions' : 'any';
}

function marksOf(
  state: PhaseState,
  role: PhaseRole,
  plan: DispatchPlan,
  measured: Measured,
  session: Session | null,
): readonly PhaseMark[] {
  const iteration = state.counted[state.stage];
  if (plan.why === 'session-lost') {
    const what = measured.lost ?? 'commit';
    return [{ kind: 'resume-fallback', role, iteration, because: { kind: 'lost', what } }];
  }
  if (plan.why !== 'delta-too-large' || session === null) return [];
  const { deltaLength: length, mustReadLength } = measured;
  return [{ kind: 'delta-guard', role, iteration, length, limit: deltaLimit(session, mustReadLength) }];
}
