import {
  checkGate,
  claim,
  content,
  entry,
  finding,
  receipt,
  records,
  reviewGate,
  slotOutcome,
  stateOf,
  waiver,
} from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import type { KnownFinding } from '../../../src/findings/types.ts';
import type { GateOutcome, RunOutcome, SlotOutcome } from '../../../src/result/types.ts';
import type { CheckState } from '../../../src/run/decide/plan-run.ts';
import { type CheckResult, judgeRun, NO_ACTIONS, type RunActions } from '../../../src/run/judge/judge-run.ts';
import type { RunFacts, SlotResult } from '../../../src/run/ports.ts';

const GATE = reviewGate().id;
const CHECK = checkGate().id;

type GateActions = { readonly content: string; readonly slots: readonly SlotOutcome[] };

type Given = Partial<Pick<RunFacts, 'checks' | 'reviews' | 'orphans'>> &
  Partial<Pick<RunActions, 'iteration' | 'stopped' | 'interrupted' | 'lacksAgents'>> & {
    readonly hasEntries?: boolean;
    readonly unnameable?: number;
    readonly closed?: readonly string[];
    readonly actions?: ReadonlyMap<string, GateActions>;
    readonly ranChecks?: RunActions['checks'];
    readonly settings?: Parameters<typeof judgeRun>[2];
  };

const SETTINGS = { maxRetries: 3, certify: false, unchangedGates: 'run' } as const;
const RESTING = { ...SETTINGS, unchangedGates: 'rest' } as const;

function judge({ checks = [], reviews = [], orphans = [], hasEntries = true, unnameable = 0, ...given }: Given) {
  const { actions = new Map(), ranChecks = new Map(), settings = SETTINGS } = given;
  const snapshot = { entries: hasEntries ? [entry()] : [], unnameable: Array(unnameable).fill('name') };
  const gates = new Map([...actions].map(([id, one]) => [id, reviewGate({ id, content: content(one.content) })]));
  const slots = [...actions].flatMap(([id, one]) => one.slots.map((outcome: SlotOutcome) => slot(id, outcome)));
  const { iteration = 1, stopped = false, interrupted = false, lacksAgents = false, closed = [] } = given;
  return judgeRun(
    { checks, reviews, orphans, seesAll: true, snapshot },
    {
      ...NO_ACTIONS,
      ...{ iteration, stopped, interrupted, lacksAgents, checks: ranChecks, gates },
      slots: [...slots, { ...slot('review:.:other', slotOutcome()), closed }],
    },
    settings,
  );
}

function slot(id: string, outcome: SlotOutcome): SlotResult {
  return { gate: reviewGate({ id }), outcome, job: null, cost: null, closed: [], isStopped: false };
}

const passed = (...slots: readonly number[]) => slots.map((slot) => receipt({ slot }));
const action = (differs: Partial<GateActions> = {}): ReadonlyMap<string, GateActions> =>
  new Map([[GATE, { content: 'c1', slots: [slotOutcome()], ...differs }]]);

const HOLDS = stateOf({ receipts: passed(1, 2) });
const MARKED = stateOf({ marked: true });
const BOTH = stateOf({ marked: true, receipts: passed(1, 2) });
const NEW = stateOf();
const WAIVED = stateOf({
  receipts: [receipt({ slot: 2 }), receipt({ verdict: 'fail', findings: ['F1'] })],
  findings: [finding({ resolution: waiver() })],
});
const OPEN = stateOf({ receipts: passed(1, 2), findings: [finding()] });
const RESTS = stateOf({ records: records('1.1 pass c0', '1.2 rest@1', '2.2 pass'), receipts: passed(2) });
const UNCHANGED = stateOf({ records: records('1.1 fail', '2.1 pass'), receipts: passed(2), findings: [finding()] });
const FAILED_FOUR_TIMES = records('1.1 fail', '1.2 fail', '1.3 fail', '1.4 fail');
const OVER = stateOf({ records: FAILED_FOUR_TIMES, findings: [finding()] });
const OVER_AND_CLOSED = stateOf({ records: FAILED_FOUR_TIMES });

