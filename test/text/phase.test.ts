import { describe, expect, test } from 'vitest';
import type { RepoPath } from '../../src/domain/brand.ts';
import type { LoopDispatchReason, PhaseEndReason } from '../../src/domain/phase.ts';
import type { PhaseNotice, PhaseOutcome } from '../../src/domain/phase-run.ts';
import { COLOURED, PLAIN } from '../../src/text/paint.ts';
import { tellPhase, tellPhaseSoFar } from '../../src/text/phase.ts';
import { tellPhaseNotice } from '../../src/text/phase-notice.ts';
import { tellPhasePlan } from '../../src/text/phase-plan.ts';
import { cells } from '../../src/text/width.ts';
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
} from '../support/phase/samples.ts';
import { usage } from '../support/run-samples.ts';

const AGAIN = 'onceover phase specify docs/f';
const told = (outcome: PhaseOutcome, width: number | null = null) => tellPhase(outcome, AGAIN, { width, paint: PLAIN });

test('as it is told where there is room', () => {
  const saved = { pass: 0, slot: 0, session: 9_000, prefix: 0 };
  expect(told(phaseOutcome({ run: implementRun(), usage: usage(), saved }))).toBe(`implement of docs/f

Round   Who                      Agent   Asked    Prompt  Result
before  test-deepener A          codex   fresh            done
1 of 5  implementation-reviewer  claude  fresh     12.3k  approved
        code-quality-reviewer    claude  fresh     12.3k  1 blocker, 1 warning, 1 suggestion
        security-reviewer        codex   fresh     12.3k  approved
        implementer              codex   fresh      4.0k  fix 1
2 of 5  implementation-reviewer                           rests since iteration 1
        code-quality-reviewer    claude  resumed    2.0k  approved
        security-reviewer                                 rests since iteration 1
final   implementation-reviewer  claude  resumed    1.9k  approved
        code-quality-reviewer    claude  resumed    1.9k  approved
        security-reviewer        claude  resumed    1.9k  approved

test-deepener A: Added tests for empty input.
Fix 1: Made it testable.

Approved: the code of docs/f, by implementation-reviewer, code-quality-reviewer and security-reviewer, after 1 fix. (exit code 0)
Paid: 9 dispatches, 120 tokens.
Not paid (estimate): 9.0k resumed sessions.`);
});

test('on 80 columns', () => {
  const rounds = [playedRound({ looks: [found([issue()], { template: 'I3', why: 'resume-failed' })] })];
  const mine = open('spec-reviewer', { category: 'testability', location: 'spec.md:12', suggestion: 'Say how fast.' });
  const outcome = phaseOutcome({ run: phaseRun({ rounds }), end: null, open: [mine], exitCode: 1 });
  expect(tellPhase(outcome, `${AGAIN} --step`, { width: 80, paint: PLAIN })).toBe(`specify of docs/f

Round   Who            Agent   Asked  Prompt  Result
1 of 5  spec-reviewer  claude  fresh   12.3k  1 blocker (fresh: it could not be
                                              resumed)

Open: 1 blocker
  blocker  spec-reviewer, testability, spec.md:12
    It cannot be tested.
    Suggestion: Say how fast.

Waiting: 1 issue is open, to be mended before the next round. (exit code 1)
Next: mend it, then: onceover phase specify docs/f --step --summary "what you
  did"
Paid: 1 dispatch.`);
});

test.each([40, 60, 80, 140])('on %i columns nothing is wider', (width) => {
  const notes = [open('code-quality-reviewer', { description: 'word '.repeat(60), location: 'a' })];
  const outcome = phaseOutcome({ run: implementRun(), open: notes, end: phaseEnd('cap'), exitCode: 1 });
  for (const line of told(outcome, width).split('\n')) expect(cells(line)).toBeLessThanOrEqual(width);
});

