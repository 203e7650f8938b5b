import { byCodePoint } from '@onceover/base/kernel/collections';
import { isRecord } from '@onceover/base/kernel/json';
import type { BackgroundJob, WaitOptions } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { PHASES, type PhaseName } from '@onceover/base/kernel/review-loops';
import { isJobId, type JobKind, newJobId, startJob, waitForJob } from '@onceover/base/platform/background';
import { removeOldest } from '@onceover/base/platform/files';
import { type Folder, openFolder } from '@onceover/base/platform/private-files';
import { checkTrust } from '@onceover/repo/trust/consent';
import * as z from 'zod';
import { isCutOff } from './decide/end.ts';
import type { PhaseEndReason, StartedPhase } from './types.ts';

const ROUNDS: JobKind = { folder: 'onceover/phase-rounds', prefix: 'round' };

const LOOPS = 'onceover/started-phases';

const MOST_LOOPS = 60;

/**
 * The schema of the file that stores a review loop which runs in the background, so that a later MCP call can continue
 * it.
 */
const keptStartSchema = z.object({
  id: z.string(),
  phase: z.enum(PHASES),
  feature: z.string(),
  round: z.string().describe('The job id of the last round.'),
  loop: z.string().nullable().describe('The `loop_id` of its documents; null before the first one.'),
  fixer: z.string().nullable().describe('The agent that fixes the issues; null if the caller does.'),
  preparations: z.array(z.enum(['--simplify', '--deepen-tests'])),
  keepSessions: z.boolean(),
});

type KeptStart = z.output<typeof keptStartSchema>;

type StartOptions = { readonly phase: PhaseName } & Pick<
  KeptStart,
  'feature' | 'fixer' | 'preparations' | 'keepSessions'
>;

/**
 * Starts the first round of reviews of a phase as a background job. Returns when the round ends or the waiting time is
 * over.
 */
export async function startPhaseRun(
  repository: RepositoryPaths,
  options: StartOptions,
  waiting: WaitOptions,
): Promise<Result<StartedPhase>> {
  const wrong = wrongOptions(options);
  if (wrong !== null) return err({ kind: 'wrong-usage', said: wrong, command: 'phase' });
  return startRound(repository, { id: newJobId('phase'), ...options, loop: null }, {}, waiting);
}

function wrongOptions({ phase, fixer, preparations }: StartOptions): string | null {
  if (preparations.length === 0) return null;
  if (phase !== 'implement') return 'simplify and deepen_tests work only with implement.';
  return fixer === null ? 'simplify and deepen_tests need an agent that may edit files: name it as fixer.' : null;
}

/**
 * The input of the MCP tool `continue_phase`: a summary of the fix that the caller made, or the decision to accept the
 * open issues.
 */
type NextRound = { readonly summary?: string | null; readonly acceptWithNotes?: boolean };

/**
 * Continues a review loop. With a summary, starts the next round of reviews. Without one, waits for the last round, and
 * runs it again if it ended without a verdict. With `acceptWithNotes`, accepts the open issues of a loop that ended at
 * the limit of reviews.
 */
export async function continuePhaseRun(
  repository: RepositoryPaths,
  { loopId, ...next }: NextRound & { readonly loopId: string },
  waiting: WaitOptions,
): Promise<Result<StartedPhase>> {
  const { summary = null, acceptWithNotes = false } = next;
  const start = keptStart(repository, loopId);
  if (start === null) return err({ kind: 'unknown-loop', id: loopId });
  const only = summary === null && !acceptWithNotes;
  const now = await waitForJob(repository, ROUNDS, start.round, only ? waiting : { seconds: 0 });
  const state = stateOf(now);
  if (only)
    return state === 'died' || mustRunAgain(now?.answer)
      ? startRound(repository, start, {}, waiting)
      : report(repository, start, now);
  if (state === 'running') return err({ kind: 'round-goes-on', id: loopId });
  const { phase, feature } = start;
  if (acceptWithNotes) {
    const isAtLimit = isRecord(now?.answer) && now.answer['end'] === ('cap' satisfies PhaseEndReason);
    return isAtLimit
      ? startRound(repository, start, next, waiting)
      : err({ kind: 'nothing-to-accept', phase, feature });
  }
  if (start.fixer !== null || (state === 'ended' && !mustRunAgain(now?.answer))) {
    return err({ kind: 'no-waiting-loop', phase, feature });
  }
  return startRound(repository, start, next, waiting);
}

async function startRound(
  repository: RepositoryPaths,
  loop: Omit<KeptStart, 'round'>,
  { summary = null, acceptWithNotes = false }: NextRound,
  waiting: WaitOptions,
): Promise<Result<StartedPhase>> {
  const trustCheck = await checkTrust(repository);
  if (!trustCheck.ok) return trustCheck;
  const args = [
    'phase',
    ...(loop.fixer === null ? ['--step'] : ['--fixer', loop.fixer]),
    ...(loop.fixer === null && !loop.keepSessions ? ['--no-keep-sessions'] : []),
    ...loop.preparations,
    ...(acceptWithNotes ? ['--accept-with-notes'] : []),
    ...(summary === null ? [] : ['--summary', '-']),
    ...['--json', '--started-by-agent', '--', loop.phase, loop.feature],
  ];
  const job = await startJob(repository, ROUNDS, { args, input: summary });
  if (!job.ok) return job;
  const start: KeptStart = { ...loop, round: job.value.id };
  const writeResult = keep(repository, start);
  if (!writeResult.ok) return writeResult;
  return report(repository, start, await waitForJob(repository, ROUNDS, start.round, waiting));
}

/**
 * Returns the state of a review loop. Stores the `loop_id` that its last round printed, because callers may use that id
 * too.
 */
function report(repository: RepositoryPaths, start: KeptStart, work: BackgroundJob | null): Result<StartedPhase> {
  const answer = work?.answer ?? null;
  const loop = isRecord(answer) && typeof answer['loop_id'] === 'string' ? answer['loop_id'] : null;
  if (loop !== null && loop !== start.loop) {
    const writeResult = keep(repository, { ...start, loop });
    if (!writeResult.ok) return writeResult;
  }
  return ok({ id: start.id, state: stateOf(work), progress: work?.progress ?? [], answer });
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

function keep(repository: RepositoryPaths, start: KeptStart): Result<void> {
  const folder = openFolder(repository.commonDir, LOOPS);
  const name = `${start.id}.json`;
  const writeResult = folder.write(name, JSON.stringify(start));
  if (writeResult.ok) removeOldest(folder.path, MOST_LOOPS, new Set([name]));
  return writeResult;
}

/**
 * Returns the stored loop. `id` is the id from `startPhaseRun` or the `loop_id` in a phase document; `null` if there is
 * no such loop.
 */
function keptStart(repository: RepositoryPaths, id: string): KeptStart | null {
  const folder = openFolder(repository.commonDir, LOOPS);
  if (isJobId('phase', id)) return readKept(folder, `${id}.json`);
  const entries = folder.list();
  const starts = (entries.ok ? entries.value : []).flatMap(({ name }) => readKept(folder, name) ?? []);
  const matches = starts.filter(({ loop }) => loop === id).sort((a, b) => byCodePoint(a.round, b.round));
  return matches.at(-1) ?? null;
}

function readKept(folder: Folder, name: string): KeptStart | null {
  return keptStartSchema.safeParse(folder.json(name)).data ?? null;
}
