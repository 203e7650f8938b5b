import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { Listing } from '@onceover/base/kernel/repository';
import { openParsedFiles, type ParsedFiles } from '@onceover/repo/config/read-file';
import { diskFiles } from '@onceover/repo/git/tree-files';
import { emptyRepo, ruleText, type TestRepo } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { type LoadedRules, loadRules } from '../../src/rules/load.ts';

const NOTHING_KEPT: ParsedFiles = { get: (_, __, ___, parse) => parse(), save: () => {} };
const FROM_FILE = ruleText('lint').replace('Look closely.', '{ file: how.md }');

function repoOf(files: Readonly<Record<string, string | Uint8Array>>): TestRepo {
  const repo = emptyRepo();
  for (const [path, content] of Object.entries(files)) repo.write(path, content);
  return repo;
}

/** Creates a file next to the repository. */
function outside(repo: TestRepo): string {
  const path = join(repo.root, '../x.md');
  writeFileSync(path, 'not ours');
  return path;
}

function load(repo: TestRepo, paths: readonly string[], parsed = NOTHING_KEPT): Promise<LoadedRules> {
  const tracked = paths.map((path) => path as RepoPath);
  const listing: Listing = { tracked, untracked: [], nested: [], unwatched: [], unnameable: [] };
  return loadRules(diskFiles(repo.root), listing, parsed);
}

const told = ({ problems }: LoadedRules) =>
  problems.map(({ file, line, column, what }) => {
    const facts = what.kind === 'unusable-file' ? `${what.path} ${what.why}` : what.kind;
    return `${file}:${line}:${column} ${facts}`;
  });
const found = ({ rules }: LoadedRules) => rules.map((rule) => `${rule.source.file}:${rule.source.line} ${rule.name}`);

describe('rules of a repository', () => {
  test('reads the rules of a folder', async () => {
    const text = ruleText('lint', { more: '    reference_files: [{ path: ../style.md }]\n' });
    const { rules, problems } = await load(repoOf({ 'a/b/.deepreview': `# first\n${text}` }), ['a/b/.deepreview']);
    expect(problems).toEqual([]);
    expect(rules).toEqual([
      {
        name: 'lint',
        description: 'Checks lint.',
        source: { file: 'a/b/.deepreview', line: 2 },
        folder: 'a/b',
        include: ['**/*.py'],
        exclude: [],
        strategy: 'individual',
        instructions: 'Look closely.',
        personas: {},
        context: { allChangedFilenames: false, unchangedMatchingFiles: false },
        references: [{ path: 'a/style.md', description: null }],
        numReviews: 1,
        agents: null,
      },
    ]);
  });

  test('treats the same name in two folders as two rules', async () => {
    const repo = repoOf({ '.deepreview': ruleText('lint'), 'a/.deepreview': ruleText('lint', { include: ['*.ts'] }) });
    const { rules } = await load(repo, ['a/.deepreview', '.deepreview', 'a/x.deepreview', 'a.py']);
    expect(rules.map((rule) => [rule.name, rule.folder, rule.include])).toEqual([
      ['lint', '', ['**/*.py']],
      ['lint', 'a', ['*.ts']],
    ]);
  });

  test('includes untracked files and sorts files by code point', async () => {
    const folders = ['b', 'a', '\u{1f600}', '\ufb01'];
    const repo = repoOf(Object.fromEntries(folders.map((folder) => [`${folder}/.deepreview`, ruleText('lint')])));
    const untracked = folders.map((folder) => `${folder}/.deepreview` as RepoPath);
    const listing: Listing = { tracked: [], untracked, nested: [], unwatched: [], unnameable: [] };
    const { rules } = await loadRules(diskFiles(repo.root), listing, NOTHING_KEPT);
    expect(rules.map((rule) => rule.folder)).toEqual(['a', 'b', '\ufb01', '\u{1f600}']);
  });

  test('reads instructions from a file next to the rules', async () => {
    const repo = repoOf({ 'a/.deepreview': FROM_FILE, 'a/how.md': '# How\n', 'how.md': 'wrong one' });
    const { rules, problems } = await load(repo, ['a/.deepreview']);
    expect(problems).toEqual([]);
    expect(rules.map((rule) => rule.instructions)).toEqual(['# How\n']);
  });

  test('reads instructions from another folder, or through a symlink inside the repository', async () => {
    const repo = repoOf({ 'a/.deepreview': FROM_FILE.replace('how.md', '../docs/how.md'), 'docs/real.md': 'Look.' });
    symlinkSync('real.md', join(repo.root, 'docs/how.md'));
    expect((await load(repo, ['a/.deepreview'])).rules).toMatchObject([{ instructions: 'Look.' }]);
  });
});

