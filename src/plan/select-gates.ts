import type { RepoPath } from '../domain/brand.ts';
import type { Gate } from '../domain/gate.ts';
import { isInside } from '../domain/generated.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { Rule } from '../domain/rule.ts';
import type { Settings } from '../domain/settings.ts';
import { canBeGate } from './gates.ts';

/** What a run was asked about: names of gates, and paths; none: all. */
export type Asked = {
  readonly gates: readonly string[];
  readonly paths: readonly RepoPath[];
  readonly settings: Pick<Settings, 'gates'>;
  readonly rules: readonly Rule[];
};

/** The gates that were asked for; a name that fits none is an error, unless the gate is there and has nothing to look at. */
export function selectGates(gates: readonly Gate[], request: Asked): Result<readonly Gate[]> {
  const configured = [
    ...request.settings.gates.flatMap((entry) => [...Object.keys(entry.checks), ...Object.keys(entry.reviews)]),
    ...request.rules.map(({ name }) => name),
  ];
  for (const wanted of request.gates) {
    if (
      !configured.includes(wanted) &&
      !gates.some(({ id }) => id === wanted) &&
      !canBeGate(wanted, request.settings.gates, request.rules)
    ) {
      return failed({ kind: 'unknown-gate', gate: wanted, known: [...new Set(configured)] });
    }
  }
  return done(
    gates.filter(
      (gate) =>
        (request.gates.length === 0 || request.gates.some((wanted) => wanted === gate.id || wanted === gate.name)) &&
        (request.paths.length === 0 || isUnder(gate, request.paths)),
    ),
  );
}

/** Whether a gate has entries at or below one of the paths. */
function isUnder(gate: Gate, paths: readonly RepoPath[]): boolean {
  return gate.entries.some((entry) => isAt(entry.path, paths));
}

/** Whether a file is at or below one of the paths; what has no place is part of the whole alone. */
export function isAt(file: string | null, paths: readonly RepoPath[]): boolean {
  return paths.some((path) => path === '' || (file !== null && isInside(file, path)));
}