describe('a review gate', () => {
  test.each<[string, Given, Pick<GateOutcome, 'status' | 'why'>]>([
    ['passes, and did not run', { reviews: [HOLDS] }, { status: 'holds', why: 'unchanged-since-pass' }],
    [
      'failed, and nothing changed since (unchanged_gates: rest)',
      { reviews: [UNCHANGED], settings: RESTING },
      { status: 'fail', why: 'unchanged-since-fail' },
    ],
    [
      'failed, and nothing changed since (unchanged_gates: run)',
      { reviews: [UNCHANGED] },
      { status: 'fail', why: 'open-findings' },
    ],
    ['is marked as passed', { reviews: [MARKED] }, { status: 'holds', why: 'marked-as-passed' }],
    ['passes because of a waiver, and did not run', { reviews: [WAIVED] }, { status: 'holds', why: 'waived' }],
    [
      'passes because of a waiver, and ran',
      { reviews: [WAIVED], actions: action() },
      { status: 'pass', why: 'waived' },
    ],
    ['is marked, and all slots passed it', { reviews: [BOTH] }, { status: 'holds', why: 'unchanged-since-pass' }],
    ['passes, and ran', { reviews: [HOLDS], actions: action() }, { status: 'pass', why: 'passed' }],
    ['has an open finding', { reviews: [OPEN], actions: action() }, { status: 'fail', why: 'open-findings' }],
    ['has an open finding, and did not run', { reviews: [OPEN] }, { status: 'fail', why: 'open-findings' }],
    ['is over the retry limit, and did not run', { reviews: [OVER] }, { status: 'fail', why: 'retry-limit' }],
    [
      'is over the retry limit, but ran',
      { reviews: [OVER], actions: action() },
      { status: 'fail', why: 'open-findings' },
    ],
    [
      'is at the retry limit',
      { reviews: [OVER], settings: { ...SETTINGS, maxRetries: 4, certify: false } },
      { status: 'fail', why: 'open-findings' },
    ],
    [
      'is over the retry limit, and nothing is open',
      { reviews: [OVER_AND_CLOSED] },
      { status: 'not_run', why: 'retry-limit' },
    ],
    [
      'is at the retry limit, and nothing is open',
      { reviews: [OVER_AND_CLOSED], settings: { ...SETTINGS, maxRetries: 4, certify: false } },
      { status: 'not_run', why: 'slots-to-run' },
    ],
    ['has not run yet', { reviews: [NEW], iteration: null }, { status: 'not_run', why: 'slots-to-run' }],
    [
      'did not run because a check failed',
      { reviews: [NEW], stopped: true },
      { status: 'not_run', why: 'stopped-by-check' },
    ],
    [
      'did not run before the run was interrupted',
      { reviews: [NEW], interrupted: true },
      { status: 'not_run', why: 'interrupted' },
    ],
    [
      'did not run, interrupted after a check failed: the interruption is the reason',
      { reviews: [NEW], interrupted: true, stopped: true },
      { status: 'not_run', why: 'interrupted' },
    ],
    [
      'was interrupted during the review',
      { reviews: [NEW], actions: action(), interrupted: true },
      { status: 'error', why: 'interrupted' },
    ],
    ['has no verdict', { reviews: [NEW], actions: action() }, { status: 'error', why: 'could-not-judge' }],
    [
      'changed during the review',
      { reviews: [NEW], actions: action({ content: 'c0' }) },
      { status: 'error', why: 'changed-meanwhile' },
    ],
    [
      'was interrupted, and a finding is open',
      { reviews: [OPEN], actions: action(), interrupted: true },
      { status: 'fail', why: 'open-findings' },
    ],
    ['passes with a skipped slot', { reviews: [RESTS], actions: action() }, { status: 'pass', why: 'passed' }],
    [
      'certify: a skipped slot has to run',
      { reviews: [RESTS], actions: action(), settings: { ...SETTINGS, maxRetries: 3, certify: true } },
      { status: 'error', why: 'could-not-judge' },
    ],
    [
      'certify: slots have to run until then',
      { reviews: [RESTS], iteration: null, settings: { ...SETTINGS, maxRetries: 3, certify: true } },
      { status: 'not_run', why: 'slots-to-run' },
    ],
    [
      'certify: skipped slots do not have to run if the run fails',
      {
        reviews: [RESTS],
        actions: action(),
        orphans: [finding()],
        settings: { ...SETTINGS, maxRetries: 3, certify: true },
      },
      { status: 'pass', why: 'passed' },
    ],
    [
      'certify: skipped slots do not have to run before the run can pass',
      { reviews: [RESTS], iteration: null, unnameable: 1, settings: { ...SETTINGS, maxRetries: 3, certify: true } },
      { status: 'holds', why: 'unchanged-since-pass' },
    ],
    [
      'certify: all slots reviewed',
      { reviews: [HOLDS], actions: action(), settings: { ...SETTINGS, maxRetries: 3, certify: true } },
      { status: 'pass', why: 'passed' },
    ],
  ])('%s', (_title, given, expected) => {
    const [gate] = judge(given).gates;
    expect(gate).toMatchObject({ id: GATE, kind: 'review', check: null, ...expected });
  });

  test.each<[string, readonly SlotOutcome[]]>([
    ['the safety latch', []],
    ['one slot', [slotOutcome({ slot: 2 })]],
    ['one slot, while another is skipped,', [slotOutcome({ slot: 2, status: 'skipped_prior_pass' })]],
  ])('does not pass if %s gave no verdict, even if an earlier review passed the content', (_title, others) => {
    const slots = [slotOutcome({ status: 'error', why: 'stale', trouble: { kind: 'stale' } }), ...others];
    expect(judge({ reviews: [HOLDS], actions: action({ slots }) }).gates[0]?.status).toBe('error');
  });
});

