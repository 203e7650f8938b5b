import type { Reporter } from '../domain/ports.ts';

/** Tells of events as they come; `end` takes away what was shown for the moment. */
export type ConsoleReporter = Reporter & { end(): void };
