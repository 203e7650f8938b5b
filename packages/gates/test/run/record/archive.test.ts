import { chmodSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asNobody } from '@onceover/testing/as-nobody.ts';
import { FILE, foreign, LOG, LOG_DIR, nameOf, openFolder, QUALITY } from '@onceover/testing/record-folder.ts';
import { checkRecord, slotRecord } from '@onceover/testing/record-samples.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import type { Records } from '../../../src/run/record/records.ts';

const fine = { ok: true, value: undefined };
const DECISIONS = 'review_src_code-quality.1.log';

describe('archiving all records', () => {
  test('moves them to previous, and deletes the records there', async () => {
    const { folder, records, put, names, past } = openFolder();
    for (const name of ['.gitignore', FILE, LOG, DECISIONS, 'check_._lint.3.json']) put(name);
    for (const name of ['review_old_codex@1.1.json', 'check_old.9.log', FILE]) put(`previous/${name}`, 'earlier');
    symlinkSync('nothing', join(folder, 'rule_x_codex@1.4.json'));
    expect(await records.archive('all')).toEqual(fine);
    expect(names()).toEqual(['.gitignore', 'previous']);
    expect(names('previous')).toEqual([FILE, LOG, DECISIONS, 'check_._lint.3.json', 'rule_x_codex@1.4.json'].sort());
    expect(readFileSync(join(folder, 'previous', FILE), 'utf8')).toBe('');
    expect(await past()).toMatchObject({ lastIteration: 0, slots: [] });
  });

  test('leaves files that are not records, in both folders', async () => {
    const { records, put, names } = openFolder();
    const others = ['notes.md', 'server.log', 'app.20260301.log', `${FILE}~`, 'review_src_a_codex@1.2.json/kept'];
    for (const name of [...others, ...others.map((name) => `previous/${name}`), FILE]) put(name);
    expect(await records.archive('all')).toEqual(fine);
    const top = others.map((name) => name.replace('/kept', ''));
    expect(names()).toEqual([...top, 'previous'].sort());
    expect(names('previous')).toEqual([...top, FILE].sort());
  });

  test('leaves tracked files', async () => {
    const { folder, records, put, names, past } = openFolder();
    const tracked = [FILE, `previous/${LOG}`, 'previous/check_a.1.log'];
    for (const name of tracked) put(name, 'tracked');
    for (const name of [LOG, DECISIONS, 'previous/check_b.1.log']) put(name);
    await past([QUALITY], tracked);
    expect(await records.archive('all')).toEqual(fine);
    expect(names()).toEqual(['previous', FILE, LOG]);
    expect(names('previous')).toEqual(['check_a.1.log', DECISIONS, LOG]);
    expect(readFileSync(join(folder, 'previous', LOG), 'utf8')).toBe('tracked');
  });

  test('keeps the archive if there is nothing to move', async () => {
    const { records, put, names } = openFolder();
    put(FILE);
    await records.archive('all');
    expect(await records.archive('all')).toEqual(fine);
    expect(names('previous')).toEqual([FILE]);
  });

  test('succeeds without a folder', async () => {
    const { records } = openFolder();
    expect(await records.archive('all')).toEqual(fine);
    expect(await records.archive([{ gate: QUALITY, iteration: 1 }])).toEqual(fine);
  });

  test('removes leftovers of a killed process after a while', async () => {
    const { folder, records, put, names } = openFolder();
    put(FILE);
    put('.onceover-1-old');
    utimesSync(join(folder, '.onceover-1-old'), 1_000_000, 1_000_000);
    await records.archive('all');
    expect(names()).toEqual(['previous']);
  });
});

