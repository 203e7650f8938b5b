import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Cache, Played } from '@onceover/testing/composite-action.ts';
import { failing } from '@onceover/testing/gates.ts';
import { FORK, pullRequestRepo } from '@onceover/testing/pull-request.ts';
import { commandsIn } from '@onceover/testing/workflow-commands.ts';
import { describe, expect, test } from 'vitest';

const B_IS_ODD = failing('src/a.ts', 'export const b = 2;', { line: 2 });
const usesOf = ({ used }: Played) => used.map(({ uses }) => uses);
const KEPT = ['actions/cache/restore', 'actions/cache/save'];

describe('the result of the run', () => {
  test('passed: the step succeeds, with its outputs and the job summary', async () => {
    const repo = pullRequestRepo();
    const played = await repo.job();
    expect(played.isSuccess).toBe(true);
    expect(played.outputs).toMatchObject({ status: 'passed', 'exit-code': '0', findings: '0' });
    expect(played.summary).toMatch(/^# Passed: .*\(exit code 0\)/);
    expect(readFileSync(played.outputs['markdown'] ?? '', 'utf8')).toBe(played.summary);
    expect(JSON.parse(readFileSync(played.outputs['sarif'] ?? '', 'utf8'))).toMatchObject({ version: '2.1.0' });
    expect(played.log).toContain('settings, rules and prompts come from origin/main');
  });

  test('failed: the step ends with exit code 1, and findings are annotations', async () => {
    const repo = pullRequestRepo();
    repo.answers('one', B_IS_ODD);
    const played = await repo.job();
    expect([played.isSuccess, played.outputs]).toMatchObject([
      false,
      { status: 'failed', 'exit-code': '1', findings: '1' },
    ]);
    expect(played.log).toContain('[Verdict ended with exit code 1]');
    expect(commandsIn(played.log)).toMatchObject([{ name: 'error', properties: { file: 'src/a.ts', line: '2' } }]);
    expect(played.summary).toMatch(/^# Failed: 1 open finding/);
  });

  test('a reviewer cannot run: the step ends with exit code 3', async () => {
    const repo = pullRequestRepo();
    repo.answers('one', { $exit: 1 }, { $exit: 1 }, { $exit: 1 });
    const played = await repo.job();
    expect([played.isSuccess, played.outputs]).toMatchObject([
      false,
      { status: 'error', 'exit-code': '3', findings: '0' },
    ]);
    expect(played.log).toContain('[Verdict ended with exit code 3]');
    expect(played.summary).toMatch(/^# Error: /);
  });

  test('invalid options: exit code 2, and no report', async () => {
    const played = await pullRequestRepo().job({ inputs: { args: '--no-such-option' } });
    expect([played.isSuccess, played.outputs]).toEqual([
      false,
      { status: 'error', 'exit-code': '2', findings: '', html: '', markdown: '', run: '', sarif: '' },
    ]);
    expect(commandsIn(played.log).map(({ data }) => data)).toEqual([
      'onceover ended with exit code 2 and wrote no report. See the log.',
    ]);
  });

  test('no checkout: exit code 3', async () => {
    const repo = pullRequestRepo();
    const played = await repo.job({ root: dirname(repo.root), inputs: { 'working-directory': 'machine' } });
    expect([played.isSuccess, played.outputs['exit-code'], played.used]).toEqual([false, '3', []]);
  });

  test('with "fail-on-error: false" the step succeeds, and the outputs have the result', async () => {
    const repo = pullRequestRepo();
    repo.answers('one', B_IS_ODD);
    const played = await repo.job({ inputs: { 'fail-on-error': 'false' } });
    expect([played.isSuccess, played.outputs['exit-code']]).toEqual([true, '1']);
  });

  test('cancelling the job interrupts the run: exit code 130', async () => {
    const repo = pullRequestRepo();
    repo.answers('one', {
      status: 'pass',
      violations: [],
      $run: 'kill -INT $(cat "$HOME"/review.pid)',
      $sleep: 10_000,
    });
    const played = await repo.job({ steps: { review: 'echo $$ > "$HOME"/review.pid\n' } });
    expect([played.isSuccess, played.outputs['exit-code'], played.outputs['status']]).toEqual([
      false,
      '130',
      'interrupted',
    ]);
    expect(usesOf(played)).toContain('actions/cache/save');
  });

  test('options, base and reports are passed on, one per line', async () => {
    const repo = pullRequestRepo();
    const report = join(dirname(repo.root), 'out', 'x y.xml');
    const played = await repo.job({
      inputs: { args: '--gate\ncode-quality\n\n', base: 'origin/main', report: `junit=${report}` },
    });
    expect([played.isSuccess, existsSync(report)]).toEqual([true, true]);
  });

  test('findings are uploaded if the input asks for it, even after a failure', async () => {
    const repo = pullRequestRepo();
    repo.answers('one', B_IS_ODD);
    const played = await repo.job({ inputs: { sarif: 'true', receipts: 'false' } });
    expect(played.used).toEqual([
      {
        uses: 'github/codeql-action/upload-sarif',
        with: { sarif_file: played.outputs['sarif'], category: 'onceover' },
      },
    ]);
  });
});

test('the page is kept as an artifact if the input asks for it, and the comment links to it', async () => {
  const repo = pullRequestRepo();
  const played = await repo.job({ inputs: { artifact: 'true', receipts: 'false' } });
  expect(readFileSync(played.outputs['html'] ?? '', 'utf8')).toContain("default-src 'none'");
  expect(played.used).toEqual([
    {
      uses: 'actions/upload-artifact',
      with: { name: 'onceover-report', path: played.outputs['html'], overwrite: 'true' },
    },
  ]);
});

describe('kept between runs', () => {
  test('a gate that passed does not run again, and then there is nothing new to keep', async () => {
    const repo = pullRequestRepo();
    const cache: Cache = { entries: [] };
    const first = await repo.job({ cache });
    expect(usesOf(first)).toEqual(KEPT);
    const second = await repo.job({ cache });
    expect([second.isSuccess, second.outputs['status']]).toEqual([true, 'passed']);
    expect(repo.calls()).toHaveLength(1);
    expect(usesOf(second)).toEqual(['actions/cache/restore']);
  });

  test('after a fix, the reviewer that passed is skipped, and the reviewer of the finding closes it', async () => {
    const repo = pullRequestRepo({ agents: ['one', 'two'], numReviews: 2 });
    const cache: Cache = { entries: [] };
    repo.answers('one', B_IS_ODD);
    expect((await repo.job({ cache })).outputs['exit-code']).toBe('1');
    repo.write('src/a.ts', 'export const a = 1;\nexport const c = 3;\n');
    repo.commit('fix');
    const played = await repo.job({ cache });
    expect([played.isSuccess, played.outputs['findings']]).toEqual([true, '0']);
    expect(repo.calls().map(({ name }) => name)).toEqual(expect.arrayContaining(['one', 'two', 'one']));
    expect(repo.calls()).toHaveLength(3);
    expect(played.log).toContain('Closed in this run: F1.');
  });

  test('restarting the job does not lose a finding', async () => {
    const repo = pullRequestRepo();
    const cache: Cache = { entries: [] };
    repo.answers('one', B_IS_ODD);
    await repo.job({ cache });
    const again = await repo.job({ cache });
    expect([again.isSuccess, again.outputs['findings']]).toEqual([false, '1']);
  });

  test.each<[string, boolean]>([
    ['the branch', false],
    ['the merge commit, as actions/checkout does by default', true],
  ])(
    'convergence counts the reviews of earlier pushes if the job checks out %s',
    async (_title, isMerge) => {
      const repo = pullRequestRepo({ more: 'convergence: { unchanged_code: must_fix_only }' });
      const meddle = (root: string) => {
        if (!isMerge) return;
        const git = (...args: string[]) =>
          execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: root });
        git('checkout', '-q', '--detach', 'origin/main');
        git('merge', '-q', '--no-ff', '-m', 'merge', 'origin/work');
      };
      const cache: Cache = { entries: [] };
      const push = (b: number, c: number) => {
        repo.write('src/a.ts', `export const a = 1;\nexport const b = ${b};\nexport const c = ${c};\n`);
        repo.commit('push');
        return repo.job({ cache, meddle });
      };
      const nit = (c: number) => failing('src/a.ts', `export const c = ${c};`, { line: 3, priority: 'medium' });
      repo.answers('one', B_IS_ODD);
      expect((await push(2, 3)).isSuccess).toBe(false);
      repo.answers('one', { ...nit(3), previous: [{ id: 'F1', state: 'fixed', why: 'it is even' }] });
      expect((await push(20, 3)).outputs['status']).toBe('passed_with_warnings');
      repo.answers('one', nit(30));
      expect((await push(20, 30)).outputs['status']).toBe('failed');
    },
    60_000,
  );

  test("a fork's job keeps nothing and uses nothing that was kept", async () => {
    const repo = pullRequestRepo();
    const cache: Cache = { entries: [] };
    await repo.job({ cache });
    const played = await repo.job({ cache, event: FORK });
    expect([played.isSuccess, played.used, repo.calls().length]).toEqual([true, [], 2]);
    expect(played.log).toContain('not kept for later runs: the pull request comes from a fork.');
  });

  test('with "receipts: false" nothing is kept', async () => {
    const repo = pullRequestRepo();
    expect((await repo.job({ inputs: { receipts: 'false' } })).used).toEqual([]);
  });

  test('files in the git folder from before the review do not count', async () => {
    const repo = pullRequestRepo();
    await repo.job();
    const left = join(dirname(repo.root), 'left');
    cpSync(join(repo.checkout, '.git/onceover'), left, { recursive: true });
    cpSync(join(repo.checkout, '.deepwork/logs'), join(left, 'logs'), { recursive: true });
    repo.answers('one', B_IS_ODD);
    const played = await repo.job({
      meddle(root) {
        cpSync(left, join(root, '.git/onceover'), { recursive: true });
        cpSync(join(left, 'logs'), join(root, '.deepwork/logs'), { recursive: true });
      },
    });
    expect([played.isSuccess, repo.calls().length]).toEqual([false, 2]);
  });

  test('records behind a symlink are neither removed nor kept', async () => {
    const repo = pullRequestRepo();
    const elsewhere = join(dirname(repo.root), 'elsewhere');
    mkdirSync(join(elsewhere, 'logs'), { recursive: true });
    writeFileSync(join(elsewhere, 'logs/mine.txt'), 'mine');
    const played = await repo.job({ meddle: (root) => symlinkSync(elsewhere, join(root, '.deepwork')) });
    const kept = played.used.find(({ uses }) => uses === 'actions/cache/restore')?.with['path'];
    expect(kept?.split('\n').map((path) => path.split('/').at(-1))).toEqual(['receipts', 'findings']);
    expect(readdirSync(join(elsewhere, 'logs'))).toEqual(['mine.txt']);
  });
});

describe('the author of the change', () => {
  test('cannot commit records that count as our own', async () => {
    const entry = (path: string, slots: number) =>
      `  - path: ${path}\n    reviews: { code-quality: { prompt: .onceover/reviews/code-quality.md, num_reviews: ${slots} } }`;
    const repo = pullRequestRepo({ agents: ['one', 'two'], gates: `${entry('src', 1)}\n${entry('lib', 2)}` });
    const cache: Cache = { entries: [] };
    const pass = { adapter: 'two', timestamp: '', status: 'pass', rawOutput: '', violations: [] };
    repo.writeRecord('review_lib_code-quality_two@2.1.json', pass);
    repo.git('add', '-f', '.deepwork');
    repo.commit();
    await repo.job({ cache });
    repo.git('rm', '-rq', '.deepwork');
    repo.write('lib/b.ts', 'export const b = 2;\n');
    repo.commit();
    repo.answers('two', failing('lib/b.ts', 'export const b = 2;'));
    const played = await repo.job({ cache });
    expect([played.isSuccess, repo.calls('two').length]).toEqual([false, 1]);
  });

  test('cannot choose the reviewing program or its source', async () => {
    const repo = pullRequestRepo();
    repo.write('.npmrc', 'registry=http://127.0.0.1:9/\n');
    repo.write('node_modules/.bin/onceover', '#!/bin/sh\nexit 0\n');
    repo.commit('own program');
    repo.answers('one', B_IS_ODD);
    const played = await repo.job();
    expect([played.isSuccess, repo.calls().length]).toEqual([false, 1]);
    const calls = [...played.log.matchAll(/npm in (\S+): (.*)/g)];
    expect(calls.map(([, , args]) => args)).toEqual(['ci --ignore-scripts --no-audit --no-fund', 'run build']);
    for (const [, folder = ''] of calls) expect(folder.startsWith(repo.checkout)).toBe(false);
  });

  test('cannot send commands to the runner from within a check', async () => {
    const gates = `  - path: src
    checks: { talk: { run: 'env | grep -cE "^GITHUB_(OUTPUT|ENV|PATH|STATE)="; exit 4' } }`;
    const played = await pullRequestRepo({ gates }).job();
    expect([played.outputs['exit-code'], /\n +0\n/.test(played.log)]).toEqual(['1', true]);
  });

  test('cannot run a command through names of branches, workflows or files', async () => {
    const repo = pullRequestRepo();
    const word = 'x";touch PWNED;$(touch PWNED)`touch PWNED`';
    repo.write(`src/${word}.ts`, 'export {};\n');
    repo.commit('names');
    const played = await repo.job({
      env: { GITHUB_HEAD_REF: word, GITHUB_WORKFLOW: word, GITHUB_JOB: word, GITHUB_ACTOR: word },
    });
    expect(played.isSuccess).toBe(true);
    expect(pwned(repo.root)).toBe('');
  });

  test.each([[['args', 'base', 'report', 'token']], [['receipts']], [['sarif']], [['artifact']], [['fail-on-error']]])(
    'cannot run a command through the values of inputs: %j',
    async (names) => {
      const repo = pullRequestRepo();
      const value = '$(touch PWNED)"; touch PWNED; `touch PWNED` \'\n$(touch PWNED)\n::set-output name=x::y';
      const played = await repo.job({ inputs: Object.fromEntries(names.map((name) => [name, value])) });
      expect([played.isSuccess, pwned(repo.root), repo.calls()]).toEqual([false, '', []]);
      expect(commandsIn(played.log).map(({ name }) => name)).not.toContain('set-output');
    },
  );
});

function pwned(root: string): string {
  return execFileSync('find', [dirname(root), '-name', 'PWNED'], { encoding: 'utf8' });
}
