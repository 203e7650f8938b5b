import { checkGate, finding, receipt, records, reviewGate, stateOf, waiver } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import type { GateState } from '../../../src/run/decide/gate-state.ts';
import {
  type CheckState,
  decideRun,
  hasNothingLeftToAsk,
  type RunOverrides,
} from '../../../src/run/decide/plan-run.ts';

const SETTINGS = { maxRetries: 3, unchangedGates: 'run', afterPass: 'latch', certify: false } as const;
const WISHES: RunOverrides = { force: false, fresh: false, iterationStarted: false };

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
  return hasNothingLeftToAsk(plan, checks);
}

test.each<[string, Given, boolean]>([
  ['no reviewer has run', { reviews: [stateOf()] }, false],
  ['the slot that failed this content would run, the other is skipped', { reviews: [FAILED] }, true],
  [
    'the slot failed other content',
    { reviews: [stateOf({ records: records('1.1 pass', '2.1 fail c0'), findings: OPEN })] },
    false,
  ],
  [
    'the slot failed this content under another prompt',
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
    'one slot failed, the other ended in an error',
    { reviews: [stateOf({ records: records('1.1 error', '2.1 fail') })] },
    false,
  ],
  [
    'one slot failed, the other never ran',
    { reviews: [stateOf({ records: records('2.1 fail'), findings: OPEN })] },
    false,
  ],
  ['a passing gate would run along with the failing one', { reviews: [HOLDS, FAILED] }, true],
  ['another gate has not run', { reviews: [stateOf({ gate: reviewGate({ id: 'review:src:new' }) }), FAILED] }, false],
  ['all gates pass', { reviews: [HOLDS] }, true],
  ['all gates pass, and a skipped slot has to certify', { reviews: [RESTS], certify: true }, false],
  ['a check has to run', { reviews: [FAILED], checks: [{ gate: checkGate(), holds: false }] }, false],
  ['a check passes', { reviews: [FAILED], checks: [{ gate: checkGate(), holds: true }] }, true],
  [
    'the findings of the failed slot are waived',
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
