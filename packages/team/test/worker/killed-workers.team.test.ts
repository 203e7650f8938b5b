import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RunDocument } from '@onceover/gates/result/json';
import { onceover } from '@onceover/testing/cli.ts';
import { databaseOfTest, sqlAt } from '@onceover/testing/postgres.ts';
import { repoWith, type TestRepo, temporaryFolder } from '@onceover/testing/repo.ts';
import { spawnWorker } from '@onceover/testing/workers.ts';
import { expect, test } from 'vitest';

const AGENT = resolve(import.meta.dirname, '../../../../test/support/judging-agent.mjs');

const isFull = process.env['ONCEOVER_TEAM'] === 'all';

const CLIENTS = isFull ? 10 : 3;
const REVIEWS = isFull ? 50 : 16;
const KILLS = isFull ? 100 : 10;

const numbers = Array.from({ length: REVIEWS }, (_, n) => n + 1);

const verdictOf = (n: number) => (n % 3 === 0 ? 'fail' : 'pass');

const lines = (count: number) => numbers.slice(0, count).map((n) => `export const case${n} = ${n};\n`);

/** Makes a repository in which review n says whether case n passes. */
function repoWithReviews(settings: string, client: number): TestRepo {
  const reviews = numbers.map((n) => `      case-${n}: { prompt: reviews/${n}.md, num_reviews: 1 }\n`).join('');
  const repo = repoWith({ 'src/cases.ts': '' });
  repo.git('checkout', '-q', 'main');
  repo.write('onceover.yml', `concurrency: 64\n${settings}gates:\n  - path: src\n    reviews:\n${reviews}`);
  for (const n of numbers) repo.write(`reviews/${n}.md`, `Case ${n}: ${verdictOf(n)}\n`);
  repo.commit('gates');
  // Each client is a repository of its own in the store.
  repo.git('remote', 'add', 'origin', `https://git.example.com/client-${client}`);
  repo.git('checkout', '-q', '-B', 'work');
  repo.write('src/cases.ts', lines(REVIEWS).join(''));
  return repo;
}

test(
  `4 workers are killed ${KILLS} times while ${CLIENTS * REVIEWS} calls run: no verdict is lost, invented or paid twice`,
  async () => {
    const url = await databaseOfTest();
    const folder = temporaryFolder();
    const log = join(folder, 'calls');
    writeFileSync(log, '');
    const command = JSON.stringify([process.execPath, AGENT, log, '500']);
    const settings = `agents: [judging]\nagent:\n  judging: { command: ${command} }\n`;
    writeFileSync(join(folder, 'onceover.yml'), settings);
    const start = (n: number) => spawnWorker(url, { name: 'judging', folder }, join(folder, `worker-${n}`));
    const workers = Array.from({ length: 4 }, (_, n) => start(n));
    await Promise.all(workers.map(({ ready }) => ready));

    const clients = Array.from({ length: CLIENTS }, (_, client) => repoWithReviews(settings, client));
    let endedCount = 0;
    const env = { ONCEOVER_STORE: url };
    const running = clients.map(async ({ root }) => {
      const end = await onceover(root, ['run', '--remote', '--all', '--json'], { env, timeoutMs: 1_200_000 });
      endedCount++;
      return end;
    });
    const sql = sqlAt(url);
    let kills = 0;
    while (kills < KILLS && endedCount < CLIENTS) {
      const n = Math.floor(Math.random() * workers.length);
      await workers[n]?.ready;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 1500));
      workers[n]?.child.kill('SIGKILL');
      workers[n] = start(n);
      kills++;
    }
    const ends = await Promise.all(running);
    // A failed call says why, so it comes first.
    expect(await sql(`SELECT answer FROM onceover.calls WHERE state = 'failed'`)).toEqual([]);
    for (const [client, end] of ends.entries()) {
      expect({ client, code: end.code }).toEqual({ client, code: 1 });
      const { gates, findings } = JSON.parse(end.stdout) as RunDocument;
      const verdicts = gates.map(({ id, status }) => [id, status]);
      expect(Object.fromEntries(verdicts)).toEqual(
        Object.fromEntries(numbers.map((n) => [`review:src:case-${n}`, verdictOf(n)])),
      );
      expect(findings.map(({ issue }) => issue).sort()).toEqual(
        numbers.flatMap((n) => (verdictOf(n) === 'fail' ? [`Case ${n} is wrong.`] : [])).sort(),
      );
    }
    expect(kills).toBe(KILLS);
    const reviewCount = CLIENTS * REVIEWS;
    expect(await sql('SELECT state, count(*)::int AS n FROM onceover.calls GROUP BY state')).toEqual([
      { state: 'answered', n: reviewCount },
    ]);
    // An answer that arrives late, of a worker that was believed dead, is dropped.
    expect(
      await sql(`SELECT call FROM onceover.call_starts WHERE outcome = 'answered' GROUP BY call HAVING count(*) > 1`),
    ).toEqual([]);
    const payments = (await sql('SELECT repository, document FROM onceover.ledger')).flatMap(
      ({ repository, document }) => {
        const { slots = [] } = JSON.parse(String(document)) as Entry;
        return slots.map(({ gate, asks, usage }) => ({ of: `${repository} ${gate}`, asks, usd: usage?.costUsd }));
      },
    );
    expect(new Set(payments.map(({ of }) => of)).size).toBe(reviewCount);
    expect(payments.map(({ asks, usd }) => ({ asks, usd }))).toEqual(
      Array.from({ length: reviewCount }, () => ({ asks: 1, usd: 1 })),
    );
    const calls = readFileSync(log, 'utf8').trim().split('\n').length;
    const [interruptedRow] = await sql('SELECT count(*)::int AS n FROM onceover.call_starts WHERE ended_at IS NULL');
    // Without a call that was interrupted, the kills have proved nothing.
    expect(interruptedRow?.['n']).toBeGreaterThan(0);
    expect(calls).toBeLessThanOrEqual(reviewCount + Number(interruptedRow?.['n']));
    console.log(
      `${reviewCount} reviews, ${kills} kills, ${interruptedRow?.['n']} interrupted calls: the agent ran ${calls} times.`,
    );
  },
  isFull ? 1_200_000 : 150_000,
);

type Entry = {
  readonly slots?: readonly { gate: string; asks: number; usage: { readonly costUsd: number | null } | null }[];
};
