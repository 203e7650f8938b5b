import { describe, expect, test } from 'vitest';
import { loopOutcome, loopRound, roundFacts } from '../../src/fix-loop/decide-end.ts';
import type { LoopEnd, LoopRound, RunOutcome } from '../../src/gates/run-types.ts';
import { claim, finding, gateOutcome, runOutcome, slotOutcome, usage } from '../support/run-samples.ts';

const LETS_NOTHING = { dispatches: 2, letBe: new Set<string>() };
const CHECK = gateOutcome({ id: 'check:.:lint', kind: 'check', status: 'fail', why: 'check-failed', slots: [] });
const FAILED = runOutcome({
  status: 'failed',
  exitCode: 1,
  gates: [CHECK, gateOutcome({ status: 'fail', why: 'open-findings', slots: [slotOutcome({ status: 'fail' })] })],
  findings: [
    { finding: finding({ id: 'F1' }), state: 'open' },
    { finding: finding({ id: 'F2', resolution: claim() }), state: 'fixed_claimed' },
    { finding: finding({ id: 'F3' }), state: 'warning' },
    { finding: finding({ id: 'F4' }), state: 'waived' },
    { finding: finding({ id: 'F5' }), state: 'closed' },
  ],
});

describe('the facts that decide about the next round', () => {
  test('open findings, claimed or not, and failing checks', () => {
    const { open, ...facts } = roundFacts(FAILED, 't1');
    expect(open).toHaveLength(3);
    expect(open.at(-1)).toBe('check:.:lint');
    expect(facts).toEqual({ status: 'failed', exitCode: 1, tree: 't1', outOfBudget: false, noVerdict: false });
  });

  const error = slotOutcome({ status: 'error', trouble: { kind: 'stale' } });
  const spent = slotOutcome({ status: 'error', dispatch: 'none', trouble: { kind: 'budget', what: 'usd' } });
  const rests = slotOutcome({ status: 'skipped_prior_pass', dispatch: 'none' });
  test.each([
    ['everybody passed', [slotOutcome()], { outOfBudget: false, noVerdict: false }],
    ['no reviewer was called', [rests], { outOfBudget: false, noVerdict: false }],
    ['the one who was asked came to nothing', [error, rests], { outOfBudget: false, noVerdict: true }],
    ['one of two came to nothing', [error, slotOutcome()], { outOfBudget: false, noVerdict: false }],
    ['there was nothing left to ask with', [spent], { outOfBudget: true, noVerdict: true }],
  ])('%s', (_title, slots, expected) => {
    expect(roundFacts(runOutcome({ gates: [gateOutcome({ slots })] }), 't1')).toMatchObject(expected);
  });
});

describe('a round', () => {
  const first = loopRound(FAILED, null, LETS_NOTHING);

  test('the first: every finding is new', () => {
    expect(first).toMatchObject({ open: ['F1', 'F2'], closed: 0, added: 2, failingChecks: ['check:.:lint'], left: [] });
  });

  test('the next: closed findings, new findings, and gates that are gone', () => {
    const run: RunOutcome = { ...FAILED, gates: [], findings: [{ finding: finding({ id: 'F9' }), state: 'open' }] };
    expect(loopRound(run, first, LETS_NOTHING)).toMatchObject({
      open: ['F9'],
      closed: 2,
      added: 1,
      left: ['check:.:lint', 'review:src:code-quality'],
    });
  });

  test('lists tolerated findings that are still reported', () => {
    expect(loopRound(FAILED, null, { dispatches: 1, letBe: new Set(['F3', 'F5', 'F8']) }).letBe).toEqual(['F3']);
  });
});

describe('the loop as a whole', () => {
  const fix = {
    agent: 'two',
    dispatch: 'fresh',
    summary: '',
    fixed: [],
    declined: [],
    filesChanged: 1,
    usage: usage({ inputTokens: 5 }),
    durationMs: 1,
    failure: null,
  } as const;
  const rounds: readonly LoopRound[] = [
    { ...loopRound({ ...FAILED, usage: usage() }, null, LETS_NOTHING), fix },
    loopRound({ ...runOutcome(), saved: { pass: 1, slot: 2, session: 3, prefix: 4 } }, null, LETS_NOTHING),
  ];

  test('adds up the cost and savings of all rounds', () => {
    const { run } = loopOutcome('passed', rounds, runOutcome(), { dispatches: 7, notices: [] });
    expect(run).toMatchObject({ dispatches: 7, usage: { inputTokens: 105 }, saved: { pass: 1, slot: 2, session: 3 } });
  });

  test.each<[LoopEnd, Partial<RunOutcome>, Partial<RunOutcome>]>([
    ['passed', {}, { status: 'passed', exitCode: 0 }],
    ['nothing-left', { status: 'no_changes' }, { status: 'failed', exitCode: 1 }],
    ['gate-changed', {}, { status: 'failed', exitCode: 1 }],
    ['interrupted', {}, { status: 'failed', exitCode: 1 }],
    ['could-not-judge', { status: 'error', exitCode: 3 }, { status: 'error', exitCode: 3 }],
    ['stalled', { status: 'failed', exitCode: 1 }, { status: 'failed', exitCode: 1 }],
  ])('%s: the exit code is 0 only where it passed', (end, last, expected) => {
    expect(loopOutcome(end, rounds, runOutcome(last), { dispatches: 1, notices: [] }).run).toMatchObject(expected);
  });
});
