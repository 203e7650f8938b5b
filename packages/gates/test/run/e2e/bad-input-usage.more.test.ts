import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, copyFileSync, existsSync, openSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CLI, onceover } from '@onceover/testing/cli.ts';
import { failing, type GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import { cleanEnvironment, temporaryFolder } from '@onceover/testing/repo.ts';
import { edit, GATE } from '@onceover/testing/slots.ts';
import { told, toldInJson } from '@onceover/testing/told.ts';
import { describe, expect, test } from 'vitest';

const B_IS_ODD = failing('src/a.ts', 'export const b = 2;');

/** One finding, F1, is open. */
async function failedRepo(): Promise<GateRepo> {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  repo.answers('one', B_IS_ODD);
  await repo.run();
  return repo;
}

test('wrong usage exits with 2, one sentence and one document, and runs nothing', async () => {
  const rows: [args: readonly string[], kind: string, said: string][] = [
    [['run', '--gate', 'nope'], 'unknown-gate', 'No gate is called "nope".'],
    [['run', '--gate', ''], 'unknown-gate', 'No gate is called "".'],
    [['run', '--base', 'nope'], 'unknown-base', 'The base "nope" is not a branch, tag or commit'],
    [['run', '--base=-x'], 'unknown-base', 'The base "-x" is not a branch, tag or commit'],
    [['run', '--commit', 'nope'], 'unknown-commit', '"nope" is not a commit of this repository.'],
    [['run', '--commit', 'main..work'], 'unknown-commit', '"main..work" is not a commit of this repository.'],
    [
      ['run', '--commit', 'HEAD', '--uncommitted'],
      'wrong-usage',
      '--commit and --uncommitted cannot be used together.',
    ],
    [['run', '--uncommitted', '--files', 'src'], 'wrong-usage', '--uncommitted and --files cannot be used together.'],
    [['run', '--base', 'main', '--commit', 'HEAD'], 'wrong-usage', '--base cannot be used with --commit.'],
    [['run', '--frobnicate'], 'wrong-usage', 'Unknown option "--frobnicate"'],
    [['run', '../x'], 'path-outside', '../x is outside the repository.'],
    [['run', '/etc'], 'path-outside', '/etc is outside the repository.'],
    [['run', '--files', '.git/config'], 'path-outside', '.git/config is outside the repository.'],
    [['status', '--base', 'nope'], 'unknown-base', 'The base "nope" is not'],
    [['resolve', 'F9', '--fixed'], 'unknown-finding', 'There is no finding "F9".'],
    [['resolve', '../F1', '--fixed'], 'unknown-finding', 'There is no finding "../F1".'],
    [['resolve', 'F1'], 'wrong-usage', 'Use --fixed, --skip with a reason, or --confirm.'],
    [['resolve', 'F1', '--fixed', '--skip', 'why'], 'wrong-usage', 'Use --fixed, --skip with a reason, or --confirm.'],
    [['resolve', 'F1', '--skip', ''], 'wrong-usage', '--skip needs a reason.'],
    [['resolve', 'F1', '--skip', ' \n'], 'wrong-usage', '--skip needs a reason.'],
    [['explain', 'nope'], 'unknown-subject', '"nope" is not a gate, reviewer, finding or review id.'],
    [['explain', 'F9'], 'unknown-finding', 'There is no finding "F9".'],
    [['explain', `${GATE}@9`], 'unknown-subject', 'is not a gate, reviewer, finding or review id.'],
  ];
  const repo = await failedRepo();
  const records = repo.records();
  for (const [args, kind, said] of rows) {
    const error = toldInJson(await onceover(repo.root, [...args, '--json']), 2);
    expect.soft(error).toMatchObject({ kind, message: expect.stringContaining(said) });
  }
  expect([repo.calls().length, repo.records()]).toEqual([1, records]);
  expect((await onceover(repo.root, ['status', '--json'])).stdout).toContain('"state": "open"');
});

test.each([[`review:docs:code-quality`], ['a:code-quality:b'], ['check:src:code-quality']])(
  '--gate %s, which is no gate: exit 2',
  async (gate) => {
    const repo = gateRepo();
    expect((await repo.run(['--gate', gate, '--dry-run'])).code).toBe(2);
  },
);

describe('paths', () => {
  test('without a gate or a change leave nothing to review, exit 0', async () => {
    const repo = gateRepo();
    for (const args of [['README.md'], ['--files', 'README.md']]) {
      const run = await repo.document(args);
      expect.soft([run.code, run.iteration, run.gates]).toEqual([0, null, []]);
    }
    expect(repo.calls()).toEqual([]);
  });

  test('without a gate are named, and the next step is not onceover init', async () => {
    const { stdout } = await gateRepo().run(['README.md']);
    expect(stdout).toContain('README.md');
    expect(stdout).not.toContain('onceover init');
  });

  test('that have not changed are described as a part of the change', async () => {
    const { stdout } = await gateRepo().run(['--files', 'README.md']);
    expect(stdout).not.toContain('no changes since main');
  });

  test('that do not exist are reported', async () => {
    const { stdout, stderr } = await gateRepo().run(['scr']);
    expect(stdout + stderr).toMatch(/\bscr\b/);
  });

  test('are relative to the working directory', async () => {
    const repo = gateRepo({ agents: ['one'], numReviews: 1 });
    const run = await onceover(join(repo.root, 'src'), ['run', 'a.ts', '--json'], {
      env: cleanEnvironment(dirname(repo.root)),
    });
    expect(JSON.parse(run.stdout)).toMatchObject({ status: 'passed', gates: [{ id: GATE, status: 'pass' }] });
    const outside = await onceover(join(repo.root, 'src'), ['run', '../../x']);
    expect(told(outside, 2)).toContain('../../x is outside the repository.');
  });

  test('--files - reads a list from standard input', async () => {
    const repo = gateRepo({ agents: ['one'], numReviews: 1 });
    repo.write('src/other.ts', 'other\n');
    for (const input of ['', 'src/nope.ts\n']) expect((await repo.run(['--files', '-'], { input })).code).toBe(2);
    const input = 'src/a.ts\nREADME.md\n';
    expect(await repo.document(['--files', '-'], { input })).toMatchObject({ code: 0, status: 'passed' });
    const [call, ...more] = repo.calls();
    expect(more).toEqual([]);
    expect([call?.prompt.includes('src/a.ts'), call?.prompt.includes('src/other.ts')]).toEqual([true, false]);
    // Names with NUL between them are the same list.
    const again = await repo.document(['--files', '-'], { input: 'src/a.ts\0README.md\0' });
    expect(again).toMatchObject({ code: 0, dispatches: 0 });
    expect(toldInJson(await repo.run(['--files', '-', '--json'], { input: '../x\n' }), 2).kind).toBe('path-outside');
  });
});

test('an incomplete list on standard input exits with 3 and runs nothing', () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  for (const args of [
    ['run', '--files', '-'],
    ['instructions', '-'],
    ['rules', '-'],
  ]) {
    const folder = openSync(repo.root, 'r');
    const end = spawnSync(process.execPath, [CLI, ...args], {
      cwd: repo.root,
      env: cleanEnvironment(dirname(repo.root)),
      encoding: 'utf8',
      stdio: [folder, 'pipe', 'pipe'],
    });
    closeSync(folder);
    expect.soft(told({ code: end.status, stderr: end.stderr }, 3)).toContain('could not be read to its end');
  }
  expect(repo.calls()).toEqual([]);
});

