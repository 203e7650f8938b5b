import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ReviewId } from '@onceover/base/kernel/ids';
import { emptyRepo } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { openPasses, replaceInstructionFiles } from '../../src/rules/passes.ts';

const FOLDER = '.deepwork/tmp/review_instructions';
const ID = 'style--a.py--0123456789ab' as ReviewId;
const ONE = new Map([[ID, 'Look at a.py.']]);

/** Opens instruction files in a new repository; `there` are files that already exist in their folder. */
function open(there: readonly string[] = []) {
  const { root, git } = emptyRepo();
  const folder = join(root, FOLDER);
  const outside = join(dirname(root), 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'kept'), 'as it was');
  if (there.length > 0) mkdirSync(folder, { recursive: true });
  for (const name of there) writeFileSync(join(folder, name), `old ${name}`);
  return {
    root,
    git,
    folder,
    outside,
    files: { replace: async (files: ReadonlyMap<ReviewId, string>) => replaceInstructionFiles(root, files) },
  };
}

test('names a file {review_id}.md [REVIEW-REQ-009.3.4]', async () => {
  const { root, files } = open();
  expect(await files.replace(ONE)).toEqual({ ok: true, value: new Map([[ID, `${FOLDER}/${ID}.md`]]) });
  expect(readFileSync(join(root, FOLDER, `${ID}.md`), 'utf8')).toBe('Look at a.py.');
});

test('removes only .md files, not .passed or other files [REVIEW-REQ-009.5.1]', async () => {
  const stays = ['.hidden', 'a.passed', 'b.md.passed', 'md', 'notes.txt'];
  const { folder, files } = open(['old.md', 'a.md', '.md', ...stays]);
  await files.replace(ONE);
  expect(readdirSync(folder).sort()).toEqual([...stays, `${ID}.md`].sort());
  expect(readFileSync(join(folder, 'a.passed'), 'utf8')).toBe('old a.passed');
});

test('removes the last .md files if there is nothing to write [REVIEW-REQ-009.5.1]', async () => {
  const { folder, files } = open(['old.md', 'a.passed']);
  expect(await files.replace(new Map())).toEqual({ ok: true, value: new Map() });
  expect(readdirSync(folder)).toEqual(['a.passed']);
});

test('keeps markers across calls [REVIEW-REQ-009.5.2]', async () => {
  const { root, files } = open();
  const passes = openPasses({ root, commonDir: join(root, '.git') });
  const ids = Array.from({ length: 5 }, (_, n) => `style--${n}.py--0123456789ab` as ReviewId);
  for (const id of ids) await passes.mark(id, 'mcp', new Date());
  for (let n = 0; n < 20; n++) {
    await files.replace(new Map(n % 3 === 0 ? [] : ids.slice(n % 5).map((id) => [id, `call ${n}`])));
    expect(await passes.marked()).toMatchObject({ ok: true, value: { ids: new Set(ids) } });
  }
});

test('creates no folder if there is nothing to write', async () => {
  const { root, files } = open();
  expect(await files.replace(new Map())).toEqual({ ok: true, value: new Map() });
  expect(existsSync(join(root, '.deepwork'))).toBe(false);
});

test('hides the files from git', async () => {
  const { git, files } = open();
  await files.replace(ONE);
  expect(git('status', '--porcelain', '--untracked-files=all')).toBe('');
});

test.each(['.deepwork', '.deepwork/tmp', FOLDER, `${FOLDER}/${ID}.md`])('rejects a symlink at %s', async (path) => {
  const { root, outside, files } = open();
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(outside, 'other.md'), 'not ours');
  symlinkSync(path.endsWith('.md') ? join(outside, 'kept') : outside, join(root, path));
  const failure = { kind: 'path-in-the-way', path: join(root, path), found: 'symlink' };
  expect(await files.replace(ONE)).toEqual({ ok: false, failure });
  if (!path.endsWith('.md')) expect(await files.replace(new Map())).toEqual({ ok: false, failure });
  expect(readdirSync(outside)).toEqual(['kept', 'other.md']);
  expect(readFileSync(join(outside, 'kept'), 'utf8')).toBe('as it was');
});

test('keeps the earlier files if a file cannot be written', async () => {
  const { folder, files } = open(['old.md']);
  mkdirSync(join(folder, `${ID}.md`));
  expect(await files.replace(ONE)).toMatchObject({ ok: false, failure: { kind: 'path-in-the-way', found: 'folder' } });
  expect(readFileSync(join(folder, 'old.md'), 'utf8')).toBe('old old.md');
});

test('does not remove folders and symlinks that end in .md', async () => {
  const { folder, outside, files } = open(['old.md']);
  mkdirSync(join(folder, 'folder.md'));
  symlinkSync(join(outside, 'kept'), join(folder, 'link.md'));
  expect(await files.replace(new Map())).toEqual({ ok: true, value: new Map() });
  expect(readdirSync(folder)).toEqual(['folder.md', 'link.md']);
});

test('removes leftovers of a killed process after a while', async () => {
  const { folder, files } = open(['.onceover-1-old', '.onceover-1-young']);
  const before = new Date(Date.now() - 11 * 60_000);
  utimesSync(join(folder, '.onceover-1-old'), before, before);
  await files.replace(ONE);
  expect(readdirSync(folder)).toEqual(['.onceover-1-young', `${ID}.md`]);
});
