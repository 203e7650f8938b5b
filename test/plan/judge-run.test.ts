import { describe, expect, test } from 'vitest';
import type { KnownFinding } from '../../src/domain/finding.ts';
import type { GateOutcome, RunOutcome, SlotOutcome } from '../../src/domain/run.ts';
import type { CheckState } from '../../src/plan/decide-run.ts';
import { type CheckDeed, type GateDeed, judgeRun, type RunResult } from '../../src/plan/judge-run.ts';
import {
  checkGate,
  claim,
  content,
  finding,
  receipt,
  records,
  reviewGate,
  slotOutcome,
  stateOf,
  waiver,
} from '../support/run-samples.ts';

const GATE = reviewGate().id;
const CHECK = checkGate().id;

function judge(differs: Partial<RunResult>) {
  return judgeRun({
    checks: [],
    reviews: [],
    orphans: [],
    hasEntries: true,
    iteration: 1,
    deeds: new Map(),
    checkDeeds: new Map(),
    stopped: false,
    interrupted: false,
    settings: { maxRetries: 3, certify: false },
    ...differs,
  });
}

const passed = (...slots: readonly number[]) => slots.map((slot) => receipt({ slot }));
const deed = (differs: Partial<GateDeed> = {}): RunResult['deeds'] =>
  new Map([[GATE, { kind: 'review', content: 'c1', slots: [slotOutcome()], ...differs }]]);

const HOLDS = stateOf({ receipts: passed(1, 2) });
const MARKED = stateOf({ marked: true });
const BOTH = stateOf({ marked: true, receipts: passed(1, 2) });
const NEW = stateOf();
const OPEN = stateOf({ receipts: passed(1, 2), findings: [finding()] });
const RESTS = stateOf({ records: records('1.1 pass c0', '1.2 rest@1', '2.2 pass'), receipts: passed(2) });
const FAILED_FOUR_TIMES = records('1.1 fail', '1.2 fail', '1.3 fail', '1.4 fail');
const OVER = stateOf({ records: FAILED_FOUR_TIMES, findings: [finding()] });
const OVER_AND_CLOSED = stateOf({ records: FAILED_FOUR_TIMES });

