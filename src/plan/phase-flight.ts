import type { AgentFailure } from '../domain/agent.ts';
import type { DispatchFacts, DispatchPlan, Session } from '../domain/dispatch.ts';
import type { PhaseMark, PhaseRole, Spent } from '../domain/phase.ts';
import type { Ask, Flight, Measured, PhaseEvent, PhaseState, Replied, ResumeEntry } from '../domain/phase-step.ts';
import { addUsage } from '../domain/usage.ts';
import { advance, type DispatchState } from './advance.ts';
import { decideDispatch, deltaLimit } from './decide-dispatch.ts';
import { assignedTo, sessionOf, templateFor } from './phase-ask.ts';

type Asked = Extract<Flight, { kind: 'asked' }>;

/** Makes the question of a role; what differs between reviewers and the implementer. */
type MakeAsk = (how: Pick<Ask, 'mode' | 'template' | 'why' | 'session'>) => Ask;

/** What a question came to: one to put, with what is to be remembered. */
export type Launched = { readonly flight: Flight; readonly marks: readonly PhaseMark[] };

/** Begins a question: at once where nothing can be resumed, else after measuring what a resumed prompt would be. */
export function launch(state: PhaseState, role: PhaseRole, make: MakeAsk): Launched {
  const session = sessionOf(state, role);
  if (session !== null && !state.setup.fresh) {
    const how = state.isFinalValidation ? 'final-validation' : 'resumed';
    const why = state.isFinalValidation ? 'final-validation' : 'delta';
    const ask = make({ mode: 'resumed', template: templateFor(role, how), why, session });
    return { flight: { kind: 'measuring', ask }, marks: [] };
  }
  const plan = decideDispatch({ ...UNMEASURED, ...factsOf(state, role, true), session: null });
  return { flight: put(state, role, make, plan), marks: [] };
}

/** Decides between fresh and resumed, now that it is known what a resumed prompt would be. */
export function settle(
  state: PhaseState,
  role: PhaseRole,
  given: { readonly measured: Measured; readonly changed: boolean; readonly make: MakeAsk },
): Launched {
  const session = sessionOf(state, role);
  const { measured, changed, make } = given;
  const commitLost = state.commitFailed && role !== 'implementer';
  const lost = measured.lost ?? (commitLost ? 'diff' : null);
  const { now, canResume, cost, deltaLength, mustReadLength = 0 } = measured;
  const known = { now, canResume, cost, deltaLength, mustReadLength };
  const facts: DispatchFacts = { ...factsOf(state, role, changed), ...known, lost, session };
  const plan = decideDispatch(facts);
  return { flight: put(state, role, make, plan), marks: marksOf(state, role, plan, measured, session) };
}

function put(state: PhaseState, role: PhaseRole, make: MakeAsk, plan: DispatchPlan): Asked {
  const kind = plan.kind === 'resumed' ? 'resumed' : plan.why === 'session-lost' ? 'fallback' : 'fresh';
  const how = plan.why === 'final-validation' ? 'final-validation' : kind;
  const session = plan.kind === 'resumed' ? plan.session : null;
  return flying(
    make({ mode: plan.kind, template: templateFor(role, how), why: plan.why, session }),
    assignedTo(state, role).others,
  );
}

/** A question that is put now; a writer is not replaced by another agent. */
export function flying(ask: Ask, others: readonly string[]): Asked {
  const asked = ask.mode === 'resumed' ? 'resumed' : 'fresh';
  return { kind: 'asked', ask, asked, others, repaired: false, failedOver: false, openingChars: null, spent: NOTHING };
}

type FailedDispatch = Extract<PhaseEvent, { kind: 'dispatch-failed' }>;

/** What a failed dispatch leads to: another question, or the failure for good. */
export function afterFailure(
  flight: Asked,
  event: FailedDispatch,
): Launched | { readonly failure: AgentFailure; readonly spent: Spent } {
  const { ask } = flight;
  const spent = spend(flight.spent, { ...event, freshChars: 0 });
  // A writer has worked all the time that it was given: asked afresh, it would begin again.
  if (isWriter(ask) && event.failure.kind === 'timeout') return { failure: event.failure, spent };
  const step = advance(dispatchOf(flight), failedWith(event.failure));
  if (step.kind !== 'ask') return { failure: event.failure, spent };
  const { agent, mode, asked, others, repaired, failedOver } = step.state;
  const common = { kind: 'asked', asked, others, repaired, failedOver, spent } as const;
  if (mode === 'repair') {
    const openingChars = flight.openingChars ?? (ask.mode === 'fresh' ? event.promptChars : null);
    return {
      flight: { ...common, openingChars, ask: { ...ask, mode, because: step.because } },
      marks: [],
    };
  }
  const fellBack = flight.asked === 'resumed';
  const template = fellBack && ask.template !== null ? templateFor(ask.role, 'fallback') : ask.template;
  const why = agent === ask.agent ? 'resume-failed' : 'other-agent';
  const again: Ask = { ...ask, agent, mode, template, why, session: null, delta: null, because: step.because };
  const { role, iteration } = ask;
  return {
    flight: { ...common, openingChars: null, ask: again },
    marks: fellBack ? [{ kind: 'resume-fallback', role, iteration, because: step.because }] : [],
  };
}

/** What is kept for a role after it answered; null: it told no session, and has none to go on with. */
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

/** What a fresh dispatch is remembered by if it did not read what it must. */
export function readMarks(flight: Asked, { readsConfirmed }: Replied): readonly PhaseMark[] {
  if (flight.asked === 'resumed' || readsConfirmed !== false) return [];
  return [{ kind: 'lazy-load-warning', role: flight.ask.role }];
}

/** What was sent and used so far, with one question more; one of which nothing was sent was not put. */
export function spend(before: Spent, more: Pick<Replied, 'promptChars' | 'freshChars' | 'usage'>): Spent {
  return {
    asks: before.asks + (more.promptChars > 0 ? 1 : 0),
    promptChars: before.promptChars + more.promptChars,
    freshChars: Math.max(before.freshChars, more.freshChars),
    usage: addUsage(before.usage, more.usage),
  };
}

export const NOTHING: Spent = { asks: 0, promptChars: 0, freshChars: 0, usage: null };

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

function dispatchOf({ ask, asked, others, repaired, failedOver }: Asked): DispatchState {
  const writes = isWriter(ask);
  return { agent: ask.agent, mode: ask.mode, asked, others: writes ? [] : others, repaired, failedOver, writes };
}

function isWriter({ role }: Ask): boolean {
  return !role.endsWith('-reviewer');
}

function failedWith(failure: AgentFailure) {
  return { kind: 'failed', failure } as const;
}