test('resolving a closed finding exits with 2', async () => {
  const repo = await failedRepo();
  edit(repo, 3);
  expect((await repo.run()).code).toBe(0);
  for (const word of [['--fixed'], ['--skip', 'why']]) {
    expect.soft(told(await onceover(repo.root, ['resolve', 'F1', ...word]), 2)).toContain('F1');
  }
  const explained = await onceover(repo.root, ['explain', 'F1']);
  expect([explained.code, explained.stdout]).toEqual([0, expect.stringContaining('F1')]);
});

test('resolving a closed finding says that it is closed', async () => {
  const repo = await failedRepo();
  edit(repo, 3);
  await repo.run();
  const { stderr } = await onceover(repo.root, ['resolve', 'F1', '--fixed']);
  expect(stderr).not.toContain('There is no finding');
});

test('explain with an ambiguous name lists both gates', async () => {
  const review = '{ prompt: .onceover/reviews/code-quality.md }';
  const gates = `  - path: src\n    checks: { q: { run: "true" } }\n    reviews: { q: ${review} }`;
  const { stderr } = await onceover(gateRepo({ gates }).root, ['explain', 'q']);
  expect(stderr).toMatch(/check:src:q.*review:src:q/s);
});

test('clean without records archives and writes nothing', async () => {
  const repo = gateRepo();
  const end = await onceover(repo.root, ['clean']);
  expect([end.code, end.stdout]).toEqual([0, 'There are no records to archive.\n']);
  const json = await onceover(repo.root, ['clean', '--json']);
  expect(JSON.parse(json.stdout)).toEqual({ archived_iterations: 0, open_findings: [] });
  expect(existsSync(join(repo.root, '.deepwork'))).toBe(false);
});

