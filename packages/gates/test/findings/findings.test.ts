import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { addOne } from '@onceover/testing/add-finding.ts';
import { asNobody } from '@onceover/testing/as-nobody.ts';
import { findingWith } from '@onceover/testing/finding.ts';
import { ANN } from '@onceover/testing/gates.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openFindings } from '../../src/findings/open-findings.ts';
import type { Finding, Resolution } from '../../src/findings/types.ts';

const FOLDER = 'onceover/findings';
const F1: Finding = { ...findingWith(), id: 'F1' };
const WAIVER: Resolution = {
  how: 'skipped',
  why: 'Meant so.',
  at: '2026-03-01T13:00:00.000Z',
  iteration: 2,
  by: ANN,
  proposedBy: null,
};

/** Opens findings in a new folder. */
function open(base?: string) {
  const commonDir = temporaryFolder(base);
  const folder = join(commonDir, FOLDER);
  mkdirSync(folder, { recursive: true });
  const write = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
  return { commonDir, folder, write, findings: openFindings(commonDir) };
}

test('a finding and its resolution are two files', async () => {
  const { folder, findings } = open();
  await addOne(findings, findingWith());
  await findings.resolve('F1', WAIVER);
  expect(readdirSync(folder).sort()).toEqual(['F1.json', 'F1.said.json']);
  expect(JSON.parse(readFileSync(join(folder, 'F1.json'), 'utf8'))).toEqual(F1);
  expect(JSON.parse(readFileSync(join(folder, 'F1.said.json'), 'utf8'))).toEqual(WAIVER);
});

test('reading creates no files', async () => {
  const commonDir = temporaryFolder();
  expect(await openFindings(commonDir).all()).toEqual({ ok: true, value: [] });
  expect(await openFindings(commonDir).resolve('F1', WAIVER)).toMatchObject({ failure: { kind: 'unknown-finding' } });
  expect(readdirSync(commonDir)).toEqual([]);
});

test('any text of a reviewer is returned unchanged', async () => {
  const { findings } = open();
  const text = fc.string({ unit: 'binary', maxLength: 50 });
  const told = fc.record({
    issue: text,
    code: fc.option(text),
    fix: fc.option(text),
    line: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((line) => line + 0)),
  });
  await fc.assert(
    fc.asyncProperty(told, async (what) => {
      const added = await addOne(findings, findingWith(what));
      const all = await findings.all();
      expect(all.ok && all.value.at(-1)).toEqual({ ...(added.ok ? added.value : null), ...what, resolution: null });
    }),
    { numRuns: 50 },
  );
});

