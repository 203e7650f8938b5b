import type { GateState, StandingFinding } from './gate-state.ts';

/** What reviewers are told of as declined: what was waived, in whatever cycle or scope, and is part of the present change. */
export function declinedOf({ findings }: Pick<GateState, 'findings'>): readonly StandingFinding[] {
  return findings.filter(({ state }) => state === 'waived');
}