describe('a review gate', () => {
  test.each<[string, Partial<RunResult>, Pick<GateOutcome, 'status' | 'why'>]>([
    ['holds, and was left alone', { reviews: [HOLDS] }, { status: 'holds', why: 'unchanged-since-pass' }],
    ['is marked as passed', { reviews: [MARKED] }, { status: 'holds', why: 'marked-as-passed' }],
    ['is marked, and everybody passed it', { reviews: [BOTH] }, { status: 'holds', why: 'unchanged-since-pass' }],
    ['holds, and was looked at', { reviews: [HOLDS], deeds: deed() }, { status: 'pass', why: 'passed' }],
    ['has an open finding', { reviews: [OPEN], deeds: deed() }, { status: 'fail', why: 'open-findings' }],
    ['has an open finding, and was left alone', { reviews: [OPEN] }, { status: 'fail', why: 'open-findings' }],
    ['failed too often, and was left alone', { reviews: [OVER] }, { status: 'fail', why: 'retry-limit' }],
    ['failed too often, but was asked', { reviews: [OVER], deeds: deed() }, { status: 'fail', why: 'open-findings' }],
    [
      'failed as often as it may',
      { reviews: [OVER], settings: { maxRetries: 4, certify: false } },
      { status: 'fail', why: 'open-findings' },
    ],
    [
      'failed too often, and nothing is open',
      { reviews: [OVER_AND_CLOSED] },
      { status: 'not_run', why: 'retry-limit' },
    ],
    [
      'failed as often as it may, and nothing is open',
      { reviews: [OVER_AND_CLOSED], settings: { maxRetries: 4, certify: false } },
      { status: 'not_run', why: 'slots-to-run' },
    ],
    ['has not been looked at yet', { reviews: [NEW], iteration: null }, { status: 'not_run', why: 'slots-to-run' }],
    [
      'was left out because a check failed',
      { reviews: [NEW], stopped: true },
      { status: 'not_run', why: 'stopped-by-check' },
    ],
    [
      'was not reached before the run was stopped',
      { reviews: [NEW], interrupted: true },
      { status: 'not_run', why: 'interrupted' },
    ],
    [
      'an interruption is told before a check that failed',
      { reviews: [NEW], interrupted: true, stopped: true },
      { status: 'not_run', why: 'interrupted' },
    ],
    [
      'was stopped while it was looked at',
      { reviews: [NEW], deeds: deed(), interrupted: true },
      { status: 'error', why: 'interrupted' },
    ],
    ['gave no verdict', { reviews: [NEW], deeds: deed() }, { status: 'error', why: 'could-not-judge' }],
    [
      'changed while it was looked at',
      { reviews: [NEW], deeds: deed({ content: 'c0' }) },
      { status: 'error', why: 'changed-meanwhile' },
    ],
    [
      'was stopped, and a finding is open all the same',
      { reviews: [OPEN], deeds: deed(), interrupted: true },
      { status: 'fail', why: 'open-findings' },
    ],
    ['a slot rests', { reviews: [RESTS], deeds: deed() }, { status: 'pass', why: 'passed' }],
    [
      'certify: a slot that rests has to look',
      { reviews: [RESTS], deeds: deed(), settings: { maxRetries: 3, certify: true } },
      { status: 'error', why: 'could-not-judge' },
    ],
    [
      'certify: and until then there is something to do',
      { reviews: [RESTS], iteration: null, settings: { maxRetries: 3, certify: true } },
      { status: 'not_run', why: 'slots-to-run' },
    ],
    [
      'certify: nobody has to look where the run does not pass',
      { reviews: [RESTS], deeds: deed(), orphans: [finding()], settings: { maxRetries: 3, certify: true } },
      { status: 'pass', why: 'passed' },
    ],
    [
      'certify: nor before it can pass',
      { reviews: [RESTS], iteration: null, unnameable: 1, settings: { maxRetries: 3, certify: true } },
      { status: 'holds', why: 'unchanged-since-pass' },
    ],
    [
      'certify: all have looked',
      { reviews: [HOLDS], deeds: deed(), settings: { maxRetries: 3, certify: true } },
      { status: 'pass', why: 'passed' },
    ],
  ])('%s', (_title, given, expected) => {
    const [gate] = judge(given).gates;
    expect(gate).toMatchObject({ id: GATE, kind: 'review', check: null, ...expected });
  });

  test.each<[string, readonly SlotOutcome[]]>([
    ['its latch', []],
    ['one of its slots', [slotOutcome({ slot: 2 })]],
    ['one of its slots, while another rests', [slotOutcome({ slot: 2, status: 'skipped_prior_pass' })]],
  ])('has not passed where %s gave no verdict, whoever passed the same before', (_title, others) => {
    const slots = [slotOutcome({ status: 'error', why: 'stale', trouble: { kind: 'stale' } }), ...others];
    expect(judge({ reviews: [HOLDS], deeds: deed({ slots }) }).gates[0]?.status).toBe('error');
  });
});