describe('--json prints one document and nothing else', () => {
  test('for commands that succeed', async () => {
    const repo = await failedRepo();
    const rows: [args: readonly string[], code: number][] = [
      [['status'], 1],
      [['run', '--dry-run'], 1],
      [['explain', GATE], 0],
      [['explain', `${GATE}@1`, '--prompt'], 0],
      [['explain', 'F1'], 0],
      [['trust'], 0],
      [['resolve', 'F1', '--skip', 'why'], 0],
      [['clean'], 0],
    ];
    for (const [args, code] of rows) {
      const end = await onceover(repo.root, [...args, '--json']);
      expect.soft([end.code, end.stderr], args.join(' ')).toEqual([code, '']);
      expect.soft(JSON.parse(end.stdout), args.join(' ')).toBeTypeOf('object');
    }
  });

  test('for commands outside of a repository', async () => {
    const folder = temporaryFolder();
    for (const args of ['run', 'run --dry-run', 'status', 'clean', 'trust', 'resolve F1 --fixed', 'explain x']) {
      const end = await onceover(folder, [...args.split(' '), '--json']);
      expect.soft(toldInJson(end, 3).kind, args).toBe('not-a-repository');
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a reader that closes the pipe', () => {
  const env = (repo: GateRepo) => cleanEnvironment(dirname(repo.root));

  test('does not change the exit code', async () => {
    const repo = gateRepo({ agents: ['one'], numReviews: 1 });
    const long = failing('src/a.ts', 'export const b = 2;', { issue: 'long '.repeat(100_000) });
    repo.answers('one', long);
    const script = '{ "$0" "$1" run --json; echo "exit $?" >&2; } | head -1';
    const end = spawnSync('sh', ['-c', script, process.execPath, CLI], {
      cwd: repo.root,
      env: env(repo),
      encoding: 'utf8',
    });
    expect([end.stdout, end.stderr.trimEnd().split('\n').at(-1)]).toEqual(['{\n', 'exit 1']);
  });

  test('may close stdout and stderr from the start', async () => {
    const repo = gateRepo({ agents: ['one'], numReviews: 1 });
    const script = '"$0" "$1" run >&- 2>&-; echo "exit $?"';
    const said = execFileSync('sh', ['-c', script, process.execPath, CLI], {
      cwd: repo.root,
      env: env(repo),
      encoding: 'utf8',
    });
    expect([said, repo.calls().length]).toEqual(['exit 0\n', 1]);
  });

  test('on a full disk gets exit 3 and a sentence', { skip: !existsSync('/dev/full') }, async () => {
    const repo = gateRepo({ agents: ['one'], numReviews: 1 });
    const full = openSync('/dev/full', 'w');
    const end = spawnSync(process.execPath, [CLI, 'status'], {
      cwd: repo.root,
      env: env(repo),
      encoding: 'utf8',
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    expect(told({ code: end.status, stderr: end.stderr }, 3)).toContain('The result could not be written (ENOSPC)');
  });
});

describe('a system without resources', () => {
  test('that cannot load a module: exit 3, a sentence, one document', () => {
    const folder = temporaryFolder();
    copyFileSync(CLI, join(folder, 'cli.cjs'));
    for (const args of [['run'], ['status', '--json'], ['phase', 'specify', 'docs/f', '--json']]) {
      const end = spawnSync(process.execPath, [join(folder, 'cli.cjs'), ...args], { cwd: folder, encoding: 'utf8' });
      const { status: code, stdout, stderr } = end;
      const said = 'A part of onceover could not be loaded, so no gate ran: ';
      expect.soft(told({ code, stderr }, 3)).toContain(said);
      if (args.includes('--json'))
        expect.soft(toldInJson({ code, stdout, stderr }, 3)).toMatchObject({ kind: 'not-loaded' });
    }
  });

  test('without file handles: exit 3, and git is not reported as missing', () => {
    const repo = gateRepo({ agents: ['one'], numReviews: 1 });
    const script = 'ulimit -n 26; exec "$0" "$1" run';
    const end = spawnSync('sh', ['-c', script, process.execPath, CLI], {
      cwd: repo.root,
      env: cleanEnvironment(dirname(repo.root)),
      encoding: 'utf8',
    });
    const said = told({ code: end.status, stderr: end.stderr }, 3);
    expect([said.includes('was not found'), said.includes('EMFILE')]).toEqual([false, true]);
  });
});

test('inside a run nothing is reviewed, exit 3', async () => {
  const repo = gateRepo();
  const end = await repo.run(['--json'], { env: { ONCEOVER_ACTIVE: '1' } });
  expect(toldInJson(end, 3)).toMatchObject({
    kind: 'inside-a-run',
    message: expect.stringContaining('ONCEOVER_ACTIVE'),
  });
  expect(repo.calls()).toEqual([]);
});