test.each<[string, unknown]>([
  ['is empty', ''],
  ['is cut', JSON.stringify(F1).slice(0, -1)],
  ['is null', null],
  ['is a list', [F1]],
  ['has another id', { ...F1, id: 'F2' }],
  ['has no id', { ...F1, id: undefined }],
  ['has a number for a gate', { ...F1, gate: 1 }],
  ['has no scope', { ...F1, scope: null }],
  ['has slot 0', { ...F1, slot: 0 }],
  ['has half a slot', { ...F1, slot: 1.5 }],
  ['has no agent', { ...F1, agent: undefined }],
  ['names a file outside of the repository', { ...F1, file: '../a' }],
  ['names an absolute path', { ...F1, file: '/etc/passwd' }],
  ['names a path that is not normalized', { ...F1, file: 'a/./b' }],
  ['has a text for a line', { ...F1, line: '12' }],
  ['has no line field', { ...F1, line: undefined }],
  ['has an infinite line', JSON.stringify(F1).replace('"line":12', '"line":1e999')],
  ['has a number for code', { ...F1, code: 1 }],
  ['has a text for an anchor', { ...F1, anchor: 'const' }],
  ['has an anchor without its number', { ...F1, anchor: { text: 'const' } }],
  ['has a negative occurrence', { ...F1, anchor: { text: 'const', occurrence: -1 } }],
  ['has no issue', { ...F1, issue: null }],
  ['has a list for a fix', { ...F1, fix: [] }],
  ['has an unknown priority', { ...F1, priority: 'urgent' }],
  ['has an unknown kept value', { ...F1, kept: 'hidden' }],
  ['has an unknown mark', { ...F1, mark: 'odd' }],
  ['has a negative first iteration', { ...F1, since: -1 }],
  ['has an invalid date', { ...F1, at: 'yesterday' }],
  ['has an impossible date', { ...F1, at: '2026-13-01T12:00:00.000Z' }],
  ['has text after its date', { ...F1, at: '2026-03-01T12:00:00.000Z (x)' }],
  ['has a number for content', { ...F1, content: 1 }],
  ['has an invalid entry', { ...F1, entry: {} }],
  ['has an entry outside of the repository', { ...F1, entry: { ...F1.entry, path: '../a' } }],
  ['has an entry with an odd mode', { ...F1, entry: { ...F1.entry, mode: 'rw-r--r--' } }],
  ['has an entry with a number for a blob', { ...F1, entry: { ...F1.entry, headBlob: 1 } }],
  ['has a number for a fingerprint', { ...F1, seen: 1 }],
  ['has a number for a branch', { ...F1, branch: 1 }],
  ['has no merge-base field', { ...F1, mergeBase: undefined }],
  ['has a text for the end of its cycle', { ...F1, cycleEnded: 'no' }],
  ['is closed by true', { ...F1, closed: true }],
  ['is closed in an unknown way', { ...F1, closed: { how: 'ignored', why: '', iteration: 1 } }],
])('a finding that %s makes reading fail', async (_, document) => {
  const { folder, write, findings } = open();
  write('F1.json', F1);
  write('F3.json', { ...F1, id: 'F3' });
  expect(await findings.all()).toMatchObject({ ok: true, value: [{ id: 'F1' }, { id: 'F3' }] });
  write('F1.json', document);
  const failure = { kind: 'disk', action: 'read', path: join(folder, 'F1.json'), code: 'not a finding' };
  expect(await findings.all()).toEqual({ ok: false, failure });
  expect(await findings.resolve('F2', WAIVER)).toEqual({ ok: false, failure });
});

test.each<[string, (path: string) => void, string]>([
  ['a folder', (path) => mkdirSync(path), 'not a file'],
  ['a symlink', (path) => symlinkSync('/dev/null', path), 'ELOOP'],
])('%s in place of a finding makes reading fail', async (_, put, code) => {
  const { folder, findings } = open();
  put(join(folder, 'F1.json'));
  expect(await findings.all()).toMatchObject({ ok: false, failure: { kind: 'disk', action: 'read', code } });
});

test('unknown fields of a finding are dropped', async () => {
  const { write, findings } = open();
  write('F1.json', { ...F1, resolution: WAIVER, more: 1 });
  expect(await findings.all()).toEqual({ ok: true, value: [{ ...F1, resolution: null }] });
});

test('other files are ignored', async () => {
  const { write, findings } = open();
  for (const name of [
    'F0.json',
    'F01.json',
    'f1.json',
    'F1.json~',
    'F1',
    'F1234567890.json',
    'F.json',
    '.onceover-1',
  ]) {
    write(name, '?');
  }
  expect(await findings.all()).toEqual({ ok: true, value: [] });
  expect(await addOne(findings, findingWith())).toMatchObject({ value: { id: 'F1' } });
});

