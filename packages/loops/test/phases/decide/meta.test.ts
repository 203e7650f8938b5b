import { phaseSetup } from '@onceover/testing/phase/player.ts';
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
} from '@onceover/testing/phase/samples.ts';
import { describe, expect, test } from 'vitest';
import { beginPhase } from '../../../src/phases/decide/machine.ts';
import { metaUpdate } from '../../../src/phases/decide/outcome.ts';
import type { PhaseState } from '../../../src/phases/state.ts';
import type { PhaseEndReason, PhaseRun, Resuming, RoleIssue } from '../../../src/phases/types.ts';

/** A specify phase at some point. */
function stateAt(position: PhaseState['position']): PhaseState {
  return { ...beginPhase(phaseSetup('specify')).state, position };
}

const ended = (why: PhaseEndReason, fields = {}) => stateAt({ at: 'ended', end: phaseEnd(why, fields) });

describe('.meta.json', () => {
  const NOW = new Date('2026-03-01T18:00:00.000Z');
  const tell = ({ role, issue: finding }: RoleIssue) => `${role}: ${finding.description}`;
  const meta = (run: PhaseRun, state: PhaseState, resuming: Resuming = { kind: 'unknown' }) =>
    metaUpdate(run, state, { now: NOW, resuming, describe: tell });
  const at = (minute: number) => `2026-03-01T12:0${minute}:00.000Z`;

  test('of an approved phase: completed, each loop with its rounds and its start', () => {
    const run = phaseRun({
      rounds: [
        { ...playedRound({ looks: [found([issue()])] }), at: at(1) },
        { ...playedRound({ iteration: 2, round: 2 }), at: at(2) },
        { ...playedRound({ stage: 'phase', round: 3, looks: [look({ role: 'phase-reviewer' })] }), at: at(3) },
      ],
    });
    expect(meta(run, ended('approved'))).toEqual({
      phase: 'specify',
      started: run.startedAt,
      completed: NOW.toISOString(),
      loops: [
        {
          stage: 'domain',
          started: run.startedAt,
          completed: at(2),
          iterations: 2,
          approved: true,
          reviewerNotes: [],
        },
        {
          stage: 'phase',
          started: at(2),
          completed: at(3),
          iterations: 1,
          approved: true,
          reviewerNotes: [],
        },
      ],
      reviewerNotes: [],
      resuming: { kind: 'unknown' },
    });
  });

  test('at the cap: not completed, and open issues are noted with their loop', () => {
    const run = phaseRun({
      rounds: [
        playedRound({ looks: [found([issue()])] }),
        playedRound({ stage: 'phase', round: 2, looks: [look({ role: 'phase-reviewer' })] }),
      ],
    });
    const update = meta(run, ended('cap', { open: [open('spec-reviewer')] }));
    expect(update).toMatchObject({
      completed: null,
      reviewerNotes: ['spec-reviewer: It cannot be tested.'],
      loops: [
        { stage: 'domain', approved: false, completed: null, reviewerNotes: ['spec-reviewer: It cannot be tested.'] },
        { stage: 'phase', approved: true, reviewerNotes: [] },
      ],
    });
  });

  test('accepted with notes: completed, with the notes', () => {
    const run = phaseRun({ rounds: [playedRound({ looks: [found([issue()])] })] });
    const update = meta(run, ended('accepted-with-notes', { open: [open('spec-reviewer')] }));
    expect(update).toMatchObject({
      completed: NOW.toISOString(),
      loops: [{ approved: false }],
      reviewerNotes: [expect.any(String)],
    });
  });

  test.each<[string, PhaseState]>([
    ['the phase waits', stateAt({ at: 'waiting', issues: [open('spec-reviewer')] })],
    ['the phase continues', stateAt({ at: 'starting' })],
    ['the phase was interrupted', ended('interrupted')],
    ['a person edited the document', ended('disturbed')],
  ])('%s: nothing is completed', (_title, state) => {
    expect(meta(phaseRun(), state).completed).toBeNull();
  });

  test('a round with a missing verdict approves nothing', () => {
    const run = phaseRun({ rounds: [playedRound({ looks: [look()], errors: [lookError()] })] });
    expect(meta(run, ended('reviewer-failed')).loops).toMatchObject([{ approved: false, completed: null }]);
  });

  test('keeps the notes of earlier rounds after a missing verdict', () => {
    const run = phaseRun({
      rounds: [playedRound({ looks: [found([issue()])] }), playedRound({ round: 2, looks: [], errors: [lookError()] })],
    });
    const update = meta(run, ended('interrupted', { open: [open('spec-reviewer')] }));
    expect(update.loops).toMatchObject([{ stage: 'domain', reviewerNotes: ['spec-reviewer: It cannot be tested.'] }]);
  });

  test('code has one loop; final validation counts as the iteration that it confirms', () => {
    expect(meta(implementRun(), ended('approved')).loops).toMatchObject([{ stage: 'implement', iterations: 2 }]);
  });

  test('has no loops before the first round', () => {
    expect(meta(phaseRun({ rounds: [] }), ended('trouble')).loops).toEqual([]);
  });

  test('has the reason why sessions are not resumed', () => {
    const resuming: Resuming = { kind: 'deferred', why: 'V2: no answer' };
    expect(meta(phaseRun(), ended('approved'), resuming).resuming).toEqual(resuming);
  });

  test.each<[string, PhaseState]>([
    ['the document was not checked again yet', stateAt({ at: 'confirming' })],
    ['the document had changed at that check', ended('disturbed')],
    ['the document was missing at that check', ended('artifact-missing')],
    ['the phase stopped before that check', ended('interrupted')],
  ])('does not approve a loop in which all passed, and %s', (_title, state) => {
    const run = phaseRun({ rounds: [playedRound({ looks: [look()] })] });
    expect(meta(run, state).loops).toMatchObject([{ stage: 'domain', approved: false, completed: null }]);
  });

  test('keeps a finished loop approved, whatever happens next', () => {
    const run = phaseRun({ rounds: [{ ...playedRound({ looks: [look()] }), at: at(1) }] });
    const state: PhaseState = { ...ended('interrupted'), stage: 'phase' };
    expect(meta(run, state).loops).toMatchObject([{ stage: 'domain', approved: true, completed: at(1) }]);
  });
});
