import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RepoPath, SnapshotId } from '@onceover/base/kernel/ids';
import { DEFAULT_LOG_DIR } from '@onceover/base/kernel/paths';
import { findRepository } from '@onceover/repo/git/locate';
import { pinSnapshot } from '@onceover/repo/git/snapshot-refs';
import { holdInAnotherProcess } from '@onceover/testing/held-lock.ts';
import { repoWith, type TestRepo, temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { openOwnFiles } from '../../src/setup/own-files.ts';

async function placeAt(root: string) {
  const place = await findRepository(root);
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
  await pinSnapshot(place, repo.git('rev-parse', 'HEAD^{tree}').trim() as SnapshotId);
  return place;
}

const refs = (repo: TestRepo) => repo.git('for-each-ref', 'refs/onceover');

describe('the files of onceover in a clone', () => {
  test('are found, and removed with their empty folders', async () => {
    const repo = repoWith({ 'a.txt': 'a' });
    const place = await fill(repo);
    const ownFiles = openOwnFiles(place, DEFAULT_LOG_DIR, new Set());
    expect(await ownFiles.find()).toEqual({
      ok: true,
      value: [
        { kind: 'records', path: '.deepwork/logs', count: 6 },
        { kind: 'generated', path: '.deepwork/tmp', count: 5 },
        { kind: 'git-folder', path: '.git/onceover', count: 1 },
        { kind: 'refs', path: null, count: 1 },
      ],
    });
    expect((await ownFiles.remove()).ok).toBe(true);
    expect([readdirSync(repo.root).sort(), existsSync(join(place.commonDir, 'onceover')), refs(repo)]).toEqual([
      ['.git', 'a.txt'],
      false,
      '',
    ]);
    expect(await ownFiles.find()).toEqual({ ok: true, value: [] });
    expect((await ownFiles.remove()).ok).toBe(true);
  });

  test('are unknown if git cannot list the refs', async () => {
    const repo = repoWith({ 'a.txt': 'a' });
    const place = await fill(repo);
    repo.write('.git/HEAD', 'broken');
    const ownFiles = openOwnFiles(place, DEFAULT_LOG_DIR, new Set());
    expect(await ownFiles.find()).toMatchObject({ failure: { kind: 'git-failed' } });
    expect((await ownFiles.remove()).ok).toBe(false);
    repo.write('.git/HEAD', 'ref: refs/heads/main\n');
    expect(refs(repo)).not.toBe('');
  });

  test('do not include files of others, tracked files and jobs', async () => {
    const repo = repoWith({ '.deepwork/jobs/a/job.yml': 'x', '.deepwork/logs/check_._kept.1.log': 'x' });
    const place = await fill(repo);
    repo.write('.deepwork/logs/notes.txt', 'mine');
    repo.write('.deepwork/tmp/another-tool.json', '{}');
    const trackedPaths = new Set(repo.git('ls-files').split('\n'));
    expect((await openOwnFiles(place, DEFAULT_LOG_DIR, trackedPaths).remove()).ok).toBe(true);
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

  test('are never searched outside the repository', async () => {
    const repo = repoWith({ 'a.txt': 'a' });
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'check_._a.1.log'), 'x');
    mkdirSync(join(repo.root, '.deepwork'));
    symlinkSync(outside, join(repo.root, '.deepwork/logs'));
    const ownFiles = openOwnFiles(await placeAt(repo.root), DEFAULT_LOG_DIR, new Set());
    expect(await ownFiles.remove()).toMatchObject({
      ok: false,
      failure: { kind: 'path-in-the-way', found: 'symlink' },
    });
    expect(readdirSync(outside)).toEqual(['check_._a.1.log']);
  });

  test('include the refs of all working trees', async () => {
    const repo = repoWith({ 'a.txt': 'a' });
    await fill(repo);
    const worktree = join(dirname(repo.root), 'linked');
    repo.git('worktree', 'add', '-q', worktree, 'main');
    const tree = repo.git('rev-parse', 'HEAD^{tree}').trim() as SnapshotId;
    await pinSnapshot(await placeAt(worktree), tree);
    const ownFiles = openOwnFiles(await placeAt(repo.root), DEFAULT_LOG_DIR, new Set());
    expect(await ownFiles.find()).toMatchObject({
      value: expect.arrayContaining([{ kind: 'refs', path: null, count: 2 }]),
    });
    expect((await ownFiles.remove()).ok).toBe(true);
    expect(refs(repo)).toBe('');
  });

  test.each(['here', 'in another working tree'])('stay while a run is active %s', async (where) => {
    const repo = repoWith({ 'a.txt': 'a' });
    const place = await fill(repo);
    const releaseLock = await holdInAnotherProcess(
      where === 'here' ? repo.root : join(dirname(repo.root), 'elsewhere'),
      place.commonDir,
    );
    try {
      const ownFiles = openOwnFiles(place, 'logs' as RepoPath, new Set());
      expect(await ownFiles.remove()).toMatchObject({ ok: false, failure: { kind: 'lock-held' } });
      expect(existsSync(join(place.commonDir, 'onceover/receipts/a.json'))).toBe(true);
      expect(refs(repo)).not.toBe('');
    } finally {
      releaseLock();
    }
  });
});
