import { describe, expect, test } from 'vitest';
import type { PriceList } from '../../src/domain/cost.ts';
import type { LedgerEntry } from '../../src/domain/ledger.ts';
import { summariseCost } from '../../src/plan/cost.ts';
import type { CostSelection } from '../../src/plan/cost-selection.ts';
import { tellCost } from '../../src/text/cost.ts';
import type { CostLooks } from '../../src/text/cost-page.ts';
import { COLOURED, PLAIN } from '../../src/text/paint.ts';
import { cells } from '../../src/text/width.ts';
import { ledgerFix, ledgerRun, ledgerSlot, ledgerStep, spared } from '../support/ledger-samples.ts';
import { usage } from '../support/run-samples.ts';

const LOOKS: CostLooks = {
  paint: PLAIN,
  bars: 'blocks',
  width: 80,
  localTime: (at) => `${at.slice(5, 10)} ${at.slice(11, 16)}`,
};

function page(
  entries: readonly LedgerEntry[],
  more: { looks?: Partial<CostLooks>; asked?: Partial<CostSelection>; unreadable?: number; prices?: PriceList } = {},
): string {
  const { looks, asked, unreadable = 0, prices = () => null } = more;
  return tellCost(summariseCost(entries, { since: null, branch: null, ...asked }, unreadable, prices), {
    ...LOOKS,
    loops: 'short',
    ...looks,
  });
}

const used = usage({ inputTokens: 30_000, cachedInputTokens: 5000, cacheWriteTokens: 2000, outputTokens: 900 });
const ENTRIES: readonly LedgerEntry[] = [
  ledgerRun({
    status: 'failed',
    exitCode: 1,
    slots: [
      ledgerSlot({ usage: { ...used, costUsd: 0.12 }, status: 'fail' }),
      ledgerSlot({ slot: 2, agent: 'codex', model: 'gpt-5', usage: used }),
    ],
    checks: [{ gate: 'check:.:lint', status: 'pass', durationMs: 1200 }],
  }),
  ledgerFix({ usage: { ...used, costUsd: 0.4 } }),
  ledgerRun({
    at: '2026-03-01T12:05:00.000Z',
    iteration: 2,
    slots: [ledgerSlot({ dispatch: 'resumed', why: 'delta', usage: { ...used, inputTokens: 3000, costUsd: 0.02 } })],
    spared: [spared({ lever: 'slot', tokens: 37_900 }), spared({ lever: 'session', tokens: 27_000 })],
  }),
  ledgerRun({ at: '2026-03-01T12:06:00.000Z', iteration: null, spared: [spared({ looks: 2, tokens: 75_800 })] }),
];

