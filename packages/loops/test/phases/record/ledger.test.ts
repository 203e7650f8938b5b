import type { LedgerLoop } from '@onceover/agents/ledger/entries';
import type { AgentFailure } from '@onceover/base/kernel/agent';
import {
  answerWith,
  fixBy,
  found,
  issue,
  look,
  lookError,
  phaseRun,
  playedRound,
  spent,
} from '@onceover/testing/phase/samples.ts';
import { usage } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { type DispatchFigures, ledgerEntries, preparationEntry } from '../../../src/phases/record/recorder.ts';
import type { PhaseMark } from '../../../src/phases/types.ts';

const AT = '2026-03-01T12:00:00.000Z';
const FIGURES: DispatchFigures = { at: AT, durationMs: 7, model: 'opus', startedBy: 'person', branch: 'work' };
const figures = () => FIGURES;

describe('the ledger', () => {
  const USAGE = usage({ inputTokens: 100, outputTokens: 0 });
  const brief = ({ role, agent, template, why, status, dispatch, asks }: LedgerLoop) =>
    [role, agent, template, why, status, dispatch, asks].join(' ');

  test('has an entry for each review, with its prompt, usage and result', () => {
    const { entry } = playedRound({ looks: [look({ spent: spent(10, { usage: USAGE, asks: 2, freshChars: 20 }) })] });
    expect(ledgerEntries(phaseRun(), { entry, fix: null }, figures)).toEqual([
      {
        kind: 'loop',
        ...FIGURES,
        ...{ feature: 'docs/f', run: 'loop-1', phase: 'specify', stage: 'domain', iteration: 1 },
        ...{ isFinalValidation: false, role: 'spec-reviewer', agent: 'claude', template: 'I1-R4', why: 'first-look' },
        ...{ fellBack: false, guarded: false, warned: false, status: 'pass', dispatch: 'fresh' },
        ...{ asks: 2, usage: USAGE, promptChars: 10, freshChars: 20 },
      },
    ]);
  });

  test('has failed, resumed and missing verdicts', () => {
    const looks = [
      found([issue()], { role: 'implementation-reviewer' }),
      look({ role: 'code-quality-reviewer', template: 'I2', why: 'delta' }),
    ];
    const errors = [lookError({ role: 'security-reviewer', agent: 'codex', spent: spent(5, { asks: 3 }) })];
    const { entry } = playedRound({ phase: 'implement', stage: 'implement', looks, errors });
    expect(ledgerEntries(phaseRun(), { entry, fix: null }, figures).map(brief)).toEqual([
      'implementation-reviewer claude I1-R4 first-look fail fresh 1',
      'code-quality-reviewer claude I2 delta pass resumed 1',
      'security-reviewer codex I1-R4 first-look error fresh 3',
    ]);
  });

  test('an approval with a blocker is not a pass', () => {
    const answer = answerWith([issue()], { approved: true });
    const { entry } = playedRound({ looks: [look({ answer, enginePass: false })] });
    expect(ledgerEntries(phaseRun(), { entry, fix: null }, figures)).toMatchObject([{ status: 'fail' }]);
  });

  test('has no entry for a reviewer that was not called', () => {
    const errors = [lookError({ spent: spent(0, { asks: 0 }) })];
    expect(ledgerEntries(phaseRun(), { entry: playedRound({ looks: [], errors }).entry, fix: null }, figures)).toEqual(
      [],
    );
  });

  test.each<[string, PhaseMark, Partial<LedgerLoop>]>([
    [
      'a fallback',
      { kind: 'resume-fallback', role: 'spec-reviewer', iteration: 2, because: { kind: 'no-tokens' } },
      { fellBack: true },
    ],
    ['the guard', { kind: 'delta-guard', role: 'spec-reviewer', iteration: 2, length: 9, limit: 8 }, { guarded: true }],
    ['unconfirmed reads', { kind: 'lazy-load-warning', role: 'spec-reviewer' }, { warned: true }],
  ])('marks of a review: %s', (_title, mark, expected) => {
    const noMarks = { fellBack: false, guarded: false, warned: false };
    const phaseLook = look({ role: 'phase-reviewer' });
    const { entry } = playedRound({ looks: [look(), phaseLook], marks: [mark] });
    expect(ledgerEntries(phaseRun(), { entry, fix: null }, figures)).toMatchObject([
      { ...noMarks, ...expected },
      noMarks,
    ]);
  });

  test('a failed resume without an answer is marked for its role only', () => {
    const because: AgentFailure = { kind: 'no-tokens' };
    const marks = [{ kind: 'resume-fallback', role: 'spec-reviewer', iteration: 2, because }] as const;
    const { entry } = playedRound({ looks: [], errors: [lookError(), lookError({ role: 'phase-reviewer' })], marks });
    const entries = ledgerEntries(phaseRun(), { entry, fix: null }, figures);
    expect(entries.map(({ fellBack }) => fellBack)).toEqual([true, false]);
  });

  test('has only the fix for a fix, as done or failed', () => {
    const { entry } = playedRound({ isFinalValidation: true });
    const fix = fixBy('fay', { marks: [{ kind: 'lazy-load-warning', role: 'implementer' }] });
    expect(ledgerEntries(phaseRun(), { entry, fix }, figures)).toMatchObject([
      {
        role: 'implementer',
        agent: 'fay',
        template: 'I7-fresh',
        status: 'done',
        warned: true,
        isFinalValidation: false,
      },
    ]);
    const failedFix = { ...fix, summary: null };
    expect(ledgerEntries(phaseRun(), { entry, fix: failedFix }, figures)).toMatchObject([{ status: 'error' }]);
  });

  test('has no entry for a fix by the caller', () => {
    expect(ledgerEntries(phaseRun(), { entry: playedRound().entry, fix: fixBy(null) }, figures)).toEqual([]);
  });

  test('has the preparations, each with its own prompt', () => {
    const spending = spent(30, { asks: 2, usage: USAGE });
    const call = { agent: 'fay', template: 'I1-R4', why: 'first-look', spent: spending } as const;
    const entryWith = (summary: string | null) =>
      preparationEntry(phaseRun({ phase: 'implement' }), { role: 'test-deepener', summary, call }, FIGURES);
    expect(entryWith(null)).toMatchObject({
      ...{ kind: 'loop', ...FIGURES, run: 'loop-1', phase: 'implement', stage: 'implement', iteration: 0 },
      ...{ role: 'test-deepener', agent: 'fay', status: 'error', asks: 2, usage: USAGE },
      ...{ template: null, dispatch: 'fresh', promptChars: 30, freshChars: 30 },
    });
    expect(entryWith('Done.')).toMatchObject({ status: 'done' });
  });
});
