import { describe, expect, test } from 'vitest';
import type { KnownFinding } from '../../src/domain/finding.ts';
import type { Asked, RunNotice, RunOutcome, ToldFinding } from '../../src/domain/run.ts';
import { tellFinding, tellRun, tellRunNotice } from '../../src/text/run.ts';
import { AS_IT_IS } from '../../src/text/shown.ts';
import { tellUsage } from '../../src/text/usage.ts';
import { claim, finding, gateOutcome, path, runOutcome, slotOutcome, usage, waiver } from '../support/run-samples.ts';

const told = (differs: Partial<KnownFinding> = {}, state: ToldFinding['state'] = 'open'): ToldFinding => ({
  finding: finding(differs),
  state,
});
const check = { command: 'npm run lint', exitCode: 1, overtime: null, durationMs: 5, tail: 'first\nlast\x1b[31m' };
const asked = (differs: Partial<Asked>): Asked => ({ gates: [], paths: [], others: [], ...differs });
const FAILED = gateOutcome({ status: 'fail', why: 'open-findings', slots: [slotOutcome({ status: 'fail' })] });
const CHECK_FAILED = gateOutcome({
  id: 'check:.:lint',
  kind: 'check',
  status: 'fail',
  why: 'check-failed',
  slots: [],
  check,
});
const STUCK = gateOutcome({
  status: 'error',
  why: 'could-not-judge',
  slots: [
    slotOutcome({
      agent: null,
      status: 'error',
      dispatch: 'none',
      why: 'no-agent',
      trouble: { kind: 'no-agent', wanted: [], cooling: [] },
    }),
  ],
});

