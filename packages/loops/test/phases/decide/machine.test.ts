import type { DocumentPhase, ReviewerRole } from '@onceover/base/kernel/review-loops';
import { ARTIFACT, blocker, broken, fail, Player, pass, phaseSetup } from '@onceover/testing/phase/player.ts';
import { describe, expect, test } from 'vitest';
import { beginPhase, checkpoint, resumePhase } from '../../../src/phases/decide/machine.ts';
import type { LoopAnswer, PhaseSetup } from '../../../src/phases/types.ts';

const SPEC = 'spec-reviewer';
const PHASE = 'phase-reviewer';

/** Plays these answers, first of the domain reviewer, then of the phase-reviewer. */
function specify(spec: readonly LoopAnswer[], phase: readonly LoopAnswer[] = [], fields: Partial<PhaseSetup> = {}) {
  const play = new Player(phaseSetup('specify', fields));
  for (const answer of spec) play.round({ [SPEC]: answer });
  for (const answer of phase) play.round({ [PHASE]: answer });
  return play.untilReview();
}

const times = (n: number, answer: LoopAnswer) => Array.from({ length: n }, () => answer);

describe('the loops of a document phase', () => {
  test.each<[string, DocumentPhase, ReviewerRole]>([
    ['REUSE-R1.1/specify', 'specify', 'spec-reviewer'],
    ['REUSE-R1.1/design', 'design', 'design-reviewer'],
    ['REUSE-R1.1/create-plan', 'create-plan', 'plan-reviewer'],
    ['REUSE-R1.1/create-tasks', 'create-tasks', 'task-reviewer'],
  ])(
    'each reviewer gets one new session, then resumed ones [%s] [REUSE-TEST/resume-pattern-audit] [REUSE-I6/keys-phases]',
    (_id, phase, domain) => {
      const play = new Player(phaseSetup(phase));
      for (const role of [domain, PHASE] as const) play.round({ [role]: fail }).round({ [role]: pass });
      play.untilReview();
      expect(play.told()).toEqual([
        `${domain} I1-R4 1`,
        'implementer I7-fresh 1',
        `${domain} I2 2`,
        `${PHASE} I1-R4 1`,
        'implementer I7-resumed 1',
        `${PHASE} I2 2`,
      ]);
      expect(Object.keys(play.state.resume).sort()).toEqual([domain, PHASE, 'implementer'].sort());
      expect(play.end).toMatchObject({ status: 'approved', why: 'approved', open: [] });
      expect(play.entries.map(({ stage, iteration }) => `${stage} ${iteration}`)).toEqual([
        'domain 1',
        'domain 2',
        'phase 1',
        'phase 2',
      ]);
    },
  );

  test.each<[string, DocumentPhase, ReviewerRole]>([
    ['REUSE-R1.1/specify/spec-reviewer', 'specify', 'spec-reviewer'],
    ['REUSE-R1.1/specify/phase-reviewer', 'specify', 'phase-reviewer'],
    ['REUSE-R1.1/design/design-reviewer', 'design', 'design-reviewer'],
    ['REUSE-R1.1/design/phase-reviewer', 'design', 'phase-reviewer'],
    ['REUSE-R1.1/create-plan/plan-reviewer', 'create-plan', 'plan-reviewer'],
    ['REUSE-R1.1/create-plan/phase-reviewer', 'create-plan', 'phase-reviewer'],
    ['REUSE-R1.1/create-tasks/task-reviewer', 'create-tasks', 'task-reviewer'],
    ['REUSE-R1.1/create-tasks/phase-reviewer', 'create-tasks', 'phase-reviewer'],
  ])('the loop of each reviewer resumes [%s]', (_id, phase, role) => {
    const play = new Player(phaseSetup(phase));
    if (role === PHASE) play.untilReview().answer(play.asks()[0]?.role as ReviewerRole, pass);
    play.round({ [role]: fail }).untilReview();
    expect(play.asks()).toMatchObject([{ role, template: 'I2', session: { agent: 'claude' } }]);
  });

  test('a phase does not reuse sessions of another phase [REUSE-SCOPE/no-cross-phase-reuse]', () => {
    expect(specify([pass], [pass]).state.resume[PHASE]).toBeDefined();
    const { state } = beginPhase(phaseSetup('design'));
    expect(state.resume).toEqual({});
  });

  test.each<[string, LoopAnswer, boolean]>([
    ['approved without issues', pass, true],
    ['approved with suggestions', { ...pass, issues: [{ ...blocker, severity: 'suggestion' }] }, true],
    ['approved with a warning', { ...pass, issues: [{ ...blocker, severity: 'warning' }] }, false],
    ['approved with a blocker', { ...pass, issues: [blocker] }, false],
    ['rejected', fail, false],
    ['rejected without issues', { ...fail, issues: [] }, false],
    ['rejected with suggestions only', { ...fail, issues: [{ ...blocker, severity: 'suggestion' }] }, false],
  ])(
    '%s: the engine computes the verdict in new and resumed sessions alike [REUSE-R1/AC-same-verdicts] [REUSE-BEHAVIOUR/same-verdicts] [REUSE-C/no-regression] [REUSE-BEHAVIOUR/same-thresholds] [REUSE-FLOW/verdict-parsed]',
    (_title, answer, passes) => {
      const fresh = specify([answer]);
      const resumedPlay = specify([fail, answer]);
      for (const play of [fresh, resumedPlay]) {
        expect(play.entries.at(-1)?.looks).toMatchObject([{ enginePass: passes, answer }]);
        expect(play.asks().map(({ role }) => role)).toEqual([passes ? PHASE : SPEC]);
      }
    },
  );

  test('a rejection without issues becomes an issue to fix', () => {
    const play = specify([]).answer(SPEC, { approved: false, issues: [], summary: 'unclear throughout' });
    expect(play.asks('fix')[0]?.issues).toEqual([
      { role: SPEC, issue: { severity: 'blocker', description: 'unclear throughout' } },
    ]);
  });

  test('keeps five thousand issues', () => {
    const play = specify([]).answer(SPEC, { ...fail, issues: Array.from({ length: 5000 }, () => blocker) });
    expect(play.asks('fix')[0]?.issues).toHaveLength(5000);
  });
});

