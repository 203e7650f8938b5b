import { describeTranscript } from '../../dispatch/retry.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { dispatchBy, type PhaseRole } from '../../kernel/review-loops.ts';
import type { LedgerLoop, LoopDispatch } from '../../ledger/entries.ts';
import { isCutOff } from '../decide/end.ts';
import { checkpoint } from '../decide/machine.ts';
import { dispatchesOf, metaUpdate } from '../decide/outcome.ts';
import { describeIssueLine } from '../describe/issues.ts';
import type { Conversation, PhaseContext } from '../do/context.ts';
import { setAsideFeature } from '../read/feature.ts';
import { neededSnapshots } from '../read/subject.ts';
import type { KeptLoop, PhasePreparation, PhaseRound, PhaseRun } from '../run-types.ts';
import type { Ask, PhaseAction, PhaseState } from '../state.ts';
import type { LoopCall, PhaseEnd } from '../types.ts';
import { historyEntry, withEntry } from './history.ts';

/** The facts about a call that its record does not hold. */
export type DispatchFigures = Pick<LedgerLoop, 'at' | 'durationMs' | 'model' | 'startedBy' | 'branch'>;

/** Returns the ledger entries of a round's reviews, or of the fix after it. */
export function ledgerEntries(
  run: PhaseRun,
  { entry, fix }: Pick<PhaseRound, 'entry' | 'fix'>,
  figures: (role: LedgerLoop['role']) => DispatchFigures,
): readonly LedgerLoop[] {
  const reviews = dispatchesOf(entry, null, { feature: run.feature, run: run.id });
  const answered = reviews.map((one) => {
    const look = entry.looks.find(({ role }) => role === one.role);
    return toLedger(one, look?.agent ?? '', look?.enginePass === true ? 'pass' : 'fail', figures(one.role));
  });
  const failed = entry.errors
    .filter(({ spent }) => spent.asks > 0)
    .map(({ role, agent, template, why, spent }) => {
      const { phase, stage, iteration, isFinalValidation } = entry;
      const fellBack = entry.marks.some((mark) => mark.kind === 'resume-fallback' && mark.role === role);
      const one: LoopDispatch = {
        ...{ feature: run.feature, run: run.id, phase, stage, iteration, isFinalValidation, role, template },
        ...{ why, spent, fellBack, guarded: false, warned: false },
      };
      return toLedger(one, agent, 'error', figures(role));
    });
  return fix === null ? [...answered, ...failed] : fixEntries(run, entry, fix, figures);
}

/** Returns the ledger entry of a preparation. */
export function preparationEntry(
  { id, feature, phase }: PhaseRun,
  one: DispatchFigures & Pick<LedgerLoop, 'role' | 'agent' | 'status' | 'asks' | 'promptChars' | 'usage'>,
): LedgerLoop {
  return {
    kind: 'loop',
    ...one,
    ...{ feature, run: id, phase, stage: 'implement', iteration: 0, isFinalValidation: false },
    ...{ template: null, why: 'first-look', dispatch: 'fresh', freshChars: one.promptChars },
    ...{ fellBack: false, guarded: false, warned: false },
  };
}

function fixEntries(
  run: PhaseRun,
  entry: PhaseRound['entry'],
  fix: NonNullable<PhaseRound['fix']>,
  figures: (role: LedgerLoop['role']) => DispatchFigures,
): readonly LedgerLoop[] {
  const turns = dispatchesOf({ ...entry, looks: [] }, fix, { feature: run.feature, run: run.id });
  const status = fix.summary === null ? 'error' : 'done';
  return turns.map((one) => toLedger(one, fix.turn?.agent ?? '', status, figures(one.role)));
}

function toLedger(
  { spent, ...one }: LoopDispatch,
  agent: string,
  status: LedgerLoop['status'],
  figures: DispatchFigures,
): LedgerLoop {
  const { asks, promptChars, freshChars, usage } = spent;
  return {
    kind: 'loop',
    ...figures,
    ...one,
    agent,
    status,
    dispatch: dispatchBy(one.template),
    asks,
    usage,
    promptChars,
    freshChars,
  };
}

/** Records a phase in an order in which a crash loses nothing. */
export type PhaseRecorder = {
  run(): PhaseRun;
  /** Records the rounds and fixes of the actions, then saves the state. */
  record(state: PhaseState, actions: readonly PhaseAction[]): Promise<Result<void>>;
  /** Records a finished preparation. */
  addPreparation(ask: Pick<Ask, 'role' | 'part' | 'agent'>, summary: string): Promise<void>;
};

