import type { Place } from '../domain/change.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { Waiting } from '../domain/waiting.ts';
import { checkTrust } from './run.ts';
import { newestWork, type StartedWork, startWork, type WorkKind, waitForWork } from './started-work.ts';

/** A run that goes on by itself, and how far it is; its answer is a run's document, or an error's. */
export type StartedRun = StartedWork;

const RUNS: WorkKind = { folder: 'onceover/runs', prefix: 'run' };

/** Starts a run that outlives whoever asked for it. */
export async function startRun(
  place: Place,
  wish: { readonly paths: readonly string[]; readonly gate: string | null },
): Promise<Result<StartedRun>> {
  const trusted = await checkTrust(place);
  if (!trusted.ok) return trusted;
  const gate = wish.gate === null ? [] : ['--gate', wish.gate];
  const args = ['run', '--json', '--started-by-agent', ...gate, '--', ...wish.paths];
  return startWork(place, RUNS, { args, input: null });
}

/** How far a run is; waits for its end. Without an id, the newest. */
export async function getRun(place: Place, id: string | null, waiting: Waiting): Promise<Result<StartedRun>> {
  const wanted = id ?? newestWork(place, RUNS);
  const run = wanted === null ? null : await waitForWork(place, RUNS, wanted, waiting);
  return run === null ? failed({ kind: 'unknown-run', id }) : done(run);
}