describe('the end of a run', () => {
  test('everything at once', () => {
    const outcome = runOutcome({
      status: 'failed',
      exitCode: 1,
      iteration: 2,
      gates: [
        CHECK_FAILED,
        gateOutcome({
          status: 'fail',
          why: 'open-findings',
          slots: [
            slotOutcome({
              status: 'skipped_prior_pass',
              dispatch: 'none',
              why: 'passed-before',
              passIteration: 1,
              sawOlder: true,
            }),
            slotOutcome({
              slot: 2,
              agent: 'claude',
              status: 'fail',
              dispatch: 'resumed',
              why: 'delta',
              usage: usage(),
            }),
          ],
        }),
        gateOutcome({
          id: 'rule:.:style:a b.py',
          kind: 'rule',
          status: 'holds',
          why: 'unchanged-since-pass',
          slots: [],
        }),
      ],
      findings: [
        told({ id: 'F1', code: 'a = 1;\n  b;', fix: 'Remove it.', mark: 'off-diff' }),
        told({ id: 'F2', file: null, line: null, code: null }, 'warning'),
        told({ id: 'F3', code: null, resolution: waiver('It has to be so.') }, 'waived'),
        told({ id: 'F4' }, 'closed'),
        told({ id: 'F5' }, 'gone'),
      ],
      uncovered: [path('README.md')],
      withheld: [
        { path: path('.env'), why: 'secret' },
        { path: path('big.bin'), why: 'too-large' },
        { path: path('inner'), why: 'repository' },
      ],
      usage: usage({ costUsd: 0.25 }),
      dispatches: 1,
      saved: { pass: 1200, slot: 100, session: 0, prefix: 0 },
    });
    expect(tellRun(outcome)).toBe(`FAIL    check:.:lint  npm run lint: exit code 1
          first
          last\\u001b[31m
FAIL    review:src:code-quality  findings are open
  rests   @1 codex: passed in iteration 1, has not seen what changed since
  FAIL    @2 claude: resumed, shown what changed since its last look, 120 tokens
holds   "rule:.:style:a b.py"  unchanged since it passed

src/a.ts:
  F1 high: line 1, review:src:code-quality @1, since iteration 1, outside the change
    | a = 1;
    |   b;
    It is wrong.
    Fix: Remove it.
  F3 high (waived): line 1, review:src:code-quality @1, since iteration 1
    It is wrong.
    Waived: It has to be so.

without a place:
  F2 high (warning): review:src:code-quality @1, since iteration 1
    It is wrong.

Closed in this run: F4.

Covered by no review: README.md
Not reviewed, they look like secrets: .env
Not reviewed, untracked and over 5 MB: big.bin
Not reviewed, repositories of their own without a commit: inner

Failed: 1 finding is open, 2 gates fail. (exit code 1)
Next: mend what is open and run again; "onceover resolve F1 --skip WHY" waives what must stay.
Paid: 1 dispatch, 120 tokens, $0.25.
Not paid (estimate): 1.2k unchanged since they passed, 100 slots that rested.`);
  });

  test.each<[string, Partial<RunOutcome>, string]>([
    [
      'nothing changed',
      { status: 'no_changes', gates: [] },
      'Nothing to review: nothing changed since main. (exit code 0)',
    ],
    [
      'nothing changed on the branch that it is measured from',
      { status: 'no_changes', gates: [], isOnBase: true },
      'What is committed on that branch itself is no change: "onceover run --commit HEAD" has the last commit looked at, and --base names another start.',
    ],
    [
      'nothing changed, and there is no commit',
      { status: 'no_changes', gates: [], baseName: null },
      'Nothing to review: nothing changed since the beginning. (exit code 0)',
    ],
    [
      'no gate',
      { status: 'no_applicable_gates', gates: [] },
      'Nothing was reviewed: no gate or rule covers what changed. (exit code 0)',
    ],
    ['passed', {}, 'Passed: every gate holds. (exit code 0)'],
    ['nothing had to run', { iteration: null }, 'Passed: every gate holds, nothing had to be run. (exit code 0)'],
    [
      'a narrow run passed',
      { scope: { key: 'uncommitted', kind: 'narrow' } },
      'Passed: every gate holds in what is not committed. (exit code 0)',
    ],
    [
      'files passed, and nothing had to run',
      { iteration: null, scope: { key: 'files src/a.ts', kind: 'narrow' } },
      'Passed: every gate holds in the files that were named, nothing had to be run. (exit code 0)',
    ],
    [
      'a commit passed',
      { scope: { key: 'commit 1234', kind: 'narrow' } },
      'Passed: every gate holds in that commit. (exit code 0)',
    ],
    [
      'passed since another base',
      { scope: { key: 'base next', kind: 'narrow' }, baseName: 'next' },
      'Passed: every gate holds in what changed since next. (exit code 0)',
    ],
    [
      'some gates passed',
      { asked: asked({ gates: ['lint'], others: ['review:src:code-quality'] }) },
      'Passed: every gate that was asked about holds. (exit code 0)',
    ],
    [
      'all gates passed, by their names',
      { asked: asked({ gates: ['lint'] }) },
      'Passed: every gate holds. (exit code 0)',
    ],
    [
      'paths without a gate',
      { status: 'no_applicable_gates', gates: [], asked: asked({ paths: [path('README.md'), path('b c')] }) },
      'Nothing was reviewed: no gate or rule covers a change in README.md, "b c". (exit code 0)',
    ],
    [
      'a gate without a change',
      { status: 'no_applicable_gates', gates: [], asked: asked({ gates: ['lint'] }) },
      'Nothing was reviewed: lint: nothing to look at in this change. (exit code 0)',
    ],
    [
      'nothing was run yet',
      { status: 'failed', exitCode: 1, iteration: null, gates: [gateOutcome({ status: 'not_run' })] },
      'Not yet reviewed: 1 gate has not passed on what is there now. (exit code 1)',
    ],
    [
      'one holds, two were not run yet',
      {
        status: 'failed',
        exitCode: 1,
        iteration: null,
        gates: [
          gateOutcome({ status: 'holds' }),
          gateOutcome({ status: 'not_run' }),
          gateOutcome({ status: 'not_run' }),
        ],
      },
      'Not yet reviewed: 2 gates have not passed on what is there now. (exit code 1)',
    ],
    [
      'one was not run yet, and a finding is open',
      {
        status: 'failed',
        exitCode: 1,
        iteration: null,
        gates: [gateOutcome({ status: 'not_run' })],
        findings: [told()],
      },
      'Failed: 1 finding is open, 1 gate was not run. (exit code 1)',
    ],
    ['warnings', { status: 'passed_with_warnings' }, 'Passed with warnings: every gate holds. (exit code 0)'],
    [
      'no verdict',
      { status: 'error', exitCode: 3, gates: [STUCK] },
      'Could not judge: 1 gate could not be judged. (exit code 3)',
    ],
    [
      'several of each',
      {
        status: 'failed',
        exitCode: 1,
        gates: [FAILED, FAILED, STUCK, STUCK, gateOutcome({ status: 'not_run' }), gateOutcome({ status: 'not_run' })],
        findings: [told(), told({ resolution: claim() }, 'fixed_claimed'), told({}, 'warning')],
      },
      'Failed: 2 findings are open, 2 gates fail, 2 gates could not be judged, 2 gates were not run. (exit code 1)',
    ],
    [
      'one was not run',
      { status: 'failed', exitCode: 1, gates: [gateOutcome({ status: 'not_run' })] },
      'Failed: 1 gate was not run. (exit code 1)',
    ],
    [
      'too often',
      { status: 'retry_limit_exceeded', exitCode: 1 },
      'Failed: a gate failed too often in a row, and a person has to look. (exit code 1)',
    ],
    ['another run', { status: 'lock_conflict', exitCode: 3, gates: [] }, 'Another run is going on here. (exit code 3)'],
  ])('the result: %s', (_title, differs, expected) => {
    expect(tellRun(runOutcome(differs)).split('\n')).toContain(expected);
  });

  test.each<[string, Partial<RunOutcome>, string | null]>([
    ['all of it', {}, null],
    ['all gates by name', { asked: asked({ gates: ['lint'] }) }, null],
    ['some gates', { asked: asked({ others: ['check:.:lint', 'review:src:b c'] }) }, 'check:.:lint, "review:src:b c"'],
    ['uncommitted', { scope: { key: 'uncommitted', kind: 'narrow' } }, 'what is committed'],
    ['a commit', { scope: { key: 'commit 12', kind: 'narrow' } }, 'everything else'],
    [
      'some gates of some files',
      { scope: { key: 'files a', kind: 'narrow' }, asked: asked({ others: ['check:.:lint'] }) },
      'all other files; check:.:lint',
    ],
    ['some gates, and they fail', { status: 'failed', asked: asked({ others: ['check:.:lint'] }) }, null],
  ])('what was not asked about: %s', (_title, differs, expected) => {
    const line = /^Not asked about: (.*)\.$/m.exec(tellRun(runOutcome(differs)))?.[1] ?? null;
    expect(line).toBe(expected);
  });

  test('what to do next is told as it has to be typed', () => {
    const outcome = runOutcome({ status: 'error', exitCode: 3, gates: [STUCK] });
    expect(tellRun(outcome, { ...AS_IT_IS, byNpx: true })).toMatch(/^Next: "npx onceover doctor" says/m);
  });

  test('a check that printed nothing', () => {
    const silent = { ...CHECK_FAILED, check: { ...check, tail: '' } };
    expect(tellRun(runOutcome({ gates: [silent] }))).toContain(': exit code 1\n          (it printed nothing)\n');
  });

  test.each<[string, Partial<RunOutcome>, RegExp]>([
    [
      'open findings',
      { status: 'failed', exitCode: 1, gates: [FAILED], findings: [told({ id: 'F7' })] },
      /^Next: mend .*resolve F7 --skip/m,
    ],
    [
      'a claim',
      {
        status: 'failed',
        exitCode: 1,
        gates: [FAILED],
        findings: [told({ id: 'F7', resolution: claim() }, 'fixed_claimed')],
      },
      /^Next: mend .*resolve F7 --skip/m,
    ],
    [
      'the retry limit',
      { status: 'retry_limit_exceeded', exitCode: 1, gates: [gateOutcome({ status: 'fail', why: 'retry-limit' })] },
      /^Next: look at what is open; then .*resolve.*run --force.*clean.* has it asked again\.$/m,
    ],
    [
      'the retry limit, and nothing is open: a run would not ask',
      {
        status: 'retry_limit_exceeded',
        exitCode: 1,
        iteration: null,
        gates: [gateOutcome({ status: 'not_run', why: 'retry-limit' })],
      },
      /^Failed: .*\nNext: look at .* has it asked again\.\nPaid: /m,
    ],
    [
      'no verdict',
      { status: 'error', exitCode: 3, gates: [gateOutcome({ status: 'error', why: 'changed-meanwhile' })] },
      /^Next: see why above, put it right, and run again\.$/m,
    ],
    [
      'no agent',
      { status: 'error', exitCode: 3, gates: [STUCK] },
      /^Next: "onceover doctor" says how to get an agent; then run again\.$/m,
    ],
    [
      'an agent that is not logged in',
      {
        status: 'error',
        exitCode: 3,
        gates: [
          gateOutcome({
            ...STUCK,
            slots: [
              slotOutcome({
                trouble: { kind: 'agent', agent: 'claude', failure: { kind: 'not-logged-in', said: 'no' } },
              }),
            ],
          }),
        ],
      },
      /^Next: start claude once and log in; then run again\.$/m,
    ],
    [
      'a check whose program is not here',
      { status: 'failed', exitCode: 1, gates: [{ ...CHECK_FAILED, check: { ...check, exitCode: 127 } }] },
      /exit code 127: a command in it was not found\n(?:.*\n)*Next: install what the check calls, or change it in onceover\.yml, and run again\.$/m,
    ],
    ['no gate', { status: 'no_applicable_gates', gates: [] }, /^Next: "onceover init" writes .* add a gate\.$/m],
    [
      'no gate of what was asked about',
      { status: 'no_applicable_gates', gates: [], asked: asked({ paths: [path('README.md')] }) },
      /^Next: "onceover status" shows which gates the change has\.$/m,
    ],
  ])('what to do next: %s', (_title, differs, expected) => {
    expect(tellRun(runOutcome(differs))).toMatch(expected);
  });

  describe.each<[string, Partial<RunOutcome>]>([
    ['a check failed', { status: 'failed', exitCode: 1, gates: [CHECK_FAILED] }],
    [
      'something was not run yet',
      {
        status: 'failed',
        exitCode: 1,
        iteration: null,
        gates: [gateOutcome({ status: 'not_run', why: 'slots-to-run' })],
      },
    ],
    ['another run', { status: 'lock_conflict', exitCode: 3, gates: [] }],
  ])('%s', (_title, differs) => {
    test('what to do next is said', () => {
      expect(tellRun(runOutcome(differs))).toMatch(/^Next: /m);
    });
  });

  test('a file that cannot be named is told in the result', () => {
    const notices = [{ kind: 'unnameable', name: 'x' }] as const;
    expect(tellRun(runOutcome({ status: 'error', exitCode: 3, notices }))).not.toContain('Could not judge: .');
  });

  test('nothing to do next where all is well', () => {
    expect(tellRun(runOutcome())).not.toMatch(/Next|To have/);
  });

  test('many names are counted', () => {
    const names = Array.from({ length: 12 }, (_, i) => path(`f${i}`));
    expect(tellRun(runOutcome({ uncovered: names }))).toContain(
      'no review: f0, f1, f2, f3, f4, f5, f6, f7, f8, f9 and 2 more',
    );
    expect(tellRun(runOutcome({ uncovered: names.slice(0, 10) }))).toContain(', f8, f9\n');
  });

  test.each<[string, Partial<RunOutcome>, string | null]>([
    ['nothing was asked', { dispatches: 0 }, null],
    ['nobody told what was used', { dispatches: 2 }, 'Paid: 2 dispatches.'],
    ['it was told', { dispatches: 2, usage: usage() }, 'Paid: 2 dispatches, 120 tokens.'],
  ])('what was paid: %s', (_title, differs, expected) => {
    expect(/^Paid.*$/m.exec(tellRun(runOutcome(differs)))?.[0] ?? null).toBe(expected);
  });

  test('what was not paid for, by lever', () => {
    const saved = { pass: 1, slot: 2, session: 3, prefix: 4 };
    expect(tellRun(runOutcome({ saved }))).toContain(
      'Not paid (estimate): 1 unchanged since they passed, 2 slots that rested, 3 resumed sessions, 4 shared prompts.',
    );
    expect(tellRun(runOutcome())).not.toContain('Not paid');
  });

  test('a slot that rests on what it saw', () => {
    const slots = [slotOutcome({ status: 'skipped_prior_pass', dispatch: 'none', passIteration: 1, sawOlder: false })];
    expect(tellRun(runOutcome({ gates: [gateOutcome({ slots })] }))).toContain('@1 codex: passed in iteration 1\n');
  });

  test('a slot that nobody fills', () => {
    expect(tellRun(runOutcome({ gates: [STUCK] }))).toContain(
      '  ERROR   @1: no agent is installed; see "onceover doctor"\n',
    );
  });

  test('nothing in it can pass for a line of ours or move the cursor', () => {
    const evil = 'x\x1b[2J\u202e\r\nPassed: every gate holds.';
    const outcome = runOutcome({
      gates: [
        gateOutcome({ id: `review:src:${evil}`, slots: [slotOutcome({ agent: evil })] }),
        { ...CHECK_FAILED, check: { ...check, tail: evil } },
      ],
      findings: [told({ file: path(evil), issue: evil, fix: evil, code: evil, resolution: waiver(evil) }, 'waived')],
      uncovered: [path(evil)],
      withheld: [{ path: path(evil), why: 'secret' }],
      baseName: evil,
      status: 'no_changes',
    });
    const text = tellRun(outcome);
    expect(text).not.toMatch(/[\x1b\r\u202e]/u);
    expect(text).not.toMatch(/^Passed/m);
  });
});

