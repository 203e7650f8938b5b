import type { LedgerEntry, LedgerLoop } from '@onceover/agents/ledger/entries';
import type { PriceList } from '@onceover/base/kernel/agent';
import { cells } from '@onceover/base/ui/layout';
import { COLOURED, PLAIN } from '@onceover/base/ui/style';
import { ledgerLoop, ledgerRun, ledgerSlot } from '@onceover/testing/ledger-samples.ts';
import { documentLoop, minuteOf } from '@onceover/testing/loop-entries.ts';
import { usage } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { type CostStyle, describeCost, describeFeatureCost } from '../../src/cost/describe.ts';
import { summariseFeature } from '../../src/cost/loops.ts';
import type { CostSelection } from '../../src/cost/rows.ts';
import { summariseCost } from '../../src/cost/summarise.ts';

const LOOKS: CostStyle = {
  paint: PLAIN,
  width: 80,
  details: true,
};
const ALL: CostSelection = { since: null, branch: null };

type More = { looks?: Partial<CostStyle>; asked?: Partial<CostSelection>; unreadable?: number; prices?: PriceList };

function page(
  entries: readonly LedgerEntry[],
  { looks, asked, unreadable = 0, prices = () => null }: More = {},
): string {
  const feature = entries.flatMap((entry) => (entry.kind === 'loop' ? [entry.feature] : []))[0] ?? '';
  const found = summariseFeature(feature, { entries, unreadable }, { ...ALL, ...asked }, prices);
  if (found === null) throw new Error('no loop of the feature');
  return describeFeatureCost(found.report, { ...LOOKS, ...looks });
}

function all(entries: readonly LedgerEntry[], details: boolean, looks: Partial<CostStyle> = {}): string {
  return describeCost(
    summariseCost(entries, ALL, 0, () => null),
    { ...LOOKS, ...looks, details },
  );
}

const implement = (minute: number, differs: Partial<LedgerLoop>) =>
  ledgerLoop({ phase: 'implement', stage: 'implement', run: 'i', at: minuteOf(minute), ...differs });

const ENTRIES: readonly LedgerEntry[] = [
  ...documentLoop(3),
  implement(20, { role: 'code-simplifier', template: null, iteration: 0, status: 'done' }),
  implement(21, { role: 'implementation-reviewer', warned: true }),
  implement(22, { role: 'security-reviewer', status: 'pass' }),
  implement(23, {
    role: 'implementation-reviewer',
    iteration: 2,
    template: 'I3',
    why: 'resume-failed',
    fellBack: true,
  }),
  implement(24, {
    ...{ role: 'security-reviewer', iteration: 2, isFinalValidation: true, dispatch: 'resumed', template: 'I2-FV' },
    ...{ why: 'final-validation', promptChars: 9000, status: 'pass', model: 'm' },
  }),
  implement(25, { role: 'implementation-reviewer', iteration: 3, status: 'error', usage: null }),
];

