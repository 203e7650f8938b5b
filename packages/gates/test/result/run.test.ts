import { describePaid } from '@onceover/agents/ledger/describe';
import { UNSTYLED } from '@onceover/base/ui/style';
import {
  CHECK_FAILED,
  failedCheck,
  gateOutcome,
  path,
  reported,
  runOutcome,
  STUCK,
  slotOutcome,
  usage,
  waiver,
} from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { type Amount, describeRun } from '../../src/result/describe/run.ts';
import type { RunOutcome } from '../../src/result/types.ts';

const SKIPPED = slotOutcome({
  status: 'skipped_prior_pass',
  dispatch: 'none',
  why: 'passed-before',
  passIteration: 1,
  sawOlder: true,
});
const EVERYTHING = runOutcome({
  status: 'failed',
  exitCode: 1,
  iteration: 2,
  gates: [
    gateOutcome({ id: 'rule:.:style:a b.py', kind: 'rule', status: 'holds', why: 'unchanged-since-pass', slots: [] }),
    CHECK_FAILED,
    gateOutcome({
      status: 'fail',
      why: 'open-findings',
      slots: [
        SKIPPED,
        slotOutcome({ slot: 2, agent: 'claude', status: 'fail', dispatch: 'resumed', why: 'delta', usage: usage() }),
      ],
    }),
    gateOutcome({ id: 'review:src:security' }),
  ],
  findings: [
    reported({ id: 'F1', priority: 'medium', code: 'a = 1;\n  b;', fix: 'Remove it.', mark: 'off-diff' }),
    reported({ id: 'F2', file: null, line: null, code: null }, 'warning'),
    reported({ id: 'F3', code: null, resolution: waiver('It has to be so.') }, 'waived'),
    reported({ id: 'F4' }, 'closed'),
    reported({ id: 'F5' }, 'gone'),
    reported({ id: 'F6', priority: 'critical', code: null, slot: 2 }),
  ],
  uncovered: [path('README.md')],
  withheld: [
    { path: path('.env'), why: 'secret' },
    { path: path('big.bin'), why: 'too-large' },
    { path: path('inner'), why: 'repository' },
  ],
  usage: usage({ costUsd: 0.25 }),
  dispatches: 1,
  saved: { pass: 1200, slot: 100, session: 0, prefix: 0, reading: 0 },
});
const VERDICT = `Failed: 1 open finding in 1 gate, 1 failed check (exit code 1)
Next: fix the open finding and the failed check, then run "onceover run" again.
To waive the finding instead: onceover resolve F6 --skip "reason"`;

