import type { GateState, StandingFinding } from './gate-state.ts';

/**
 * What reviewers are told of as declined: a waiver reaches over cycles and scopes, so also what counts only in another
 * scope, as long as what it is about is part of the gate's change.
 */
export function declinedOf({ gate, findings }: Pick<GateState, 'gate' | 'findings'>): readonly StandingFinding[] {
  const paths = new Set<string>(gate.entries.map(({ path }) => path));
  return findings.filter(
    ({ finding, state }) =>
      finding.resolution?.how === 'skipped' &&
      (state === 'waived' || (state === 'gone' && (finding.entry === null || paths.has(finding.entry.path)))),
  );
}