describe('the slots of a gate', () => {
  test('are the results of the run, if the gate ran', () => {
    const slots = [slotOutcome({ slot: 1 }), slotOutcome({ slot: 2, status: 'fail' })];
    expect(judge({ reviews: [NEW], actions: action({ slots }) }).gates[0]?.slots).toEqual(slots);
  });

  test('do not include a slot that was stopped, and a review counts more than a skip of another iteration', () => {
    const skip = slotOutcome({ slot: 2, status: 'skipped_prior_pass' });
    const review = slotOutcome({ slot: 2, status: 'fail' });
    const slots = [slot(GATE, skip), slot(GATE, review), slot(GATE, skip)];
    const stopped = { ...slot(GATE, slotOutcome({ slot: 1, status: 'error' })), isStopped: true };
    const { gates } = judgeRun(
      { checks: [], reviews: [NEW], orphans: [], seesAll: true, snapshot: { entries: [entry()], unnameable: [] } },
      { ...NO_ACTIONS, iteration: 1, gates: new Map([[GATE, reviewGate()]]), slots: [...slots, stopped] },
      SETTINGS,
    );
    expect(gates[0]?.slots).toMatchObject([{ slot: 1, status: 'not_run' }, review]);
  });

  type Told = Pick<SlotOutcome, 'agent' | 'status' | 'why' | 'passIteration' | 'sawOlder'> &
    Partial<Pick<SlotOutcome, 'earlier'>>;
  test.each<[string, Parameters<typeof stateOf>[0], Told]>([
    [
      'passed the current content',
      { records: records('1.3 pass'), receipts: passed(1, 2) },
      { agent: 'codex', status: 'pass', why: 'covers', passIteration: 3, sawOlder: false },
    ],
    [
      'passed the current content in another worktree',
      { receipts: passed(1, 2) },
      { agent: null, status: 'pass', why: 'covers', passIteration: null, sawOlder: false },
    ],
    [
      'no agent was available',
      { records: records('1.1 error').map((record) => ({ ...record, adapter: 'none' })) },
      {
        ...{ agent: null, status: 'error', why: 'not-passed', passIteration: null, sawOlder: false },
        earlier: { iteration: 1, isCurrent: true, error: null },
      },
    ],
    [
      'failed on the current content',
      { records: records('1.1 fail') },
      {
        ...{ agent: 'codex', status: 'fail', why: 'not-passed', passIteration: null, sawOlder: false },
        earlier: { iteration: 1, isCurrent: true, error: null },
      },
    ],
    [
      'failed on older content',
      { records: records('1.1 fail c0') },
      {
        ...{ agent: 'codex', status: 'not_run', why: 'not-passed', passIteration: null, sawOlder: false },
        earlier: { iteration: 1, isCurrent: false, error: null },
      },
    ],
    [
      'skipped',
      { records: records('1.1 pass c0', '1.2 rest@1', '2.2 pass'), receipts: passed(2) },
      { agent: 'codex', status: 'skipped_prior_pass', why: 'passed-before', passIteration: 1, sawOlder: true },
    ],
    [
      'its findings are waived',
      {
        receipts: [receipt({ verdict: 'fail', findings: ['F1'] })],
        findings: [finding({ resolution: waiver() })],
      },
      { agent: null, status: 'pass', why: 'waived', passIteration: null, sawOlder: false },
    ],
    [
      'marked as passed',
      { marked: true },
      { agent: null, status: 'pass', why: 'marked-as-passed', passIteration: null, sawOlder: false },
    ],
    [
      'passed older content',
      { records: records('1.1 pass c0') },
      { agent: 'codex', status: 'not_run', why: 'not-passed', passIteration: 1, sawOlder: false },
    ],
  ])('are described by their state, if the gate did not run: %s', (_title, facts, expected) => {
    const [slot] = judge({ reviews: [stateOf(facts)], iteration: null }).gates[0]?.slots ?? [];
    const nothing = { dispatch: 'none', usage: null, durationMs: null, shared: null, trouble: null, earlier: null };
    expect(slot).toEqual({ slot: 1, ...nothing, ...expected });
  });
});