describe('the result of a run', () => {
  test('shows open findings, then gates, then the rest, then the verdict', () => {
    expect(describeRun(EVERYTHING)).toBe(`1 open finding

F6, F1 critical  src/a.ts:1  It is wrong.
              | a = 1;
              |   b;
              review:src:code-quality, reviewer 2 (claude), since run 1
              Also reported as F1, medium: It is wrong.
              Fix: Remove it.
              review:src:code-quality, reviewer 1 (claude), since run 1, outside the change

FAILED   check:.:lint             npm run lint: exit code 1
         first
         last\\u001b[31m
FAILED   review:src:code-quality  1 open finding
         reviewer 1 (codex): skipped (already passed in run 1, before the latest changes)
passed   review:src:security
passed   "rule:.:style:a b.py"    unchanged since it passed

F2  high      no location (warning)  It is wrong.
1 waived finding (show with --verbose)
Closed in this run: F4.
1 changed file is not covered by any review: README.md
Not shown to reviewers (look like secrets): .env
Not shown to reviewers (untracked and over 5 MiB): big.bin
Not shown to reviewers (nested repositories without a commit): inner

${VERDICT}
${describePaid(EVERYTHING).join('\n')}`);
  });

  test('shows every reviewer and waived finding with --verbose', () => {
    const text = describeRun(EVERYTHING, UNSTYLED, 'verbose');
    expect(text).toContain(`FAILED   review:src:code-quality  1 open finding
         reviewer 1 (codex): skipped (already passed in run 1, before the latest changes)
         reviewer 2 (claude): FAILED, resumed session (sent only the changes since its last review), 120 tokens
passed   review:src:security
         reviewer 1 (codex): passed, new session (first review)
`);
    expect(text).toContain(`F3  high      src/a.ts:1 (waived)  It is wrong.
              Waived by ann: It has to be so.
`);
    expect(text).not.toContain('--verbose');
  });

  test('shows only open findings and the verdict with --quiet', () => {
    const blocks = describeRun(EVERYTHING, UNSTYLED, 'quiet').split('\n\n');
    expect(blocks).toEqual(['1 open finding', expect.stringMatching(/^F6, F1 critical/), VERDICT]);
    expect(describeRun(runOutcome(), UNSTYLED, 'quiet')).toBe('Passed: 1 gate (exit code 0)');
  });

  test('stays within the width and about one screen', () => {
    const lines = describeRun(EVERYTHING, { ...UNSTYLED, width: 120 }).split('\n');
    expect(lines.length).toBeLessThanOrEqual(32);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120);
  });

  const many = (number: number) =>
    runOutcome({
      status: 'failed',
      exitCode: 1,
      findings: Array.from({ length: number }, (_, n) => reported({ id: `F${n + 1}`, fix: 'Remove it.' })),
    });
  const shown = (number: number, width: number | null, amount: Amount = 'normal') => {
    const text = describeRun(many(number), { ...UNSTYLED, width }, amount);
    return {
      listed: text.match(/^F\d+ /gm)?.length,
      fixes: text.match(/Fix: /g)?.length ?? 0,
      more: /^.*: onceover status --verbose$/m.exec(text)?.[0] ?? null,
    };
  };
  test.each<[string, ReturnType<typeof shown>, ReturnType<typeof shown>]>([
    ['a few on a terminal have code and fixes', shown(6, 100), { listed: 6, fixes: 6, more: null }],
    [
      'many on a terminal have one line each',
      shown(7, 100),
      { listed: 7, fixes: 0, more: 'All open findings, with code and fixes: onceover status --verbose' },
    ],
    [
      'very many on a terminal are counted',
      shown(50, 100),
      { listed: 15, fixes: 0, more: 'All open findings, with code and fixes: onceover status --verbose' },
    ],
    ['--verbose shows all on a terminal', shown(50, 100, 'verbose'), { listed: 50, fixes: 50, more: null }],
    ['a pipe gets all', shown(50, null), { listed: 50, fixes: 50, more: null }],
  ])('findings: %s', (_title, actual, expected) => {
    expect(actual).toEqual(expected);
  });

  test('counts the rest of many passed gates', () => {
    const gates = Array.from({ length: 12 }, (_, n) => gateOutcome({ id: `review:src:g${n}` }));
    const text = describeRun(runOutcome({ gates: [...gates, CHECK_FAILED] }));
    expect(text).toContain('passed   review:src:g8\npassed   3 more gates (show with --verbose)\n');
    expect(text.match(/^FAILED/gm)).toHaveLength(1);
    expect(describeRun(runOutcome({ gates: gates.slice(0, 9) }))).not.toContain('more gates');
    expect(describeRun(runOutcome({ gates }), UNSTYLED, 'verbose')).toContain('review:src:g11');
  });

  test('counts the rest of many warnings', () => {
    const findings = Array.from({ length: 5 }, (_, n) => reported({ id: `F${n + 1}` }, 'warning'));
    expect(describeRun(runOutcome({ findings }))).toContain('\n2 more warnings (show with --verbose)\n');
  });

  test('shows the end of a check, and all of it with --verbose or in a pipe', () => {
    const tail = Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\n');
    const outcome = runOutcome({ gates: [{ ...CHECK_FAILED, check: { ...failedCheck, tail } }] });
    const lines = (width: number | null, amount: Amount = 'normal') =>
      describeRun(outcome, { ...UNSTYLED, width }, amount).match(/^ {9}line/gm)?.length;
    expect([lines(80), lines(80, 'verbose'), lines(null)]).toEqual([10, 30, 30]);
  });

  test('says so if a check printed nothing', () => {
    const silent = { ...CHECK_FAILED, check: { ...failedCheck, tail: '' } };
    expect(describeRun(runOutcome({ gates: [silent] }))).toContain(': exit code 1\n         (no output)\n');
  });

  test('shows why a reviewer did not run', () => {
    expect(describeRun(runOutcome({ gates: [STUCK] }))).toContain(
      'ERROR    review:src:code-quality  the review has no result\n         reviewer 1: ERROR: no agent is installed; see "onceover doctor"\n',
    );
  });

  test('names a reviewer that was skipped, and not one that passed', () => {
    const text = describeRun(runOutcome({ gates: [gateOutcome({ slots: [SKIPPED, slotOutcome({ slot: 2 })] })] }));
    expect(text).toContain('code-quality\n         reviewer 1 (codex): skipped (already passed in run 1');
    expect(text).not.toContain('reviewer 2');
  });

  test('lists five file names, and all with --verbose', () => {
    const uncovered = Array.from({ length: 12 }, (_, n) => path(`f${n}`));
    expect(describeRun(runOutcome({ uncovered }))).toContain(
      '12 changed files are not covered by any review: f0, f1, f2, f3, f4 and 7 more\n',
    );
    expect(describeRun(runOutcome({ uncovered }), UNSTYLED, 'verbose')).toContain(', f10, f11\n');
  });

  test('shows commands as an npx user has to type them', () => {
    const styled = { ...UNSTYLED, byNpx: true };
    expect(describeRun(runOutcome({ status: 'error', exitCode: 3, gates: [STUCK] }), styled)).toMatch(
      /^Next: run "npx onceover doctor" to see/m,
    );
    expect(describeRun(EVERYTHING, styled)).toContain('instead: npx onceover resolve F6');
    expect(describeRun(many(9), { ...styled, width: 80 })).toContain(': npx onceover status --verbose');
  });

  test.each<[string, Partial<RunOutcome>]>([
    ['no calls', { dispatches: 0 }],
    ['calls without usage', { dispatches: 2 }],
    ['calls with usage', { dispatches: 2, usage: usage() }],
    ['savings', { saved: { pass: 1, slot: 2, session: 3, prefix: 4, reading: 0 } }],
  ])('ends with the cost: %s', (_title, differs) => {
    const outcome = runOutcome(differs);
    expect(
      describeRun(outcome)
        .split('\n')
        .slice(1 + describeRun(outcome).split('\n').indexOf('Passed: 1 gate (exit code 0)')),
    ).toEqual(describePaid(outcome));
  });

  test('no text from outside can look like a line of onceover or move the cursor', () => {
    const evil = 'x\x1b[2J\u202e\r\nPassed: all gates';
    const outcome = runOutcome({
      gates: [
        gateOutcome({ id: `review:src:${evil}`, slots: [slotOutcome({ agent: evil, status: 'error' })] }),
        { ...CHECK_FAILED, check: { ...failedCheck, tail: evil } },
      ],
      findings: (['open', 'waived', 'warning'] as const).map((state) =>
        reported(
          { file: path(evil), issue: evil, fix: evil, code: evil, agent: evil, resolution: waiver(evil) },
          state,
        ),
      ),
      uncovered: [path(evil)],
      withheld: [{ path: path(evil), why: 'secret' }],
      baseName: evil,
      status: 'no_changes',
    });
    for (const amount of ['quiet', 'normal', 'verbose'] as const) {
      const text = describeRun(outcome, UNSTYLED, amount);
      expect(text).not.toMatch(/[\x1b\r\u202e]/u);
      expect(text).not.toMatch(/^Passed/m);
    }
  });
});
