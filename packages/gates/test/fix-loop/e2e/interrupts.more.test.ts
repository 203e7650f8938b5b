import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processInfo } from '@onceover/base/platform/lock';
import { errorDocumentSchema } from '@onceover/onceover/src/cli/error-schema.ts';
import { fix, fixRepo, locksOf, objection, UNTIL_PASS, write } from '@onceover/testing/fixing.ts';
import { type GateRepo, PASS, type ScriptedAnswer } from '@onceover/testing/gates.ts';
import { type Started, startOnceover } from '@onceover/testing/told.ts';
import { expect, onTestFinished, test } from 'vitest';

const B2 = 'export const b = 2;';
const B3 = 'export const b = 3;';

/** An agent that works and does not end by itself. */
function endless(repo: GateRepo, before = 'true'): ScriptedAnswer {
  return { $run: `${before}; echo $$ > ${fileOf(repo)}; exec sleep 600` };
}

const fileOf = (repo: GateRepo) => join(dirname(repo.root), 'working');
const pidIn = (file: string) => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);

/** Starts the loop, waits until the endless agent has started, and interrupts. */
async function interrupted(repo: GateRepo, args: readonly string[] = []): Promise<Awaited<Started['ended']>> {
  const run = startOnceover(repo.root, ['run', ...UNTIL_PASS, ...args]);
  while (pidIn(fileOf(repo)) === 0) await sleep(20);
  const pid = pidIn(fileOf(repo));
  onTestFinished(async () => {
    if (pid > 1 && (await processInfo(pid)) !== null) process.kill(pid, 'SIGKILL');
  });
  run.child.kill('SIGINT');
  const end = await run.ended;
  expect(end.code).toBe(130);
  expect([await processInfo(pid), locksOf(repo)]).toEqual([null, []]);
  return end;
}

test('Ctrl-C while the fixer works: what it changed stays, and the next loop goes on', async () => {
  const repo = fixRepo();
  repo.answers('one', objection(B2), PASS);
  repo.answers('two', endless(repo, write(B3)));
  const end = await interrupted(repo);
  expect(end.stdout).toBe('');
  expect(end.stderr).toContain("Interrupted. The fixer's edits are in the working tree. Run again to continue.");
  expect(end.stderr).toContain('Round 1: failed, 1 call, 1 open\nFix 1: two, new session: was stopped\n');
  expect(readFileSync(join(repo.root, 'src/a.ts'), 'utf8')).toContain(B3);
  const next = await repo.run(UNTIL_PASS);
  expect(next.code).toBe(0);
  expect([repo.calls('one').length, repo.calls('two').length]).toEqual([2, 1]);
});

test('Ctrl-C while a reviewer looks after a fix: the next loop goes on with that review', async () => {
  const repo = fixRepo();
  repo.answers('one', objection(B2), endless(repo), PASS);
  repo.answers('two', fix(write(B3), ['F1 fixed b is three']));
  const end = await interrupted(repo);
  expect(end.stderr).toContain("The fixer's edits are in the working tree.");
  const next = await repo.run(UNTIL_PASS);
  expect(next.code).toBe(0);
  // The fixer's answer is not lost.
  expect(repo.calls('one').at(-1)?.prompt).toContain('claimed to be fixed: b is three');
});

test('Ctrl-C before anything was fixed', async () => {
  const repo = fixRepo();
  repo.answers('one', endless(repo));
  const end = await interrupted(repo);
  expect(end.stderr).toContain('Interrupted before anything was fixed. Run again to continue.');
});

test('Ctrl-C with --json: one document, with the rounds so far', async () => {
  const repo = fixRepo();
  repo.answers('one', objection(B2));
  repo.answers('two', endless(repo));
  const end = await interrupted(repo, ['--json']);
  expect(errorDocumentSchema.strict().parse(JSON.parse(end.stdout))).toMatchObject({
    error: { kind: 'interrupted' },
    loop: { end: 'interrupted', rounds: [{ open: ['F1'], fix: { failure: 'cancelled' } }] },
  });
});

test('a second run while the fixer works: the lock is held', async () => {
  const repo = fixRepo();
  repo.answers('one', objection(B2));
  repo.answers('two', endless(repo));
  const run = startOnceover(repo.root, ['run', ...UNTIL_PASS]);
  while (pidIn(fileOf(repo)) === 0) await sleep(20);
  const second = await repo.run();
  expect([second.code, second.stderr]).toEqual([
    3,
    expect.stringContaining('Another run is in progress in this working tree'),
  ]);
  run.child.kill('SIGINT');
  expect((await run.ended).code).toBe(130);
});