describe('what was paid', () => {
  test('one page', () => {
    expect(page(ENTRIES, { prices: () => 0.05 })).toMatchInlineSnapshot(`
      "3 runs in this clone, 1 of them with nothing to do, 1 turn of a fixer.
      4 dispatches for 4 looks: 3 fresh, 1 resumed.
      Tokens: 93.0k in, 20.0k from caches, 8.0k written to caches, 3.6k out.
      Money: $0.54 as agents told, about $0.0500 more at list prices.
      Checks: 1 run, 1.2 s.

      Tokens paid, and not paid by lever
      paid       125k  █████████████████████████  4 looks
      pass      75.8k  ███████████████▎           2 looks unchanged since it passed
      slot      37.9k  ███████▋                   1 look rested
      session   27.0k  █████▍                     1 look resumed
      prefix        0

      Not paid is an estimate. Pass and slot: that reviewer's last measured usage
      here; session: fresh prompt and reads minus measured; prefix: cached tokens
      beyond what the CLI caches by itself.

      Gate                                          looks   tokens     money  not paid
      review:src:code-quality                           3    86.7k    ~$0.19      141k
      fixers                                            1    37.9k     $0.40

      Agent                                         looks   tokens     money
      claude                                            3    86.7k     $0.54
      codex (gpt-5)                                     1    37.9k  ~$0.0500

      Last runs                                     looks   tokens     money  not paid
      03-01 12:06 passed            work                                         75.8k
      03-01 12:05 passed      #2    work                1    10.9k   $0.0200     64.9k
      03-01 12:00 failed      #1    work                2    75.8k    ~$0.17

      ~ at list prices"
    `);
  });

  test('where there are no block characters', () => {
    expect(page(ENTRIES, { looks: { bars: 'ascii' } })).toMatch(/^paid +\S+ +#+ +4 looks$/m);
  });

  test.each([
    ['nothing yet', {}, 'No run of this clone is in the ledger yet'],
    ['nothing on a branch', { branch: 'other' }, 'The ledger has no run on other.'],
    [
      'nothing since then',
      { since: new Date('2026-04-01T10:30:00Z') },
      'no run in this clone since 2026-04-01 10:30 UTC',
    ],
  ])('%s', (_, asked, expected) => {
    expect(page([], { asked }).replace(/\n/g, ' ')).toContain(expected);
  });

  test.each([
    [1, '1 entry of the ledger could not be read and is left out.'],
    [3, '3 entries of the ledger could not be read and are left out.'],
  ])('%i unreadable', (unreadable, expected) => {
    expect(page([], { unreadable })).toContain(expected);
    expect(page(ENTRIES, { unreadable })).toContain(expected);
  });

  test.each<[string, readonly Parameters<typeof ledgerSlot>[0][], string]>([
    ['told', [{ usage: usage({ costUsd: 1.5 }) }], 'Money: $1.50 as agents told.'],
    ['told as nothing', [{ usage: usage({ costUsd: 0 }) }], 'Money: $0.00 as agents told.'],
    ['from the list', [{ model: 'm' }], 'Money: about $0.0500 at list prices.'],
    ['not known', [{}], 'Money: price not known (no agent told it, and no list price fits).'],
    [
      'partly known',
      [{}, { usage: usage({ costUsd: 0.5 }) }],
      'Money: $0.50 as agents told, price not known of 1 look.',
    ],
    ['nobody was asked', [], 'Money: none was spent.'],
  ])('money: %s', (_, slots, expected) => {
    const run = ledgerRun({ slots: slots.map((slot) => ledgerSlot(slot)) });
    expect(page([run], { prices: () => 0.05 })).toContain(expected);
  });

  test('why looks with a session were fresh', () => {
    const slots = ['delta-too-large', 'session-lost', 'resume-dearer'].map((why) => ledgerSlot({ why }));
    expect(page([ledgerRun({ slots })]).replace(/\s+/g, ' ')).toContain(
      '3 fresh, 0 resumed (of the fresh: 1 as too much had changed, 1 as the session was lost, 1 as resuming was dearer).',
    );
  });

  test('reviews of workflow steps, also where there is no run', () => {
    const told = page([ledgerStep(), ledgerStep({ step: 'check' })]);
    expect(told).toMatch(/^Reviews of 2 workflow steps .*, and no run\./);
    expect(told).toMatch(/^Workflow step +looks +tokens +money$/m);
    expect(told).toMatch(/^report: check +1 /m);
  });

  test('many gates and agents are cut, and counted', () => {
    const slots = Array.from({ length: 9 }, (_, n) => ledgerSlot({ gate: `review:src:g${n}`, agent: `a${n}` }));
    const told = page([ledgerRun({ slots })]);
    expect(told).toContain('review:src:g5');
    expect(told).not.toContain('review:src:g6');
    expect(told).toContain('and 3 more');
    expect(told).toContain('and 4 more');
  });

  test.each([64, 80, 100, 140])('at %i columns no line is too wide, whatever the names are', (width) => {
    const evil = ledgerSlot({
      gate: `rule:.:日本:${'long/'.repeat(30)}x\u001b[2J.ts`,
      agent: '日本'.repeat(30),
      model: 'm\n',
    });
    const run = ledgerRun({
      slots: [evil],
      branch: `feature/${'x'.repeat(90)}\u0007`,
      spared: [spared({ gate: evil.gate })],
    });
    for (const paint of [PLAIN, COLOURED]) {
      const told = page([...ENTRIES, run], { looks: { width, paint } });
      // biome-ignore lint/complexity/useRegexLiterals: as a literal it would hold the character itself.
      const plain = told.replace(new RegExp('\\u001b\\[[0-9;]*m', 'g'), '');
      expect(plain).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
      for (const line of plain.split('\n')) expect(cells(line)).toBeLessThanOrEqual(width);
    }
  });
});
