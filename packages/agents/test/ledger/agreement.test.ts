import { expect, test } from 'vitest';
import { agreementOf, describeAgreement } from '../../src/ledger/agreement.ts';

const audit = (signer: string, hasAgreed: boolean) => ({
  ...{ gate: 'review:src:quality', slot: 1, signers: [signer], agent: 'claude', agreed: hasAgreed },
});

test('agreement is counted by signer, gate and agent, with an interval', () => {
  const rows = agreementOf([audit('ann', true), audit('ann', false), audit('ben', true)]);
  expect(rows.map(({ by, name, audited, disagreed }) => [by, name, audited, disagreed])).toEqual([
    ['signer', 'ann', 2, 1],
    ['signer', 'ben', 1, 0],
    ['gate', 'review:src:quality', 3, 1],
    ['agent', 'claude', 3, 1],
  ]);
  for (const { low, high, audited, disagreed } of rows) {
    expect(low).toBeLessThanOrEqual(disagreed / audited);
    expect(high).toBeGreaterThanOrEqual(disagreed / audited);
  }
});

test('agreement is described with its interval', () => {
  const [row] = agreementOf(Array.from({ length: 20 }, (_, i) => audit('ann', i > 0)));
  expect(row === undefined ? '' : describeAgreement(row)).toBe(
    'signer ann: audits disagreed with 1 of 20 (5 %, 95 % interval: 0.9 % to 23.6 %)',
  );
});

test('without audits there is no row', () => {
  expect(agreementOf([])).toEqual([]);
});