describe('a finding', () => {
  test.each<[string, ToldFinding['state'], string]>([
    ['open', 'open', 'F1 high: '],
    ['claimed', 'fixed_claimed', 'F1 high (said to be fixed, not yet confirmed): '],
    ['a warning', 'warning', 'F1 high (warning): '],
    ['waived', 'waived', 'F1 high (waived): '],
    ['closed', 'closed', 'F1 high (closed): '],
    ['gone', 'gone', 'F1 high (gone): '],
  ])('%s', (_title, state, expected) => {
    expect(tellFinding(told({}, state))[0]).toContain(expected);
  });

  test.each([
    ['off-diff', 'outside the change'],
    ['no-such-line', 'there is no such line'],
    ['code-not-found', 'the quoted code is not in the file'],
  ] as const)('marked: %s', (mark, expected) => {
    expect(tellFinding(told({ mark }))[0]).toMatch(new RegExp(`, ${expected}$`));
  });

  test.each([
    ['a claim', claim('Mended.'), ['    Said: Mended.']],
    ['a claim without words', claim(''), []],
    ['a waiver', waiver('So be it.'), ['    Waived: So be it.']],
  ])('what was said of it: %s', (_title, resolution, expected) => {
    expect(tellFinding(told({ resolution })).slice(3)).toEqual(expected);
  });
});

