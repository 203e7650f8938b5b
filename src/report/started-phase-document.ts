import type * as z from 'zod';
import { nextOfStartedPhase } from '../text/started-phase.ts';
import { phaseSchema, type startedPhaseSchema } from './phase-schema.ts';
import { errorSchema } from './schemas.ts';

/** What `start_phase` and `continue_phase` answer with. */
export type StartedPhaseDocument = z.output<typeof startedPhaseSchema>;

/** The document of a loop that was started; a round's answer that is neither a phase's nor an error's counts as none. */
export function startedPhaseDocument(started: {
  readonly id: string;
  readonly state: 'running' | 'waiting' | 'ended' | 'died';
  readonly progress: readonly string[];
  readonly answer: unknown;
}): StartedPhaseDocument {
  const phase = phaseSchema.safeParse(started.answer);
  const error = errorSchema.safeParse(started.answer);
  const told = {
    loop_id: started.id,
    state: started.state !== 'running' && !phase.success ? ('died' as const) : started.state,
    phase: phase.success ? phase.data : null,
    error: error.success ? error.data.error : null,
  };
  return { ...told, progress: [...started.progress], next: nextOfStartedPhase(told) };
}