describe('the cap', () => {
  test('runs the phase-reviewer after five failed domain reviews without a last fix, then ends at the cap', () => {
    const play = specify(times(5, fail));
    expect(play.told().filter((call) => call.startsWith('implementer'))).toHaveLength(4);
    expect(play.asks()).toMatchObject([
      { role: PHASE, iteration: 1, domainOutcome: { result: 'failed', iteration: 5, most: 5, unresolved: [blocker] } },
    ]);
    play.answer(PHASE, pass).untilReview();
    expect(play.end).toMatchObject({ status: 'cap', why: 'cap', open: [{ role: SPEC, issue: blocker }] });
  });

  test('ends at the cap after five phase reviews', () => {
    const play = specify([pass], times(5, fail));
    expect(play.told().filter((call) => call.startsWith(PHASE))).toHaveLength(5);
    expect(play.end).toMatchObject({ status: 'cap', open: [{ role: PHASE, issue: blocker }] });
    expect(play.asks('fix')).toEqual([]);
  });

  test('a pass in the fifth review passes', () => {
    expect(specify([...times(4, fail), pass], [...times(4, fail), pass]).end).toMatchObject({ status: 'approved' });
  });

  test.each<[number, number]>([
    [2, 2],
    [1, 1],
    [0, 1],
    [99, 5],
    [Number.NaN, 5],
  ])('--max-iterations %i: %i', (mostIterations, expected) => {
    const play = specify(times(expected, fail), [], { mostIterations });
    expect(play.asks()).toMatchObject([{ role: PHASE, most: expected }]);
  });

  test.each<[string, readonly LoopAnswer[], readonly LoopAnswer[]]>([
    ['the domain loop', times(5, fail), [pass]],
    ['the phase loop', [pass], times(5, fail)],
  ])('--accept-with-notes accepts open issues only at the cap: %s', (_title, spec, phase) => {
    const { end } = specify(spec, phase, { acceptWithNotes: true });
    expect(end).toMatchObject({ status: 'approved', why: 'accepted-with-notes', open: [{ issue: blocker }] });
  });

  test('--accept-with-notes accepts nothing else', () => {
    const play = specify([], [], { acceptWithNotes: true }).fail(SPEC, broken);
    expect(play.end).toMatchObject({ status: 'error', why: 'reviewer-failed' });
  });
});

