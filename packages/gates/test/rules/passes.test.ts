import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { RepoPath, ReviewId } from '@onceover/base/kernel/ids';
import { emptyRepo } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { markerPath, openPasses } from '../../src/rules/passes.ts';
import type { TaskFacts } from '../../src/rules/types.ts';

const FOLDER = '.deepwork/tmp/review_instructions';
const ID = 'style--a.py--0123456789ab' as ReviewId;
const MARKER = `${FOLDER}/${ID}.passed`;
const NOON = new Date('2026-03-01T12:00:00.000Z');

const FACTS: TaskFacts = {
  id: ID,
  parts: [{ source: '.deepreview' as RepoPath, rule: 'style', textDigest: 'aa', contextDigest: 'bb' }],
  files: [{ path: 'a.py' as RepoPath, sha256: 'cc', link: null }],
  promptVersion: 1,
};

/** Opens passes in a new repository, next to a folder with a file that must not change. */
function open() {
  const { root, git } = emptyRepo();
  const commonDir = join(root, '.git');
  const outside = join(dirname(root), 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'kept'), 'as it was');
  return { root, git, commonDir, outside, passes: openPasses({ root, commonDir }) };
}

test('writes an empty marker file and creates its folder [REVIEW-REQ-009.2.3] [REVIEW-REQ-009.2.4]', async () => {
  const { root, passes } = open();
  expect(existsSync(join(root, '.deepwork'))).toBe(false);
  expect(await passes.mark(ID, 'mcp', NOON)).toEqual({ ok: true, value: { vouched: false } });
  expect(readdirSync(join(root, FOLDER))).toEqual([`${ID}.passed`]);
  expect(statSync(join(root, MARKER)).size).toBe(0);
  expect(markerPath(ID)).toBe(MARKER);
});

test('counts a marker created by hand, empty or not', async () => {
  const { root, passes } = open();
  mkdirSync(join(root, FOLDER), { recursive: true });
  writeFileSync(join(root, FOLDER, 'by-hand.passed'), '');
  writeFileSync(join(root, MARKER), 'LGTM');
  expect(await passes.marked()).toMatchObject({ value: { ids: new Set(['by-hand', ID]) } });
});

test('empties an existing marker with content', async () => {
  const { root, passes } = open();
  mkdirSync(join(root, FOLDER), { recursive: true });
  writeFileSync(join(root, MARKER), 'LGTM');
  expect(await passes.mark(ID, 'mcp', NOON)).toMatchObject({ ok: true });
  expect(statSync(join(root, MARKER)).size).toBe(0);
});

test('ignores other files', async () => {
  const { root, passes } = open();
  mkdirSync(join(root, FOLDER), { recursive: true });
  for (const name of ['a.md', 'passed', 'b.passed.md', 'c.PASSED']) writeFileSync(join(root, FOLDER, name), '');
  expect(await passes.marked()).toEqual({ ok: true, value: { ids: new Set(), notFiles: new Set() } });
});

test('reports a marker that is a folder or a symlink, and does not count it', async () => {
  const { root, outside, passes } = open();
  mkdirSync(join(root, FOLDER, 'folder.passed'), { recursive: true });
  symlinkSync(join(outside, 'kept'), join(root, FOLDER, 'link.passed'));
  symlinkSync('nothing', join(root, FOLDER, 'dangling.passed'));
  expect(await passes.marked()).toEqual({
    ok: true,
    value: { ids: new Set(), notFiles: new Set(['folder', 'link', 'dangling']) },
  });
});

test.each(['.deepwork', '.deepwork/tmp', FOLDER, MARKER])('rejects a symlink at %s', async (path) => {
  const { root, outside, passes } = open();
  mkdirSync(dirname(join(root, path)), { recursive: true });
  symlinkSync(path === MARKER ? join(outside, 'kept') : outside, join(root, path));
  const refused = { ok: false, failure: { kind: 'path-in-the-way', path: join(root, path), found: 'symlink' } };
  expect(await passes.mark(ID, 'mcp', NOON)).toEqual(refused);
  if (path !== MARKER) expect(await passes.marked()).toEqual(refused);
  expect(readdirSync(outside)).toEqual(['kept']);
  expect(readFileSync(join(outside, 'kept'), 'utf8')).toBe('as it was');
});