test.each<[string, unknown]>([
  ['is empty', ''],
  ['is null', null],
  ['is a list', [WAIVER]],
  ['has an unknown kind', { ...WAIVER, how: 'ignored' }],
  ['has no reason', { ...WAIVER, why: undefined }],
  ['has an invalid date', { ...WAIVER, at: 'now' }],
  ['has half an iteration', { ...WAIVER, iteration: 1.5 }],
])('a resolution that %s is ignored, and can be given again', async (_, document) => {
  const { write, findings } = open();
  write('F1.json', F1);
  write('F1.said.json', { ...WAIVER, more: 1 });
  expect(await findings.all()).toEqual({ ok: true, value: [{ ...F1, resolution: WAIVER }] });
  write('F1.said.json', document);
  expect(await findings.all()).toEqual({ ok: true, value: [{ ...F1, resolution: null }] });
  expect(await findings.resolve('F1', WAIVER)).toMatchObject({ ok: true });
  expect(await findings.all()).toEqual({ ok: true, value: [{ ...F1, resolution: WAIVER }] });
});

test('a resolution that is a symlink is ignored', async () => {
  const { commonDir, folder, write, findings } = open();
  write('F1.json', F1);
  writeFileSync(join(commonDir, 'word'), JSON.stringify(WAIVER));
  symlinkSync(join(commonDir, 'word'), join(folder, 'F1.said.json'));
  expect(await findings.all()).toEqual({ ok: true, value: [{ ...F1, resolution: null }] });
  expect(await findings.resolve('F1', WAIVER)).toMatchObject({ ok: false, failure: { found: 'symlink' } });
});

test('a finding that could not be read back is not written', async () => {
  const { folder, findings } = open();
  const broken = findingWith({ file: '../a' as RepoPath });
  const failure = { kind: 'disk', action: 'write', path: join(folder, 'F1.json'), code: 'not a finding' };
  expect(await addOne(findings, broken)).toEqual({ ok: false, failure });
  expect(await findings.update({ ...broken, id: 'F1' })).toEqual({ ok: false, failure });
  expect(await findings.update({ ...F1, id: '../F1' })).toMatchObject({ failure: { code: 'not a finding' } });
  expect(readdirSync(folder)).toEqual([]);
  await addOne(findings, findingWith());
  const unsaid = { kind: 'disk', action: 'write', path: join(folder, 'F1.said.json'), code: 'not a resolution' };
  expect(await findings.resolve('F1', { ...WAIVER, at: 'now' })).toEqual({ ok: false, failure: unsaid });
  expect(readdirSync(folder)).toEqual(['F1.json']);
});

test('a number that any file uses is not given again, so no finding inherits a resolution', async () => {
  const { write, folder, findings } = open();
  mkdirSync(join(folder, 'F4.json'));
  expect(await addOne(findings, findingWith())).toMatchObject({ value: { id: 'F5' } });
  write('F9.said.json', WAIVER);
  expect(await addOne(findings, findingWith())).toMatchObject({ value: { id: 'F10' } });
});

test('adding fails if all numbers are used', async () => {
  const { write, folder, findings } = open();
  write('F999999998.json', { ...F1, id: 'F999999998' });
  expect(await addOne(findings, findingWith())).toMatchObject({ value: { id: 'F999999999' } });
  const failure = { kind: 'disk', action: 'write', path: folder, code: 'no number left' };
  expect(await addOne(findings, findingWith())).toEqual({ ok: false, failure });
});

test('keeps the newest 200 closed findings, and all others', async () => {
  const { folder, write, findings } = open();
  const numbers = Array.from({ length: 209 }, (_, n) => n + 1);
  for (const n of numbers)
    write(`F${n}.json`, { ...F1, id: `F${n}`, kept: n === 2 ? 'open' : n === 3 ? 'warning' : 'closed' });
  write('F1.said.json', WAIVER);
  write('F2.said.json', WAIVER);
  write('F5.json', 'broken');
  expect(await addOne(findings, findingWith({ kept: 'closed' }))).toMatchObject({ value: { id: 'F210' } });
  // There are 210 findings, 207 of them closed.
  const gone = [1, 4, 6, 7, 8, 9, 10];
  const left = [...numbers, 210].filter((n) => !gone.includes(n)).map((n) => `F${n}.json`);
  expect(readdirSync(folder).sort()).toEqual([...left, 'F2.said.json'].sort());
});

