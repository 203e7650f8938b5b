import type { ReviewerRole } from '@onceover/base/kernel/review-loops';
import { blocker, broken, fail, gone, Player, pass, phaseSetup, sessionAs } from '@onceover/testing/phase/player.ts';
import { describe, expect, test } from 'vitest';
import type { LoopAnswer, PhaseSetup } from '../../../src/phases/types.ts';

const IMPLEMENTATION = 'implementation-reviewer';
const QUALITY = 'code-quality-reviewer';
const SECURITY = 'security-reviewer';
type Words = readonly [LoopAnswer | null, LoopAnswer | null, LoopAnswer | null];

/** Plays rounds of the three reviewers; null: that reviewer is skipped. */
function implement(rounds: readonly Words[], fields: Partial<PhaseSetup> = {}): Player {
  const play = new Player(phaseSetup('implement', fields));
  for (const words of rounds) {
    const answers = [IMPLEMENTATION, QUALITY, SECURITY].flatMap((role, n) =>
      words[n] == null ? [] : [[role, words[n]]],
    );
    play.round(Object.fromEntries(answers) as Partial<Record<ReviewerRole, LoopAnswer>>);
  }
  return play.untilReview();
}

const asked = (play: Player) => play.asks().map(({ role, template }) => `${role} ${template}`);

describe('the three reviewers of code', () => {
  test('skips final validation if all pass the same code in one round', () => {
    expect(implement([[pass, pass, pass]]).end).toMatchObject({ status: 'approved', why: 'approved' });
  });

  test('re-runs only failed reviewers; the others are skipped and keep their sessions [REUSE-FLOW/implement/only-failed] [REUSE-FLOW/implement/passed-rest] [REUSE-C/selective-redispatch] [REUSE-C/resume-only-redispatched] [REUSE-R1/AC-selective-status] [REUSE-BEHAVIOUR/same-selection] [REUSE-TD4/idle-roles]', () => {
    const play = implement([[fail, pass, fail]]);
    expect(asked(play)).toEqual([`${IMPLEMENTATION} I2`, `${SECURITY} I2`]);
    const session = play.state.resume[QUALITY];
    play.answer(IMPLEMENTATION, fail).answer(SECURITY, pass).untilReview();
    expect(asked(play)).toEqual([`${IMPLEMENTATION} I2`]);
    expect(play.state.resume[QUALITY]).toEqual(session);
    play.answer(IMPLEMENTATION, fail);
    expect(play.entries.map(({ skipped }) => skipped)).toEqual([
      [],
      [{ role: QUALITY, passedAt: 1 }],
      [
        { role: QUALITY, passedAt: 1 },
        { role: SECURITY, passedAt: 2 },
      ],
    ]);
  });

  test('orders entry, issues and open issues by reviewer, not by arrival', () => {
    const reviewers = [IMPLEMENTATION, QUALITY, SECURITY] as const;
    const play = new Player(phaseSetup('implement')).snapshot();
    for (const role of [SECURITY, IMPLEMENTATION, QUALITY] as const) play.answer(role, fail);
    expect(play.entries[0]?.looks.map(({ role }) => role)).toEqual(reviewers);
    expect(play.asks('fix')[0]?.issues.map(({ role }) => role)).toEqual(reviewers);
    expect(Object.keys(play.state.roles)).toEqual(reviewers);
  });

  test.each([
    ['REUSE-R1.1/implement/implementation-reviewer', IMPLEMENTATION, 0],
    ['REUSE-R1.1/implement/code-quality-reviewer', QUALITY, 1],
    ['REUSE-R1.1/implement/security-reviewer', SECURITY, 2],
  ])('resumes each reviewer [%s] [REUSE-I2/resume-id]', (_id, role, n) => {
    const words = [0, 1, 2].map((index) => (index === n ? fail : pass)) as unknown as Words;
    expect(implement([words]).asks()).toMatchObject([{ role, template: 'I2', session: { saw: 'tree1' } }]);
  });

  test('commits the fix with the iteration in the message [REUSE-TD2/implement/commit] [REUSE-TD2/implement/commit-message]', () => {
    const play = new Player(phaseSetup('implement')).snapshot();
    play.answer(IMPLEMENTATION, fail).answer(QUALITY, pass).answer(SECURITY, pass).fix(['src/a.ts', 'src/new.ts']);
    expect(play.actions.at(-1)).toEqual({
      kind: 'commit',
      paths: ['src/a.ts', 'src/new.ts'],
      message: 'onceover: implement review iteration 1 fixes (loop-1)',
    });
  });

  test('gives the fixer one list with the issues of all failed reviewers [REUSE-R1.5/issues] [REUSE-MATRIX/implementer-later-fix/delta]', () => {
    const play = implement([[fail, fail, pass]]);
    play
      .answer(IMPLEMENTATION, pass)
      .answer(QUALITY, { ...fail, issues: [blocker, blocker] })
      .measure('implementer');
    expect(play.asks('fix')).toMatchObject([{ template: 'I7-resumed' }]);
    expect(play.asks('fix')[0]?.issues.map(({ role }) => role)).toEqual([QUALITY, QUALITY]);
  });

  test('ends after the other reviewers answered if one fails for good', () => {
    const play = new Player(phaseSetup('implement')).snapshot().fail(SECURITY, broken);
    expect(play.end).toBeNull();
    play.answer(IMPLEMENTATION, pass).answer(QUALITY, pass);
    expect(play.end).toMatchObject({ status: 'error', why: 'reviewer-failed', failure: broken });
    expect(play.entries[0]).toMatchObject({ looks: [{}, {}], errors: [{ role: SECURITY, failure: broken }] });
  });

  test('open issues outweigh a missing verdict', () => {
    const play = new Player(phaseSetup('implement')).snapshot().fail(SECURITY, broken);
    play.answer(IMPLEMENTATION, fail).answer(QUALITY, pass);
    expect(play.end).toMatchObject({ status: 'needs_work', why: 'reviewer-failed', open: [{ role: IMPLEMENTATION }] });
  });
});

