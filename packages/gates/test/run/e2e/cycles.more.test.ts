import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { failing, type GateRepo, gateRepo, PASS, waive } from '@onceover/testing/gates.ts';
import { asked, edit, skipLine, slotRepo, slotsIn } from '@onceover/testing/slots.ts';
import { describe, expect, test } from 'vitest';

const B_IS_ODD = failing('src/a.ts', 'export const b = 2;', { line: 2 });
const REVIEW = 'code-quality: { prompt: .onceover/reviews/code-quality.md, num_reviews: 2 }';
const CHECKED = `  - path: src
    checks:
      lint: { run: test ! -e bad }
    reviews:
      ${REVIEW}`;

const resolve = (repo: GateRepo, ...args: string[]) => onceover(repo.root, ['resolve', ...args]);

describe('a run that stops at a failing check', () => {
  test('is not an iteration: the next run gets its number [RUN-SLOTS/rule/invariant]', async () => {
    const repo = gateRepo({ gates: CHECKED });
    repo.answers('two', B_IS_ODD);
    expect(await repo.document()).toMatchObject({ code: 1, iteration: 1 });
    repo.write('bad', '');
    repo.forget();
    for (let i = 0; i < 2; i++) expect(await repo.document()).toMatchObject({ code: 1, iteration: null });
    expect(asked(repo)).toEqual([]);
    expect(repo.record('check_src_lint.2.json')).toMatchObject({ iterationTookPlace: false, status: 'fail' });
    repo.git('clean', '-q', '-f', 'bad');
    edit(repo, 3);
    const run = await repo.document();
    expect([run.code, run.iteration, slotsIn(run)]).toEqual([0, 2, ['@1 skipped_prior_pass 1', '@2 pass']]);
    expect(run.stderr).toContain(skipLine(1, 1));
    expect(repo.record('check_src_lint.2.json')).toMatchObject({ iterationTookPlace: true, status: 'pass' });
  });

  test('is an iteration with --all, because reviewers run', async () => {
    const repo = gateRepo({ gates: CHECKED });
    repo.write('bad', '');
    expect(await repo.document(['--all'])).toMatchObject({ code: 1, iteration: 1 });
    expect(repo.record('check_src_lint.1.json')).toMatchObject({ iterationTookPlace: true });
  });
});

describe('an unchanged gate that failed, with unchanged_gates: rest', () => {
  async function failed(): Promise<GateRepo> {
    const repo = gateRepo({ more: 'unchanged_gates: rest' });
    repo.answers('two', B_IS_ODD);
    expect((await repo.run()).code).toBe(1);
    repo.forget();
    return repo;
  }

  test('is not paid for again: the findings are shown from the earlier run', async () => {
    const repo = await failed();
    const run = await repo.document();
    expect(run).toMatchObject({ code: 1, status: 'failed', iteration: null, findings: [{ id: 'F1', state: 'open' }] });
    expect(run.gates).toMatchObject([{ status: 'fail', why: 'unchanged-since-fail' }]);
    expect((await repo.run()).stdout).toContain(
      '1 open finding, unchanged since it failed (use --force to review it again)',
    );
    expect(asked(repo)).toEqual([]);
  });

  test.each<[string, (repo: GateRepo) => unknown, readonly string[]]>([
    ['its content changed', (repo) => edit(repo, 3), []],
    ['its prompt changed', (repo) => repo.write('.onceover/reviews/code-quality.md', 'Look again.\n'), []],
    ['a fix was claimed', (repo) => resolve(repo, 'F1', '--fixed', 'it is right'), []],
    ['of --force', () => {}, ['--force']],
  ])('runs again because %s', async (_title, change, args) => {
    const repo = await failed();
    await change(repo);
    await repo.run(args);
    expect(asked(repo)).toContain('two');
  });

  test('runs again after a fix in a file outside the gate, and not before', async () => {
    const repo = gateRepo({ more: 'unchanged_gates: rest' });
    repo.write('docs/b.md', 'The total is wrong.\n');
    repo.answers('two', failing('docs/b.md', 'The total is wrong.', { line: 1 }));
    expect((await repo.run()).code).toBe(1);
    repo.forget();
    await repo.run();
    expect(asked(repo)).toEqual([]);
    repo.write('docs/b.md', 'The total is right.\n');
    repo.answers('two', PASS);
    expect(await repo.document()).toMatchObject({ code: 0, findings: [{ id: 'F1', state: 'closed' }] });
    expect(asked(repo)).toContain('two');
  });
});