test('rejects a folder in place of the marker', async () => {
  const { root, passes } = open();
  mkdirSync(join(root, MARKER), { recursive: true });
  expect(await passes.mark(ID, 'mcp', NOON)).toMatchObject({ ok: false, failure: { found: 'folder' } });
});

test('fails if the marker folder is a file', async () => {
  const { root, passes } = open();
  mkdirSync(join(root, '.deepwork/tmp'), { recursive: true });
  writeFileSync(join(root, FOLDER), '');
  expect(await passes.marked()).toMatchObject({ ok: false, failure: { kind: 'path-in-the-way', found: 'file' } });
});

test.each(['onceover', 'onceover/tasks'])('does not write facts through a symlink at .git/%s', async (path) => {
  const { commonDir, outside, passes } = open();
  mkdirSync(dirname(join(commonDir, path)), { recursive: true });
  symlinkSync(outside, join(commonDir, path));
  expect(await passes.remember([FACTS])).toMatchObject({ ok: false, failure: { found: 'symlink' } });
  expect(readdirSync(outside)).toEqual(['kept']);
});

test.each<[string, (folder: string, outside: string) => void, string]>([
  ['a symlink for its folder', (folder, outside) => symlinkSync(outside, folder), 'symlink'],
  ['a folder in its place', (folder) => mkdirSync(join(folder, documentName(ID)), { recursive: true }), 'folder'],
])('fails without a mark if the receipt cannot be written because of %s', async (_, prepare, found) => {
  const { root, commonDir, outside, passes } = open();
  await passes.remember([FACTS]);
  prepare(join(commonDir, 'onceover/passes'), outside);
  const failure = { kind: 'path-in-the-way', found };
  expect(await passes.mark(ID, 'mcp', NOON)).toMatchObject({ ok: false, failure });
  expect(readdirSync(outside)).toEqual(['kept']);
  expect(existsSync(join(root, MARKER))).toBe(false);
});

test('fails if facts cannot be written', async () => {
  const { root, commonDir, passes } = open();
  mkdirSync(join(commonDir, 'onceover/tasks', factsName(root, ID)), { recursive: true });
  expect(await passes.remember([FACTS])).toMatchObject({ ok: false, failure: { found: 'folder' } });
});

const RECEIPT = { ...FACTS, by: 'mcp', at: NOON.toISOString() };

test.each<[string, unknown]>([
  ['that is null', null],
  ['that is a string', 'passed'],
  ['for another id', { ...RECEIPT, id: 'other' }],
  ['without an id', { ...RECEIPT, id: undefined }],
  ['with a number for an id', { ...RECEIPT, id: 1 }],
  ['with a string for a version', { ...RECEIPT, promptVersion: '1' }],
  ['without parts', { ...RECEIPT, parts: undefined }],
  ['with null for a part', { ...RECEIPT, parts: [null] }],
  ['with a part without its digest', { ...RECEIPT, parts: [{ ...FACTS.parts[0], textDigest: undefined }] }],
  ['with a string for files', { ...RECEIPT, files: 'a.py' }],
  ['with a file without a path', { ...RECEIPT, files: [{ sha256: 'cc', link: null }] }],
  ['with a file without a digest', { ...RECEIPT, files: [{ path: 'a.py', link: null }] }],
  ['with a number for a link', { ...RECEIPT, files: [{ path: 'a.py', sha256: 'cc', link: 1 }] }],
  ['by an unknown interface', { ...RECEIPT, by: 'me' }],
  ['without a time', { ...RECEIPT, at: undefined }],
])('ignores a receipt %s', async (_, document) => {
  const { commonDir, passes } = open();
  const file = join(commonDir, 'onceover/passes', documentName(ID));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(RECEIPT));
  expect(await passes.receipt(ID)).toEqual(RECEIPT);
  writeFileSync(file, JSON.stringify(document));
  expect(await passes.receipt(ID)).toBeNull();
});

test.each(['', '{', JSON.stringify(RECEIPT).slice(0, -1)])('ignores a broken receipt: %j', async (text) => {
  const { commonDir, passes } = open();
  const file = join(commonDir, 'onceover/passes', documentName(ID));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  expect(await passes.receipt(ID)).toBeNull();
});

