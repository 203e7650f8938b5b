import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Acceptance } from '@onceover/passes/types';
import { passStatement } from '@onceover/testing/passes.ts';
import { finding, receipt, records, reviewGate, stateOf } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import type { GateState } from '../../../src/run/decide/gate-state.ts';
import { decideRun } from '../../../src/run/decide/plan-run.ts';

type Settings = Parameters<typeof decideRun>[1];
const DEFAULTS: Settings = { maxRetries: 3, unchangedGates: 'run', afterPass: 'latch', certify: false };
const ACCEPTED: Acceptance = { kind: 'accepted', statement: passStatement(), signers: [] };

const gate = reviewGate();
const rule = reviewGate({ kind: 'rule', id: 'rule:.:style' });
const bothPassed = {
  records: records('1.1 pass', '2.1 pass'),
  receipts: [1, 2].map((slot) => receipt({ slot })),
};
/** Another gate that has to run, so that there is an iteration. */
const OTHER = stateOf({ gate: reviewGate({ id: 'review:api:api-quality' }) });

const FAILED_FOUR_TIMES = stateOf({
  records: records(
    '1.1 fail',
    '2.1 pass',
    '1.2 fail',
    '2.2 rest@1',
    '1.3 fail',
    '2.3 rest@1',
    '1.4 fail',
    '2.4 rest@1',
  ),
  findings: [finding()],
});
const PASSED_ON_OLDER_CODE = stateOf({ records: records('1.1 pass c0', '2.1 pass c0') });
const HOLDS = stateOf(bothPassed);
const RULE_HOLDS = stateOf({
  ...bothPassed,
  gate: rule,
  receipts: [1, 2].map((slot) => receipt({ slot, gate: rule.id })),
});
const accepting = (...slots: readonly number[]) => new Map(slots.map((slot) => [slot, ACCEPTED]));

/** Each row is a row of the table in docs/gates.md: its title, and what happens to each reviewer of the gate. */
const ROWS: readonly [row: string, state: GateState, settings: Partial<Settings>, expected: string][] = [
  ['it has not passed the current code', stateOf(), {}, 'run run'],
  ['it passed earlier code', PASSED_ON_OLDER_CODE, {}, 'run skip'],
  ['it passed the current code', HOLDS, {}, 'run skip'],
  ['it passed the current code, with `unchanged_gates: rest`', HOLDS, { unchangedGates: 'rest' }, 'left out'],
  ['it is the review of a rule and passed the current code', RULE_HOLDS, {}, 'left out'],
  ['it failed more than `max_retries` times without progress', FAILED_FOUR_TIMES, {}, 'left out'],
  [
    'a pass of another clone counts for one of its reviewers',
    stateOf({ gate, shared: accepting(2) }),
    {},
    'run accept',
  ],
  ['passes of other clones count for all its reviewers', stateOf({ gate, shared: accepting(1, 2) }), {}, 'run accept'],
];

function planned(state: GateState, settings: Partial<Settings>): string {
  const facts = { checks: [], reviews: [state, OTHER] };
  const plan = decideRun(facts, { ...DEFAULTS, ...settings }, { force: false, fresh: false });
  expect(plan.iterates).toBe(true);
  const [review] = plan.reviews;
  return review?.kind === 'run' ? review.slots.map(({ kind }) => kind).join(' ') : 'left out';
}

describe('a gate in a numbered run in which another gate has to run', () => {
  test.each(ROWS)('%s', (_row, state, settings, expected) => {
    expect(planned(state, settings)).toBe(expected);
  });

  test('docs/gates.md has the same rows', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../../../../docs/gates.md'), 'utf8');
    const table = page.slice(page.indexOf('### Which gates run in a numbered run'));
    for (const [row] of ROWS) expect(table).toContain(`| ${row} |`);
    expect(table).toContain('| you chose other gates with `--gate` |');
  });
});