test('max_retries counts failing iterations without progress, and changed content always gets another review', async () => {
  const repo = slotRepo(['codex'], { more: 'max_retries: 1' });
  const fails = (b: number) => failing('src/a.ts', `export const b = ${b};`, { line: 2 });
  for (const b of [2, 3, 4, 5]) {
    edit(repo, b);
    repo.answers('codex', fails(b));
    expect(await repo.document()).toMatchObject({ code: 1, status: 'failed' });
  }
  repo.answers('codex', fails(5), fails(5));
  expect(await repo.document()).toMatchObject({ code: 1, status: 'failed' });
  repo.forget();
  expect(await repo.document()).toMatchObject({ code: 1, status: 'retry_limit_exceeded' });
  expect(asked(repo)).toEqual([]);
  edit(repo, 6);
  repo.answers('codex', PASS);
  expect(await repo.document()).toMatchObject({ code: 0 });
});

test('onceover.yml is missing for one run: the records of its gates stay, and a passed reviewer is skipped after it', async () => {
  const rule =
    'docs:\n  description: d\n  match:\n    include: ["*.md"]\n  review:\n    strategy: matches_together\n    instructions: Look.\n';
  const repo = gateRepo({ files: { '.deepreview': rule } });
  repo.answers('two', B_IS_ODD);
  expect((await repo.run()).code).toBe(1);
  const records = repo.records();
  const [there, away] = [join(repo.root, 'onceover.yml'), join(repo.root, '.deepwork/onceover.yml')];
  renameSync(there, away);
  await repo.run();
  expect(repo.records()).toEqual(expect.arrayContaining([...records]));
  expect(readdirSync(join(repo.root, '.deepwork/logs'))).not.toContain('previous');
  renameSync(away, there);
  edit(repo, 3);
  const run = await repo.document();
  expect(slotsIn(run)).toEqual(['@1 skipped_prior_pass 1', '@2 pass']);
});

test('pass_iteration of a waived reviewer is not the iteration in which it failed', async () => {
  const repo = slotRepo(['one', 'two']);
  repo.answers('one', B_IS_ODD);
  repo.answers('two', failing('src/a.ts', 'export const a = 1;'), failing('src/a.ts', 'export const a = 1;'));
  const { findings } = await repo.document();
  const idOf = (slot: number) => findings.find((finding) => finding.slot === slot)?.id ?? '';
  await waive(repo, idOf(1));
  await resolve(repo, idOf(2), '--fixed', 'it is right');
  repo.forget();
  const run = await repo.document();
  expect([run.code, slotsIn(run), asked(repo)]).toEqual([1, ['@1 pass', '@2 fail'], ['two']]);
  expect(repo.records().filter((name) => /@1\.2\.json$/.test(name))).toEqual([]);
});

test('after clean, a finding does not name the number of an archived run', async () => {
  const repo = slotRepo(['one', 'two']);
  repo.answers('one', ...Array.from({ length: 3 }, () => B_IS_ODD));
  for (let i = 0; i < 2; i++) expect((await repo.run()).code).toBe(1);
  expect((await onceover(repo.root, ['clean'])).code).toBe(0);
  const status = await onceover(repo.root, ['status']);
  expect(status.stdout).toContain('from an archived run');
  expect(status.stdout).not.toContain('since run 1');
  const run = await repo.document();
  expect(run).toMatchObject({ iteration: 1, findings: [{ id: 'F1', since: 1 }] });
});
