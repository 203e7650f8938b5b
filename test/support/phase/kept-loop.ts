import type { SnapshotId } from '@onceover/base/kernel/ids';
import { beginPhase } from '@onceover/loops/src/phases/decide/machine.ts';
import type { KeptLoop } from '@onceover/loops/src/phases/state.ts';
import { phaseSetup, sessionAs } from './player.ts';
import { issue, lookError, phaseRun, playedRound } from './samples.ts';

/** Returns a waiting loop with every optional part; `differs` overrides it. */
export function keptLoop(differs: Partial<KeptLoop> = {}): KeptLoop {
  const resetAt = new Date('2026-03-01T18:00:00.000Z');
  const limit = { kind: 'limit', said: 'enough for today', resetAt } as const;
  const { state } = beginPhase(phaseSetup('specify', { fixing: 'caller', keepSessions: true }));
  const session = { ...sessionAs('s1', { contextTokens: 7 }), saw: 'tree1' as SnapshotId };
  return {
    run: phaseRun({
      rounds: [
        playedRound({
          errors: [lookError({ failure: limit })],
          marks: [{ kind: 'resume-fallback', role: 'spec-reviewer', iteration: 1, because: limit }],
        }),
      ],
    }),
    state: {
      ...state,
      position: { at: 'waiting', issues: [{ role: 'spec-reviewer', issue: issue() }] },
      resume: { 'spec-reviewer': { session, lastIteration: 1 } },
    },
    pending: null,
    lastEntry: null,
    began: 'tree0',
    ...differs,
  };
}
