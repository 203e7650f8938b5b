import { ownFacts, slotRecord } from '@onceover/testing/record-samples.ts';
import {
  claim,
  content,
  entry,
  finding,
  held,
  receipt,
  records,
  reviewGate,
  stateOf,
  waiver,
} from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KnownFinding } from '../../../src/findings/types.ts';
import { isOpen } from '../../../src/findings/types.ts';
import { allCovered, type SlotState } from '../../../src/run/decide/gate-state.ts';
import { planSlots } from '../../../src/run/decide/skip-reviewers.ts';
import type { SlotRecord } from '../../../src/run/record-types.ts';
import type { Receipt } from '../../../src/run/types.ts';

const passed = (...slots: readonly number[]) => slots.map((slot) => receipt({ slot }));
const failedWith = (slot: number, ...findings: readonly string[]) => receipt({ slot, verdict: 'fail', findings });
const other = (record: SlotRecord, differs: Parameters<typeof ownFacts>[0]): SlotRecord => ({
  ...record,
  own: ownFacts(differs),
});
const byHand = (text: string): SlotRecord[] => records(text).map((record) => ({ ...record, own: null }));

type Facts = Parameters<typeof stateOf>[0];
type Expected = { readonly covers: readonly SlotState['covers'][]; readonly holds: boolean };

describe('why a slot counts as passed on the current content', () => {
  test.each<[string, Facts, Expected]>([
    ['no receipt and no record', {}, { covers: [null, null], holds: false }],
    ['all slots passed it', { receipts: passed(1, 2) }, { covers: ['passed', 'passed'], holds: true }],
    [
      'all slots passed it in another cycle or worktree: no record is needed',
      { receipts: passed(1, 2), records: [] },
      { covers: ['passed', 'passed'], holds: true },
    ],
    ['one slot has not run', { receipts: passed(1) }, { covers: ['passed', null], holds: false }],
    [
      'a record alone is not proof, even our own',
      { records: records('1.1 pass', '2.1 pass') },
      { covers: [null, null], holds: false },
    ],
    [
      'one slot is skipped while another reviewed it',
      { records: records('1.1 pass c0', '2.1 fail c0', '1.2 rest@1', '2.2 pass'), receipts: passed(2) },
      { covers: ['rests', 'passed'], holds: true },
    ],
    [
      'a record written by hand can let a slot be skipped',
      { records: [...byHand('1.2 rest@1'), ...records('2.2 pass')], receipts: passed(2) },
      { covers: ['rests', 'passed'], holds: true },
    ],
    [
      'a skip without a pass does not count',
      { records: records('1.1 fail c0', '1.2 rest', '2.2 pass'), receipts: passed(2) },
      { covers: [null, 'passed'], holds: false },
    ],
    [
      'a slot that passed older content and was not skipped since does not count',
      { records: records('1.1 pass c0', '2.2 pass'), receipts: passed(2) },
      { covers: [null, 'passed'], holds: false },
    ],
    [
      'all slots are skipped, and none reviewed it',
      { records: records('1.1 pass c0', '2.1 pass c0', '1.2 rest@1', '2.2 rest@1') },
      { covers: ['rests', 'rests'], holds: false },
    ],
    [
      'one slot is skipped while another is waived',
      {
        records: records('1.1 pass c0', '1.2 rest@1', '2.2 waived'),
        receipts: [failedWith(2, 'F1')],
        findings: [finding({ slot: 2, resolution: waiver() })],
      },
      { covers: ['rests', 'waived'], holds: true },
    ],
    [
      'a skip does not count if the slot has a warning',
      {
        records: records('1.1 pass c0', '1.2 rest@1', '2.2 pass'),
        receipts: passed(2),
        findings: [finding({ kept: 'warning' })],
      },
      { covers: [null, 'passed'], holds: false },
    ],
    [
      'a skip under another prompt does not count',
      {
        records: [
          ...records('1.1 pass c0', '2.2 pass'),
          ...records('1.2 rest@1').map((one) => other(one, { promptDigest: 'p0' })),
        ],
        receipts: passed(2),
      },
      { covers: [null, 'passed'], holds: false },
    ],
    [
      'a skip on another branch does not count',
      {
        records: [...records('2.2 pass'), ...records('1.2 rest@1').map((one) => other(one, { branch: 'other' }))],
        receipts: passed(2),
      },
      { covers: [null, 'passed'], holds: false },
    ],
    [
      'an error after a skip: the skip no longer counts',
      { records: records('1.1 pass c0', '1.2 rest@1', '1.3 error', '2.3 pass'), receipts: passed(2) },
      { covers: [null, 'passed'], holds: false },
    ],
    ['a trusted mark counts for every slot', { marked: true }, { covers: ['marked', 'marked'], holds: true }],
    [
      'a slot that passed needs no mark',
      { marked: true, receipts: passed(2) },
      { covers: ['marked', 'passed'], holds: true },
    ],
    [
      'a trusted mark does not override an open finding',
      { marked: true, findings: [finding()] },
      { covers: [null, 'marked'], holds: false },
    ],
  ])('%s', (_title, facts, expected) => {
    const state = stateOf(facts);
    expect({ covers: state.slots.map(({ covers }) => covers), holds: state.holds }).toEqual(expected);
  });

  test.each<[string, readonly SlotState['covers'][], boolean]>([
    ['one slot passed, the others are skipped', ['rests', 'passed', 'rests'], true],
    ['one slot is waived, the others are skipped', ['waived', 'rests'], true],
    ['all slots are skipped', ['rests', 'rests'], false],
    ['one slot does not count', ['passed', null], false],
  ])('all covered: %s', (_title, covers, expected) => {
    expect(allCovered(covers.map((one) => ({ covers: one })))).toBe(expected);
  });
});

