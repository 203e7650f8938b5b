import type { FindingState, ReportedFinding } from '@onceover/gates/findings/types';
import type { GateOutcome, SlotOutcome } from '@onceover/gates/result/types';
import { ledgerRun, ledgerSlot } from '@onceover/testing/ledger-samples.ts';
import { gateOutcome, path, reported, runOutcome, slotOutcome, usage } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { caseResults, type PlayedRounds } from '../../src/judge/case-result.ts';
import type { PlantedBug, ProofTask } from '../../src/types.ts';

const GATE = 'review:src:code-quality';
const COUNTED = new Map([[GATE, GATE]]);
const BUG: PlantedBug = { class: 'guard', places: [{ file: path('src/a.ts'), from: 1, to: 2 }] };

function taskWith(plantedBug: PlantedBug | null): ProofTask {
  return {
    case: {
      ...{ id: 'case 1', source: plantedBug === null ? 'clean' : 'mutant', title: 'A guard is inverted.', base: null },
      ...{ baseFiles: [], rounds: [], planted: plantedBug, unedited: null },
    },
    variant: { reviewers: 2, sessions: 'resumed', reading: null },
    repeat: 3,
  };
}

function roundsWith(gate: Partial<GateOutcome>, findings: readonly ReportedFinding[] = []): PlayedRounds {
  return {
    last: runOutcome({ gates: [gateOutcome(gate)], findings }),
    entries: [ledgerRun({ slots: [ledgerSlot()] })],
  };
}

describe('the verdict of a gate', () => {
  test.each<[GateOutcome['status'], readonly ('pass' | 'fail')[]]>([
    ['pass', ['pass']],
    ['holds', ['pass']],
    ['fail', ['fail']],
    ['error', []],
    ['not_run', []],
  ])('a gate with the status %s has the verdicts %j', (status, verdicts) => {
    const results = caseResults(taskWith(BUG), roundsWith({ status }), COUNTED);
    expect(results.map(({ verdict }) => verdict)).toEqual(verdicts);
  });

  test('a gate that does not cover the bug has no result', () => {
    expect(caseResults(taskWith(BUG), roundsWith({ id: 'review:docs:style' }), COUNTED)).toEqual([]);
  });

  test('the result has the name under which the gate is counted', () => {
    const [result] = caseResults(taskWith(BUG), roundsWith({}), new Map([[GATE, 'review:lib:code-quality']]));
    expect(result?.gate).toBe('review:lib:code-quality');
  });

  test('the result repeats the facts of its task', () => {
    const [bug] = caseResults(taskWith(BUG), roundsWith({}), COUNTED);
    const variant = { reviewers: 2, sessions: 'resumed', reading: null };
    expect(bug).toMatchObject({ case: 'case 1', source: 'mutant', class: 'guard', variant, repeat: 3 });
    const [clean] = caseResults(taskWith(null), roundsWith({}), COUNTED);
    expect(clean).toMatchObject({ case: 'case 1', source: 'clean', class: null, variant, repeat: 3 });
  });
});

describe('a bug counts as found', () => {
  test.each<[FindingState, boolean]>([
    ['open', true],
    ['fixed_claimed', true],
    ['warning', true],
    ['waived', false],
    ['closed', false],
    ['gone', false],
  ])('by a finding in the state %s: %s', (state, isFound) => {
    const [result] = caseResults(taskWith(BUG), roundsWith({ status: 'fail' }, [reported({}, state)]), COUNTED);
    expect(result?.found).toBe(isFound);
    expect(result?.reviewers.map(({ found }) => found)).toEqual([isFound]);
  });

  test.each<[string, PlantedBug | null, ReportedFinding]>([
    ['a finding in another file', BUG, reported({ file: path('src/other.ts') })],
    ['a finding of another gate', BUG, reported({ gate: 'review:docs:style' })],
    ['a finding in a case without a bug', null, reported()],
  ])('not by %s', (_title, plantedBug, finding) => {
    const [result] = caseResults(taskWith(plantedBug), roundsWith({ status: 'fail' }, [finding]), COUNTED);
    expect(result?.found).toBe(false);
  });
});