describe('describeFeatureCost', () => {
  test('shows each call of the phases, with comparisons and rates', () => {
    expect(page(ENTRIES, { prices: () => 0.05 })).toMatchInlineSnapshot(`
      "Phases of specs/login in this clone: specify, implement.
      Paid: ~$0.33.
      Tokens: 2.7k input, 27.0k cache reads, 18.0k cache writes, 2.2k output; 1 review
        without a token count.
      Calls to agents: 11, for 7 new sessions and 4 resumed sessions.

      Call and iteration (UTC)                              chars   tokens     money
      specify, 03-01 12:00                                  23.0k    49.3k     $0.28
       spec-reviewer 1, new                                 10.0k    10.1k     $0.12
       implementer 1, new                                   10.0k    10.1k     $0.12
       spec-reviewer 2, resumed                              1.0k     9.7k   $0.0125
       implementer 2, resumed                                1.0k     9.7k   $0.0125
       spec-reviewer 3, resumed                              1.0k     9.7k   $0.0125
      implement, 03-01 12:20                                33.0k     ~600  ~$0.0500
       code-simplifier, new                                  8.0k      120   unknown
       implementation-reviewer 1, new, reads not confirmed   8.0k      120   unknown
       security-reviewer 1, new                              8.0k      120   unknown
       implementation-reviewer 2, new, resume failed         8.0k      120   unknown
       security-reviewer final, resumed                      9.0k      120  ~$0.0500
       implementation-reviewer 3, new, no answer             8.0k  unknown   unknown

      ~ means incomplete: some agents reported no usage, or no price, which is then
        from a price list

      Prompts took 68.3 % of the characters of new sessions and about 47 % of the
        input tokens, weighted by price.
      Resumed prompts are shorter than the first prompt of their session: no (3 of 4).
      Loops of five iterations send under half of new sessions: no data yet.

      Rates of all features:
      resumes that failed: 1 of 5, 20 % (limit: 20 %)
      deltas too large: 0 of 2, 0 % (limit: 50 %)
        implementation-reviewer: 0 of 1, 0 %
        implementer: 0 of 1, 0 %
        spec-reviewer: 0 of 2, 0 %
      reads not confirmed: 1 of 5, 20 % (limit: 20 %)
      The limits apply from three features on; features so far: 1."
    `);
  });

  test('shows the whole names of reviewers', () => {
    expect(page(ENTRIES, { looks: { width: 140 } })).toMatch(/^ implementation-reviewer 1, new, reads not confirmed /m);
  });

  test.each([64, 72, 80, 100, 140])('fits %i columns, with aligned figures', (width) => {
    const evil = documentLoop(
      5,
      { feature: `specs/日本/${'long/'.repeat(30)}x\u001b[2J`, model: 'm\n' },
      { from: 90, sent: 9_999_999 },
    );
    for (const paint of [PLAIN, COLOURED]) {
      for (const text of [
        page([...evil, ...ENTRIES], { looks: { width, paint } }),
        all([...evil, ...ENTRIES], true, { width, paint }),
      ]) {
        // biome-ignore lint/complexity/useRegexLiterals: as a literal it would hold the character itself.
        const plain = text.replace(new RegExp('\\u001b\\[[0-9;]*m', 'g'), '');
        expect(plain).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
        // A path is never broken, so that it can be copied.
        for (const line of plain.split('\n'))
          if (!line.includes('long/')) expect(cells(line)).toBeLessThanOrEqual(width);
      }
    }
    const table = page(ENTRIES, { looks: { width } }).split('\n\n')[1]?.split('\n').slice(0, 13) ?? [];
    expect(new Set(table.map((line) => cells(line))).size).toBe(1);
  });

  test('says that no phase ran since then', () => {
    const text = page(ENTRIES, { asked: { since: new Date('2026-04-01T10:30:00Z') } }).replace(/\s+/g, ' ');
    expect(text).toContain('No phase of specs/login in this clone since 2026-04-01 10:30 UTC is in the ledger.');
  });

  test('shows the root as a feature, and counts unreadable entries', () => {
    const text = page(documentLoop(1, { feature: '' }), { unreadable: 2 });
    expect(text).toMatch(/^Phases of \. in this clone: specify\.$/m);
    expect(text).toContain('2 entries of the ledger could not be read.');
  });

  test('marks figures that no agent reported', () => {
    const text = page(documentLoop(2, { usage: null }));
    expect(text).toMatch(/^Prompts took 70 % of the characters of new sessions\.$/m);
    expect(text).toMatch(/^ spec-reviewer 1, new +10\.0k +unknown +unknown$/m);
  });

  test('compares nothing if no call was answered', () => {
    const text = page([ledgerLoop({ status: 'error' })]);
    expect(text).toContain('No call can be compared with a new session.');
    expect(text).toContain('features so far: 0.');
  });
});

describe('promises about review loops', () => {
  test.each<[string, readonly LedgerEntry[], RegExp]>([
    [
      'confirms that resumed prompts are shorter [REUSE-NFR1]',
      documentLoop(3),
      /^Resumed prompts are shorter than the first prompt of their session: yes \(3 of 3\)\.$/m,
    ],
    [
      'counts resumed prompts that are not shorter [REUSE-NFR1]',
      documentLoop(2, {}, { sent: 10_000 }),
      /session: no \(0 of 1\)\.$/m,
    ],
    ['has no data if nothing was resumed', documentLoop(1), /of their session: no data yet\.$/m],
    [
      'confirms that long loops send under half [REUSE-NFR3]',
      documentLoop(5),
      /^Loops of five iterations send under half of new sessions: yes \(1 of 1\)\.$/m,
    ],
    [
      'counts a loop that sent half or more [REUSE-NFR3]',
      documentLoop(5, {}, { sent: 4000 }),
      /of new sessions: no \(0 of 1\)\.$/m,
    ],
    ['has no data if no loop was that long', documentLoop(4), /half of new sessions: no data yet\.$/m],
  ])('%s', (_, entries, expected) => {
    expect(page(entries, { looks: { width: 110 } }).replace(/\n {2}/g, ' ')).toMatch(expected);
  });

  test('judges promises by prompt length, and shows the effect of caches as measured [REUSE-C/A1]', () => {
    const cold = usage({ inputTokens: 30_000, outputTokens: 300 });
    const loop = documentLoop(5).map((entry) => (entry.dispatch === 'resumed' ? { ...entry, usage: cold } : entry));
    const promises = (text: string) => text.split('\n').filter((line) => line.includes(': yes ('));
    expect(promises(page(loop))).toEqual(promises(page(documentLoop(5))));
    expect(promises(page(loop))).toHaveLength(2);
    expect(page(loop).replace(/\n {2}/g, ' ')).toContain(
      'Prompts took 30 % of the characters of new sessions and about 220.8 % of the input tokens, weighted by price.',
    );
  });
});