describe('the slots of a gate', () => {
  test('that was looked at are what was done', () => {
    const slots = [slotOutcome({ slot: 1 }), slotOutcome({ slot: 2, status: 'fail' })];
    expect(judge({ reviews: [NEW], deeds: deed({ slots }) }).gates[0]?.slots).toEqual(slots);
  });

  type Told = Pick<SlotOutcome, 'agent' | 'status' | 'why' | 'passIteration' | 'sawOlder'>;
  test.each<[string, Parameters<typeof stateOf>[0], Told]>([
    [
      'it passed what is there',
      { records: records('1.3 pass'), receipts: passed(1, 2) },
      { agent: 'codex', status: 'pass', why: 'covers', passIteration: 3, sawOlder: false },
    ],
    [
      'it passed what is there, elsewhere',
      { receipts: passed(1, 2) },
      { agent: null, status: 'pass', why: 'covers', passIteration: null, sawOlder: false },
    ],
    [
      'nobody was there to be asked',
      { records: records('1.1 error').map((record) => ({ ...record, adapter: 'none' })) },
      { agent: null, status: 'not_run', why: 'not-passed', passIteration: null, sawOlder: false },
    ],
    [
      'it rests',
      { records: records('1.1 pass c0', '1.2 rest@1', '2.2 pass'), receipts: passed(2) },
      { agent: 'codex', status: 'skipped_prior_pass', why: 'passed-before', passIteration: 1, sawOlder: true },
    ],
    [
      'what it found was waived',
      {
        receipts: [receipt({ verdict: 'fail', findings: ['F1'] })],
        findings: [finding({ resolution: waiver() })],
      },
      { agent: null, status: 'pass', why: 'waived', passIteration: null, sawOlder: false },
    ],
    [
      'a mark says that it passed',
      { marked: true },
      { agent: null, status: 'pass', why: 'marked-as-passed', passIteration: null, sawOlder: false },
    ],
    [
      'it passed something older',
      { records: records('1.1 pass c0') },
      { agent: 'codex', status: 'not_run', why: 'not-passed', passIteration: 1, sawOlder: false },
    ],
  ])('that was left alone are as they stand: %s', (_title, facts, expected) => {
    const [slot] = judge({ reviews: [stateOf(facts)], iteration: null }).gates[0]?.slots ?? [];
    const nothing = { dispatch: 'none', usage: null, durationMs: null, trouble: null };
    expect(slot).toEqual({ slot: 1, ...nothing, ...expected });
  });
});

describe('a review gate that is not in question any more', () => {
  test.each(['error', 'fail'] as const)('and somebody who was asked said %s: that is no pass', (status) => {
    const slots = [slotOutcome(), slotOutcome({ slot: 2, status })];
    const judged = judge({ hasEntries: false, deeds: deed({ slots }) });
    expect(judged.gates).toEqual([
      { id: GATE, kind: 'review', status: 'error', why: 'changed-meanwhile', slots, check: null },
    ]);
    expect(judged.exitCode).toBe(3);
  });

  test('and everybody passed it: it is not told', () => {
    const slots = [slotOutcome(), slotOutcome({ slot: 2, status: 'skipped_prior_pass' })];
    expect(judge({ deeds: deed({ slots }) })).toMatchObject({ gates: [], exitCode: 0 });
  });
});

describe('a check', () => {
  const state = (holds: boolean): CheckState => ({ gate: checkGate(), holds });
  const outcome = { command: 'npm run lint', exitCode: 1, overtime: null, durationMs: 5, tail: 'no' };
  const did = (status: CheckDeed['status'], why: CheckDeed['why']): RunResult['checkDeeds'] =>
    new Map([[CHECK, { status, why, outcome }]]);

  test.each<[string, Partial<RunResult>, Pick<GateOutcome, 'status' | 'why'>]>([
    ['holds, and was left alone', { checks: [state(true)] }, { status: 'holds', why: 'unchanged-since-pass' }],
    ['passed', { checks: [state(true)], checkDeeds: did('pass', 'passed') }, { status: 'pass', why: 'passed' }],
    [
      'failed',
      { checks: [state(false)], checkDeeds: did('fail', 'check-failed') },
      { status: 'fail', why: 'check-failed' },
    ],
    [
      'failed on what it passed before',
      { checks: [state(true)], checkDeeds: did('fail', 'check-failed') },
      { status: 'fail', why: 'check-failed' },
    ],
    [
      'could not be run',
      { checks: [state(false)], checkDeeds: did('error', 'check-broken') },
      { status: 'error', why: 'check-broken' },
    ],
    [
      'passed, and the tree changed since',
      { checks: [state(false)], checkDeeds: did('pass', 'passed') },
      { status: 'error', why: 'changed-meanwhile' },
    ],
    ['is to be run', { checks: [state(false)], iteration: null }, { status: 'not_run', why: 'check-to-run' }],
    ['was not reached', { checks: [state(false)], interrupted: true }, { status: 'not_run', why: 'interrupted' }],
  ])('%s', (_title, given, expected) => {
    const [check] = judge(given).gates;
    const shown = given.checkDeeds === undefined ? null : outcome;
    expect(check).toEqual({ id: CHECK, kind: 'check', slots: [], check: shown, ...expected });
  });

  test.each<[string, CheckDeed['status'], CheckDeed['why'], RunOutcome['status']]>([
    ['failed', 'fail', 'check-failed', 'failed'],
    ['came to nothing', 'error', 'interrupted', 'error'],
  ])('that %s, and has nothing left to check, is told all the same', (_title, status, why, expected) => {
    const judged = judge({ reviews: [HOLDS], hasEntries: false, checkDeeds: did(status, why) });
    expect(judged.gates[0]).toEqual({ id: CHECK, kind: 'check', slots: [], check: outcome, status, why });
    expect(judged.status).toBe(expected);
  });

  test('that passed, and has nothing left to check, is not told', () => {
    expect(judge({ checkDeeds: did('pass', 'passed') }).gates).toEqual([]);
  });

  test('that held before the tree changed was not interrupted', () => {
    expect(judge({ checks: [state(false)], iteration: 3 }).gates[0]?.why).toBe('changed-meanwhile');
  });
});

