import type { RepoPath } from '@onceover/base/kernel/ids';
import type { LoopDispatchReason } from '@onceover/base/kernel/review-loops';
import { cells } from '@onceover/base/ui/layout';
import { COLOURED, PLAIN } from '@onceover/base/ui/style';
import {
  answerWith,
  feature,
  fixBy,
  found,
  implementRun,
  issue,
  look,
  lookError,
  open,
  phaseEnd,
  phaseOutcome,
  phasePlan,
  phaseRun,
  playedRound,
  spent,
} from '@onceover/testing/phase/samples.ts';
import { usage } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { openIssueDocuments } from '../../../src/phases/describe/issues.ts';
import {
  describePhase,
  describePhaseNotice,
  describePhasePlan,
  describePhaseSoFar,
} from '../../../src/phases/describe/result.ts';
import type { PhaseNotice, PhaseOutcome } from '../../../src/phases/run-types.ts';
import type { PhaseEndReason } from '../../../src/phases/types.ts';

const AGAIN = 'onceover phase specify docs/f';
const told = (outcome: PhaseOutcome, width: number | null = null) =>
  describePhase(outcome, AGAIN, { width, paint: PLAIN });

test('shows every round on a wide terminal', () => {
  const savings = { pass: 0, slot: 0, session: 9_000, prefix: 0, reading: 0 };
  expect(told(phaseOutcome({ run: implementRun(), usage: usage(), saved: savings }))).toBe(`implement of docs/f

test-deepener A: Added tests for empty input. (codex)
Iteration 1 of 5
  implementation-reviewer: approved (claude, new session, prompt of 12.3k characters)
  code-quality-reviewer: 1 blocker, 1 warning, 1 suggestion (claude, new session, prompt of 12.3k characters)
  security-reviewer: approved (codex, new session, prompt of 12.3k characters)
  implementer: Made it testable. (codex, new session, prompt of 4.0k characters)
Iteration 2 of 5
  code-quality-reviewer: approved (claude, resumed session, prompt of 2.0k characters)
  implementation-reviewer: skipped, passed in iteration 1
  security-reviewer: skipped, passed in iteration 1
Final validation
  implementation-reviewer: approved (claude, resumed session, prompt of 1.9k characters)
  code-quality-reviewer: approved (claude, resumed session, prompt of 1.9k characters)
  security-reviewer: approved (claude, resumed session, prompt of 1.9k characters)

Approved: the code of docs/f, by implementation-reviewer, code-quality-reviewer and security-reviewer, after 1 fix. (exit code 0)
Paid: 9 calls, 120 tokens.
Saved (estimated tokens): 9.0k by resuming sessions.`);
});

test('wraps long results on 80 columns', () => {
  const rounds = [playedRound({ looks: [found([issue()], { template: 'I3', why: 'resume-failed' })] })];
  const finding = open('spec-reviewer', {
    category: 'testability',
    location: 'spec.md:12',
    suggestion: 'Say how fast.',
  });
  const outcome = phaseOutcome({ run: phaseRun({ rounds }), end: null, open: [finding], exitCode: 1 });
  expect(describePhase(outcome, `${AGAIN} --step`, { width: 80, paint: PLAIN })).toBe(`specify of docs/f

Iteration 1 of 5
  spec-reviewer: 1 blocker (claude, new session: the resume failed, prompt of
    12.3k characters)

Open: 1 blocker
  blocker  spec-reviewer, testability, spec.md:12
    It cannot be tested.
    Suggestion: Say how fast.

Waiting: 1 issue is open. (exit code 1)
Next: fix it, then run: onceover phase specify docs/f --step --summary "what you
  did"
Paid: 1 call.`);
});

test.each([40, 60, 80, 140])('no line is wider than %i columns', (width) => {
  const notes = [open('code-quality-reviewer', { description: 'word '.repeat(60), location: 'a' })];
  const outcome = phaseOutcome({ run: implementRun(), open: notes, end: phaseEnd('cap'), exitCode: 1 });
  for (const line of told(outcome, width).split('\n')) expect(cells(line)).toBeLessThanOrEqual(width);
});