describe('a review gate that no longer applies', () => {
  test.each(['error', 'fail'] as const)('is an error if a slot ended with %s', (status) => {
    const slots = [slotOutcome(), slotOutcome({ slot: 2, status })];
    const judged = judge({ hasEntries: false, actions: action({ slots }) });
    expect(judged.gates).toEqual([
      { id: GATE, kind: 'review', status: 'error', why: 'changed-meanwhile', slots, check: null },
    ]);
    expect(judged.exitCode).toBe(3);
  });

  test('is left out if all slots passed', () => {
    const slots = [slotOutcome(), slotOutcome({ slot: 2, status: 'skipped_prior_pass' })];
    expect(judge({ actions: action({ slots }) })).toMatchObject({ gates: [], exitCode: 0 });
  });
});

describe('a check', () => {
  const state = (holds: boolean): CheckState => ({ gate: checkGate(), holds });
  const outcome = { command: 'npm run lint', exitCode: 1, why: 'exit code 1', durationMs: 5, tail: 'no' };
  const did = (status: CheckResult['status'], why: CheckResult['why']): RunActions['checks'] =>
    new Map([[CHECK, { id: CHECK, kind: 'check', slots: [], status, why, check: outcome }]]);

  test.each<[string, Given, Pick<GateOutcome, 'status' | 'why'>]>([
    ['passes, and did not run', { checks: [state(true)] }, { status: 'holds', why: 'unchanged-since-pass' }],
    ['passed', { checks: [state(true)], ranChecks: did('pass', 'passed') }, { status: 'pass', why: 'passed' }],
    [
      'failed',
      { checks: [state(false)], ranChecks: did('fail', 'check-failed') },
      { status: 'fail', why: 'check-failed' },
    ],
    [
      'failed on a tree that it passed before',
      { checks: [state(true)], ranChecks: did('fail', 'check-failed') },
      { status: 'fail', why: 'check-failed' },
    ],
    [
      'could not run',
      { checks: [state(false)], ranChecks: did('error', 'check-broken') },
      { status: 'error', why: 'check-broken' },
    ],
    [
      'passed, and the tree changed afterwards',
      { checks: [state(false)], ranChecks: did('pass', 'passed') },
      { status: 'error', why: 'changed-meanwhile' },
    ],
    ['has to run', { checks: [state(false)], iteration: null }, { status: 'not_run', why: 'check-to-run' }],
    [
      'is left out without an agent',
      { checks: [state(false)], lacksAgents: true },
      { status: 'not_run', why: 'no-agent' },
    ],
    [
      'did not run before the interruption',
      { checks: [state(false)], interrupted: true },
      { status: 'not_run', why: 'interrupted' },
    ],
  ])('%s', (_title, given, expected) => {
    const [check] = judge(given).gates;
    const shown = given.ranChecks === undefined ? null : outcome;
    expect(check).toEqual({ id: CHECK, kind: 'check', slots: [], check: shown, ...expected });
  });

  test.each<[string, CheckResult['status'], CheckResult['why'], RunOutcome['status']]>([
    ['failed', 'fail', 'check-failed', 'failed'],
    ['ended in an error', 'error', 'interrupted', 'error'],
  ])('that %s, and has no changes left, is still reported', (_title, status, why, expected) => {
    const judged = judge({ reviews: [HOLDS], hasEntries: false, ranChecks: did(status, why) });
    expect(judged.gates[0]).toEqual({ id: CHECK, kind: 'check', slots: [], check: outcome, status, why });
    expect(judged.status).toBe(expected);
  });

  test('that passed, and has no changes left, is not reported', () => {
    expect(judge({ ranChecks: did('pass', 'passed') }).gates).toEqual([]);
  });

  test('that passed before the tree changed is an error, not interrupted', () => {
    expect(judge({ checks: [state(false)], iteration: 3 }).gates[0]?.why).toBe('changed-meanwhile');
  });
});

