import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { type GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import { ruleText } from '@onceover/testing/repo.ts';
import { told, toldInJson } from '@onceover/testing/told.ts';
import { expect, test } from 'vitest';

const PROMPT = '.onceover/reviews/code-quality.md';
const REVIEW = `{ prompt: ${PROMPT} }`;

/** An onceover.yml with other words in it, and what is said of it. */
type Row = readonly [from: string, to: string, said: string];

test('a broken onceover.yml exits with 2, names the place and runs nothing', async () => {
  const rows: Row[] = [
    ['num_reviews: 2', 'num_reviews: 0', ':9:79: "gates #1: reviews.code-quality.num_reviews" must be at least 1'],
    ['num_reviews: 2', 'num_reviews: two', ':9:79: "gates #1: reviews.code-quality.num_reviews" must be a number'],
    ['num_reviews: 2', 'num_review: 2', ':9:66: unknown key "num_review"; did you mean "num_reviews"?'],
    ['agents: [one', 'frobnicate: 1\nagents: [one', ':2:1: unknown key "frobnicate"; known here: version, base'],
    ['agents: [one, two]', 'agents: [one, three]', ':2:15: "agents #2" names the agent "three", which is neither'],
    ['num_reviews: 2', 'agents: [unknown]', '"gates #1: reviews.code-quality.agents #1" names the agent "unknown"'],
    ['agents: [one', 'timeout: soon\nagents: [one', ':2:10: "timeout" must be a number'],
    ['agents: [one', 'fail_on: minor\nagents: [one', ':2:10: "fail_on" must be one of critical, high, medium, low'],
    ['agents: [one', 'log_dir: ../logs\nagents: [one', ':2:10: "log_dir" must be a path inside the repository'],
    ['    reviews:', '    checks:', '"gates #1: checks.code-quality.run" is missing'],
    [PROMPT, '../outside.md', '"gates #1: reviews.code-quality.prompt" must be a path inside the repository'],
    [PROMPT, '.onceover/reviews', ':9:31: .onceover/reviews is not a plain file'],
    [PROMPT, '.onceover/reviews/gone.md', ':9:31: .onceover/reviews/gone.md does not exist'],
    ['gates:', '\tgates:', 'not valid YAML: '],
  ];
  const repo = gateRepo();
  const before = readFileSync(join(repo.root, 'onceover.yml'), 'utf8');
  for (const [from, to, said] of rows) {
    expect(before).toContain(from);
    repo.write(
      'onceover.yml',
      before.replace(from, () => to),
    );
    const { kind, message } = toldInJson(await repo.run(['--json']), 2);
    expect.soft(kind).toBe('broken-config');
    expect.soft(message).toContain(said);
    expect.soft(message).toMatch(/^onceover\.yml:\d+:\d+: /);
  }
  expect([repo.calls(), repo.records()]).toEqual([[], []]);
});

test('an onceover.yml that is not a settings file exits with 2', async () => {
  const repo = gateRepo();
  const rows: [string | Uint8Array, string][] = [
    ['- a\n', 'onceover.yml:1:1: the file must be a map of keys and values'],
    ['gates\n', 'onceover.yml:1:1: the file must be a map of keys and values'],
    [Buffer.from([0xff, 0xfe]), 'onceover.yml:1:1: the file is not UTF-8 text'],
  ];
  for (const [text, said] of rows) {
    repo.write('onceover.yml', text);
    expect.soft(told(await repo.run(), 2)).toContain(said);
  }
  rmSync(join(repo.root, 'onceover.yml'));
  mkdirSync(join(repo.root, 'onceover.yml'));
  expect(told(await repo.run(), 2)).toContain('onceover.yml:1:1: the file is not a plain file');
});

test('two entries with the same gate exit with 2', async () => {
  const gates = (one: string, other: string) =>
    `  - path: ${one}\n    reviews: { q: ${REVIEW} }\n  - path: ${other}\n    reviews: { q: ${REVIEW} }`;
  const rows = [
    ['src', './src/', 'is defined twice for the path "./src/"; give one of them another name'],
    ['.', './', 'is defined twice for the path "./"'],
    // Only a changed file shows that both entries match it.
    ['packages/*', 'packages/a', 'the gate review:packages/a:q more than once'],
  ] as const;
  for (const [one, other, said] of rows) {
    const repo = gateRepo({ gates: gates(one, other) });
    repo.write('packages/a/x.ts', 'x\n');
    expect.soft(told(await repo.run(), 2)).toContain(said);
    expect.soft(repo.calls()).toEqual([]);
  }
});

test('an unusable prompt file exits with 2 and makes no calls', async () => {
  const repo = gateRepo();
  const file = join(repo.root, PROMPT);
  writeFileSync(join(dirname(repo.root), 'outside.md'), 'Look.\n');
  const rows: [() => void, string][] = [
    [() => writeFileSync(file, ''), 'is empty'],
    [() => writeFileSync(file, ' \n\t\n'), 'is empty'],
    [() => writeFileSync(file, Buffer.from([0x4c, 0xff])), 'is not UTF-8 text'],
    [() => writeFileSync(file, 'x'.repeat(1024 * 1024 + 1)), 'is larger than 1 MiB'],
    [() => rmSync(file), 'does not exist'],
    [() => symlinkSync('../../../outside.md', file), 'is outside the repository; onceover reads only files inside it'],
  ];
  for (const [make, said] of rows) {
    make();
    expect.soft(told(await repo.run(), 2)).toContain(`onceover.yml:9:31: ${PROMPT} ${said}`);
  }
  expect(repo.calls()).toEqual([]);
});

test('a deleted prompt file exits with 2 although the review had passed', async () => {
  const repo = gateRepo();
  expect((await repo.run()).code).toBe(0);
  rmSync(join(repo.root, PROMPT));
  expect(told(await repo.run(), 2)).toContain('does not exist');
});

test('no configuration is not a pass: without onceover.yml and rules, run and status exit with 2', async () => {
  const repo = withoutSettings();
  for (const args of [['run'], ['run', '--dry-run'], ['status']]) {
    const text = told(await onceover(repo.root, args), 2);
    expect.soft(text).toContain('This repository has no configuration');
    expect.soft(text).toContain('Create a first configuration with "onceover init".');
  }
  expect(told(await repo.run(['--gate', 'x']), 2)).toContain(
    'No gate is configured. Create a first onceover.yml with "onceover init".',
  );
  const run = await repo.document(['--allow-unconfigured']);
  expect(run).toMatchObject({ code: 0, status: 'no_applicable_gates', iteration: null, gates: [] });
  expect(run.uncovered_files).toEqual(['onceover.yml', 'src/a.ts']);
  expect((await repo.run(['--allow-unconfigured'])).stdout).toContain('Neutral, nothing was reviewed');
  expect((await onceover(repo.root, ['clean'])).code).toBe(0);
});

test('an empty onceover.yml means all defaults, and without rules it is no configuration', async () => {
  const repo = gateRepo();
  for (const text of ['', '# nothing yet\n', 'gates: []\n']) {
    repo.write('onceover.yml', text);
    expect.soft((await repo.run()).code).toBe(2);
    expect
      .soft(await repo.document(['--allow-unconfigured']))
      .toMatchObject({ code: 0, status: 'no_applicable_gates' });
  }
});

test('rules without an agent exit with 3 and name the next step', async () => {
  const repo = withoutSettings();
  repo.write('.deepreview', ruleText('types', { include: ['**/*.ts'] }));
  const bin = join(dirname(repo.root), 'bin');
  mkdirSync(bin);
  symlinkSync(repo.git('--exec-path').trim().concat('/git'), join(bin, 'git'));
  const run = await repo.document([], { env: { PATH: bin } });
  expect(run).toMatchObject({ code: 3, status: 'error', exit_code: 3 });
  expect(run.gates[0]?.slots[0]).toMatchObject({
    status: 'error',
    why: 'no-agent',
    detail: 'no agent is installed; see "onceover doctor"',
  });
});

test('a broken .deepreview exits with 2 and names the place', async () => {
  const repo = gateRepo();
  repo.write('docs/.deepreview', 'bad: [');
  expect(told(await repo.run(), 2)).toContain('docs/.deepreview:1:');
  expect(repo.calls()).toEqual([]);
});

test('an unusable reference file of a rule is a warning, as in instructions', async () => {
  const repo = gateRepo();
  const more = '    num_reviews: 2\n    reference_files: [{ path: docs/none.md, description: it is gone }]\n';
  repo.write('.deepreview', ruleText('types', { include: ['src/**'], more }));
  const warning = 'rule types: the reference file docs/none.md cannot be shown (missing)';
  expect(await repo.document()).toMatchObject({ code: 0, status: 'passed', warnings: [warning] });
  expect(await repo.document()).toMatchObject({ code: 0, status: 'passed', warnings: [] });
});

test('a gate path without files is a warning in every run', async () => {
  const repo = gateRepo({ gates: `  - path: /src\n    reviews: { q: ${REVIEW} }` });
  for (let time = 1; time <= 2; time++) {
    const run = await repo.document();
    expect(run).toMatchObject({ code: 0, status: 'no_applicable_gates', uncovered_files: ['src/a.ts'] });
    expect(run.warnings).toEqual(['no file matches the gate path /src']);
    expect(run.stderr).toBe('Warning: no file matches the gate path /src\n');
  }
});

test('a log_dir with tracked files exits with 2, makes no calls and names the next step', async () => {
  const repo = gateRepo({ more: 'log_dir: src' });
  for (const args of [['run'], ['run', '--uncommitted'], ['run', '--commit', 'HEAD'], ['status'], ['instructions']]) {
    const said = told(await onceover(repo.root, args), 2);
    expect
      .soft(said)
      .toContain('src, the "log_dir" in onceover.yml, contains tracked files that are not records (src/a.ts)');
    expect.soft(said).toContain('remove "log_dir" to use the default');
  }
  expect(repo.calls()).toEqual([]);
});

test('a log_dir inside .git exits with 2', async () => {
  const repo = gateRepo({ more: 'log_dir: .git/logs' });
  expect((await repo.run()).code).toBe(2);
});

function withoutSettings(): GateRepo {
  const repo = gateRepo();
  rmSync(join(repo.root, 'onceover.yml'));
  return repo;
}