describe('the run', () => {
  const broken = (status: CheckDeed['status'], why: CheckDeed['why']): Partial<RunResult> => ({
    checks: [{ gate: checkGate(), holds: false }],
    checkDeeds: new Map([
      [CHECK, { status, why, outcome: { command: 'x', exitCode: null, overtime: null, durationMs: 0, tail: '' } }],
    ]),
  });
  const other = stateOf({ gate: reviewGate({ id: 'review:.:other' }), receipts: passed(1, 2) });
  const WARNED = stateOf({ receipts: passed(1, 2), findings: [finding({ kept: 'warning' })] });

  test.each<[string, Partial<RunResult>, RunOutcome['status'], 0 | 1 | 3]>([
    ['nothing changed', { hasEntries: false, iteration: null }, 'no_changes', 0],
    ['no gate covers what changed', { iteration: null }, 'no_applicable_gates', 0],
    ['everything holds', { reviews: [HOLDS], iteration: null }, 'passed', 0],
    ['everything passed', { reviews: [HOLDS], deeds: deed() }, 'passed', 0],
    ['a slot rests', { reviews: [RESTS], deeds: deed() }, 'passed', 0],
    ['something only warns', { reviews: [WARNED, other] }, 'passed_with_warnings', 0],
    [
      'something is waived',
      { reviews: [stateOf({ receipts: passed(1, 2), findings: [finding({ resolution: waiver() })] })] },
      'passed',
      0,
    ],
    ['something is open', { reviews: [other, OPEN], deeds: deed() }, 'failed', 1],
    [
      'something is said to be fixed',
      { reviews: [stateOf({ receipts: passed(1, 2), findings: [finding({ resolution: claim() })] })] },
      'failed',
      1,
    ],
    ['something is still to be looked at', { reviews: [other, NEW], iteration: null }, 'failed', 1],
    ['a check is still to be run', { checks: [{ gate: checkGate(), holds: false }], iteration: null }, 'failed', 1],
    ['a check failed', { ...broken('fail', 'check-failed'), reviews: [NEW], stopped: true }, 'failed', 1],
    ['a gate failed too often', { reviews: [OVER, OPEN] }, 'retry_limit_exceeded', 1],
    ['a gate gave no verdict', { reviews: [NEW, other], deeds: deed() }, 'error', 3],
    [
      'one fails and one gave no verdict: failing wins',
      { reviews: [NEW, stateOf({ gate: reviewGate({ id: 'x' }), findings: [finding()] })], deeds: deed() },
      'failed',
      1,
    ],
    ['a check could not be run', broken('error', 'check-broken'), 'error', 3],
    ['the checks change files each time', broken('error', 'check-keeps-changing-files'), 'error', 3],
    ['a changed file cannot be named', { reviews: [HOLDS], unnameable: 1 }, 'error', 3],
    ['and nothing else changed', { hasEntries: false, iteration: null, unnameable: 1 }, 'error', 3],
    ['and something is open', { reviews: [OPEN], unnameable: 1 }, 'failed', 1],
    ['every changed file can be named', { reviews: [HOLDS], unnameable: 0 }, 'passed', 0],
    ['it was stopped', { reviews: [NEW, other], interrupted: true }, 'error', 3],
    [
      'a gate that is no more left something open',
      { reviews: [HOLDS], orphans: [finding({ gate: 'review:.:old' })] },
      'failed',
      1,
    ],
    ['and nothing else changed', { hasEntries: false, orphans: [finding({ gate: 'review:.:old' })] }, 'failed', 1],
    [
      'a slot that is no more left something open',
      { reviews: [stateOf({ receipts: passed(1, 2), findings: [finding({ slot: 3 })] })] },
      'failed',
      1,
    ],
  ])('%s', (_title, given, status, exitCode) => {
    expect(judge(given)).toMatchObject({ status, exitCode });
  });

  test('a check could not be run, and reviews were left out because of it', () => {
    const given = { ...broken('error', 'check-broken'), reviews: [NEW], stopped: true };
    expect(judge(given)).toMatchObject({ status: 'error', exitCode: 3 });
  });

  test('exit code 0 means that every gate holds or passed and nothing is open, whatever happened', () => {
    const states = [HOLDS, NEW, OPEN, RESTS, OVER, OVER_AND_CLOSED, WARNED];
    for (const state of states) {
      for (const deeds of [new Map(), deed(), deed({ content: 'c0' })]) {
        for (const flags of [{}, { stopped: true }, { interrupted: true }, { iteration: null }]) {
          const judged = judge({ reviews: [state], deeds, ...flags });
          expect(judged.exitCode === 0).toBe(state.holds);
        }
      }
    }
  });
});

