import type { Blocks, StopAnswer, StopVerdict } from '../domain/stop.ts';

const MOST_BLOCKS = 3;
const MOST_WAITS = 3;

/** Blocks while something fails and there is progress; an agent that gets nowhere, or waits too long, is let go. */
export function decideStop(
  verdict: StopVerdict,
  before: Blocks | null,
): { readonly answer: StopAnswer; readonly blocks: Blocks | null } {
  switch (verdict.kind) {
    case 'holds':
      return { answer: { kind: 'let-go', message: null }, blocks: null };
    case 'unjudged':
      return {
        answer: letGo(`onceover could not judge this change, so nothing was passed: ${verdict.why}`),
        blocks: before,
      };
    case 'running': {
      // Waiting is no answer to what was found before: that is counted on from where it was.
      const waits = (before?.waits ?? 0) + 1;
      const blocks = { count: before?.count ?? 0, open: before?.open ?? [], waits };
      if (waits <= MOST_WAITS) return { answer: { kind: 'block', reason: verdict.reason }, blocks };
      return {
        answer: letGo(
          `onceover let the agent stop after it had waited ${MOST_WAITS} times for a review that still goes on. Nothing was passed yet; "onceover status" tells what came of it.`,
        ),
        blocks,
      };
    }
    case 'fails': {
      const isFirst = before === null || before.count === 0;
      const isProgress = isFirst || before.open.some((id) => !verdict.open.includes(id));
      const count = isProgress ? 1 : before.count + 1;
      const blocks = { count, open: verdict.open, waits: 0 };
      if (count <= MOST_BLOCKS) return { answer: { kind: 'block', reason: verdict.reason }, blocks };
      const open = verdict.open.length === 0 ? '' : ` Not passed: ${verdict.open.join(', ')}.`;
      return {
        answer: letGo(
          `onceover let the agent stop after ${MOST_BLOCKS} blocks without progress.${open} "onceover status" tells more.`,
        ),
        blocks,
      };
    }
  }
}

function letGo(message: string): StopAnswer {
  return { kind: 'let-go', message };
}
