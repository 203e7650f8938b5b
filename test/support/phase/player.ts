import type { AgentFailure } from '@onceover/base/kernel/agent';
import type { RepoPath, SnapshotId } from '@onceover/base/kernel/ids';
import type { PhaseName, PhaseRole, ReviewerRole } from '@onceover/base/kernel/review-loops';
import { fallbackAsk, unsentCall } from '@onceover/loops/src/phases/decide/calls.ts';
import { beginPhase, stepPhase } from '@onceover/loops/src/phases/decide/machine.ts';
import type {
  Ask,
  LoopSession,
  Measured,
  PhaseAction,
  PhaseEvent,
  PhaseState,
  PhaseStep,
  Replied,
} from '@onceover/loops/src/phases/state.ts';
import type {
  IterationEntry,
  LoopAnswer,
  LoopCall,
  LoopIssue,
  PhaseEnd,
  PhaseSetup,
} from '@onceover/loops/src/phases/types.ts';
import { loopAsk } from '../loop-asks.ts';

const ROLES: readonly PhaseRole[] = [
  'spec-reviewer',
  'design-reviewer',
  'plan-reviewer',
  'task-reviewer',
  'phase-reviewer',
  'implementation-reviewer',
  'code-quality-reviewer',
  'security-reviewer',
  'implementer',
  'code-simplifier',
  'test-deepener',
];

export const ARTIFACT = 'docs/f/spec.md' as RepoPath;

/** Returns the default setup of a phase; `more` overrides it. */
export function phaseSetup(phase: PhaseName, more: Partial<PhaseSetup> = {}): PhaseSetup {
  return {
    phase,
    loop: 'loop-1',
    assigned: Object.fromEntries(ROLES.map((role) => [role, { agent: 'claude', others: [] }])),
    mostIterations: 5,
    fixing: 'fixer',
    keepSessions: false,
    commits: true,
    acceptWithNotes: false,
    recheckDomain: false,
    finalValidation: 'all',
    preparations: [],
    edits: { documents: phase === 'implement' ? null : [ARTIFACT], kept: ['onceover.yml' as RepoPath], only: null },
    ...more,
  };
}

export const now = { agent: 'claude', model: 'm', version: '1', toolsDigest: 't' };
const measured: Measured = { now, canResume: true, lost: null, cost: null, deltaLength: 100 };
export const FIRST_PROMPT = 1000;

/** Returns a session as its first answer reports it. */
export function sessionAs(id: string, more: Partial<LoopSession> = {}): Omit<LoopSession, 'saw'> {
  const use = { usedBefore: null, contextTokens: null, freshTokens: null, lastUsedAt: '', warmMinutes: 5 };
  return { ...now, id, firstPromptLength: FIRST_PROMPT, opening: 'Rules.', ...use, ...more };
}

/** Returns the record of a call with this number of questions. */
export function called(ask: Ask, asks = 1): LoopCall {
  const promptChars = ask.session === null ? FIRST_PROMPT : 60;
  return { ...unsentCall(ask), spent: { asks, promptChars, freshChars: FIRST_PROMPT, usage: null } };
}

export const blocker: LoopIssue = { severity: 'blocker', description: 'wrong' };
export const pass: LoopAnswer = { approved: true, issues: [], summary: 'good' };
export const fail: LoopAnswer = { approved: false, issues: [blocker], summary: 'bad' };
export const broken: AgentFailure = { kind: 'agent-error', said: 'boom' };
export const gone: AgentFailure = { kind: 'session-lost', said: 'no such session' };

/** Runs a phase by hand: each method sends an event and stores the resulting step. */
export class Player {
  state: PhaseState;
  actions: readonly PhaseAction[];
  readonly all: PhaseAction[] = [];
  /** The version of the content under review; a fix raises it. */
  content = 1;
  snapshots = 0;
  sessions = 0;

  constructor(setup: PhaseSetup) {
    const step = beginPhase(setup);
    ({ state: this.state, actions: this.actions } = step);
    this.all.push(...step.actions);
  }

  send(event: PhaseEvent): this {
    return this.took(stepPhase(this.state, event));
  }

  took(step: PhaseStep): this {
    ({ state: this.state, actions: this.actions } = step);
    this.all.push(...step.actions);
    return this;
  }

  snapshot(artifact: 'present' | 'missing' | 'empty' = 'present'): this {
    this.snapshots += 1;
    const seen = { snapshot: `tree${this.snapshots}` as SnapshotId, content: `c${this.content}` };
    return this.send({ kind: 'snapshot-taken', seen, artifact });
  }

