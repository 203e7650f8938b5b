import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { emptyRepo, repoWith, type TestRepo } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { openCommits } from '../../src/git/commit.ts';

// The author comes from the repository and not from the settings of this machine.
process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_SYSTEM'] = '/dev/null';
process.env['LC_ALL'] = 'C';
for (const name of ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL', 'EMAIL']) {
  delete process.env[name];
}

const ART = 'docs/spec.md';
const FINE = { kind: 'committed', commit: expect.any(String) };

function artifactRepo(files: Readonly<Record<string, string>> = {}): TestRepo {
  return withAuthor(repoWith({ [ART]: 'one\n', 'src/a.ts': 'a\n', ...files }));
}

function withAuthor(repo: TestRepo): TestRepo {
  writeFileSync(
    join(repo.root, '.git/config'),
    `${readFileSync(join(repo.root, '.git/config'), 'utf8')}[user]\n\tname = Person\n\temail = person@example.invalid\n`,
  );
  return repo;
}

const commit = (repo: TestRepo, ...paths: string[]) =>
  openCommits({ root: repo.root }).commit(paths as RepoPath[], 'onceover: specify review iteration 1');

/** Returns the changes of the last commit, and the staged, unstaged and untracked files that are left. */
const changesOfHead = (repo: TestRepo) => repo.git('show', '--format=', '--name-status', '--no-renames', 'HEAD').trim();
const uncommittedFiles = (repo: TestRepo) =>
  repo.git('status', '--porcelain=v1', '--no-renames', '-uall').split('\n').filter(Boolean);

describe('files that the user has staged', () => {
  test('stay staged and uncommitted, even if they are staged in part', async () => {
    const repo = artifactRepo({ 'src/b.ts': 'b\n', 'src/gone.ts': 'gone\n' });
    repo.write(ART, 'two\n');
    repo.write('src/a.ts', 'staged\n');
    repo.write('src/new.ts', 'staged and new\n');
    repo.git('add', '-A', 'src');
    repo.git('rm', '-q', 'src/gone.ts');
    repo.write('src/b.ts', 'staged in part\n');
    repo.git('add', 'src/b.ts');
    repo.write('src/b.ts', 'and not staged\n');
    const before = uncommittedFiles(repo).filter((line) => !line.includes(ART));
    expect(await commit(repo, ART)).toEqual(FINE);
    expect(changesOfHead(repo)).toBe(`M\t${ART}`);
    expect(uncommittedFiles(repo)).toEqual(before);
    expect(before).toEqual(['M  src/a.ts', 'MM src/b.ts', 'D  src/gone.ts', 'A  src/new.ts']);
    expect(repo.git('show', ':src/b.ts')).toBe('staged in part\n');
  });

  test('are committed whole if the artifact itself is staged in part', async () => {
    const repo = artifactRepo();
    repo.write(ART, 'staged\n');
    repo.git('add', ART);
    repo.write(ART, 'staged\nand more\n');
    expect(await commit(repo, ART)).toEqual(FINE);
    expect([repo.git('show', `HEAD:${ART}`), uncommittedFiles(repo)]).toEqual(['staged\nand more\n', []]);
  });

  test('are committed correctly after git mv, git rm and git add', async () => {
    const repo = artifactRepo({ 'src/old.ts': 'text that is long enough to be known again\n', 'src/gone.ts': '1\n' });
    repo.git('mv', 'src/old.ts', 'src/new.ts');
    repo.git('rm', '-q', 'src/gone.ts');
    repo.write('src/more.ts', 'more\n');
    repo.git('add', '-N', 'src/more.ts');
    expect(await commit(repo, 'src/old.ts', 'src/new.ts', 'src/gone.ts', 'src/more.ts')).toEqual(FINE);
    expect(changesOfHead(repo).split('\n')).toEqual([
      'D\tsrc/gone.ts',
      'A\tsrc/more.ts',
      'A\tsrc/new.ts',
      'D\tsrc/old.ts',
    ]);
    expect(uncommittedFiles(repo)).toEqual([]);
  });

  test('leave nothing to commit after git add and a deletion', async () => {
    const repo = artifactRepo();
    repo.write('src/short.ts', 'short\n');
    repo.git('add', 'src/short.ts');
    rmSync(join(repo.root, 'src/short.ts'));
    expect(await commit(repo, 'src/short.ts')).toEqual({ kind: 'nothing' });
  });
});

