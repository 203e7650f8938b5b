import { describe, expect, test } from 'vitest';
import type { DemoOutcome } from '../../src/domain/demo.ts';
import type { RunOutcome } from '../../src/domain/run.ts';
import { summariseCost } from '../../src/plan/cost.ts';
import { tellDemoBeginning, tellDemoEnd, tellDemoRun } from '../../src/text/demo.ts';
import type { DemoLooks } from '../../src/text/demo-slots.ts';
import { PLAIN } from '../../src/text/paint.ts';
import { cells } from '../../src/text/width.ts';
import { ledgerRun, ledgerSlot, spared } from '../support/ledger-samples.ts';
import { finding, gateOutcome, path, runOutcome, slotOutcome, usage } from '../support/run-samples.ts';

const LOOKS: DemoLooks = { paint: PLAIN, bars: 'blocks', width: 80 };
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
  durationMs: 1200,
};

const PLANTED = [{ file: 'src/cart.ts', line: 33, code: '.reduce(add)' }];

describe('what the demo says', () => {
  test('it says at once that the reviewers are scripted, and where the mistakes are', () => {
    const text = tellDemoBeginning(PLANTED, LOOKS);
    expect(text.replace(/\s+/g, ' ')).toContain('The reviewers are scripted, so no model, key or network is needed');
    expect(text).toContain('\n  src/cart.ts:33  .reduce(add)\n');
  });

  test('a run: who was asked and who was not, what came of it, and why', () => {
    expect(tellDemoRun(1, FIRST, LOOKS)).toMatchInlineSnapshot(`
      "
      Run 1: the change is new

        code @1 careful   FAIL   asked: first look, sent all of it         1.6k tokens
            F1 src/cart.ts:33  An empty cart throws.

        Failed: 1 finding is open, 1 gate fails. (exit code 1)
        Why: nobody has looked yet, so all three are asked, each about its whole part."
    `);
    expect(tellDemoRun(2, SECOND, LOOKS)).toMatchInlineSnapshot(`
      "
      Run 2: F1 is mended, F2 is not

        code @1 careful   pass   asked again: sent what changed             300 tokens
            F1 is closed: mended
        code @2 exact     rests  not asked: passed in run 1                   0 tokens
        docs @1 careful   holds  not asked: unchanged since it passed         0 tokens

        Passed: every gate holds. (exit code 0)
        Why: one line of code has changed, so the reviewers of code are sent that
             line, in the session that they had. The page has not changed. F2 is still
             there, and only who reported it can close it."
    `);
  });

  test('a finding that was there before is not told again', () => {
    const again = tellDemoRun(2, { ...FIRST, iteration: 2 }, LOOKS);
    expect(again).toContain('\n      F1 src/cart.ts:33  still as it was\n');
  });

  test('the end: a table, a picture of the levers, what is not counted, what is an estimate', () => {
    const text = tellDemoEnd(OUTCOME, LOOKS);
    expect(text.slice(0, text.indexOf('Why the pass'))).toMatchInlineSnapshot(`
      "
      What was saved

        run  code @1 careful    paid  not paid
        1    FAIL, whole        1.6k         0
        2    pass, delta      rests            holds                 0      1.6k
        all                     1.9k      1.6k

        Tokens paid, and not paid by lever
        paid      1.9k  ████████████████████████  2 looks, 1 of them resumed
        pass         0                            0 looks: unchanged since the pass
        slot       400  █████                     1 look: rested while another looked
        session   1.2k  ███████████████▏          1 look: resumed, sent what changed
        prefix   (1.3k) ░░░░░░░░░░░░░░░░░         not counted: a shared beginning

        Of 3 looks, 2 were asked for. Paid: 1.9k tokens. Not paid: about 1.6k, 46 % of
        the whole, if a look that is spared counts as much as that reviewer's last
        one.
        Not counted is what both reviewers of code were sent alike, the first 1.3k
        tokens: were they one agent, such as Claude Code, the second would have had
        them from its provider's cache.
        Tokens are estimated: four characters each of what was really sent and said. A
        model also reads files, and its own session again at a tenth of the price or
        so; "onceover cost" shows what yours used.

      "
    `);
    expect(text).toContain('npx onceover demo --keep');
  });

  test('with nothing alike, the prefix is a lever like the others', () => {
    const text = tellDemoEnd({ ...OUTCOME, shared: { looks: 0, tokens: 0 } }, LOOKS);
    expect(text).toMatch(/^ {2}prefix +0 +0 looks: shared the beginning$/m);
    expect(text).not.toContain('Not counted');
  });

  test('where it is kept, it says where and what to try there', () => {
    const text = tellDemoEnd({ ...OUTCOME, folder: '/tmp/onceover-demo-x' }, LOOKS);
    expect(text).toMatch(/^ {2}cd \/tmp\/onceover-demo-x$/m);
    for (const command of ['status', 'explain F2', 'cost']) expect(text).toContain(`  npx onceover ${command} `);
  });

  test('a run that strayed from the story is not explained away', () => {
    const text = tellDemoEnd({ ...OUTCOME, strayed: 2 }, LOOKS);
    expect(text).toContain('Run 2 is not what the demo was made to show');
    expect(text).not.toContain('trusted');
  });

  test.each([20, 64, 80, 140, 500])('nothing is wider than a terminal of %d columns can be laid out for', (width) => {
    for (const bars of ['blocks', 'ascii'] as const) {
      const looks = { ...LOOKS, bars, width };
      const text = [
        tellDemoBeginning(PLANTED, looks),
        ...OUTCOME.runs.map((run, i) => tellDemoRun(i + 1, run, looks)),
        tellDemoEnd(OUTCOME, looks),
        tellDemoEnd({ ...OUTCOME, folder: '/tmp/onceover-demo-x' }, looks),
      ].join('\n');
      const most = Math.min(96, Math.max(80, width));
      for (const line of text.split('\n')) expect(cells(line)).toBeLessThanOrEqual(most);
      if (bars === 'ascii') expect(text).toMatch(/^[\x20-\x7e\n]*$/);
    }
  });
});
