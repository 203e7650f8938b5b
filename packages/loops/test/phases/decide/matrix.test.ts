import type { ReviewerRole } from '@onceover/base/kernel/review-loops';
import { FIRST_PROMPT, fail, gone, now, Player, pass, phaseSetup, sessionAs } from '@onceover/testing/phase/player.ts';
import { describe, expect, test } from 'vitest';
import { fallbackAsk } from '../../../src/phases/decide/calls.ts';
import type { Ask, Measured } from '../../../src/phases/state.ts';

const IMPLEMENTATION = 'implementation-reviewer';
const QUALITY = 'code-quality-reviewer';
const SECURITY = 'security-reviewer';
const three = (first: typeof pass, two = pass, last = pass): Partial<Record<ReviewerRole, typeof pass>> => ({
  [IMPLEMENTATION]: first,
  [QUALITY]: two,
  [SECURITY]: last,
});

/** The code after a first round in which one reviewer failed, and its fix. */
function afterFirstFix(): Player {
  return new Player(phaseSetup('implement')).round(three(fail)).fix(['src/a.ts']).commit().snapshot();
}

/** Before final validation: one reviewer failed once and passes now. */
function beforeFinalValidation(): Player {
  return afterFirstFix().measure(IMPLEMENTATION).answer(IMPLEMENTATION, pass).snapshot();
}

/** Before the second fix. */
function beforeSecondFix(): Player {
  return afterFirstFix().measure(IMPLEMENTATION).answer(IMPLEMENTATION, fail);
}

