import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ledgerFix, ledgerLoop, ledgerRun, ledgerSlot, spared } from '@onceover/testing/ledger-samples.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { ledgerText } from '../../src/ledger/entries.ts';
import { openLedger } from '../../src/ledger/store.ts';

const NAME = '20260301T120000000Z-0000000a.json';

function withFile(name: string, text: string): string {
  const commonDir = temporaryFolder();
  mkdirSync(join(commonDir, 'onceover/ledger'), { recursive: true });
  writeFileSync(join(commonDir, 'onceover/ledger', name), text);
  return commonDir;
}

describe('openLedger', () => {
  const run = JSON.parse(ledgerText(ledgerRun({ slots: [ledgerSlot()], spared: [spared()] }))) as Record<
    string,
    unknown
  >;
  const brokenFiles: readonly [string, string][] = [
    ['half a file', JSON.stringify(run).slice(0, 40)],
    ['an empty file', ''],
    ['not UTF-8', '{"kind":"\ud800"}'],
    ['a list', '[]'],
    ['another kind', JSON.stringify({ ...run, kind: 'tax' })],
    ['an invalid time', JSON.stringify({ ...run, at: '2026-99-99T00:00:00.000Z' })],
    ['a text instead of tokens', JSON.stringify({ ...run, spared: [{ ...spared(), tokens: '1' }] })],
    ['a negative number', JSON.stringify({ ...run, slots: [{ ...ledgerSlot(), asks: -1 }] })],
    ['an unknown status', JSON.stringify({ ...run, status: 'great' })],
    ['a missing field', JSON.stringify({ ...run, branch: undefined })],
    ['an unknown phase', JSON.stringify({ ...ledgerLoop(), phase: 'ship' })],
    ['an unknown role', JSON.stringify({ ...ledgerLoop(), role: 'judge' })],
    ['an unknown reason', JSON.stringify({ ...ledgerLoop(), why: 'luck' })],
    ['a text instead of a boolean', JSON.stringify({ ...ledgerLoop(), warned: 'yes' })],
    ['a fractional iteration', JSON.stringify({ ...ledgerLoop(), iteration: 1.5 })],
    ['a file that is too large', ' '.repeat(1024 * 1024 + 1)],
  ];

  test.each(brokenFiles)('%s is counted and skipped', async (_, text) => {
    const ledger = openLedger(withFile(NAME, text));
    await ledger.add(ledgerFix());
    expect(await ledger.all()).toEqual({ ok: true, value: { entries: [ledgerFix()], unreadable: 1 } });
  });

  test('drops unknown fields of an entry', async () => {
    const ledger = openLedger(withFile(NAME, JSON.stringify({ ...run, more: 1 })));
    expect(await ledger.all()).toEqual({
      ok: true,
      value: { entries: [ledgerRun({ slots: [ledgerSlot()], spared: [spared()] })], unreadable: 0 },
    });
  });

  test('ignores other files', async () => {
    const ledger = openLedger(withFile('.onceover-1-2', '{}'));
    expect(await ledger.all()).toEqual({ ok: true, value: { entries: [], unreadable: 0 } });
  });

  test('neither reads nor writes through a symlink', async () => {
    const commonDir = withFile('other.json', JSON.stringify(run));
    symlinkSync('other.json', join(commonDir, 'onceover/ledger', NAME));
    expect(await openLedger(commonDir).all()).toMatchObject({ value: { entries: [], unreadable: 1 } });
    const elsewhere = temporaryFolder();
    const linkedFolder = temporaryFolder();
    mkdirSync(join(linkedFolder, 'onceover'));
    symlinkSync(elsewhere, join(linkedFolder, 'onceover/ledger'));
    expect(await openLedger(linkedFolder).add(ledgerRun())).toMatchObject({ failure: { kind: 'path-in-the-way' } });
    expect(await openLedger(linkedFolder).all()).toMatchObject({ failure: { kind: 'path-in-the-way' } });
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('removes the oldest entries when there are many', async () => {
    const commonDir = temporaryFolder();
    const ledger = openLedger(commonDir, false, 3);
    const at = (n: number) => new Date(Date.UTC(2026, 2, 1) + n * 1000).toISOString();
    let n = 0;
    const count = () => readdirSync(join(commonDir, 'onceover/ledger')).length;
    do await ledger.add(ledgerRun({ at: at(n++) }));
    while (n < 10 || (count() > 3 && n < 5000));
    const content = await ledger.all();
    expect(content.ok && content.value.entries.map((entry) => entry.at)).toEqual([at(n - 3), at(n - 2), at(n - 1)]);
  });
});