test('does not vouch for a review with broken facts', async () => {
  const { root, commonDir, passes } = open();
  await passes.remember([FACTS]);
  writeFileSync(join(commonDir, 'onceover/tasks', factsName(root, ID)), '{"id":');
  expect(await passes.mark(ID, 'mcp', NOON)).toEqual({ ok: true, value: { vouched: false } });
  expect(await passes.receipt(ID)).toBeNull();
});

test('shares receipts between worktrees, but not marks', async () => {
  const { commonDir, outside, passes } = open();
  await passes.remember([FACTS]);
  await passes.mark(ID, 'cli', NOON);
  const there = openPasses({ root: outside, commonDir });
  expect(await there.marked()).toMatchObject({ value: { ids: new Set() } });
  expect(await there.receipt(ID)).toMatchObject({ id: ID, by: 'cli' });
});

test('uses the facts of its own worktree for a mark, not those of another worktree', async () => {
  const { commonDir, outside, passes } = open();
  await passes.remember([FACTS]);
  await openPasses({ root: outside, commonDir }).remember([{ ...FACTS, promptVersion: 99 }]);
  await passes.mark(ID, 'cli', NOON);
  expect(await passes.receipt(ID)).toEqual({ ...FACTS, by: 'cli', at: NOON.toISOString() });
});

test('hides markers and receipts from git', async () => {
  const { git, passes } = open();
  await passes.remember([FACTS]);
  await passes.mark(ID, 'mcp', NOON);
  expect(git('status', '--porcelain', '--untracked-files=all')).toBe('');
});

test('keeps at most 2000 facts', async () => {
  const { root, commonDir, passes } = open();
  const folder = join(commonDir, 'onceover/tasks');
  mkdirSync(folder, { recursive: true });
  for (let n = 0; n < 2000; n++) writeFileSync(join(folder, `${n}.json`), '');
  const many = Array.from({ length: 10 }, (_, n) => ({ ...FACTS, id: `style--${n}` as ReviewId }));
  expect(await passes.remember(many)).toMatchObject({ ok: true });
  const left = readdirSync(folder);
  expect(left).toHaveLength(2000);
  expect(left).toEqual(expect.arrayContaining(many.map(({ id }) => factsName(root, id))));
});

test('remembers every review of one call, however many', async () => {
  const { passes } = open();
  const many = Array.from({ length: 2010 }, (_, n) => ({ ...FACTS, id: `style--${n}` as ReviewId }));
  await passes.remember(many);
  for (const { id } of [many[0], many[1005], many[2009]].filter((one) => one !== undefined)) {
    expect(await passes.mark(id, 'mcp', NOON)).toEqual({ ok: true, value: { vouched: true } });
  }
});

test('removes leftovers of a killed process among the facts after a while', async () => {
  const { root, commonDir, passes } = open();
  const folder = join(commonDir, 'onceover/tasks');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, '.onceover-1-old'), '');
  utimesSync(join(folder, '.onceover-1-old'), 1_000_000, 1_000_000);
  await passes.remember([FACTS]);
  expect(readdirSync(folder)).toEqual([factsName(root, ID)]);
});

const factsName = (root: string, id: string) => documentName(`${root}\0${id}`);

function documentName(id: string): string {
  return `${createHash('sha256').update(id).digest('hex').slice(0, 32)}.json`;
}

test('does not read facts or receipts through a symlink', async () => {
  const { commonDir, outside, passes } = open();
  await passes.remember([FACTS]);
  await passes.mark(ID, 'cli', NOON);
  expect(await passes.receipt(ID)).toMatchObject({ by: 'cli' });
  const folder = join(commonDir, 'onceover/passes');
  const [name = ''] = readdirSync(folder);
  renameSync(join(folder, name), join(outside, name));
  symlinkSync(join(outside, name), join(folder, name));
  expect(await passes.receipt(ID)).toBeNull();
});

test('remembers new facts even if the oldest cannot be removed', async () => {
  const { commonDir, passes } = open();
  const folder = join(commonDir, 'onceover/tasks');
  mkdirSync(join(folder, 'in the way'), { recursive: true });
  utimesSync(join(folder, 'in the way'), 1, 1);
  for (let n = 0; n < 2000; n++) writeFileSync(join(folder, `${n}.json`), '');
  expect(await passes.remember([FACTS])).toEqual({ ok: true, value: undefined });
});
