import { join } from 'node:path';
import { openLedger } from '@onceover/agents/ledger/store';
import { onceover } from '@onceover/testing/cli.ts';
import { gateRepo, PASS } from '@onceover/testing/gates.ts';
import { ledgerRun, ledgerSlot } from '@onceover/testing/ledger-samples.ts';
import { documentLoop } from '@onceover/testing/loop-entries.ts';
import { repoWith } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { costSchema, featureCostSchema } from '../../../src/cost/json-schema.ts';

/** A repository whose ledger has a run and the phases of two features. */
async function withLoops() {
  const { root } = repoWith({ 'specs/login/spec.md': '', 'src/a.ts': '' });
  const ledger = openLedger(join(root, '.git'));
  const entries = [
    ledgerRun({ slots: [ledgerSlot()] }),
    ...documentLoop(5, { feature: 'specs/login' }),
    ...documentLoop(2, { feature: 'specs/search', branch: 'refs/heads/main' }, { from: 30 }),
  ];
  for (const entry of entries) await ledger.add(entry);
  const at = (folder: string, ...args: string[]) => onceover(join(root, folder), ['cost', ...args]);
  return { root, at };
}

test('finds a feature by any path to its folder', async () => {
  const { root, at } = await withLoops();
  const named: readonly [folder: string, name: string][] = [
    ['', 'specs/login'],
    ['', './specs//login/'],
    ['specs', 'login'],
    ['specs/login', '.'],
    ['src', '../specs/login'],
    ['src', join(root, 'specs/login/')],
  ];
  for (const [folder, name] of named) {
    const end = await at(folder, name, '--json');
    expect([name, end.code, end.stderr]).toEqual([name, 0, '']);
    expect(featureCostSchema.strict().parse(JSON.parse(end.stdout))).toMatchObject({
      feature: 'specs/login',
      paid: { looks: 9, resumed: 7 },
      compared: { characters: { sent: 27_000, fresh: 90_000, ratio: 0.3 } },
      five_iterations_under_half: { state: 'holds', of: 1 },
      rates_of_all_features: { features: 2, judged: false },
    });
  }
});

test('shows a feature as a page and as CSV', async () => {
  const { at } = await withLoops();
  const [page, csv, late] = await Promise.all([
    at('', 'specs/login', '--details'),
    at('', 'specs/login', '--csv'),
    at('', 'specs/login', '--since', '2999-01-01'),
  ]);
  expect([page.code, page.stderr]).toEqual([0, '']);
  expect(page.stdout).toContain('Prompts took 30 % of the characters of new sessions');
  expect(page.stdout).toMatch(/^specify, 03-01 12:00 +27\.0k/m);
  expect(page.stdout).toMatch(/^ spec-reviewer 2, resumed +1\.0k +9\.7k +\$0\.0125$/m);
  for (const line of page.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  const [head, ...rows] = csv.stdout.trimEnd().split('\r\n');
  expect([head?.split(',').slice(20, 24), rows.length]).toEqual([['feature', 'phase', 'stage', 'role'], 9]);
  expect(rows[0]).toMatch(/,specs\/login,specify,domain,spec-reviewer,I1-R4,false,10000,10000,,$/);
  expect(late).toMatchObject({ code: 0, stdout: expect.stringContaining('No phase of specs/login') });
});

test('shows phases next to runs, short and in details', async () => {
  const { at } = await withLoops();
  const [short, full, json, main, csv] = await Promise.all([
    at(''),
    at('', '--details'),
    at('', '--json'),
    at('', '--all', '--branch', 'main', '--json'),
    at('', '--csv'),
  ]);
  expect(short.stdout).toContain('1 run, phases of 2 features in this clone.');
  expect(short.stdout).toMatch(/^specs\/login +9 /m);
  expect(full.stdout).toContain('Prompts took 40 % of the characters of new sessions');
  expect(full.stdout).toContain('The limits apply from three features on; features so far: 2.');
  const document = costSchema.strict().parse(JSON.parse(json.stdout));
  expect(document).toMatchObject({ runs: 1, paid: { looks: 13 }, loops: { paid: { looks: 12 } } });
  expect(JSON.parse(main.stdout)).toMatchObject({ runs: 0, loops: { features: [{ feature: 'specs/search' }] } });
  expect(csv.stdout.trimEnd().split('\r\n')).toHaveLength(14);
});

test.each<[string, string[], RegExp]>([
  [
    'a feature without phases',
    ['specs'],
    /No phase was run on specs in this clone[\s\S]*: specs\/login, specs\/search\./,
  ],
  ['a folder outside', ['../elsewhere'], /\.\.\/elsewhere is outside the repository/],
  ['no name', [''], /"" is outside the repository/],
  ['two features', ['specs/login', 'specs/search'], /Too many arguments/],
])('refuses %s as wrong usage', async (_, args, expected) => {
  const end = await (await withLoops()).at('', ...args);
  expect([end.code, end.stdout, end.stderr]).toEqual([2, '', expect.stringMatching(expected)]);
});

test('says how to run a first phase', async () => {
  const end = await onceover(repoWith({ 'a.ts': '' }).root, ['cost', 'specs/login', '--json']);
  expect(end.code).toBe(2);
  expect(JSON.parse(end.stdout)).toMatchObject({
    error: { kind: 'feature-without-loops', next: expect.stringContaining('"onceover phase"') },
  });
});

test('counts no saving for a reviewer that was skipped first and ran later in the same run', async () => {
  const usage = { input_tokens: 1000, cached_input_tokens: 0, cache_write_tokens: 0, output_tokens: 100 };
  const repo = gateRepo({ more: 'certify: true' });
  for (const name of ['one', 'two']) repo.answers(name, { ...PASS, usage }, { ...PASS, usage });
  await repo.run();
  repo.forget();
  repo.write('src/a.ts', 'export const a = 1;\nexport const other = 2;\n');
  expect(await repo.document()).toMatchObject({ code: 0, saved: { pass: 0, slot: 0 } });
  expect(repo.calls().map(({ name }) => name)).toEqual(['one', 'two']);
});