describe('open findings', () => {
  const all = passed(1, 2);
  test.each<[string, Facts, Expected]>([
    [
      'of a slot: the slot has not passed',
      { receipts: all, findings: [finding()] },
      { covers: [null, 'passed'], holds: false },
    ],
    [
      'claimed as fixed: open until a reviewer confirms',
      { receipts: all, findings: [finding({ resolution: claim() })] },
      { covers: [null, 'passed'], holds: false },
    ],
    [
      'of a removed slot stay open',
      { receipts: all, findings: [finding({ slot: 3 })] },
      { covers: ['passed', 'passed'], holds: false },
    ],
    [
      'a warning does not keep the gate from passing',
      { receipts: all, findings: [finding({ kept: 'warning' })] },
      { covers: ['passed', 'passed'], holds: true },
    ],
    [
      'closed, gone and waived findings do not keep the gate from passing',
      {
        receipts: all,
        findings: [
          finding({ kept: 'closed' }),
          finding({ entry: entry({ path: 'src/gone.ts' }) }),
          finding({ resolution: waiver() }),
        ],
      },
      { covers: ['passed', 'passed'], holds: true },
    ],
  ])('%s', (_title, facts, expected) => {
    const state = stateOf(facts);
    expect({ covers: state.slots.map(({ covers }) => covers), holds: state.holds }).toEqual(expected);
  });

  test('each finding has its state', () => {
    const known = [finding({ id: 'F1' }), finding({ id: 'F2', resolution: waiver() })];
    expect(stateOf({ findings: known }).findings.map((one) => [one.finding.id, one.state])).toEqual([
      ['F1', 'open'],
      ['F2', 'waived'],
    ]);
  });
});

describe('a slot whose findings are waived', () => {
  const waived = (id: string) => finding({ id, resolution: waiver() });
  const one = reviewGate({ numReviews: 1 });
  test.each<[string, Receipt | null, readonly KnownFinding[], SlotState['covers']]>([
    ['each of them', failedWith(1, 'F1', 'F2'), [waived('F1'), waived('F2')], 'waived'],
    ['one of them is unknown', failedWith(1, 'F1', 'F2'), [waived('F1')], null],
    ['one of them is closed', failedWith(1, 'F1', 'F2'), [waived('F1'), finding({ id: 'F2', kept: 'closed' })], null],
    ['the receipt names none', failedWith(1), [waived('F1')], null],
    ['the slot gave no verdict on this content', null, [waived('F1')], null],
  ])('%s', (_title, own, findings, expected) => {
    const state = stateOf({ gate: one, receipts: own === null ? [] : [own], findings });
    expect(state.slots[0]?.covers).toBe(expected);
    expect(state.holds).toBe(expected === 'waived');
  });
});