describe('recheck_domain', () => {
  const recheck = { recheckDomain: true };

  test('shows the domain reviewer the changes of the phase loop without counting the review', () => {
    const play = specify([pass], [fail, pass], recheck);
    expect(play.asks()).toMatchObject([{ role: SPEC, template: 'I2-FV', isFinalValidation: true, iteration: 1 }]);
    play.answer(SPEC, pass).untilReview();
    expect(play.end).toMatchObject({ status: 'approved' });
  });

  test('skips the domain reviewer if nothing changed, and without the setting', () => {
    expect(specify([pass], [pass], recheck).end).toMatchObject({ status: 'approved' });
    expect(specify([pass], [fail, pass]).end).toMatchObject({ status: 'approved' });
  });

  test('fixes and counts its findings, and runs the phase-reviewer again', () => {
    const play = specify([pass], [fail, pass], recheck)
      .answer(SPEC, fail)
      .round({ [SPEC]: pass })
      .untilReview();
    expect(play.asks()).toMatchObject([{ role: PHASE, template: 'I2', iteration: 3 }]);
    play.answer(PHASE, pass).untilReview();
    expect(play.end).toMatchObject({ status: 'approved' });
    expect(play.told().slice(-4)).toEqual([
      `${SPEC} I2-FV 1 FV`,
      'implementer I7-resumed 1',
      `${SPEC} I2 2`,
      `${PHASE} I2 3`,
    ]);
  });

  test('ends at the cap if the phase-reviewer has no iteration left', () => {
    const play = specify([pass], [...times(4, fail), pass], recheck)
      .answer(SPEC, fail)
      .round({ [SPEC]: pass });
    expect(play.untilReview().end).toMatchObject({ status: 'cap' });
  });

  test('ends at the cap if the domain reviewer has no iteration left', () => {
    const play = specify([...times(4, fail), pass], [fail, pass], recheck).answer(SPEC, fail);
    expect(play.end).toMatchObject({ status: 'cap', open: [{ role: SPEC }] });
  });
});

describe('fixes', () => {
  test('commits only the changed document, with phase and iteration [REUSE-TD2/phase/commit] [REUSE-TD2/commit-message]', () => {
    const play = specify([]).answer(SPEC, fail).fix();
    expect(play.actions).toMatchObject([
      { kind: 'record-fix', round: 1, summary: 'fix 2' },
      { kind: 'commit', paths: [ARTIFACT], message: 'onceover: specify review iteration 1 (spec-reviewer, loop-1)' },
    ]);
  });

  test('no two commits have the same message, and each names its loop', () => {
    const messages = [...'ab'].flatMap((id) => {
      const play = specify([fail, pass], [fail, pass], { loop: `loop-${id}`, recheckDomain: true });
      return play.all.flatMap((action) => (action.kind === 'commit' ? [action.message] : []));
    });
    expect(messages).toEqual(
      ['loop-a', 'loop-b'].flatMap((loop) => [
        `onceover: specify review iteration 1 (spec-reviewer, ${loop})`,
        `onceover: specify review iteration 1 (phase-reviewer, ${loop})`,
      ]),
    );
  });

  test('--no-commit commits nothing, and deltas still work [REUSE-R1.2a/captured-before]', () => {
    const play = specify([fail], [], { commits: false });
    expect(play.all.some(({ kind }) => kind === 'commit')).toBe(false);
    expect(play.asks()).toMatchObject([{ template: 'I2', delta: { from: 'tree1', to: 'tree2' } }]);
  });

  test('counts the changes of a fixer that commits by itself', () => {
    const play = specify([])
      .answer(SPEC, fail)
      .fix()
      .send({ kind: 'commit-ended', failed: false })
      .snapshot()
      .measure(SPEC);
    expect(play.asks()).toMatchObject([{ template: 'I2' }]);
  });

  test('reviews again after a fix without changes, and stalls after two in a row', () => {
    const play = specify([]).answer(SPEC, fail).fix([]).snapshot().measure(SPEC).answer(SPEC, fail);
    expect(play.end).toBeNull();
    play.measure('implementer').fix([]).snapshot();
    expect(play.end).toMatchObject({ status: 'stalled', why: 'stalled', open: [{ role: SPEC }] });
    expect(play.entries).toHaveLength(2);
  });

  test('resets the count after a change', () => {
    const play = specify([]).answer(SPEC, fail).fix([]).snapshot().measure(SPEC).answer(SPEC, fail);
    play.measure('implementer').fix().commit().snapshot().measure(SPEC).answer(SPEC, fail);
    play.measure('implementer').fix([]).snapshot();
    expect(play.end).toBeNull();
  });

  test('counts fixes without changes per loop', () => {
    const play = specify([], [], { mostIterations: 2 }).answer(SPEC, fail).fix([]).snapshot().measure(SPEC);
    play.answer(SPEC, fail).snapshot().answer(PHASE, fail).measure('implementer').fix([]).snapshot().measure(PHASE);
    expect(play.asks()).toMatchObject([{ role: PHASE, template: 'I1-R4', why: 'no-changes', iteration: 2 }]);
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ['settings', ['onceover.yml'], ['onceover.yml']],
    ['code, in a document phase', [ARTIFACT, 'src/a.ts'], ['src/a.ts']],
  ])('ends the phase without a commit if the fixer edits a protected file: %s', (_title, edits, paths) => {
    const play = specify([]).answer(SPEC, fail).fix(edits);
    expect(play.end).toMatchObject({ status: 'error', why: 'forbidden-edit', paths });
    expect(play.actions.map(({ kind }) => kind)).toEqual(['record-fix', 'end']);
  });

  test.each(['missing', 'empty'] as const)('an artifact that is %s after the fix', (artifact) => {
    const play = specify([]).answer(SPEC, fail).fix().commit().snapshot(artifact);
    expect(play.end).toMatchObject({ status: 'error', why: `artifact-${artifact}` });
  });

  test('does not approve an artifact that is deleted during the last review', () => {
    const play = specify([pass]).answer(PHASE, pass).snapshot('missing');
    expect(play.end).toMatchObject({ status: 'error', why: 'artifact-missing' });
  });

  test('keeps the issues open if the fixer fails', () => {
    const play = specify([]).answer(SPEC, fail).fail('implementer', broken);
    expect(play.end).toMatchObject({ status: 'needs_work', why: 'fixer-failed', failure: broken });
    expect(play.actions.map(({ kind }) => kind)).toEqual(['record-fix', 'end']);
  });

  test('ends after one review without a fixer', () => {
    expect(specify([], [], { fixing: 'nobody' }).answer(SPEC, fail).end).toMatchObject({
      status: 'needs_work',
      why: 'not-fixed',
      open: [{ role: SPEC, issue: blocker }],
    });
  });
});