describe('archiving some records', () => {
  test('moves all files of the gate and iteration, of any tool, agent and slot', async () => {
    const { records, put, names, past, write } = openFolder();
    const claude = 'review_src_code-quality_claude@2.1.json';
    for (const name of [FILE, 'review_src_code-quality_codex@1.2.json', 'review_src_other_codex@1.1.json']) {
      put(name, foreign());
    }
    for (const name of [LOG, DECISIONS, `previous/${FILE}`]) put(name, 'earlier');
    await past([QUALITY, 'review:src:other']);
    await write(slotRecord({ slot: 2, adapter: 'claude' }));
    expect(await records.archive([{ gate: QUALITY, iteration: 1 }])).toEqual(fine);
    const left = [
      '.gitignore',
      'previous',
      'review_src_code-quality_codex@1.2.json',
      'review_src_other_codex@1.1.json',
    ];
    expect(names()).toEqual(left);
    expect(names('previous')).toEqual([claude, claude.replace('json', 'log'), DECISIONS, FILE, LOG].sort());
    expect((await past()).slots).toMatchObject([{ iteration: 2 }]);
  });

  test('moves records of unnamed gates with the log of their decisions', async () => {
    const { records, names, past, write } = openFolder();
    await write(slotRecord());
    await records.writeGateLog(nameOf(QUALITY), 1, ['a decision']);
    await records.writeGateLog(nameOf('review:src:unknown'), 1, ['another']);
    await records.writeCheck(checkRecord(), nameOf('check:.:lint'), '');
    const { others } = await past([]);
    expect(others).toHaveLength(2);
    expect(await records.archive(others)).toEqual(fine);
    expect(names()).toEqual(['.gitignore', 'previous', 'review_src_unknown.1.log']);
    expect(names('previous')).toEqual(['check_._lint.1.json', 'check_._lint.1.log', DECISIONS, FILE, LOG]);
  });

  test('finds our own records by their content before the first reading', async () => {
    const { records, put, names, write } = openFolder();
    await write(slotRecord());
    put('review_src_code-quality_claude@2.1.json', foreign());
    expect(await records.archive([{ gate: QUALITY, iteration: 1 }])).toEqual(fine);
    expect(names('previous')).toEqual([FILE, LOG]);
  });

  test('leaves tracked files, folders and removed files', async () => {
    const { folder, records, put, names, past } = openFolder();
    put(FILE, foreign());
    put(LOG);
    put('review_src_code-quality_b@1.1.json/kept');
    put('review_src_code-quality_c@1.1.json', foreign());
    await past([QUALITY], [LOG]);
    writeFileSync(join(folder, 'gone'), '');
    expect(await records.archive([{ gate: QUALITY, iteration: 1 }])).toEqual(fine);
    expect(await records.archive([{ gate: QUALITY, iteration: 1 }])).toEqual(fine);
    expect(names()).toEqual(['gone', 'previous', 'review_src_code-quality_b@1.1.json', LOG]);
    expect(names('previous')).toEqual(['review_src_code-quality_c@1.1.json', FILE]);
  });
});

describe('the log of a slot', () => {
  test('is returned as it was written', async () => {
    const { records, write } = openFolder();
    const log = 'ä 日本 😀\r\n\tand \0 no end';
    await write(slotRecord(), 'codex', log);
    expect(await records.readLog(nameOf(QUALITY), 1, 1)).toBe(log);
  });

  test('is found after a reading, even if the gate has another stem now', async () => {
    const { records, past, write } = openFolder();
    await write(slotRecord({ gate: 'review:a/b:x' }), 'codex', 'said');
    await past(['review:a/b:x', 'review:a_b:x']);
    expect(await records.readLog(nameOf('review:a/b:x'), 1, 1)).toBe('said');
    expect(await records.readLog(nameOf('review:a_b:x'), 1, 1)).toBeNull();
  });

  test('is cut at 4 MB', async () => {
    const { records, write } = openFolder();
    await write(slotRecord(), 'codex', 'x'.repeat(5 * 1024 * 1024));
    expect(await records.readLog(nameOf(QUALITY), 1, 1)).toHaveLength(4 * 1024 * 1024);
  });

  test.each<[string, number, number]>([
    ['another slot', 2, 1],
    ['another iteration', 1, 2],
  ])('does not exist for %s', async (_, slot, iteration) => {
    const { records, write, put } = openFolder();
    await write(slotRecord());
    put(DECISIONS, 'no slot');
    expect(await records.readLog(nameOf(QUALITY), slot, iteration)).toBeNull();
  });

  test('is not read through a symlink', async () => {
    const { folder, records, put } = openFolder();
    put(FILE, foreign());
    put('secret', 'secret');
    symlinkSync('secret', join(folder, LOG));
    expect(await records.readLog(nameOf(QUALITY), 1, 1)).toBeNull();
  });
});

type Act = (records: Records) => Promise<unknown>;
const read: Act = (records) => records.read([nameOf(QUALITY)], new Set());
const write: Act = (records) => records.writeSlot(slotRecord(), { gate: nameOf(QUALITY), agent: 'codex' }, '');
const writeCheck: Act = (records) => records.writeCheck(checkRecord(), nameOf('check:.:lint'), '');
const decide: Act = (records) => records.writeGateLog(nameOf(QUALITY), 1, []);
const archive: Act = (records) => records.archive('all');
const archiveSome: Act = (records) => records.archive([{ gate: QUALITY, iteration: 1 }]);

