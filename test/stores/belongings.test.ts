import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RepoPath, SnapshotId } from '../../src/domain/brand.ts';
import { USUAL_LOG_DIR } from '../../src/domain/generated.ts';
import { keepTree } from '../../src/io/kept-trees.ts';
import { findPlace } from '../../src/io/place.ts';
import { openBelongings } from '../../src/stores/belongings.ts';
import { openLock } from '../../src/stores/lock.ts';
import { repoWith, type TestRepo, temporaryFolder } from '../support/repo.ts';

async function placeAt(root: string) {
  const place = await findPlace(root);
  if (!place.ok) throw new Error(place.failure.kind);
  return place.value;
}

const OURS = [
  '.deepwork/logs/.gitignore',
  '.deepwork/logs/check_._lint.1.json',
  '.deepwork/logs/review_._q_claude@1.2.log',
  '.deepwork/logs/fix_claude.2.log',
  '.deepwork/logs/previous/rule_._x.1.log',
  '.deepwork/logs/phases/specify_ab/1.log',
  '.deepwork/tmp/.gitignore',
  '.deepwork/tmp/review_instructions/a--b--c.md',
  '.deepwork/tmp/review_instructions/a--b--c.passed',
  '.deepwork/tmp/quality_review_s_one.md',
  '.deepwork/tmp/session_abc.json',
];

async function fill(repo: TestRepo) {
  for (const path of OURS) repo.write(path, path.endsWith('.gitignore') ? '*\n' : 'x');
  repo.write('.git/onceover/receipts/a.json', '{}');
  const place = await placeAt(repo.root);
  expect(await keepTree(place, repo.git('rev-parse', 'HEAD^{tree}').trim() as SnapshotId)).toEqual({ ok: true });
  return place;
}

const refs = (repo: TestRepo) => repo.git('for-each-ref', 'refs/onceover', 'refs/worktree');

describe('what onceover has left in a clone', () => {
  test('is found, and taken away to the last folder', async () => {
    const repo = repoWith({ 'a.txt': 'a' });
    const place = await fill(repo);
    const belongings = openBelongings(place, USUAL_LOG_DIR, new Set());
    expect(await belongings.find()).toEqual({
      ok: true,
      value: [
        { kind: 'records', path: '.deepwork/logs', files: 6 },
        { kind: 'generated', path: '.deepwork/tmp', files: 5 },
        { kind: 'git-folder', path: '.git/onceover', files: 1 },
        { kind: 'refs', count: 2 },
      ],
    });
    expect((await belongings.remove()).ok).toBe(true);
    expect([readdirSync(repo.root).sort(), existsSync(join(place.commonDir, 'onceover')), refs(repo)]).toEqual([
      ['.git', 'a.txt'],
      false,
      '',
    ]);
    expect(await belongings.find()).toEqual({ ok: true, value: [] });
    expect((await belongings.remove()).ok).toBe(true);
  });

  test('is unknown where it cannot be told which working trees the clone has', async () => {
    const repo = repoWith({ 'a.txt': 'a' });
    const place = await fill(repo);
    repo.write('.git/worktrees', 'no folder');
    const belongings = openBelongings(place, USUAL_LOG_DIR, new Set());
    expect(await belongings.find()).toMatchObject({ failure: { kind: 'disk', action: 'read', code: 'ENOTDIR' } });
    expect((await belongings.remove()).ok).toBe(false);
    expect(refs(repo)).not.toBe('');
  });

  test('what others put there, what git tracks, and jobs stay', async () => {
    const repo = repoWith({ '.deepwork/jobs/a/job.yml': 'x', '.deepwork/logs/check_._kept.1.log': 'x' });
    const place = await fill(repo);
    repo.write('.deepwork/logs/notes.txt', 'mine');
    repo.write('.deepwork/tmp/another-tool.json', '{}');
    const tracked = new Set(repo.git('ls-files').split('\n'));
    expect((await openBelongings(place, USUAL_LOG_DIR, tracked).remove()).ok).toBe(true);
    const stays = execFileSync('find', ['.deepwork', '-type', 'f'], { cwd: repo.root, encoding: 'utf8' });
    expect(stays.trim().split('\n').sort()).toEqual([
      '.deepwork/jobs/a/job.yml',
      '.deepwork/logs/.gitignore',
      '.deepwork/logs/check_._kept.1.log',
      '.deepwork/logs/notes.txt',
      '.deepwork/tmp/.gitignore',
      '.deepwork/tmp/another-tool.json',
    ]);
  });

  test('nothing is followed out of the repository', async () => {
    const repo = repoWith({ 'a.txt': 'a' });
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'check_._a.1.log'), 'x');
    mkdirSync(join(repo.root, '.deepwork'));
    symlinkSync(outside, join(repo.root, '.deepwork/logs'));
    const belongings = openBelongings(await placeAt(repo.root), USUAL_LOG_DIR, new Set());
    expect(await belongings.remove()).toMatchObject({
      ok: false,
      failure: { kind: 'path-in-the-way', found: 'symlink' },
    });
    expect(readdirSync(outside)).toEqual(['check_._a.1.log']);
  });

  test('the refs of all working trees go: none is left that a collection would break', async () => {
    const repo = repoWith({ 'a.txt': 'a' });
    await fill(repo);
    const linked = join(dirname(repo.root), 'linked');
    repo.git('worktree', 'add', '-q', linked, 'main');
    const tree = repo.git('rev-parse', 'HEAD^{tree}').trim() as SnapshotId;
    expect(await keepTree(await placeAt(linked), tree)).toEqual({ ok: true });
    const belongings = openBelongings(await placeAt(repo.root), USUAL_LOG_DIR, new Set());
    expect(await belongings.find()).toMatchObject({ value: expect.arrayContaining([{ kind: 'refs', count: 4 }]) });
    expect((await belongings.remove()).ok).toBe(true);
    expect([refs(repo), repo.git('-C', linked, 'for-each-ref', 'refs/worktree')]).toEqual(['', '']);
  });

  test.each(['here', 'in another working tree'])('a run that goes on %s keeps everything', async (where) => {
    const repo = repoWith({ 'a.txt': 'a' });
    const place = await fill(repo);
    const held = await holdInAnotherProcess(
      where === 'here' ? repo.root : join(dirname(repo.root), 'elsewhere'),
      place.commonDir,
    );
    try {
      const belongings = openBelongings(place, 'logs' as RepoPath, new Set());
      expect(await belongings.remove()).toMatchObject({ ok: false, failure: { kind: 'lock-held' } });
      expect(existsSync(join(place.commonDir, 'onceover/receipts/a.json'))).toBe(true);
      expect(refs(repo)).not.toBe('');
    } finally {
      held();
    }
  });
});

/** A lock whose owner is a living process that is not this one. */
async function holdInAnotherProcess(root: string, commonDir: string): Promise<() => void> {
  const lock = await openLock({ root, commonDir }).take();
  if (!lock.ok) throw new Error(lock.failure.kind);
  const folder = join(commonDir, 'onceover/locks');
  for (const name of readdirSync(folder)) {
    // Whoever started this process lives as long as it does.
    const owner = {
      pid: process.ppid,
      host: (await import('node:os')).hostname(),
      since: new Date(),
      heartbeat: new Date(),
    };
    writeFileSync(join(folder, name, '1.json'), JSON.stringify(owner));
  }
  return () => void lock.value.release();
}
