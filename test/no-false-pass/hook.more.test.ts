import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import type { GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import { waive } from '@onceover/testing/gates.ts';
import { editMemory, hookRepo, isFromMemory, markMemory, memoryIn, stop } from '@onceover/testing/hook.ts';
import { cleanEnvironment } from '@onceover/testing/repo.ts';
import { configure, HAS_STORE, OBJECTION, waysUnder } from '@onceover/testing/ways.ts';
import { expect } from 'vitest';

const way = waysUnder('Changes that the stop hook has to notice');

type Options = NonNullable<Parameters<typeof gateRepo>[0]>;
type Change = (repo: GateRepo) => void | Promise<void>;

const NO = { status: 'fail', violations: [{ file: '', line: null, issue: 'no', priority: 'high' }] } as const;

/** Creates a repository whose agent was just allowed to stop. From then on, the reviewer fails everything. */
async function letGo(options: Options = {}, prepare: Change = () => {}): Promise<GateRepo> {
  const repo = await hookRepo(options);
  await prepare(repo);
  expect(await stop(repo)).toMatchObject({ blocked: null, message: null });
  expect(judgedIn(repo)).not.toBeNull();
  repo.forget();
  repo.answers('one', ...Array.from({ length: 9 }, () => NO));
  return repo;
}

function judgedIn({ root }: GateRepo): unknown {
  const folder = join(root, '.git/onceover/hook');
  const [name = ''] = readdirSync(folder);
  return memoryIn(join(folder, name)).judged;
}

/** Makes a change after the agent was allowed to stop, and expects that the reviewer runs and the hook blocks. */
async function expectHeld(change: Change, options: Options = {}, prepare: Change = () => {}): Promise<GateRepo> {
  const repo = await letGo(options, prepare);
  await change(repo);
  expect(await stop(repo, { again: true })).toMatchObject({ blocked: expect.stringContaining('issue: no') });
  expect(repo.calls()).toHaveLength(1);
  return repo;
}

/**
 * Makes a change after the agent was allowed to stop, and expects that the hook does not use its stored result. With a
 * store for teams, the hook never uses it, because another clone may have found a problem.
 */
async function expectLookedAt(change: Change, options: Options = {}, prepare: Change = () => {}): Promise<GateRepo> {
  const repo = await letGo(options, prepare);
  markMemory(repo);
  expect(isFromMemory(await stop(repo))).toBe(!HAS_STORE);
  await change(repo);
  expect(isFromMemory(await stop(repo))).toBe(false);
  return repo;
}

const at = (repo: GateRepo, path: string) => join(repo.root, path);
const EDITED = 'export const a = 1;\nexport const b = 3;\n';
const OLD = { 'src/old.ts': 'export const old = 1;\n' };
const edit: Change = (repo) => repo.write('src/a.ts', EDITED);

/** Writes another text of the same length and restores the modification time. */
function editUnseen(repo: GateRepo, path: string, text: string): void {
  const { atime, mtime, size } = statSync(at(repo, path));
  repo.write(path, text);
  utimesSync(at(repo, path), atime, mtime);
  expect(statSync(at(repo, path)).size).toBe(size);
}

way('Someone edits a file of the change.', async () => {
  await expectHeld(edit);
});

way('Someone edits a file so that its length and modification time stay the same.', async () => {
  await expectHeld((repo) => editUnseen(repo, 'src/a.ts', EDITED));
});

way(
  'Someone edits a file after "git update-index --assume-unchanged", so that git does not report the edit.',
  async () => {
    await expectHeld(
      (repo) => editUnseen(repo, 'src/old.ts', 'export const old = 2;\n'),
      { files: OLD },
      (repo) => void repo.git('update-index', '--assume-unchanged', 'src/old.ts'),
    );
  },
);

way(
  'Someone edits a file after "git update-index --skip-worktree", so that git does not report the edit.',
  async () => {
    await expectHeld(
      (repo) => editUnseen(repo, 'src/old.ts', 'export const old = 2;\n'),
      { files: OLD },
      (repo) => void repo.git('update-index', '--skip-worktree', 'src/old.ts'),
    );
  },
);

way('Someone writes code between "$Id:" and "$", which git ignores because of git attributes (ident).', async () => {
  const repo = await hookRepo({ files: { '.gitattributes': '*.ts ident\n', 'src/old.ts': '/* $Id$ */\n' } });
  expect(await stop(repo)).toMatchObject({ blocked: null, message: null });
  repo.answers('one', NO);
  repo.write('src/old.ts', '/* $Id: */ steal(); /* $ */\n');
  expect(await stop(repo, { again: true })).toMatchObject({ blocked: expect.stringContaining('issue: no') });
});

way('Someone adds an untracked file.', async () => {
  await expectHeld((repo) => repo.write('src/deep/new.ts', 'export const c = 1;\n'));
});

way('Someone edits an untracked file.', async () => {
  await expectHeld(
    (repo) => editUnseen(repo, 'src/new.ts', 'export const c = 2;\n'),
    {},
    (repo) => repo.write('src/new.ts', 'export const c = 1;\n'),
  );
});

way('Someone deletes a file.', async () => {
  await expectHeld((repo) => rmSync(at(repo, 'src/old.ts')), { files: OLD });
});

way('Someone renames a file.', async () => {
  await expectHeld((repo) => renameSync(at(repo, 'src/old.ts'), at(repo, 'src/new.ts')), { files: OLD });
});

way('Someone changes only the mode of a file.', async () => {
  await expectHeld((repo) => chmodSync(at(repo, 'src/old.ts'), 0o755), { files: OLD });
});

way('Someone changes only the target of a symlink.', async () => {
  await expectHeld(
    (repo) => {
      rmSync(at(repo, 'src/link'));
      symlinkSync('b.ts', at(repo, 'src/link'));
    },
    {},
    (repo) => symlinkSync('a.ts', at(repo, 'src/link')),
  );
});

way('Someone replaces a file by a symlink to the same text.', async () => {
  await expectHeld(
    (repo) => {
      renameSync(at(repo, 'src/old.ts'), `${repo.root}-old.ts`);
      symlinkSync(`${repo.root}-old.ts`, at(repo, 'src/old.ts'));
    },
    { files: OLD },
  );
});

way('Someone edits a file and stages the edit.', async () => {
  await expectHeld((repo) => {
    edit(repo);
    repo.git('add', '-A');
  });
});

way('Someone adds an ignored file with "git add --force".', async () => {
  await expectHeld(
    (repo) => void repo.git('add', '-f', 'src/made.ts'),
    { files: { '.gitignore': 'made.ts\n' } },
    (repo) => repo.write('src/made.ts', 'export const made = 1;\n'),
  );
});

way('Someone removes the ignore rule of an ignored file.', async () => {
  await expectHeld(
    (repo) => writeFileSync(at(repo, '.git/info/exclude'), ''),
    {},
    (repo) => {
      writeFileSync(at(repo, '.git/info/exclude'), 'made.ts\n');
      repo.write('src/made.ts', 'export const made = 1;\n');
    },
  );
});

way('Someone makes git ignore a reviewed file, through core.excludesFile.', async () => {
  await expectHeld(
    (repo) => writeFileSync(`${repo.root}-ignored`, 'new.ts\n'),
    {},
    (repo) => {
      repo.git('config', 'core.excludesFile', `${repo.root}-ignored`);
      repo.write('src/new.ts', 'export const c = 1;\n');
    },
  );
});

way('Someone edits a file and commits the edit.', async () => {
  await expectHeld((repo) => {
    edit(repo);
    repo.commit();
  });
});

way('Someone amends the last commit.', async () => {
  await expectHeld(
    (repo) => {
      edit(repo);
      repo.git('commit', '-q', '-a', '--amend', '--no-edit');
    },
    {},
    (repo) => repo.commit(),
  );
});

way('Someone checks out another branch.', async () => {
  await expectHeld(
    (repo) => void repo.git('checkout', '-q', 'other'),
    {},
    (repo) => {
      repo.commit('change');
      repo.git('checkout', '-q', '-b', 'other');
      edit(repo);
      repo.commit('other');
      repo.git('checkout', '-q', 'work');
    },
  );
});

/** Makes a change of two commits and moves the base to the first one. */
function inTheBase(repo: GateRepo, ...refs: string[]): void {
  repo.write('src/extra.ts', 'export const extra = 1;\n');
  repo.commit('extra');
  for (const ref of refs) repo.git('update-ref', ref, 'HEAD');
  repo.write('src/more.ts', 'export const more = 1;\n');
}

way('Someone moves the base branch back to an older commit.', async () => {
  await expectHeld(
    (repo) => void repo.git('update-ref', 'refs/heads/main', 'main~1'),
    {},
    (repo) => inTheBase(repo, 'refs/heads/main'),
  );
});

way('The base branch is a symbolic ref, and someone moves its target back to an older commit.', async () => {
  await expectHeld(
    (repo) => void repo.git('update-ref', 'refs/remotes/origin/trunk', 'HEAD~1'),
    {},
    (repo) => {
      inTheBase(repo, 'refs/remotes/origin/trunk');
      repo.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk');
    },
  );
});

way('Someone fetches origin/main, and onceover prefers this branch to the base branch that it used.', async () => {
  await expectHeld(
    (repo) => void repo.git('update-ref', 'refs/remotes/origin/main', 'HEAD~1'),
    {},
    (repo) => inTheBase(repo, 'refs/heads/main'),
  );
});

way('Someone moves the base branch in the packed-refs file.', async () => {
  await expectHeld(
    (repo) => {
      const path = at(repo, '.git/packed-refs');
      const older = repo.git('rev-parse', 'main~1').trim();
      writeFileSync(path, readFileSync(path, 'utf8').replace(/^\w{40}(?= refs\/heads\/main$)/m, older));
    },
    {},
    (repo) => {
      inTheBase(repo, 'refs/heads/main');
      repo.git('pack-refs', '--all');
    },
  );
});

way('Someone moves a submodule to another commit.', async () => {
  await expectHeld(
    (repo) => {
      execFileSync('git', ['commit', '-q', '--allow-empty', '-m', 'more'], inSubmodule(repo));
    },
    ...SUBMODULE,
  );
});

way('Someone edits a file in a submodule.', async () => {
  await expectLookedAt((repo) => repo.write('src/lib/x.ts', 'other\n'), ...SUBMODULE);
});

const inSubmodule = (repo: GateRepo) => ({
  cwd: at(repo, 'src/lib'),
  env: cleanEnvironment(dirname(repo.root)),
});

const SUBMODULE: [Options, Change] = [
  {},
  (repo) => {
    const lib = `${repo.root}-lib`;
    mkdirSync(lib);
    const options = { cwd: lib, env: cleanEnvironment(dirname(repo.root)) };
    execFileSync('git', ['init', '-q', '-b', 'main'], options);
    writeFileSync(join(lib, 'x.ts'), 'export const x = 1;\n');
    execFileSync('git', ['add', '-A'], options);
    execFileSync('git', ['commit', '-q', '-m', 'first'], options);
    repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib, 'src/lib');
    repo.commit('submodule');
  },
];

