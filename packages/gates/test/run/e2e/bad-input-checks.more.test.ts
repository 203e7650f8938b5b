import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { processInfo } from '@onceover/base/platform/lock';
import { CLI } from '@onceover/testing/cli.ts';
import { type GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import { expect, onTestFinished, test } from 'vitest';

const REVIEW = '    reviews: { q: { prompt: .onceover/reviews/code-quality.md } }';

/** One check of src, and a review by one reviewer. */
function checkRepo(command: string, more = ''): GateRepo {
  const check = `{ run: ${JSON.stringify(command)}${more} }`;
  return gateRepo({ agents: ['one'], gates: `  - path: src\n    checks: { lint: ${check} }\n${REVIEW}` });
}

const LOG = 'check_src_lint.1.log';

test('a check that ignores its timeout is killed with its children, exit 1', async () => {
  const repo = checkRepo('trap "" TERM; sleep 3600 & echo $! > ../child; while :; do sleep 1; done', ', timeout: 1');
  const run = await repo.document();
  expect(run).toMatchObject({ code: 1, status: 'failed', dispatches: 0 });
  expect(run.gates.map(({ status, why }) => [status, why])).toEqual([
    ['fail', 'check-failed'],
    ['not_run', 'stopped-by-check'],
  ]);
  expect(run.stderr).toContain('check:src:lint: FAILED (did not end within 1 second)');
  expect(repo.log(LOG).at(-1)).toBe('Result: fail - did not end within 1 second');
  expect(await isAlive(Number(readFileSync(join(dirname(repo.root), 'child'), 'utf8')))).toBe(false);
});

test('a check that timed out is reported as such', async () => {
  const repo = checkRepo('sleep 3600', ', timeout: 1');
  const { stdout } = await repo.run();
  expect(stdout).toContain('did not end within 1 second');
});

test('a failed check has a next step', async () => {
  const { code, stdout } = await checkRepo('exit 1').run();
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining('Next: fix the failed check, then run "onceover run" again.'),
  ]);
});

test('a check that prints 50 MB shows the end, and its log stays small', async () => {
  const repo = checkRepo('yes 0123456789 | head -c 50000000; echo; echo LAST; exit 1');
  const run = await repo.document();
  expect(run.code).toBe(1);
  expect(run.gates[0]?.output?.endsWith('\n012345\nLAST')).toBe(true);
  expect(run.gates[0]?.output?.length).toBeLessThan(10_000);
  expect(statSync(join(repo.root, '.deepwork/logs', LOG)).size).toBeLessThan(20 * 1024 * 1024);
});

test('control characters of a check do not reach the terminal', async () => {
  const repo = checkRepo('printf "\\033[2Jred\\007\\n\\377\\000 end\\n"; exit 1');
  const { stdout } = await repo.run();
  expect(stdout).toContain('\\u001b[2Jred\\u0007\n');
  expect([...stdout].filter((one) => one < ' ' && one !== '\n')).toEqual([]);
});

test('a check that leaves a daemon behind does not block the run', async () => {
  const repo = checkRepo(
    'setsid sh -c "echo \\$\\$ > ../daemon; exec sleep 3600" & while ! [ -s ../daemon ]; do :; done',
  );
  const file = join(dirname(repo.root), 'daemon');
  onTestFinished(() => {
    if (existsSync(file)) process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
  });
  const run = await repo.document();
  expect(run).toMatchObject({ code: 0, status: 'passed' });
});

test('background processes of a check end with the check', async () => {
  const repo = checkRepo('sleep 3600 & echo $! > ../child');
  expect((await repo.run()).code).toBe(0);
  expect(await isAlive(Number(readFileSync(join(dirname(repo.root), 'child'), 'utf8')))).toBe(false);
});

test('a check that is missing, killed or waiting for input fails with its output', async () => {
  const rows: [command: string, shown: RegExp][] = [
    [
      'no-such-command-here',
      /FAILED {3}check:src:lint {2}no-such-command-here: exit code 127 \(command not found\)\n.+not found\n/,
    ],
    ['echo before; kill -9 $$', /FAILED {3}check:src:lint {2}.+: was ended by a signal\n {9}before\n/],
    ['read line || echo nothing to read; exit 4', /: exit code 4\n {9}nothing to read\n/],
  ];
  for (const [command, shown] of rows) {
    const { code, stdout } = await checkRepo(command).run();
    expect.soft([code, stdout]).toEqual([1, expect.stringMatching(shown)]);
  }
});

test('onceover inside a check refuses to run and says why', async () => {
  const repo = checkRepo(`${process.execPath} ${CLI} run`);
  const run = await repo.document();
  expect(run.code).toBe(1);
  expect(run.gates[0]?.output).toContain('ONCEOVER_ACTIVE is set');
  expect(repo.calls()).toEqual([]);
});

test('a check that changes files every time has no result, exit 3', async () => {
  const run = await checkRepo('date +%N >> src/generated.ts').document();
  expect([run.code, run.status]).toEqual([3, 'error']);
  expect(run.gates).toMatchObject([{ status: 'error', why: 'check-keeps-changing-files' }, { status: 'not_run' }]);
});

test('a check that removes the records does not cause a pass', async () => {
  const repo = checkRepo('rm -rf .deepwork');
  expect(await repo.document()).toMatchObject({ code: 0, status: 'passed', iteration: 1 });
  rmSync(join(repo.root, '.deepwork'), { recursive: true });
  expect(await repo.document()).toMatchObject({ code: 0, dispatches: 0 });
});

async function isAlive(pid: number): Promise<boolean> {
  return (await processInfo(pid)) !== null;
}