describe('what a reviewer said, and what counts of it', () => {
  const result = (looks: Parameters<typeof playedRound>[0]) =>
    told(phaseOutcome({ run: phaseRun({ rounds: [playedRound(looks)] }) }))
      .split('\n')
      .find((line) => line.startsWith('1 of 5'))
      ?.replace(/^.*12\.3k {2}/, '');

  test.each<[string, Parameters<typeof playedRound>[0], string]>([
    ['an approval', {}, 'approved'],
    [
      'an approval with suggestions',
      { looks: [look({ answer: answerWith([issue({ severity: 'suggestion' })]) })] },
      'approved, 1 suggestion',
    ],
    ['issues', { looks: [found([issue(), issue({ severity: 'warning' })])] }, '1 blocker, 1 warning'],
    [
      'an approval that a warning contradicts',
      { looks: [found([issue({ severity: 'warning' })], { reviewerApproved: true })] },
      '1 warning, so its approval does not count',
    ],
    ['a rejection that names nothing', { looks: [found([])] }, 'not approved, no issue named'],
    ['no verdict', { looks: [], errors: [lookError()] }, 'no verdict'],
    [
      'no verdict after a resume failed',
      { looks: [], errors: [lookError({ dispatch: 'resume-failed' })] },
      'no verdict (fresh: it could not be resumed)',
    ],
  ])('%s', (_title, differs, expected) => {
    expect(result(differs)).toBe(expected);
  });

  test('somebody who was stopped before a question was put was not asked', () => {
    const errors = [lookError({ why: { kind: 'stopped', by: 'budget' }, spent: spent(0, { asks: 0 }) })];
    const lines = told(phaseOutcome({ run: phaseRun({ rounds: [playedRound({ looks: [], errors })] }) })).split('\n');
    expect(lines).toContain('1 of 5  spec-reviewer  claude                 no verdict');
  });

  test.each<[LoopDispatchReason, string]>([
    ['first-look', 'approved'],
    ['delta', 'approved'],
    ['final-validation', 'approved'],
    ['asked-for', 'approved (fresh: no session was kept)'],
    ['session-differs', 'approved (fresh: agent, model, version or tools are not those of its session)'],
    ['cannot-resume', 'approved (fresh: it cannot be resumed)'],
    ['session-lost', 'approved (fresh: what a resume needs is gone)'],
    ['no-changes', 'approved (fresh: nothing had changed)'],
    ['resume-dearer', 'approved (fresh: resuming would have cost more)'],
    ['delta-too-large', 'approved (fresh: too much had changed)'],
    ['resume-failed', 'approved (fresh: it could not be resumed)'],
    ['other-agent', 'approved (fresh: another agent took over)'],
  ])('why it was fresh is told where it is not obvious: %s', (why, expected) => {
    expect(result({ looks: [look({ why })] })).toBe(expected);
  });
});

describe('what was done about it', () => {
  const fixLine = (fix: ReturnType<typeof fixBy>) =>
    told(phaseOutcome({ run: phaseRun({ rounds: [playedRound({ looks: [found([issue()])], fix })] }) }))
      .split('\n')
      .filter((line) => /implementer|caller/.test(line))[0]
      ?.trim()
      .replace(/ +/g, ' ');

  test.each([
    ['a fixer', fixBy('codex'), 'implementer codex fresh 4.0k fix 1'],
    ['a fixer without an answer', fixBy('codex', { summary: null }), 'implementer codex fresh 4.0k no answer'],
    ['one that was stopped', fixBy(null, { summary: null }), 'implementer stopped'],
    ['whoever called', fixBy(null), 'caller fix 1'],
  ])('%s', (_title, fix, expected) => {
    expect(fixLine(fix)).toBe(expected);
  });

  test('whoever gave no verdict is named with the reason', () => {
    const errors = [lookError(), lookError({ role: 'phase-reviewer', why: { kind: 'stopped', by: 'budget' } })];
    const text = told(phaseOutcome({ run: phaseRun({ rounds: [playedRound({ looks: [], errors })] }) }));
    expect(text).toContain('\n\nNo verdict of spec-reviewer: claude did not finish within 7 seconds\n');
    expect(text).toContain('\nNo verdict of phase-reviewer: the budget is used up\n');
  });

  test('whoever did not confirm that it read the documents is named once', () => {
    const unread = (role: 'spec-reviewer' | 'implementer') => ({ kind: 'lazy-load-warning', role }) as const;
    const one = playedRound({
      marks: [unread('spec-reviewer')],
      fix: fixBy('codex', { marks: [unread('implementer')] }),
    });
    const run = phaseRun({ rounds: [one, playedRound({ round: 2, marks: [unread('spec-reviewer')] })] });
    expect(told(phaseOutcome({ run }))).toContain(
      '\nDid not confirm that they read the documents: spec-reviewer, implementer\n',
    );
  });

  test('a long summary is cut', () => {
    const run = phaseRun({ rounds: [playedRound({ fix: fixBy('codex', { summary: 'word '.repeat(500) }) })] });
    const lines = told(phaseOutcome({ run }), 80).split('\n');
    const first = lines.findIndex((line) => line.startsWith('Fix 1: '));
    expect(lines.slice(first).indexOf('')).toBeLessThanOrEqual(4);
  });
});