way('Someone makes the first commit in a nested repository.', async () => {
  const repo = await hookRepo();
  execFileSync('git', ['init', '-q', at(repo, 'src/own')], { env: cleanEnvironment(dirname(repo.root)) });
  repo.write('src/own/x.ts', 'export const x = 1;\n');
  expect(await stop(repo)).toMatchObject({ blocked: null, message: null });
  const options = { cwd: at(repo, 'src/own'), env: cleanEnvironment(dirname(repo.root)) };
  execFileSync('git', ['add', '-A'], options);
  execFileSync('git', ['commit', '-q', '-m', 'first'], options);
  repo.answers('one', NO);
  expect((await stop(repo)).blocked).toContain('issue: no');
});

way.inFiles('Someone overwrites the stored proof of a pass in place.', async () => {
  await expectHeld((repo) => {
    const folder = at(repo, '.git/onceover/receipts');
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{}');
  });
});

way('Someone shortens a file that was too large for a review.', async () => {
  await expectHeld(
    (repo) => truncateSync(at(repo, 'src/large.ts'), 100),
    {},
    (repo) => repo.write('src/large.ts', Buffer.alloc(5 * 1024 * 1024 + 1, 'x')),
  );
});

way('Git ignores onceover.yml, and someone edits onceover.yml so that it requires another reviewer.', async () => {
  await expectHeld(
    async (repo) => {
      configure(repo, { numReviews: 2 });
      repo.answers('one', NO, NO);
      expect((await onceover(repo.root, ['trust'])).code).toBe(0);
    },
    {},
    (repo) => {
      repo.git('rm', '-q', '--cached', 'onceover.yml');
      repo.write('.gitignore', 'onceover.yml\n');
      repo.commit('own settings');
    },
  );
});

