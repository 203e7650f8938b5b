import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { failing, gateRepo, PASS, type ScriptedAnswer, waive } from '@onceover/testing/gates.ts';
import { expect, test } from 'vitest';

/** A reviewer of one slot that answers so. */
function repoWithAnswer(...violations: readonly object[]) {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  repo.answers('one', { status: 'fail', violations });
  return repo;
}

const here = (more: object) => ({ file: 'src/a.ts', line: 1, issue: 'odd', priority: 'high', ...more });

test('findings with an odd place are kept, marked and shown', async () => {
  const rows: [violation: object, file: string | null, line: number | null, mark: string | null][] = [
    [here({ file: 'README.md' }), 'README.md', 1, 'off-diff'],
    [here({ file: 'src/gone.ts' }), 'src/gone.ts', 1, 'off-diff'],
    [here({ file: './src/a.ts', line: 2 }), 'src/a.ts', 2, null],
    [here({ file: '././src/a.ts' }), 'src/a.ts', 1, null],
    [here({ line: null }), 'src/a.ts', null, null],
    [here({ line: undefined }), 'src/a.ts', null, null],
    [here({ line: '12-15' }), 'src/a.ts', 12, 'no-such-line'],
    [here({ line: 'L2' }), 'src/a.ts', 2, null],
    [here({ line: 99 }), 'src/a.ts', 99, 'no-such-line'],
    [here({ line: 99, code: 'export const b = 2;' }), 'src/a.ts', 2, null],
    [here({ code: 'export const z = 9;' }), 'src/a.ts', 1, 'code-not-found'],
    [here({ file: '../../etc/passwd' }), null, 1, 'off-diff'],
    [here({ file: '/etc/passwd' }), null, 1, 'off-diff'],
    [here({ file: undefined, line: undefined }), null, null, null],
  ];
  const repo = repoWithAnswer(...rows.map(([violation]) => violation));
  const run = await repo.document();
  expect(run).toMatchObject({ code: 1, status: 'failed' });
  expect(run.findings.map(({ file, line, mark }) => [file, line, mark])).toEqual(
    rows.map(([, ...expected]) => expected),
  );
  expect(run.findings.map(({ state }) => state)).toEqual(rows.map(() => 'open'));
  expect(repo.record('review_src_code-quality_one@1.1.json')['violations']).toHaveLength(rows.length);
  const { stdout } = await onceover(repo.root, ['status']);
  for (const { id } of run.findings) expect.soft(stdout).toMatch(new RegExp(`^${id} +high `, 'm'));
  expect(stdout).toMatch(/^F1 {2}high {6}README\.md:1 {2}odd\n.+, outside the change\n/m);
  expect(stdout).toMatch(/^F7 {2}high {6}src\/a\.ts:12 .+\n.+, the line does not exist\n/m);
  expect(stdout).toMatch(/^F11 high {6}src\/a\.ts:1 .+\n.+\n.+, the quoted code is not in the file\n/m);
  // The path stays readable in the text of the finding.
  expect(stdout).toMatch(
    /F12 .+ no location {2}\.\.\/\.\.\/etc\/passwd: odd\n(?: .*\n)*F13 .+ no location {2}\/etc\/passwd: odd\n/,
  );
});

test('a finding with an unknown priority fails the gate under any fail_on', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1, more: 'fail_on: critical' });
  const priorities = ['minor', '', null, 7, 'HIGH', ' Low '];
  repo.answers('one', { status: 'fail', violations: priorities.map((priority) => here({ priority })) });
  const run = await repo.document();
  expect(run.code).toBe(1);
  expect(run.findings.map(({ priority, state }) => `${priority} ${state}`)).toEqual([
    'critical open',
    'critical open',
    'critical open',
    'critical open',
    'high warning',
    'low warning',
  ]);
});

test('control characters in an answer do not reach the terminal', async () => {
  const odd = '\u001b[2J\u0007\u202e';
  const repo = repoWithAnswer(here({ issue: `red ${odd}`, code: odd, fix: odd, file: `src/${odd}.ts` }));
  const shown = await repo.run();
  expect(shown.code).toBe(1);
  const unseen = [...(shown.stdout + shown.stderr)].filter((one) => (one < ' ' && one !== '\n') || one === '\u202e');
  expect(unseen).toEqual([]);
  expect(shown.stdout).toContain('red \\u001b[2J\\u0007\\u202e');
});

test('a fail without findings becomes one finding with its message', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  repo.answers('one', { status: 'fail', violations: [], message: 'I cannot say.' }, { status: 'fail' });
  const first = await repo.document();
  expect(first.findings).toMatchObject([{ id: 'F1', file: null, issue: 'I cannot say.', priority: 'critical' }]);
  expect(first.code).toBe(1);
});

