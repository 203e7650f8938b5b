import { describe, expect, test } from 'vitest';
import { phaseDocument } from '../../src/report/phase-document.ts';
import { startedPhaseSchema } from '../../src/report/phase-schema.ts';
import { startedPhaseDocument } from '../../src/report/started-phase-document.ts';
import { tellStartedPhase } from '../../src/text/started-phase.ts';
import { lookError, open, phaseEnd, phaseOutcome, phaseRun, playedRound } from '../support/phase/samples.ts';

type Started = Parameters<typeof startedPhaseDocument>[0];

const ONE = [open('spec-reviewer', { category: 'clarity', suggestion: 'Say how.' })];
const answer = phaseDocument(phaseOutcome({ end: null, open: ONE, exitCode: 1 }));
const started = (differs: Partial<Started>) =>
  startedPhaseDocument({ id: 'phase-1-abc', state: 'waiting', progress: [], answer, ...differs });
const told = (differs: Partial<Started>) => tellStartedPhase(started(differs));

describe('a loop that was started, for the agent that plays it', () => {
  test('in a round', () => {
    expect(told({ state: 'running', progress: ['a', 'b'], answer: null })).toBe(
      'Loop phase-1-abc is in a round.\n\na\nb\n\nCall continue_phase with loop_id "phase-1-abc" and without a summary: it waits for the end of the round.',
    );
    expect(told({ state: 'running', answer: null })).toMatch(/^Loop phase-1-abc is in a round\.\n\nCall /);
  });

  test('waiting: what is open, and how to go on', () => {
    expect(told({})).toBe(`Not yet approved: specify of docs/f

blocker (spec-reviewer, clarity)
  It cannot be tested.
  suggestion: Say how.

Mend what is open, then call continue_phase with loop_id "phase-1-abc" and a summary of what you did. What is wrong or must stay: say why in the summary; the reviewer decides.`);
  });

  test('of very many issues, the first fifty', () => {
    const many = Array.from({ length: 5000 }, () => open('spec-reviewer'));
    const text = told({ answer: phaseDocument(phaseOutcome({ end: null, open: many, exitCode: 1 })) });
    expect(text).toContain('… and 4950 more: see open_issues.');
    expect(text.length).toBeLessThan(5000);
  });

  test.each([
    [
      'approved',
      [],
      /^Approved: specify of docs\/f \(approved\)\n\nIt is approved: nothing is left to do in this phase\.$/,
    ],
    ['cap', ONE, /^Not approved after the last iteration: .*\n\nblocker .*--accept-with-notes"\)\.$/s],
    ['accepted-with-notes', ONE, /^Not approved after the last iteration: specify of docs\/f \(accepted-with-notes\)/],
    ['stalled', ONE, /^Stalled, not approved: .*start_phase begins anew once it is mended\.$/s],
    [
      'disturbed',
      [],
      /^Could not judge: .*\n\nWait until nobody works on it, then call .* to play the round again\.$/s,
    ],
    ['budget', ONE, /\n\nThe budget is used up: have the person raise .* to play the round again\.$/s],
    ['artifact-empty', [], /\n\nBring back what was in the document, then call .* to play the round again\.$/s],
    ['trouble', [], /\n\nPut right what kept it from a verdict, then call .* to play the round again\.$/s],
  ] as const)('ended: %s', (why, issues, expected) => {
    const ended = phaseDocument(
      phaseOutcome({ end: phaseEnd(why), open: issues, exitCode: issues.length === 0 ? 0 : 1 }),
    );
    expect(told({ state: 'ended', answer: ended })).toMatch(expected);
  });

  test('who gave no verdict, and why', () => {
    const run = phaseRun({ rounds: [playedRound({ looks: [], errors: [lookError()] })] });
    const ended = phaseDocument(phaseOutcome({ run, end: phaseEnd('reviewer-failed'), exitCode: 3 }));
    expect(told({ state: 'ended', answer: ended })).toContain(
      '\n\nspec-reviewer gave no verdict: claude did not finish within 7 seconds\n\n',
    );
  });

  test('a round that could not be played: why, and what to do', () => {
    const error = { kind: 'lock-held', message: 'Another run is going on.', next: 'Wait.' };
    const text = told({ state: 'died', answer: { error } });
    expect(text).toMatch(
      /^The round could not be played\.\nAnother run is going on\.\n\nWait\. Then call continue_phase/,
    );
    expect(started({ state: 'died', answer: { error } })).toMatchObject({ state: 'died', phase: null, error });
  });

  test('a round that died', () => {
    expect(told({ state: 'died', progress: ['asking'], answer: null })).toMatch(
      /^The round ended without a result\.\n\nasking\n\nCall continue_phase with loop_id "phase-1-abc" and without a summary/,
    );
  });

  test.each([{ loop_id: 'x' }, { ...answer, status: 'fine' }, 'nonsense'])(
    'an answer that is no document counts as none',
    (odd) => {
      expect(started({ state: 'ended', answer: odd })).toMatchObject({ state: 'died', phase: null });
    },
  );

  // A client may show its model the structured content alone.
  test.each<Partial<Started>>([
    { state: 'running', answer: null },
    {},
    { state: 'ended', answer: phaseDocument(phaseOutcome({ end: phaseEnd('cap'), open: ONE, exitCode: 1 })) },
    { state: 'died', answer: null },
    { state: 'died', answer: { error: { kind: 'x', message: 'It failed.', next: 'Wait.' } } },
  ])('what to do now is in the document as in the text: %j', (differs) => {
    const { next } = started(differs);
    expect(next).toMatch(/^[A-Z].*\.$/);
    expect(told(differs).endsWith(`\n\n${next}`)).toBe(true);
  });

  test('what to know beside the result is told too', () => {
    const outcome = phaseOutcome({ notices: [{ kind: 'no-price', agents: ['claude'] }] });
    expect(told({ state: 'ended', answer: phaseDocument(outcome) })).toContain('\n\nWarning: budget.usd counts only');
  });

  test('fits its schema', () => {
    expect(startedPhaseSchema.strict().parse(started({}))).toEqual(started({}));
  });
});
