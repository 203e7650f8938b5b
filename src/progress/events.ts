import type { RunProgress } from '../gates/run-types.ts';
import type { ReporterOf } from '../kernel/ports.ts';
import type { PhaseProgress } from '../phases/progress.ts';

/** An event that a run or a phase reports while it works. */
export type Event = RunProgress | PhaseProgress;

export type Reporter = ReporterOf<Event>;