describe('a path', () => {
  test('that git ignores is not committed unless git tracks it', async () => {
    const repo = artifactRepo({ '.gitignore': '/build/\n*.log\n' });
    repo.write('known.log', 'one\n');
    repo.git('add', '-f', 'known.log');
    repo.git('commit', '-q', '-m', 'known');
    repo.write('build/out.js', 'built\n');
    expect(await commit(repo, 'build/out.js')).toEqual({ kind: 'nothing' });
    repo.write('known.log', 'two\n');
    expect(await commit(repo, 'build/out.js', 'known.log')).toEqual(FINE);
    expect(changesOfHead(repo)).toBe('M\tknown.log');
  });

  test('that became a repository is not committed', async () => {
    const repo = artifactRepo();
    repo.write('inner/file', 'x');
    repo.git('-C', 'inner', 'init', '-q');
    expect(await commit(repo, 'inner')).toEqual({ kind: 'nothing' });
    expect(repo.git('ls-files', 'inner')).toBe('');
  });
});

describe('a commit that fails', () => {
  /** Expects a failure with a reason, and unchanged files, index and commits. */
  async function isRefused(repo: TestRepo, message: RegExp, ...paths: string[]): Promise<void> {
    const state = () => [uncommittedFiles(repo), repo.git('ls-files', '-s'), repo.git('log', '--all', '--format=%H')];
    const before = state();
    expect(await commit(repo, ...paths)).toEqual({ kind: 'failed', said: expect.stringMatching(message) });
    expect(state()).toEqual(before);
  }

  test('during a merge', async () => {
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

  test('without a configured author', async () => {
    const repo = repoWith({ [ART]: 'one\n' });
    repo.git('config', 'user.useConfigOnly', 'true');
    repo.write(ART, 'two\n');
    repo.write('docs/new.md', 'new\n');
    await isRefused(repo, /no email was given|Please tell me who you are/, ART, 'docs/new.md');
  });

  test('because of a hook, with the message of the hook', async () => {
    const repo = artifactRepo();
    addHook(repo, 'pre-commit', 'echo "the spec has no number" >&2; exit 1');
    repo.write(ART, 'two\n');
    repo.write('docs/new.md', 'new\n');
    repo.write('src/a.ts', 'staged\n');
    repo.git('add', 'src/a.ts');
    await isRefused(repo, /^the spec has no number$/, ART, 'docs/new.md');
  });

  test('because of a hook without a message', async () => {
    const repo = artifactRepo();
    addHook(repo, 'pre-commit', 'exit 1');
    repo.write(ART, 'two\n');
    await isRefused(repo, /./, ART);
  });

  test('does not commit the files of a folder that replaced the file', async () => {
    const repo = artifactRepo();
    rmSync(join(repo.root, ART));
    repo.write(`${ART}/draft.md`, 'draft\n');
    await isRefused(repo, /docs\/spec\.md/, ART);
  });

  test('while another process has locked the index', async () => {
    const repo = artifactRepo();
    repo.write(ART, 'two\n');
    repo.write('docs/new.md', 'new\n');
    repo.write('.git/index.lock', '');
    expect(await commit(repo, ART, 'docs/new.md')).toMatchObject({ kind: 'failed', said: /index\.lock/ });
    rmSync(join(repo.root, '.git/index.lock'));
    expect(uncommittedFiles(repo)).toEqual([` M ${ART}`, '?? docs/new.md']);
  });
});

describe('a commit', () => {
  test('uses the repository’s author and runs hooks in the usual environment', async () => {
    const repo = artifactRepo();
    const list = `git diff --cached --name-only -- '*.md' > "$(git rev-parse --git-dir)/seen"`;
    addHook(repo, 'pre-commit', `[ "$ONCEOVER_ACTIVE" = 1 ] || exit 1\n${list}`);
    repo.write(ART, 'two\n');
    expect(await commit(repo, ART)).toEqual(FINE);
    expect(repo.git('log', '-1', '--format=%an %s')).toBe('Person onceover: specify review iteration 1\n');
    expect(readFileSync(join(repo.root, '.git/seen'), 'utf8')).toBe(`${ART}\n`);
  });

  test('can be the first commit', async () => {
    const repo = withAuthor(emptyRepo());
    repo.write(ART, 'one\n');
    repo.write('src/a.ts', 'staged\n');
    repo.git('add', 'src/a.ts');
    expect(await commit(repo, ART)).toEqual(FINE);
    expect([repo.git('ls-tree', '-r', '--name-only', 'HEAD'), uncommittedFiles(repo)]).toEqual([
      `${ART}\n`,
      ['A  src/a.ts'],
    ]);
  });

  test('can be made on a detached HEAD', async () => {
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
