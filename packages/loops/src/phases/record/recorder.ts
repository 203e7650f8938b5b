import { describeTranscript } from '@onceover/agents/dispatch/describe-transcript';
import type { LedgerLoop } from '@onceover/agents/ledger/entries';
import { ok, type Result } from '@onceover/base/kernel/result';
import { dispatchBy, type PhaseRole } from '@onceover/base/kernel/review-loops';
import { isCutOff } from '../decide/end.ts';
import { checkpoint } from '../decide/machine.ts';
import { dispatchesOf, metaUpdate } from '../decide/outcome.ts';
import { describeIssueLine } from '../describe/issues.ts';
import type { PhaseContext } from '../do/context.ts';
import { setAsideFeature } from '../read/feature.ts';
import { neededSnapshots } from '../read/subject.ts';
import type { KeptLoop, PhaseAction, PhaseState } from '../state.ts';
import type { PhaseFix, PhaseRound, PhaseRun } from '../types.ts';
import { historyEntry, withEntry } from './history.ts';

/**
 * Fields of an entry in the ledger (the log of calls) that the record of a round does not contain, such as the model
 * and the branch.
 */
export type DispatchFigures = Pick<LedgerLoop, 'at' | 'durationMs' | 'model' | 'startedBy' | 'branch' | 'cache'>;

/**
 * Returns the entries of a round for the ledger (the log of calls). After a fix, returns only the entry of the fix,
 * because the reviews are in the ledger already.
 */
export function ledgerEntries(
  run: PhaseRun,
  { entry, fix }: Pick<PhaseRound, 'entry' | 'fix'>,
  figures: (role: LedgerLoop['role']) => DispatchFigures,
): readonly LedgerLoop[] {
  const unloggedEntry = fix === null ? entry : { ...entry, looks: [], errors: [] };
  return dispatchesOf(unloggedEntry, fix, { feature: run.feature, run: run.id }).map((call) => {
    return { kind: 'loop', ...figures(call.role), ...call, dispatch: dispatchBy(call.template) };
  });
}

export function preparationEntry(
  { id, feature, phase }: PhaseRun,
  { role, summary, call }: Pick<PreparationRecord, 'role' | 'summary' | 'call'>,
  figures: DispatchFigures,
): LedgerLoop {
  const { agent, spent } = call;
  return {
    ...{ kind: 'loop', ...figures, feature, run: id, phase, stage: 'implement', iteration: 0 },
    ...{ role, agent, status: summary === null ? 'error' : 'done', isFinalValidation: false },
    ...{ template: null, why: 'first-look', dispatch: 'fresh', ...spent, freshChars: spent.promptChars },
    ...{ fellBack: false, guarded: false, warned: false },
  };
}

type PreparationRecord = Extract<PhaseAction, { kind: 'record-preparation' }>;

type FixRecord = Extract<PhaseAction, { kind: 'record-fix' }>;

export type PhaseRecorder = ReturnType<typeof openPhaseRecorder>;

/**
 * Returns the recorder of a phase. It saves the state last, so that the next command repeats the round if the process
 * crashes before.
 */
