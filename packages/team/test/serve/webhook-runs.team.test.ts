import { failing } from '@onceover/testing/gates.ts';
import { sqlAt } from '@onceover/testing/postgres.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { type ForgeKind, startServer } from '@onceover/testing/server.ts';
import { spawnWorker } from '@onceover/testing/workers.ts';
import { describe, expect, test } from 'vitest';

describe.each<ForgeKind>(['github', 'gitlab'])('a webhook of %s', (forge) => {
  test('leads to a published result: a failure with a thread, then the fix', async () => {
    const server = await startServer({ forge, workers: 0 });
    const { world, agent } = server;
    const worker = () => spawnWorker(server.store, agent, temporaryFolder(), ['--concurrency', '1']).ready;
    await Promise.all([worker(), worker()]);
    const slowly = { $sleep: 1500 };
    agent.answers(
      { ...failing('src/a.js', 'export const b = 2;', { line: 2 }), ...slowly },
      { status: 'pass', violations: [], ...slowly },
    );
    const delivery = await server.webhook();
    expect(delivery).toMatchObject({ status: 202, body: { result: 'queued' } });
    expect(await server.ended(delivery.body.run)).toMatchObject({ outcome: 'failed', pull: `${forge}:house/shop#7` });
    expect(agent.calls()).toHaveLength(2);
    const workers = await sqlAt(server.store)('SELECT count(DISTINCT worker)::int AS n FROM onceover.call_starts');
    expect(workers).toEqual([{ n: 2 }]);
    expect(world.data.threads).toMatchObject([{ path: 'src/a.js', line: 2, resolvedBy: null }]);
    expect(world.data.comments[0]?.body).toContain('onceover: 1 problem to fix');
    const overall = () =>
      world.data.checks.filter(({ sha, name }) => sha === world.data.head && name === 'onceover / main');
    expect(overall()).toMatchObject([{ conclusion: 'pending' }, { conclusion: 'failure' }]);

    server.push('src/a.js', 'export const a = 1;\nexport const b = 3;\n');
    expect(overall()).toEqual([]);
    agent.answers({ status: 'pass', violations: [], previous: [{ id: 'F1', state: 'fixed', why: 'it is 3' }] });
    const again = await server.webhook();
    expect(await server.ended(again.body.run)).toMatchObject({ outcome: 'passed' });
    expect(overall()).toMatchObject([{ conclusion: 'pending' }, { conclusion: 'success' }]);
    expect(world.data.threads[0]?.resolvedBy).toBe(world.viewer);
    expect(server.wrong).toEqual([]);
  }, 120_000);
});
