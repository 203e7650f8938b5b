import { cells } from '@onceover/base/ui/layout';
import { PLAIN } from '@onceover/base/ui/style';
import { summariseCost } from '@onceover/gates/cost/summarise';
import type { RunOutcome } from '@onceover/gates/result/types';
import { ledgerRun, ledgerSlot, spared } from '@onceover/testing/ledger-samples.ts';
import { finding, gateOutcome, path, runOutcome, slotOutcome, usage } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import type { DemoStyle } from '../../src/demo/describe.ts';
import { describeDemoBeginning, describeDemoEnd, describeDemoRun } from '../../src/demo/describe.ts';
import type { DemoOutcome } from '../../src/demo/project.ts';

const STYLE: DemoStyle = { paint: PLAIN, width: 80 };
const tokenUsage = usage({ inputTokens: 1500, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 100 });
const GATE = 'review:src:code';

const openFinding = finding({
  gate: GATE,
  file: path('src/cart.ts'),
  line: 33,
  issue: 'An empty cart throws.',
  since: 1,
});

const FIRST: RunOutcome = runOutcome({
  status: 'failed',
  exitCode: 1,
  usage: tokenUsage,
  gates: [
    gateOutcome({
      id: GATE,
      status: 'fail',
      slots: [slotOutcome({ agent: 'careful', status: 'fail', usage: tokenUsage })],
    }),
  ],
  findings: [{ finding: openFinding, state: 'open' }],
});
const SECOND: RunOutcome = runOutcome({
  iteration: 2,
  saved: { pass: 0, slot: 400, session: 1200, prefix: 0, reading: 0 },
  gates: [
    gateOutcome({
      id: GATE,
      slots: [
        slotOutcome({ agent: 'careful', dispatch: 'resumed', usage: { ...tokenUsage, inputTokens: 200 } }),
        slotOutcome({ slot: 2, agent: 'exact', status: 'skipped_prior_pass', dispatch: 'none', passIteration: 1 }),
      ],
    }),
    gateOutcome({
      id: 'review:docs:docs',
      status: 'holds',
      slots: [slotOutcome({ agent: 'careful', dispatch: 'none' })],
    }),
  ],
  findings: [{ finding: openFinding, state: 'closed' }],
});

const OUTCOME: DemoOutcome = {
  runs: [FIRST, SECOND],
  strayed: null,
  cost: summariseCost(
    [
      ledgerRun({ slots: [ledgerSlot({ usage: tokenUsage })] }),
      ledgerRun({
        iteration: 2,
        slots: [ledgerSlot({ dispatch: 'resumed', usage: { ...tokenUsage, inputTokens: 200 } })],
        spared: [spared({ lever: 'slot', tokens: 400 }), spared({ lever: 'session', tokens: 1200 })],
      }),
    ],
    { since: null, branch: null },
    0,
    () => null,
  ),
  shared: { looks: 1, tokens: 1300 },
  folder: null,
  program: 'onceover',
  durationMs: 1200,
};

describe('the text of the demo', () => {
  test('says first that the reviewers are scripted', () => {
    const text = describeDemoBeginning(STYLE);
    expect(text.replace(/\s+/g, ' ')).toContain('The reviewers are scripted, so no model, key or network is needed');
    expect(text).toContain('It has two mistakes');
  });

  test('shows what a run prints, and the reason', () => {
    expect(describeDemoRun(1, FIRST, STYLE)).toMatchInlineSnapshot(`
      "
      Run 1: the change is new

      1 open finding

      F1  high      src/cart.ts:33  An empty cart throws.
                    | a = 1
                    review:src:code, reviewer 1 (claude), since run 1

      FAILED   review:src:code

      Failed: 1 open finding in 1 gate (exit code 1)
      Next: fix the open finding, then run "onceover run" again.
      To waive the finding instead: onceover resolve F1 --skip "reason"
      Paid: 1 call, 1.6k tokens.

      Why: no reviewer has seen this change, so all three review all of it."
    `);
    expect(describeDemoRun(2, SECOND, STYLE)).toMatchInlineSnapshot(`
      "
      Run 2: F1 is fixed, F2 is not

      passed   review:src:code
               reviewer 2 (exact): skipped (already passed in run 1)
      passed   review:docs:docs

      Closed in this run: F1.

      Passed: all 2 gates (exit code 0)
      Paid: 1 call.
      Saved (estimated tokens): 400 by skipping reviewers that passed, 1.2k by
        resuming sessions.

      Why: one line of code changed, so both reviewers of "code" resume their sessions
           and read only that line. The page is unchanged. F2 stays open until the
           reviewer that found it sees the fix."
    `);
  });

  test('ends with the cost, the savings and the next command', () => {
    expect(describeDemoEnd(OUTCOME, STYLE)).toMatchInlineSnapshot(`
      "
      What the four runs cost

      Reviews: 2 ran (1 in resumed sessions), 1 skipped.
      Tokens used: 1.9k. Saved: about 1.6k (46 %).
      Tokens are estimated: one per four characters that were sent or received. A real
      model also reads files, so it uses more. "onceover cost" shows the real numbers
      of your runs.

      To explore the repository of the demo:
        onceover demo --keep
      Next, in your own repository:
        onceover init"
    `);
  });

  test('names the kept repository and commands to try in it', () => {
    const keptDemo = { ...OUTCOME, folder: '/tmp/onceover-demo-x', program: 'node /a/cli.mjs' };
    const text = describeDemoEnd(keptDemo, STYLE);
    expect(text).toMatch(/^ {2}cd \/tmp\/onceover-demo-x$/m);
    for (const command of ['status', 'explain F2', 'cost']) expect(text).toContain(`  node /a/cli.mjs ${command}\n`);
  });

  test('reports a run that did not go as planned', () => {
    const text = describeDemoEnd({ ...OUTCOME, strayed: 2 }, STYLE);
    expect(text).toContain('Run 2 did not go as planned');
    expect(text).not.toContain('Tokens');
  });

  test.each([20, 64, 80, 140, 500])('fits a terminal of %d columns, but never less than 80', (width) => {
    const style = { ...STYLE, width };
    const text = [
      describeDemoBeginning(style),
      ...OUTCOME.runs.map((run, i) => describeDemoRun(i + 1, run, style)),
      describeDemoEnd(OUTCOME, style),
      describeDemoEnd({ ...OUTCOME, folder: '/tmp/onceover-demo-x' }, style),
    ].join('\n');
    const limit = Math.min(96, Math.max(80, width));
    for (const line of text.split('\n')) expect(cells(line)).toBeLessThanOrEqual(limit);
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
  });
});
