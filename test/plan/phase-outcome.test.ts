import { describe, expect, test } from 'vitest';
import type { PhaseEndReason, PhaseStatus } from '../../src/domain/phase.ts';
import type { PhaseState } from '../../src/domain/phase-step.ts';
import { phaseOutcome } from '../../src/plan/phase-outcome.ts';
import { startPhase } from '../../src/plan/phase-step.ts';
import { phaseEnd as judgedEnd } from '../../src/plan/phase-verdict.ts';
import { phaseSetup } from '../support/phase/player.ts';
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
} from '../support/phase/samples.ts';
import { usage } from '../support/run-samples.ts';

/** Where a specify phase stands. */
function stateAt(position: PhaseState['position'], more: Partial<PhaseState> = {}): PhaseState {
  return { ...startPhase(phaseSetup('specify')).state, position, ...more };
}

const ended = (why: PhaseEndReason, more = {}) => stateAt({ at: 'ended', end: phaseEnd(why, more) });
const used = (tokens: number, more = {}) => usage({ inputTokens: tokens, outputTokens: 0, ...more });

describe('how a call ends', () => {
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

  /** Which reasons are no approval; the compiler sees to it that none is missing. */
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
    '%s, with nothing open: exit code %i',
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
  ])('%s, with something open: exit code %i', (why, code) => {
    const end = phaseEnd(why, { status: 'error', open: [open('spec-reviewer')] });
    expect(phaseOutcome(phaseRun(), stateAt({ at: 'ended', end }), [])).toMatchObject({ exitCode: code });
  });

  test('what waits for whoever called has no end, and is no success', () => {
    const issues = [open('spec-reviewer')];
    expect(phaseOutcome(phaseRun(), stateAt({ at: 'waiting', issues }), [])).toMatchObject({
      end: null,
      open: issues,
      exitCode: 1,
    });
  });

  test('what is open is what the end says; before it, the last word of each reviewer', () => {
    const issues = [open('phase-reviewer', { severity: 'warning' })];
    expect(phaseOutcome(phaseRun(), ended('cap', { open: issues }), []).open).toEqual(issues);
    const said = { iteration: 1, round: 1, seen: playedRound().entry.seen };
    const roles = {
      'spec-reviewer': { ...said, status: 'failed', answer: answerWith([issue(), issue({ severity: 'suggestion' })]) },
      'phase-reviewer': { ...said, status: 'passed', answer: answerWith([]) },
    } as const;
    expect(phaseOutcome(phaseRun(), stateAt({ at: 'starting' }, { roles }), []).open).toEqual([open('spec-reviewer')]);
  });

  test('notices are told as they are', () => {
    const notices = [{ kind: 'no-price', agents: ['house'] }] as const;
    expect(phaseOutcome(phaseRun(), ended('approved'), notices).notices).toBe(notices);
  });
});

describe('what was used', () => {
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

  test('is that of all: what goes before, looks, those that failed, fixes', () => {
    expect(phaseOutcome(run, ended('approved'), []).usage).toMatchObject({ inputTokens: 1111 });
  });

  test('is not known where nobody told it', () => {
    expect(phaseOutcome(phaseRun(), ended('approved'), []).usage).toBeNull();
  });
});

function turn() {
  const made = fixBy('fay').turn;
  if (made === null) throw new Error('no turn');
  return made;
}

describe('what was spared', () => {
  const first = usage({ inputTokens: 50, cachedInputTokens: 7, cacheWriteTokens: 900, outputTokens: 50 });
  const second = usage({ inputTokens: 100, cachedInputTokens: 900, cacheWriteTokens: 0, outputTokens: 100 });
  const by = (role: 'code-quality-reviewer' | 'security-reviewer', more = {}) => look({ role, ...more });
  const opening = { spent: spent(12_000, { usage: first }) };
  const delta = { template: 'I2', why: 'delta', spent: spent(2_000, { usage: second }) } as const;

  test('what resuming spared, and the looks of those who rested, by what each used last', () => {
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
    // Opened with 1,000 tokens from no cache, gone on with 200: and the other did not look for its 1,007.
    expect(phaseOutcome(run, ended('approved'), []).saved).toEqual({ pass: 0, slot: 1007, session: 800, prefix: 0 });
  });

  test('nothing where nobody told what it used, or rested before it looked', () => {
    const rested = { looks: [], skipped: [{ role: 'security-reviewer', passedAt: 1 }] } as const;
    const run = phaseRun({ rounds: [playedRound(rested), playedRound({ looks: [by('security-reviewer', opening)] })] });
    expect(phaseOutcome(run, ended('approved'), []).saved).toEqual({ pass: 0, slot: 0, session: 0, prefix: 0 });
    expect(phaseOutcome(implementRun(), ended('approved'), []).saved.slot).toBe(0);
  });
});
