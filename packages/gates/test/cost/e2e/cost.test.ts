import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { failing, gateRepo, PASS } from '@onceover/testing/gates.ts';
import { repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { type CostDocument, costSchema } from '../../../src/cost/json-schema.ts';

const used = (input: number, more: object = {}) => ({
  usage: { input_tokens: input, cached_input_tokens: 10, cache_write_tokens: 5, output_tokens: 100, ...more },
});
const GATE = 'review:src:code-quality';

test('shows the cost of a run, of a run with a resumed reviewer, and of a run with nothing to do', async () => {
  const repo = gateRepo();
  const ledger = () => readdirSync(join(repo.root, '.git/onceover/ledger'));
  const cost = (...args: string[]) => onceover(repo.root, ['cost', ...args]);
  const document = async (...args: string[]) => JSON.parse((await cost('--json', ...args)).stdout) as CostDocument;
  repo.answers('one', { ...PASS, ...used(1000, { cost_usd: 0.25 }) });
  repo.answers(
    'two',
    { ...failing('src/a.ts', 'export const b = 2;'), ...used(2000), session_id: 's-1' },
    { ...PASS, previous: [{ id: 'F1', state: 'fixed', why: 'renamed' }], ...used(300) },
  );
  const ends = [await repo.run()];
  repo.write('src/a.ts', 'export const a = 1;\nexport const better = 2;\n');
  ends.push(await repo.run(), await repo.run(['--started-by-agent']));
  expect(ends.map(({ code }) => code)).toEqual([1, 0, 0]);

  // One file per run; status, dry runs and explain write none.
  expect(ledger()).toHaveLength(3);
  await Promise.all([onceover(repo.root, ['status']), repo.run(['--dry-run']), onceover(repo.root, ['explain', GATE])]);
  expect(ledger()).toHaveLength(3);

  const found = await document();
  expect(costSchema.strict().parse(found)).toEqual(found);
  expect(found).toMatchObject({
    runs: 3,
    idle_runs: 1,
    fixes: 0,
    paid: {
      looks: 3,
      resumed: 1,
      dispatches: 3,
      input_tokens: 3300,
      cached_input_tokens: 30,
      cache_write_tokens: 15,
      output_tokens: 300,
      told_usd: 0.25,
      list_price_usd: 0,
      looks_without_price: 2,
    },
    not_paid: {
      pass: { looks: 2, tokens: 1115 + 415 },
      slot: { looks: 1, tokens: 1115 },
      session: { looks: 1, tokens: 2105 - 405 },
      prefix: { looks: 0, tokens: 0 },
    },
    looked_again: { resumed: 1 },
    gates: [{ gate: GATE, paid: { looks: 3 }, not_paid: { looks: 4 } }],
    agents: [
      { agent: 'two', model: null, paid: { looks: 2, looks_without_price: 2 } },
      { agent: 'one', model: null, paid: { looks: 1, told_usd: 0.25 } },
    ],
    last_runs: [
      { branch: 'work', iteration: null, status: 'passed', exit_code: 0, started_by: 'agent', paid: { looks: 0 } },
      { iteration: 2, status: 'passed', exit_code: 0, started_by: 'person', paid: { looks: 1, resumed: 1 } },
      { iteration: 1, status: 'failed', exit_code: 1, paid: { looks: 2, told_usd: 0.25 } },
    ],
  });

  const [plain, details, table, here, there, late] = await Promise.all([
    cost(),
    cost('--details'),
    cost('--csv'),
    document('--branch', 'work', '--since', '1'),
    document('--branch', 'main'),
    cost('--since', '2999-01-01'),
  ]);
  expect([plain.code, plain.stderr]).toEqual([0, '']);
  expect(plain.stdout).toContain('3 runs (1 with nothing to do) in this clone.');
  expect(plain.stdout).toContain('Paid: ~$0.25.');
  expect(plain.stdout).toMatch(/^ +1\.7k {2}by resuming sessions \(1 review\)$/m);
  for (const line of details.stdout.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);

  const [head, ...rows] = table.stdout.trimEnd().split('\r\n');
  expect([table.code, head?.split(',').length, rows.length]).toEqual([0, 30, 3]);
  const has = (part: string) => rows.filter((row) => row.includes(part)).length;
  expect(has(`,${GATE},1,one,,fresh,first-run,pass,1,1000,10,5,100,0.25,agent,`)).toBe(1);
  expect(has(`,${GATE},2,two,,resumed,delta,pass,1,300,10,5,100,,,`)).toBe(1);

  expect([here.runs, there.runs]).toEqual([3, 0]);
  expect([late.code, late.stdout]).toEqual([0, expect.stringContaining('No run in this clone since')]);

  writeFileSync(join(repo.root, '.git/onceover/ledger/20260301T120000000Z-00000000.json'), '{"kind":"run"');
  expect(await document()).toMatchObject({ runs: 3, unreadable_entries: 1 });
});

test.each([
  ['an invalid time', ['--since', 'soon'], /--since takes a number of days or a date/],
  ['two formats', ['--json', '--csv'], /--json and --csv cannot be used together/],
])('refuses %s as wrong usage', async (_, args, expected) => {
  const end = await onceover(repoWith({ 'a.ts': '' }).root, ['cost', ...args]);
  expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(expected)]);
});

test('says that nothing has run yet, and fails outside a repository', async () => {
  const [fresh, outside] = await Promise.all([
    onceover(repoWith({ 'a.ts': '' }).root, ['cost']),
    onceover(temporaryFolder(), ['cost', '--json']),
  ]);
  expect(fresh).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('No run of this clone') });
  expect(outside.code).toBe(3);
  expect(JSON.parse(outside.stdout)).toMatchObject({ error: { kind: 'not-a-repository' } });
});

test('passes a run that cannot write its ledger entry, with a warning', async () => {
  const repo = gateRepo({ numReviews: 1 });
  mkdirSync(join(repo.root, '.git/onceover'), { recursive: true });
  writeFileSync(join(repo.root, '.git/onceover/ledger'), '');
  const end = await repo.run();
  expect(end.code).toBe(0);
  expect(end.stderr).toContain('the cost of this run was not recorded');
});
