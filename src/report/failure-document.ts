import type { Failure } from '../domain/failure.ts';
import { tellFailure } from '../text/failure.ts';
import type { RunDocument } from './run-document.ts';

/** What stands on stdout where a command with `--json` fails: of a run that another one keeps out, a run's document. */
export function failureDocument(failure: Failure, asked: 'run' | null): object {
  return asked === 'run' && failure.kind === 'lock-held' ? lockConflictDocument(failure) : errorDocument(failure);
}

/** What stands on stdout instead of an answer when a command with `--json` fails. */
export function errorDocument(failure: Failure): { error: { kind: string; message: string; next: string } } {
  const { what, next } = tellFailure(failure);
  return { error: { kind: failure.kind, message: what, next } };
}

/** What `run --json` answers with where another run is going on: nothing was looked at. */
export function lockConflictDocument(held: Extract<Failure, { kind: 'lock-held' }>): RunDocument {
  return {
    status: 'lock_conflict',
    iteration: null,
    gates: [],
    not_asked: [],
    findings: [],
    uncovered_files: [],
    withheld_files: [],
    usage: null,
    saved: { pass: 0, slot: 0, session: 0, prefix: 0 },
    scope: '',
    base: null,
    exit_code: 3,
    dispatches: 0,
    warnings: [tellFailure(held).what],
  };
}
