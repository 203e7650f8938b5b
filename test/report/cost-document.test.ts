import { expect, test } from 'vitest';
import { summariseCost } from '../../src/plan/cost.ts';
import { costDocument } from '../../src/report/cost-document.ts';
import { costSchema } from '../../src/report/cost-schema.ts';
import { ledgerFix, ledgerRun, ledgerSlot, spared } from '../support/ledger-samples.ts';
import { usage } from '../support/run-samples.ts';

test('the document is what its schema says, empty or not', () => {
  const entries = [
    ledgerRun({
      slots: [ledgerSlot({ usage: usage({ costUsd: 0.1 }) }), ledgerSlot({ usage: usage({ costUsd: 0.2 }) })],
      checks: [{ gate: 'check:.:lint', status: 'pass', durationMs: 3 }],
      spared: [spared()],
    }),
    ledgerFix(),
  ];
  const strict = costSchema.strict();
  const of = (some: typeof entries) => costDocument(summariseCost(some, { since: null, branch: null }, 2, () => null));
  for (const document of [of([]), of(entries)]) expect(strict.parse(document)).toEqual(document);
  expect(of(entries)).toMatchObject({
    runs: 1,
    fixes: 1,
    paid: { looks: 3, told_usd: 0.3, looks_without_price: 1 },
    not_paid: { pass: { looks: 1, tokens: 100 }, baseline: expect.stringContaining('last measured usage') },
    gates: [{ gate: 'review:src:code-quality' }, { gate: null }],
    unreadable_entries: 2,
  });
});
