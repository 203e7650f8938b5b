import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Blocks, StopVerdict } from '../../src/stop-hook/decide.ts';
import { decideStop } from '../../src/stop-hook/decide.ts';
import { describeAllowedStop } from '../../src/stop-hook/describe.ts';

const HOLDS: StopVerdict = { kind: 'holds' };
const UNJUDGED: StopVerdict = { kind: 'unjudged', why: 'no agent' };
const RUNNING: StopVerdict = { kind: 'running', reason: 'wait' };
const fails = (...open: string[]): StopVerdict => ({ kind: 'fails', open, proposed: [], reason: 'fix it' });
const proposes = (open: string[], ...proposed: string[]): StopVerdict => ({
  ...{ kind: 'fails', open, proposed, reason: 'fix it' },
});
const blocks = (count: number, open: readonly string[], waits = 0): Blocks => ({ count, open, waits });

type Row = [title: string, verdict: StopVerdict, before: Blocks | null, answer: RegExp, after: Blocks | null];

/** The answer in a word and what is said. */
function told({ answer }: ReturnType<typeof decideStop>): string {
  if (answer.kind === 'block') return `block: ${answer.reason}`;
  return `let go: ${answer.why === null ? null : describeAllowedStop(answer.why)}`;
}

test.each<Row>([
  ['all gates pass', HOLDS, null, /^let go: null$/, null],
  ['all gates pass after blocks: the count is reset', HOLDS, blocks(3, ['F1']), /^let go: null$/, null],
  ['the gates could not run', UNJUDGED, null, /^let go: .*could not judge.*: no agent$/, null],
  ['the gates could not run: the count stays', UNJUDGED, blocks(2, ['F1']), /^let go: /, blocks(2, ['F1'])],
  ['the first block', fails('F1'), null, /^block: fix it$/, blocks(1, ['F1'])],
  ['the second without progress', fails('F1'), blocks(1, ['F1']), /^block/, blocks(2, ['F1'])],
  ['the third', fails('F1'), blocks(2, ['F1']), /^block/, blocks(3, ['F1'])],
  ['the fourth', fails('F1'), blocks(3, ['F1']), /^let go: .*3 blocks without progress.*F1/, blocks(4, ['F1'])],
  ['the fifth', fails('F1'), blocks(4, ['F1']), /^let go/, blocks(5, ['F1'])],
  ['one of two is closed', fails('F2'), blocks(3, ['F1', 'F2']), /^block/, blocks(1, ['F2'])],
  ['one finding is closed and another is new', fails('F3'), blocks(3, ['F1']), /^block/, blocks(1, ['F3'])],
  ['a new finding is not progress', fails('F1', 'F2'), blocks(3, ['F1']), /^let go/, blocks(4, ['F1', 'F2'])],
  ['it fails without a name', fails(), blocks(3, []), /^let go: .*progress\. Run "onceover status"/, blocks(4, [])],
  [
    'every open finding has a proposed waiver: the user gets the command that confirms it',
    proposes(['F1', 'F2'], 'F1', 'F2'),
    blocks(1, ['F1', 'F2']),
    /^let go: .*do not pass.*decide about F1, F2\. .*: onceover resolve F1 F2 --confirm$/,
    blocks(1, ['F1', 'F2']),
  ],
  ['one of two has a proposed waiver', proposes(['F1', 'F2'], 'F1'), null, /^block/, blocks(1, ['F1', 'F2'])],
  ['a run is not done', RUNNING, null, /^block: wait$/, blocks(0, [], 1)],
  ['a run is not done for the third time', RUNNING, blocks(0, [], 2), /^block/, blocks(0, [], 3)],
  ['a run is not done for the fourth time', RUNNING, blocks(0, [], 3), /^let go: .*still running/, blocks(0, [], 4)],
  ['waiting is not progress', RUNNING, blocks(3, ['F1']), /^block/, blocks(3, ['F1'], 1)],
  ['waiting does not reset the count', fails('F1'), blocks(3, ['F1'], 2), /^let go/, blocks(4, ['F1'])],
  ['the first block after waiting', fails('F1'), blocks(0, [], 4), /^block/, blocks(1, ['F1'])],
])('%s', (_title, verdict, before, answer, after) => {
  const decided = decideStop(verdict, before);
  expect(told(decided)).toMatch(answer);
  expect(decided.blocks).toEqual(after);
});

describe('in any order of verdicts', () => {
  const any = fc.oneof(fc.constant(UNJUDGED), fc.constant(RUNNING), fc.constant(fails('F1')));

  test('blocks at most three times over the same finding, however often the agent waits in between', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(RUNNING, fails('F1')), { minLength: 40, maxLength: 40 }), (verdicts) => {
        let before: Blocks | null = null;
        let held = 0;
        for (const verdict of verdicts) {
          const { answer, blocks: next } = decideStop(verdict, before);
          before = next;
          if (verdict.kind === 'fails' && answer.kind === 'block') held++;
        }
        expect(held).toBeLessThanOrEqual(3);
      }),
    );
  });

  test('never allows a stop without a message while gates fail', () => {
    fc.assert(
      fc.property(fc.array(any), (verdicts) => {
        let before: Blocks | null = null;
        for (const verdict of verdicts) {
          const { answer, blocks: next } = decideStop(verdict, before);
          before = next;
          expect(answer.kind === 'block' || answer.why).toBeTruthy();
        }
      }),
    );
  });
});