export function openPhaseRecorder(playing: PhaseContext, begun: Omit<KeptLoop, 'sessions' | 'began'>): PhaseRecorder {
  const { ports, request, memory } = playing;
  const isKept = request.fixing.by === 'caller';
  let { run, pending, lastEntry } = begun;
  // The state that another call would continue from.
  let saved: Pick<KeptLoop, 'run' | 'state' | 'lastEntry'> = begun;

  let held: string | null = null;
  /** Pins the snapshots that another call will compare with. */
  const hold = async (): Promise<Result<void>> => {
    const needed = neededSnapshots(saved.state);
    const names = [...needed].join(' ');
    if (names === held) return ok(undefined);
    held = names;
    return ports.snapshots.hold(loopName(run), needed);
  };

  /** Writes the loop to disk if another call can continue it, or once it has ended. */
  const keep = async (): Promise<Result<void>> => {
    if (!isKept && saved.state.position.at !== 'ended') return ok(undefined);
    const holding = await hold();
    if (!holding.ok) return holding;
    const sessions = saved.state.setup.keepSessions ? [...memory.sessions.values()] : [];
    return ports.loops.write({ ...saved, sessions, pending, began: memory.sight.began });
  };

  /** Writes a history entry over its earlier version, which may come from a call that was cut off. */
  const writeEntry = async (round: number, text: string, before: string | null): Promise<Result<void>> => {
    const earlier = [...(pending?.round === round ? pending.texts : []), ...(before === null ? [] : [before])];
    pending = { round, texts: [text, ...earlier] };
    const kept = await keep();
    if (!kept.ok) return kept;
    const history = await ports.feature.history();
    if (!history.ok) return history;
    const found = earlier.find((one) => history.value.includes(one)) ?? null;
    return ports.feature.writeHistory(withEntry(history.value, text, found));
  };

  const recordRound = async (round: PhaseRound): Promise<Result<void>> => {
    const text = historyEntry(round.entry, new Date(round.at), null);
    const written = await writeEntry(round.entry.round, text, null);
    if (!written.ok) return written;
    run = { ...run, rounds: [...run.rounds, round] };
    lastEntry = text;
    return ok(undefined);
  };

  const recordFix = async (fix: NonNullable<PhaseRound['fix']>, number: number): Promise<Result<void>> => {
    const round = run.rounds.find(({ entry }) => entry.round === number);
    if (round === undefined) return ok(undefined);
    const text = historyEntry(round.entry, new Date(round.at), { summary: fix.summary ?? '', marks: fix.marks });
    const written = await writeEntry(number, text, lastEntry);
    if (!written.ok) return written;
    run = { ...run, rounds: run.rounds.map((one) => (one === round ? { ...one, fix } : one)) };
    lastEntry = text;
    return ok(undefined);
  };

  const figuresOf = (role: PhaseRole): DispatchFigures => ({
    at: ports.clock.now().toISOString(),
    durationMs: Math.round(memory.talks.get(role)?.durationMs ?? 0),
    model: memory.talks.get(role)?.model ?? null,
    startedBy: request.startedBy,
    branch: memory.sight.branch,
  });

  const addToLedger = async (entries: readonly LedgerLoop[]): Promise<void> => {
    for (const entry of entries) {
      const kept = await ports.ledger.add(entry);
      if (!kept.ok) memory.notices.push({ kind: 'not-in-ledger', failure: kept.failure });
    }
  };

  const noteCost = (round: Pick<PhaseRound, 'entry' | 'fix'>) => addToLedger(ledgerEntries(run, round, figuresOf));

  /** Writes a transcript. A failure is ignored, because transcripts are only for people. */
  const writeLog = async (role: PhaseRole, round: number): Promise<void> => {
    const talk = memory.talks.get(role);
    if (talk === undefined) return;
    const text = `${role}, round ${round}\n${describeTranscript(talk.exchanges).join('\n')}\n`;
    const { length } = run.preparations;
    const number = round === 0 ? `00_${length}` : String(round).padStart(2, '0');
    await ports.logs.write(run, `${number}_${role}`, text);
  };

  let noted: Conversation | null = null;
  const notePreparation = async (role: PhaseRole, agent: string, status: 'done' | 'error'): Promise<void> => {
    const talk = memory.talks.get(role);
    // Both parts of the test-deepener have one role; the same conversation was noted for part A already.
    if (talk === noted) return;
    noted = talk ?? null;
    const { promptChars = 0, usage = null, exchanges = [] } = talk ?? {};
    const sent = { asks: exchanges.length, promptChars, usage };
    if (exchanges.length > 0)
      await addToLedger([preparationEntry(run, { role, agent, status, ...sent, ...figuresOf(role) })]);
    await writeLog(role, 0);
  };

  const writeMeta = async (state: PhaseState): Promise<Result<void>> => {
    const now = ports.clock.now();
    const update = metaUpdate(run, state, { now, resuming: memory.resuming, describe: describeIssueLine });
    const aside = await ports.feature.tellMeta(update, now);
    if (!aside.ok) return aside;
    if (aside.value !== null) memory.notices.push(setAsideFeature(request.feature, aside.value));
    return ok(undefined);
  };

  return {
    run: () => run,
    async addPreparation({ role, part, agent }, summary) {
      const usage = memory.talks.get(role)?.usage ?? null;
      run = { ...run, preparations: [...run.preparations, { role, part, agent, summary, usage } as PhasePreparation] };
      await notePreparation(role, agent, 'done');
    },
    async record(state, actions) {
      for (const action of actions) {
        if (action.kind === 'record') {
          const round: PhaseRound = { entry: action.entry, at: ports.clock.now().toISOString(), fix: null };
          const recorded = await recordRound(round);
          if (!recorded.ok) return recorded;
          await noteCost(round);
          describeErrors(playing, round);
          for (const { role } of [...round.entry.looks, ...round.entry.errors]) await writeLog(role, round.entry.round);
        } else if (action.kind === 'record-fix') {
          const { summary, marks, turn, round } = action;
          const recorded = await recordFix({ summary, marks, turn }, round);
          if (!recorded.ok) return recorded;
          const played = run.rounds.find(({ entry }) => entry.round === round);
          if (turn === null || played === undefined) continue;
          await noteCost(played);
          await writeLog('implementer', round);
          describeFix(playing, action, turn, state.position.at === 'ended' ? state.position.end : null);
        } else if (action.kind === 'end' && run.rounds.length === 0) {
          const failed = state.setup.preparations[run.preparations.length];
          const agent = failed === undefined ? undefined : state.setup.assigned[failed.role]?.agent;
          if (failed !== undefined && agent !== undefined) await notePreparation(failed.role, agent, 'error');
        }
      }
      if (actions.some((action) => isRecord(action) || action.kind === 'end')) {
        const written = await writeMeta(state);
        if (!written.ok) return written;
      }
      // A round without a verdict is not saved. Another call runs it again under the same number.
      if (actions.length === 0 || (state.position.at === 'ended' && isCutOff(state.position.end))) return ok(undefined);
      saved = { run, state: checkpoint(state), lastEntry };
      // Until the round runs again, remember the entry that a cut-off call may have written.
      if (actions.some(isRecord)) pending = null;
      return keep();
    },
  };
}

