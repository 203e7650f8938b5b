import type { Blocks, StopAnswer, StopVerdict } from '../domain/stop.ts';

const MOST_BLOCKS = 3;

/** Blocks while something fails and there is progress; an agent that gets nowhere is let go. */
export function decideStop(
  verdict: StopVerdict,
  before: Blocks | null,
): { readonly answer: StopAnswer; readonly blocks: Blocks | null } {
  switch (verdict.kind) {
    case 'holds':
      return { answer: { kind: 'let-go', message: null }, blocks: null };
    case 'unjudged':
      return {
        answer: {
          kind: 'let-go',
          message: `onceover could not judge this change, so nothing was passed: ${verdict.why}`,
        },
        blocks: before,
      };
    case 'fails': {
      const isProgress = before?.open.some((id) => !verdict.open.includes(id)) ?? true;
      const count = isProgress ? 1 : (before?.count ?? 0) + 1;
      const blocks = { count, open: verdict.open };
      if (count <= MOST_BLOCKS) return { answer: { kind: 'block', reason: verdict.reason }, blocks };
      const message = `onceover let the agent stop after ${MOST_BLOCKS} blocks without progress. Not passed: ${verdict.open.join(', ')}. See "onceover status".`;
      return { answer: { kind: 'let-go', message }, blocks };
    }
  }
}
