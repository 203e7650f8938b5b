import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { failing, type GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import { emptyRepo, temporaryFolder } from '@onceover/testing/repo.ts';
import { edit, GATE } from '@onceover/testing/slots.ts';
import { told } from '@onceover/testing/told.ts';
import { describe, expect, test } from 'vitest';
import type { RunDocument } from '../../../src/result/json.ts';

const oneReviewer = () => gateRepo({ agents: ['one'], numReviews: 1 });

/** Runs in a folder that is not the repository's own. */
async function runIn(root: string, ...args: string[]): Promise<RunDocument & { code: number | null }> {
  const end = await onceover(root, ['run', '--json', ...args]);
  return { ...(JSON.parse(end.stdout) as RunDocument), code: end.code };
}

/** The user's files, which must be the same after a run. */
function belongings(repo: GateRepo): readonly string[] {
  return [
    readFileSync(join(repo.root, '.git/index')).toString('base64'),
    readFileSync(join(repo.root, '.git/HEAD'), 'utf8'),
    repo.git('status', '--porcelain=v2', '--untracked-files=all'),
    repo.git('for-each-ref', 'refs/heads', 'refs/tags', 'refs/stash'),
    repo.git('ls-files', '-v', '-s'),
    readFileSync(join(repo.root, 'src/a.ts'), 'utf8'),
  ];
}

/** Runs, and makes sure that nothing of the user's was touched. */
async function runUntouched(repo: GateRepo): Promise<RunDocument & { code: number | null; prompt: string }> {
  const before = belongings(repo);
  const run = await repo.document();
  expect(belongings(repo)).toEqual(before);
  return { ...run, prompt: repo.calls().at(-1)?.prompt ?? '' };
}

/** The branch and main have each changed the same line. */
function diverged(): GateRepo {
  const repo = oneReviewer();
  repo.commit('b');
  repo.git('checkout', '-q', 'main');
  repo.write('src/a.ts', 'export const a = 9;\n');
  repo.commit('nine');
  repo.git('checkout', '-q', 'work');
  return repo;
}

describe('not a working tree', () => {
  test('a bare repository, and the inside of .git: exit 3', async () => {
    const bare = join(temporaryFolder(), 'bare');
    const repo = emptyRepo();
    repo.git('init', '-q', '--bare', bare);
    for (const folder of [bare, join(repo.root, '.git')]) {
      expect.soft(told(await onceover(folder, ['run']), 3)).toContain('has no working tree');
    }
    expect(readdirSync(bare)).not.toContain('onceover');
  });

  test('a repository that git cannot read: exit 3, never "nothing changed"', async () => {
    const rows = [
      ['.git/HEAD', 'is not in a git repository'],
      ['.git/refs/heads/work', 'A git command failed, so onceover cannot read the change.'],
      ['.git/index', 'A git command failed, so onceover cannot read the change.'],
    ] as const;
    for (const [broken, said] of rows) {
      const repo = oneReviewer();
      writeFileSync(join(repo.root, broken), 'garbage\n');
      expect.soft(told(await repo.run(), 3)).toContain(said);
      expect.soft(repo.calls()).toEqual([]);
    }
  });

  test('a lost base object: exit 3, never "nothing changed"', async () => {
    const repo = oneReviewer();
    const blob = repo.git('rev-parse', 'main:src').trim();
    rmSync(join(repo.root, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    expect(told(await repo.run(), 3)).toContain('A git command failed, so onceover cannot read the change.');
  });

  test('a lost last commit is not treated as an empty repository, which would hide deletions', async () => {
    const repo = oneReviewer();
    repo.git('commit', '-qam', 'b');
    rmSync(join(repo.root, 'README.md'));
    const commit = repo.git('rev-parse', 'HEAD').trim();
    rmSync(join(repo.root, '.git/objects', commit.slice(0, 2), commit.slice(2)));
    for (const args of [['run'], ['run', '--uncommitted'], ['status'], ['instructions']]) {
      expect
        .soft(told(await onceover(repo.root, args), 3))
        .toContain('A git command failed, so onceover cannot read the change.');
    }
    expect(repo.calls()).toEqual([]);
  });
});

describe('a repository with few commits', () => {
  test('without commits everything is new; after the first commit nothing is, until a change', async () => {
    const configured = oneReviewer();
    const repo = emptyRepo();
    for (const path of ['onceover.yml', '.onceover/reviews/code-quality.md', 'src/a.ts'])
      repo.write(path, readFileSync(join(configured.root, path)));
    expect(await runIn(repo.root)).toMatchObject({ code: 0, status: 'passed', iteration: 1, base: null });
    expect(configured.calls()[0]?.prompt).toContain('+export const a = 1;\n+export const b = 2;');
    repo.git('add', '-A');
    expect(await runIn(repo.root)).toMatchObject({ code: 0, dispatches: 0 });
    repo.commit('first');
    expect(await runIn(repo.root)).toMatchObject({ code: 0, status: 'no_changes' });
    // Commits on the base itself do not count as reviewed.
    expect((await onceover(repo.root, ['status'])).stdout).toContain(
      'Review the last commit with "onceover run --commit HEAD"',
    );
    repo.git('checkout', '-q', '-b', 'work');
    expect((await onceover(repo.root, ['status'])).stdout).not.toContain('--commit HEAD');
    repo.git('checkout', '-q', 'main');
    repo.write('src/a.ts', 'export const c = 3;\n');
    expect(await runIn(repo.root)).toMatchObject({ code: 0, status: 'passed', dispatches: 1 });
  });

  test('an unborn branch beside a branch with commits', async () => {
    const repo = oneReviewer();
    repo.git('checkout', '-q', '--orphan', 'new');
    expect(await repo.document()).toMatchObject({ code: 0, status: 'passed', iteration: 1, base: null });
    expect(repo.calls()[0]?.prompt).toContain('+export const a = 1;\n+export const b = 2;');
  });
});

describe('a branch without a merge base', () => {
  test('a run with --base or --uncommitted does not need the default base', async () => {
    const repo = oneReviewer();
    repo.git('checkout', '-q', '--orphan', 'new');
    repo.commit('one');
    repo.write('src/a.ts', 'export const c = 3;\n');
    expect((await repo.run()).code).toBe(2);
    for (const args of [['--base', 'HEAD'], ['--uncommitted']]) {
      expect(await repo.document(args)).toMatchObject({ code: 0, status: 'passed', dispatches: 1 });
    }
  });
});

describe('another location', () => {
  test('a linked worktree has its own records and shares passes', async () => {
    const repo = oneReviewer();
    repo.commit('b');
    expect((await repo.run()).code).toBe(0);
    const linked = join(dirname(repo.root), 'linked');
    repo.git('worktree', 'add', '-q', '-b', 'linked', linked, 'work');
    expect(await runIn(linked)).toMatchObject({ code: 0, status: 'passed', iteration: null, dispatches: 0 });
    writeFileSync(join(linked, 'src/a.ts'), 'export const a = 1;\nexport const b = 3;\n');
    expect(await runIn(linked)).toMatchObject({ code: 0, iteration: 1, dispatches: 1 });
    expect(readdirSync(join(linked, '.deepwork/logs'))).toContain('review_src_code-quality_one@1.1.json');
    expect(await repo.document()).toMatchObject({ code: 0, dispatches: 0 });
    expect(repo.records().filter((name) => name.includes('.2.'))).toEqual([]);
  });

  test('a root path with spaces, quotes and other scripts works', async () => {
    const repo = oneReviewer();
    const root = join(dirname(repo.root), 'a b\'c "d" ä 日本 $HOME');
    renameSync(repo.root, root);
    writeFileSync(join(root, 'src/ü ß.ts'), 'new\n');
    repo.answers('one', failing('src/ü ß.ts', 'new'));
    const run = await runIn(root);
    expect(run).toMatchObject({ code: 1, findings: [{ file: 'src/ü ß.ts', line: 1, mark: null }] });
    const shown = await onceover(join(root, 'src'), ['status']);
    expect([shown.code, shown.stdout]).toEqual([1, expect.stringContaining('src/ü ß.ts')]);
  });
});

describe('an unfinished git operation', () => {
  test('a merge with conflicts is reviewed as the files are', async () => {
    const repo = diverged();
    expect(() => repo.git('merge', '-q', 'main')).toThrow();
    const run = await runUntouched(repo);
    expect(run).toMatchObject({ code: 0, status: 'passed' });
    expect(run.prompt).toContain('+<<<<<<< HEAD');
    expect(repo.git('rev-parse', '--verify', 'MERGE_HEAD')).not.toBe('');
    expect(await repo.document()).toMatchObject({ code: 0, dispatches: 0 });
  });

  test('a rebase with conflicts works, and so does the run after it', async () => {
    const repo = diverged();
    expect(() => repo.git('rebase', '-q', 'main')).toThrow();
    expect((await runUntouched(repo)).prompt).toContain('+<<<<<<< ');
    expect(await repo.document()).toMatchObject({ code: 0, dispatches: 0 });
    repo.write('src/a.ts', 'export const a = 9;\nexport const b = 2;\n');
    repo.git('add', '-A');
    repo.git('-c', 'core.editor=true', 'rebase', '--continue');
    const after = await runUntouched(repo);
    expect(after).toMatchObject({ code: 0, status: 'passed', dispatches: 1 });
    expect(after.prompt).toContain('+export const b = 2;');
    expect(after.prompt).not.toContain('+<<<<<<<');
  });

  test('a lock of another git process does not matter', async () => {
    const repo = oneReviewer();
    writeFileSync(join(repo.root, '.git/index.lock'), '');
    expect(await runUntouched(repo)).toMatchObject({ code: 0, status: 'passed' });
    expect(readFileSync(join(repo.root, '.git/index.lock'), 'utf8')).toBe('');
  });
});

describe('files in unusual states', () => {
  test('5,000 untracked files are shown once each, in parts', async () => {
    const repo = oneReviewer();
    for (let n = 0; n < 5000; n++) repo.write(`src/many/file-${n}.ts`, `export const n = ${n};\n`);
    const run = await repo.document();
    expect(run).toMatchObject({ code: 0, status: 'passed' });
    const shown = repo.calls().flatMap(({ prompt }) => prompt.match(/^\+\+\+ b\/src\/many\/\S+/gm) ?? []);
    expect([shown.length, new Set(shown).size]).toEqual([5000, 5000]);
    expect(await repo.document()).toMatchObject({ code: 0, dispatches: 0 });
  });

  test.each([['input'], ['true'], ['false']])(
    'CRLF with core.autocrlf=%s: quoted lines are found',
    async (autocrlf) => {
      const repo = oneReviewer();
      repo.git('config', 'core.autocrlf', autocrlf);
      repo.git('config', 'core.safecrlf', 'true');
      repo.write('src/a.ts', 'export const a = 1;\r\nexport const b = 2;\r\n');
      repo.answers('one', failing('src/a.ts', 'export const b = 2;'));
      const run = await runUntouched(repo);
      expect(run).toMatchObject({ code: 1, findings: [{ line: 2, mark: null, state: 'open' }] });
      // The same problem at the same place is the same finding.
      repo.answers('one', failing('src/a.ts', 'export const b = 2;\r\n'));
      expect((await repo.document()).findings).toMatchObject([{ id: 'F1', state: 'open' }]);
    },
  );

  test.each([['--assume-unchanged'], ['--skip-worktree']])('%s hides no change', async (flag) => {
    const repo = oneReviewer();
    repo.git('update-index', flag, 'src/a.ts');
    expect(repo.git('status', '--porcelain')).toBe('');
    const run = await runUntouched(repo);
    expect([run.code, run.iteration, run.gates.map(({ id }) => id)]).toEqual([0, 1, [GATE]]);
    expect(run.prompt).toContain('+export const b = 2;');
  });

  test('a staged file with later edits is reviewed as on disk, and the index stays unchanged', async () => {
    const repo = oneReviewer();
    repo.git('add', 'src/a.ts');
    edit(repo, 3);
    expect(repo.git('status', '--porcelain')).toBe('MM src/a.ts\n');
    const { prompt } = await runUntouched(repo);
    expect([prompt.includes('+export const b = 3;'), prompt.includes('+export const b = 2;')]).toEqual([true, false]);
  });

  test('a staged change that is reverted on disk leaves nothing to review', async () => {
    const repo = oneReviewer();
    repo.git('add', 'src/a.ts');
    repo.write('src/a.ts', 'export const a = 1;\n');
    expect(await runUntouched(repo)).toMatchObject({ code: 0, status: 'no_changes' });
  });

  test('a nested repository without commits is named as not reviewed', async () => {
    const repo = oneReviewer();
    repo.git('init', '-q', 'src/nested');
    repo.write('src/nested/a.ts', 'export const evil = 1;\n');
    expect(await repo.document()).toMatchObject({ code: 0, withheld_files: ['src/nested'] });
    const { stdout } = await onceover(repo.root, ['status']);
    expect(stdout).toContain('Not shown to reviewers (nested repositories without a commit): src/nested\n');
  });

  test('a submodule is reviewed by its commit, with a notice', async () => {
    const repo = oneReviewer();
    const inner = emptyRepo();
    inner.write('x', 'x\n');
    inner.commit('x');
    repo.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.root, 'src/inner');
    const first = await runUntouched(repo);
    const warning = 'src/inner is a submodule; only its commit is reviewed, not its files';
    expect(first).toMatchObject({ code: 0, status: 'passed', warnings: [warning], uncovered_files: ['.gitmodules'] });
    expect(first.prompt).toContain('+Subproject commit ');
    // Uncommitted changes in the submodule are not part of this repository's change.
    repo.write('src/inner/x', 'changed\n');
    expect(await repo.document()).toMatchObject({ code: 0, dispatches: 0 });
    repo.git('-C', 'src/inner', 'commit', '-qam', 'changed');
    expect(await runUntouched(repo)).toMatchObject({ code: 0, dispatches: 1 });
  });
});
