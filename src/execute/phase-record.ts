import type { LedgerLoop } from '../domain/ledger.ts';
import { dispatchBy } from '../domain/loop-template.ts';
import type { FixTurn, PhaseEnd, PhaseRole } from '../domain/phase.ts';
import type { KeptLoop, PhaseRun, PlayedRound } from '../domain/phase-run.ts';
import type { Ask, PhaseAction, PhaseState } from '../domain/phase-step.ts';
import { done, type Result } from '../domain/result.ts';
import { type DispatchFigures, ledgerEntries, preparationEntry } from '../plan/phase-ledger.ts';
import { metaUpdate } from '../plan/phase-meta.ts';
import { neededSnapshots } from '../plan/phase-snapshots.ts';
import { restPoint } from '../plan/phase-step.ts';
import { isCutOff } from '../plan/phase-verdict.ts';
import { tellIssueLine } from '../text/phase-issue.ts';
import { historyEntry, withEntry } from '../text/review-history.ts';
import { tellExchanges } from '../text/slot-log.ts';
import { putAside } from './phase-feature.ts';
import type { Playing, Talk } from './phase-play.ts';

/** Writes down what happened, in the order that lets a crash lose nothing. */
export type PhaseRecorder = {
  run(): PhaseRun;
  /** Records what the actions say, then keeps where the phase stands. */
  record(state: PhaseState, actions: readonly PhaseAction[]): Promise<Result<void>>;
  /** What was done before the reviews. */
  addPreparation(ask: Pick<Ask, 'role' | 'part' | 'agent'>, summary: string): Promise<void>;
};