describe('edits during a review', () => {
  test('an approval of outdated content does not count: the reviewer runs again', () => {
    const play = specify([pass]).answer(PHASE, pass);
    play.content += 1;
    play.snapshot().measure(PHASE);
    expect(play.asks()).toMatchObject([{ role: PHASE, template: 'I2', iteration: 2 }]);
    play.answer(PHASE, pass).snapshot();
    expect(play.end).toMatchObject({ status: 'approved' });
  });

  test('ends without a verdict if no iteration is left', () => {
    const play = specify([pass], times(4, fail)).answer(PHASE, pass);
    play.content += 1;
    expect(play.snapshot().end).toMatchObject({ status: 'error', why: 'disturbed' });
  });
});

describe('stops', () => {
  test('records the interrupted round and approves nothing', () => {
    const play = specify([]).send({ kind: 'stop', why: 'interrupted' });
    expect(play.entries).toMatchObject([{ errors: [{ role: SPEC, failure: { kind: 'stopped', by: 'interrupted' } }] }]);
    expect(play.end).toMatchObject({ status: 'error', why: 'interrupted' });
    // Later answers change nothing.
    play.answer(SPEC, pass);
    expect(play.end).toMatchObject({ why: 'interrupted' });
  });

  test.each<[string, readonly LoopAnswer[], string]>([
    ['before any verdict', [], 'error'],
    ['with open issues', [fail], 'needs_work'],
  ])('out of budget, %s', (_title, answers, status) => {
    expect(specify(answers).send({ kind: 'stop', why: 'budget' }).end).toMatchObject({ status, why: 'budget' });
  });

  test('stops during a fix, and while no call is running', () => {
    const fixing = specify([]).answer(SPEC, fail).send({ kind: 'stop', why: 'budget' });
    expect(fixing.actions.map(({ kind }) => kind)).toEqual(['record-fix', 'end']);
    const start = new Player(phaseSetup('specify')).send({ kind: 'stop', why: 'trouble' });
    expect(start.end).toMatchObject({ status: 'error', why: 'trouble' });
  });

  test('throws on an event that does not fit the position', () => {
    expect(() => specify([]).commit()).toThrow('commit-ended');
    expect(() => new Player(phaseSetup('specify')).commit()).toThrow('commit-ended');
    expect(() => specify([]).measure(SPEC)).toThrow('measured');
    expect(() => specify([]).answer(PHASE, pass)).toThrow('answered');
    expect(() => specify([]).fail(PHASE, broken)).toThrow('call-failed');
    expect(() => specify([]).answer(SPEC, fail).snapshot()).toThrow('snapshot-taken');
  });
});