describe('final validation', () => {
  const FIRST: Words = [fail, pass, pass];
  const SECOND: Words = [pass, null, null];

  test('resumes every reviewer once each has passed [REUSE-I2-FV/resume-id] [REUSE-FLOW/implement/final-validation-all] [REUSE-R1.9/resumes] [REUSE-R1.9/state-persists] [REUSE-TD4]', () => {
    const play = implement([FIRST, SECOND]);
    expect(asked(play)).toEqual([`${IMPLEMENTATION} I2-FV`, `${QUALITY} I2-FV`, `${SECURITY} I2-FV`]);
    expect(play.asks().map(({ session }) => session?.saw)).toEqual(['tree2', 'tree1', 'tree1']);
    for (const role of [IMPLEMENTATION, QUALITY, SECURITY] as const) play.answer(role, pass);
    expect(play.entries.at(-1)).toMatchObject({ isFinalValidation: true, iteration: 2, round: 3, skipped: [] });
    expect(play.snapshot().end).toMatchObject({ status: 'approved' });
  });

  test('shows a reviewer all fixes since its last review [REUSE-R1.9/change-summary]', () => {
    const play = implement([FIRST, [fail, null, null], SECOND]);
    const summaries = (n: number) => play.asks()[n]?.fixes.map(({ summary }) => summary);
    expect(summaries(0)).toEqual([]);
    expect(summaries(1)).toEqual(['fix 2', 'fix 3']);
  });

  test('sends only the reviewer with a regression back, with its session [REUSE-FLOW/implement/regression] [REUSE-FLOW/implement/regression-session]', () => {
    const play = implement([FIRST, SECOND, [pass, pass, fail]]);
    const sessionId = play.state.resume[SECURITY]?.session?.id;
    expect(play.asks()).toMatchObject([
      { role: SECURITY, template: 'I2', iteration: 3, isFinalValidation: false, session: { id: sessionId } },
    ]);
    play.answer(SECURITY, pass).untilReview();
    expect(play.asks().map(({ isFinalValidation, iteration }) => [isFinalValidation, iteration])).toEqual([
      [true, 3],
      [true, 3],
      [true, 3],
    ]);
  });

  test('does not count against the cap: a pass in the fifth iteration is validated', () => {
    const again: Words = [fail, null, null];
    const play = implement([FIRST, again, again, again, SECOND]);
    expect(play.asks()).toMatchObject([{ isFinalValidation: true, iteration: 5 }, {}, {}]);
    for (const role of [IMPLEMENTATION, QUALITY, SECURITY] as const) play.answer(role, pass);
    expect(play.snapshot().end).toMatchObject({ status: 'approved' });
  });

  test('ends at the cap without a fix after a regression in the fifth iteration', () => {
    const again: Words = [fail, null, null];
    const play = implement([FIRST, again, again, again, SECOND, [pass, fail, pass]]);
    expect(play.end).toMatchObject({ status: 'cap', open: [{ role: QUALITY }] });
  });

  test('ends at the cap after five failing iterations', () => {
    const again: Words = [fail, null, null];
    const play = implement([FIRST, again, again, again, again]);
    expect(play.end).toMatchObject({ status: 'cap', open: [{ role: IMPLEMENTATION }] });
    expect(play.told().filter((call) => call.startsWith('implementer'))).toHaveLength(4);
  });

  test('final_validation: changed re-runs only reviewers that saw older code', () => {
    const play = implement([FIRST, SECOND], { finalValidation: 'changed' });
    expect(asked(play)).toEqual([`${QUALITY} I2-FV`, `${SECURITY} I2-FV`]);
    play.answer(QUALITY, pass).answer(SECURITY, pass);
    expect(play.entries.at(-1)?.skipped).toEqual([{ role: IMPLEMENTATION, passedAt: 2 }]);
    expect(play.snapshot().end).toMatchObject({ status: 'approved' });
  });

  test('falls back to a new session if one is gone, and resumes that one later', () => {
    const play = implement([FIRST, SECOND]);
    play.answer(QUALITY, fail, play.fellBack(QUALITY, gone));
    play.answer(IMPLEMENTATION, pass).answer(SECURITY, pass).untilReview();
    expect(play.asks()).toMatchObject([{ role: QUALITY, template: 'I2', session: { id: 'new' }, iteration: 3 }]);
    expect(play.entries.at(-1)?.marks).toEqual([
      { kind: 'resume-fallback', role: QUALITY, iteration: 2, because: gone },
    ]);
  });

  test('ends without an approval if the code changes during every validation', () => {
    const play = implement([]);
    for (let n = 0; n < 10 && play.end === null; n += 1) {
      for (const role of [IMPLEMENTATION, QUALITY, SECURITY] as const) play.answer(role, pass);
      play.content += 1;
      play.snapshot().untilReview();
    }
    expect(play.end).toMatchObject({ status: 'error', why: 'disturbed' });
    expect(play.state.counted.implement).toBe(1);
  });
});

