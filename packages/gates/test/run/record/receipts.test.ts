import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import type { GateContent } from '../../../src/gate-types.ts';
import { openReceipts } from '../../../src/run/record/receipts.ts';
import type { CheckReceipt, Receipt } from '../../../src/run/types.ts';

const FOLDER = 'onceover/receipts';
const RECEIPT: Receipt = {
  gate: 'review:src:a',
  slot: 1,
  content: 'c1' as GateContent,
  scope: 'full',
  promptDigest: 'p1',
  verdict: 'fail',
  findings: ['F1', 'F2'],
  agent: 'codex',
  iteration: 3,
  at: '2026-03-01T12:00:00.000Z',
};
const CHECK: CheckReceipt = {
  gate: 'check:.:lint',
  command: 'npm run lint',
  tree: 't1',
  verdict: 'pass',
  at: RECEIPT.at,
};

/** Opens receipts with one of each kind, and returns both paths. */
async function open() {
  const commonDir = temporaryFolder();
  const receipts = openReceipts(commonDir);
  const folder = join(commonDir, FOLDER);
  await receipts.write('review', RECEIPT);
  const [review = ''] = readdirSync(folder);
  await receipts.write('check', CHECK);
  const check = readdirSync(folder).find((name) => name !== review) ?? '';
  return { commonDir, folder, receipts, review: join(folder, review), check: join(folder, check) };
}

test('each receipt is a file, named by a hash', async () => {
  const { folder, review } = await open();
  const names = readdirSync(folder);
  expect(names).toHaveLength(2);
  for (const name of names) expect(name).toMatch(/^[0-9a-f]{40}\.json$/);
  expect(JSON.parse(readFileSync(review, 'utf8'))).toEqual(RECEIPT);
});

test('another process finds the receipts', async () => {
  const { commonDir } = await open();
  expect(await openReceipts(commonDir).find('review', RECEIPT)).toEqual(RECEIPT);
  expect(await openReceipts(commonDir).find('check', CHECK)).toEqual(CHECK);
});

test.each<[string, object]>([
  ['of another gate', { gate: 'review:src:b' }],
  ['of another slot', { slot: 2 }],
  ['on other content', { content: 'c2' }],
  ['in another scope', { scope: 'files' }],
  ['under another prompt', { promptDigest: 'p2' }],
  ['of no slot', { slot: 0 }],
  ['of a fractional slot', { slot: 1.5 }],
  ['of a slot as text', { slot: '1' }],
  ['without a verdict', { verdict: undefined }],
  ['with an unknown verdict', { verdict: 'fine' }],
  ['without findings', { findings: undefined }],
  ['with text for findings', { findings: 'F1' }],
  ['with a number among findings', { findings: ['F1', 2] }],
  ['without an agent', { agent: null }],
  ['without an iteration', { iteration: null }],
  ['without a time', { at: undefined }],
])('a receipt %s does not count', async (_, differs) => {
  const { receipts, review } = await open();
  writeFileSync(review, JSON.stringify({ ...RECEIPT, other: 1 }));
  expect(await receipts.find('review', RECEIPT)).toEqual(RECEIPT);
  writeFileSync(review, JSON.stringify({ ...RECEIPT, ...differs }));
  expect(await receipts.find('review', RECEIPT)).toBeNull();
});

test.each<[string, object]>([
  ['of another check', { gate: 'check:.:test' }],
  ['of another command', { command: 'true' }],
  ['on another tree', { tree: 't2' }],
  ['without a verdict', { verdict: undefined }],
  ['with an unknown verdict', { verdict: 'fine' }],
  ['without a time', { at: undefined }],
])('a check’s receipt %s does not count', async (_, differs) => {
  const { receipts, check } = await open();
  writeFileSync(check, JSON.stringify({ ...CHECK, ...differs }));
  expect(await receipts.find('check', CHECK)).toBeNull();
});