describe('the line of a review', () => {
  const result = (looks: Parameters<typeof playedRound>[0]) =>
    told(phaseOutcome({ run: phaseRun({ rounds: [playedRound(looks)] }) }))
      .split('\n')
      .find((line) => line.startsWith('  spec-reviewer: '))
      ?.replace('  spec-reviewer: ', '');
  const callText = (session = 'new session') => ` (claude, ${session}, prompt of 12.3k characters)`;

  test.each<[string, Parameters<typeof playedRound>[0], string]>([
    ['an approval', {}, `approved${callText()}`],
    [
      'an approval with suggestions',
      { looks: [look({ answer: answerWith([issue({ severity: 'suggestion' })]) })] },
      `approved, 1 suggestion${callText()}`,
    ],
    ['issues', { looks: [found([issue(), issue({ severity: 'warning' })])] }, `1 blocker, 1 warning${callText()}`],
    [
      'an approval that a warning contradicts',
      {
        looks: [look({ answer: answerWith([issue({ severity: 'warning' })], { approved: true }), enginePass: false })],
      },
      `1 warning, so the approval does not count${callText()}`,
    ],
    ['a rejection without issues', { looks: [found([])] }, `not approved, without an issue${callText()}`],
    [
      'no verdict, with the reason',
      { looks: [], errors: [lookError()] },
      `no verdict, did not finish within 7 seconds${callText()}`,
    ],
    [
      'no verdict after a resume failed',
      { looks: [], errors: [lookError({ why: 'resume-failed' })] },
      `no verdict, did not finish within 7 seconds${callText('new session: the resume failed')}`,
    ],
  ])('%s', (_title, differs, expected) => {
    expect(result(differs)).toBe(expected);
  });

  test('shows no session for a reviewer that was stopped before its call', () => {
    const errors = [lookError({ failure: { kind: 'stopped', by: 'budget' }, spent: spent(0, { asks: 0 }) })];
    expect(result({ looks: [], errors })).toBe('no verdict, was stopped: the budget is used up (claude)');
  });

  test.each<[LoopDispatchReason, string]>([
    ['first-look', 'new session'],
    ['delta', 'new session'],
    ['final-validation', 'new session'],
    ['asked-for', 'new session: no session was kept'],
    ['session-differs', 'new session: the agent, model, version or tools have changed'],
    ['cannot-resume', 'new session: the agent cannot resume sessions'],
    ['session-lost', 'new session: the session or its snapshot is gone'],
    ['no-changes', 'new session: nothing has changed'],
    ['resume-dearer', 'new session: resuming would cost more'],
    ['delta-too-large', 'new session: too much has changed'],
    ['resume-failed', 'new session: the resume failed'],
    ['other-agent', 'new session: another agent took over'],
  ])('gives the reason for a new session, unless it is the usual one: %s', (why, expected) => {
    expect(result({ looks: [look({ why })] })).toBe(`approved${callText(expected)}`);
  });
});

describe('fixes, missing verdicts and unconfirmed reads', () => {
  const fixLine = (fix: ReturnType<typeof fixBy>) =>
    told(phaseOutcome({ run: phaseRun({ rounds: [playedRound({ looks: [found([issue()])], fix })] }) }))
      .split('\n')
      .find((line) => /implementer|caller/.test(line))
      ?.trim();

  test.each([
    ['a fixer', fixBy('codex'), 'implementer: Made it testable. (codex, new session, prompt of 4.0k characters)'],
    [
      'a fixer without a summary',
      fixBy('codex', { summary: '' }),
      'implementer: done (codex, new session, prompt of 4.0k characters)',
    ],
    [
      'a fixer without an answer',
      fixBy('codex', { summary: null }),
      'implementer: no answer (codex, new session, prompt of 4.0k characters)',
    ],
    ['a stopped fixer', fixBy(null, { summary: null }), 'implementer: stopped'],
    ['the caller', fixBy(null), 'caller: Made it testable.'],
  ])('%s', (_title, fix, expected) => {
    expect(fixLine(fix)).toBe(expected);
  });

  test('names each reviewer without a verdict, with the reason', () => {
    const errors = [lookError(), lookError({ role: 'phase-reviewer', failure: { kind: 'stopped', by: 'budget' } })];
    const text = told(phaseOutcome({ run: phaseRun({ rounds: [playedRound({ looks: [], errors })] }) }));
    expect(text).toContain('\n  spec-reviewer: no verdict, did not finish within 7 seconds (claude,');
    expect(text).toContain('\n  phase-reviewer: no verdict, was stopped: the budget is used up (claude,');
  });

  test('names each agent that did not confirm its reads', () => {
    const warning = (role: 'spec-reviewer' | 'implementer') => ({ kind: 'lazy-load-warning', role }) as const;
    const warnedRun = playedRound({
      marks: [warning('spec-reviewer')],
      fix: fixBy('codex', { marks: [warning('implementer')] }),
    });
    const run = phaseRun({ rounds: [warnedRun, playedRound({ round: 2, marks: [warning('spec-reviewer')] })] });
    const roles = told(phaseOutcome({ run })).match(/\S+(?=: .*, did not confirm that it read the documents\)$)/gm);
    expect(roles).toEqual(['spec-reviewer', 'implementer', 'spec-reviewer']);
  });

  test('cuts a long summary', () => {
    const run = phaseRun({ rounds: [playedRound({ fix: fixBy('codex', { summary: 'word '.repeat(500) }) })] });
    const lines = told(phaseOutcome({ run }), 80).split('\n');
    const first = lines.findIndex((line) => line.startsWith('  implementer: '));
    expect(lines.slice(first).indexOf('')).toBeLessThanOrEqual(4);
  });
});

