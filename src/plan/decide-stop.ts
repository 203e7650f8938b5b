import type { Blocks, LetGo, StopAnswer, StopVerdict } from '../domain/stop.ts';

const MOST_BLOCKS = 3;
const MOST_WAITS = 3;

/** Blocks while something fails and there is progress; an agent that gets nowhere, or waits too long, is let go. */
export function decideStop(
  verdict: StopVerdict,
  before: Blocks | null,
): { readonly answer: StopAnswer; readonly blocks: Blocks | null } {
  switch (verdict.kind) {
    case 'holds':
      return { answer: letGo(null), blocks: null };
    case 'unjudged':
      return { answer: letGo({ kind: 'unjudged', said: verdict.why }), blocks: before };
    case 'running': {
      // Waiting is no answer to what was found before: that is counted on from where it was.
      const waits = (before?.waits ?? 0) + 1;
      const blocks = { count: before?.count ?? 0, open: before?.open ?? [], waits };
      const isPatient = waits <= MOST_WAITS;
      return { answer: isPatient ? block(verdict) : letGo({ kind: 'still-running', waits: MOST_WAITS }), blocks };
    }
    case 'fails': {
      const { open } = verdict;
      const isFirst = before === null || before.count === 0;
      const isProgress = isFirst || before.open.some((id) => !open.includes(id));
      const count = isProgress ? 1 : before.count + 1;
      const isHeld = count <= MOST_BLOCKS;
      return {
        answer: isHeld ? block(verdict) : letGo({ kind: 'no-progress', blocks: MOST_BLOCKS, open }),
        blocks: { count, open, waits: 0 },
      };
    }
  }
}

function block({ reason }: { readonly reason: string }): StopAnswer {
  return { kind: 'block', reason };
}

function letGo(why: LetGo | null): StopAnswer {
  return { kind: 'let-go', why };
}
