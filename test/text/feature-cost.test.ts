import { describe, expect, test } from 'vitest';
import type { PriceList } from '../../src/domain/cost.ts';
import type { LedgerEntry, LedgerLoop } from '../../src/domain/ledger.ts';
import { summariseCost } from '../../src/plan/cost.ts';
import type { CostSelection } from '../../src/plan/cost-selection.ts';
import { summariseFeature } from '../../src/plan/feature-cost.ts';
import { tellCost } from '../../src/text/cost.ts';
import type { CostLooks } from '../../src/text/cost-page.ts';
import { tellFeatureCost } from '../../src/text/feature-cost.ts';
import { COLOURED, PLAIN } from '../../src/text/paint.ts';
import { cells } from '../../src/text/width.ts';
import { ledgerLoop, ledgerRun, ledgerSlot } from '../support/ledger-samples.ts';
import { documentLoop, minuteOf } from '../support/loop-entries.ts';
import { usage } from '../support/run-samples.ts';

const LOOKS: CostLooks = {
  paint: PLAIN,
  bars: 'blocks',
  width: 80,
  localTime: (at) => `${at.slice(5, 10)} ${at.slice(11, 16)}`,
};
const ALL: CostSelection = { since: null, branch: null };

type More = { looks?: Partial<CostLooks>; asked?: Partial<CostSelection>; unreadable?: number; prices?: PriceList };

function page(
  entries: readonly LedgerEntry[],
  { looks, asked, unreadable = 0, prices = () => null }: More = {},
): string {
  const feature = entries.flatMap((entry) => (entry.kind === 'loop' ? [entry.feature] : []))[0] ?? '';
  const report = summariseFeature(feature, { entries, unreadable }, { ...ALL, ...asked }, prices);
  if (report === null) throw new Error('no loop of the feature');
  return tellFeatureCost(report, { ...LOOKS, ...looks });
}