describe('watched rates', () => {
  const features = ['a', 'b', 'c'];
  const fine = features.flatMap((feature, n) => documentLoop(3, { feature }, { from: 20 * n }));
  const bad = (differs: Partial<LedgerLoop>) =>
    features.map((feature) => ledgerLoop({ feature, at: minuteOf(90), iteration: 2, ...differs }));

  test.each<[string, readonly LedgerEntry[], RegExp]>([
    [
      'are within their limits [REUSE-MON/after-three-features]',
      fine,
      /^resumes that failed: 0 of 9, 0 % \(limit: 20 %\)$/m,
    ],
    [
      'exceed the limit of failed resumes [REUSE-MON/resume-fallback-rate]',
      [...fine, ...bad({ template: 'I3', why: 'resume-failed', fellBack: true })],
      /^resumes that failed: 3 of 12, 25 % \(limit: 20 %, exceeded\)$[\s\S]*"onceover doctor --resume"/m,
    ],
    [
      'exceed the limit of large deltas [REUSE-MON/delta-guard-rate]',
      [...bad({ why: 'delta-too-large', guarded: true })],
      /^deltas too large: 3 of 3, 100 % \(limit: 50 %, exceeded\)\n {2}spec-reviewer: 3 of 3, 100 %$[\s\S]*"delta_guard: effective"/m,
    ],
    [
      'exceed the limit of unconfirmed reads [REUSE-MON/lazy-load-warning-rate]',
      [...fine, ...bad({ warned: true })],
      /^reads not confirmed: 3 of 9, 33\.3 % \(limit: 20 %, exceeded\)$[\s\S]*\.onceover\/roles\//m,
    ],
  ])('over three features: %s', (_, entries, expected) => {
    expect(all(entries, true)).toMatch(expected);
  });

  test('are not judged below three features [REUSE-MON/after-three-features]', () => {
    const text = all(
      [...fine, ...bad({ warned: true })].filter(({ feature }) => feature !== 'c'),
      true,
    );
    expect(text).toMatch(/^reads not confirmed: 2 of 6, 33\.3 % \(limit: 20 %\)$/m);
    expect(text).toContain('The limits apply from three features on; features so far: 2.');
    expect(text).not.toContain('.onceover/roles/');
  });

  test('of all features are shown with one feature', () => {
    const text = page([...fine, ...bad({ feature: 'c', warned: true })]);
    expect(text).toMatch(/^reads not confirmed: 3 of 9, 33\.3 % \(limit: 20 %, exceeded\)$/m);
  });
});

describe('describeCost with phases', () => {
  const entries = [
    ledgerRun({ slots: [ledgerSlot()] }),
    ...documentLoop(2, { feature: 'specs/a' }),
    ...documentLoop(4, { feature: 'specs/b' }, { from: 30 }),
  ];

  test('shows a table of features on the short page', () => {
    expect(all(entries, false)).toContain('1 run, phases of 2 features in this clone.');
    expect(all(entries, false)).toMatch(
      /^By feature .*\nspecs\/b +7 +68\.7k +\$0\.30 +47\.0k\nspecs\/a +3 +29\.9k +\$0\.25 +9\.4k$/m,
    );
    expect(all(entries, false)).not.toContain('Rates');
  });

  test('shows comparisons and rates in details', () => {
    const text = all(entries, true);
    expect(text).toContain('Prompts took 46 % of the characters of new sessions');
    expect(text).toMatch(/^Rates of all features:$/m);
    expect(text).not.toContain('"onceover cost --details"');
  });

  test('leaves out gates without a run, and rates without a phase', () => {
    expect(all(documentLoop(1), false)).toMatch(/^Phases of 1 feature in this clone\.$/m);
    expect(all(documentLoop(1), false)).not.toMatch(/^By gate/m);
    expect(all([ledgerRun()], true)).not.toContain('Rates');
    expect(all([], true)).not.toContain('Rates');
  });
});
