import { chmodSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import type { GateRepo } from '@onceover/testing/gates.ts';
import { ruleText } from '@onceover/testing/repo.ts';
import { alone, command, expectAsked, OBJECTION, passed, waysUnder } from '@onceover/testing/ways.ts';
import { expect } from 'vitest';

const way = waysUnder('Changes that git or onceover could miss');

/** Changes the repository after a pass, and expects that the reviewer runs and that its verdict counts. */
async function expectSeen(change: (repo: GateRepo) => void, files: Readonly<Record<string, string>> = {}) {
  const repo = await passed({ files });
  change(repo);
  await expectAsked(repo);
  return repo.calls()[0]?.prompt ?? '';
}

const at = (repo: GateRepo, path: string) => join(repo.root, path);
const OLD = { 'src/old.ts': 'export const old = 1;\n' };

const NOISE = Uint8Array.from({ length: 40_000 }, (_, i) => (i * i * 7919) % 256);

way('The only change is a deleted file.', async () => {
  await expectSeen((repo) => rmSync(at(repo, 'src/old.ts')), OLD);
});

way('The only change is a renamed file.', async () => {
  await expectSeen((repo) => renameSync(at(repo, 'src/old.ts'), at(repo, 'src/new.ts')), OLD);
});

way('The only change is the mode of a file.', async () => {
  await expectSeen((repo) => chmodSync(at(repo, 'src/old.ts'), 0o755), OLD);
});

way('The only change is the target of a symlink.', async () => {
  await expectSeen((repo) => {
    symlinkSync('b.ts', at(repo, 'src/link'));
  });
  const repo = alone();
  symlinkSync('b.ts', at(repo, 'src/link'));
  expect((await repo.run()).code).toBe(0);
  rmSync(at(repo, 'src/link'));
  symlinkSync('/etc/passwd', at(repo, 'src/link'));
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});

way('Someone replaces a file by a symlink with the same content.', async () => {
  await expectSeen((repo) => {
    repo.write('elsewhere.ts', 'export const old = 1;\n');
    rmSync(at(repo, 'src/old.ts'));
    symlinkSync('../elsewhere.ts', at(repo, 'src/old.ts'));
  }, OLD);
});

way('Someone replaces a file by a folder of the same name.', async () => {
  await expectSeen((repo) => {
    rmSync(at(repo, 'src/old.ts'));
    repo.write('src/old.ts/inside.ts', 'export const evil = 1;\n');
  }, OLD);
});

way('The only change is white space.', async () => {
  await expectSeen((repo) => repo.write('src/old.ts', 'export  const old = 1;\n'), OLD);
});

way('The only change is line endings.', async () => {
  await expectSeen((repo) => repo.write('src/old.ts', 'export const old = 1;\r\n'), OLD);
});

way('Someone changes a binary file.', async () => {
  await expectSeen((repo) => repo.write('src/old.ts', new Uint8Array([0, 1, 2])), OLD);
});

way('A changed file contains bytes that are not text, so that git prints no diff of it.', async () => {
  const prompt = await expectSeen((repo) => repo.write('src/old.ts', '/* \0\x1b */ export const evil = 1;\n'), OLD);
  expect(prompt).toContain('+/* \\x00\\x1b */ export const evil = 1;');
});

way('A changed file is UTF-16 text, so that git prints no diff of it.', async () => {
  for (const mark of ['\ufeff', '']) {
    const text = Buffer.from(`${mark}export const evil = 1;\n`, 'utf16le');
    const prompt = await expectSeen((repo) => repo.write('src/old.ts', new Uint8Array(text)), OLD);
    expect(prompt).toContain('+export const evil = 1;');
  }
});

way('The name of a changed file says that it is an image, but the file contains code.', async () => {
  const prompt = await expectSeen((repo) =>
    repo.write('src/logo.gif', `GIF89a = '\0';\n${'export const evil = 1;\n'.repeat(9)}`),
  );
  expect(prompt).toContain('+export const evil = 1;');
});

way('A changed file is not text, and no reviewer can read it.', async () => {
  for (const path of ['src/old.ts', 'src/code.zip', 'src/logo.png']) {
    const repo = await passed({ files: OLD });
    repo.write(path, NOISE);
    const end = await repo.document();
    expect(end).toMatchObject({ code: 3, status: 'error' });
    expect(end.stderr).toContain(`${path} is not text`);
  }
});

way('Someone adds an empty file.', async () => {
  await expectSeen((repo) => repo.write('src/empty.ts', ''));
});

way('Someone adds an untracked file in a new folder.', async () => {
  const prompt = await expectSeen((repo) => repo.write('src/deep/er/new.ts', 'export const evil = 1;\n'));
  expect(prompt).toContain('export const evil = 1;');
});

way('Someone edits a file so that its length and modification time stay the same.', async () => {
  await expectSeen((repo) => {
    const { atimeMs, mtimeMs } = statSync(at(repo, 'src/old.ts'));
    repo.write('src/old.ts', 'export const old = 2;\n');
    utimesSync(at(repo, 'src/old.ts'), atimeMs / 1000, mtimeMs / 1000);
  }, OLD);
});

/** Writes a file and gives it an old modification time. */
function writeLongAgo(repo: GateRepo, path: string, text: string): void {
  repo.write(path, text);
  utimesSync(at(repo, path), 1_000_000_000, 1_000_000_000);
}

way(
  'Someone edits a file so that its length and modification time stay the same, and git is configured to compare only length and time.',
  async () => {
    const repo = alone();
    repo.git('config', 'core.trustCtime', 'false');
    repo.git('config', 'core.checkStat', 'minimal');
    repo.write('.deepreview', ruleText('ours', { include: ['src/**'] }));
    writeLongAgo(repo, 'src/a.ts', 'export const a = 1;\n');
    repo.git('add', '-A');
    repo.git('commit', '-q', '-m', 'as it was');
    // git compares the ctime of a file in whole seconds.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    writeLongAgo(repo, 'src/a.ts', 'export const a = 2;\n');
    expect((await command(repo, 'instructions')).stdout).toContain('1 review to do');
    expect((await repo.run()).code).toBe(0);
    expect(repo.calls()[0]?.prompt).toContain('+export const a = 2;');
  },
);

way(
  'The run reviews a commit, and the file on disk differs from the commit. Git does not notice the difference, because length and modification time are the same.',
  async () => {
    const repo = alone();
    repo.git('config', 'core.trustCtime', 'false');
    repo.git('config', 'core.checkStat', 'minimal');
    writeLongAgo(repo, 'src/a.ts', 'export const evil = 1;\n');
    repo.commit();
    writeLongAgo(repo, 'src/a.ts', 'export const good = 1;\n');
    expect((await repo.run(['--commit', 'HEAD'])).code).toBe(0);
    expect(repo.calls()[0]?.prompt).toContain('+export const evil = 1;');
  },
);

way(
  'Someone edits a file in the second in which it was reviewed, and its length and modification time stay the same.',
  async () => {
    const repo = alone();
    // Start at the beginning of a second, so that the run fits in it. If it does not, git notices the edit by itself.
    await new Promise((resolve) => setTimeout(resolve, 1030 - (Date.now() % 1000)));
    writeLongAgo(repo, 'src/a.ts', 'export const good = 1;\n');
    expect((await repo.run()).code).toBe(0);
    writeLongAgo(repo, 'src/a.ts', 'export const evil = 1;\n');
    repo.answers('one', OBJECTION);
    repo.forget();
    await expectAsked(repo);
  },
);

way(
  'Someone edits a file after "git update-index --assume-unchanged", so that git does not report the edit.',
  async () => {
    await expectSeen((repo) => {
      repo.git('update-index', '--assume-unchanged', 'src/old.ts');
      repo.write('src/old.ts', 'export const evil = 1;\n');
    }, OLD);
  },
);

way(
  'Someone edits a file after "git update-index --skip-worktree", so that git does not report the edit.',
  async () => {
    await expectSeen((repo) => {
      repo.git('update-index', '--skip-worktree', 'src/old.ts');
      repo.write('src/old.ts', 'export const evil = 1;\n');
    }, OLD);
  },
);

way('A merge stages files that a sparse checkout leaves out of the working tree.', async () => {
  const repo = await passed({ files: { ...OLD, 'src/far/old.ts': 'export const far = 1;\n' } });
  repo.commit();
  repo.git('checkout', '-q', '-b', 'other', 'main');
  repo.write('src/far/old.ts', 'export const evil = 1;\n');
  repo.write('src/further/new.ts', 'export const more = 1;\n');
  repo.commit();
  repo.git('checkout', '-q', 'work');
  repo.git('sparse-checkout', 'init', '--cone');
  repo.git('sparse-checkout', 'set', '.onceover');
  repo.git('merge', '-q', '--no-ff', '--no-commit', 'other');
  await expectAsked(repo);
  const [{ prompt = '' } = {}] = repo.calls();
  expect(prompt).toContain('+export const evil = 1;');
  expect(prompt).toContain('+export const more = 1;');
});

way('The file system monitor of git reports no changes, although a file changed.', async () => {
  await expectSeen((repo) => {
    const liar = join(dirname(repo.root), 'liar');
    writeFileSync(liar, '#!/bin/sh\nprintf "token\\0"\n', { mode: 0o755 });
    repo.git('config', 'core.fsmonitor', liar);
    repo.git('update-index', '--fsmonitor');
    repo.git('status');
    repo.write('src/old.ts', 'export const evil = 1;\n');
  }, OLD);
});

way('Git is configured to ignore case in file names, on a file system that does not ignore case.', async () => {
  const prompt = await expectSeen((repo) => {
    repo.git('config', 'core.ignoreCase', 'true');
    repo.write('src/OLD.ts', 'export const evil = 1;\n');
  }, OLD);
  expect(prompt).toContain('+export const evil = 1;');
});

way('Someone adds an ignored file with "git add --force".', async () => {
  const prompt = await expectSeen((repo) => {
    repo.write('.gitignore', '*.gen\n');
    repo.write('src/x.gen', 'evil\n');
    repo.git('add', '-f', 'src/x.gen');
  });
  expect(prompt).toContain('+evil');
});

way('Someone edits a tracked file that an ignore rule matches.', async () => {
  await expectSeen((repo) => {
    repo.write('.git/info/exclude', 'src/\n');
    repo.write('src/old.ts', 'export const evil = 1;\n');
  }, OLD);
});

way('Someone adds a file only with "git add --intent-to-add".', async () => {
  await expectSeen((repo) => {
    repo.write('src/new.ts', 'export const evil = 1;\n');
    repo.git('add', '-N', 'src/new.ts');
  });
});

way('Git attributes turn off the diff of the changed file.', async () => {
  const prompt = await expectSeen((repo) => {
    repo.write('.gitattributes', '*.ts -diff\n');
    repo.write('src/old.ts', 'export const evil = 1;\n');
  }, OLD);
  expect(prompt).toContain('+export const evil = 1;');
});

function addSubmodule(repo: GateRepo): void {
  const sub = join(dirname(repo.root), 'sub');
  mkdirSync(sub);
  repo.git('-C', sub, 'init', '-q', '-b', 'main');
  repo.git('-C', sub, 'commit', '-q', '--allow-empty', '-m', 'one');
  repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', sub, 'src/sub');
  repo.commit('submodule');
}

way('Git attributes (ident) make git ignore a change between "$Id:" and "$".', async () => {
  const repo = alone();
  repo.write('.gitattributes', '*.ts ident\n');
  repo.write('src/a.ts', '/* $Id$ */\n');
  repo.commit();
  repo.git('branch', '-f', 'main');
  repo.write('src/a.ts', `/* $Id: ${'0'.repeat(40)} $ */\n`);
  expect((await repo.document()).status).toBe('no_changes');
  repo.write('src/a.ts', '/* $Id: */ steal(); /* $ */\n');
  repo.answers('one', OBJECTION);
  await expectAsked(repo);
  expect(repo.calls()[0]?.prompt).toContain('+/* $Id: */ steal(); /* $ */');
});

way('The only change is the commit of a submodule.', async () => {
  const repo = alone();
  addSubmodule(repo);
  expect((await repo.run()).code).toBe(0);
  repo.git('-C', 'src/sub', 'commit', '-q', '--allow-empty', '-m', 'two');
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});

way('The only change is the commit of a submodule, and git is configured to ignore this submodule.', async () => {
  const repo = alone();
  addSubmodule(repo);
  repo.git('config', '-f', '.gitmodules', 'submodule.src/sub.ignore', 'all');
  repo.git('config', 'submodule.src/sub.ignore', 'all');
  repo.commit();
  expect((await repo.run()).code).toBe(0);
  repo.git('-C', 'src/sub', 'commit', '-q', '--allow-empty', '-m', 'two');
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});

way('The change contains a nested repository.', async () => {
  const repo = await passed();
  repo.git('init', '-q', 'src/nested');
  repo.git('-C', 'src/nested', 'commit', '-q', '--allow-empty', '-m', 'one');
  await expectAsked(repo);
});

way('A merge has conflicts that no one has resolved.', async () => {
  const repo = await passed({ files: OLD });
  repo.write('src/old.ts', 'export const ours = 1;\n');
  repo.commit();
  repo.git('checkout', '-q', '-b', 'theirs', 'main');
  repo.write('src/old.ts', 'export const evil = 1;\n');
  repo.commit();
  repo.git('checkout', '-q', 'work');
  expect(() => repo.git('merge', '-q', 'theirs')).toThrow();
  await expectAsked(repo);
  expect(repo.calls()[0]?.prompt).toMatch(/\+<{7} HEAD[\s\S]*\+export const evil = 1;/);
});

way('Someone merges the base branch, but drops everything that is new on the base branch.', async () => {
  const repo = alone();
  repo.commit();
  expect((await repo.run()).code).toBe(0);
  repo.git('checkout', '-q', 'main');
  repo.write('src/theirs.ts', 'export const theirs = 1;\n');
  repo.commit();
  repo.git('checkout', '-q', 'work');
  repo.git('merge', '-q', '-s', 'ours', '-m', 'ours', 'main');
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});

way(
  'The base branch changes the mode of a file, and someone merges the base branch but drops the new mode.',
  async () => {
    const repo = alone();
    repo.commit();
    expect((await repo.run()).code).toBe(0);
    repo.git('checkout', '-q', 'main');
    chmodSync(at(repo, 'src/a.ts'), 0o755);
    repo.commit();
    repo.git('checkout', '-q', 'work');
    repo.git('merge', '-q', '-s', 'ours', '-m', 'ours', 'main');
    repo.answers('one', OBJECTION);
    repo.forget();
    await expectAsked(repo);
  },
);

way('Someone replaces git objects of the base branch with "git replace".', async () => {
  const repo = alone();
  repo.commit();
  repo.git('replace', 'main^{tree}', 'work^{tree}');
  repo.answers('one', OBJECTION);
  await expectAsked(repo);
});

way('Someone replaces the text under review with "git replace".', async () => {
  const repo = alone();
  const [evil, harmless] = ['export const evil = 1;\n', 'export const a = 2;\n'].map((text) => {
    repo.write('src/a.ts', text);
    return repo.git('hash-object', '-w', 'src/a.ts').trim();
  });
  repo.write('src/a.ts', 'export const evil = 1;\n');
  repo.git('replace', evil ?? '', harmless ?? '');
  expect((await repo.run()).code).toBe(0);
  expect(repo.calls()[0]?.prompt).toContain('+export const evil = 1;');
});

way(
  'Someone changes the parents of commits in .git/info/grafts, so that the base branch seems to contain the change.',
  async () => {
    const repo = alone();
    repo.commit();
    repo.write('.git/info/grafts', repo.git('rev-parse', 'main', 'work').trim().replace('\n', ' '));
    repo.answers('one', OBJECTION);
    await expectAsked(repo);
  },
);

way('The git setting core.worktree makes git read a copy of the base branch in another folder.', async () => {
  const repo = await passed();
  repo.git('clone', '-q', '-b', 'main', '.', '../copy');
  repo.git('config', 'core.worktree', join(dirname(repo.root), 'copy'));
  expect((await command(repo, 'run')).code).toBe(3);
  expect((await command(repo, 'status')).code).toBe(3);
});

way('A git filter replaces the changed text by the text of the base branch.', async () => {
  const prompt = await expectSeen((repo) => {
    repo.git('config', 'filter.own.clean', 'git show HEAD:%f');
    repo.write('.git/info/attributes', 'src/old.ts filter=own\n');
    repo.write('src/old.ts', 'export const evil = 1;\n');
  }, OLD);
  expect(prompt).toContain('+export const evil = 1;');
});

way('The git attribute working-tree-encoding makes git show another text than programs read.', async () => {
  const prompt = await expectSeen((repo) => {
    repo.write('.gitattributes', '*.js working-tree-encoding=UTF-16LE\n');
    repo.write('src/new.js', 'steal(); // all of it. \n');
  });
  expect(prompt).toContain('+steal(); // all of it.');
});

/** Adds a file in src whose name is not UTF-8. */
function addOdd(repo: GateRepo): void {
  writeFileSync(Buffer.concat([Buffer.from(at(repo, 'src/evil')), Buffer.from([0xe4])]), 'export const evil = 1;\n');
  repo.commit();
}

way('The name of a changed file is not UTF-8.', async () => {
  const repo = await passed();
  addOdd(repo);
  expect((await command(repo, 'run')).code).toBe(3);
  expect((await command(repo, 'status')).code).toBe(3);
});

way('The name of a changed file is not UTF-8, and the command is "onceover run .".', async () => {
  const repo = await passed();
  addOdd(repo);
  expect((await command(repo, 'run', '.')).code).toBe(3);
});

way('The name of a file is not UTF-8, and the run reviews only the commit that adds the file.', async () => {
  const repo = alone();
  repo.commit();
  addOdd(repo);
  expect((await command(repo, 'run', '--commit', 'HEAD')).code).toBe(3);
});

way('Git refuses to add a changed file because of its name.', async () => {
  const repo = await passed();
  repo.write('packages/repo/src/git~1/evil.ts', 'export const evil = 1;\n');
  expect((await command(repo, 'run')).code).toBe(3);
  expect((await command(repo, 'status')).code).toBe(3);
});

way('Someone commits a file to the folder in which onceover writes generated files.', async () => {
  const repo = await passed();
  repo.write('.deepwork/tmp/evil.js', 'evil()\n');
  repo.git('add', '-f', '.deepwork/tmp/evil.js');
  repo.commit();
  const run = await command(repo, 'run');
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('.deepwork/tmp/evil.js')]);
  expect((await command(repo, 'status')).code).toBe(2);
});

way('Someone commits a file to `log_dir`, with the name of a stored result.', async () => {
  const repo = await passed();
  for (const path of ['.deepwork/logs/review_evil.1.json', '.deepwork/logs/previous/evil.js']) {
    repo.write(path, 'evil()\n');
    repo.git('add', '-f', path);
  }
  repo.commit();
  expect((await command(repo, 'run')).code).toBe(2);
});

way('Someone runs the gates in a repository that has no commit yet.', async () => {
  const repo = alone();
  repo.git('checkout', '-q', '--orphan', 'fresh');
  repo.git('branch', '-q', '-D', 'main', 'work');
  repo.answers('one', OBJECTION);
  await expectAsked(repo);
});

way('Someone starts the run in a subfolder, and the change is in another folder.', async () => {
  const repo = await passed({ files: { 'lib/x.ts': '' } });
  repo.write('src/a.ts', 'export const evil = 1;\n');
  expect((await onceover(at(repo, 'lib'), ['run'])).code).toBe(1);
  expect(repo.calls()).toHaveLength(1);
});