describe('instructions that are', () => {
  test.each<[title: string, file: string, prepare: (repo: TestRepo) => void, why: string]>([
    ['missing', 'how.md', () => {}, 'missing'],
    ['empty', 'how.md', (repo) => repo.write('a/how.md', ' \n\n'), 'empty'],
    ['not UTF-8', 'how.md', (repo) => repo.write('a/how.md', Uint8Array.of(0x61, 0xe4, 0x62)), 'not-utf8'],
    ['binary', 'how.md', (repo) => repo.write('a/how.md', 'a\0b'), 'not-utf8'],
    ['a folder', 'how.md', (repo) => mkdirSync(join(repo.root, 'a/how.md'), { recursive: true }), 'not-a-file'],
    ['a symlink to nothing', 'how.md', (repo) => symlinkSync('gone.md', join(repo.root, 'a/how.md')), 'missing'],
    ['a symlink out', 'how.md', (repo) => symlinkSync(outside(repo), join(repo.root, 'a/how.md')), 'outside'],
    ['outside', '../../x.md', (repo) => outside(repo), 'outside'],
    ['an absolute path', '/x.md', () => {}, 'outside'],
    ['too large', 'how.md', (repo) => repo.write('a/how.md', 'x'.repeat(1024 * 1024 + 1)), 'too-large'],
  ])('%s: reports the position and keeps the other rules', async (_, file, prepare, why) => {
    const text = ruleText('first') + FROM_FILE.replace('how.md', file) + ruleText('last');
    const repo = repoOf({ 'a/.deepreview': text, '.deepreview': ruleText('top') });
    prepare(repo);
    const loaded = await load(repo, ['a/.deepreview', '.deepreview']);
    expect(told(loaded)).toEqual([`a/.deepreview:14:27 ${file} ${why}`]);
    expect(found(loaded)).toEqual(['.deepreview:1 top', 'a/.deepreview:1 first', 'a/.deepreview:15 last']);
  });

  test('1 MiB: accepts the file', async () => {
    const repo = repoOf({ '.deepreview': FROM_FILE, 'how.md': 'x'.repeat(1024 * 1024) });
    expect(told(await load(repo, ['.deepreview']))).toEqual([]);
  });

  test('only blanks: reports an empty text', async () => {
    const repo = repoOf({ '.deepreview': ruleText('lint').replace('Look closely.', '"  "') });
    expect(told(await load(repo, ['.deepreview']))).toEqual(['.deepreview:7:19  empty']);
  });

  test('accompanied by a reference outside the repository: reports the position', async () => {
    const repo = repoOf({ '.deepreview': ruleText('lint', { more: '    reference_files: [{ path: ../x.md }]\n' }) });
    expect(told(await load(repo, ['.deepreview']))).toEqual(['.deepreview:8:31 ../x.md outside']);
  });
});

describe('a rule file that is', () => {
  test.each<[title: string, prepare: (repo: TestRepo) => void, expected: string]>([
    ['not UTF-8', (repo) => repo.write('a/.deepreview', Uint8Array.of(0xff, 0xfe, 0x61)), 'a/.deepreview not-utf8'],
    ['binary', (repo) => repo.write('a/.deepreview', 'a\0b'), 'a/.deepreview not-utf8'],
    [
      'a folder',
      (repo) => mkdirSync(join(repo.root, 'a/.deepreview'), { recursive: true }),
      'a/.deepreview not-a-file',
    ],
    ['too large', (repo) => repo.write('a/.deepreview', '#'.repeat(1024 * 1024 + 1)), 'a/.deepreview too-large'],
    ['a symlink out', (repo) => link(repo, outside(repo)), 'a/.deepreview outside'],
    ['a symlink to nothing', (repo) => link(repo, 'gone'), 'a/.deepreview missing'],
    ['broken YAML', (repo) => repo.write('a/.deepreview', '\ta: b\n'), 'syntax'],
  ])('%s: reports a problem and keeps the other files', async (_, prepare, expected) => {
    const repo = repoOf({ '.deepreview': ruleText('top'), 'b/.deepreview': ruleText('low') });
    prepare(repo);
    const loaded = await load(repo, ['.deepreview', 'a/.deepreview', 'b/.deepreview']);
    expect(told(loaded)).toEqual([`a/.deepreview:1:1 ${expected}`]);
    expect(found(loaded)).toEqual(['.deepreview:1 top', 'b/.deepreview:1 low']);
  });

  test('tracked but deleted: reports no problem', async () => {
    const loaded = await load(repoOf({ '.deepreview': ruleText('top') }), ['.deepreview', 'gone/.deepreview']);
    expect(loaded.problems).toEqual([]);
    expect(found(loaded)).toEqual(['.deepreview:1 top']);
  });
});