way('Git ignores the prompt file, and someone edits the prompt.', async () => {
  await expectHeld(
    (repo) => editUnseen(repo, '.onceover/reviews/code-quality.md', 'Look for what is right.\n'),
    {},
    (repo) => {
      repo.git('rm', '-q', '--cached', '.onceover/reviews/code-quality.md');
      repo.write('.gitignore', '.onceover\n');
      repo.commit('own prompts');
    },
  );
});

way('Someone edits the prompt after the review failed: the reviewer runs again.', async () => {
  const repo = await hookRepo();
  repo.answers('one', OBJECTION, { status: 'fail', previous: [{ id: 'F1', state: 'open', why: '' }], violations: [] });
  expect((await stop(repo)).blocked).toContain('id: F1\npriority: high\n');
  repo.write('.onceover/reviews/code-quality.md', 'Look for what is right.\n');
  expect((await stop(repo)).blocked).toContain('id: F1\npriority: high\n');
  expect(repo.calls()).toHaveLength(2);
});

const RULE = `look:
  description: Looks.
  match: { include: ["src/**"] }
  review: { strategy: matches_together, instructions: { file: how.md } }
`;

way('Git ignores the file with the instructions of a rule, and someone edits these instructions.', async () => {
  await expectHeld(
    (repo) => editUnseen(repo, 'how.md', 'Look badly.\n'),
    { gates: '  []', files: { '.deepreview': RULE, '.gitignore': 'how.md\n' } },
    (repo) => repo.write('how.md', 'Look well..\n'),
  );
});

