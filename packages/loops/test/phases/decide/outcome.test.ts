import { phaseSetup } from '@onceover/testing/phase/player.ts';
import {
  answerWith,
  fixBy,
  implementRun,
  issue,
  look,
  lookError,
  open,
  phaseEnd,
  phaseRun,
  playedRound,
  spent,
} from '@onceover/testing/phase/samples.ts';
import { usage } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { phaseEnd as judgedEnd } from '../../../src/phases/decide/end.ts';
import { beginPhase } from '../../../src/phases/decide/machine.ts';
import { phaseOutcome } from '../../../src/phases/decide/outcome.ts';
import type { PhaseState } from '../../../src/phases/state.ts';
import type { PhaseEndReason, PhaseStatus } from '../../../src/phases/types.ts';

/** A specify phase at some point. */
function stateAt(position: PhaseState['position'], fields: Partial<PhaseState> = {}): PhaseState {
  return { ...beginPhase(phaseSetup('specify')).state, position, ...fields };
}

const ended = (why: PhaseEndReason, fields = {}) => stateAt({ at: 'ended', end: phaseEnd(why, fields) });
const used = (tokens: number, fields = {}) => usage({ inputTokens: tokens, outputTokens: 0, ...fields });

describe('the result of a call', () => {
  test.each<[PhaseStatus, 0 | 1 | 3]>([
    ['approved', 0],
    ['needs_work', 1],
    ['stalled', 1],
    ['cap', 1],
    ['error', 3],
  ])('%s: exit code %i', (status, exitCode) => {
    const end = { ...phaseEnd('approved'), status };
    expect(phaseOutcome(phaseRun(), stateAt({ at: 'ended', end }), [])).toMatchObject({ end, exitCode });
  });

  /** Reasons that are not an approval; the compiler checks that none is missing. */
  const REASONS: Readonly<Record<PhaseEndReason, 0 | 1 | 3>> = {
    approved: 0,
    'accepted-with-notes': 0,
    cap: 1,
    stalled: 1,
    'not-fixed': 1,
    'fixer-failed': 1,
    'reviewer-failed': 3,
    'preparation-failed': 3,
    'forbidden-edit': 3,
    'artifact-missing': 3,
    'artifact-empty': 3,
    'artifact-unreadable': 3,
    disturbed: 3,
    budget: 3,
    interrupted: 3,
    trouble: 3,
  };
  test.each(Object.entries(REASONS) as [PhaseEndReason, number][])(
    '%s, without open issues: exit code %i',
    (why, code) => {
      const end = judgedEnd(stateAt({ at: 'starting' }), why);
      expect(phaseOutcome(phaseRun(), stateAt({ at: 'ended', end }), []).exitCode).toBe(code);
    },
  );

  test.each<[PhaseEndReason, 1 | 3]>([
    ['forbidden-edit', 1],
    ['disturbed', 1],
    ['artifact-missing', 1],
    ['trouble', 1],
    ['interrupted', 3],
  ])('%s, with open issues: exit code %i', (why, code) => {
    const end = phaseEnd(why, { status: 'error', open: [open('spec-reviewer')] });
    expect(phaseOutcome(phaseRun(), stateAt({ at: 'ended', end }), [])).toMatchObject({ exitCode: code });
  });

  test('a waiting phase has no end and exit code 1', () => {
    const issues = [open('spec-reviewer')];
    expect(phaseOutcome(phaseRun(), stateAt({ at: 'waiting', issues }), [])).toMatchObject({
      end: null,
      open: issues,
      exitCode: 1,
    });
  });

  test("open issues come from the end, or from each reviewer's last verdict", () => {
    const issues = [open('phase-reviewer', { severity: 'warning' })];
    expect(phaseOutcome(phaseRun(), ended('cap', { open: issues }), []).open).toEqual(issues);
    const review = { iteration: 1, round: 1, seen: playedRound().entry.seen };
    const roles = {
      'spec-reviewer': {
        ...review,
        status: 'failed',
        answer: answerWith([issue(), issue({ severity: 'suggestion' })]),
      },
      'phase-reviewer': { ...review, status: 'passed', answer: answerWith([]) },
    } as const;
    expect(phaseOutcome(phaseRun(), stateAt({ at: 'starting' }, { roles }), []).open).toEqual([open('spec-reviewer')]);
  });

  test('passes notices through', () => {
    const notices = [{ kind: 'no-price', agents: ['house'] }] as const;
    expect(phaseOutcome(phaseRun(), ended('approved'), notices).notices).toBe(notices);
  });
});

describe('usage', () => {
  const run = phaseRun({
    preparations: [{ role: 'code-simplifier', part: null, agent: 'a', summary: '', usage: used(1) }],
    rounds: [
      playedRound({
        looks: [look({ spent: spent(10, { usage: used(10) }) })],
        errors: [lookError({ spent: spent(10, { usage: used(100) }) })],
        fix: { ...fixBy('fay'), turn: { ...turn(), spent: spent(10, { usage: used(1000) }) } },
      }),
      playedRound({ round: 2, looks: [look({ spent: spent(10, { usage: null }) })], fix: fixBy(null) }),
    ],
  });

  test('sums preparations, reviews, failures and fixes', () => {
    expect(phaseOutcome(run, ended('approved'), []).usage).toMatchObject({ inputTokens: 1111 });
  });

  test('is null if no agent reported it', () => {
    expect(phaseOutcome(phaseRun(), ended('approved'), []).usage).toBeNull();
  });
});

function turn() {
  const turn = fixBy('fay').turn;
  if (turn === null) throw new Error('no turn');
  return turn;
}

describe('savings', () => {
  const first = usage({ inputTokens: 50, cachedInputTokens: 7, cacheWriteTokens: 900, outputTokens: 50 });
  const second = usage({ inputTokens: 100, cachedInputTokens: 900, cacheWriteTokens: 0, outputTokens: 100 });
  const by = (role: 'code-quality-reviewer' | 'security-reviewer', fields = {}) => look({ role, ...fields });
  const opening = { spent: spent(12_000, { usage: first }) };
  const delta = { template: 'I2', why: 'delta', spent: spent(2_000, { usage: second }) } as const;

  test('counts resumed sessions and skipped reviewers', () => {
    const run = phaseRun({
      phase: 'implement',
      rounds: [
        playedRound({ looks: [by('code-quality-reviewer', opening), by('security-reviewer', opening)] }),
        playedRound({
          round: 2,
          looks: [by('code-quality-reviewer', delta)],
          skipped: [{ role: 'security-reviewer', passedAt: 1 }],
        }),
      ],
    });
    // One reviewer began with 1,000 uncached tokens and continued with 200; the other skipped a review of 1,007.
    expect(phaseOutcome(run, ended('approved'), []).saved).toEqual({
      pass: 0,
      slot: 1007,
      session: 800,
      prefix: 0,
      reading: 0,
    });
  });

  test('are zero without reported usage', () => {
    const round = { looks: [], skipped: [{ role: 'security-reviewer', passedAt: 1 }] } as const;
    const run = phaseRun({ rounds: [playedRound(round), playedRound({ looks: [by('security-reviewer', opening)] })] });
    expect(phaseOutcome(run, ended('approved'), []).saved).toEqual({
      pass: 0,
      slot: 0,
      session: 0,
      prefix: 0,
      reading: 0,
    });
    expect(phaseOutcome(implementRun(), ended('approved'), []).saved.slot).toBe(0);
  });
});
