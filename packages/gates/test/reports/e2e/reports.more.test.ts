import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { failing, type GateRepo, gateRepo, PASS, waive } from '@onceover/testing/gates.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { junitProblems, rdjsonSchema, sarifProblems } from '@onceover/testing/report-schemas.ts';
import { startOnceover, told, toldInJson } from '@onceover/testing/told.ts';
import { commandsIn } from '@onceover/testing/workflow-commands.ts';
import { describe, expect, test } from 'vitest';

const B_IS_ODD = failing('src/a.ts', 'export const b = 2;');

/** A repository with one reviewer, and a folder for reports beside it. */
function reportRepo(options: Parameters<typeof gateRepo>[0] = {}): GateRepo & { out(name: string): string } {
  const repo = gateRepo({ agents: ['one'], numReviews: 1, ...options });
  const folder = join(dirname(repo.root), 'reports');
  return { ...repo, out: (name) => join(folder, name) };
}

type SarifLog = {
  readonly runs: readonly [
    {
      readonly properties: { readonly status: string; readonly exitCode: number };
      readonly invocations: readonly [{ readonly executionSuccessful: boolean }];
      readonly results: readonly {
        readonly level: string;
        readonly partialFingerprints: Readonly<Record<string, string>>;
        readonly locations: readonly [
          { readonly physicalLocation: { readonly region?: { readonly startLine: number } } },
        ];
        readonly suppressions?: readonly { readonly justification: string }[];
      }[];
    },
  ];
};

const readSarif = (path: string) => (JSON.parse(readFileSync(path, 'utf8')) as SarifLog).runs[0];