describe('what is open', () => {
  test('blockers come first, and of many the first twenty', () => {
    const many = Array.from({ length: 5000 }, (_, n) =>
      open('spec-reviewer', { severity: n === 4999 ? 'blocker' : 'warning', description: `Issue ${n}.` }),
    );
    const text = told(phaseOutcome({ open: many, end: phaseEnd('cap'), exitCode: 1 }));
    expect(text).toContain('Open: 1 blocker, 4999 warnings\n  blocker  spec-reviewer\n    Issue 4999.\n  warning');
    expect(text).toContain('\n… and 4980 more: see docs/f/.review-history.md.');
    expect(text.split('\n').length).toBeLessThan(60);
  });

  test('suggestions of the last looks are counted, and nothing more', () => {
    const suggesting = look({ answer: answerWith([issue({ severity: 'suggestion' })]) });
    const rounds = [
      playedRound({ looks: [suggesting] }),
      playedRound({ round: 2, iteration: 2, looks: [suggesting] }),
      playedRound({ round: 3, stage: 'phase', looks: [look({ ...suggesting, role: 'phase-reviewer' })] }),
    ];
    expect(told(phaseOutcome({ run: phaseRun({ rounds }) }))).toContain(
      '2 suggestions that nobody has to follow: see docs/f/.review-history.md.',
    );
  });

  test('several lines of a reviewer stay below its title', () => {
    const said = open('spec-reviewer', { description: 'One.\r\n\r\nTwo.\nApproved: all (exit code 0)' });
    const lines = told(phaseOutcome({ open: [said], end: phaseEnd('cap'), exitCode: 1 })).split('\n');
    expect(lines).toContain('    Approved: all (exit code 0)');
    expect(lines.filter((line) => line.startsWith('Approved'))).toEqual([]);
  });
});

