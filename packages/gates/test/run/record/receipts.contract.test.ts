import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommitId } from '@onceover/base/kernel/ids';
import { teamStore } from '@onceover/store/store';
import { memoryReceipts } from '@onceover/testing/memory/receipts.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { newGitFolder, onPostgres } from '@onceover/testing/team-store.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GateContent } from '../../../src/gate-types.ts';
import { openReceipts, type ReceiptStore } from '../../../src/run/record/receipts.ts';
import type { CheckReceipt, HeldReceipt, Receipt, ReceiptKeys } from '../../../src/run/types.ts';

/** The facts of a review that a signed statement repeats. */
const MADE = {
  agentVersion: null,
  onceoverVersion: '1',
  session: 'new',
  model: null,
  filesOpened: null,
  usage: null,
  settingsDigest: 'a'.repeat(64),
  transcriptDigest: 'b'.repeat(64),
  durationMs: 1,
} as const;

receiptsContract('in memory', memoryReceipts);
receiptsContract('on disk', () => openReceipts(temporaryFolder()));
onPostgres(() => {
  receiptsContract('on PostgreSQL', () => openReceipts(newGitFolder()));

  test('a clone finds the facts that it may sign only in its own receipts', async () => {
    const [own, other] = [newGitFolder(), newGitFolder()];
    copyFileSync(join(own, 'config'), join(other, 'config'));
    const key = { gate: 'review:src:a', slot: 1, content: 'c' as GateContent, scope: 'full', promptDigest: 'p' };
    const given = {
      verdict: 'pass',
      findings: [],
      agent: 'codex',
      iteration: 1,
      at: '2026-03-01T12:00:00.000Z',
    } as const;
    await openReceipts(own).write('review', { ...key, ...given, made: MADE });
    expect(await openReceipts(own).find('review', key)).toEqual({ ...key, ...given, made: MADE });
    expect(await openReceipts(other).find('review', key)).toEqual({ ...key, ...given });
  });

  test.each([
    ['changes', (document: object) => ({ ...document, agent: 'claude' })],
    ['changes the facts of', (document: object) => ({ ...document, made: { ...MADE, model: 'large' } })],
    ['removes the seal of', (document: object) => ({ ...document, seal: null })],
  ])('someone who %s a receipt in the database gets no signature of its clone', async (_title, change) => {
    const own = newGitFolder();
    const key = { gate: 'review:src:a', slot: 1, content: 'c' as GateContent, scope: 'full', promptDigest: 'p' };
    const given = {
      verdict: 'pass',
      findings: [],
      agent: 'codex',
      iteration: 1,
      at: '2026-03-01T12:00:00.000Z',
    } as const;
    await openReceipts(own).write('review', { ...key, ...given, made: MADE });
    expect(await openReceipts(own).find('review', key)).toHaveProperty('made');
    const { database, repository } = await teamStore(own);
    const [row] = await database.query<{ document: string }>(
      'SELECT document FROM onceover.receipts WHERE repository = $1',
      [repository],
    );
    await database.query('UPDATE onceover.receipts SET document = $2 WHERE repository = $1', [
      repository,
      JSON.stringify(change(JSON.parse(row?.document ?? ''))),
    ]);
    expect(await openReceipts(own).find('review', key)).not.toHaveProperty('made');
  });
});

