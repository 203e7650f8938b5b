import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processInfo } from '@onceover/base/platform/lock';
import { onceover } from '@onceover/testing/cli.ts';
import { failing, type GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import { asked, slotsIn } from '@onceover/testing/slots.ts';
import { type Started, startOnceover } from '@onceover/testing/told.ts';
import { describe, expect, onTestFinished, test } from 'vitest';

const B_IS_ODD = failing('src/a.ts', 'export const b = 2;');

/** The second reviewer has answered, the first is still looking, and goes on until it is ended. */
async function halfway(args: readonly string[] = []): Promise<{ repo: GateRepo; run: Started; looking: number }> {
  const repo = gateRepo();
  const file = join(dirname(repo.root), 'looking');
  repo.answers('one', { $run: `echo $$ > ${file}; exec sleep 600` });
  repo.answers('two', B_IS_ODD);
  onTestFinished(() => endProcess(pidIn(file)));
  const run = startOnceover(repo.root, ['run', ...args]);
  await run.said('reviewer 2 (two): FAILED');
  while (pidIn(file) === 0) await sleep(20);
  return { repo, run, looking: pidIn(file) };
}

describe.each(['SIGINT', 'SIGTERM'] as const)('%s', (signal) => {
  test('during a review: exit 130, no process is left, and the next run continues', async () => {
    const { repo, run, looking } = await halfway();
    run.child.kill(signal);
    const end = await run.ended;
    expect([end.code, end.stdout]).toEqual([130, '']);
    expect(end.stderr).toContain('onceover: Interrupted');
    expect([await isAlive(looking), locks(repo)]).toEqual([false, []]);
    expect(repo.records().filter((name) => name.includes('@'))).toEqual([
      'review_src_code-quality_two@2.1.json',
      'review_src_code-quality_two@2.1.log',
    ]);
    repo.forget();
    repo.write('src/a.ts', 'export const a = 1;\nexport const b = 3;\n');
    const next = await repo.document();
    expect([next.code, next.iteration, asked(repo)]).toEqual([0, 2, ['one', 'two']]);
    expect([slotsIn(next), next.findings]).toEqual([
      ['@1 pass', '@2 pass'],
      [expect.objectContaining({ state: 'closed' })],
    ]);
  });
});

test('SIGINT during a check: exit 130, the check ends and leaves no record', async () => {
  const gates = '  - path: src\n    checks: { slow: { run: "echo $$ > ../looking; exec sleep 600" } }';
  const repo = gateRepo({ gates });
  const file = join(dirname(repo.root), 'looking');
  onTestFinished(() => endProcess(pidIn(file)));
  const run = startOnceover(repo.root, ['run']);
  while (pidIn(file) === 0) await sleep(20);
  run.child.kill('SIGINT');
  expect((await run.ended).code).toBe(130);
  expect([await isAlive(pidIn(file)), locks(repo), repo.records()]).toEqual([false, [], []]);
});

test('SIGINT with --json prints one document', async () => {
  const { run } = await halfway(['--json']);
  run.child.kill('SIGINT');
  expect(JSON.parse((await run.ended).stdout)).toBeTypeOf('object');
});

test('SIGINT names what was kept and the next step', async () => {
  const { run } = await halfway();
  run.child.kill('SIGINT');
  const { stderr } = await run.ended;
  expect(stderr.slice(stderr.indexOf('onceover: Interrupted'))).toMatch(/Run the same command again to continue\./);
});

test('SIGHUP leaves no process', async () => {
  const { repo, run, looking } = await halfway();
  run.child.kill('SIGHUP');
  await run.ended;
  expect([await isAlive(looking), locks(repo)]).toEqual([false, []]);
});

test('a second run exits with 3, names the owner of the lock, and does not disturb the first', async () => {
  const { repo, run } = await halfway();
  const second = await repo.run();
  expect([second.code, second.stdout]).toEqual([3, '']);
  expect(second.stderr).toContain(`Another run is in progress in this working tree (process ${run.child.pid} on `);
  const cleaned = await onceover(repo.root, ['clean']);
  expect([cleaned.code, cleaned.stdout]).toEqual([3, '']);
  // To look is always allowed.
  expect((await onceover(repo.root, ['status'])).stdout).toContain('F1  high');
  run.child.kill('SIGINT');
  expect((await run.ended).code).toBe(130);
});

test('a second run with --json has status lock_conflict', async () => {
  const { repo } = await halfway();
  expect(await repo.document()).toMatchObject({ code: 3, status: 'lock_conflict' });
});

test('after SIGKILL at any point the next run works and reports the truth', async () => {
  const repo = gateRepo({ more: 'max_retries: 100' });
  // The answer depends on the file alone, because a reviewer left over from a killed run may still be reading.
  const judge = join(dirname(repo.root), 'judge.mjs');
  writeFileSync(judge, JUDGE);
  const settings = readFileSync(join(repo.root, 'onceover.yml'), 'utf8');
  repo.write('onceover.yml', settings.replace(/command: \[[^\]]+\]/g, `command: [node, ${judge}]`));
  const index = () => readFileSync(join(repo.root, '.git/index')).toString('base64');
  const before = index();
  const began = Date.now();
  expect((await repo.document()).code).toBe(1);
  const whole = Date.now() - began;
  for (let nth = 0; nth < 6; nth++) {
    const run = startOnceover(repo.root, ['run', '--fresh']);
    await sleep((whole * (nth + Math.random())) / 6);
    run.child.kill('SIGKILL');
    await run.ended;
  }
  // Nothing was fixed, so it must not pass, whatever was lost. Each reviewer has one finding per problem.
  const after = await repo.document();
  expect(after).toMatchObject({ code: 1, status: 'failed' });
  expect(after.findings.map(({ slot, state }) => [slot, state]).sort()).toEqual([
    [1, 'open'],
    [2, 'open'],
  ]);
  repo.write('src/a.ts', 'export const a = 1;\n// fixed\n');
  expect(await repo.document()).toMatchObject({ code: 0, status: 'passed' });
  expect(await repo.document()).toMatchObject({ code: 0, dispatches: 0 });
  expect([index() === before, existsSync(join(repo.root, '.git/index.lock')), locks(repo)]).toEqual([true, false, []]);
  expect(repo.git('fsck', '--connectivity-only').trim()).not.toMatch(/missing|broken/);
});

