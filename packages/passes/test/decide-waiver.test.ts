import { digest, NOW, passStatement, signedFile, waiverStatement } from '@onceover/testing/passes.ts';
import { makeKey, type TestKey } from '@onceover/testing/ssh-signing.ts';
import { describe, expect, test } from 'vitest';
import { decideWaiver, findingIdentity } from '../src/decide-waiver.ts';
import { readSigners } from '../src/signers.ts';
import type { SignedFile, TravellingStatement } from '../src/types.ts';

const lead = makeKey('p256');
const stranger = makeKey('ed25519');
const finding = digest('finding');
const waiver = waiverStatement({ finding });
const unusable: SignedFile = { statement: Buffer.from('{}'), signature: '' };

describe('decideWaiver', () => {
  const signers = readSigners(`lead@example.com ${lead.line}`);
  const request = { finding, gate: waiver.gate, file: 'src/cart.ts' };
  const rows: readonly [title: string, statement: TravellingStatement, key: TestKey, expected: string][] = [
    ['a waiver of an allowed signer', waiver, lead, 'lead@example.com'],
    ['an old waiver', waiverStatement({ finding, waivedAt: '2020-01-01T00:00:00.000Z' }), lead, 'lead@example.com'],
    ['a stranger', waiver, stranger, 'unknown-signer'],
    ['another file', waiverStatement({ finding, file: 'src/x.ts' }), lead, 'no-statement'],
    ['a time in the future', waiverStatement({ finding, waivedAt: '2026-11-18T12:06:00.000Z' }), lead, 'in-the-future'],
    ['a pass', passStatement(), lead, 'no-statement'],
  ];
  test.each(rows)('%s', (_title, statement, key, outcome) => {
    const decision = decideWaiver(request, [unusable, signedFile(statement, key)], signers, NOW);
    const answer = decision.ok ? decision.waiver.signer.principal : decision.why;
    expect(answer).toBe(outcome === 'no-statement' ? 'unusable-statement' : outcome);
  });
});

describe('findingIdentity', () => {
  const findingPlace = { gate: 'review:src:a', file: 'src/a.ts', anchor: { text: 'return total;', occurrence: 1 } };
  test('is the same in every clone', () => {
    expect(findingIdentity(findingPlace)).toBe(findingIdentity({ ...findingPlace }));
    expect(findingIdentity(findingPlace)).toMatch(/^[0-9a-f]{64}$/);
  });
  test.each([
    ['gate', { ...findingPlace, gate: 'review:src:b' }],
    ['file', { ...findingPlace, file: 'src/b.ts' }],
    ['code', { ...findingPlace, anchor: { text: 'return 0;', occurrence: 1 } }],
    ['occurrence', { ...findingPlace, anchor: { text: 'return total;', occurrence: 2 } }],
    [
      'border between file and code',
      { ...findingPlace, file: 'src/a.tsr', anchor: { text: 'eturn total;', occurrence: 1 } },
    ],
  ])('differs with another %s', (_title, variant) => {
    expect(findingIdentity(variant)).not.toBe(findingIdentity(findingPlace));
  });
  test.each([
    ['file', { ...findingPlace, file: null }],
    ['code', { ...findingPlace, anchor: null }],
    ['text', { ...findingPlace, anchor: { text: ' \n', occurrence: 1 } }],
  ])('a finding without %s cannot travel', (_title, variant) => {
    expect(findingIdentity(variant)).toBeNull();
  });
});