test('leftovers of a killed process are removed after a while', async () => {
  const { folder, write, findings } = open();
  write('.onceover-1-old', '{');
  write('.onceover-1-new', '{');
  utimesSync(join(folder, '.onceover-1-old'), 1_000_000, 1_000_000);
  await addOne(findings, findingWith());
  expect(readdirSync(folder).sort()).toEqual(['.onceover-1-new', 'F1.json']);
});

test('a symlink at the folder is not followed', async () => {
  const [commonDir, outside] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(commonDir, 'onceover'));
  symlinkSync(outside, join(commonDir, FOLDER));
  writeFileSync(join(outside, 'F1.json'), JSON.stringify(F1));
  const findings = openFindings(commonDir);
  const refused = { ok: false, failure: { kind: 'path-in-the-way', path: join(commonDir, FOLDER), found: 'symlink' } };
  expect(await findings.all()).toEqual(refused);
  expect(await addOne(findings, findingWith())).toEqual(refused);
  expect(await findings.update(F1)).toEqual(refused);
  expect(await findings.resolve('F1', WAIVER)).toEqual(refused);
  expect(readdirSync(outside)).toEqual(['F1.json']);
});

const [MAY_NOT_LIST, MAY_NOT_WRITE] = [0o333, 0o555];

test.each<[string, number, (folder: string) => Promise<unknown>, string, string]>([
  ['reading a folder that cannot be listed', MAY_NOT_LIST, (dir) => openFindings(dir).all(), 'read', ''],
  [
    'adding to a folder that cannot be listed',
    MAY_NOT_LIST,
    (dir) => addOne(openFindings(dir), findingWith()),
    'read',
    '',
  ],
  [
    'adding to a read-only folder',
    MAY_NOT_WRITE,
    (dir) => addOne(openFindings(dir), findingWith()),
    'write',
    'F2.json',
  ],
  ['updating in a read-only folder', MAY_NOT_WRITE, (dir) => openFindings(dir).update(F1), 'write', 'F1.json'],
  [
    'resolving in a read-only folder',
    MAY_NOT_WRITE,
    (dir) => openFindings(dir).resolve('F1', WAIVER),
    'write',
    'F1.said.json',
  ],
])('%s fails', async (_, mode, act, action, name) => {
  const { commonDir, folder, write } = open('/tmp');
  write('F1.json', F1);
  chmodSync(commonDir, 0o777);
  chmodSync(folder, mode);
  const result = await asNobody(() => act(commonDir)).finally(() => chmodSync(folder, 0o777));
  const path = join(folder, name);
  expect(result).toEqual({ ok: false, failure: { kind: 'disk', action, path, code: 'EACCES' } });
  expect(existsSync(join(folder, 'F2.json'))).toBe(false);
});

test('cleans up at the first finding that a process adds, and then from time to time', async () => {
  const { folder, write, findings } = open();
  await addOne(findings, findingWith());
  for (let n = 2; n <= 205; n++) write(`F${n}.json`, { ...F1, id: `F${n}`, kept: 'closed' });
  for (let n = 0; n < 49; n++) await addOne(findings, findingWith());
  expect(existsSync(join(folder, 'F2.json'))).toBe(true);
  await addOne(findings, findingWith());
  expect(['F1', 'F5', 'F6'].map((id) => existsSync(join(folder, `${id}.json`)))).toEqual([true, false, true]);
});

test('many findings are stored one after the other, and signals are handled meanwhile', async () => {
  const findings = openFindings(temporaryFolder());
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const added = await findings.add(Array.from({ length: 500 }, (_, n) => findingWith({ since: n + 1 })));
  clearInterval(timer);
  expect(added.ok && added.value.map(({ id }) => id)).toEqual(Array.from({ length: 500 }, (_, n) => `F${n + 1}`));
  expect(turns).toBeGreaterThan(5);
});
