import { onceover } from '@onceover/testing/cli.ts';
import { gateRepo } from '@onceover/testing/gates.ts';
import { sqlAt } from '@onceover/testing/postgres.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { spawnWorker } from '@onceover/testing/workers.ts';
import { expect, test } from 'vitest';

const sql = (text: string) => sqlAt(process.env['ONCEOVER_STORE'] ?? '')(text);

const GATES = '  - path: .\n    reviews:\n      code-quality: { prompt: .onceover/reviews/code-quality.md }\n';

test.each([
  ['on this machine', [], 0],
  ['on workers', ['--remote'], 2],
])(
  'a proof %s keeps nothing of its cases in the store, and its calls come last',
  async (_title, flags, remoteCalls) => {
    const repo = gateRepo({ agents: ['one'], gates: GATES });
    repo.commit('change');
    await spawnWorker(process.env['ONCEOVER_STORE'] ?? '', { name: 'one', folder: repo.root }, temporaryFolder()).ready;
    const before = await sql('SELECT count(*)::int AS n FROM onceover.repositories');
    const end = await onceover(repo.root, ['prove', '--yes', '--set', '--cases', '2', '--json', ...flags], {
      timeoutMs: 100_000,
    });
    expect(end).toMatchObject({ code: 0 });
    expect(repo.calls().length).toBeGreaterThanOrEqual(2);
    const repositories = await sql('SELECT count(*)::int AS n FROM onceover.repositories');
    expect(Number(repositories[0]?.['n']) - Number(before[0]?.['n'])).toBe(1);
    // The costs of a proof belong to the team.
    expect(await sql("SELECT 1 FROM onceover.ledger WHERE document LIKE '%proof%' LIMIT 1")).toHaveLength(1);
    for (const table of ['findings', 'receipts', 'records']) {
      expect(await sql(`SELECT 1 FROM onceover.${table}`)).toEqual([]);
    }
    const calls = await sql('DELETE FROM onceover.calls RETURNING priority');
    expect(calls.map(({ priority }) => priority)).toEqual(Array.from({ length: remoteCalls }, () => 0));
  },
  120_000,
);