describe('how it ended, and what to do', () => {
  const one = [open('spec-reviewer')];
  const failure = { kind: 'timeout', seconds: 9 } as const;
  const stopped = phaseRun({ rounds: [playedRound({ looks: [], errors: [lookError()] })] });
  const ENDS: { readonly [Why in PhaseEndReason]: readonly [Partial<PhaseOutcome>, RegExp] } = {
    approved: [{}, /^Approved: docs\/f\/spec\.md, by spec-reviewer and phase-reviewer\. \(exit code 0\)\n?/],
    'accepted-with-notes': [
      { open: one },
      /^Accepted with notes, not approved: after 5 iterations .* 1 issue is open, and --accept-with-notes .*\nWhat is open is noted in docs\/f\/\.meta\.json\./,
    ],
    cap: [
      { open: one, exitCode: 1 },
      /^Not approved: after 5 iterations of a loop, as many as there may be, 1 issue is open\. \(exit code 1\)\nNext: .*onceover phase specify docs\/f; or take it as it is, .*docs\/f --accept-with-notes/,
    ],
    stalled: [{ open: one, exitCode: 1 }, /^Stalled: two fixes in a row changed nothing, and 1 issue is open\./],
    'not-fixed': [
      { open: one, exitCode: 1 },
      /^Not approved: 1 issue is open, and nobody was asked to mend it\. .*\n.*--fixer AGENT .* --step/,
    ],
    'reviewer-failed': [
      { run: stopped, open: one, exitCode: 1 },
      /^Could not judge: spec-reviewer gave no verdict, claude did not finish within 7 seconds\. 1 issue is open\./,
    ],
    'fixer-failed': [
      { open: one, exitCode: 1 },
      /^Stopped: the fixer gave no answer \(did not finish within 9 seconds\), and 1 issue is open\. .*\nNext: look at what it changed/,
    ],
    'preparation-failed': [{ exitCode: 3 }, /^Stopped before the reviews: .*9 seconds\)\. .*\n.*--simplify/],
    'forbidden-edit': [
      { exitCode: 3 },
      /^Stopped: an agent changed what it must not: onceover\.yml\. .*\nNext: look at "git diff"/,
    ],
    'artifact-missing': [{ exitCode: 3 }, /^Stopped: docs\/f\/spec\.md is no longer there/],
    'artifact-empty': [{ exitCode: 3 }, /^Stopped: docs\/f\/spec\.md is empty now/],
    'artifact-unreadable': [{ exitCode: 3 }, /^Stopped: docs\/f\/spec\.md is no UTF-8 text any more/],
    disturbed: [{ exitCode: 3 }, /^Could not judge: docs\/f\/spec\.md changed again and again/],
    interrupted: [{ exitCode: 3 }, /^Interrupted: nothing was approved\. \(exit code 3\)\nNext: play it again/],
    budget: [{ open: one, exitCode: 1 }, /^Stopped: the budget is used up, and nothing was approved\. 1 issue is open/],
    trouble: [{ exitCode: 3 }, /^Could not judge: it had to be stopped\..*\nNext: see why above/],
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
    'what was not approved does not look so: %s',
    (why) => {
      const text = lastBlock(tellPhase(endOf(why), AGAIN, { width: null, paint: COLOURED }));
      expect(text).not.toMatch(/^\S*Approved|\u001b\[32m/);
    },
  );

  test('a cap that was asked for, and one of a single iteration', () => {
    const rounds = [playedRound({ most: 1, looks: [found([issue()])] })];
    const text = told(phaseOutcome({ run: phaseRun({ rounds }), end: phaseEnd('cap'), open: one, exitCode: 1 }));
    expect(text).toContain('Not approved: after 1 iteration of a loop, as many as there may be, 1 issue is open.');
  });

  test('whoever approved an earlier state is named', () => {
    const rounds = [
      playedRound({ content: 'c1' }),
      playedRound({ round: 2, stage: 'phase', content: 'c2', looks: [look({ role: 'phase-reviewer' })] }),
    ];
    expect(told(phaseOutcome({ run: phaseRun({ rounds }) }))).toContain(
      'spec-reviewer approved an earlier state and has not seen what changed since ("recheck_domain: true" shows it).',
    );
  });

  test('a feature that is the whole repository', () => {
    const run = phaseRun({ feature: '' as RepoPath });
    expect(told(phaseOutcome({ run }))).toMatch(/^specify of this folder\n.*Approved: spec\.md, by/s);
  });

  test('interrupted: what was done so far, and no approval', () => {
    const text = tellPhaseSoFar(phaseOutcome({ end: phaseEnd('interrupted'), open: one, exitCode: 3 }));
    expect(text).toMatch(/1 of 5 {2}spec-reviewer.*Open: 1 blocker.*\nNothing was approved\.\nPaid: 2 dispatches\.$/s);
  });
});

test('what others wrote does nothing to the terminal, and adds no line', () => {
  const hostile = '\u001b[2J\u0007Done.\r\n\nApproved: everything (exit code 0)\u202e';
  const said = { description: hostile, location: hostile, category: hostile, suggestion: hostile };
  const rounds = [playedRound({ looks: [found([issue(said)])], fix: fixBy('co\u001bdex', { summary: hostile }) })];
  const text = told(
    phaseOutcome({
      run: phaseRun({ rounds, feature: 'a\nb\u001b' as RepoPath }),
      open: [open('spec-reviewer', said)],
      end: phaseEnd('cap'),
      exitCode: 1,
    }),
    80,
  );
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/u);
  expect(text.split('\n').filter((line) => line.startsWith('Approved'))).toEqual([]);
});