describe('the template of a call, for every row of the decision matrix', () => {
  test('reviewer, iteration 1, all three: I1-R4 [REUSE-MATRIX/reviewer-iteration-1] [REUSE-R1.3] [REUSE-I1-R4/used-for-fresh]', () => {
    const play = new Player(phaseSetup('implement')).snapshot();
    expect(play.asks().map(({ role, template, session }) => [role, template, session])).toEqual([
      [IMPLEMENTATION, 'I1-R4', null],
      [QUALITY, 'I1-R4', null],
      [SECURITY, 'I1-R4', null],
    ]);
  });

  test('reviewer that failed, delta within half: I2 [REUSE-MATRIX/reviewer-failed] [REUSE-R1.1/implement]', () => {
    const play = afterFirstFix();
    expect(play.asks('measure').map(({ role }) => role)).toEqual([IMPLEMENTATION]);
    const [ask] = play.measure(IMPLEMENTATION).asks();
    expect(ask).toMatchObject({ role: IMPLEMENTATION, template: 'I2', session: { saw: 'tree1' }, iteration: 2 });
    expect(ask?.delta).toEqual({ from: 'tree1', to: 'tree2' });
    expect(ask?.fixes.map(({ summary }) => summary)).toEqual(['fix 2']);
  });

  test('reviewer, delta too large: I1-R4, and the session is replaced [REUSE-MATRIX/reviewer-delta-too-large] [REUSE-MATRIX/reviewer-delta-too-large/reset] [REUSE-I6/reset]', () => {
    const play = afterFirstFix().measure(IMPLEMENTATION, { deltaLength: 501 });
    expect(play.asks()).toMatchObject([{ template: 'I1-R4', session: null, delta: null, iteration: 2 }]);
    expect(play.asks()[0]?.issues).toHaveLength(1);
    const before = play.state.resume[IMPLEMENTATION]?.session?.id;
    play.answer(IMPLEMENTATION, pass, { session: sessionAs('next', { firstPromptLength: 2222 }) });
    expect(play.state.resume[IMPLEMENTATION]?.session).toMatchObject({ firstPromptLength: 2222, saw: 'tree2' });
    expect(play.state.resume[IMPLEMENTATION]?.session?.id).not.toBe(before);
    expect(play.entries.at(-1)?.marks).toEqual([
      { kind: 'delta-guard', role: IMPLEMENTATION, iteration: 2, length: 501, limit: 500 },
    ]);
  });

  test('reviewer, delta too large for the effective guard: the marker has that limit', () => {
    const play = afterFirstFix().measure(IMPLEMENTATION, { deltaLength: 551, mustReadLength: 100 });
    expect(play.asks()).toMatchObject([{ template: 'I1-R4', why: 'delta-too-large' }]);
    play.answer(IMPLEMENTATION, pass);
    expect(play.entries.at(-1)?.marks).toMatchObject([{ kind: 'delta-guard', length: 551, limit: 550 }]);
  });

  test('reviewer, resume error: I3, logged [REUSE-MATRIX/reviewer-resume-error] [REUSE-MATRIX/reviewer-resume-error/reset] [REUSE-R1.6] [REUSE-I3/used-when] [REUSE-R1/AC-fallback]', () => {
    const play = afterFirstFix().measure(IMPLEMENTATION);
    const fallback = fallbackAsk(play.asks()[0] as Ask);
    expect(fallback).toMatchObject({ template: 'I3', why: 'resume-failed', session: null, delta: null });
    expect(fallback.issues).toHaveLength(1);
    play.answer(IMPLEMENTATION, fail, play.fellBack(IMPLEMENTATION, gone));
    expect(play.entries.at(-1)?.looks).toMatchObject([{ template: 'I3', why: 'resume-failed', spent: { asks: 2 } }]);
    expect(play.entries.at(-1)?.marks).toEqual([
      { kind: 'resume-fallback', role: IMPLEMENTATION, iteration: 2, because: gone },
    ]);
    // The next iteration resumes the new session.
    play.untilReview();
    expect(play.asks()).toMatchObject([{ template: 'I2', session: { id: 'new' }, iteration: 3 }]);
  });

  test('reviewer, final validation, passed: I2-FV from its last snapshot [REUSE-MATRIX/final-validation-passed] [REUSE-MATRIX/final-validation-passed/diff] [REUSE-I2-FV/used-when] [REUSE-I6/final-validation-diff] [REUSE-R1.9]', () => {
    const play = beforeFinalValidation();
    expect(play.asks('measure').map(({ role }) => role)).toEqual([IMPLEMENTATION, QUALITY, SECURITY]);
    for (const role of [IMPLEMENTATION, QUALITY, SECURITY] as const) play.measure(role);
    const [ask] = play.asks();
    expect(ask).toMatchObject({ role: SECURITY, template: 'I2-FV', isFinalValidation: true, iteration: 2 });
    expect(ask?.lastIteration).toBe(1);
    expect(ask?.delta?.from).toBe('tree1');
    expect(ask?.fixes.map(({ summary }) => summary)).toEqual(['fix 2']);
  });

  test('reviewer, final validation, however large the delta: I2-FV [REUSE-I2-FV/no-size-guard]', () => {
    const play = beforeFinalValidation().measure(QUALITY, { deltaLength: 1e6 });
    expect(play.asks()).toMatchObject([{ role: QUALITY, template: 'I2-FV', session: { saw: 'tree1' } }]);
  });

  test('reviewer, final validation, resume error: I3, logged [REUSE-MATRIX/final-validation-resume-error] [REUSE-I2-FV/failed-resume] [REUSE-R1.9/failed-resume]', () => {
    const [ask] = beforeFinalValidation().measure(QUALITY).asks();
    expect(fallbackAsk(ask as Ask)).toMatchObject({ template: 'I3', session: null, isFinalValidation: true });
  });

  test('implementer, first fix: I7 fresh [REUSE-MATRIX/implementer-first-fix] [REUSE-R1.5/first-fix-fresh] [REUSE-I7/fresh/used-when]', () => {
    const play = new Player(phaseSetup('implement')).round(three(fail, fail));
    expect(play.asks('fix')).toMatchObject([
      { role: 'implementer', template: 'I7-fresh', session: null, iteration: 1 },
    ]);
    expect(play.asks('fix')[0]?.issues.map(({ role }) => role)).toEqual([IMPLEMENTATION, QUALITY]);
  });

  test('implementer, second fix, within half: I7 resumed [REUSE-MATRIX/implementer-later-fix] [REUSE-R1.5] [REUSE-I7/resumed/used-when] [REUSE-I7/resumed/resume-id]', () => {
    const play = beforeSecondFix().measure('implementer');
    const session = play.state.resume.implementer?.session;
    expect(play.asks('fix')).toMatchObject([{ template: 'I7-resumed', session: { id: session?.id }, iteration: 2 }]);
    expect(play.asks('fix')[0]?.delta).toEqual({ from: 'tree1', to: 'tree2' });
  });

  test('implementer, too large: I7 fresh, and the session is replaced [REUSE-MATRIX/implementer-delta-too-large] [REUSE-MATRIX/implementer-delta-too-large/reset]', () => {
    const play = beforeSecondFix().measure('implementer', { deltaLength: 501 });
    expect(play.asks('fix')).toMatchObject([{ template: 'I7-fresh', session: null }]);
    play.fix(['src/a.ts']);
    expect(play.state.resume.implementer).toMatchObject({ lastIteration: 2, session: { saw: 'tree2' } });
  });

  test('implementer, resume error: I7 fresh, logged with the fix', () => {
    const play = beforeSecondFix().measure('implementer');
    play.fix(['src/a.ts'], play.fellBack('implementer', gone));
    expect(play.actions[0]).toMatchObject({
      kind: 'record-fix',
      turn: { agent: 'claude', template: 'I7-fresh', why: 'resume-failed', spent: { asks: 2 } },
      marks: [{ kind: 'resume-fallback', role: 'implementer', iteration: 2, because: gone }],
    });
  });
});