function all(entries: readonly LedgerEntry[], loops: 'short' | 'full', looks: Partial<CostLooks> = {}): string {
  return tellCost(
    summariseCost(entries, ALL, 0, () => null),
    { ...LOOKS, ...looks, loops },
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

describe('what the loops of a feature cost', () => {
  test('one page', () => {
    expect(page(ENTRIES, { prices: () => 0.05 })).toMatchInlineSnapshot(`
      "Review loops of specs/login in this clone: specify, implement.
      11 dispatches for 11 looks: 7 fresh, 4 resumed.
      Tokens: 2.7k in, 27.0k from caches, 18.0k written to caches, 2.2k out; 1 look
        told none.
      Money: $0.28 as agents told, about $0.0500 more at list prices, price not known
        of 5 looks.

      Compared              sent  fresh each time
      characters           56.0k            82.0k   68.3 %  █████████████████▊
      input tokens         47.6k      about 47.9k   99.4 %  █████████████████████████▉
      weighed by price     27.8k      about 59.1k     47 %  ████████████▎
      Fresh tokens are an estimate: what opening the session took, and what its prompt
      has grown by. Weighed: written to a cache 1.25, read from one 0.1.

      Dispatch                          why             sent  fresh  tokens      money
      specify, 03-01 12:00                             23.0k  50.0k   49.3k      $0.28
       spec           1  fresh I1-R4    first look     10.0k  10.0k   10.1k      $0.12
       implementer    1  fresh I7       first look     10.0k  10.0k   10.1k      $0.12
       spec           2  resumed I2     delta           1.0k  10.0k    9.7k    $0.0125
       implementer    2  resumed I7     delta           1.0k  10.0k    9.7k    $0.0125
       spec           3  resumed I2     delta           1.0k  10.0k    9.7k    $0.0125
      implement, 03-01 12:20                           33.0k  32.0k    600+  ~$0.0500+
       code-simplifi…    fresh          first look      8.0k      -     120          ?
       implementation 1  fresh I1-R4    first look !    8.0k   8.0k     120          ?
       security       1  fresh I1-R4    first look      8.0k   8.0k     120          ?
       implementation 2  fresh I3       resume failed   8.0k   8.0k     120          ?
       security       FV resumed I2-FV  delta           9.0k   8.0k     120   ~$0.0500
       implementation 3  fresh I1-R4    no answer       8.0k      -       ?          ?
      sent, fresh: characters of the prompt, and of a fresh one; FV: final validation;
      !: did not confirm that it read what it must; -: not compared (no answer, or
      before the reviews); ~ at list prices; + and more that is not known; ? not known

      Resumed prompts are shorter than what opened their session: does not hold (3 of
        4): implement, security-reviewer, final validation, 9.0k characters.
      Loops of five iterations send under half of fresh ones: nothing to judge yet.

      Watched                         here     all features   limit
      resumes that failed   1 of 5    20 %   1 of 5    20 %    20 %
      deltas too large      0 of 2     0 %   0 of 2     0 %    50 %
      reads not confirmed   1 of 5    20 %   1 of 5    20 %    20 %
      Judged once three features went through loops; so far 1 has."
    `);
  });

  test('reviewers are called by their whole names where there is room', () => {
    expect(page(ENTRIES, { looks: { width: 140 } })).toMatch(
      /^ implementation-reviewer {2}1 {2}fresh I1-R4 {4}first look !/m,
    );
  });

  test.each([64, 72, 80, 100, 140])(
    'at %i columns no line is too wide, and figures stand below each other',
    (width) => {
      const evil = documentLoop(
        5,
        { feature: `specs/日本/${'long/'.repeat(30)}x\u001b[2J`, model: 'm\n' },
        { from: 90, sent: 9_999_999 },
      );
      for (const paint of [PLAIN, COLOURED]) {
        for (const told of [
          page([...evil, ...ENTRIES], { looks: { width, paint } }),
          all([...evil, ...ENTRIES], 'full', { width, paint }),
        ]) {
          // biome-ignore lint/complexity/useRegexLiterals: as a literal it would hold the character itself.
          const plain = told.replace(new RegExp('\\u001b\\[[0-9;]*m', 'g'), '');
          expect(plain).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
          // A path is never broken, so that it can be copied.
          for (const line of plain.split('\n'))
            if (!line.includes('long/')) expect(cells(line)).toBeLessThanOrEqual(width);
        }
      }
      const table = page(ENTRIES, { looks: { width } }).split('\n\n')[2]?.split('\n').slice(0, 13) ?? [];
      expect(new Set(table.map((line) => cells(line))).size).toBe(1);
    },
  );

  test('nothing since then', () => {
    const told = page(ENTRIES, { asked: { since: new Date('2026-04-01T10:30:00Z') } }).replace(/\s+/g, ' ');
    expect(told).toContain('The ledger has no review loop of specs/login in this clone since 2026-04-01 10:30 UTC.');
  });

  test('the feature that is the root, and entries that cannot be read', () => {
    const told = page(documentLoop(1, { feature: '' }), { unreadable: 2 });
    expect(told).toMatch(/^Review loops of \. in this clone: specify\.$/m);
    expect(told).toContain('2 entries of the ledger could not be read and are left out.');
  });

  test('where no agent tells tokens', () => {
    const told = page(documentLoop(2, { usage: null }));
    expect(told).toMatch(/^characters +21\.0k +30\.0k +70 %/m);
    expect(told).not.toContain('input tokens');
    expect(told).toContain('3 dispatches of 3 told no tokens.');
    expect(told).toMatch(/^ spec-reviewer +1 +fresh I1-R4 +first look +10\.0k +10\.0k +\? +\?$/m);
  });

  test('nothing but a dispatch that nobody answered', () => {
    const told = page([ledgerLoop({ status: 'error' })]);
    expect(told).toContain('Nothing was sent that fresh dispatches could be compared with.');
    expect(told).toContain('so far none has.');
  });
});

describe('what loops are made for', () => {
  test.each<[string, readonly LedgerEntry[], RegExp]>([
    [
      'shorter prompts [REUSE-NFR1]',
      documentLoop(3),
      /^Resumed prompts are shorter than what opened their session: holds \(3 of 3\)\.$/m,
    ],
    [
      'prompts that are not shorter are named [REUSE-NFR1]',
      documentLoop(2, {}, { sent: 10_000 }),
      /session: does not hold \(0 of 1\): specify, spec-reviewer, iteration 2, 10\.0k characters\.$/m,
    ],
    ['nothing was resumed', documentLoop(1), /opened their session: nothing to judge yet\.$/m],
    [
      'under half [REUSE-NFR3]',
      documentLoop(5),
      /^Loops of five iterations send under half of fresh ones: holds \(1 of 1\)\.$/m,
    ],
    [
      'half or more is named [REUSE-NFR3]',
      documentLoop(5, {}, { sent: 4000 }),
      /of fresh ones: does not hold \(0 of 1\): specify, domain loop, 52 %\.$/m,
    ],
    ['no loop went so far', documentLoop(4), /half of fresh ones: nothing to judge yet\.$/m],
  ])('%s', (_, entries, expected) => {
    expect(page(entries, { looks: { width: 110 } }).replace(/\n {2}/g, ' ')).toMatch(expected);
  });

  test('shorter prompts are what counts; what caches make of them is told as it was [REUSE-C/A1]', () => {
    const cold = usage({ inputTokens: 30_000, outputTokens: 300 });
    const loop = documentLoop(5).map((entry) => (entry.dispatch === 'resumed' ? { ...entry, usage: cold } : entry));
    const promises = (told: string) => told.split('\n').filter((line) => line.includes(': holds ('));
    expect(promises(page(loop))).toEqual(promises(page(documentLoop(5))));
    expect(promises(page(loop))).toHaveLength(2);
    expect(page(loop)).toMatch(/^characters .* 30 % /m);
    expect(page(loop)).toMatch(/^weighed by price +23[34]k +about 106k +220\.8 % {2}█+$/m);
    expect(page(loop)).toContain('Fresh tokens are an estimate');
  });

  test('of many that are not shorter the first are named', () => {
    const told = page(documentLoop(5, {}, { sent: 10_000 })).replace(/\s+/g, ' ');
    expect(told).toContain('; and 2 more.');
  });
});

describe('what is watched', () => {
  const features = ['a', 'b', 'c'];
  const fine = features.flatMap((feature, n) => documentLoop(3, { feature }, { from: 20 * n }));
  const bad = (differs: Partial<LedgerLoop>) =>
    features.map((feature) => ledgerLoop({ feature, at: minuteOf(90), iteration: 2, ...differs }));

  test.each<[string, readonly LedgerEntry[], RegExp]>([
    ['all is well [REUSE-MON/after-three-features]', fine, /^resumes that failed +0 of 9 +0 % +20 % +within$/m],
    [
      'resumes that fail [REUSE-MON/resume-fallback-rate]',
      [...fine, ...bad({ template: 'I3', why: 'resume-failed', fellBack: true })],
      /^resumes that failed +3 of 12 +25 % +20 % +exceeded$[\s\S]*"onceover doctor --resume"/m,
    ],
    [
      'deltas that are too large [REUSE-MON/delta-guard-rate]',
      [...bad({ why: 'delta-too-large', guarded: true })],
      /^deltas too large +3 of 3 +100 % +50 % +exceeded$[\s\S]*"delta_guard: effective"/m,
    ],
    [
      'reads that are not confirmed [REUSE-MON/lazy-load-warning-rate]',
      [...fine, ...bad({ warned: true })],
      /^reads not confirmed +3 of 9 +33\.3 % +20 % +exceeded$[\s\S]*\.onceover\/roles\//m,
    ],
  ])('over three features: %s', (_, entries, expected) => {
    expect(all(entries, 'full')).toMatch(expected);
  });

  test('below three features nothing is judged [REUSE-MON/after-three-features]', () => {
    const told = all(
      [...fine, ...bad({ warned: true })].filter(({ feature }) => feature !== 'c'),
      'full',
    );
    expect(told).toMatch(/^reads not confirmed +2 of 6 +33\.3 % +20 %$/m);
    expect(told).toContain('Judged once three features went through loops; so far 2 have.');
    expect(told).not.toContain('.onceover/roles/');
  });

  test('a feature’s own rates stand beside those that are judged', () => {
    const told = page([...fine, ...bad({ feature: 'c', warned: true })]);
    expect(told).toMatch(/^reads not confirmed +0 of 2 +0 % +3 of 9 +33\.3 % +20 % +exceeded$/m);
  });
});

describe('all features', () => {
  const entries = [
    ledgerRun({ slots: [ledgerSlot()] }),
    ...documentLoop(2, { feature: 'specs/a' }),
    ...documentLoop(4, { feature: 'specs/b' }, { from: 30 }),
  ];

  test('in short: a table beside that of the gates', () => {
    expect(all(entries, 'short')).toContain('1 run in this clone, review loops of 2 features.');
    expect(all(entries, 'short')).toMatch(
      /^Review loops .*\nspecs\/b +7 +68\.7k +\$0\.30 +47\.0k\nspecs\/a +3 +29\.9k +\$0\.25 +9\.4k\n"onceover cost FOLDER"/m,
    );
    expect(all(entries, 'short')).not.toContain('Watched');
  });

  test('in full: what they sent, and what is watched', () => {
    const told = all(entries, 'full');
    expect(told).toMatch(/^Review loops of 2 features\nCompared .*\ncharacters +46\.0k +100k +46 % {2}█/m);
    expect(told).toMatch(/^specs\/b +7 +5 +25\.0k +35\.7 % +68\.7k +\$0\.30$/m);
    expect(told).toMatch(/^Watched +rate +limit$/m);
    expect(told).not.toContain('"onceover cost FOLDER"');
  });

  test('no run, and no loop', () => {
    expect(all(documentLoop(1), 'short')).toMatch(/^Review loops of 1 feature in this clone, and no run\.$/m);
    expect(all(documentLoop(1), 'short')).not.toMatch(/^Gate/m);
    expect(all([ledgerRun()], 'full')).toContain('No review loop is in the ledger here: "onceover phase" writes');
    expect(all([ledgerRun()], 'short')).not.toContain('No review loop');
    expect(all([], 'full')).not.toContain('No review loop');
  });
});