/** Returns the owner name under which a loop pins its snapshots. */
export function loopName({ phase, feature }: Pick<PhaseRun, 'phase' | 'feature'>): string {
  return `${phase} ${feature}`;
}

function isRecord({ kind }: PhaseAction): boolean {
  return kind === 'record' || kind === 'record-fix';
}

/** Reports each reviewer without a verdict, after all retries failed. */
function describeErrors({ ports, memory }: PhaseContext, { entry }: PhaseRound): void {
  for (const { role, agent, failure, spent } of entry.errors) {
    ports.reporter.tell({
      kind: 'look-ended',
      role,
      agent,
      status: 'error',
      ...{ blockers: 0, warnings: 0, suggestions: 0 },
      failure: failure.kind === 'stopped' ? { kind: 'cancelled' } : failure,
      usage: spent.usage,
      durationMs: memory.talks.get(role)?.durationMs ?? 0,
    });
  }
}

function describeFix(
  { ports, memory }: PhaseContext,
  { summary }: FixRecord,
  turn: LoopCall,
  end: PhaseEnd | null,
): void {
  const { agent, template, spent } = turn;
  ports.reporter.tell({
    kind: 'fix-ended',
    agent,
    fix: {
      agent,
      dispatch: dispatchBy(template),
      summary: summary ?? '',
      fixed: [],
      declined: [],
      filesChanged: summary === null ? 0 : memory.filesChanged,
      usage: spent.usage,
      durationMs: memory.talks.get('implementer')?.durationMs ?? 0,
      failure: summary === null ? (end?.failure ?? { kind: 'cancelled' }) : null,
    },
  });
}

type FixRecord = Extract<PhaseAction, { kind: 'record-fix' }>;
