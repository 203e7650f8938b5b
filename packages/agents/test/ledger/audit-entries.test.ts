import {
  ledgerFix,
  ledgerLoop,
  ledgerProbe,
  ledgerRun,
  ledgerSlot,
  ledgerStep,
} from '@onceover/testing/ledger-samples.ts';
import { usage } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { agreementOf, describeAgreement, sharedHistory } from '../../src/ledger/agreement.ts';
import {
  type AuditedSlot,
  type LedgerEntry,
  type LedgerProof,
  ledgerText,
  probeEntry,
  readLedgerEntry,
} from '../../src/ledger/entries.ts';

const ACCEPTED = { gate: 'review:src:quality', slot: 1, signers: ['ann'], agent: 'claude' };
const audit = (differs: Partial<AuditedSlot> = {}): AuditedSlot => ({ ...ACCEPTED, agreed: true, ...differs });

describe('sharedHistory', () => {
  const otherSlot = { ...ACCEPTED, slot: 2 };
  test.each<[string, readonly LedgerEntry[], ReturnType<typeof sharedHistory>]>([
    ['without entries', [], { accepted: [], audits: [] }],
    ['of a run of an older version', [ledgerRun()], { accepted: [], audits: [] }],
    ['of a run with accepted passes only', [ledgerRun({ accepted: [ACCEPTED] })], { accepted: [ACCEPTED], audits: [] }],
    ['of a run with audits only', [ledgerRun({ audits: [audit()] })], { accepted: [], audits: [audit()] }],
    [
      'of several runs, in their order, without other entries',
      [
        ledgerRun({ accepted: [ACCEPTED] }),
        ledgerFix(),
        ledgerLoop(),
        ledgerRun({ accepted: [otherSlot], audits: [audit()] }),
      ],
      { accepted: [ACCEPTED, otherSlot], audits: [audit()] },
    ],
  ])('returns the passes of other clones %s', (_title, entries, expected) => {
    expect(sharedHistory(entries)).toEqual(expected);
  });
});

describe('agreementOf', () => {
  const rows = (audits: readonly AuditedSlot[]) =>
    agreementOf(audits).map(({ by, name, audited, disagreed }) => [by, name, audited, disagreed]);

  test('counts a pass with two signers for both, and one time for its gate and its agent', () => {
    expect(rows([audit({ signers: ['ben', 'ann'], agreed: false })])).toEqual([
      ['signer', 'ann', 1, 1],
      ['signer', 'ben', 1, 1],
      ['gate', 'review:src:quality', 1, 1],
      ['agent', 'claude', 1, 1],
    ]);
  });

  test('keeps a signer and an agent with the same name apart', () => {
    expect(
      rows([audit({ signers: ['claude'] }), audit({ signers: ['claude'], agent: 'codex', agreed: false })]),
    ).toEqual([
      ['signer', 'claude', 2, 1],
      ['gate', 'review:src:quality', 2, 1],
      ['agent', 'claude', 1, 0],
      ['agent', 'codex', 1, 1],
    ]);
  });

  test('lists the most audited first, and equal numbers by name', () => {
    const audits = ['cid', 'ben', 'ann', 'cid'].map((name) => audit({ signers: [name] }));
    const signers = agreementOf(audits).filter(({ by }) => by === 'signer');
    expect(signers.map(({ name }) => name)).toEqual(['cid', 'ann', 'ben']);
  });

  test.each<[string, readonly boolean[], string]>([
    ['one audit that agreed', [true], 'signer ann: audits disagreed with 0 of 1 (0 %, 95 % interval: 0 % to 79.3 %)'],
    [
      'one audit that disagreed',
      [false],
      'signer ann: audits disagreed with 1 of 1 (100 %, 95 % interval: 20.7 % to 100 %)',
    ],
  ])('describes %s', (_title, verdicts, expected) => {
    const [row] = agreementOf(verdicts.map((hasAgreed) => audit({ agreed: hasAgreed })));
    expect(row === undefined ? '' : describeAgreement(row)).toBe(expected);
  });
});

describe('probeEntry', () => {
  test.each<[string, number, 'person' | 'agent', number]>([
    ['rounds the duration down', 1200.4, 'person', 1200],
    ['rounds the duration up', 1200.5, 'agent', 1201],
  ])('%s', (_title, durationMs, startedBy, roundedMs) => {
    const cost = { agent: 'claude', model: 'large', asks: 3, usage: usage(), durationMs };
    const entry = probeEntry(cost, startedBy, new Date('2026-03-01T12:04:00.000Z'));
    expect(entry).toEqual(ledgerProbe({ model: 'large', asks: 3, durationMs: roundedMs, startedBy }));
    expect(readLedgerEntry(JSON.parse(ledgerText(entry)))).toEqual(entry);
  });
});

describe('a ledger entry', () => {
  const proof: LedgerProof = { ...ledgerProbe(), kind: 'proof' };
  test.each<[string, LedgerEntry]>([
    ['a run with accepted passes and audits', ledgerRun({ accepted: [ACCEPTED], audits: [audit({ agreed: false })] })],
    ['a run that could not judge', ledgerRun({ iteration: null, status: 'error', exitCode: 3, slots: [ledgerSlot()] })],
    ['a fix', ledgerFix()],
    ['a call of a phase', ledgerLoop()],
    ['a review of a workflow step', ledgerStep()],
    ['a resume test', ledgerProbe()],
    ['a call in a proof', proof],
  ])('reads back unchanged: %s', (_title, entry) => {
    const text = ledgerText(entry);
    expect(text.endsWith('\n')).toBe(true);
    expect(readLedgerEntry(JSON.parse(text))).toEqual(entry);
  });

  test.each([
    [0, true],
    [1, true],
    [3, true],
    [2, false],
    ['0', false],
  ])('with the exit code %j is valid: %s', (exitCode, expected) => {
    expect(readLedgerEntry({ ...ledgerRun(), exitCode }) !== null).toBe(expected);
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['a text', 'run'],
    ['an unknown kind', { ...ledgerFix(), kind: 'tax' }],
    ['an audit without a result', { ...ledgerRun(), audits: [ACCEPTED] }],
    ['an accepted pass of reviewer 0', { ...ledgerRun(), accepted: [{ ...ACCEPTED, slot: 0 }] }],
    ['one signer instead of a list', { ...ledgerRun(), accepted: [{ ...ACCEPTED, signers: 'ann' }] }],
    ['null instead of no audits', { ...ledgerRun(), audits: null }],
  ])('is not read from %s', (_title, value) => {
    expect(readLedgerEntry(value)).toBeNull();
  });
});