describe('the run', () => {
  const check = { command: 'x', exitCode: null, why: 'exit code 1', durationMs: 0, tail: '' };
  const broken = (status: CheckResult['status'], why: CheckResult['why']): Given => ({
    checks: [{ gate: checkGate(), holds: false }],
    ranChecks: new Map([[CHECK, { id: CHECK, kind: 'check', slots: [], status, why, check }]]),
  });
  const other = stateOf({ gate: reviewGate({ id: 'review:.:other' }), receipts: passed(1, 2) });
  const WARNED = stateOf({ receipts: passed(1, 2), findings: [finding({ kept: 'warning' })] });

  test.each<[string, Given, RunOutcome['status'], 0 | 1 | 3]>([
    ['nothing changed', { hasEntries: false, iteration: null }, 'no_changes', 0],
    ['no gate covers the change', { iteration: null }, 'no_applicable_gates', 0],
    ['every gate passed before', { reviews: [HOLDS], iteration: null }, 'passed', 0],
    ['every gate passed in this run', { reviews: [HOLDS], actions: action() }, 'passed', 0],
    ['passes with a skipped slot', { reviews: [RESTS], actions: action() }, 'passed', 0],
    ['a finding is only a warning', { reviews: [WARNED, other] }, 'passed_with_warnings', 0],
    [
      'a finding is waived',
      { reviews: [stateOf({ receipts: passed(1, 2), findings: [finding({ resolution: waiver() })] })] },
      'passed',
      0,
    ],
    ['a finding is open', { reviews: [other, OPEN], actions: action() }, 'failed', 1],
    [
      'a finding is claimed as fixed',
      { reviews: [stateOf({ receipts: passed(1, 2), findings: [finding({ resolution: claim() })] })] },
      'failed',
      1,
    ],
    ['a review still has to run', { reviews: [other, NEW], iteration: null }, 'failed', 1],
    ['a check still has to run', { checks: [{ gate: checkGate(), holds: false }], iteration: null }, 'failed', 1],
    ['a check failed', { ...broken('fail', 'check-failed'), reviews: [NEW], stopped: true }, 'failed', 1],
    ['a gate is over the retry limit', { reviews: [OVER, OPEN] }, 'retry_limit_exceeded', 1],
    ['a gate has no verdict', { reviews: [NEW, other], actions: action() }, 'error', 3],
    [
      'one gate fails and one has no verdict: the failure wins',
      { reviews: [NEW, stateOf({ gate: reviewGate({ id: 'x' }), findings: [finding()] })], actions: action() },
      'failed',
      1,
    ],
    ['a check could not run', broken('error', 'check-broken'), 'error', 3],
    ['the checks change files every time', broken('error', 'check-keeps-changing-files'), 'error', 3],
    ['a changed file cannot be named', { reviews: [HOLDS], unnameable: 1 }, 'error', 3],
    [
      'a changed file cannot be named, and nothing else changed',
      { hasEntries: false, iteration: null, unnameable: 1 },
      'error',
      3,
    ],
    ['a changed file cannot be named, and a finding is open', { reviews: [OPEN], unnameable: 1 }, 'failed', 1],
    ['every changed file can be named', { reviews: [HOLDS], unnameable: 0 }, 'passed', 0],
    ['the run was interrupted', { reviews: [NEW, other], interrupted: true }, 'error', 3],
    [
      'a finding of a removed gate is open',
      { reviews: [HOLDS], orphans: [finding({ gate: 'review:.:old' })] },
      'failed',
      1,
    ],
    [
      'a finding of a removed gate is open, and nothing else changed',
      { hasEntries: false, orphans: [finding({ gate: 'review:.:old' })] },
      'failed',
      1,
    ],
    [
      'a finding of a removed slot is open',
      { reviews: [stateOf({ receipts: passed(1, 2), findings: [finding({ slot: 3 })] })] },
      'failed',
      1,
    ],
  ])('%s', (_title, given, status, exitCode) => {
    expect(judge(given)).toMatchObject({ status, exitCode });
  });

  test('fails with an error if a check could not run and stopped the reviews', () => {
    const given = { ...broken('error', 'check-broken'), reviews: [NEW], stopped: true };
    expect(judge(given)).toMatchObject({ status: 'error', exitCode: 3 });
  });

  test('exit code 0 always means that every gate passes and no finding is open', () => {
    const states = [HOLDS, NEW, OPEN, RESTS, OVER, OVER_AND_CLOSED, WARNED];
    for (const state of states) {
      for (const actions of [new Map(), action(), action({ content: 'c0' })]) {
        for (const flags of [{}, { stopped: true }, { interrupted: true }, { iteration: null }]) {
          const judged = judge({ reviews: [state], actions, ...flags });
          expect(judged.exitCode === 0).toBe(state.holds);
        }
      }
    }
  });
});

describe('reported findings', () => {
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
    // The same iteration number, in another worktree.
    closedIn(2, 'F2'),
  ];

  test('are those that are open, warnings, waived or closed by this run, in the order of their ids', () => {
    const { findings } = judge({
      reviews: [stateOf({ findings: known })],
      orphans: [finding({ id: 'F8', gate: 'review:.:old' })],
      iteration: 2,
      closed: ['F6', 'F7'],
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

  test('include no closed findings if nothing ran', () => {
    const { findings } = judge({ reviews: [stateOf({ findings: [closedIn(1, 'F1')] })], iteration: null });
    expect(findings).toEqual([]);
  });
});

test('notices point out findings that no reviewer can close', () => {
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
