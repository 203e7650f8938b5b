import type { PhaseEnd, PhaseEndReason } from '../domain/phase.ts';
import type { PhaseState, PhaseStep } from '../domain/phase-step.ts';
import { phaseEnd } from './phase-verdict.ts';

/** Ends a phase. */
export function ended(
  state: PhaseState,
  why: PhaseEndReason,
  more: Partial<Pick<PhaseEnd, 'paths' | 'failure'>> = {},
): PhaseStep {
  const end = phaseEnd(state, why, more);
  return { state: { ...state, position: { at: 'ended', end } }, actions: [{ kind: 'end', end }] };
}

/** Ends a phase at its cap; going on with what is open is the choice of whoever called. */
export function endedAtCap(state: PhaseState): PhaseStep {
  return ended(state, state.setup.acceptWithNotes ? 'accepted-with-notes' : 'cap');
}

/** Has a snapshot taken, for the next round or to confirm the last one. */
export function takeSnapshot(state: PhaseState, at: 'starting' | 'confirming'): PhaseStep {
  return {
    state: { ...state, position: { at } },
    actions: [{ kind: 'take-snapshot', purpose: at === 'starting' ? 'round' : 'confirm' }],
  };
}
