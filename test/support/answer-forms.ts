import type { VerdictKind } from '@onceover/agents/dispatch/answer-schemas';
import { readAnswer } from '@onceover/agents/dispatch/read-answer';
import { refuses } from '@onceover/agents/src/dispatch/refusals.ts';
import fc from 'fast-check';
import { expect } from 'vitest';
import { goodAnswers, type MadeReply, noPasses } from './answers.ts';

type Budget = { readonly runs: number; readonly seed: number };

function isPass(kind: VerdictKind, { text, structured }: MadeReply): boolean {
  const readResult = readAnswer(kind, { text, structured });
  return readResult.ok && !refuses(kind, readResult.answer);
}

/** Checks how many generated answers are read as a pass, and shows the first ones that are read wrongly. */
export const expectForms = {
  accepted(kind: VerdictKind, { runs, seed }: Budget) {
    const replies = fc.sample(goodAnswers(kind), { numRuns: runs, seed });
    const refusedReplies = replies.filter((reply) => !isPass(kind, reply));
    expect(replies).toHaveLength(runs);
    expect(refusedReplies.length, JSON.stringify(refusedReplies.slice(0, 5), null, 2)).toBeLessThanOrEqual(runs / 100);
  },
  refused(kind: VerdictKind, { runs, seed }: Budget) {
    const replies = fc.sample(noPasses(kind), { numRuns: runs, seed });
    expect(replies).toHaveLength(runs);
    const passes = replies.filter((reply) => isPass(kind, reply));
    expect(passes.length, JSON.stringify(passes.slice(0, 5), null, 2)).toBe(0);
  },
};