describe('the result of a reviewer', () => {
  const verdictFor = (slot: Partial<SlotOutcome>, findings: readonly ReportedFinding[] = []) => {
    const [result] = caseResults(taskWith(BUG), roundsWith({ slots: [slotOutcome(slot)] }, findings), COUNTED);
    return result?.reviewers.map(({ verdict, found }) => ({ verdict, found }));
  };

  test.each<[string, Partial<SlotOutcome>, readonly ReportedFinding[], 'pass' | 'fail', boolean]>([
    ['passes without a finding', { status: 'pass' }, [], 'pass', false],
    ['passes if it was skipped after its pass', { status: 'skipped_prior_pass' }, [], 'pass', false],
    ['passes with a warning, which finds the bug', { status: 'pass' }, [reported({}, 'warning')], 'pass', true],
    ['passes if another reviewer has the finding', { status: 'pass' }, [reported({ slot: 2 })], 'pass', false],
    ['fails with the status fail', { status: 'fail' }, [], 'fail', false],
    ['fails with an open finding of an earlier round', { status: 'not_run' }, [reported()], 'fail', true],
    [
      'fails without finding the bug if its finding is elsewhere',
      { status: 'fail' },
      [reported({ line: 90 })],
      'fail',
      false,
    ],
  ])('%s', (_title, slot, findings, verdict, isFound) => {
    expect(verdictFor(slot, findings)).toEqual([{ verdict, found: isFound }]);
  });

  test.each<[string, Partial<SlotOutcome>]>([
    ['ended in an error', { status: 'error' }],
    ['was never called', { slot: 2, status: 'not_run' }],
    ['was called in an earlier round only', { status: 'not_run' }],
  ])('is left out if the reviewer %s', (_title, slot) => {
    expect(verdictFor(slot)).toEqual([]);
  });

  test('names the agent and the model of the last call', () => {
    const entries = [
      ledgerRun({ slots: [ledgerSlot({ agent: 'claude', model: 'large' })] }),
      ledgerRun({ slots: [ledgerSlot({ agent: 'codex', model: 'small' }), ledgerSlot({ slot: 2, agent: 'gemini' })] }),
    ];
    const last = runOutcome({ gates: [gateOutcome({ slots: [slotOutcome(), slotOutcome({ slot: 2 })] })] });
    const [result] = caseResults(taskWith(BUG), { last, entries }, COUNTED);
    expect(result?.reviewers).toEqual([
      { slot: 1, agent: 'codex', model: 'small', verdict: 'pass', found: false },
      { slot: 2, agent: 'gemini', model: null, verdict: 'pass', found: false },
    ]);
  });
});

describe('the cost of a case', () => {
  test('is the sum over all rounds and reviewers of the gate, without other gates', () => {
    const entries = [
      ledgerRun({ slots: [ledgerSlot({ asks: 2 }), ledgerSlot({ slot: 2, asks: 1, usage: null })] }),
      ledgerRun({ slots: [ledgerSlot({ asks: 3 }), ledgerSlot({ gate: 'review:docs:style', asks: 50 })] }),
    ];
    const [result] = caseResults(taskWith(BUG), { last: runOutcome(), entries }, COUNTED);
    expect(result?.calls).toBe(6);
    expect(result?.usage).toEqual(usage({ inputTokens: 200, outputTokens: 40 }));
  });

  test('is unknown if no call reported its usage', () => {
    const entries = [ledgerRun({ slots: [ledgerSlot({ usage: null })] })];
    const [result] = caseResults(taskWith(BUG), { last: runOutcome(), entries }, COUNTED);
    expect(result).toMatchObject({ calls: 1, usage: null });
  });
});
