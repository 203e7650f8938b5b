import { lookError, open, phaseEnd, phaseOutcome, phaseRun, playedRound } from '@onceover/testing/phase/samples.ts';
import { describe, expect, test } from 'vitest';
import { describeStartedPhase, startedPhaseDocument } from '../../../src/phases/describe/background.ts';
import { phaseDocument } from '../../../src/phases/json.ts';
import { startedPhaseSchema } from '../../../src/phases/json-schema.ts';

type Started = Parameters<typeof startedPhaseDocument>[0];

const ONE = [open('spec-reviewer', { category: 'clarity', suggestion: 'Say how.' })];
const answer = phaseDocument(phaseOutcome({ end: null, open: ONE, exitCode: 1 }));
const started = (differs: Partial<Started>) =>
  startedPhaseDocument({ id: 'phase-1-abc', state: 'waiting', progress: [], answer, ...differs });
const told = (differs: Partial<Started>) => describeStartedPhase(started(differs));

describe('a started loop, for the agent that runs it', () => {
  test('shows the progress while the round runs', () => {
    expect(told({ state: 'running', progress: ['a', 'b'], answer: null })).toBe(
      'Loop phase-1-abc: the round is running.\n\na\nb\n\nCall continue_phase with loop_id "phase-1-abc" and no summary to wait for the end of the round.',
    );
    expect(told({ state: 'running', answer: null })).toMatch(/^Loop phase-1-abc: the round is running\.\n\nCall /);
  });

  test('lists the open issues and the next step while it waits', () => {
    expect(told({})).toBe(`Not yet approved: specify of docs/f

Open: 1 blocker
  blocker  spec-reviewer, clarity
    It cannot be tested.
    Suggestion: Say how.

Fix the open issues, then call continue_phase with loop_id "phase-1-abc" and a summary of your changes. If an issue is wrong, leave the work as it is and say why in the summary; the reviewer decides.`);
  });

  test('lists at most fifty issues', () => {
    const many = Array.from({ length: 5000 }, () => open('spec-reviewer'));
    const text = told({ answer: phaseDocument(phaseOutcome({ end: null, open: many, exitCode: 1 })) });
    expect(text).toContain('… and 4950 more: see open_issues.');
    expect(text.length).toBeLessThan(5000);
  });

  test.each([
    [
      'approved',
      [],
      /^Approved: specify of docs\/f \(approved\)\n\nThe phase is approved\. There is nothing left to do\.$/,
    ],
    [
      'cap',
      ONE,
      /^Not approved after the last iteration: .*\n\nOpen: 1 blocker\n.*call continue_phase with loop_id "phase-1-abc" and accept_with_notes: true\.$/s,
    ],
    [
      'accepted-with-notes',
      ONE,
      /^Not approved after the last iteration: specify of docs\/f \(accepted-with-notes\).*There is nothing left to do\.$/s,
    ],
    [
      'fixer-failed',
      ONE,
      /\n\nCheck the edits of the fixer with "git diff", then start a new loop with start_phase\.$/,
    ],
    ['stalled', ONE, /^Stalled, not approved: .*After they are fixed, start a new loop with start_phase\.$/s],
    [
      'disturbed',
      [],
      /^Could not judge: .*\n\nWait until no one else edits the files, then call .* to run the round again\.$/s,
    ],
    ['budget', ONE, /\n\nRaise "budget" in onceover\.yml, then call .* to run the round again\.$/s],
    ['artifact-empty', [], /\n\nRestore the content of the document \(.*\), then call .* to run the round again\.$/s],
    ['trouble', [], /\n\nFix the error, then call .* to run the round again\.$/s],
  ] as const)('ended: %s', (why, issues, expected) => {
    const document = phaseDocument(
      phaseOutcome({ end: phaseEnd(why), open: issues, exitCode: issues.length === 0 ? 0 : 1 }),
    );
    expect(told({ state: 'ended', answer: document })).toMatch(expected);
  });

  test('names a reviewer without a verdict, with the reason', () => {
    const run = phaseRun({ rounds: [playedRound({ looks: [], errors: [lookError()] })] });
    const document = phaseDocument(phaseOutcome({ run, end: phaseEnd('reviewer-failed'), exitCode: 3 }));
    expect(told({ state: 'ended', answer: document })).toContain(
      '\n\nspec-reviewer gave no verdict: claude did not finish within 7 seconds\n\n',
    );
  });

  test('gives the error and the next step if the round could not run', () => {
    const error = { kind: 'lock-held', message: 'Another run is going on.', next: 'Wait.' };
    const text = told({ state: 'died', answer: { error } });
    expect(text).toMatch(/^The round could not run\.\nAnother run is going on\.\n\nWait\. Then call continue_phase/);
    expect(started({ state: 'died', answer: { error } })).toMatchObject({ state: 'died', phase: null, error });
  });

  test('offers another round if the last one died', () => {
    expect(told({ state: 'died', progress: ['asking'], answer: null })).toMatch(
      /^The round ended without a result\.\n\nasking\n\nCall continue_phase with loop_id "phase-1-abc" and no summary/,
    );
  });

  test.each([{ loop_id: 'x' }, { ...answer, status: 'fine' }, 'nonsense'])(
    'treats an answer that is not a document as no result',
    (odd) => {
      expect(started({ state: 'ended', answer: odd })).toMatchObject({ state: 'died', phase: null });
    },
  );

  // A client may show its model only the structured content.
  test.each<Partial<Started>>([
    { state: 'running', answer: null },
    {},
    { state: 'ended', answer: phaseDocument(phaseOutcome({ end: phaseEnd('cap'), open: ONE, exitCode: 1 })) },
    { state: 'died', answer: null },
    { state: 'died', answer: { error: { kind: 'x', message: 'It failed.', next: 'Wait.' } } },
  ])('the document has the same next step as the text: %j', (differs) => {
    const { next } = started(differs);
    expect(next).toMatch(/^[A-Z].*\.$/);
    expect(told(differs).endsWith(`\n\n${next}`)).toBe(true);
  });

  test('includes the warnings', () => {
    const outcome = phaseOutcome({ notices: [{ kind: 'no-price', agents: ['claude'] }] });
    expect(told({ state: 'ended', answer: phaseDocument(outcome) })).toContain(
      '\n\nWarning: budget.usd does not count',
    );
  });

  test('fits its schema', () => {
    expect(startedPhaseSchema.strict().parse(started({}))).toEqual(started({}));
  });
});