export function openPhaseRecorder(playing: Playing, begun: Omit<KeptLoop, 'sessions' | 'began'>): PhaseRecorder {
  const { ports, request, memory } = playing;
  const isKept = request.fixing.by === 'caller';
  let { run, pending, lastEntry } = begun;
  // Where another call would go on, and what it would know of.
  let rest: Pick<KeptLoop, 'run' | 'state' | 'lastEntry'> = begun;

  let held: string | null = null;
  /** Holds what another call will compare with, until the loop has ended or another takes its place. */
  const hold = async (): Promise<Result<void>> => {
    const needed = neededSnapshots(rest.state);
    const names = [...needed].join(' ');
    if (names === held) return done(undefined);
    held = names;
    return ports.snapshots.hold(loopName(run), needed);
  };

  /** Keeps the loop where it is to go on in another call, and how one ended. */
  const keep = async (): Promise<Result<void>> => {
    if (!isKept && rest.state.position.at !== 'ended') return done(undefined);
    const holding = await hold();
    if (!holding.ok) return holding;
    const sessions = rest.state.setup.keepSessions ? [...memory.sessions.values()] : [];
    return ports.loops.write({ ...rest, sessions, pending, began: memory.sight.began });
  };

  /** Writes the entry of a round in the place of an earlier form of it, also one that a call wrote which was cut off. */
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

  const recordRound = async (round: PlayedRound): Promise<Result<void>> => {
    const text = historyEntry(round.entry, new Date(round.at), null);
    const written = await writeEntry(round.entry.round, text, null);
    if (!written.ok) return written;
    run = { ...run, rounds: [...run.rounds, round] };
    lastEntry = text;
    return done(undefined);
  };

  const recordFix = async (fix: NonNullable<PlayedRound['fix']>, number: number): Promise<Result<void>> => {
    const round = run.rounds.find(({ entry }) => entry.round === number);
    if (round === undefined) return done(undefined);
    const text = historyEntry(round.entry, new Date(round.at), { summary: fix.summary ?? '', marks: fix.marks });
    const written = await writeEntry(number, text, lastEntry);
    if (!written.ok) return written;
    run = { ...run, rounds: run.rounds.map((one) => (one === round ? { ...one, fix } : one)) };
    lastEntry = text;
    return done(undefined);
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

  const noteCost = (round: Pick<PlayedRound, 'entry' | 'fix'>) => addToLedger(ledgerEntries(run, round, figuresOf));

  /** What was sent and said is for people who look closer; the phase does not end because it cannot be kept. */
  const writeLog = async (role: PhaseRole, round: number): Promise<void> => {
    const talk = memory.talks.get(role);
    if (talk === undefined) return;
    const text = `${role}, round ${round}\n${tellExchanges(talk.exchanges).join('\n')}\n`;
    const { length } = run.preparations;
    const number = round === 0 ? `00_${length}` : String(round).padStart(2, '0');
    await ports.logs.write(run, `${number}_${role}`, text);
  };

  let noted: Talk | null = null;
  const notePreparation = async (role: PhaseRole, agent: string, status: 'done' | 'error'): Promise<void> => {
    const talk = memory.talks.get(role);
    // What was noted before belongs to another preparation by the same role.
    if (talk === noted) return;
    noted = talk ?? null;
    const { promptChars = 0, usage = null, exchanges = [] } = talk ?? {};
    const sent = { asks: exchanges.length, promptChars, usage };
    if (exchanges.length > 0)
      await addToLedger([preparationEntry(run, { role, agent, status, ...sent, ...figuresOf(role) })]);
    await writeLog(role, 0);
  };

  const tellMeta = async (state: PhaseState): Promise<Result<void>> => {
    const now = ports.clock.now();
    const update = metaUpdate(run, state, { now, resuming: memory.resuming, tell: tellIssueLine });
    const told = await ports.feature.tellMeta(update, now);
    if (!told.ok) return told;
    if (told.value !== null) memory.notices.push(putAside(request.feature, told.value));
    return done(undefined);
  };

  return {
    run: () => run,
    async addPreparation({ role, part, agent }, summary) {
      const usage = memory.talks.get(role)?.usage ?? null;
      run = { ...run, preparations: [...run.preparations, { role, part, agent, summary, usage }] };
      await notePreparation(role, agent, 'done');
    },
    async record(state, actions) {
      for (const action of actions) {
        if (action.kind === 'record') {
          const round: PlayedRound = { entry: action.entry, at: ports.clock.now().toISOString(), fix: null };
          const recorded = await recordRound(round);
          if (!recorded.ok) return recorded;
          await noteCost(round);
          tellErrors(playing, round);
          for (const { role } of [...round.entry.looks, ...round.entry.errors]) await writeLog(role, round.entry.round);
        } else if (action.kind === 'record-fix') {
          const { summary, marks, turn, round } = action;
          const recorded = await recordFix({ summary, marks, turn }, round);
          if (!recorded.ok) return recorded;
          const played = run.rounds.find(({ entry }) => entry.round === round);
          if (turn === null || played === undefined) continue;
          await noteCost(played);
          await writeLog('implementer', round);
          tellFix(playing, action, turn, state.position.at === 'ended' ? state.position.end : null);
        } else if (action.kind === 'end' && run.rounds.length === 0) {
          const failed = state.setup.preparations[run.preparations.length];
          const agent = failed === undefined ? undefined : state.setup.assigned[failed.role]?.agent;
          if (failed !== undefined && agent !== undefined) await notePreparation(failed.role, agent, 'error');
        }
      }
      if (actions.some((action) => isRecord(action) || action.kind === 'end')) {
        const told = await tellMeta(state);
        if (!told.ok) return told;
      }
      // Of a round that gave no verdict nothing is kept: another call plays it again, under its number.
      if (actions.length === 0 || (state.position.at === 'ended' && isCutOff(state.position.end)))
        return done(undefined);
      rest = { run, state: restPoint(state), lastEntry };
      // What a call that was cut off may have written is known until its round is played again.
      if (actions.some(isRecord)) pending = null;
      return keep();
    },
  };
}

/** Who holds the snapshots that a loop compares with. */
export function loopName({ phase, feature }: Pick<PhaseRun, 'phase' | 'feature'>): string {
  return `${phase} ${feature}`;
}

function isRecord({ kind }: PhaseAction): boolean {
  return kind === 'record' || kind === 'record-fix';
}

/** Whoever watches hears of a reviewer that gave no verdict when nobody else is asked in its place. */
function tellErrors({ ports, memory }: Playing, { entry }: PlayedRound): void {
  for (const { role, agent, why, spent } of entry.errors) {
    ports.reporter.tell({
      kind: 'look-ended',
      role,
      agent,
      status: 'error',
      ...{ blockers: 0, warnings: 0, suggestions: 0 },
      failure: why.kind === 'stopped' ? { kind: 'cancelled' } : why,
      usage: spent.usage,
      durationMs: memory.talks.get(role)?.durationMs ?? 0,
    });
  }
}

function tellFix({ ports, memory }: Playing, { summary }: FixRecord, turn: FixTurn, end: PhaseEnd | null): void {
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
