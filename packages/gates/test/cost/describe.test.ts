import type { LedgerEntry } from '@onceover/agents/ledger/entries';
import type { PriceList } from '@onceover/base/kernel/agent';
import { cells } from '@onceover/base/ui/layout';
import { COLOURED, PLAIN } from '@onceover/base/ui/style';
import { ledgerFix, ledgerProbe, ledgerRun, ledgerSlot, ledgerStep, spared } from '@onceover/testing/ledger-samples.ts';
import { usage } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { type CostStyle, describeCost } from '../../src/cost/describe.ts';
import type { CostSelection } from '../../src/cost/rows.ts';
import { summariseCost } from '../../src/cost/summarise.ts';

const LOOKS: CostStyle = {
  paint: PLAIN,
  width: 80,
  details: false,
};

function page(
  entries: readonly LedgerEntry[],
  more: { looks?: Partial<CostStyle>; asked?: Partial<CostSelection>; unreadable?: number; prices?: PriceList } = {},
): string {
  const { looks, asked, unreadable = 0, prices = () => null } = more;
  return describeCost(summariseCost(entries, { since: null, branch: null, ...asked }, unreadable, prices), {
    ...LOOKS,
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

describe('describeCost', () => {
  test('shows what was paid, what was saved and what it was spent on', () => {
    expect(page(ENTRIES, { prices: () => 0.05 })).toMatchInlineSnapshot(`
      "3 runs (1 with nothing to do), 1 fix by an agent in this clone.
      Paid: ~$0.59.
      Tokens: 93.0k input, 20.0k cache reads, 8.0k cache writes, 3.6k output.
      Calls to agents: 4, for 3 new sessions and 1 resumed session.

      Saved: about 141k tokens, 53 % of all tokens (an estimate)
        75.8k  by skipping unchanged code (2 reviews)
        37.9k  by skipping reviewers that passed (1 review)
        27.0k  by resuming sessions (1 review)

      By gate                                       calls   tokens      money    saved
      review:src:code-quality                           3    86.7k     ~$0.19     141k
      fixes by agents                                   1    37.9k      $0.40

      By agent                                      calls   tokens      money    saved
      claude                                            3    86.7k      $0.54
      codex (gpt-5)                                     1    37.9k   ~$0.0500

      By day                                        calls   tokens      money    saved
      2026-03-01                                        4     125k     ~$0.59     141k

      ~ means incomplete: some agents reported no usage, or no price, which is then
        from a price list

      Run "onceover cost --details" for sessions and for how often resuming worked."
    `);
  });

  test.each([
    ['says that nothing has run yet', {}, 'No run of this clone is in the ledger yet'],
    ['says that nothing ran on a branch', { branch: 'other' }, 'No run on other is in the ledger.'],
    [
      'says that nothing ran since then',
      { since: new Date('2026-04-01T10:30:00Z') },
      'No run in this clone since 2026-04-01 10:30 UTC is in',
    ],
  ])('%s', (_, asked, expected) => {
    expect(page([], { asked }).replace(/\n/g, ' ')).toContain(expected);
  });

  test.each([
    [1, '1 entry of the ledger could not be read.'],
    [3, '3 entries of the ledger could not be read.'],
  ])('counts %i unreadable entries', (unreadable, expected) => {
    expect(page([], { unreadable })).toContain(expected);
    expect(page(ENTRIES, { unreadable })).toContain(expected);
  });

  test.each<[string, readonly Parameters<typeof ledgerSlot>[0][], string]>([
    ['reported', [{ usage: usage({ costUsd: 1.5 }) }], 'Paid: $1.50.'],
    ['reported as zero', [{ usage: usage({ costUsd: 0 }) }], 'Paid: $0.00.'],
    ['from the list', [{ model: 'm' }], 'Paid: ~$0.0500.'],
    ['unknown', [{}], 'Paid: unknown.'],
    ['partly known', [{}, { usage: usage({ costUsd: 0.5 }) }], 'Paid: ~$0.50.'],
    ['nothing', [], 'Paid: nothing.'],
  ])('says what was paid: %s', (_, slots, expected) => {
    const run = ledgerRun({ slots: slots.map((slot) => ledgerSlot(slot)) });
    expect(page([run], { prices: () => 0.05 })).toContain(expected);
  });

  test('says in details why sessions were not resumed', () => {
    const slots = ['delta-too-large', 'session-lost', 'resume-dearer'].map((why) => ledgerSlot({ why }));
    expect(page([ledgerRun({ slots })], { looks: { details: true } }).replace(/\s+/g, ' ')).toContain(
      'New sessions although there was one to resume: 1 because too much had changed, 1 because the old session was lost, 1 because resuming would have cost more.',
    );
  });

  test('says in details how long sessions are cached, and how it knows', () => {
    const note = { model: 'gpt-5.5', ttl: '5m', idleMs: 2_400_000, lifeMinutes: 1440, lifeFrom: 'table' } as const;
    const slots = [true, false, null].map((hit, n) =>
      ledgerSlot({ slot: n + 1, agent: 'codex', cache: { ...note, hit, estimate: null } }),
    );
    expect(page([ledgerRun({ slots })], { looks: { details: true } })).toContain(
      'How long providers cache sessions:\n  codex (gpt-5.5): 24 h (table); 1 of 2 resumed sessions still cached',
    );
  });

  test('shows reviews of workflow steps without a run', () => {
    const text = page([ledgerStep(), ledgerStep({ step: 'check' })]);
    expect(text).toMatch(/^Reviews of 2 workflow steps in this clone\./);
    expect(text).toMatch(/^By workflow step +calls +tokens +money +saved$/m);
    expect(text).toMatch(/^report: check +1 /m);
  });

  test('counts the calls of resume tests in the total', () => {
    const text = page([ledgerProbe(), ledgerRun({ slots: [ledgerSlot()] })]);
    expect(text).toMatch(/^1 run, 1 resume test \(5 calls\) in this clone\./);
    expect(text).toContain('Calls to agents: 6,');
    expect(page([ledgerProbe()])).toMatch(/^1 resume test \(5 calls\) in this clone\./);
  });

  test('cuts long tables and counts the rest', () => {
    const slots = Array.from({ length: 9 }, (_, n) => ledgerSlot({ gate: `review:src:g${n}`, agent: `a${n}` }));
    const text = page([ledgerRun({ slots })]);
    expect(text).toContain('review:src:g4');
    expect(text).not.toContain('review:src:g5');
    expect(text.split('\n').filter((line) => line === 'and 4 more')).toHaveLength(2);
  });

  test.each([64, 80, 100, 140])('fits %i columns, whatever the names are', (width) => {
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
      const text = page([...ENTRIES, run], { looks: { width, paint, details: true } });
      // biome-ignore lint/complexity/useRegexLiterals: as a literal it would hold the character itself.
      const plain = text.replace(new RegExp('\\u001b\\[[0-9;]*m', 'g'), '');
      expect(plain).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
      for (const line of plain.split('\n')) expect(cells(line)).toBeLessThanOrEqual(width);
    }
  });
});