describe('run --report', () => {
  test('writes every format in its schema, and the output stays the same', async () => {
    const repo = reportRepo();
    repo.answers('one', B_IS_ODD);
    const names = { markdown: 'a/page.md', sarif: 'a/x.sarif', junit: 'x.xml', rdjson: 'x.rdjson' };
    const flags = Object.entries(names).flatMap(([format, name]) => ['--report', `${format}=${repo.out(name)}`]);
    const end = await repo.run(flags);
    expect(end.code).toBe(1);
    expect(end.stdout).toContain('Failed: 1 open finding in 1 gate (exit code 1)');
    expect(end.stderr).not.toMatch(/warning|report/);
    const text = (name: string) => readFileSync(repo.out(name), 'utf8');
    expect(text(names.markdown)).toMatch(/^# Failed: 1 open finding in 1 gate \(exit code 1\)\n/);
    expect(sarifProblems(text(names.sarif))).toEqual([]);
    expect(await junitProblems([text(names.junit)])).toEqual([]);
    expect(rdjsonSchema.parse(JSON.parse(text(names.rdjson))).diagnostics).toMatchObject([
      { location: { path: 'src/a.ts', range: { start: { line: 2 } } }, severity: 'ERROR' },
    ]);
  });

  test('a finding keeps its fingerprint after lines move, and in another clone', async () => {
    const repo = reportRepo();
    const report = ['--report', `sarif=${repo.out('x.sarif')}`];
    const look = async () => {
      repo.answers('one', {
        ...B_IS_ODD,
        violations: [{ ...B_IS_ODD.violations?.[0], issue: `Said at ${Date.now()}.` }],
      });
      await repo.run(report);
      const [result] = readSarif(repo.out('x.sarif')).results;
      const line = result?.locations[0].physicalLocation.region?.startLine;
      return { line, fingerprint: result?.partialFingerprints['onceoverFinding/v1'] };
    };
    const first = await look();
    expect(first).toEqual({ line: 2, fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/) });
    repo.write('src/a.ts', '// one\n// two\n\nexport const a = 1;\n  export const b = 2;\n');
    expect(await look()).toEqual({ line: 5, fingerprint: first.fingerprint });
    const other = reportRepo();
    other.answers('one', B_IS_ODD);
    await other.run(['--report', `sarif=${other.out('x.sarif')}`]);
    const [again] = readSarif(other.out('x.sarif')).results;
    expect(again?.partialFingerprints['onceoverFinding/v1']).toBe(first.fingerprint);
  });

  test('a waived finding is suppressed with its reason', async () => {
    const repo = reportRepo();
    repo.answers('one', B_IS_ODD, B_IS_ODD);
    await repo.run();
    await waive(repo, 'F1', 'It has to be so.');
    expect((await repo.run(['--report', `sarif=${repo.out('x.sarif')}`])).code).toBe(0);
    const { results } = readSarif(repo.out('x.sarif'));
    expect(results).toMatchObject([{ suppressions: [{ justification: 'It has to be so.' }] }]);
  });

  test('resolves FILE from the working directory, and creates folders', async () => {
    const repo = reportRepo();
    const end = await onceover(join(repo.root, 'src'), ['run', '--report', 'markdown=../../reports/a/b/x.md']);
    expect(end.code).toBe(0);
    expect(readFileSync(repo.out('a/b/x.md'), 'utf8')).toMatch(/^# Passed/);
  });

  test('warns if the report becomes part of the next change', async () => {
    const repo = reportRepo();
    repo.write('.gitignore', 'ignored/\n');
    repo.commit();
    const end = await repo.run(['--report', 'markdown=out/x.md', '--report', 'sarif=ignored/x.sarif']);
    expect(end.code).toBe(0);
    expect(end.stderr).toMatch(/^Warning: git does not ignore the report out\/x\.md/m);
    expect(end.stderr).not.toContain('ignored/x.sarif');
  });

  test('with --json, prints only the document', async () => {
    const repo = reportRepo();
    repo.answers('one', B_IS_ODD);
    const run = await repo.document(['--report', 'github', '--report', `junit=${repo.out('x.xml')}`]);
    expect(run).toMatchObject({ code: 1, status: 'failed', warnings: [] });
    expect(commandsIn(run.stderr)).toMatchObject([{ name: 'error', properties: { file: 'src/a.ts', line: '2' } }]);
    expect(existsSync(repo.out('x.xml'))).toBe(true);
  });

  test('replaces an older report', async () => {
    const repo = reportRepo();
    const report = ['--report', `markdown=${repo.out('x.md')}`, '--report', `sarif=${repo.out('x.sarif')}`];
    const page = () => readFileSync(repo.out('x.md'), 'utf8').split('\n')[0];
    const status = () => {
      const { properties, invocations } = readSarif(repo.out('x.sarif'));
      return [properties.status, properties.exitCode, invocations[0].executionSuccessful];
    };
    expect((await repo.run(report)).code).toBe(0);
    expect([page(), ...status()]).toEqual(['# Passed: 1 gate (exit code 0)', 'passed', 0, true]);

    // The settings are broken.
    const settings = readFileSync(join(repo.root, 'onceover.yml'), 'utf8');
    repo.write('onceover.yml', 'gates: 1\n');
    expect((await repo.run(report)).code).toBe(2);
    expect([page(), ...status()]).toEqual(['# Error: the gates have no result (exit code 2)', 'error', 2, false]);
    repo.write('onceover.yml', settings);

    // The reviewer gives no answer.
    repo.write('src/a.ts', 'export const c = 3;\n');
    repo.answers('one', { $exit: 1 }, { $exit: 1 }, { $exit: 1 });
    expect((await repo.run(report)).code).toBe(3);
    expect([page(), ...status()]).toEqual([expect.stringMatching(/^# Error: 1 gate/), 'error', 3, false]);

    // Nothing is asked about.
    expect((await repo.run([...report, '--gate', 'nope'])).code).toBe(2);
    expect([page(), ...status()]).toEqual(['# Error: the gates have no result (exit code 2)', 'error', 2, false]);

    // Nothing changed.
    repo.git('checkout', '-q', '-f', 'main');
    expect((await repo.run(report)).code).toBe(0);
    expect([page(), ...status()]).toEqual([expect.stringMatching(/^# Nothing to review/), 'no_changes', 0, true]);
  });

  test('writes a report for a run that reached its limit', async () => {
    const repo = reportRepo({ more: 'max_retries: 0' });
    repo.answers('one', B_IS_ODD);
    await repo.run();
    expect((await repo.run(['--report', `junit=${repo.out('x.xml')}`])).code).toBe(1);
    expect(readFileSync(repo.out('x.xml'), 'utf8')).toContain('<failure message="1 open finding"');
  });

  test('writes a report for a run that a check stops or that is interrupted', async () => {
    const gates = `  - path: src
    checks: { lint: { run: "echo no; exit 4" } }
    reviews: { code-quality: { prompt: .onceover/reviews/code-quality.md } }`;
    const stopped = reportRepo({ gates });
    expect((await stopped.run(['--report', `junit=${stopped.out('x.xml')}`])).code).toBe(1);
    const text = readFileSync(stopped.out('x.xml'), 'utf8');
    expect(text).toContain('exit code 4" type="failure">no</failure>');
    expect(text).toContain('<skipped>a check failed');

    const repo = reportRepo();
    repo.answers('one', { ...PASS, $sleep: 15_000 });
    const started = startOnceover(repo.root, ['run', '--report', `junit=${repo.out('x.xml')}`]);
    await started.said('(one): started');
    started.child.kill('SIGINT');
    expect((await started.ended).code).toBe(130);
    expect(readFileSync(repo.out('x.xml'), 'utf8')).toContain('<error message="Interrupted:');
  });
});

describe('a report that cannot be written', () => {
  test('makes a run that passed exit with 3', async () => {
    const repo = reportRepo();
    writeFileSync(join(dirname(repo.root), 'plain'), '');
    const report = [
      '--report',
      `markdown=${join(dirname(repo.root), 'plain', 'x.md')}`,
      '--report',
      `sarif=${repo.out('x.sarif')}`,
    ];
    const end = await repo.run(report);
    expect(told(end, 3)).toContain('A report is missing: ');
    expect(end.stdout).toContain('Error: every gate passes, but a report is missing (exit code 3)');
    expect(end.stdout).not.toContain('Passed');
    expect(existsSync(repo.out('x.sarif'))).toBe(true);
    const run = await repo.document(report);
    expect(run).toMatchObject({
      code: 3,
      exit_code: 3,
      status: 'error',
      warnings: [expect.stringContaining('a report is missing: ')],
    });
  });

  test.skipIf(!existsSync('/proc/self'))('makes it exit with 3 where no folder can be made', async () => {
    const repo = reportRepo();
    const end = await repo.run(['--report', 'markdown=/proc/none/x.md'], { timeoutMs: 30_000 });
    expect(told(end, 3)).toContain('A report is missing: ');
  });

  test('leaves exit code 1 of a run that failed', async () => {
    const repo = reportRepo();
    repo.answers('one', B_IS_ODD);
    writeFileSync(join(dirname(repo.root), 'plain'), '');
    expect(told(await repo.run(['--report', `junit=${join(dirname(repo.root), 'plain/x.xml')}`]), 1)).toContain(
      'is missing',
    );
  });

  test('because of a symlink writes nothing at its target', async () => {
    const repo = reportRepo();
    const elsewhere = temporaryFolder();
    symlinkSync(elsewhere, join(repo.root, 'out'));
    symlinkSync(join(elsewhere, 'y.md'), join(repo.root, 'x.md'));
    repo.commit();
    expect(told(await repo.run(['--report', 'markdown=out/x.md']), 3)).toContain('is a symlink');
    expect(told(await repo.run(['--report', 'markdown=x.md']), 3)).toContain('is a symlink');
    expect([existsSync(join(elsewhere, 'x.md')), existsSync(join(elsewhere, 'y.md'))]).toEqual([false, false]);
  });

  test('to the job summary makes the run exit with 3', async () => {
    const repo = reportRepo();
    const env = { GITHUB_STEP_SUMMARY: join(dirname(repo.root), 'nowhere/summary.md') };
    expect(told(await repo.run(['--report', 'github'], { env }), 3)).toContain('summary.md could not be written');
  });
});

test('a wrong --report exits with 2, names the formats and runs nothing', async () => {
  const rows: [reports: readonly string[], said: string][] = [
    [['pdf=x'], 'pdf is not a format of --report'],
    [['Sarif=x'], 'Sarif is not a format of --report'],
    [['=x'], '"" is not a format of --report'],
    [['__proto__=x'], '__proto__ is not a format of --report'],
    [['sarif'], '--report sarif needs a file'],
    [['sarif='], '--report sarif needs a file'],
    [['sarif=-'], '--report sarif needs a file'],
    [['github=x'], '--report github takes no file'],
    [['github='], '--report github takes no file'],
    [['github', 'github'], '--report has github twice'],
    [['sarif=x', 'markdown=./x'], '--report has ./x twice'],
    [['sarif=a/../x', 'sarif=x'], '--report has x twice'],
    [['sarif=src'], 'src is a folder'],
    [['sarif=new/'], 'new/ is a folder'],
    [['sarif=..'], '.. is a folder'],
  ];
  const repo = reportRepo();
  for (const [reports, said] of rows) {
    const flags = reports.flatMap((one) => ['--report', one]);
    const error = toldInJson(await repo.run([...flags, '--json']), 2);
    expect.soft(error).toMatchObject({ kind: 'wrong-usage', message: expect.stringContaining(said) });
    expect
      .soft(error.message)
      .toContain('Use markdown=FILE, sarif=FILE, junit=FILE, rdjson=FILE, html=FILE, json=FILE, github.');
  }
  const dry = toldInJson(await repo.run(['--dry-run', '--report', `sarif=${repo.out('x')}`, '--json']), 2);
  expect(dry.message).toContain('--report cannot be used with --dry-run');
  expect([repo.calls(), repo.records(), existsSync(repo.out('x'))]).toEqual([[], [], false]);
});

describe('on GitHub', () => {
  const HOSTILE = failing('src/a.ts', 'export const b = 2;', {
    issue: 'bad\n::set-output name=x::y\n  ::stop-commands::z\n##[add-mask]q\n# Passed @octocat <img src=x>',
    fix: '%0A::error::x',
  });

  test('findings become annotations, and the job summary gets the report', async () => {
    const repo = reportRepo();
    repo.answers('one', B_IS_ODD);
    const summary = join(dirname(repo.root), 'summary.md');
    writeFileSync(summary, 'before\n');
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
    const end = await repo.run(['--report', 'github'], { env });
    expect(end.code).toBe(1);
    expect(end.stdout.trimEnd().split('\n').at(-1)).toBe(
      '::error file=src/a.ts,line=2,endLine=2,title=F1 high (review%3Asrc%3Acode-quality @1)::something is wrong with export const b = 2;',
    );
    expect(readFileSync(summary, 'utf8')).toMatch(/^before\n# Failed: 1 open finding/);
  });

  test('without a job there is no summary, and a pass has no annotations', async () => {
    const end = await reportRepo().run(['--report', 'github']);
    expect([end.code, commandsIn(end.stdout + end.stderr)]).toEqual([0, []]);
  });

  test('a run that could not start becomes an annotation', async () => {
    const folder = temporaryFolder();
    const end = await onceover(folder, ['run', '--report', 'github', '--report', 'markdown=x.md']);
    expect(end.code).toBe(3);
    expect(commandsIn(end.stdout)).toMatchObject([{ name: 'error', data: expect.stringContaining('git repository') }]);
    expect(readFileSync(join(folder, 'x.md'), 'utf8')).toMatch(/^# Error: the gates have no result \(exit code 3\)/);
  });

  test.each([[[]], [['--json']], [['--report', 'github']], [['--report', 'github', '--json']]])(
    'nothing that a reviewer says is taken for a command: run %j',
    async (flags) => {
      const repo = reportRepo();
      repo.answers('one', HOSTILE);
      const end = await repo.run(flags, { env: { GITHUB_ACTIONS: 'true' } });
      expect(end.code).toBe(1);
      const names = commandsIn(`${end.stdout}\n${end.stderr}`).map(({ name }) => name);
      expect(names).toEqual(flags.includes('github') ? ['error'] : []);
    },
  );

  test('outside of GitHub output is unchanged', async () => {
    const repo = reportRepo();
    repo.answers('one', HOSTILE);
    expect((await repo.run()).stdout).toContain('    ::set-output name=x::y');
  });
});