  measure(role: PhaseRole, more: Partial<Measured> = {}): this {
    return this.send({ kind: 'measured', role, ...measured, ...more });
  }

  answer(role: ReviewerRole, answer: LoopAnswer, more: Partial<Extract<PhaseEvent, { kind: 'answered' }>> = {}): this {
    return this.send({ kind: 'answered', answer, ...this.replied(role), ...more, role });
  }

  /** The agent fails, and so do all its retries. */
  fail(role: PhaseRole, failure: AgentFailure): this {
    return this.send({ kind: 'call-failed', role, failure, call: called(this.askOf(role)), fellBack: null });
  }

  /** Returns the facts of an answer in the new session that replaced one that could not be resumed. */
  fellBack(role: PhaseRole, because: AgentFailure, id = 'new') {
    const call = called(fallbackAsk(this.askOf(role)), 2);
    return { call, fellBack: because, session: sessionAs(id) };
  }

  /** The fixer changes the artifact. */
  fix(paths: readonly string[] = [ARTIFACT], more: Partial<Replied> = {}): this {
    if (paths.length > 0) this.content += 1;
    const changedPaths = paths as readonly RepoPath[];
    const { position, setup } = this.state;
    const role = position.at === 'preparing' ? setup.preparations[position.next]?.role : undefined;
    const replied = { ...this.replied(role ?? 'implementer'), ...more };
    return this.send({ kind: 'fixed', summary: `fix ${this.content}`, changedPaths, ...replied });
  }

  callerFix(paths: readonly string[] = [ARTIFACT]): this {
    if (paths.length > 0) this.content += 1;
    return this.send({ kind: 'fixed', summary: 'mine', changedPaths: paths as readonly RepoPath[], by: 'caller' });
  }

  commit(): this {
    return this.send({ kind: 'commit-ended', failed: false });
  }

  /** Answers every action until a reviewer has to answer: snapshots, measurements, commits, fixes. */
  untilReview(): this {
    for (let left = 30; left > 0; left -= 1) {
      const next = this.actions.find(({ kind }) => !kind.startsWith('record'));
      if (next === undefined) return this;
      if (next.kind === 'take-snapshot') this.snapshot();
      else if (next.kind === 'commit') this.commit();
      else if (next.kind === 'fix') this.fix();
      else if (next.kind === 'measure') this.measureAll();
      else return this;
    }
    throw new Error('no review is asked for');
  }

  /** Plays a round of reviews with these answers, up to the next action. */
  round(answers: Partial<Record<ReviewerRole, LoopAnswer>>): this {
    this.untilReview();
    for (const [role, answer] of Object.entries(answers) as [ReviewerRole, LoopAnswer][]) this.answer(role, answer);
    return this;
  }

  asks(kind: 'dispatch' | 'fix' | 'prepare' | 'measure' = 'dispatch'): readonly Ask[] {
    return this.actions.flatMap((action) => (action.kind === kind ? [action.ask] : []));
  }

  /** Returns all calls in short form. */
  told(): readonly string[] {
    return this.all.flatMap((action) => {
      if (action.kind !== 'dispatch' && action.kind !== 'fix' && action.kind !== 'prepare') return [];
      const { role, template, iteration, isFinalValidation } = action.ask;
      return [`${role} ${template ?? 'fresh'} ${iteration}${isFinalValidation ? ' FV' : ''}`];
    });
  }

  get entries(): readonly IterationEntry[] {
    return this.all.flatMap((action) => (action.kind === 'record' ? [action.entry] : []));
  }

  get end(): PhaseEnd | null {
    return this.state.position.at === 'ended' ? this.state.position.end : null;
  }

  private measureAll(): void {
    for (const { role, agent } of this.asks('measure')) {
      const dispatched = this.actions;
      this.measure(role, { now: { ...now, agent } });
      this.actions = [...dispatched.filter((one) => !isMeasure(one, role)), ...this.actions];
    }
  }

  private replied(role: PhaseRole): Replied {
    this.sessions += 1;
    const ask = this.askOf(role);
    const session = { ...(ask.session ?? sessionAs('')), id: `s${this.sessions}` };
    return { role, call: called(ask), fellBack: null, by: 'agent', session, readsConfirmed: true };
  }

  /** The question of a role that is in progress. Tests of wrong events have none, so they get any question. */
  private askOf(role: PhaseRole): Ask {
    const { position } = this.state;
    return ('flights' in position ? position.flights[role]?.ask : undefined) ?? loopAsk({ role });
  }
}

function isMeasure(action: PhaseAction, role: PhaseRole): boolean {
  return action.kind === 'measure' && action.ask.role === role;
}
