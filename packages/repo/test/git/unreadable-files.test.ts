import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DiffSection } from '@onceover/base/kernel/repository';
import { CHANGE, type Repo, snapshotsAt, someRepo, value } from '@onceover/testing/snapshots.ts';
import { describe, expect, test } from 'vitest';

type Content = Buffer | string;

const NOISE = randomBytes(40_000);
const utf16 = (text: string, mark = '\ufeff') => Buffer.from(`${mark}${text}`, 'utf16le');
const png = (bytes: Buffer) => Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n\0', 'latin1'), bytes]);

function put(repo: Repo, path: string, content: Content): void {
  mkdirSync(dirname(join(repo.root, path)), { recursive: true });
  writeFileSync(join(repo.root, path), content);
}

/** Returns the sections of a change from the files `before` on main to the files `after` in the working tree. */
async function sectionsBetween(
  before: Readonly<Record<string, Content>>,
  after: (repo: Repo) => void,
): Promise<ReadonlyMap<string, DiffSection>> {
  const repo = someRepo();
  repo.git('checkout', '-q', 'main');
  for (const [path, content] of Object.entries(before)) put(repo, path, content);
  if (Object.keys(before).length > 0) repo.commit('before');
  repo.git('branch', '-f', 'work', 'main');
  repo.git('checkout', '-q', 'work');
  after(repo);
  const snapshots = await snapshotsAt(repo.root);
  const comparison = value(await snapshots.compare(CHANGE, null));
  const tree = value(await value(await snapshots.take(comparison, { folders: [] })).tree());
  const sections = value(await snapshots.sections(comparison.baseTree, tree, 3));
  return new Map(sections.map((section) => [section.paths.at(-1) ?? '', section]));
}

async function sectionBetween(before: Content | null, after: Content, path = 'x.js'): Promise<DiffSection> {
  const sections = await sectionsBetween(before === null ? {} : { [path]: before }, (repo) => put(repo, path, after));
  return sections.get(path) as DiffSection;
}

describe('files that git does not take for text', () => {
  test.each<[string, Content | null, Content, string[]]>([
    ['new, with a NUL', null, '/* \0 */ evil()\n', ['new file mode', '--- /dev/null', '+/* \\x00 */ evil()']],
    ['a NUL is added', 'good()\n', '/* \0 */ evil()\n', ['-good()', '+/* \\x00 */ evil()']],
    ['a NUL is removed', 'a\n/* \0 */\n', 'a\nevil()\n', [' a', '-/* \\x00 */', '+evil()']],
    ['changed beside a NUL', 'a\n\0\ngood()\n', 'a\n\0\nevil()\n', [' \\x00', '-good()', '+evil()']],
    ['a NUL takes the place of what it looks like', 'a\n\\x00\n', 'b\n\0\n', ['-\\\\x00', '+\\x00']],
    ['a NUL far behind', `${'x\n'.repeat(9000)}`, `${'x\n'.repeat(9000)}\0evil()\n`, ['+\\x00evil()']],
    ['UTF-16', null, utf16('evil()\n'), ['+evil()', 'UTF-16LE with a byte order mark']],
    ['UTF-16, changed', utf16('good()\nb\n'), utf16('evil()\nb\n'), ['-good()', '+evil()', ' b']],
    ['from UTF-8 to UTF-16', 'same\n', utf16('same\n'), ['the old version: text', 'decoded from UTF-16LE']],
    ['another mark', utf16('same\n'), utf16('same text\n', ''), ['-same', '+same text', 'without a byte order mark']],
    ['from noise to text', NOISE, 'a\0b\nevil()\n', ['+evil()', 'the old version: not text, and not shown']],
    ['small and binary', null, NOISE.subarray(0, 300), ['+']],
  ])('%s: the new text is shown', async (_, before, after, lines) => {
    const section = await sectionBetween(before, after);
    for (const line of lines) expect(section.text).toContain(line);
    expect(section.text).not.toContain('Binary files');
    expect(section.unseen).toBeUndefined();
    expect(section.text.startsWith('diff --git a/x.js b/x.js\n')).toBe(true);
  });

  test.each<[string, string, Content | null, Content, string]>([
    ['new image', 'a.png', null, png(NOISE), 'media'],
    ['changed image', 'a.png', png(NOISE), png(NOISE.subarray(9)), 'media'],
    ['new archive', 'a.zip', null, NOISE, 'opaque'],
    ['text that becomes binary', 'a.js', 'text\n', NOISE, 'opaque'],
  ])('%s is named', async (_, path, before, after, unseen) => {
    const section = await sectionBetween(before, after, path);
    expect(section).toMatchObject({ unseen, text: expect.stringContaining('Binary files ') });
  });

  test('a deleted file needs no content', async () => {
    const sections = await sectionsBetween({ 'a.zip': NOISE, 'b.png': png(NOISE), 'c.js': 'a\0b\n' }, (repo) => {
      for (const path of ['a.zip', 'b.png', 'c.js']) repo.remove(path);
    });
    expect([...sections.values()].map(({ unseen }) => unseen)).toEqual([undefined, undefined, undefined]);
    expect(sections.get('c.js')?.text).toContain('-a\\x00b');
  });

  test('renames, modes and names of every kind keep their header', async () => {
    const text = `${'line\n'.repeat(30)}\0\n`;
    const sections = await sectionsBetween({ 'old.js': text, 'sp ace "ä".js': text, 'run.sh': text }, (repo) => {
      renameSync(join(repo.root, 'old.js'), join(repo.root, 'new.js'));
      put(repo, 'new.js', `${text}evil()\n`);
      put(repo, 'sp ace "ä".js', `${text}evil()\n`);
      chmodSync(join(repo.root, 'run.sh'), 0o755);
      put(repo, 'run.sh', `${text}evil()\n`);
    });
    for (const path of ['new.js', 'sp ace "ä".js', 'run.sh']) expect(sections.get(path)?.text).toContain('\n+evil()');
    expect(sections.get('new.js')?.text).toContain('rename from old.js');
    expect(sections.get('run.sh')?.text).toContain('new mode 100755');
  });
});
