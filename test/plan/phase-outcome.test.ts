import { describe, expect, test } from 'vitest';
import type { AgentFailure } from '../../src/domain/agent.ts';
import type { LedgerLoop } from '../../src/domain/ledger.ts';
import type { Resuming } from '../../src/domain/meta.ts';
import type { PhaseEndReason, PhaseMark, PhaseStatus, RoleIssue } from '../../src/domain/phase.ts';
import type { PhaseRun } from '../../src/domain/phase-run.ts';
import type { PhaseState } from '../../src/domain/phase-step.ts';
import {
  type DispatchFigures,
  ledgerEntries,
  metaUpdate,
  phaseOutcome,
  preparationEntry,
} from '../../src/plan/phase-outcome.ts';
import { startPhase } from '../../src/plan/phase-step.ts';
import { phaseEnd as judgedEnd } from '../../src/plan/phase-verdict.ts';
import { phaseSetup } from '../support/phase/player.ts';
import {
  answerWith,
  fixBy,
  found,
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

const AT = '2026-03-01T12:00:00.000Z';
const FIGURES: DispatchFigures = { at: AT, durationMs: 7, model: 'opus', startedBy: 'person', branch: 'work' };
const figures = () => FIGURES;

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

describe('the ledger', () => {
  const USAGE = used(100);
  const brief = ({ role, agent, template, why, status, dispatch, asks }: LedgerLoop) =>
    [role, agent, template, why, status, dispatch, asks].join(' ');

  test('has an entry for each look, with what it sent, used, and how it ended', () => {
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

  test('tells a look that does not pass, one that was resumed, and one that gave no verdict', () => {
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

  test('an approval with a blocker is no pass there either', () => {
    const answer = answerWith([issue()], { approved: true });
    const { entry } = playedRound({ looks: [look({ answer, reviewerApproved: true, enginePass: false })] });
    expect(ledgerEntries(phaseRun(), { entry, fix: null }, figures)).toMatchObject([{ status: 'fail' }]);
  });

  test('has none for whoever was never asked', () => {
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
    ['no reads', { kind: 'lazy-load-warning', role: 'spec-reviewer' }, { warned: true }],
  ])('marks of a look: %s', (_title, mark, expected) => {
    const none = { fellBack: false, guarded: false, warned: false };
    const other = look({ role: 'phase-reviewer' });
    const { entry } = playedRound({ looks: [look(), other], marks: [mark] });
    expect(ledgerEntries(phaseRun(), { entry, fix: null }, figures)).toMatchObject([{ ...none, ...expected }, none]);
  });

  test('a resume that failed, and then nobody answered: that is told of its role alone', () => {
    const because: AgentFailure = { kind: 'no-tokens' };
    const marks = [{ kind: 'resume-fallback', role: 'spec-reviewer', iteration: 2, because }] as const;
    const { entry } = playedRound({ looks: [], errors: [lookError(), lookError({ role: 'phase-reviewer' })], marks });
    const entries = ledgerEntries(phaseRun(), { entry, fix: null }, figures);
    expect(entries.map(({ fellBack }) => fellBack)).toEqual([true, false]);
  });

  test('of a fix has the fix alone, as done or failed', () => {
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
    const failed = { ...fix, summary: null };
    expect(ledgerEntries(phaseRun(), { entry, fix: failed }, figures)).toMatchObject([{ status: 'error' }]);
  });

  test('has none of a fix by whoever called', () => {
    expect(ledgerEntries(phaseRun(), { entry: playedRound().entry, fix: fixBy(null) }, figures)).toEqual([]);
  });

  test('has what goes before the reviews, which has a prompt of its own', () => {
    const one = {
      role: 'test-deepener',
      agent: 'fay',
      status: 'error',
      asks: 2,
      usage: USAGE,
      promptChars: 30,
    } as const;
    expect(preparationEntry(phaseRun({ phase: 'implement' }), { ...FIGURES, ...one })).toMatchObject({
      ...{ kind: 'loop', ...FIGURES, ...one, run: 'loop-1', phase: 'implement', stage: 'implement', iteration: 0 },
      ...{ template: null, dispatch: 'fresh', promptChars: 30, freshChars: 30 },
    });
  });
});

describe('.meta.json', () => {
  const NOW = new Date('2026-03-01T18:00:00.000Z');
  const tell = ({ role, issue: one }: RoleIssue) => `${role}: ${one.description}`;
  const meta = (run: PhaseRun, state: PhaseState, resuming: Resuming = { kind: 'unknown' }) =>
    metaUpdate(run, state, { now: NOW, resuming, tell });
  const at = (minute: number) => `2026-03-01T12:0${minute}:00.000Z`;

  test('of an approved phase: completed, each loop with its rounds', () => {
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
          started: new Date(at(1)),
          completed: new Date(at(2)),
          iterations: 2,
          approved: true,
          notes: [],
        },
        {
          stage: 'phase',
          started: new Date(at(3)),
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
});
