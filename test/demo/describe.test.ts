import { describe, expect, test } from 'vitest';
import { summariseCost } from '../../src/cost/summarise.ts';
import type { DemoStyle } from '../../src/demo/describe.ts';
import { describeDemoBeginning, describeDemoEnd, describeDemoRun } from '../../src/demo/describe.ts';
import type { DemoOutcome } from '../../src/demo/project.ts';
import type { RunOutcome } from '../../src/gates/run-types.ts';
import { cells } from '../../src/ui/layout.ts';
import { PLAIN } from '../../src/ui/style.ts';
import { ledgerRun, ledgerSlot, spared } from '../support/ledger-samples.ts';
import { finding, gateOutcome, path, runOutcome, slotOutcome, usage } from '../support/run-samples.ts';

const STYLE: DemoStyle = { paint: PLAIN, width: 80 };
const used = usage({ inputTokens: 1500, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 100 });
const GATE = 'review:src:code';

const own = finding({ gate: GATE, file: path('src/cart.ts'), line: 33, issue: 'An empty cart throws.', since: 1 });

const FIRST: RunOutcome = runOutcome({
  status: 'failed',
  exitCode: 1,
  usage: used,
  gates: [
    gateOutcome({ id: GATE, status: 'fail', slots: [slotOutcome({ agent: 'careful', status: 'fail', usage: used })] }),
  ],
  findings: [{ finding: own, state: 'open' }],
});
const SECOND: RunOutcome = runOutcome({
  iteration: 2,
  saved: { pass: 0, slot: 400, session: 1200, prefix: 0 },
  gates: [
    gateOutcome({
      id: GATE,
      slots: [
        slotOutcome({ agent: 'careful', dispatch: 'resumed', usage: { ...used, inputTokens: 200 } }),
        slotOutcome({ slot: 2, agent: 'exact', status: 'skipped_prior_pass', dispatch: 'none', passIteration: 1 }),
      ],
    }),
    gateOutcome({
      id: 'review:docs:docs',
      status: 'holds',
      slots: [slotOutcome({ agent: 'careful', dispatch: 'none' })],
    }),
  ],
  findings: [{ finding: own, state: 'closed' }],
});

const OUTCOME: DemoOutcome = {
  runs: [FIRST, SECOND],
  strayed: null,
  cost: summariseCost(
    [
      ledgerRun({ slots: [ledgerSlot({ usage: used })] }),
      ledgerRun({
        iteration: 2,
        slots: [ledgerSlot({ dispatch: 'resumed', usage: { ...used, inputTokens: 200 } })],
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

const PLANTED = [{ file: 'src/cart.ts', line: 33, code: '.reduce(add)' }];

describe('the text of the demo', () => {
  test('says first that the reviewers are scripted, and where the mistakes are', () => {
    const text = describeDemoBeginning(PLANTED, STYLE);
    expect(text.replace(/\s+/g, ' ')).toContain('The reviewers are scripted, so no model, key or network is needed');
    expect(text).toContain('\n  src/cart.ts:33  .reduce(add)\n');
  });

  test('describes each reviewer of a run, the result and the reason', () => {
    expect(describeDemoRun(1, FIRST, STYLE)).toMatchInlineSnapshot(`
      "
      Run 1: the change is new

        code @1 careful   FAIL     new session, reads the whole diff (1.6k tokens)
            F1 src/cart.ts:33  An empty cart throws.

        Result: failed with 1 open finding (exit code 1)
        Why: no reviewer has seen this change, so all three review all of it."
    `);
    expect(describeDemoRun(2, SECOND, STYLE)).toMatchInlineSnapshot(`
      "
      Run 2: F1 is fixed, F2 is not

        code @1 careful   pass     resumed, reads only what changed (300 tokens)
            F1 is fixed
        code @2 exact     skipped  passed in run 1
        docs @1 careful   skipped  unchanged since it passed

        Result: passed (exit code 0)
        Why: one line of code changed, so both reviewers of "code" resume their
             sessions and read only that line. The page is unchanged. F2 stays open
             until the reviewer that found it sees the fix."
    `);
  });

  test('does not repeat the text of an earlier finding', () => {
    const again = describeDemoRun(2, { ...FIRST, iteration: 2 }, STYLE);
    expect(again).toContain('\n      F1 src/cart.ts:33  still open\n');
  });

  test('ends with the cost, the savings and the next command', () => {
    expect(describeDemoEnd(OUTCOME, STYLE)).toMatchInlineSnapshot(`
      "
      What the runs cost

        Reviews: 2 ran, 1 skipped.
        Tokens used: 1.9k. Saved: about 1.6k (46 %):
            400  1 review skipped, because that reviewer had already passed
           1.2k  1 review resumed a session, and read only what changed
        Tokens are estimated: one per four characters that were sent or received. A
        model also reads files. "onceover cost" shows the real numbers of your runs.

      Why you can trust the pass
        - Run 2 did not pass, because one finding was still open.
        - Run 3 passed, because every review has a reviewer that has seen the current
          code.
        - Run 4 skipped all reviewers, because nothing had changed. After any change,
          reviewers run again.

      To explore the repository of the demo:
        onceover demo --keep
      Next, in your own repository:
        onceover init"
    `);
  });

  test('names the kept repository and commands to try in it', () => {
    const kept = { ...OUTCOME, folder: '/tmp/onceover-demo-x', program: 'node /a/cli.mjs' };
    const text = describeDemoEnd(kept, STYLE);
    expect(text).toMatch(/^ {2}cd \/tmp\/onceover-demo-x$/m);
    for (const command of ['status', 'explain F2', 'cost']) expect(text).toContain(`  node /a/cli.mjs ${command}\n`);
  });

  test('reports a run that did not go as planned', () => {
    const text = describeDemoEnd({ ...OUTCOME, strayed: 2 }, STYLE);
    expect(text).toContain('Run 2 did not go as planned');
    expect(text).not.toContain('trust');
  });

  test.each([20, 64, 80, 140, 500])('fits a terminal of %d columns, but never less than 80', (width) => {
    const style = { ...STYLE, width };
    const text = [
      describeDemoBeginning(PLANTED, style),
      ...OUTCOME.runs.map((run, i) => describeDemoRun(i + 1, run, style)),
      describeDemoEnd(OUTCOME, style),
      describeDemoEnd({ ...OUTCOME, folder: '/tmp/onceover-demo-x' }, style),
    ].join('\n');
    const most = Math.min(96, Math.max(80, width));
    for (const line of text.split('\n')) expect(cells(line)).toBeLessThanOrEqual(most);
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
  });
});