describe('open issues', () => {
  test('lists blockers first, and at most twenty issues', () => {
    const many = Array.from({ length: 5000 }, (_, n) =>
      open('spec-reviewer', { severity: n === 4999 ? 'blocker' : 'warning', description: `Issue ${n}.` }),
    );
    const text = told(phaseOutcome({ open: many, end: phaseEnd('cap'), exitCode: 1 }));
    expect(text).toContain('Open: 1 blocker, 4999 warnings\n  blocker  spec-reviewer\n    Issue 4999.\n  warning');
    expect(text).toContain('\n… and 4980 more: see docs/f/.review-history.md.');
    expect(text.split('\n').length).toBeLessThan(60);
  });

  test("keeps a reviewer's lines indented below the title", () => {
    const finding = open('spec-reviewer', { description: 'One.\r\n\r\nTwo.\nApproved: all (exit code 0)' });
    const lines = told(phaseOutcome({ open: [finding], end: phaseEnd('cap'), exitCode: 1 })).split('\n');
    expect(lines).toContain('    Approved: all (exit code 0)');
    expect(lines.filter((line) => line.startsWith('Approved'))).toEqual([]);
  });
});

describe('the end of a phase and the next step', () => {
  const issues = [open('spec-reviewer')];
  const failure = { kind: 'timeout', seconds: 9 } as const;
  const stoppedRun = phaseRun({ rounds: [playedRound({ looks: [], errors: [lookError()] })] });
  const ENDS: { readonly [Why in PhaseEndReason]: readonly [Partial<PhaseOutcome>, RegExp] } = {
    approved: [{}, /^Approved: docs\/f\/spec\.md, by spec-reviewer and phase-reviewer\. \(exit code 0\)\n?/],
    'accepted-with-notes': [
      { open: issues },
      /^Accepted with notes, not approved: 1 issue is open after 5 iterations, .*\nThe open issues are listed in docs\/f\/\.meta\.json\./,
    ],
    cap: [
      { open: issues, exitCode: 1 },
      /^Not approved: 1 issue is open after 5 iterations, the maximum per loop\. \(exit code 1\)\nNext: .*onceover phase specify docs\/f\nOr accept .*docs\/f --accept-with-notes/,
    ],
    stalled: [{ open: issues, exitCode: 1 }, /^Stalled: two fixes in a row changed nothing, and 1 issue is open\./],
    'not-fixed': [
      { open: issues, exitCode: 1 },
      /^Not approved: 1 issue is open, and there is no fixer\. .*\nNext: .*docs\/f\n.*--fixer AGENT .* --step/,
    ],
    'reviewer-failed': [
      { run: stoppedRun, open: issues, exitCode: 1 },
      /^Could not judge: spec-reviewer gave no verdict, claude did not finish within 7 seconds\. 1 issue is open\./,
    ],
    'fixer-failed': [
      { open: issues, exitCode: 1 },
      /^Stopped: the fixer gave no answer \(did not finish within 9 seconds\), and 1 issue is open\. .*\nNext: check the edits of the fixer with "git diff", then run again: onceover phase/,
    ],
    'preparation-failed': [
      { exitCode: 3 },
      /^Stopped before the reviews: .*9 seconds\)\. .*\nNext: check the edits of the agent with "git diff".*\n.*--simplify/,
    ],
    'forbidden-edit': [
      { exitCode: 3 },
      /^Stopped: an agent changed files that it must not change: onceover\.yml\. .*\nNext: check "git diff"/,
    ],
    'artifact-missing': [{ exitCode: 3 }, /^Stopped: docs\/f\/spec\.md no longer exists/],
    'artifact-empty': [{ exitCode: 3 }, /^Stopped: docs\/f\/spec\.md is empty now/],
    'artifact-unreadable': [{ exitCode: 3 }, /^Stopped: docs\/f\/spec\.md is no longer UTF-8 text/],
    disturbed: [{ exitCode: 3 }, /^Could not judge: docs\/f\/spec\.md kept changing during the reviews/],
    interrupted: [
      { exitCode: 3 },
      /^Interrupted: nothing was approved\. \(exit code 3\)\nNext: run again: onceover phase/,
    ],
    budget: [
      { open: issues, exitCode: 1 },
      /^Stopped: the budget is used up, and nothing was approved\. 1 issue is open/,
    ],
    trouble: [
      { exitCode: 3 },
      /^Could not judge: the phase stopped because of an error\..*\nNext: fix the error, then run again/,
    ],
  };

  const endOf = (why: PhaseEndReason) => {
    const paths = why === 'forbidden-edit' ? ['onceover.yml' as RepoPath] : [];
    return phaseOutcome({ end: phaseEnd(why, { paths, failure }), ...ENDS[why][0] });
  };
  const lastBlock = (text: string) => text.split('\n\n').at(-1) ?? '';

  test.each(Object.keys(ENDS) as PhaseEndReason[])('%s', (why) => {
    expect(lastBlock(told(endOf(why)))).toMatch(ENDS[why][1]);
  });

  test.each((Object.keys(ENDS) as PhaseEndReason[]).filter((why) => why !== 'approved'))(
    'does not look approved: %s',
    (why) => {
      const text = lastBlock(describePhase(endOf(why), AGAIN, { width: null, paint: COLOURED }));
      expect(text).not.toMatch(/^\S*Approved|\u001b\[32m/);
    },
  );

  test('names a cap of one iteration', () => {
    const rounds = [playedRound({ most: 1, looks: [found([issue()])] })];
    const text = told(phaseOutcome({ run: phaseRun({ rounds }), end: phaseEnd('cap'), open: issues, exitCode: 1 }));
    expect(text).toContain('Not approved: 1 issue is open after 1 iteration, the maximum per loop.');
  });

  test('names a reviewer that approved an earlier version', () => {
    const rounds = [
      playedRound({ content: 'c1' }),
      playedRound({ round: 2, stage: 'phase', content: 'c2', looks: [look({ role: 'phase-reviewer' })] }),
    ];
    expect(told(phaseOutcome({ run: phaseRun({ rounds }) }))).toContain(
      'spec-reviewer approved an earlier version and did not see the later changes ("recheck_domain: true" in onceover.yml shows them).',
    );
  });

  test('describes a feature in the repository root', () => {
    const run = phaseRun({ feature: '' as RepoPath });
    expect(told(phaseOutcome({ run }))).toMatch(/^specify of this folder\n.*Approved: spec\.md, by/s);
  });

  test('shows the progress of an interrupted phase without an approval', () => {
    const text = describePhaseSoFar(phaseOutcome({ end: phaseEnd('interrupted'), open: issues, exitCode: 3 }));
    expect(text).toMatch(/1 of 5\n {2}spec-reviewer.*Open: 1 blocker.*\nNothing was approved\.\nPaid: 2 calls\.$/s);
  });
});