describe('which slots run next', () => {
  const next = (facts: Facts) => {
    const { gate, history } = stateOf(facts);
    return planSlots(gate.numReviews, history).map((plan) =>
      plan.kind === 'run' ? plan.why : `rests since ${plan.passIteration}`,
    );
  };
  const waivedF1 = finding({ slot: 2, resolution: waiver() });

  test('a slot with a warning is never skipped, even if its newest record does not repeat the warning', () => {
    const known = records('1.1 warned', '2.1 pass', '1.2 pass', '2.2 rest@1');
    const warning = finding({ kept: 'warning' });
    expect(next({ records: known, receipts: passed(1, 2), findings: [warning] })).toEqual([
      'not-passed',
      'rests since 1',
    ]);
    expect(next({ records: known, receipts: passed(1, 2) })).toEqual(['safety-latch', 'rests since 1']);
  });

  test.each<[string, Facts, readonly string[]]>([
    ['no reviewer has run', {}, ['first-run', 'first-run']],
    ['one slot passed', { records: records('1.1 pass', '2.1 fail') }, ['rests since 1', 'not-passed']],
    [
      'a slot has an open finding, even if its record says pass',
      { records: records('1.1 pass', '2.1 pass'), findings: [finding({ slot: 2 })] },
      ['rests since 1', 'not-passed'],
    ],
    [
      'a slot has an open finding and was skipped since',
      { records: records('1.1 pass', '2.1 pass', '1.2 fail', '2.2 rest@1'), findings: [finding({ slot: 2 })] },
      ['not-passed', 'not-passed'],
    ],
    [
      'a slot passed under another prompt',
      {
        records: [...records('1.1 pass'), ...records('2.1 pass').map((one) => other(one, { promptDigest: 'p0' }))],
      },
      ['rests since 1', 'not-passed'],
    ],
    [
      'a record written by hand names no prompt',
      { records: [...byHand('1.1 pass'), ...records('2.1 fail')] },
      ['rests since 1', 'not-passed'],
    ],
    [
      'a pass with a warning counts, but the slot is never skipped',
      { records: records('1.1 pass', '2.1 warned'), receipts: passed(1, 2) },
      ['rests since 1', 'not-passed'],
    ],
    [
      'waived on this content',
      { records: records('1.1 error', '2.1 waived'), receipts: [failedWith(2, 'F1')], findings: [waivedF1] },
      ['not-passed', 'not-passed'],
    ],
    [
      'waived on this content, after a skip on it',
      {
        records: records('1.1 error', '2.1 waived', '1.2 error', '2.2 rest@1'),
        receipts: [failedWith(2, 'F1')],
        findings: [waivedF1],
      },
      ['not-passed', 'not-passed'],
    ],
    [
      'failed before it passed, and was skipped since',
      { records: records('1.1 fail c0', '2.1 fail c0', '1.2 fail', '2.2 pass', '1.3 fail', '2.3 rest@2') },
      ['not-passed', 'rests since 2'],
    ],
    [
      'waived on other content',
      { records: records('1.1 pass', '2.1 waived c0'), receipts: [failedWith(2, 'F1')], findings: [waivedF1] },
      ['rests since 1', 'not-passed'],
    ],
    [
      'failed on this content and not waived',
      { records: records('1.1 pass', '2.1 fail'), receipts: [failedWith(2, 'F1')], findings: [] },
      ['rests since 1', 'not-passed'],
    ],
    [
      'a receipt of a pass does not turn a failed record into a pass',
      { records: records('1.1 pass', '2.1 waived'), receipts: passed(2), findings: [waivedF1] },
      ['rests since 1', 'not-passed'],
    ],
    [
      'a record of another branch',
      { records: [...records('1.1 pass'), ...records('2.1 pass').map((one) => other(one, { branch: 'other' }))] },
      ['rests since 1', 'first-run'],
    ],
    [
      'a record of a removed slot',
      { records: records('1.1 pass', '2.1 pass', '3.1 fail'), findings: [finding({ slot: 3 })] },
      ['safety-latch', 'rests since 1'],
    ],
  ])('%s', (_title, facts, expected) => {
    expect(next(facts)).toEqual(expected);
  });

  test('waived on other content, after a skip on that content', () => {
    const facts: Facts = {
      gate: reviewGate({ content: content('c2') }),
      records: records('1.1 fail', '2.1 waived', '1.2 pass', '2.2 rest@1'),
      findings: [waivedF1],
    };
    expect(next(facts)[1]).toBe('not-passed');
  });
});