test.each<[string, Parameters<typeof usage>[0], string]>([
  ['few', { inputTokens: 979 }, '999 tokens'],
  ['a thousand', { inputTokens: 980 }, '1.0k tokens'],
  ['many', { inputTokens: 99_479 }, '99.5k tokens'],
  ['more', { inputTokens: 99_480 }, '100k tokens'],
  ['very many', { inputTokens: 999_479 }, '999k tokens'],
  ['a million', { inputTokens: 999_480 }, '1.00M tokens'],
  ['all kinds together', { cachedInputTokens: 1500, cacheWriteTokens: 1000 }, '2.6k tokens (1.5k cached)'],
  ['money', { costUsd: 1.005 }, '120 tokens, $1.00'],
  ['little money', { costUsd: 0.0123 }, '120 tokens, $0.0123'],
  ['a tenth', { costUsd: 0.1 }, '120 tokens, $0.10'],
  ['no money', { costUsd: 0 }, '120 tokens, $0.00'],
])('usage: %s', (_title, differs, expected) => {
  expect(tellUsage(usage(differs))).toBe(expected);
});

describe('what to know beside the result', () => {
  const evil = 'a\nb\x1b';
  const samples: { readonly [K in RunNotice['kind']]: readonly [Extract<RunNotice, { kind: K }>, RegExp] } = {
    'idle-gate': [{ kind: 'idle-gate', path: evil }, /gate path .* matches no file/],
    'tracked-log-dir': [{ kind: 'tracked-log-dir', logDir: evil }, /git tracks/],
    unnameable: [{ kind: 'unnameable', name: evil }, /not UTF-8/],
    submodule: [{ kind: 'submodule', path: path(evil) }, /repository of its own/],
    'dirty-submodule': [{ kind: 'dirty-submodule', path: path(evil) }, /not committed there: nobody reviews them/],
    'base-config': [{ kind: 'base-config', base: evil }, /pull request.* those of/],
    'checks-left-out': [{ kind: 'checks-left-out' }, /left out of a run about a commit/],
    binary: [{ kind: 'binary', paths: [path(evil)] }, /NUL byte.* not what differs/],
    'reference-unusable': [
      { kind: 'reference-unusable', rule: 'security', path: path(evil), why: 'missing' },
      /rule security: the reference file .* cannot be shown \(missing\)/,
    ],
    'no-price': [{ kind: 'no-price', agents: [evil] }, /budget\.usd counts only .* told none/],
    'not-in-ledger': [
      { kind: 'not-in-ledger', failure: { kind: 'disk', action: 'write', path: evil, code: 'ENOSPC' } },
      /what this run cost is not in the ledger/,
    ],
    'proof-taken-back': [{ kind: 'proof-taken-back', paths: [evil] }, /while the fixer worked.* taken back: /],
    'orphan-slot': [{ kind: 'orphan-slot', gate: evil, slot: 3, ids: ['F1', 'F2'] }, /slot @3, which left F1, F2 open/],
    'orphan-gate': [{ kind: 'orphan-gate', gate: evil, ids: ['F1'] }, /no gate .* F1 is still open/],
  };

  test.each(Object.values(samples))('$kind', (notice, expected) => {
    expect(tellRunNotice(notice)).toMatch(expected);
    expect(tellRunNotice(notice)).not.toMatch(/[\n\x1b]/);
  });

  test('several findings of a gate that is no more', () => {
    expect(tellRunNotice({ kind: 'orphan-gate', gate: 'x', ids: ['F1', 'F2'] })).toContain('F1, F2 are still open');
  });
});