describe('trouble', () => {
  const acts: [string, Act][] = [
    ['reading', read],
    ['writing a slot', write],
    ['writing a check', writeCheck],
    ['writing decisions', decide],
    ['archiving all', archive],
    ['archiving some', archiveSome],
  ];

  test.each(acts)('%s does not follow a symlink or use a file as the folder', async (_, act) => {
    for (const path of ['.deepwork', LOG_DIR]) {
      const outside = temporaryFolder();
      const { root, records } = openFolder();
      mkdirSync(dirname(join(root, path)), { recursive: true });
      symlinkSync(outside, join(root, path));
      const failure = { kind: 'path-in-the-way', path: join(root, path), found: 'symlink' };
      expect(await act(records)).toEqual({ ok: false, failure });
      expect(await records.readLog(nameOf(QUALITY), 1, 1)).toBeNull();
    }
    const { folder, records } = openFolder();
    mkdirSync(dirname(folder));
    writeFileSync(folder, '');
    expect(await act(records)).toEqual({
      ok: false,
      failure: { kind: 'path-in-the-way', path: folder, found: 'file' },
    });
  });

  test.each([
    ['archiving all', archive],
    ['archiving some', archiveSome],
  ])('%s does not follow a symlink at previous', async (_, act) => {
    const outside = temporaryFolder();
    const { folder, records, put, past } = openFolder();
    put(FILE, foreign());
    await past();
    symlinkSync(outside, join(folder, 'previous'));
    const failure = { kind: 'path-in-the-way', path: join(folder, 'previous'), found: 'symlink' };
    expect(await act(records)).toEqual({ ok: false, failure });
  });

  test.each([LOG, FILE])('a symlink in place of %s is refused', async (name) => {
    const { folder, records, put } = openFolder();
    put('kept', 'as it was');
    symlinkSync('kept', join(folder, name));
    const failure = { kind: 'path-in-the-way', path: join(folder, name), found: 'symlink' };
    expect(await write(records)).toEqual({ ok: false, failure });
    expect(readFileSync(join(folder, 'kept'), 'utf8')).toBe('as it was');
  });

  const [MAY_ALL, MAY_NOT_LIST, MAY_NOT_WRITE] = [0o777, 0o333, 0o555];

  test.each<[string, Act, number, number, 'read' | 'write', string]>([
    ['reading a folder that cannot be listed', read, MAY_NOT_LIST, MAY_ALL, 'read', '.'],
    ['writing to a folder that cannot be listed', write, MAY_NOT_LIST, MAY_ALL, 'read', '.'],
    ['writing to a read-only folder', write, MAY_NOT_WRITE, MAY_ALL, 'write', LOG],
    ['archiving a folder that cannot be listed', archive, MAY_NOT_LIST, MAY_ALL, 'read', '.'],
    ['archiving from a read-only folder', archive, MAY_NOT_WRITE, MAY_ALL, 'write', `previous/${FILE}`],
    ['archiving some records of a folder that cannot be listed', archiveSome, MAY_NOT_LIST, MAY_ALL, 'read', '.'],
    ['archiving to a folder that cannot be listed', archive, MAY_ALL, MAY_NOT_LIST, 'read', 'previous'],
    [
      'archiving to a folder whose files cannot be deleted',
      archive,
      MAY_ALL,
      MAY_NOT_WRITE,
      'write',
      'previous/check_old.1.log',
    ],
  ])('%s fails', async (_, act, mode, previousMode, action, path) => {
    // Other users may not be able to enter a private temporary folder.
    const { root, folder, records, put } = openFolder(temporaryFolder('/tmp'));
    for (const name of ['.gitignore', FILE, 'previous/check_old.1.log']) put(name);
    chmodSync(root, MAY_ALL);
    chmodSync(join(folder, 'previous'), previousMode);
    chmodSync(folder, mode);
    const result = await asNobody(() => act(records));
    chmodSync(folder, MAY_ALL);
    chmodSync(join(folder, 'previous'), MAY_ALL);
    expect(result).toEqual({ ok: false, failure: { kind: 'disk', action, path: join(folder, path), code: 'EACCES' } });
  });

  test('a folder that cannot be created is a failure', async () => {
    const { root, folder, records, put } = openFolder(temporaryFolder('/tmp'));
    put(FILE);
    chmodSync(root, MAY_ALL);
    chmodSync(folder, MAY_NOT_WRITE);
    const result = await asNobody(() => archive(records));
    chmodSync(folder, MAY_ALL);
    const failure = { kind: 'disk', action: 'write', path: join(folder, 'previous'), code: 'EACCES' };
    expect(result).toEqual({ ok: false, failure });
  });
});
