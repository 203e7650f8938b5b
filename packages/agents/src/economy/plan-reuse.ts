import { planReadings } from './plan-readings.ts';
import { planSession } from './plan-session.ts';
import type { JobReuse, ReuseHistory, ReuseJob } from './types.ts';

/**
 * Returns, for each job in the same order, its prompts, its session (new, resumed, or a copy of one that reads the files
 * for several jobs), how long the provider should cache it, and why.
 */
export function planReuse(jobs: readonly ReuseJob[], history: ReuseHistory): readonly JobReuse[] {
  const sessions = jobs.map((job) => ({ job, plan: planSession(job, jobs, history) }));
  const readings = planReadings(sessions, history);
  return sessions.map(({ job, plan }) => ({
    ...plan,
    reading: readings.find((reading) => reading.jobs.includes(job)) ?? null,
  }));
}
