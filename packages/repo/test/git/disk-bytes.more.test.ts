import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brief, type Repo, snapshotsAt, someRepo, takeAt, value } from '@onceover/testing/snapshots.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { findRepository } from '../../src/git/locate.ts';
import { openRepository } from '../../src/git/repository.ts';

beforeEach(() => {
  vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null');
  vi.stubEnv('GIT_CONFIG_SYSTEM', '/dev/null');
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const filter = (repo: Repo, clean: string, smudge = 'cat') => {
  repo.git('config', 'filter.own.clean', clean);
  repo.git('config', 'filter.own.smudge', smudge);
};

/** Commits attributes on main, so that they are not part of the change. */
function withAttributes(text: string, files: Readonly<Record<string, string>> = {}): Repo {
  return someRepo({ '.gitattributes': text, ...files });
}

/** Returns the changed files, the text of the whole diff, and the files that `instructions` lists as changed. */
async function reviewView(repo: Repo): Promise<{ files: string[]; diff: string; listed: readonly string[] }> {
  const snapshot = await takeAt(repo.root);
  const snapshots = await snapshotsAt(repo.root);
  const base = repo.git('rev-parse', 'main').trim();
  const sections = value(await snapshots.sections(base, value(await snapshot.tree()), 3));
  const { changed } = value(await openRepository(value(await findRepository(repo.root))).changes(null));
  return { files: brief(snapshot.entries), diff: sections.map(({ text }) => text).join(''), listed: changed };
}

const EVIL = 'evil();\n';
/** Chinese characters whose bytes in UTF-16 are English text. */
const disguisedCode = Buffer.from('steal(); // all of it. \n', 'latin1');

describe('reviewers see the bytes on disk if git stores others:', () => {
  test.each<[string, () => Repo, string]>([
    [
      'a clean filter removes the edit',
      () => {
        const repo = withAttributes('*.txt filter=own\n');
        filter(repo, 'echo a');
        repo.write('a.txt', EVIL);
        return repo;
      },
      'evil();',
    ],
    [
      'a clean filter replaces text of the same length',
      () => {
        const repo = withAttributes('*.txt filter=own\n');
        filter(repo, 'sed s/evil/good/');
        repo.write('a.txt', EVIL);
        return repo;
      },
      'evil();',
    ],
    [
      'a working-tree-encoding that the repository sets',
      () => {
        const repo = withAttributes('*.js working-tree-encoding=UTF-16LE\n');
        repo.write('new.js', disguisedCode);
        return repo;
      },
      'steal(); // all of it.',
    ],
    [
      'a working-tree-encoding that the change sets',
      () => {
        const repo = someRepo();
        repo.write('.gitattributes', '*.js working-tree-encoding=UTF-16LE\n');
        repo.write('new.js', disguisedCode);
        return repo;
      },
      'steal(); // all of it.',
    ],
    [
      'a working-tree-encoding that the clone sets',
      () => {
        const repo = someRepo();
        repo.write('.git/info/attributes', '*.js working-tree-encoding=UTF-16LE\n');
        repo.write('new.js', disguisedCode);
        return repo;
      },
      'steal(); // all of it.',
    ],
    [
      'an ignored .gitattributes file sets it',
      () => {
        const repo = someRepo();
        repo.write('.git/info/exclude', '.gitattributes\n');
        repo.write('sub/.gitattributes', '*.js working-tree-encoding=UTF-16LE\n');
        repo.write('sub/new.js', disguisedCode);
        return repo;
      },
      'steal(); // all of it.',
    ],
    [
      'settings of the clone name the attributes',
      () => {
        const repo = someRepo();
        const path = join(repo.root, '.git/more');
        writeFileSync(path, '*.js working-tree-encoding=UTF-16LE\n');
        repo.git('config', 'core.attributesFile', path);
        repo.write('new.js', disguisedCode);
        return repo;
      },
      'steal(); // all of it.',
    ],
    [
      'settings of the user name the attributes',
      () => {
        const repo = someRepo();
        const path = join(repo.root, '.git/more');
        writeFileSync(path, '*.js working-tree-encoding=UTF-16LE\n');
        writeFileSync(join(repo.root, '.git/mine'), `[core]\n\tattributesFile = ${path}\n`);
        vi.stubEnv('GIT_CONFIG_GLOBAL', join(repo.root, '.git/mine'));
        repo.write('new.js', disguisedCode);
        return repo;
      },
      'steal(); // all of it.',
    ],
    [
      'variables name the attributes',
      () => {
        const repo = someRepo();
        const path = join(repo.root, '.git/more');
        writeFileSync(path, '*.js working-tree-encoding=UTF-16LE\n');
        vi.stubEnv('GIT_CONFIG_COUNT', '1');
        vi.stubEnv('GIT_CONFIG_KEY_0', 'core.attributesFile');
        vi.stubEnv('GIT_CONFIG_VALUE_0', path);
        repo.write('new.js', disguisedCode);
        return repo;
      },
      'steal(); // all of it.',
    ],
    [
      'the user has attributes for all repositories',
      () => {
        const repo = someRepo();
        vi.stubEnv('XDG_CONFIG_HOME', join(repo.root, '.git/home'));
        repo.write('.git/home/git/attributes', '*.js working-tree-encoding=UTF-16LE\n');
        repo.write('new.js', disguisedCode);
        return repo;
      },
      'steal(); // all of it.',
    ],
    [
      'an ignored .gitattributes file in an ignored folder',
      () => {
        const repo = someRepo();
        repo.write('.git/info/exclude', 'gen/\n');
        repo.write('gen/.gitattributes', '*.js working-tree-encoding=UTF-16LE\n');
        repo.write('gen/new.js', disguisedCode);
        repo.git('add', '-f', 'gen/new.js');
        return repo;
      },
      'steal(); // all of it.',
    ],
    [
      'a sparse checkout leaves out the .gitattributes file',
      () => {
        const repo = withAttributes('*.js working-tree-encoding=UTF-16LE\n');
        repo.git('sparse-checkout', 'set', '--no-cone', '/*', '!/.gitattributes');
        repo.write('new.js', disguisedCode);
        return repo;
      },
      'steal(); // all of it.',
    ],
    [
      'text between "$Id:" and "$"',
      () => {
        const repo = withAttributes('*.txt ident\n', { 'a.txt': '/* $Id$ */\n' });
        repo.write('a.txt', '/* $Id: */ steal(); /* $ */\n');
        return repo;
      },
      'steal();',
    ],
    [
      'a script that Git LFS replaces by a pointer',
      () => {
        const repo = withAttributes('*.js filter=own\n');
        filter(repo, 'printf "version https://git-lfs.github.com/spec/v1\\noid sha256:%064d\\nsize 8\\n" 1');
        repo.write('new.js', EVIL);
        return repo;
      },
      'evil();',
    ],
  ])('%s', async (_, make, text) => {
    const repo = make();
    for (const round of [1, 2]) {
      const { diff, listed } = await reviewView(repo);
      expect(diff, `round ${round}`).toContain(text);
      expect(listed, `round ${round}`).not.toEqual([]);
    }
  });

  test('the edit of a filtered file counts although git stores the same text', async () => {
    const repo = withAttributes('a.txt filter=own\n');
    filter(repo, 'echo a');
    expect(await reviewView(repo)).toMatchObject({ files: [], listed: [] });
    repo.write('a.txt', EVIL);
    expect(await reviewView(repo)).toMatchObject({ files: ['M a.txt'], listed: ['a.txt'] });
    repo.write('a.txt', 'a\n');
    expect(await reviewView(repo)).toMatchObject({ files: [], listed: [] });
  });
});

describe('a difference that hides nothing is no change:', () => {
  test.each<[string, string, string[], (repo: Repo) => void]>([
    ['UTF-16', '*.rc working-tree-encoding=UTF-16\n', ['A new.rc'], (repo) => repo.write('new.rc', utf16('text\n'))],
    ['line endings', '* text=auto filter=none\n', [], (repo) => repo.write('a.txt', 'a\r\n')],
    [
      'a file that the filter writes on checkout',
      'sub/c.txt filter=own\n',
      [],
      (repo) => [filter(repo, 'tr b-z a-y', 'tr a-y b-z'), repo.remove('sub/c.txt'), repo.git('checkout', 'sub/c.txt')],
    ],
  ])('%s', async (_, attributes, files, act) => {
    const repo = withAttributes(attributes);
    act(repo);
    const result = await reviewView(repo);
    expect(result.files).toEqual(files);
    expect(result.listed).toEqual(files.map((file) => file.slice(2)));
    expect(result.diff).not.toContain('onceover:');
  });
});

function utf16(text: string): Buffer {
  return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
}
