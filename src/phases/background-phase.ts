import * as z from 'zod';
import { byCodePoint } from '../kernel/collections.ts';
import { isRecord } from '../kernel/json.ts';
import type { WaitOptions } from '../kernel/ports.ts';
import type { RepositoryPaths } from '../kernel/repository.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { PHASES, type PhaseName } from '../kernel/review-loops.ts';
import { type BackgroundJob, isJobId, type JobKind, newJobId, startJob, waitForJob } from '../platform/background.ts';
import { removeOldest } from '../platform/files.ts';
import { type Folder, openFolder } from '../platform/private-files.ts';
import { checkTrust } from '../trust/consent.ts';
import { isCutOff } from './decide/end.ts';
import type { StartedPhase } from './types.ts';

const ROUNDS: JobKind = { folder: 'onceover/phase-rounds', prefix: 'round' };

const LOOPS = 'onceover/started-phases';

const MOST_LOOPS = 60;

/** The file that onceover stores for each loop, so that a later call can continue the loop. */
const keptStartSchema = z.object({
  id: z.string(),
  phase: z.enum(PHASES),
  feature: z.string(),
  round: z.string().describe('The job id of the last round.'),
  loop: z.string().nullable().describe('The `loop_id` of its documents; null before the first one.'),
});

type KeptStart = z.output<typeof keptStartSchema>;

/** Starts the first round of a phase as a background job. Returns when the round or the waiting time has ended. */
export async function startPhaseRun(
  repository: RepositoryPaths,
  options: { readonly phase: PhaseName; readonly feature: string },
  waiting: WaitOptions,
): Promise<Result<StartedPhase>> {
  return startRound(repository, { id: newJobId('phase'), ...options, loop: null }, null, waiting);
}

/** With a summary, starts the next round. Without one, waits for the last round; repeats it if it gave no verdict. */
export async function continuePhaseRun(
  repository: RepositoryPaths,
  { loopId, summary }: { readonly loopId: string; readonly summary: string | null },
  waiting: WaitOptions,
): Promise<Result<StartedPhase>> {
  const kept = keptStart(repository, loopId);
  if (kept === null) return err({ kind: 'unknown-loop', id: loopId });
  const now = await waitForJob(repository, ROUNDS, kept.round, summary === null ? waiting : { seconds: 0 });
  const state = stateOf(now);
  if (summary === null)
    return state === 'died' || mustRunAgain(now?.answer)
      ? startRound(repository, kept, null, waiting)
      : report(repository, kept, now);
  if (state === 'running') return err({ kind: 'round-goes-on', id: loopId });
  const { phase, feature } = kept;
  if (state === 'ended' && !mustRunAgain(now?.answer)) return err({ kind: 'no-waiting-loop', phase, feature });
  return startRound(repository, kept, summary, waiting);
}

async function startRound(
  repository: RepositoryPaths,
  loop: Omit<KeptStart, 'round'>,
  summary: string | null,
  waiting: WaitOptions,
): Promise<Result<StartedPhase>> {
  const trusted = await checkTrust(repository);
  if (!trusted.ok) return trusted;
  const withSummary = summary === null ? [] : ['--summary', '-'];
  const args = ['phase', '--step', ...withSummary, '--json', '--started-by-agent', '--', loop.phase, loop.feature];
  const started = await startJob(repository, ROUNDS, { args, input: summary });
  if (!started.ok) return started;
  const kept: KeptStart = { ...loop, round: started.value.id };
  const written = keep(repository, kept);
  if (!written.ok) return written;
  return report(repository, kept, await waitForJob(repository, ROUNDS, kept.round, waiting));
}

/** Returns the state of a loop. Stores the `loop_id` that the round printed, so that callers can use it as the id. */
function report(repository: RepositoryPaths, kept: KeptStart, work: BackgroundJob | null): Result<StartedPhase> {
  const answer = work?.answer ?? null;
  const loop = isRecord(answer) && typeof answer['loop_id'] === 'string' ? answer['loop_id'] : null;
  if (loop !== null && loop !== kept.loop) {
    const written = keep(repository, { ...kept, loop });
    if (!written.ok) return written;
  }
  return ok({ id: kept.id, state: stateOf(work), progress: work?.progress ?? [], answer });
}

function stateOf(work: BackgroundJob | null): StartedPhase['state'] {
  if (work?.state === 'running') return 'running';
  const answer = work?.answer;
  if (!isRecord(answer) || typeof answer['loop_id'] !== 'string') return 'died';
  return answer['waiting'] === true ? 'waiting' : 'ended';
}

/** Whether a round ended without a verdict, so that the next call has to run the round again. */
function mustRunAgain(answer: unknown): boolean {
  if (!isRecord(answer) || answer['waiting'] === true) return false;
  return isCutOff({ status: answer['status'], why: answer['end'] });
}

function keep(repository: RepositoryPaths, kept: KeptStart): Result<void> {
  const folder = openFolder(repository.commonDir, LOOPS);
  const name = `${kept.id}.json`;
  const written = folder.write(name, JSON.stringify(kept));
  if (written.ok) removeOldest(folder.path, MOST_LOOPS, new Set([name]));
  return written;
}

/** Returns the stored loop with an id from `startPhaseRun` or a `loop_id` of a phase document; `null` if not found. */
function keptStart(repository: RepositoryPaths, id: string): KeptStart | null {
  const folder = openFolder(repository.commonDir, LOOPS);
  if (isJobId('phase', id)) return readKept(folder, `${id}.json`);
  const listed = folder.list();
  const all = (listed.ok ? listed.value : []).flatMap(({ name }) => readKept(folder, name) ?? []);
  const found = all.filter(({ loop }) => loop === id).sort((a, b) => byCodePoint(a.round, b.round));
  return found.at(-1) ?? null;
}

function readKept(folder: Folder, name: string): KeptStart | null {
  return keptStartSchema.safeParse(folder.json(name)).data ?? null;
}