describe('the resume state of a role', () => {
  test('three reviewers and the implementer, each under its name [REUSE-FLOW/implement/three-sessions] [REUSE-R1.3/keyed-by-role] [REUSE-I6/keys-implement] [REUSE-MATRIX/reviewer-iteration-1/session] [REUSE-MATRIX/implementer-first-fix/session]', () => {
    const play = implement([[fail, pass, pass]]);
    expect(Object.keys(play.state.resume).sort()).toEqual([QUALITY, IMPLEMENTATION, 'implementer', SECURITY].sort());
    expect(new Set(Object.values(play.state.resume).map(({ session }) => session?.id)).size).toBe(4);
  });

  test('the first review stores session, prompt length, iteration and snapshot [REUSE-I6/created] [REUSE-I6/agent-id] [REUSE-I6/iteration1-prompt-length] [REUSE-I6/last-iteration] [REUSE-I6/last-commit-sha] [REUSE-I6/created-sha] [REUSE-R1.3/session-stored]', () => {
    const play = new Player(phaseSetup('implement')).snapshot();
    const session = sessionAs('q', { firstPromptLength: 4321 });
    play.answer(QUALITY, pass, { session });
    expect(play.state.resume[QUALITY]).toEqual({
      session: { ...session, saw: 'tree1' },
      lastIteration: 1,
    });
  });

  test('a resumed review keeps the prompt length and updates the rest [REUSE-I6/updated] [REUSE-TD2/implement/sha-updated] [REUSE-TD4/replaced-by-fresh-only]', () => {
    const play = implement([[fail, pass, pass]]);
    const { firstPromptLength } = play.state.resume[IMPLEMENTATION]?.session ?? {};
    play.answer(IMPLEMENTATION, pass);
    expect(play.state.resume[IMPLEMENTATION]).toMatchObject({
      session: { id: 's5', firstPromptLength, saw: 'tree2' },
      lastIteration: 2,
    });
  });

  test('deltas start at the snapshot that the role saw [REUSE-I6/implement-diff] [REUSE-MATRIX/reviewer-failed/delta]', () => {
    const play = implement([
      [fail, fail, pass],
      [fail, pass, null],
      [fail, null, null],
    ]);
    expect(play.asks()[0]?.delta).toEqual({ from: play.entries.at(-1)?.seen.snapshot, to: 'tree4' });
  });
});

