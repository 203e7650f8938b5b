import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RepoPath } from '../../src/domain/brand.ts';
import { openCommits } from '../../src/io/commit.ts';
import { emptyRepo, repoWith, type TestRepo } from '../support/repo.ts';

// Who commits is what the repository says, and nothing that this machine knows.
process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_SYSTEM'] = '/dev/null';
process.env['LC_ALL'] = 'C';
for (const name of ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL', 'EMAIL']) {
  delete process.env[name];
}

const ART = 'docs/spec.md';
const FINE = { kind: 'committed', commit: expect.any(String) };

function artifactRepo(files: Readonly<Record<string, string>> = {}): TestRepo {
  return named(repoWith({ [ART]: 'one\n', 'src/a.ts': 'a\n', ...files }));
}

function named(repo: TestRepo): TestRepo {
  writeFileSync(
    join(repo.root, '.git/config'),
    `${readFileSync(join(repo.root, '.git/config'), 'utf8')}[user]\n\tname = Person\n\temail = person@example.invalid\n`,
  );
  return repo;
}

const commit = (repo: TestRepo, ...paths: string[]) =>
  openCommits({ root: repo.root }).commit(paths as RepoPath[], 'onceover: specify review iteration 1');

/** What the last commit changed, and what is left: staged, not staged, not known to git. */
const changed = (repo: TestRepo) => repo.git('show', '--format=', '--name-status', '--no-renames', 'HEAD').trim();
const left = (repo: TestRepo) =>
  repo.git('status', '--porcelain=v1', '--no-renames', '-uall').split('\n').filter(Boolean);

describe('what others have staged', () => {
  test('stays staged and uncommitted, and so does what is staged in part', async () => {
    const repo = artifactRepo({ 'src/b.ts': 'b\n', 'src/gone.ts': 'gone\n' });
    repo.write(ART, 'two\n');
    repo.write('src/a.ts', 'staged\n');
    repo.write('src/new.ts', 'staged and new\n');
    repo.git('add', '-A', 'src');
    repo.git('rm', '-q', 'src/gone.ts');
    repo.write('src/b.ts', 'staged in part\n');
    repo.git('add', 'src/b.ts');
    repo.write('src/b.ts', 'and not staged\n');
    const before = left(repo).filter((line) => !line.includes(ART));
    expect(await commit(repo, ART)).toEqual(FINE);
    expect(changed(repo)).toBe(`M\t${ART}`);
    expect(left(repo)).toEqual(before);
    expect(before).toEqual(['M  src/a.ts', 'MM src/b.ts', 'D  src/gone.ts', 'A  src/new.ts']);
    expect(repo.git('show', ':src/b.ts')).toBe('staged in part\n');
  });

  test('of the artifact itself, in part: it is committed as it is, whole', async () => {
    const repo = artifactRepo();
    repo.write(ART, 'staged\n');
    repo.git('add', ART);
    repo.write(ART, 'staged\nand more\n');
    expect(await commit(repo, ART)).toEqual(FINE);
    expect([repo.git('show', `HEAD:${ART}`), left(repo)]).toEqual(['staged\nand more\n', []]);
  });

  test('a fixer that has moved, removed and added with git', async () => {
    const repo = artifactRepo({ 'src/old.ts': 'text that is long enough to be known again\n', 'src/gone.ts': '1\n' });
    repo.git('mv', 'src/old.ts', 'src/new.ts');
    repo.git('rm', '-q', 'src/gone.ts');
    repo.write('src/more.ts', 'more\n');
    repo.git('add', '-N', 'src/more.ts');
    expect(await commit(repo, 'src/old.ts', 'src/new.ts', 'src/gone.ts', 'src/more.ts')).toEqual(FINE);
    expect(changed(repo).split('\n')).toEqual(['D\tsrc/gone.ts', 'A\tsrc/more.ts', 'A\tsrc/new.ts', 'D\tsrc/old.ts']);
    expect(left(repo)).toEqual([]);
  });

  test('something was added with git and is gone again: there is nothing to commit', async () => {
    const repo = artifactRepo();
    repo.write('src/short.ts', 'short\n');
    repo.git('add', 'src/short.ts');
    rmSync(join(repo.root, 'src/short.ts'));
    expect(await commit(repo, 'src/short.ts')).toEqual({ kind: 'nothing' });
  });
});

describe('a path', () => {
  test('that git is told to ignore is not committed, unless git knows it', async () => {
    const repo = artifactRepo({ '.gitignore': '/build/\n*.log\n' });
    repo.write('known.log', 'one\n');
    repo.git('add', '-f', 'known.log');
    repo.git('commit', '-q', '-m', 'known');
    repo.write('build/out.js', 'built\n');
    expect(await commit(repo, 'build/out.js')).toEqual({ kind: 'nothing' });
    repo.write('known.log', 'two\n');
    expect(await commit(repo, 'build/out.js', 'known.log')).toEqual(FINE);
    expect(changed(repo)).toBe('M\tknown.log');
  });

  test('that is another repository now is not taken in', async () => {
    const repo = artifactRepo();
    repo.write('inner/file', 'x');
    repo.git('-C', 'inner', 'init', '-q');
    expect(await commit(repo, 'inner')).toEqual({ kind: 'nothing' });
    expect(repo.git('ls-files', 'inner')).toBe('');
  });
});

