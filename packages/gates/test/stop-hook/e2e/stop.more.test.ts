import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { failing, gateRepo, PASS, waive } from '@onceover/testing/gates.ts';
import { hookRepo, isFromMemory, markMemory, startedRuns, stop } from '@onceover/testing/hook.ts';
import { describe, expect, test } from 'vitest';

const BAD = 'export const b = 2;';
const OBJECTION = failing('src/a.ts', BAD, { line: 2, fix: 'take it out' });
const FREE = { blocked: null, message: null };

describe('an agent that stops', () => {
  test('may stop without a message if the gates pass, and no reviewer runs twice', async () => {
    const repo = await hookRepo();
    expect(await stop(repo)).toMatchObject(FREE);
    expect(repo.calls()).toHaveLength(1);
    expect(await stop(repo)).toMatchObject(FREE);
    expect(repo.calls()).toHaveLength(1);
    markMemory(repo);
    expect(isFromMemory(await stop(repo))).toBe(true);
    repo.write('sub/folder/x.txt', '');
    repo.git('clean', '-qfd', 'sub');
    expect(isFromMemory(await stop(repo, { cwd: join(repo.root, 'src') }))).toBe(true);
    symlinkSync(repo.root, `${repo.root}-link`);
    expect(isFromMemory(await stop(repo, { cwd: `${repo.root}-link/src` }))).toBe(true);
  });

  test('is held back with the findings, is looked at again after a fix, and let go once it passes', async () => {
    const repo = await hookRepo();
    repo.answers('one', OBJECTION, PASS);
    const { blocked } = await stop(repo);
    expect(blocked).toContain('id: F1\npriority: high\nplace: src/a.ts:2\n');
    expect(blocked).toContain(`code: ${BAD}\nissue: something is wrong with ${BAD}\nfix: take it out\n`);
    expect(blocked).toContain('"onceover resolve ID --skip WHY"');
    expect((await stop(repo, { again: true })).blocked).toBe(blocked);
    expect(repo.calls()).toHaveLength(1);

    repo.write('src/a.ts', 'export const a = 1;\nexport const c = 2;\n');
    expect(await stop(repo, { again: true })).toMatchObject(FREE);
    expect(repo.calls()).toHaveLength(2);
    expect(await stop(repo, { again: true })).toMatchObject(FREE);
    expect(repo.calls()).toHaveLength(2);
    expect((await onceover(repo.root, ['status'])).code).toBe(0);
  });

  test('what failed and is as it was is not asked about again, by whatever it was found', async () => {
    const repo = await hookRepo();
    repo.answers('one', OBJECTION);
    expect((await repo.run()).code).toBe(1);
    expect((await stop(repo)).blocked).toContain('id: F1\n');
    expect(repo.calls()).toHaveLength(1);
    await waive(repo, 'F1', 'it is needed');
    expect(await stop(repo)).toMatchObject(FREE);
    expect(repo.calls()).toHaveLength(1);
  });

  test('is blocked three times without progress, then may stop with a message to the user', async () => {
    const repo = await hookRepo();
    const both = {
      status: 'fail',
      violations: [OBJECTION.violations?.[0], failing('src/a.ts', 'export const a = 1;').violations?.[0]],
    } as const;
    const still = {
      status: 'fail',
      previous: [
        { id: 'F1', state: 'fixed', why: '' },
        { id: 'F2', state: 'open', why: '' },
      ],
    };
    repo.answers('one', both as object, { ...still, violations: [] } as object);
    for (let n = 1; n <= 3; n++) expect((await stop(repo)).blocked, `stop ${n}`).toContain('id: F2\n');
    const fourth = await stop(repo);
    expect(fourth).toMatchObject({ blocked: null });
    expect(fourth.message).toMatch(/after 3 blocks without progress\. Not passed: F1, F2\. Run "onceover status"/);
    expect((await stop(repo)).blocked).toBeNull();
    // Another session has its own count.
    expect((await stop(repo, { session: 'S2' })).blocked).toContain('id: F1\n');
    expect(repo.calls()).toHaveLength(1);
    // One of two is fixed: that is progress.
    repo.write('src/a.ts', 'export const a = 1;\nexport const c = 2;\n');
    expect((await stop(repo)).blocked).toContain('id: F2\npriority: high\n');
    expect(repo.calls()).toHaveLength(2);
    expect((await onceover(repo.root, ['status'])).code).toBe(1);
  });

  test("a failing check blocks it with the command's output, and no reviewer runs", async () => {
    const gates = `  - path: src
    checks:
      lint: { run: "cat lint-says; ! grep -q const.b src/a.ts" }
    reviews:
      code-quality: { prompt: .onceover/reviews/code-quality.md }`;
    const repo = await hookRepo({ gates, files: { 'lint-says': 'no ``` here\n' } });
    const { blocked } = await stop(repo);
    expect(blocked).toMatch(/^check:src:lint fails: .*exit code 1$/m);
    expect(blocked).toContain('````\n  no ``` here\n````');
    expect(blocked).toContain('run "onceover run" before you stop');
    expect((await stop(repo)).blocked).toBe(blocked);
    expect(repo.calls()).toHaveLength(0);
    repo.write('src/a.ts', 'export const a = 1;\nexport const c = 2;\n');
    expect(await stop(repo)).toMatchObject(FREE);
    expect(repo.calls()).toHaveLength(1);
  });

  test('a change of nothing is let go', async () => {
    const repo = await hookRepo();
    repo.write('src/a.ts', 'export const a = 1;\n');
    expect(await stop(repo)).toMatchObject(FREE);
    markMemory(repo);
    expect(isFromMemory(await stop(repo))).toBe(true);
    expect(repo.calls()).toHaveLength(0);
  });

  test('a review that outlasts a stop continues; the next stop waits for it and starts no second one', async () => {
    const repo = await hookRepo();
    repo.answers('one', { ...OBJECTION, $sleep: 2500 });
    const first = await stop(repo, { deadline: 1 });
    expect(first.blocked).toMatch(/^The review of your change is still running\..* stop again\.$/);
    expect(first.ms).toBeLessThan(2500 + 1000);
    const second = await stop(repo, { deadline: 20, again: true });
    expect(second.blocked).toContain('id: F1\n');
    expect([repo.calls().length, startedRuns(repo)]).toEqual([1, 1]);
  });

  test('does not run commands that the user has not approved', async () => {
    const repo = gateRepo({ agents: ['one'], numReviews: 1 });
    const first = await stop(repo);
    expect(first.blocked).toBeNull();
    expect(first.message).toContain('onceover trust');
    expect((await stop(repo)).message).toBe(first.message);
    expect(repo.calls()).toHaveLength(0);
    expect((await onceover(repo.root, ['trust'])).code).toBe(0);
    expect(await stop(repo)).toMatchObject(FREE);
    expect(repo.calls()).toHaveLength(1);
  });

  test('whatever onceover itself has started', async () => {
    const repo = await hookRepo();
    repo.answers('one', OBJECTION);
    expect(await stop(repo, { env: { ONCEOVER_ACTIVE: '1' } })).toMatchObject(FREE);
    expect(repo.calls()).toHaveLength(0);
  });
});