function link(repo: TestRepo, target: string): void {
  mkdirSync(join(repo.root, 'a'));
  symlinkSync(target, join(repo.root, 'a/.deepreview'));
}

describe('the cache of parsed files', () => {
  /** Loads as a new process would, and counts how many files were parsed. */
  async function parses(repo: TestRepo, version: string): Promise<{ count: number; loaded: LoadedRules }> {
    let count = 0;
    const kept = openParsedFiles(join(repo.root, '.git'), version);
    const counting: ParsedFiles = {
      ...kept,
      get: (kind, text, isWhole, parse) =>
        kept.get(kind, text, isWhole, () => {
          count++;
          return parse();
        }),
    };
    const loaded = await load(repo, ['.deepreview', 'a/.deepreview'], counting);
    counting.save();
    return { count, loaded };
  }
  const twoFiles = () => repoOf({ '.deepreview': ruleText('top'), 'a/.deepreview': `${ruleText('low')}bad: 3\n` });
  const keptFile = (repo: TestRepo) => join(repo.root, '.git/onceover/parsed.json');

  test('a second load parses nothing and has the same result', async () => {
    const repo = twoFiles();
    const first = await parses(repo, '1.0.0');
    const second = await parses(repo, '1.0.0');
    expect([first.count, second.count]).toEqual([2, 0]);
    expect(second.loaded).toEqual(first.loaded);
    expect(found(second.loaded)).toEqual(['.deepreview:1 top', 'a/.deepreview:1 low']);
    expect(told(second.loaded)).toEqual(['a/.deepreview:8:6 wrong-type']);
  });

  test('parses only a changed file again', async () => {
    const repo = twoFiles();
    await parses(repo, '1.0.0');
    repo.write('.deepreview', ruleText('other'));
    const { count, loaded } = await parses(repo, '1.0.0');
    expect(count).toBe(1);
    expect(found(loaded)).toEqual(['.deepreview:1 other', 'a/.deepreview:1 low']);
  });

  test('always reads instruction files', async () => {
    const repo = repoOf({ '.deepreview': FROM_FILE, 'a/.deepreview': '', 'how.md': 'old' });
    await parses(repo, '1.0.0');
    repo.write('how.md', 'new');
    expect((await parses(repo, '1.0.0')).loaded.rules).toMatchObject([{ instructions: 'new' }]);
  });

  test('is separate for each version', async () => {
    const repo = twoFiles();
    await parses(repo, '1.0.0');
    expect((await parses(repo, '1.0.1')).count).toBe(2);
    expect((await parses(repo, '1.0.1')).count).toBe(0);
  });

  test.each(['', '{', 'null', '[]', '{"version":"1.0.0"}', '{"version":"1.0.0","files":null}'])(
    'replaces a broken cache file: %s',
    async (text) => {
      const repo = twoFiles();
      repo.write('.git/onceover/parsed.json', text);
      expect((await parses(repo, '1.0.0')).count).toBe(2);
      expect(readFileSync(keptFile(repo), 'utf8')).toContain('"version":"1.0.0"');
      expect((await parses(repo, '1.0.0')).count).toBe(0);
    },
  );

  test('parses every time if the cache cannot be written', async () => {
    const repo = twoFiles();
    repo.write('.git/onceover', 'in the way');
    expect(found((await parses(repo, '1.0.0')).loaded)).toHaveLength(2);
    expect((await parses(repo, '1.0.0')).count).toBe(2);
  });
});