export function openPhaseRecorder(playing: PhaseContext, initialLoop: Omit<KeptLoop, 'began'>) {
  const { ports, request, memory } = playing;
  const isKept = request.fixing.by === 'caller';
  let { run, pending, lastEntry } = initialLoop;
  // The state from which a later command would continue.
  let storedLoop: Pick<KeptLoop, 'run' | 'state' | 'lastEntry'> = initialLoop;

  let heldNames: string | null = null;
  /** Writes the loop to disk if a later command can continue it, or if it has ended. */
  const keep = async (): Promise<Result<void>> => {
    if (!isKept && storedLoop.state.position.at !== 'ended') return ok(undefined);
    // Protect the snapshots from `git gc`, because a later command compares with them.
    const snapshotIds = neededSnapshots(storedLoop.state);
    const names = [...snapshotIds].join(' ');
    const holding = names === heldNames ? ok(undefined) : await ports.snapshots.hold(loopName(run), snapshotIds);
    heldNames = names;
    if (!holding.ok) return holding;
    return ports.loops.write({ ...storedLoop, pending, began: memory.sight.began });
  };

  /** Writes the history entry of a round. If a crashed command already wrote a version of the entry, replaces it. */
  const writeEntry = async ({ entry, at, fix }: PhaseRound): Promise<Result<void>> => {
    const { round } = entry;
    const text = historyEntry(entry, new Date(at), fix);
    const before = fix === null ? null : lastEntry;
    const earlier = [...(pending?.round === round ? pending.texts : []), ...(before === null ? [] : [before])];
    pending = { round, texts: [text, ...earlier] };
    const keepResult = await keep();
    if (!keepResult.ok) return keepResult;
    const history = await ports.feature.history();
    if (!history.ok) return history;
    const oldVersion = earlier.find((version) => history.value.includes(version)) ?? null;
    const writeResult = await ports.feature.writeHistory(withEntry(history.value, text, oldVersion));
    if (!writeResult.ok) return writeResult;
    lastEntry = text;
    run = {
      ...run,
      rounds: [...run.rounds.filter((pastRound) => pastRound.entry.round !== round), { entry, at, fix }],
    };
    return ok(undefined);
  };

  const durationOf = (role: PhaseRole) => memory.talks.get(role)?.durationMs ?? 0;

  const figuresOf = (role: PhaseRole): DispatchFigures => ({
    at: ports.clock.now().toISOString(),
    durationMs: Math.round(durationOf(role)),
    model: memory.talks.get(role)?.model ?? null,
    cache: memory.talks.get(role)?.cache ?? undefined,
    startedBy: request.startedBy,
    branch: memory.sight.branch,
  });

  const addToLedger = async (entries: readonly LedgerLoop[]): Promise<void> => {
    for (const entry of entries) {
      const addResult = await ports.ledger.add(entry);
      if (!addResult.ok) memory.notices.push({ kind: 'not-in-ledger', failure: addResult.failure });
    }
  };

  /** Writes the transcript of a call. Ignores a failed write, because the phase does not need the transcript. */
  const writeLog = async (role: PhaseRole, round: number): Promise<void> => {
    const talk = memory.talks.get(role);
    if (talk === undefined) return;
    const text = `${role}, round ${round}\n${describeTranscript(talk.exchanges).join('\n')}\n`;
    const { length } = run.preparations;
    const number = round === 0 ? `00_${length}` : String(round).padStart(2, '0');
    await ports.logs.write(run, `${number}_${role}`, text);
  };

  const recordRound = async (round: PhaseRound): Promise<Result<void>> => {
    const { entry } = round;
    const writeResult = await writeEntry(round);
    if (!writeResult.ok) return writeResult;
    await addToLedger(ledgerEntries(run, round, figuresOf));
    for (const { role } of [...entry.looks, ...entry.errors]) await writeLog(role, entry.round);
    return ok(undefined);
  };

  const recordFix = async (record: FixRecord, { position }: PhaseState): Promise<Result<void>> => {
    const { round: number, summary, marks, turn } = record;
    const round = run.rounds.find(({ entry }) => entry.round === number);
    if (round === undefined) return ok(undefined);
    const fix: PhaseFix = { summary, marks, turn };
    const writeResult = await writeEntry({ ...round, fix });
    if (!writeResult.ok || turn === null) return writeResult;
    await addToLedger(ledgerEntries(run, { ...round, fix }, figuresOf));
    await writeLog('implementer', number);
    const failure = (position.at === 'ended' ? position.end.failure : null) ?? ({ kind: 'cancelled' } as const);
    const { agent, template, spent } = turn;
    ports.reporter.tell({
      kind: 'fix-ended',
      agent,
      fix: {
        ...{ agent, dispatch: dispatchBy(template), summary: summary ?? '', fixed: [], declined: [] },
        filesChanged: summary === null ? 0 : memory.filesChanged,
        usage: spent.usage,
        durationMs: durationOf('implementer'),
        failure: summary === null ? failure : null,
      },
    });
    return ok(undefined);
  };

  const recordPreparation = async (record: PreparationRecord): Promise<Result<void>> => {
    const { role, part, summary, call } = record;
    if (summary !== null) {
      const preparation = { role, part, agent: call.agent, summary, usage: call.spent.usage };
      run = { ...run, preparations: [...run.preparations, preparation] };
    }
    if (call.spent.asks > 0) {
      await addToLedger([preparationEntry(run, record, figuresOf(role))]);
      await writeLog(role, 0);
    }
    return ok(undefined);
  };

  const writeMeta = async (state: PhaseState): Promise<Result<void>> => {
    const now = ports.clock.now();
    const update = metaUpdate(run, state, { now, resuming: memory.resuming, describe: describeIssueLine });
    const aside = await ports.feature.writeMeta(update, now);
    if (!aside.ok) return aside;
    if (aside.value !== null) memory.notices.push(setAsideFeature(request.feature, aside.value));
    return ok(undefined);
  };

  const recordAction = async (action: PhaseAction, state: PhaseState): Promise<Result<void>> => {
    switch (action.kind) {
      case 'record':
        return recordRound({ entry: action.entry, at: ports.clock.now().toISOString(), fix: null });
      case 'record-fix':
        return recordFix(action, state);
      case 'record-preparation':
        return recordPreparation(action);
      default:
        return ok(undefined);
    }
  };

  return {
    run: () => run,
    /** Records rounds, fixes and the steps before the reviews, and then saves the state. */
    async record(state: PhaseState, actions: readonly PhaseAction[]): Promise<Result<void>> {
      for (const action of actions) {
        const recordResult = await recordAction(action, state);
        if (!recordResult.ok) return recordResult;
      }
      const hasRecord = actions.some(({ kind }) => kind === 'record' || kind === 'record-fix');
      if (hasRecord || actions.some(({ kind }) => kind === 'end')) {
        const writeResult = await writeMeta(state);
        if (!writeResult.ok) return writeResult;
      }
      // Do not save a round without a verdict, so that the next command runs it again under the same number.
      if (actions.length === 0 || (state.position.at === 'ended' && isCutOff(state.position.end))) return ok(undefined);
      storedLoop = { run, state: checkpoint(state), lastEntry };
      // This round's history entry is complete, so no later command has to replace it.
      if (hasRecord) pending = null;
      return keep();
    },
  };
}

/** Returns the owner's name under which a loop protects its snapshots from `git gc`. */
export function loopName({ phase, feature }: Pick<PhaseRun, 'phase' | 'feature'>): string {
  return `${phase} ${feature}`;
}