test('an answer with many findings keeps all of them', async () => {
  const many = Array.from({ length: 300 }, (_, n) => here({ line: null, issue: `number ${n}` }));
  const repo = repoWithAnswer(...many);
  const run = await repo.document();
  expect([run.code, run.findings.length, run.findings.at(-1)?.id]).toEqual([1, 300, 'F300']);
});

test('findings at lines that do not exist are marked', async () => {
  const lines = [0, -3, 1.5, 'none'];
  const run = await repoWithAnswer(...lines.map((line) => here({ line }))).document();
  expect(run.findings.map(({ mark }) => mark)).toEqual(lines.map(() => 'no-such-line'));
});

test('a finding with a huge line number is kept', async () => {
  const run = await repoWithAnswer(here({ line: 1e30 })).document();
  expect([run.code, run.findings.length, run.dispatches]).toEqual([1, 1, 1]);
});

test('unreadable answers from every agent end with exit 3 and the reason', async () => {
  const rows: [ScriptedAnswer, string][] = [
    [{ $raw: 'Looks good to me!' }, 'there is no JSON object in it'],
    [{ $raw: '', $exit: 1, $stderr: 'no credit left\n' }, 'one failed: no credit left'],
  ];
  for (const [answer, said] of rows) {
    const repo = gateRepo({ agents: ['one'], numReviews: 1 });
    repo.answers('one', answer, answer, answer);
    const run = await repo.document();
    expect.soft(run).toMatchObject({ code: 3, status: 'error', findings: [] });
    expect.soft(run.gates[0]?.slots[0]?.detail).toContain(said);
  }
});

test('an unreadable fail that is repeated as a pass does not pass', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  repo.answers('one', { status: 'fail', violations: [{ file: 'src/a.ts', priority: 'high' }] }, PASS);
  const run = await repo.document();
  expect(run).toMatchObject({ code: 1, status: 'failed', dispatches: 2, findings: [{ id: 'F1', state: 'open' }] });
  expect(run.findings[0]?.issue).toContain('"file":"src/a.ts"');
});

test('an image is named as not shown to reviewers', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  repo.write('src/b.png', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 255, 254, 128, 3, 4, 5]));
  const run = await repo.document();
  expect(run.code).toBe(0);
  expect(run.warnings).toEqual([expect.stringMatching(/^src\/b\.png: not text .* only that the content differs$/)]);
  expect(run.stderr).toContain('Warning: src/b.png: not text');
});

test('a file that is not text and not an image stops its gate until it is excluded', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  repo.write(
    'src/b.zip',
    Uint8Array.from({ length: 40_000 }, (_, i) => (i * 7919) % 256),
  );
  const run = await repo.document();
  expect(run).toMatchObject({ code: 3, status: 'error', dispatches: 0 });
  expect(run.stderr).toMatch(/src\/b\.zip is not text.*"exclude"/);
  repo.write(
    'onceover.yml',
    readFileSync(join(repo.root, 'onceover.yml'), 'utf8').replace(
      '- path: src\n',
      '- path: src\n    exclude: ["**/*.zip"]\n',
    ),
  );
  const next = await repo.document();
  expect(next).toMatchObject({ code: 0, uncovered_files: expect.arrayContaining(['src/b.zip']) });
});

test('a budget in dollars warns about an agent without a price', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1, more: 'budget: { usd: 5 }' });
  expect((await repo.document()).warnings).toEqual([expect.stringContaining('calls to one, which report no price')]);
  expect((await repo.document()).warnings).toEqual([]);
});

test('reviewers of a narrow run see waived findings', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  repo.answers('one', failing('src/a.ts', 'export const b = 2;'));
  await repo.run();
  await waive(repo, 'F1', 'two it shall be');
  repo.forget();
  repo.answers('one', failing('src/a.ts', 'export const b = 2;'));
  const run = await repo.document(['--uncommitted']);
  expect(run).toMatchObject({ code: 0, findings: [{ id: 'F1', state: 'waived', why: 'two it shall be' }] });
  expect(repo.calls().at(-1)?.prompt).toMatch(/## Declined findings[\s\S]*id: F1[\s\S]*two it shall be/);
});

test('an unreadable answer does not close an earlier finding', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  repo.answers('one', failing('src/a.ts', 'export const b = 2;'), { $raw: '{}' }, { $raw: 'gone' });
  await repo.run();
  const run = await repo.document();
  expect(run).toMatchObject({ code: 1, status: 'failed', findings: [{ id: 'F1', state: 'open' }] });
});