describe('preparations', () => {
  const preparations: PhaseSetup['preparations'] = [
    { role: 'code-simplifier', part: null },
    { role: 'test-deepener', part: 'A' },
    { role: 'test-deepener', part: 'B' },
  ];

  test('run the code-simplifier once and the test-deepener twice, always in new sessions [REUSE-R1.7/test-deepener] [REUSE-R1.7/code-simplifier]', () => {
    const play = new Player(phaseSetup('implement', { preparations }));
    for (const { role, part } of preparations) {
      expect(play.asks('prepare')).toMatchObject([{ role, part, session: null }]);
      play.fix(['src/a.ts']);
      const name = part === null ? role : `${role} ${part}`;
      expect(play.actions).toEqual([
        expect.objectContaining({ kind: 'record-preparation', role, part, summary: `fix ${play.content}` }),
        { kind: 'commit', paths: ['src/a.ts'], message: `onceover: implement ${name} (loop-1)` },
      ]);
      play.commit();
    }
    expect(play.actions).toEqual([{ kind: 'take-snapshot' }]);
    expect(play.state.position).toEqual({ at: 'starting' });
    expect(play.state.resume).toEqual({});
  });

  test('commit nothing if nothing changed', () => {
    const play = new Player(phaseSetup('implement', { preparations })).fix([]);
    expect(play.asks('prepare')).toMatchObject([{ role: 'test-deepener', part: 'A' }]);
  });

  test('end the phase before any review if one fails or edits a protected file', () => {
    const failedPlay = new Player(phaseSetup('implement', { preparations })).fail('code-simplifier', broken);
    expect(failedPlay.end).toMatchObject({ status: 'error', why: 'preparation-failed', failure: broken });
    expect(failedPlay.actions[0]).toMatchObject({
      kind: 'record-preparation',
      summary: null,
      call: { spent: { asks: 1 } },
    });
    const editPlay = new Player(phaseSetup('implement', { preparations })).fix(['onceover.yml']);
    expect(editPlay.end).toMatchObject({ status: 'error', why: 'forbidden-edit', paths: ['onceover.yml'] });
  });

  test('do not run in document phases', () => {
    expect(new Player(phaseSetup('specify', { preparations })).actions).toMatchObject([{ kind: 'take-snapshot' }]);
  });
});