describe('findings that are told', () => {
  const closedIn = (iteration: number, id: string): KnownFinding =>
    finding({ id, kept: 'closed', closed: { how: 'fixed', why: '', iteration } });
  const known = [
    finding({ id: 'F10' }),
    finding({ id: 'F9', kept: 'warning' }),
    finding({ id: 'F3', resolution: waiver() }),
    finding({ id: 'F4', resolution: claim() }),
    finding({ id: 'F5', branch: 'other', entry: null }),
    closedIn(2, 'F6'),
    closedIn(1, 'F7'),
    // The same number, in another working tree.
    closedIn(2, 'F2'),
  ];

  test('are what is open, warns or is waived, and what this run closed, in the order of their numbers', () => {
    const { findings } = judge({
      reviews: [stateOf({ findings: known })],
      orphans: [finding({ id: 'F8', gate: 'review:.:old' })],
      iteration: 2,
      closed: new Set(['F6', 'F7']),
    });
    expect(findings.map((one) => `${one.finding.id} ${one.state}`)).toEqual([
      'F3 waived',
      'F4 fixed_claimed',
      'F6 closed',
      'F7 closed',
      'F8 open',
      'F9 warning',
      'F10 open',
    ]);
  });

  test('where nothing ran, nothing was closed', () => {
    const { findings } = judge({ reviews: [stateOf({ findings: [closedIn(1, 'F1')] })], iteration: null });
    expect(findings).toEqual([]);
  });
});

test('findings that nobody can close are pointed out', () => {
  const gate = { receipts: passed(1, 2), gate: reviewGate({ content: content('c1') }) };
  const { notices } = judge({
    reviews: [
      stateOf({
        ...gate,
        findings: [
          finding({ id: 'F1', slot: 2 }),
          finding({ id: 'F2', slot: 3 }),
          finding({ id: 'F3', slot: 3, resolution: claim() }),
          finding({ id: 'F4', slot: 4 }),
          finding({ id: 'F5', slot: 5, resolution: waiver() }),
        ],
      }),
    ],
    orphans: [
      finding({ id: 'F6', gate: 'review:.:old' }),
      finding({ id: 'F7', gate: 'review:.:older' }),
      finding({ id: 'F8', gate: 'review:.:old' }),
    ],
  });
  expect(notices).toEqual([
    { kind: 'orphan-slot', gate: GATE, slot: 3, ids: ['F2', 'F3'] },
    { kind: 'orphan-slot', gate: GATE, slot: 4, ids: ['F4'] },
    { kind: 'orphan-gate', gate: 'review:.:old', ids: ['F6', 'F8'] },
    { kind: 'orphan-gate', gate: 'review:.:older', ids: ['F7'] },
  ]);
});
