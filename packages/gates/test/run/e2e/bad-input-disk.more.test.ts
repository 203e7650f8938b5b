import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CLI, type CliEnd, onceover } from '@onceover/testing/cli.ts';
import { failing, type GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import { cleanEnvironment } from '@onceover/testing/repo.ts';
import { told } from '@onceover/testing/told.ts';
import { describe, expect, test } from 'vitest';

const B_IS_ODD = failing('src/a.ts', 'export const b = 2;');
const oneReviewer = () => gateRepo({ agents: ['one'], numReviews: 1 });

describe('a foreign file at a path of onceover: exit 3, no calls, nothing written elsewhere', () => {
  const NOT_OURS = 'and onceover writes only to its own files and folders.';

  test.each([['.deepwork/logs'], ['.deepwork']])('a file at %s', async (path) => {
    const repo = oneReviewer();
    repo.write(path, 'mine\n');
    for (const args of [['run'], ['status'], ['clean']]) {
      expect.soft(told(await onceover(repo.root, args), 3)).toContain(`${path} is `);
    }
    expect(repo.calls()).toEqual([]);
  });

  test.each([['.deepwork/logs'], ['.git/onceover']])('a symlink at %s', async (path) => {
    const repo = oneReviewer();
    const elsewhere = linkAway(repo, path);
    expect(told(await repo.run(), 3)).toContain(`${path} is a symlink, ${NOT_OURS}`);
    expect([repo.calls(), readdirSync(elsewhere)]).toEqual([[], []]);
  });

  test('a symlink at .deepwork', async () => {
    const repo = oneReviewer();
    const elsewhere = linkAway(repo, '.deepwork');
    told(await repo.run(), 3);
    expect([repo.calls(), readdirSync(elsewhere)]).toEqual([[], []]);
  });

  test('a symlink at .deepwork is named as one', async () => {
    const repo = oneReviewer();
    linkAway(repo, '.deepwork');
    expect((await repo.run()).stderr).toContain(`.deepwork is a symlink, ${NOT_OURS}`);
  });

  test('a file at the path of a folder is named as a file', async () => {
    const repo = oneReviewer();
    repo.write('.deepwork/logs', 'mine\n');
    expect((await repo.run()).stderr).not.toContain('is a special file');
  });

  function linkAway(repo: GateRepo, path: string): string {
    const elsewhere = join(dirname(repo.root), 'elsewhere');
    mkdirSync(elsewhere);
    mkdirSync(dirname(join(repo.root, path)), { recursive: true });
    symlinkSync(elsewhere, join(repo.root, path));
    return elsewhere;
  }
});

describe('a folder without write permission', () => {
  const NOBODY = 65534;
  const isRoot = process.getuid?.() === 0;

  /** Runs as a user without root rights, who owns the test's folder. */
  function runAsUser(repo: GateRepo, ...args: string[]): CliEnd {
    const home = dirname(repo.root);
    if (isRoot) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, home]);
    const end = spawnSync(process.execPath, [CLI, ...args], {
      cwd: repo.root,
      env: cleanEnvironment(home),
      encoding: 'utf8',
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    return { code: end.status, stdout: end.stdout, stderr: end.stderr };
  }

  test('log_dir: exit 3 before any call, and status still shows open findings', async () => {
    const repo = oneReviewer();
    repo.answers('one', B_IS_ODD);
    expect(runAsUser(repo, 'run').code).toBe(1);
    const logs = join(repo.root, '.deepwork/logs');
    chmodSync(logs, 0o500);
    expect(told(runAsUser(repo, 'run'), 3)).toMatch(
      /\.deepwork\/logs\/\S+ could not be written: permission was denied \(EACCES\)/,
    );
    expect(repo.calls()).toHaveLength(1);
    expect(runAsUser(repo, 'status').stdout).toContain('F1  high');
    chmodSync(logs, 0o700);
    expect(runAsUser(repo, 'run').code).toBe(1);
    expect(repo.calls()).toHaveLength(2);
  });

  test('log_dir without read permission: exit 3, not "no records"', async () => {
    const repo = oneReviewer();
    runAsUser(repo, 'run');
    const logs = join(repo.root, '.deepwork/logs');
    chmodSync(logs, 0);
    expect(told(runAsUser(repo, 'run', '--fresh'), 3)).toContain('.deepwork/logs');
    chmodSync(logs, 0o700);
  });

  test('.git: exit 3 before any call', async () => {
    const repo = oneReviewer();
    runAsUser(repo, 'status');
    rmSync(join(repo.root, '.git/onceover'), { recursive: true });
    chmodSync(join(repo.root, '.git'), 0o500);
    told(runAsUser(repo, 'run'), 3);
    expect(repo.calls()).toEqual([]);
    chmodSync(join(repo.root, '.git'), 0o700);
  });

  test('a changed file without read permission: exit 3, not a review of the rest', async () => {
    const repo = oneReviewer();
    for (const path of ['src/a.ts', 'src/new.ts']) {
      repo.write(path, 'export const b = 2;\n');
      runAsUser(repo, 'status');
      chmodSync(join(repo.root, path), 0);
      expect.soft(told(runAsUser(repo, 'run'), 3)).toContain(path);
      chmodSync(join(repo.root, path), 0o600);
    }
    expect(repo.calls()).toEqual([]);
  });
});

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

// A full disk needs a small file system, which not every system lets users mount.
describe.skipIf(!canMount)('a disk that is full', () => {
  /** Runs where a folder of the repository is a disk of so many kilobytes. */
  function runOnSmallDisk(repo: GateRepo, folder: string, kilobytes: number): CliEnd {
    mkdirSync(join(repo.root, folder), { recursive: true });
    const script = `mount -t tmpfs -o size=${kilobytes}k none "$1" && exec "$2" "$3" run`;
    const end = spawnSync('unshare', ['-rm', 'sh', '-c', script, 'sh', folder, process.execPath, CLI], {
      cwd: repo.root,
      env: cleanEnvironment(dirname(repo.root)),
      encoding: 'utf8',
    });
    return { code: end.status, stdout: end.stdout, stderr: end.stderr };
  }

  test.each([
    ['.deepwork/logs', 4, 0],
    ['.deepwork/logs', 8, 2],
    ['.deepwork/logs', 16, 2],
    ['.git/onceover', 4, 0],
  ])('%s of %i kB: exit 3, and the next run works', async (folder, kilobytes, calls) => {
    const repo = gateRepo();
    repo.answers('two', B_IS_ODD, B_IS_ODD);
    const end = runOnSmallDisk(repo, folder, kilobytes);
    expect(told(end, 3)).toMatch(/could not be written: the disk is full \(ENOSPC\)/);
    expect([end.stdout, repo.calls().length]).toEqual(['', calls]);
    const next = await repo.document();
    expect(next).toMatchObject({ code: 1, status: 'failed', findings: [{ id: 'F1', state: 'open' }] });
    expect(next.findings).toHaveLength(1);
    expect(existsSync(join(repo.root, folder))).toBe(true);
  });
});