describe('what it would do', () => {
  test('a document that nobody has looked at', () => {
    expect(tellPhasePlan(phasePlan())).toBe(`specify of docs/f

Under review: docs/f/spec.md
Reviewers read: docs/f/prd.md
Mends: nobody; at most 5 iterations of a loop

Would be asked next:
  spec-reviewer  claude, fresh, 12345 characters

Nothing was asked and nothing written (--dry-run).`);
  });

  test('a loop that waits says so, and who would be asked then', () => {
    const goesOn = { round: 1, waiting: [open('spec-reviewer')] };
    const text = tellPhasePlan(phasePlan({ goesOn, fixing: { by: 'caller' } }));
    expect(text).toContain('Goes on with a loop that was begun, after round 1');
    expect(text).toContain('Open: 1 blocker');
    expect(text).toContain('It waits: the next round begins with --step --summary "what you did".');
    expect(text).toContain('Would be asked next:\n  spec-reviewer');
  });

  test('code, with a fixer, a model and a reason', () => {
    const [asked] = phasePlan().dispatches;
    const text = tellPhasePlan(
      phasePlan({
        phase: 'implement',
        artifact: null,
        files: ['a.ts', 'b.ts'] as RepoPath[],
        required: [],
        fixing: { by: 'fixer', agent: 'codex' },
        dispatches: [
          {
            ...(asked ?? { promptChars: 1, agent: 'claude' }),
            role: 'security-reviewer',
            model: 'opus',
            dispatch: 'fresh',
            why: 'delta-too-large',
          },
        ],
      }),
      { width: 60, paint: PLAIN },
    );
    expect(text).toContain('Under review: 2 files: a.ts, b.ts\nMends: codex; at most 5 iterations of a loop');
    expect(text).toContain('security-reviewer  claude (opus), fresh (too much had\n');
  });

  test('nobody to ask', () => {
    expect(tellPhasePlan(phasePlan({ dispatches: [] }))).toContain('Nobody would be asked.');
  });
});

describe('something to know beside the result', () => {
  const NOTICES: { readonly [Kind in PhaseNotice['kind']]: readonly [Extract<PhaseNotice, { kind: Kind }>, string] } = {
    'meta-put-aside': [
      {
        kind: 'meta-put-aside',
        path: `${feature}/.meta.json` as RepoPath,
        aside: `${feature}/.meta.json.1` as RepoPath,
      },
      'docs/f/.meta.json could not be read, so it was put aside as docs/f/.meta.json.1 and a new one begun',
    ],
    'prd-left-out': [
      { kind: 'prd-left-out', path: '../x.md', why: 'outside' },
      '.meta.json names ../x.md as the PRD, which is outside the repository, so reviewers are told of none',
    ],
    'commit-failed': [
      { kind: 'commit-failed', message: 'onceover: specify', said: 'hook\nsays no' },
      'git could not commit "onceover: specify": hook; says no; the change is in the working tree',
    ],
    'not-in-ledger': [
      { kind: 'not-in-ledger', failure: { kind: 'disk', action: 'write', path: 'l', code: 'ENOSPC' } },
      'what this phase cost is not in the ledger: l could not be written: no space is left on the disk (ENOSPC).',
    ],
    'unseen-edits': [
      { kind: 'unseen-edits', paths: ['src/b.ts' as RepoPath] },
      'the fixer also changed src/b.ts, which nobody was asked to look at; that is in the working tree, and not committed',
    ],
    withheld: [
      { kind: 'withheld', why: 'secret', paths: ['.env' as RepoPath, 'src/tokens.json' as RepoPath] },
      'not reviewed, untracked and by name like a secret: .env, src/tokens.json',
    ],
    'proof-taken-back': [
      { kind: 'proof-taken-back', paths: ['.git/onceover/receipts/a.json'] },
      'while the fixer worked, somebody wrote what would count as a pass, a waiver or an agreement; that was taken back: .git/onceover/receipts/a.json; if it was yours, say or run it again',
    ],
    'no-price': [
      { kind: 'no-price', agents: ['house'] },
      'budget.usd counts only what agents tell the price of, and house told none; budget.dispatches counts all',
    ],
    'not-resumed': [
      { kind: 'not-resumed', agent: 'gemini', why: 'V3: it forgot' },
      'gemini is asked afresh each time, because it cannot be resumed: V3: it forgot',
    ],
  };

  test.each(Object.values(NOTICES).map(([notice, expected]) => [notice.kind, notice, expected] as const))(
    '%s',
    (_, notice, expected) => {
      expect(tellPhaseNotice(notice)).toBe(expected);
    },
  );

  test('a PRD that is not there', () => {
    expect(tellPhaseNotice({ kind: 'prd-left-out', path: 'x.md', why: 'missing' })).toContain('which is not there');
  });
});