describe('new or resumed session, for a document', () => {
  const SPEC = 'spec-reviewer';
  const second = () =>
    new Player(phaseSetup('specify'))
      .round({ [SPEC]: fail })
      .fix()
      .commit()
      .snapshot();

  test.each<[string, Partial<Measured>, string]>([
    ['as usual [REUSE-R1.1] [REUSE-R1/AC-resume] [REUSE-I2/used-with-session]', {}, 'I2 delta'],
    [
      'exactly half [REUSE-I2/used-within-limit] [REUSE-R1.4] [REUSE-TD5/measurement]',
      { deltaLength: FIRST_PROMPT / 2 },
      'I2 delta',
    ],
    [
      'one more [REUSE-TD5] [REUSE-R1/AC-size-guard] [REUSE-R1.2a/over-threshold] [REUSE-TD2/fallback/size-guard]',
      { deltaLength: FIRST_PROMPT / 2 + 1 },
      'I1-R4 delta-too-large',
    ],
    [
      'one more, with files that a reviewer in a new session must read',
      { deltaLength: FIRST_PROMPT / 2 + 1, mustReadLength: 2 },
      'I2 delta',
    ],
    ['another agent', { now: { ...now, agent: 'codex' } }, 'I1-R4 session-differs'],
    ['another model', { now: { ...now, model: null } }, 'I1-R4 session-differs'],
    ['another version', { now: { ...now, version: '2' } }, 'I1-R4 session-differs'],
    ['other tools or schema', { now: { ...now, toolsDigest: 'u' } }, 'I1-R4 session-differs'],
    [
      'it failed V1 to V4 [REUSE-C/validation-gate] [REUSE-I10/no-resume] [REUSE-I10/r4-only] [REUSE-TD1/r4-independent]',
      { canResume: false },
      'I1-R4 cannot-resume',
    ],
    ['the session is lost', { lost: 'session' }, 'I3 session-lost'],
    ['the snapshot is lost [REUSE-TD2/fallback/lost-sha]', { lost: 'snapshot' }, 'I3 session-lost'],
    ['git cannot make the diff [REUSE-TD2/fallback/git-error]', { lost: 'diff' }, 'I3 session-lost'],
    ['a cold cache does not count [REUSE-R1.6/expired-cache]', { cost: null }, 'I2 delta'],
    [
      'a cold cache if the setting says so and a new session is cheaper',
      { cost: { cacheExpired: true, freshIsCheaper: true } },
      'I1-R4 resume-dearer',
    ],
  ])('%s', (_title, measurement, expected) => {
    const [ask] = second().measure(SPEC, measurement).asks();
    expect(`${ask?.template} ${ask?.why}`).toBe(expected);
  });

  test('logs the lost state, and resumes the new session in the next round [REUSE-TD2/fallback/new-baseline] [REUSE-TD2/phase/sha-updated]', () => {
    const play = second().measure(SPEC, { lost: 'snapshot' }).answer(SPEC, fail);
    expect(play.entries.at(-1)?.marks).toEqual([
      { kind: 'resume-fallback', role: SPEC, iteration: 2, because: { kind: 'lost', what: 'snapshot' } },
    ]);
    play.untilReview();
    expect(play.asks()).toMatchObject([{ template: 'I2', delta: { from: 'tree2', to: 'tree3' } }]);
  });

  test('falls back to a new session after a failed commit', () => {
    const play = new Player(phaseSetup('specify')).round({ [SPEC]: fail }).fix();
    play.send({ kind: 'commit-ended', failed: true }).snapshot().measure(SPEC);
    expect(play.asks()).toMatchObject([{ template: 'I3' }]);
    play.answer(SPEC, fail);
    expect(play.entries.at(-1)?.marks).toMatchObject([{ because: { kind: 'lost', what: 'commit' } }]);
    play.untilReview();
    expect(play.asks()).toMatchObject([{ template: 'I2' }]);
  });

  test('nothing changed: I1-R4 without a fallback line, and the session is replaced [REUSE-TD2/phase/no-changes] [REUSE-TD2/phase/no-changes-reset]', () => {
    const play = new Player(phaseSetup('specify')).round({ [SPEC]: fail }).fix([]);
    expect(play.actions.map(({ kind }) => kind)).toEqual(['record-fix', 'take-snapshot']);
    play.snapshot().measure(SPEC);
    expect(play.asks()).toMatchObject([{ template: 'I1-R4', why: 'no-changes', iteration: 2 }]);
    play.answer(SPEC, pass, { session: sessionAs('other') });
    expect(play.entries.at(-1)?.marks).toEqual([]);
    expect(play.state.resume[SPEC]?.session?.id).toBe('other');
  });

  test('starts a new session after a code fix without changes [REUSE-TD2/implement/no-changes]', () => {
    const play = new Player(phaseSetup('implement')).round(three(fail)).fix([]).snapshot().measure(IMPLEMENTATION);
    expect(play.asks()).toMatchObject([{ role: IMPLEMENTATION, template: 'I1-R4', why: 'no-changes' }]);
  });

  test('another agent takes over, and keeps the role', () => {
    const assignment = { [SPEC]: { agent: 'claude', others: ['codex'] } };
    const setup = phaseSetup('specify');
    const play = new Player({ ...setup, assigned: { ...setup.assigned, ...assignment } }).snapshot();
    expect(play.asks()).toMatchObject([{ agent: 'claude', others: ['codex'] }]);
    play.answer(SPEC, fail, { session: sessionAs('x', { agent: 'codex' }) }).untilReview();
    expect(play.asks()).toMatchObject([{ agent: 'codex', template: 'I2', session: { id: 'x' } }]);
  });

  test('an answer without a session stores none, so the next review is in a new one, because the agent cannot resume', () => {
    const play = new Player(phaseSetup('specify')).snapshot().answer(SPEC, fail, { session: null });
    expect(play.state.resume).toEqual({ [SPEC]: { session: null, lastIteration: 1 } });
    play.untilReview();
    expect(play.asks()).toMatchObject([{ template: 'I1-R4', why: 'cannot-resume', iteration: 2 }]);
  });
});