/** The contract of every ReceiptStore. */
function receiptsContract(name: string, open: () => ReceiptStore): void {
  const fine = { ok: true, value: undefined };
  const pass: Receipt = {
    gate: 'review:src:a',
    slot: 1,
    content: 'c1' as GateContent,
    scope: 'full',
    promptDigest: 'p1',
    verdict: 'pass',
    findings: [],
    agent: 'codex',
    iteration: 1,
    at: '2026-03-01T12:00:00.000Z',
  };
  const { verdict, findings, agent, iteration, at, ...key } = pass;
  const check: CheckReceipt = { gate: 'check:.:lint', command: 'npm run lint', tree: 't1', verdict: 'pass', at };
  const held: HeldReceipt = {
    gate: 'review:src:a',
    branch: 'work',
    mergeBase: 'b1' as CommitId,
    content: 'c1' as GateContent,
    at,
  };

  describe(`receipts ${name}`, () => {
    test('has no receipts at first', async () => {
      const receipts = open();
      expect(await receipts.find('review', key)).toBeNull();
      expect(await receipts.find('check', check)).toBeNull();
      expect(await receipts.find('held', held)).toBeNull();
    });

    test('finds a receipt by its key', async () => {
      const receipts = open();
      expect(await receipts.write('review', pass)).toEqual(fine);
      expect(await receipts.write('check', check)).toEqual(fine);
      expect(await receipts.write('held', held)).toEqual(fine);
      expect(await receipts.find('held', { gate: held.gate, branch: 'work', mergeBase: null })).toEqual(held);
      expect(await receipts.find('review', key)).toEqual(pass);
      expect(await receipts.find('check', { gate: check.gate, command: check.command, tree: check.tree })).toEqual(
        check,
      );
    });

    test('replaces an earlier verdict', async () => {
      const receipts = open();
      const fail = { ...pass, verdict: 'fail', findings: ['F1'], agent: 'claude', iteration: 2 } as const;
      await receipts.write('review', pass);
      await receipts.write('review', fail);
      expect(await receipts.find('review', key)).toEqual(fail);
      await receipts.write('check', check);
      await receipts.write('check', { ...check, verdict: 'fail', at: 'later' });
      expect(await receipts.find('check', check)).toMatchObject({ verdict: 'fail', at: 'later' });
      await receipts.write('held', held);
      await receipts.write('held', { ...held, content: 'c2' as GateContent });
      expect(await receipts.find('held', held)).toMatchObject({ content: 'c2' });
    });

    test.each<[string, Partial<HeldReceipt>, boolean]>([
      ['gate', { gate: 'review:src:b' }, false],
      ['branch', { branch: 'other' }, false],
      ['merge-base on the same branch', { mergeBase: 'b2' as CommitId }, true],
      ['detached HEAD', { branch: null }, false],
    ])('whether a recorded pass of a gate is found with another %s', async (_, differs, expected) => {
      const receipts = open();
      await receipts.write('held', held);
      expect((await receipts.find('held', { ...held, ...differs })) !== null).toBe(expected);
    });

    test('a recorded pass on a detached HEAD is found by its merge-base', async () => {
      const receipts = open();
      await receipts.write('held', { ...held, branch: null });
      expect(await receipts.find('held', { ...held, branch: null })).not.toBeNull();
      expect(await receipts.find('held', { ...held, branch: null, mergeBase: 'b2' as CommitId })).toBeNull();
      expect(await receipts.find('held', { ...held, branch: null, mergeBase: null })).toBeNull();
      expect(await receipts.find('held', { ...held, branch: 'b1' })).toBeNull();
    });

    test.each<[string, Partial<Receipt>]>([
      ['gate', { gate: 'review:src:b' }],
      ['slot', { slot: 2 }],
      ['content', { content: 'c2' as GateContent }],
      ['scope', { scope: 'uncommitted' }],
      ['prompt', { promptDigest: 'p2' }],
    ])('finds nothing for another %s', async (_, differs) => {
      const receipts = open();
      await receipts.write('review', pass);
      expect(await receipts.find('review', { ...key, ...differs })).toBeNull();
    });

    test.each<[string, Partial<CheckReceipt>]>([
      ['gate', { gate: 'check:.:test' }],
      ['command', { command: 'npm run lint ' }],
      ['tree', { tree: 't2' }],
    ])('finds nothing for a check with another %s', async (_, differs) => {
      const receipts = open();
      await receipts.write('check', check);
      expect(await receipts.find('check', { ...check, ...differs })).toBeNull();
    });

    test('finds nothing if any part of the key differs', async () => {
      const text = fc.string({ unit: fc.constantFrom('a', '1', ':', '\n', 'ä'), maxLength: 3 });
      const anyKey = fc.record({
        gate: text,
        slot: fc.integer({ min: 1, max: 3 }),
        content: text.map((content) => content as GateContent),
        scope: text,
        promptDigest: text,
      });
      const receipts = open();
      const known = new Map<string, Receipt>();
      const name = ({ gate, slot, content, scope, promptDigest }: ReceiptKeys['review']) =>
        JSON.stringify([gate, slot, content, scope, promptDigest]);
      await fc.assert(
        fc.asyncProperty(anyKey, anyKey, async (written, asked) => {
          const receipt = { ...pass, ...written };
          await receipts.write('review', receipt);
          known.set(name(written), receipt);
          expect(await receipts.find('review', written)).toEqual(receipt);
          expect(await receipts.find('review', asked)).toEqual(known.get(name(asked)) ?? null);
        }),
      );
    });

    test('does not confuse a review with a check', async () => {
      const receipts = open();
      await receipts.write('review', { ...pass, gate: 'x', scope: 'y', content: 'z' as GateContent });
      expect(await receipts.find('check', { gate: 'x', command: 'y', tree: 'z' })).toBeNull();
    });
  });
}