way('Someone adds a rule.', async () => {
  const text = RULE.replace('{ file: how.md }', 'Look.');
  await expectHeld((repo) => repo.write('.deepreview', text), { more: 'unchanged_gates: rest' });
});

way.inFiles('Someone deletes the stored proofs of passes.', async () => {
  await expectHeld((repo) => rmSync(at(repo, '.git/onceover/receipts'), { recursive: true }));
});

way('Someone archives the stored results with "onceover clean".', async () => {
  await expectLookedAt(async (repo) => {
    expect((await onceover(repo.root, ['clean'])).code).toBe(0);
  });
});

way('Someone edits a stored result of a run.', async () => {
  await expectLookedAt((repo) => {
    const [name = ''] = repo.records().filter((one) => one.endsWith('.json'));
    writeFileSync(at(repo, `.deepwork/logs/${name}`), '{}');
  });
});

way('Someone withdraws a waiver with "onceover resolve --fixed".', async () => {
  const repo = await hookRepo();
  repo.answers('one', OBJECTION);
  expect((await stop(repo)).blocked).toContain('id: F1\npriority: high\n');
  await waive(repo, 'F1', 'why not');
  expect(await stop(repo)).toMatchObject({ blocked: null, message: null });
  markMemory(repo);
  expect(isFromMemory(await stop(repo))).toBe(!HAS_STORE);
  expect((await onceover(repo.root, ['resolve', 'F1', '--fixed'])).code).toBe(0);
  expect((await stop(repo)).blocked).toContain('id: F1\npriority: high\n');
});

way.inFiles('Someone edits the file of a stored waiver.', async () => {
  const repo = await hookRepo();
  repo.answers('one', OBJECTION);
  expect((await stop(repo)).blocked).toContain('id: F1\npriority: high\n');
  await waive(repo, 'F1', 'why not');
  expect(await stop(repo)).toMatchObject({ blocked: null, message: null });
  appendFileSync(at(repo, '.git/onceover/findings/F1.said.json'), '!');
  expect((await stop(repo)).blocked).toContain('id: F1\npriority: high\n');
});

way('The agent wants to stop in another worktree of the clone.', async () => {
  const repo = await letGo();
  const other = `${repo.root}-other`;
  repo.git('worktree', 'add', '-q', '-b', 'other', other, 'main');
  writeFileSync(join(other, 'src/a.ts'), EDITED);
  expect((await stop({ root: other })).blocked).toContain('issue: no');
  expect(repo.calls()).toHaveLength(1);
  expect(await stop(repo)).toMatchObject({ blocked: null, message: null });
});

way('Another version of onceover stored the last answer of the stop hook.', async () => {
  await expectLookedAt((repo) => {
    editMemory(at(repo, '.git'), (memory) => ({ ...memory, version: '0.0.1' }));
  });
});

way('Someone edits a file while the reviewer runs.', async () => {
  const repo = await hookRepo();
  repo.answers(
    'one',
    { status: 'pass', violations: [], $run: `printf 'export const z = 1;' >> ${at(repo, 'src/a.ts')}` },
    NO,
  );
  expect((await stop(repo)).blocked).toContain('issue: no');
});