describe('a commit that git refuses', () => {
  /** Refuses, says why, and leaves files, index and commits as they were. */
  async function isRefused(repo: TestRepo, said: RegExp, ...paths: string[]): Promise<void> {
    const state = () => [left(repo), repo.git('ls-files', '-s'), repo.git('log', '--all', '--format=%H')];
    const before = state();
    expect(await commit(repo, ...paths)).toEqual({ kind: 'failed', said: expect.stringMatching(said) });
    expect(state()).toEqual(before);
  }

  test('in the middle of a merge', async () => {
    const repo = artifactRepo();
    repo.git('checkout', '-q', 'main');
    repo.write('src/a.ts', 'theirs\n');
    repo.commit('theirs');
    repo.git('checkout', '-q', 'work');
    repo.write('src/a.ts', 'ours\n');
    repo.commit('ours');
    expect(() => repo.git('merge', '-q', 'main')).toThrow();
    repo.write(ART, 'two\n');
    repo.write('docs/new.md', 'new\n');
    await isRefused(repo, /partial commit during a merge/, ART, 'docs/new.md');
    expect(repo.git('rev-parse', '--verify', 'MERGE_HEAD')).not.toBe('');
  });

  test('nobody has said who commits', async () => {
    const repo = repoWith({ [ART]: 'one\n' });
    repo.git('config', 'user.useConfigOnly', 'true');
    repo.write(ART, 'two\n');
    repo.write('docs/new.md', 'new\n');
    await isRefused(repo, /no email was given|Please tell me who you are/, ART, 'docs/new.md');
  });

  test('by a hook, in its own words', async () => {
    const repo = artifactRepo();
    addHook(repo, 'pre-commit', 'echo "the spec has no number" >&2; exit 1');
    repo.write(ART, 'two\n');
    repo.write('docs/new.md', 'new\n');
    repo.write('src/a.ts', 'staged\n');
    repo.git('add', 'src/a.ts');
    await isRefused(repo, /^the spec has no number$/, ART, 'docs/new.md');
  });

  test('by a hook that says nothing', async () => {
    const repo = artifactRepo();
    addHook(repo, 'pre-commit', 'exit 1');
    repo.write(ART, 'two\n');
    await isRefused(repo, /./, ART);
  });

  test('a folder is where the file was: what lies in it was not named', async () => {
    const repo = artifactRepo();
    rmSync(join(repo.root, ART));
    repo.write(`${ART}/draft.md`, 'draft\n');
    await isRefused(repo, /docs\/spec\.md/, ART);
  });

  test('somebody else is at work in the index', async () => {
    const repo = artifactRepo();
    repo.write(ART, 'two\n');
    repo.write('docs/new.md', 'new\n');
    repo.write('.git/index.lock', '');
    expect(await commit(repo, ART, 'docs/new.md')).toMatchObject({ kind: 'failed', said: /index\.lock/ });
    rmSync(join(repo.root, '.git/index.lock'));
    expect(left(repo)).toEqual([` M ${ART}`, '?? docs/new.md']);
  });
});

describe('a commit', () => {
  test('is made in the name of whoever the repository says, with hooks that work as they always do', async () => {
    const repo = artifactRepo();
    const list = `git diff --cached --name-only -- '*.md' > "$(git rev-parse --git-dir)/seen"`;
    addHook(repo, 'pre-commit', `[ "$ONCEOVER_ACTIVE" = 1 ] || exit 1\n${list}`);
    repo.write(ART, 'two\n');
    expect(await commit(repo, ART)).toEqual(FINE);
    expect(repo.git('log', '-1', '--format=%an %s')).toBe('Person onceover: specify review iteration 1\n');
    expect(readFileSync(join(repo.root, '.git/seen'), 'utf8')).toBe(`${ART}\n`);
  });

  test('may be the first of all', async () => {
    const repo = named(emptyRepo());
    repo.write(ART, 'one\n');
    repo.write('src/a.ts', 'staged\n');
    repo.git('add', 'src/a.ts');
    expect(await commit(repo, ART)).toEqual(FINE);
    expect([repo.git('ls-tree', '-r', '--name-only', 'HEAD'), left(repo)]).toEqual([`${ART}\n`, ['A  src/a.ts']]);
  });

  test('may be made without a branch', async () => {
    const repo = artifactRepo();
    repo.git('checkout', '-q', '--detach');
    repo.write(ART, 'two\n');
    const end = await commit(repo, ART);
    expect(end).toEqual({ kind: 'committed', commit: repo.git('rev-parse', 'HEAD').trim() });
  });
});

function addHook(repo: TestRepo, name: string, script: string): void {
  repo.write(`.git/hooks/${name}`, `#!/bin/sh\n${script}\n`);
  chmodSync(join(repo.root, `.git/hooks/${name}`), 0o755);
}
