import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onceover, onceoverJson } from '@onceover/testing/cli.ts';
import { gateRepo } from '@onceover/testing/gates.ts';
import { expect, test } from 'vitest';

/** A repository whose only agent has reached a limit for an hour. */
function limitedRepo() {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  const own = join(repo.root, '.git/onceover');
  mkdirSync(own, { recursive: true });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  writeFileSync(join(own, 'cooling.json'), JSON.stringify([{ agent: 'one', until, said: '429' }]));
  return repo;
}

test("a person's --force lifts a cooldown, --fresh and a run by an agent do not", async () => {
  const repo = limitedRepo();
  for (const args of [[], ['--fresh'], ['--force', '--started-by-agent']]) {
    const run = await repo.run(args);
    expect([args, run.code, repo.calls().length]).toEqual([args, 3, 0]);
    expect(run.stdout + run.stderr).toContain('has reached a limit');
    expect(run.stdout + run.stderr).toContain('"onceover doctor"');
  }
  expect(await repo.document(['--force'])).toMatchObject({ code: 0, status: 'passed' });
  expect(repo.calls()).toHaveLength(1);
});

test('doctor lifts a cooldown and says so', async () => {
  const repo = limitedRepo();
  const inside = await onceover(repo.root, ['doctor'], { env: { ONCEOVER_ACTIVE: '1' } });
  expect(inside.stdout).not.toContain('had reached a limit');
  const report = await onceoverJson<{ readonly lifted_cooldowns: readonly object[] }>(repo.root, ['doctor', '--json']);
  expect(report.lifted_cooldowns).toMatchObject([{ agent: 'one', said: '429' }]);
  expect(await repo.document()).toMatchObject({ code: 0, status: 'passed' });
});