test('escapes control characters and line breaks in text of agents', () => {
  const hostile = '\u001b[2J\u0007Done.\r\n\nApproved: everything (exit code 0)\u202e';
  const fields = { description: hostile, location: hostile, category: hostile, suggestion: hostile };
  const rounds = [playedRound({ looks: [found([issue(fields)])], fix: fixBy('co\u001bdex', { summary: hostile }) })];
  const text = told(
    phaseOutcome({
      run: phaseRun({ rounds, feature: 'a\nb\u001b' as RepoPath }),
      open: [open('spec-reviewer', fields)],
      end: phaseEnd('cap'),
      exitCode: 1,
    }),
    80,
  );
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/u);
  expect(text.split('\n').filter((line) => line.startsWith('Approved'))).toEqual([]);
});

describe('a dry run', () => {
  test('lists the first call for a new document', () => {
    expect(describePhasePlan(phasePlan())).toBe(`specify of docs/f

Under review: docs/f/spec.md
Reviewers read: docs/f/prd.md
Fixer: none; at most 5 iterations per loop

Next calls:
  spec-reviewer: claude, new session, 12345 characters

No agent was called and nothing was written (--dry-run).`);
  });

  test('shows that a loop waits, and the calls after that', () => {
    const goes_on = { round: 1, waiting: openIssueDocuments([open('spec-reviewer')]) };
    const text = describePhasePlan(phasePlan({ goes_on, fixing: { by: 'caller', agent: null } }));
    expect(text).toContain('Continues a loop after round 1');
    expect(text).toContain('Open: 1 blocker');
    expect(text).toContain('The loop waits. Start the next round with --step --summary "what you did".');
    expect(text).toContain('Next calls:\n  spec-reviewer');
  });

  test('shows files, fixer, model and reason in implement', () => {
    const [dispatch] = phasePlan().dispatches;
    const text = describePhasePlan(
      phasePlan({
        phase: 'implement',
        artifact: null,
        files: ['a.ts', 'b.ts'],
        required: [],
        fixing: { by: 'fixer', agent: 'codex' },
        dispatches: [
          {
            ...(dispatch ?? { prompt_chars: 1, agent: 'claude' }),
            role: 'security-reviewer',
            model: 'opus',
            dispatch: 'fresh',
            why: 'delta-too-large',
          },
        ],
      }),
      { width: 60, paint: PLAIN },
    );
    expect(text).toContain('Under review: 2 files: a.ts, b.ts\nFixer: codex; at most 5 iterations per loop');
    expect(text).toContain('security-reviewer: claude (opus), new session (too much\n');
  });

  test('says that no agent would be called', () => {
    expect(describePhasePlan(phasePlan({ dispatches: [] }))).toContain('No agent would be called.');
  });
});