test.each<[string, (path: string, folder: string) => void]>([
  ['empty', (path) => writeFileSync(path, '')],
  ['cut', (path) => writeFileSync(path, JSON.stringify(RECEIPT).slice(0, -1))],
  ['a list', (path) => writeFileSync(path, JSON.stringify([RECEIPT]))],
  ['not text', (path) => writeFileSync(path, new Uint8Array([0xff, 0xfe, 0]))],
  ['too large', (path) => writeFileSync(path, JSON.stringify(RECEIPT) + ' '.repeat(1024 * 1024))],
  ['a folder', (path) => replace(path, () => mkdirSync(path))],
  ['a pipe', (path) => replace(path, () => execFileSync('mkfifo', [path]))],
  ['a symlink to nothing', (path) => replace(path, () => symlinkSync('nothing', path))],
  [
    'a symlink to a receipt',
    (path, folder) =>
      replace(path, () => {
        writeFileSync(join(folder, 'real'), JSON.stringify(RECEIPT));
        symlinkSync('real', path);
      }),
  ],
])('a receipt that is %s does not count', async (_, spoil) => {
  const { folder, receipts, review } = await open();
  spoil(review, folder);
  expect(await receipts.find('review', RECEIPT)).toBeNull();
});

test.each(['onceover', FOLDER])('a symlink at %s is not followed', async (path) => {
  const { commonDir } = await open();
  const other = temporaryFolder();
  mkdirSync(dirname(join(other, path)), { recursive: true });
  symlinkSync(join(commonDir, path), join(other, path));
  expect(await openReceipts(other).find('review', RECEIPT)).toBeNull();
  const failure = { kind: 'path-in-the-way', path: join(other, path), found: 'symlink' };
  expect(await openReceipts(other).write('review', RECEIPT)).toEqual({ ok: false, failure });
});

test('a receipt that cannot be written is a failure', async () => {
  const { receipts, review } = await open();
  replace(review, () => mkdirSync(review));
  const failure = { kind: 'path-in-the-way', path: review, found: 'folder' };
  expect(await receipts.write('review', RECEIPT)).toEqual({ ok: false, failure });
});

test('keeps the newest receipts up to a limit, and does not clean up at every write', async () => {
  const commonDir = temporaryFolder();
  const folder = join(commonDir, FOLDER);
  mkdirSync(folder, { recursive: true });
  const put = (name: string, isOld: boolean) => {
    writeFileSync(join(folder, name), '');
    if (isOld) utimesSync(join(folder, name), 1_000_000, 1_000_000);
  };
  for (let n = 0; n < 30; n++) put(`${n}.json`, n === 7);
  put('.onceover-1-old', true);
  const receipts = openReceipts(commonDir, false, 20);
  const count = () => readdirSync(folder).length;
  await receipts.write('review', RECEIPT);
  expect(count()).toBe(20);
  expect(readdirSync(folder)).not.toContain('7.json');
  expect(readdirSync(folder)).not.toContain('.onceover-1-old');
  for (let slot = 2; slot <= 100; slot++) await receipts.write('review', { ...RECEIPT, slot });
  expect(count()).toBe(119);
  await receipts.write('review', { ...RECEIPT, slot: 101 });
  // All that this run wrote stay.
  expect(count()).toBe(101);
  expect(await receipts.find('review', { ...RECEIPT, slot: 101 })).toMatchObject({ slot: 101 });

  // Failing to remove an old receipt does not fail the write.
  mkdirSync(join(folder, 'folder'));
  utimesSync(join(folder, 'folder'), 1_000_000, 1_000_000);
  expect(await openReceipts(commonDir, false, 20).write('review', { ...RECEIPT, slot: 102 })).toEqual({
    ok: true,
    value: undefined,
  });
  expect(await receipts.find('review', { ...RECEIPT, slot: 102 })).toMatchObject({ slot: 102 });
});

function replace(path: string, put: () => void): void {
  rmSync(path);
  put();
}

test('a cleanup keeps every receipt that this run has found or written, even if they are more than the limit', async () => {
  const commonDir = temporaryFolder();
  const slots = Array.from({ length: 130 }, (_, n) => n + 1);
  const before = openReceipts(commonDir);
  for (const slot of slots.slice(0, 20)) await before.write('review', { ...RECEIPT, slot });
  const receipts = openReceipts(commonDir, false, 10);
  expect(await receipts.find('review', { ...RECEIPT, slot: 1 })).not.toBeNull();
  for (const slot of slots.slice(20)) await receipts.write('review', { ...RECEIPT, slot });
  const found = await Promise.all(slots.map((slot) => receipts.find('review', { ...RECEIPT, slot })));
  expect(slots.filter((slot) => found[slot - 1] !== null)).toEqual([1, ...slots.slice(20)]);
});