test('SIGINT while an answer with 4,000 findings is handled: exit 130 soon, nothing is left, and nothing passes', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1, more: 'max_retries: 100' });
  const lines = Array.from({ length: 4000 }, (_, n) => `export const v${n} = ${n};`);
  repo.write('src/a.ts', `${lines.join('\n')}\n`);
  const violations = lines.flatMap((line, n) => failing('src/a.ts', line, { line: n + 1 }).violations ?? []);
  const answered = join(dirname(repo.root), 'answered');
  const start = async () => {
    repo.answers('one', { status: 'fail', violations, $run: `touch ${answered}` });
    rmSync(answered, { force: true });
    const run = startOnceover(repo.root, ['run']);
    while (!existsSync(answered)) await sleep(5);
    return run;
  };
  const endOf = async (run: Started) => {
    const since = Date.now();
    return { ...(await run.ended), ms: Date.now() - since };
  };
  const whole = await endOf(await start());
  expect(whole.code).toBe(1);
  rmSync(join(repo.root, '.git/onceover'), { recursive: true });

  for (const share of [0.2, 0.7]) {
    const run = await start();
    await sleep(whole.ms * share);
    run.child.kill('SIGINT');
    const end = await endOf(run);
    expect([end.code, end.signal, end.stdout]).toEqual([130, null, '']);
    expect(end.ms).toBeLessThan(Math.max(5000, whole.ms / 2));
    expect([locks(repo), filesBelow(repo.root).filter((name) => /(?:^|\/)\.onceover-/.test(name))]).toEqual([[], []]);
    expect((await onceover(repo.root, ['status'], { timeoutMs: 60_000 })).code).toBe(1);
  }
  const last = await endOf(await start());
  expect([last.code, last.stdout]).toEqual([1, expect.stringContaining('Failed: 4000 open findings in 1 gate')]);
}, 300_000);

const JUDGE = `import { readFileSync } from 'node:fs';
for await (const _ of process.stdin);
const line = 'export const b = 2;';
const isThere = readFileSync('src/a.ts', 'utf8').includes(line);
const violation = { file: 'src/a.ts', line: 2, code: line, issue: 'b is odd', priority: 'high' };
console.log(JSON.stringify({ status: isThere ? 'fail' : 'pass', violations: isThere ? [violation] : [] }));
`;

/** Files by which locks are held. */
function locks(repo: GateRepo): readonly string[] {
  return filesBelow(join(repo.root, '.git/onceover/locks')).filter((name) => name.endsWith('.json'));
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' });
}

function pidIn(file: string): number {
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
}

async function isAlive(pid: number): Promise<boolean> {
  return (await processInfo(pid)) !== null;
}

async function endProcess(pid: number): Promise<void> {
  if (pid > 1 && (await isAlive(pid))) process.kill(pid, 'SIGKILL');
}