describe('a slot', () => {
  test('has its newest record of this cycle, and the iteration of its pass', () => {
    const older = records('1.1 pass c0', '1.2 rest@1');
    const elsewhere = other(slotRecord({ iteration: 9 }), { branch: 'other' });
    const [first, second] = stateOf({ records: [...older, elsewhere, ...records('2.2 fail')] }).slots;
    expect(first).toMatchObject({ slot: 1, passIteration: 1, latest: { iteration: 2 } });
    expect(second).toMatchObject({ slot: 2, passIteration: null, latest: { status: 'fail' } });
  });

  test('without a record has neither', () => {
    const nothing = { covers: null, shared: null, passIteration: null, latest: null, difference: null };
    expect(stateOf().slots[1]).toEqual({ slot: 2, ...nothing });
  });

  test('has the record with the highest iteration as its newest, in any order', () => {
    const { slots } = stateOf({ records: records('1.10 fail', '1.9 pass', '1.2 pass') });
    expect(slots[0]?.latest?.iteration).toBe(10);
  });
});

describe('certified', () => {
  test.each<[string, Facts, boolean]>([
    ['every slot reviewed the content', { receipts: passed(1, 2) }, true],
    [
      'a waived slot reviewed the content',
      { receipts: [...passed(1), failedWith(2, 'F1')], findings: [finding({ slot: 2, resolution: waiver() })] },
      true,
    ],
    ['one slot is skipped', { records: records('1.1 pass c0', '1.2 rest@1', '2.2 pass'), receipts: passed(2) }, false],
    ['the gate does not pass', { receipts: passed(1, 2), findings: [finding({ slot: 3 })] }, false],
  ])('%s', (_title, facts, expected) => {
    expect(stateOf(facts).certified).toBe(expected);
  });
});

describe('whether the gate passed before', () => {
  const elsewhere = records('1.2 fail', '2.2 fail').map((one) => other(one, { branch: 'other' }));
  test.each<[string, Facts, { readonly heldBefore: boolean; readonly isHeldNoted: boolean }]>([
    ['no pass is recorded', {}, { heldBefore: false, isHeldNoted: false }],
    ['with other content', { held: held(1, 'c0') }, { heldBefore: true, isHeldNoted: false }],
    ['with this content', { held: held(1) }, { heldBefore: false, isHeldNoted: true }],
    [
      'with other content, and failed since',
      { held: held(1, 'c0'), records: records('1.2 fail') },
      { heldBefore: false, isHeldNoted: false },
    ],
    [
      'with this content, and failed since',
      { held: held(1), records: records('1.2 fail') },
      { heldBefore: false, isHeldNoted: false },
    ],
    [
      'with other content, and failed since on another branch',
      { held: held(1, 'c0'), records: elsewhere },
      { heldBefore: true, isHeldNoted: false },
    ],
  ])('%s', (_title, facts, expected) => {
    expect(stateOf(facts)).toMatchObject(expected);
  });
});

test('failing iterations of other cycles do not count', () => {
  const here = records('1.1 fail', '2.1 pass', '1.2 fail', '2.2 rest@1');
  const elsewhere = records('1.3 fail').map((one) => other(one, { branch: 'other' }));
  expect(stateOf({ records: [...here, ...elsewhere] }).failing).toBe(2);
});

