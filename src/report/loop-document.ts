import type { LoopOutcome } from '../domain/loop.ts';
import { usageDocument } from './run-document.ts';

/** What `run --until-pass --json` tells beside the last review. */
export function loopDocument({ end, rounds }: LoopOutcome) {
  return {
    end,
    rounds: rounds.map((round) => ({
      iteration: round.iteration,
      status: round.status,
      open: [...round.open],
      failing_checks: [...round.failingChecks],
      let_be: [...round.letBe],
      nothing_left: [...round.left],
      closed: round.closed,
      added: round.added,
      dispatches: round.dispatches,
      usage: usageDocument(round.usage),
      fix:
        round.fix === null
          ? null
          : {
              agent: round.fix.agent,
              dispatch: round.fix.dispatch,
              summary: round.fix.summary,
              fixed: [...round.fix.fixed],
              declined: [...round.fix.declined],
              files_changed: round.fix.filesChanged,
              usage: usageDocument(round.fix.usage),
              failure: round.fix.failure?.kind ?? null,
            },
    })),
  };
}