describe('a notice', () => {
  const NOTICES: { readonly [Kind in PhaseNotice['kind']]: readonly [Extract<PhaseNotice, { kind: Kind }>, string] } = {
    'meta-put-aside': [
      {
        kind: 'meta-put-aside',
        path: `${feature}/.meta.json` as RepoPath,
        aside: `${feature}/.meta.json.1` as RepoPath,
      },
      'docs/f/.meta.json is unreadable; it was renamed to docs/f/.meta.json.1 and a new one was created',
    ],
    'prd-left-out': [
      { kind: 'prd-left-out', path: '../x.md', why: 'outside' },
      '.meta.json names ../x.md as the PRD, but it is outside the repository; the reviews ran without a PRD',
    ],
    'commit-failed': [
      { kind: 'commit-failed', message: 'onceover: specify', said: 'hook\nsays no' },
      'git could not commit "onceover: specify": hook; says no; the changes are in the working tree',
    ],
    'not-in-ledger': [
      { kind: 'not-in-ledger', failure: { kind: 'disk', action: 'write', path: 'l', code: 'ENOSPC' } },
      'the cost of this phase is not in the ledger: l could not be written: the disk is full (ENOSPC).',
    ],
    'unseen-edits': [
      { kind: 'unseen-edits', paths: ['src/b.ts' as RepoPath] },
      'the fixer also changed src/b.ts, which is not under review; these edits are in the working tree and not committed',
    ],
    withheld: [
      { kind: 'withheld', why: 'secret', paths: ['.env' as RepoPath, 'src/tokens.json' as RepoPath] },
      'not reviewed, untracked and named like a secret: .env, src/tokens.json',
    ],
    'proof-taken-back': [
      { kind: 'proof-taken-back', paths: ['.git/onceover/receipts/a.json'] },
      'files that would count as a pass, a waiver or an approval changed while the fixer ran, so onceover restored them: .git/onceover/receipts/a.json; if you made that change, repeat it',
    ],
    'hidden-by-fixer': [
      { kind: 'hidden-by-fixer', paths: [null, 'dist/a.js'] },
      'the fixer changed what reviewers see: the settings of git, dist/a.js',
    ],
    'no-price': [
      { kind: 'no-price', agents: ['house'] },
      'budget.usd does not count house, which reported no price; budget.dispatches counts every call',
    ],
    'not-resumed': [
      { kind: 'not-resumed', agent: 'gemini', why: 'V3: it forgot' },
      'gemini gets a new session every time, because it failed a resume test: V3: it forgot',
    ],
  };

  test.each(Object.values(NOTICES).map(([notice, expected]) => [notice.kind, notice, expected] as const))(
    '%s',
    (_, notice, expected) => {
      expect(describePhaseNotice(notice)).toBe(expected);
    },
  );

  test('a PRD that does not exist', () => {
    expect(describePhaseNotice({ kind: 'prd-left-out', path: 'x.md', why: 'missing' })).toContain(
      'but it does not exist;',
    );
  });
});