describe('a waived finding that is reported again', () => {
  const known = { gate: reviewGate({ numReviews: 1 }), receipts: [failedWith(1, 'F1')] };
  const narrow = { scope: { key: 'uncommitted', kind: 'narrow' } } as const;

  test('does not keep its slot from passing', () => {
    expect(stateOf({ ...known, findings: [finding({ resolution: waiver() })] }).slots[0]?.covers).toBe('waived');
  });

  test('does not keep its slot from passing in a narrow run, if a full run waived it', () => {
    expect(stateOf({ ...known, findings: [finding({ resolution: waiver() })] }, narrow).slots[0]?.covers).toBe(
      'waived',
    );
  });
  test('does not keep its slot from passing if its path no longer has an entry', () => {
    const gone = finding({ resolution: waiver(), entry: entry({ path: 'src/b.ts' }) });
    expect(stateOf({ ...known, findings: [gone] }).slots[0]?.covers).toBe('waived');
  });
});

describe('properties of gate states', () => {
  const record = fc
    .record({
      slot: fc.integer({ min: 1, max: 3 }),
      iteration: fc.integer({ min: 2, max: 5 }),
      word: fc.constantFrom('pass', 'warned', 'fail', 'waived', 'error', 'rest@1', 'rest'),
      content: fc.constantFrom('c0', 'c1'),
      promptDigest: fc.constantFrom('p0', 'p1', 'p1'),
      branch: fc.constantFrom('other', 'work', 'work'),
    })
    .map(({ slot, iteration, word, content: seen, ...own }) =>
      records(`${slot}.${iteration} ${word} ${seen}`).map((one) => other(one, { content: content(seen), ...own })),
    );
  const known = fc
    .array(
      fc.record({
        slot: fc.integer({ min: 1, max: 3 }),
        kept: fc.constantFrom('open', 'warning', 'closed'),
        resolution: fc.constantFrom(null, waiver(), claim()),
        branch: fc.constantFrom('work', 'other'),
      }),
      { maxLength: 3 },
    )
    .map((all) => all.map((one, i) => finding({ ...one, id: `F${i + 1}` })));
  const concluded = fc.record({
    slot: fc.integer({ min: 1, max: 2 }),
    verdict: fc.constantFrom('pass', 'pass', 'fail'),
    findings: fc.subarray(['F1', 'F2', 'F3']),
  });
  const anyFacts = fc.record({
    records: fc.array(record, { maxLength: 8 }).map((all) => all.flat()),
    findings: known,
    receipts: fc.array(concluded.map(receipt), { maxLength: 3 }),
  });

  test('a gate passes only if nothing is open, one slot reviewed the content, and every other slot did or is skipped', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const state = stateOf(facts);
        if (!state.holds) return;
        expect(state.findings.filter((one) => isOpen(one.state))).toEqual([]);
        const waived = facts.findings.filter(({ resolution }) => resolution?.how === 'skipped').map(({ id }) => id);
        const hasRun = (slot: number) => {
          const own = facts.receipts.findLast((one) => one.slot === slot);
          if (own === undefined || own.verdict === 'pass') return own !== undefined;
          return own.findings.length > 0 && own.findings.every((id) => waived.includes(id));
        };
        const rests = (slot: number) => {
          const here = facts.records.filter((one) => one.slot === slot && one.own?.branch === 'work');
          const latest = Math.max(...here.map(({ iteration }) => iteration));
          const newest = here.filter(({ iteration }) => iteration === latest);
          return newest.some((one) => one.status === 'skipped_prior_pass' && one.own?.promptDigest === 'p1');
        };
        expect([1, 2].some(hasRun)).toBe(true);
        expect([1, 2].every((slot) => hasRun(slot) || rests(slot))).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  test('a slot with an open finding neither counts as passed nor is skipped', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const state = stateOf(facts);
        const plans = planSlots(2, state.history);
        for (const { finding: one, state: stands } of state.findings) {
          if (!isOpen(stands) || one.slot > 2) continue;
          expect(state.slots[one.slot - 1]?.covers).toBeNull();
          expect(plans[one.slot - 1]?.kind).toBe('run');
        }
      }),
      { numRuns: 1000 },
    );
  });
});