describe('lazy loading', () => {
  test.each<[string, boolean | null, number]>([
    ['it read its required files', true, 0],
    ['it did not read them', false, 1],
    ['it has no required files', null, 0],
  ])('a new session: %s', (_title, readsConfirmed, expected) => {
    const play = specify([]).answer(SPEC, fail, { readsConfirmed });
    expect(play.entries[0]?.marks.filter(({ kind }) => kind === 'lazy-load-warning')).toHaveLength(expected);
    expect(play.end).toBeNull();
  });

  test('no warning in a resumed session', () => {
    const play = specify([fail]).answer(SPEC, fail, { readsConfirmed: false });
    expect(play.entries.at(-1)?.marks).toEqual([]);
  });
});

describe('steps, crashes, reruns', () => {
  const caller: Partial<PhaseSetup> = { fixing: 'caller' };
  const reload = (play: Player) => play.took(resumePhase(JSON.parse(JSON.stringify(checkpoint(play.state)))));

  test('--step waits for the caller; with --no-keep-sessions, position and snapshots outlive the process, sessions do not [REUSE-TD4/not-persisted] [REUSE-I6/in-memory]', () => {
    const play = specify([], [], caller).answer(SPEC, fail);
    expect(play.actions.at(-1)).toMatchObject({ kind: 'wait-for-fix', issues: [{ role: SPEC, issue: blocker }] });
    const checkpointState = checkpoint(play.state);
    expect(JSON.stringify(checkpointState)).not.toContain('"s1"');
    expect(checkpointState.roles[SPEC]?.seen.snapshot).toBe('tree1');
    reload(play).callerFix().commit().snapshot();
    expect(play.asks()).toMatchObject([{ role: SPEC, template: 'I1-R4', why: 'asked-for', iteration: 2 }]);
    expect(play.asks()[0]?.issues).toHaveLength(1);
    expect(play.asks()[0]?.fixes.map(({ summary }) => summary)).toEqual(['mine']);
  });

  test('sessions are stored by default', () => {
    const play = specify([], [], { ...caller, keepSessions: true }).answer(SPEC, fail);
    reload(play).callerFix().commit().snapshot().measure(SPEC);
    expect(play.asks()).toMatchObject([{ template: 'I2', session: { id: 's1' } }]);
  });

  test('a loop that has ended stores no session, because no one resumes it', () => {
    const play = specify([], [], { ...caller, keepSessions: true, mostIterations: 1 });
    expect(checkpoint(play.answer(SPEC, fail).state).resume).not.toEqual({});
    play.snapshot().answer(PHASE, fail);
    expect([play.end?.why, checkpoint(play.state).resume]).toEqual(['cap', {}]);
  });

  test('does not commit other files that the caller changed', () => {
    const play = specify([], [], caller).answer(SPEC, fail).callerFix([ARTIFACT, 'src/a.ts', 'onceover.yml']);
    expect(play.actions.at(-1)).toMatchObject({ kind: 'commit', paths: [ARTIFACT] });
  });

  test('runs a round again under its number, in new sessions, after a crash before the record [REUSE-TD4/crash]', () => {
    const play = specify([fail]);
    expect(play.asks()).toMatchObject([{ iteration: 2, session: { agent: 'claude' } }]);
    reload(play).snapshot();
    expect(play.asks()).toMatchObject([{ iteration: 2, session: null }]);
    play.answer(SPEC, pass);
    expect(play.entries.map(({ round, iteration }) => [round, iteration])).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  test.each<[string, (play: Player) => Player, string]>([
    ['before the first review', (play) => play, 'take-snapshot'],
    ['during the review', (play) => play.snapshot(), 'take-snapshot'],
    ['during the fix', (play) => play.snapshot().answer(SPEC, fail), 'fix'],
    ['before the commit', (play) => play.snapshot().answer(SPEC, fail).fix(), 'commit'],
    ['before the approval is confirmed', (play) => play.snapshot().answer(SPEC, pass), 'take-snapshot'],
    ['after the end', (play) => play.send({ kind: 'stop', why: 'trouble' }), 'end'],
  ])('continues where it was: %s', (_title, to, next) => {
    expect(reload(to(new Player(phaseSetup('specify')))).actions.map(({ kind }) => kind)).toEqual([next]);
  });

  test('throws if the state is not a checkpoint', () => {
    expect(() => resumePhase(specify([]).state)).toThrow('reviewing');
  });

  test('a rerun drops sessions, statuses and counters [REUSE-TD4/rerun]', () => {
    const play = specify([fail, fail]);
    const again = beginPhase(play.state.setup);
    expect(again).toEqual(beginPhase(phaseSetup('specify')));
    expect(again.state).toMatchObject({ resume: {}, roles: {}, fixes: [], counted: { domain: 0 }, round: 0 });
  });
});
