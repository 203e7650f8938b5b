import type * as z from 'zod';
import { nextOfStartedRun } from '../text/started-run.ts';
import { runSchema, type startedRunSchema } from './run-schema.ts';
import { errorSchema } from './schemas.ts';

/** What `start_run` and `get_run` answer with. */
export type StartedRunDocument = z.output<typeof startedRunSchema>;

/** The document of a started run; an answer that is neither a run's nor an error's counts as none. */
export function startedRunDocument(started: {
  readonly id: string;
  readonly state: 'running' | 'done' | 'died';
  readonly progress: readonly string[];
  readonly answer: unknown;
}): StartedRunDocument {
  const run = runSchema.safeParse(started.answer);
  const error = errorSchema.safeParse(started.answer);
  const told = {
    state: started.state === 'done' && !run.success && !error.success ? ('died' as const) : started.state,
    run: run.success ? run.data : null,
    error: error.success ? error.data.error : null,
  };
  return { run_id: started.id, ...told, progress: [...started.progress], next: nextOfStartedRun(told) };
}
