import { describe, expect, test } from 'vitest';
import type { Resuming } from '../../src/domain/meta.ts';
import type { PhaseEndReason, RoleIssue } from '../../src/domain/phase.ts';
import type { PhaseRun } from '../../src/domain/phase-run.ts';
import type { PhaseState } from '../../src/domain/phase-step.ts';
import { metaUpdate } from '../../src/plan/phase-meta.ts';
import { startPhase } from '../../src/plan/phase-step.ts';
import { phaseSetup } from '../support/phase/player.ts';
import {
  found,
  implementRun,
  issue,
  look,
  lookError,
  open,
  phaseEnd,
  phaseRun,
  playedRound,
} from '../support/phase/samples.ts';

/** Where a specify phase stands. */
function stateAt(position: PhaseState['position']): PhaseState {
  return { ...startPhase(phaseSetup('specify')).state, position };
}

const ended = (why: PhaseEndReason, more = {}) => stateAt({ at: 'ended', end: phaseEnd(why, more) });

describe('.meta.json', () => {
  const NOW = new Date('2026-03-01T18:00:00.000Z');
  const tell = ({ role, issue: one }: RoleIssue) => `${role}: ${one.description}`;
  const meta = (run: PhaseRun, state: PhaseState, resuming: Resuming = { kind: 'unknown' }) =>
    metaUpdate(run, state, { now: NOW, resuming, tell });
  const at = (minute: number) => `2026-03-01T12:0${minute}:00.000Z`;

  test('of an approved phase: completed, each loop with its rounds, from when it began', () => {
    const run = phaseRun({
      rounds: [
        { ...playedRound({ looks: [found([issue()])] }), at: at(1) },
        { ...playedRound({ iteration: 2, round: 2 }), at: at(2) },
        { ...playedRound({ stage: 'phase', round: 3, looks: [look({ role: 'phase-reviewer' })] }), at: at(3) },
      ],
    });
    expect(meta(run, ended('approved'))).toEqual({
      phase: 'specify',
      started: new Date(run.startedAt),
      completed: NOW,
      loops: [
        {
          stage: 'domain',
          started: new Date(run.startedAt),
          completed: new Date(at(2)),
          iterations: 2,
          approved: true,
          notes: [],
        },
        {
          stage: 'phase',
          started: new Date(at(2)),
          completed: new Date(at(3)),
          iterations: 1,
          approved: true,
          notes: [],
        },
      ],
      notes: [],
      resuming: { kind: 'unknown' },
    });
  });

  test('at the cap: not completed, and what is open is noted with its loop', () => {
    const run = phaseRun({
      rounds: [
        playedRound({ looks: [found([issue()])] }),
        playedRound({ stage: 'phase', round: 2, looks: [look({ role: 'phase-reviewer' })] }),
      ],
    });
    const told = meta(run, ended('cap', { open: [open('spec-reviewer')] }));
    expect(told).toMatchObject({
      completed: null,
      notes: ['spec-reviewer: It cannot be tested.'],
      loops: [
        { stage: 'domain', approved: false, completed: null, notes: ['spec-reviewer: It cannot be tested.'] },
        { stage: 'phase', approved: true, notes: [] },
      ],
    });
  });

  test('accepted with notes: completed by the word of whoever called, and the notes stay', () => {
    const run = phaseRun({ rounds: [playedRound({ looks: [found([issue()])] })] });
    const told = meta(run, ended('accepted-with-notes', { open: [open('spec-reviewer')] }));
    expect(told).toMatchObject({ completed: NOW, loops: [{ approved: false }], notes: [expect.any(String)] });
  });

  test.each<[string, PhaseState]>([
    ['it waits', stateAt({ at: 'waiting', issues: [open('spec-reviewer')] })],
    ['it goes on', stateAt({ at: 'starting' })],
    ['it was interrupted', ended('interrupted')],
    ['somebody worked on it', ended('disturbed')],
  ])('%s: nothing is completed', (_title, state) => {
    expect(meta(phaseRun(), state).completed).toBeNull();
  });

  test('a round in which somebody gave no verdict approves nothing', () => {
    const run = phaseRun({ rounds: [playedRound({ looks: [look()], errors: [lookError()] })] });
    expect(meta(run, ended('reviewer-failed')).loops).toMatchObject([{ approved: false, completed: null }]);
  });

  test('what was open before such a round stays noted with its loop', () => {
    const run = phaseRun({
      rounds: [playedRound({ looks: [found([issue()])] }), playedRound({ round: 2, looks: [], errors: [lookError()] })],
    });
    const told = meta(run, ended('interrupted', { open: [open('spec-reviewer')] }));
    expect(told.loops).toMatchObject([{ stage: 'domain', notes: ['spec-reviewer: It cannot be tested.'] }]);
  });

  test('of code there is one loop; final validation counts as the iteration that it confirms', () => {
    expect(meta(implementRun(), ended('approved')).loops).toMatchObject([{ stage: 'implement', iterations: 2 }]);
  });

  test('before the first round there is nothing to tell of loops', () => {
    expect(meta(phaseRun({ rounds: [] }), ended('trouble')).loops).toEqual([]);
  });

  test('why nothing is resumed is told where that is known', () => {
    const resuming: Resuming = { kind: 'deferred', why: 'V2: no answer' };
    expect(meta(phaseRun(), ended('approved'), resuming).resuming).toEqual(resuming);
  });

  test.each<[string, PhaseState]>([
    ['nobody has seen yet that it is still there', stateAt({ at: 'confirming' })],
    ['it was another one when that was looked at', ended('disturbed')],
    ['it was gone then', ended('artifact-missing')],
    ['somebody stopped before that', ended('interrupted')],
  ])('everybody passed, and %s: the loop is not approved', (_title, state) => {
    const run = phaseRun({ rounds: [playedRound({ looks: [look()] })] });
    expect(meta(run, state).loops).toMatchObject([{ stage: 'domain', approved: false, completed: null }]);
  });

  test('a loop that the phase went on from is approved, whatever becomes of the next', () => {
    const run = phaseRun({ rounds: [{ ...playedRound({ looks: [look()] }), at: at(1) }] });
    const state: PhaseState = { ...ended('interrupted'), stage: 'phase' };
    expect(meta(run, state).loops).toMatchObject([{ stage: 'domain', approved: true, completed: new Date(at(1)) }]);
  });
});
