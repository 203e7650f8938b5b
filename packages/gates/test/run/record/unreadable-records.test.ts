import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asNobody } from '@onceover/testing/as-nobody.ts';
import { FILE, foreign, LOG, openFolder, QUALITY } from '@onceover/testing/record-folder.ts';
import { checkRecord, ownFacts, slotRecord } from '@onceover/testing/record-samples.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';

const UNREADABLE = slotRecord({ status: 'error', timestamp: '', rawOutput: '', own: null });

describe('an unreadable record is not a pass', () => {
  const whole = JSON.stringify(foreign());
  const replace = (folder: string, put: (path: string) => void) => {
    mkdirSync(folder, { recursive: true });
    put(join(folder, FILE));
  };

  test.each<[string, (folder: string) => void]>([
    ['is empty', (folder) => replace(folder, (path) => writeFileSync(path, ''))],
    ['is cut', (folder) => replace(folder, (path) => writeFileSync(path, whole.slice(0, -1)))],
    ['is a list', (folder) => replace(folder, (path) => writeFileSync(path, `[${whole}]`))],
    ['is null', (folder) => replace(folder, (path) => writeFileSync(path, 'null'))],
    ['is not UTF-8', (folder) => replace(folder, (path) => writeFileSync(path, Buffer.from(`${whole}\xff`, 'latin1')))],
    ['is over 32 MB', (folder) => replace(folder, (path) => writeFileSync(path, whole + ' '.repeat(32 * 1024 * 1024)))],
    ['is a folder', (folder) => replace(folder, (path) => mkdirSync(path))],
    ['is a pipe', (folder) => replace(folder, (path) => execFileSync('mkfifo', [path]))],
    ['is a symlink to nothing', (folder) => replace(folder, (path) => symlinkSync('nothing', path))],
    [
      'is a symlink to a record',
      (folder) => {
        replace(folder, (path) => symlinkSync('real', path));
        writeFileSync(join(folder, 'real'), whole);
      },
    ],
    [
      'has only a log',
      (folder) => {
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, LOG), 'Status: PASS');
      },
    ],
  ])('a record that %s', async (_, spoil) => {
    const { folder, past } = openFolder();
    spoil(folder);
    expect(await past()).toMatchObject({ lastIteration: 1, slots: [UNREADABLE], checks: [], others: [] });
  });

  test('a record without read permission', async () => {
    const { root, folder, put, past } = openFolder(temporaryFolder('/tmp'));
    put(FILE, foreign());
    chmodSync(root, 0o777);
    chmodSync(join(folder, FILE), 0);
    expect((await asNobody(() => past())).slots).toEqual([UNREADABLE]);
  });

  test.each<[string, object]>([
    ['without a status', { status: undefined }],
    ['with an unknown status', { status: 'passed' }],
    ['with an inherited property name as its status', { status: 'constructor' }],
    ['with text for violations', { violations: 'none' }],
    ['with null for violations', { violations: null }],
  ])('another tool’s record %s', async (_, differs) => {
    const { put, past } = openFolder();
    put(FILE, foreign(differs));
    expect((await past()).slots).toEqual([UNREADABLE]);
  });

  const ours = { ...foreign(), gate: QUALITY, slot: 1, iteration: 1, ...ownFacts() };
  const usage = { inputTokens: 1, cachedInputTokens: 2, cacheWriteTokens: 3, outputTokens: 4, costUsd: null };
  const session = {
    ...{ id: 's', agent: 'codex', model: null, version: '1', toolsDigest: 'd', firstPromptLength: 9, saw: 't' },
    ...{
      stableDigest: 'd',
      usedBefore: usage,
      contextTokens: null,
      freshTokens: 5,
      lastUsedAt: 'now',
      warmMinutes: 5,
      shown: [],
    },
  };

  test.each<[string, object]>([
    ...Object.keys(ownFacts()).flatMap((field): [string, object][] => [
      // Records of older versions name no cycle and no files.
      ...(['cycle', 'opened', 'handed', 'reading'].includes(field)
        ? []
        : [[`without ${field}`, { [field]: undefined }] as [string, object]]),
      [`with a wrong ${field}`, { [field]: true }],
    ]),
    ['of another slot than its name says', { slot: 2 }],
    ['of another iteration than its name says', { iteration: 2 }],
    ['without a slot', { slot: undefined }],
    ['without a gate', { gate: undefined }],
    ['with a list for a gate', { gate: [QUALITY] }],
    ['with an unknown dispatch', { dispatch: 'again' }],
    ['with negative usage', { usage: { ...usage, outputTokens: -1 } }],
    ['with incomplete usage', { usage: { inputTokens: 1 } }],
    ['with a list for a session', { session: [] }],
    ['with an incomplete session', { session: { ...session, saw: undefined } }],
    ['with a broken usage in its session', { session: { ...session, usedBefore: {} } }],
    ['with a negative duration', { durationMs: -1 }],
  ])('our own record %s', async (_, differs) => {
    const { put, past } = openFolder();
    put(FILE, { ...ours, session, usage });
    expect((await past()).slots).toMatchObject([{ status: 'pass', own: { session, usage } }]);
    put(FILE, { ...ours, session, usage, ...differs });
    expect(await past()).toMatchObject({ slots: [UNREADABLE], others: [] });
  });

  test('our own broken record belongs to the gate that it names, if its file’s name fits no gate', async () => {
    const { put, past } = openFolder();
    put('review_older-name_codex@1.1.json', { ...ours, content: 1 });
    put('review_older-name_codex@2.1.json', { ...ours, content: 1, gate: 'review:lib:gone' });
    expect((await past()).slots).toEqual([UNREADABLE]);
  });

  test('a copy under another name', async () => {
    const { folder, write, past } = openFolder();
    await write(slotRecord());
    writeFileSync(join(folder, 'review_src_code-quality_codex@2.3.json'), readFileSync(join(folder, FILE)));
    expect((await past()).slots).toMatchObject([
      { slot: 1, iteration: 1, status: 'pass' },
      { slot: 2, iteration: 3, status: 'error', own: null },
    ]);
  });

  test.each<[string, unknown]>([
    ['is cut', '{'],
    ['is of another iteration', checkRecord({ iteration: 2 })],
    ['has no tree', { ...checkRecord(), tree: undefined }],
    ['has an unknown status', { ...checkRecord(), status: 'skipped_prior_pass' }],
    ['has an exit code as text', { ...checkRecord(), exitCode: 'zero' }],
    ['has a negative duration', { ...checkRecord(), durationMs: -1 }],
    ['has a number for a branch', { ...checkRecord(), branch: 1 }],
  ])('a check’s record that %s', async (_, content) => {
    const { put, past } = openFolder();
    put('check_._lint.1.json', content);
    put('check_lib_gone.1.json', '{');
    put('check_._lint.2.log', 'Result: pass');
    const { checks, slots, others } = await past(['check:.:lint']);
    expect(checks).toMatchObject([
      { gate: 'check:.:lint', iteration: 1, status: 'error', tree: '' },
      { gate: 'check:.:lint', iteration: 2, status: 'error', tree: '' },
    ]);
    expect([slots, others]).toEqual([[], []]);
  });
});
