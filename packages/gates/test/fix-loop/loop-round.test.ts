import { loopRound } from '@onceover/testing/loop-rounds.ts';
import {
  CHECK_FAILED,
  claim,
  finding,
  gateOutcome,
  reported,
  runOutcome,
  slotOutcome,
  usage,
} from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { loopOutcome } from '../../src/fix-loop/decide-end.ts';
import { loopDocument } from '../../src/fix-loop/describe.ts';
import type { LoopEnd, RunOutcome } from '../../src/result/types.ts';

const FAILED = runOutcome({
  status: 'failed',
  exitCode: 1,
  gates: [
    CHECK_FAILED,
    gateOutcome({ status: 'fail', why: 'open-findings', slots: [slotOutcome({ status: 'fail' })] }),
  ],
  findings: [
    { finding: finding({ id: 'F1' }), state: 'open' },
    { finding: finding({ id: 'F2', resolution: claim() }), state: 'fixed_claimed' },
    { finding: finding({ id: 'F3' }), state: 'warning' },
    { finding: finding({ id: 'F4' }), state: 'waived' },
    { finding: finding({ id: 'F5' }), state: 'closed' },
  ],
});

describe('a round', () => {
  const first = loopRound({ run: FAILED });
  const documentOf = (...rounds: readonly (typeof first)[]) => loopDocument({ end: 'stalled', rounds }).rounds.at(-1);

  test('the first: every finding is new', () => {
    expect(documentOf(first)).toMatchObject({
      open: ['F1', 'F2'],
      closed: 0,
      added: 2,
      failing_checks: ['check:.:lint'],
      nothing_left: [],
    });
  });

  test('the next: closed findings, new findings, and gates that are gone', () => {
    const run: RunOutcome = { ...FAILED, gates: [], findings: [reported({ id: 'F9' })] };
    expect(documentOf(first, loopRound({ run }))).toMatchObject({
      open: ['F9'],
      closed: 2,
      added: 1,
      nothing_left: ['check:.:lint', 'review:src:code-quality'],
    });
  });

  test('lists tolerated findings that are still reported', () => {
    expect(documentOf({ ...first, tolerated: new Set(['F3', 'F5', 'F8']) })?.let_be).toEqual(['F3']);
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
  const rounds = [
    loopRound({ run: { ...FAILED, usage: usage() }, fix }),
    loopRound({ run: { ...runOutcome(), saved: { pass: 1, slot: 2, session: 3, prefix: 4, reading: 0 } } }),
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
