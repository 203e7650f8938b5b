import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyRepo, type TestRepo, temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { parseSettings } from '../../src/config/parse-settings.ts';
import { loadSettings, openParsedFiles, type ParsedFiles } from '../../src/config/read-file.ts';
import { diskFiles } from '../../src/git/tree-files.ts';

const NOTHING_KEPT: ParsedFiles = { get: (_, __, ___, parse) => parse(), save: () => {} };

function withFile(content: string | Uint8Array): TestRepo {
  const repo = emptyRepo();
  repo.write('onceover.yml', content);
  return repo;
}

function temporaryFile(): string {
  const path = join(temporaryFolder(), 'other.yml');
  writeFileSync(path, 'base: dev\n');
  return path;
}

describe('the settings of a repository', () => {
  test('are the defaults if there is no file', async () => {
    const defaults = parseSettings('');
    expect(await loadSettings(diskFiles(emptyRepo().root), NOTHING_KEPT)).toEqual({
      ok: true,
      value: defaults.ok ? defaults.settings : null,
    });
  });

  test('come from the file at the root', async () => {
    const repo = withFile('base: origin/dev\nlog_dir: out/reviews\n');
    repo.write('sub/onceover.yml', 'base: wrong\n');
    expect(await loadSettings(diskFiles(repo.root), NOTHING_KEPT)).toMatchObject({
      ok: true,
      value: { base: 'origin/dev', logDir: 'out/reviews', concurrency: 4 },
    });
  });

  test('can begin with a byte order mark', async () => {
    expect(await loadSettings(diskFiles(withFile('\ufeffbase: dev\n').root), NOTHING_KEPT)).toMatchObject({
      ok: true,
      value: { base: 'dev' },
    });
  });

  test('are parsed once, until the file changes', async () => {
    const repo = withFile('base: one\n');
    let parses = 0;
    const load = async () => {
      const parsedFiles = openParsedFiles(join(repo.root, '.git'), '1.0.0');
      const result = await loadSettings(diskFiles(repo.root), {
        ...parsedFiles,
        get: (kind, text, isWhole, parse) =>
          parsedFiles.get(kind, text, isWhole, () => {
            parses++;
            return parse();
          }),
      });
      parsedFiles.save();
      return result;
    };
    const first = await load();
    expect(await load()).toEqual(first);
    expect(parses).toBe(1);
    repo.write('onceover.yml', 'base: two\n');
    expect(await load()).toMatchObject({ value: { base: 'two' } });
    expect(parses).toBe(2);
  });
});

describe('an unusable file is a broken configuration', () => {
  test.each([
    [
      'a wrong value',
      'base: x\ncache: lax\n',
      2,
      8,
      { kind: 'not-one-of', key: 'cache', allowed: ['content', 'strict'] },
    ],
    ['an unknown key', '# x\nbasis: x\n', 2, 1, { kind: 'unknown-key', key: 'basis' }],
    ['broken YAML', 'base: x\n\tcache: strict\n', 2, 1, { kind: 'syntax' }],
  ])('%s, with file and position', async (_, text, line, column, problem) => {
    expect(await loadSettings(diskFiles(withFile(text).root), NOTHING_KEPT)).toMatchObject({
      ok: false,
      failure: { kind: 'broken-config', problems: [{ file: 'onceover.yml', line, column, what: problem }] },
    });
  });

  test.each<[title: string, prepare: (repo: TestRepo) => void, why: string]>([
    ['a folder', (repo) => mkdirSync(join(repo.root, 'onceover.yml')), 'not-a-file'],
    ['not UTF-8', (repo) => repo.write('onceover.yml', Uint8Array.of(0x62, 0xe4, 0x63)), 'not-utf8'],
    ['binary', (repo) => repo.write('onceover.yml', 'base: a\0b\n'), 'not-utf8'],
    ['larger than 1 MiB', (repo) => repo.write('onceover.yml', '#'.repeat(1024 * 1024 + 1)), 'too-large'],
    ['a symlink out', (repo) => symlinkSync(temporaryFile(), join(repo.root, 'onceover.yml')), 'outside'],
    ['a symlink to nothing', (repo) => symlinkSync('gone.yml', join(repo.root, 'onceover.yml')), 'missing'],
  ])('%s', async (_, prepare, why) => {
    const repo = emptyRepo();
    prepare(repo);
    expect(await loadSettings(diskFiles(repo.root), NOTHING_KEPT)).toEqual({
      ok: false,
      failure: {
        kind: 'broken-config',
        problems: [
          { file: 'onceover.yml', line: 1, column: 1, what: { kind: 'unusable-file', path: 'onceover.yml', why } },
        ],
      },
    });
  });
});
