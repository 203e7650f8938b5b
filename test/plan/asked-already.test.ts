import { expect, test } from 'vitest';
import { isAskedAlready } from '../../src/plan/asked-already.ts';
import { type CheckState, decideRun, type RunWishes } from '../../src/plan/decide-run.ts';
import type { GateState } from '../../src/plan/gate-state.ts';
import { checkGate, finding, receipt, records, reviewGate, stateOf, waiver } from '../support/run-samples.ts';

const SETTINGS = { maxRetries: 3, unchangedGates: 'run', afterPass: 'latch', certify: false } as const;
const WISHES: RunWishes = { force: false, fresh: false, isOn: false };

const OPEN = [finding({ slot: 2 })];
const HOLDS = stateOf({
  gate: reviewGate({ id: 'review:src:other' }),
  records: [],
  receipts: [receipt({ slot: 1 }), receipt({ slot: 2 })],
});
const FAILED = stateOf({ records: records('1.1 pass', '2.1 fail'), findings: OPEN });
const RESTS = stateOf({ records: records('1.1 pass c0', '1.2 rest@1', '2.2 pass'), receipts: [receipt({ slot: 2 })] });

type Given = { readonly reviews?: readonly GateState[]; readonly checks?: readonly CheckState[]; certify?: boolean };

function ask({ reviews = [], checks = [], certify = false }: Given): boolean {
  const plan = decideRun({ reviews, checks }, { ...SETTINGS, certify }, WISHES);
  return isAskedAlready(plan, checks);
}

test.each<[string, Given, boolean]>([
  ['nobody has looked', { reviews: [stateOf()] }, false],
  ['who failed just this would be asked, the other rests', { reviews: [FAILED] }, true],
  [
    'who failed something else',
    { reviews: [stateOf({ records: records('1.1 pass', '2.1 fail c0'), findings: OPEN })] },
    false,
  ],
  [
    'who failed it by another prompt',
    {
      reviews: [
        stateOf({
          gate: reviewGate({ rubric: { source: 'x', text: 'Look again.', digest: 'p2' } }),
          records: records('1.1 fail', '2.1 fail'),
          findings: OPEN,
        }),
      ],
    },
    false,
  ],
  [
    'one has failed, the other has not answered',
    { reviews: [stateOf({ records: records('1.1 error', '2.1 fail') })] },
    false,
  ],
  [
    'one has failed, the other was never asked',
    { reviews: [stateOf({ records: records('2.1 fail'), findings: OPEN })] },
    false,
  ],
  ['a gate that holds would run along with it', { reviews: [HOLDS, FAILED] }, true],
  [
    'another gate has not been looked at',
    { reviews: [stateOf({ gate: reviewGate({ id: 'review:src:new' }) }), FAILED] },
    false,
  ],
  ['all hold', { reviews: [HOLDS] }, true],
  ['all hold, and one that rests has to look before that counts', { reviews: [RESTS], certify: true }, false],
  ['a check is to run', { reviews: [FAILED], checks: [{ gate: checkGate(), holds: false }] }, false],
  ['a check holds', { reviews: [FAILED], checks: [{ gate: checkGate(), holds: true }] }, true],
  [
    'what was failed is waived',
    {
      reviews: [
        stateOf({
          records: records('1.1 pass', '2.1 fail'),
          findings: [finding({ slot: 2, resolution: waiver() })],
          receipts: [receipt({ slot: 1 }), receipt({ slot: 2, verdict: 'fail', findings: ['F1'] })],
        }),
      ],
    },
    true,
  ],
])('%s: %#', (_title, given, expected) => {
  expect(ask(given)).toBe(expected);
});
