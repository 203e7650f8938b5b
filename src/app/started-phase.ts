import { join } from 'node:path';
import type { Place } from '../domain/change.ts';
import { isRecord } from '../domain/is-record.ts';
import { PHASES, type PhaseName } from '../domain/phase.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { Waiting } from '../domain/waiting.ts';
import { listFolder, makeFolder, removeOldest, writeWhole } from '../io/files.ts';
import { readOwn } from '../io/own-file.ts';
import { isCutOff } from '../plan/phase-verdict.ts';
import { checkTrust } from './run.ts';
import { isWorkId, newWorkId, type StartedWork, startWork, type WorkKind, waitForWork } from './started-work.ts';

/** A loop of a phase that is played round by round, and how far it is. */
export type StartedPhase = {
  readonly id: string;
  /** waiting: whoever called is to mend. died: the round ended without a result. */
  readonly state: 'running' | 'waiting' | 'ended' | 'died';
  readonly progress: readonly string[];
  /** What the round answered: a phase's document, or an error's. */
  readonly answer: unknown;
};

const ROUNDS: WorkKind = { folder: 'onceover/phase-rounds', prefix: 'round' };
const LOOPS = 'onceover/started-phases';
const MOST_LOOPS = 60;

/** What is kept of a loop: what it is about, and the round that was started last. */
type KeptStart = {
  readonly id: string;
  readonly phase: PhaseName;
  readonly feature: string;
  readonly round: string;
  /** What the loop is called in its documents; null: none is there yet. */
  readonly loop: string | null;
};

/** Begins a phase that outlives whoever asked for it, or goes on with one; waits for the end of the round for a while. */
export async function startPhase(
  place: Place,
  wish: { readonly phase: PhaseName; readonly feature: string },
  waiting: Waiting,
): Promise<Result<StartedPhase>> {
  return playRound(place, { id: newWorkId('phase'), ...wish, loop: null }, null, waiting);
}

/** Tells a loop what was done about its issues, and waits for its next round; without a summary, for the one that is going on. */
export async function continuePhase(
  place: Place,
  { loopId, summary }: { readonly loopId: string; readonly summary: string | null },
  waiting: Waiting,
): Promise<Result<StartedPhase>> {
  const kept = keptStart(place, loopId);
  if (kept === null) return failed({ kind: 'unknown-loop', id: loopId });
  const now = await waitForWork(place, ROUNDS, kept.round, summary === null ? waiting : { seconds: 0 });
  const state = stateOf(now);
  if (summary === null)
    return state === 'died' || isToPlayAgain(now?.answer)
      ? playRound(place, kept, null, waiting)
      : told(place, kept, now);
  if (state === 'running') return failed({ kind: 'round-goes-on', id: loopId });
  const { phase, feature } = kept;
  if (state === 'ended' && !isToPlayAgain(now?.answer)) return failed({ kind: 'no-waiting-loop', phase, feature });
  return playRound(place, kept, summary, waiting);
}

async function playRound(
  place: Place,
  loop: Omit<KeptStart, 'round'>,
  summary: string | null,
  waiting: Waiting,
): Promise<Result<StartedPhase>> {
  const trusted = await checkTrust(place);
  if (!trusted.ok) return trusted;
  const said = summary === null ? [] : ['--summary', '-'];
  const args = ['phase', '--step', ...said, '--json', '--started-by-agent', '--', loop.phase, loop.feature];
  const started = await startWork(place, ROUNDS, { args, input: summary });
  if (!started.ok) return started;
  const kept: KeptStart = { ...loop, round: started.value.id };
  const written = keep(place, kept);
  if (!written.ok) return written;
  return told(place, kept, await waitForWork(place, ROUNDS, kept.round, waiting));
}

/** How far a loop is; what its documents call it is remembered, so that it can be named so too. */
function told(place: Place, kept: KeptStart, work: StartedWork | null): Result<StartedPhase> {
  const answer = work?.answer ?? null;
  const loop = isRecord(answer) && typeof answer['loop_id'] === 'string' ? answer['loop_id'] : null;
  if (loop !== null && loop !== kept.loop) {
    const written = keep(place, { ...kept, loop });
    if (!written.ok) return written;
  }
  return done({ id: kept.id, state: stateOf(work), progress: work?.progress ?? [], answer });
}

function stateOf(work: StartedWork | null): StartedPhase['state'] {
  if (work?.state === 'running') return 'running';
  const answer = work?.answer;
  if (!isRecord(answer) || typeof answer['loop_id'] !== 'string') return 'died';
  return answer['waiting'] === true ? 'waiting' : 'ended';
}

/** Whether a round ended without being judged: another call plays it again. */
function isToPlayAgain(answer: unknown): boolean {
  if (!isRecord(answer) || answer['waiting'] === true) return false;
  return isCutOff({ status: answer['status'], why: answer['end'] });
}

function keep(place: Place, kept: KeptStart): Result<void> {
  const folder = makeFolder(place.commonDir, LOOPS);
  if (!folder.ok) return folder;
  const name = `${kept.id}.json`;
  const written = writeWhole(folder.value, name, JSON.stringify(kept));
  if (written.ok) removeOldest(folder.value, MOST_LOOPS, new Set([name]));
  return written;
}

/** The loop of this id: as it was given when it began, or as its documents call it. */
function keptStart(place: Place, id: string): KeptStart | null {
  const folder = join(place.commonDir, LOOPS);
  if (isWorkId('phase', id)) return readKept(folder, `${id}.json`);
  const listed = listFolder(folder);
  const names = (listed.ok ? listed.value : []).map(({ name }) => name);
  const found = names.map((name) => readKept(folder, name)).filter((kept) => kept !== null && kept.loop === id);
  return found.sort((a, b) => ((a?.round ?? '') < (b?.round ?? '') ? -1 : 1)).at(-1) ?? null;
}

function readKept(folder: string, name: string): KeptStart | null {
  const read = readOwn(join(folder, name));
  if (!read.ok || read.value === null) return null;
  try {
    return keptOf(JSON.parse(read.value));
  } catch {
    return null;
  }
}

function keptOf(said: unknown): KeptStart | null {
  if (!isRecord(said)) return null;
  const { id, feature, round, loop } = said;
  const phase = PHASES.find((one) => one === said['phase']);
  if (typeof id !== 'string' || typeof feature !== 'string' || typeof round !== 'string' || phase === undefined)
    return null;
  return { id, phase, feature, round, loop: typeof loop === 'string' ? loop : null };
}
