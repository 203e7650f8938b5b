import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Repo, someRepo, takeAt, value } from '@onceover/testing/snapshots.ts';
import { describe, expect, test } from 'vitest';

const IDENTITY = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'protocol.file.allow=always'];

function git(repo: Repo, folder: string, ...args: string[]): void {
  execFileSync('git', [...IDENTITY, ...args], { cwd: join(repo.root, folder), stdio: 'pipe' });
}

/** Makes a repository in a folder, with the file `f`. */
function makeInner(repo: Repo, folder: string, { commits = false } = {}): void {
  mkdirSync(dirname(join(repo.root, folder)), { recursive: true });
  git(repo, '.', 'init', '-q', folder);
  writeFileSync(join(repo.root, folder, 'f'), 'good\n');
  if (commits) commitIn(repo, folder);
}

function commitIn(repo: Repo, folder: string): void {
  git(repo, folder, 'add', '-A');
  git(repo, folder, 'commit', '-q', '--allow-empty', '-m', 'more');
}

/** Returns everything that a snapshot knows about content that is not in its tree. */
async function unseenBy(repo: Repo): Promise<unknown> {
  const snapshot = await takeAt(repo.root);
  return {
    tree: value(await snapshot.tree()),
    dirty: snapshot.dirty,
    unseen: value((await snapshot.unseen?.()) ?? { ok: true, value: [] }),
  };
}

/** Sets up repositories, and returns the folder whose file `f` is edited then. */
type Place = (repo: Repo) => string;

const PLACES: Readonly<Record<string, Place>> = {
  'in a repository without a commit': (repo) => {
    makeInner(repo, 'lib');
    makeInner(repo, 'lib/m');
    return 'lib/m';
  },
  'in a submodule': (repo) => {
    makeInner(repo, 'lib', { commits: true });
    makeInner(repo, 'lib/m');
    return 'lib/m';
  },
  'with a commit, in a submodule': (repo) => {
    makeInner(repo, 'lib', { commits: true });
    makeInner(repo, 'lib/m', { commits: true });
    return 'lib/m';
  },
  'three levels down': (repo) => {
    makeInner(repo, 'lib', { commits: true });
    makeInner(repo, 'lib/a b/m');
    makeInner(repo, 'lib/a b/m/deep/n');
    return 'lib/a b/m/deep/n';
  },
  'that is a submodule of a submodule': (repo) => {
    makeInner(repo, 'lib', { commits: true });
    makeInner(repo, 'lib/m', { commits: true });
    commitIn(repo, 'lib');
    return 'lib/m';
  },
  'that the submodule around it ignores': (repo) => {
    makeInner(repo, 'lib', { commits: true });
    makeInner(repo, 'lib/m', { commits: true });
    writeFileSync(join(repo.root, 'lib/.gitmodules'), '[submodule "m"]\n\tpath = m\n\turl = ./m\n\tignore = all\n');
    commitIn(repo, 'lib');
    return 'lib/m';
  },
  'three levels down, ignored on each': (repo) => {
    makeInner(repo, 'lib', { commits: true });
    makeInner(repo, 'lib/m', { commits: true });
    makeInner(repo, 'lib/m/n', { commits: true });
    for (const [folder, name] of [
      ['lib/m', 'n'],
      ['lib', 'm'],
    ] as const) {
      const text = `[submodule "${name}"]\n\tpath = ${name}\n\turl = ./${name}\n\tignore = all\n`;
      writeFileSync(join(repo.root, folder, '.gitmodules'), text);
      commitIn(repo, folder);
    }
    return 'lib/m/n';
  },
};

describe.each(Object.entries(PLACES))('a repository %s', (_, place) => {
  test.each<[string, (repo: Repo, folder: string) => void]>([
    ['an edit', (repo, folder) => repo.write(`${folder}/f`, 'evil\n')],
    ['an edit after an edit', (repo, folder) => repo.write(`${folder}/f`, 'evil and more\n')],
    ['a new file', (repo, folder) => repo.write(`${folder}/g`, 'evil\n')],
    ['a deletion', (repo, folder) => repo.remove(`${folder}/f`)],
    [
      'a commit',
      (repo, folder) => {
        repo.write(`${folder}/f`, 'evil\n');
        commitIn(repo, folder);
      },
    ],
  ])('%s changes what a snapshot knows', async (title, edit) => {
    const repo = someRepo();
    const folder = place(repo);
    if (title === 'an edit after an edit') repo.write(`${folder}/f`, 'first\n');
    const before = await unseenBy(repo);
    expect(await unseenBy(repo)).toEqual(before);
    edit(repo, folder);
    expect(await unseenBy(repo)).not.toEqual(before);
  });
});

test('a submodule behind a symlink is refused, and not followed', async () => {
  const repo = someRepo();
  makeInner(repo, 'lib', { commits: true });
  makeInner(repo, 'lib/m', { commits: true });
  commitIn(repo, 'lib');
  rmSync(join(repo.root, 'lib/m'), { recursive: true });
  symlinkSync('..', join(repo.root, 'lib/m'));
  await expect(unseenBy(repo)).rejects.toThrow(/symbolic link|git-failed/);
});

describe('a merge with conflicts', () => {
  function conflict(): Repo {
    const repo = someRepo();
    repo.write('a.txt', 'ours\n');
    repo.write('b.txt', 'ours\n');
    repo.commit('ours');
    repo.git('checkout', '-q', '-b', 'theirs', 'main');
    repo.write('a.txt', 'theirs\n');
    repo.remove('b.txt');
    repo.commit('theirs');
    repo.git('checkout', '-q', 'work');
    expect(() => repo.git('merge', '-q', 'theirs')).toThrow();
    return repo;
  }

  test('is in the snapshot as it is on disk, with its markers', async () => {
    const repo = conflict();
    const snapshot = await takeAt(repo.root);
    expect(snapshot.entries.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
    const tree = value(await snapshot.tree());
    expect(repo.git('show', `${tree}:a.txt`)).toMatch(/<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> theirs/);
  });

  test('is seen again when it is resolved', async () => {
    const repo = conflict();
    const before = await unseenBy(repo);
    repo.git('checkout', '--theirs', 'a.txt');
    expect(await unseenBy(repo)).not.toEqual(before);
  });
});
