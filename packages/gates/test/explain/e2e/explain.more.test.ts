import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { failing, gateRepo } from '@onceover/testing/gates.ts';
import { expect, test } from 'vitest';
import type { RunExplanationDocument } from '../../../src/explain/json.ts';
import { runExplanationSchema } from '../../../src/result/json-schema.ts';

const GATE = 'review:src:code-quality';
const GATES = `  - path: src
    checks:
      lint: { run: "! grep BROKEN README.md" }
    reviews:
      code-quality: { prompt: .onceover/reviews/code-quality.md, num_reviews: 2 }
  - path: docs
    reviews:
      prose: { prompt: .onceover/reviews/code-quality.md }`;

test('every rerun trigger that explain names causes a rerun', async () => {
  const repo = gateRepo({ gates: GATES, more: 'unchanged_gates: rest' });
  const told = async (name: string): Promise<RunExplanationDocument> => {
    const { stdout } = await onceover(repo.root, ['explain', name, '--json']);
    return runExplanationSchema.parse(JSON.parse(stdout)) as RunExplanationDocument;
  };
  const again = async (...names: readonly string[]) =>
    Promise.all(names.map(async (name) => ((await told(name)) as { runs_again: readonly string[] }).runs_again[0]));

  expect(await again(GATE, 'docs:prose', 'lint')).toEqual([
    'every run calls reviewers 1, 2 until they pass',
    expect.stringContaining('a file of the gate changes'),
    'every run, until the check passes on the current tree',
  ]);
  expect((await repo.run()).code).toBe(0);
  expect(await again(GATE, `${GATE}@2`, 'lint')).toEqual([
    expect.stringContaining('then reviewer 1 runs, and the others are skipped'),
    expect.stringContaining('not when its files change: then reviewer 1 runs'),
    expect.stringContaining('anywhere in the repository'),
  ]);

  // An edit elsewhere: the check runs again, the reviewers do not.
  repo.forget();
  repo.write('README.md', '# BROKEN\n');
  expect(await again('lint')).toEqual(['every run, until the check passes on the current tree']);
  expect([(await repo.run()).code, repo.calls()]).toEqual([1, []]);
  const check = await onceover(repo.root, ['explain', 'lint']);
  expect(check.stdout).toContain('Last output:\n  # BROKEN');
  const printed = await onceover(repo.root, ['explain', 'lint', '--prompt']);
  expect(printed.stdout).toMatch(/^Check: check:src:lint\nCommand: ! grep BROKEN README\.md\n\n/);
  const prompt = await onceover(repo.root, ['status', '--prompt']);
  expect([prompt.code, prompt.stdout]).toEqual([
    1,
    expect.stringContaining(
      'check:src:lint failed: ! grep BROKEN README.md: exit code 1\n```\n  # BROKEN\n```\nThe whole output is in .deepwork/logs/check_src_lint.2.log\n',
    ),
  ]);

  // An edit of its files: the latch looks.
  repo.write('README.md', '# Fixed\n');
  repo.write('src/a.ts', 'export const a = 1;\nexport const c = 3;\n');
  repo.answers('one', failing('src/a.ts', 'export const c = 3;'));
  expect((await repo.run()).code).toBe(1);
  expect(repo.calls().map(({ name }) => name)).toEqual(['one']);
  // Nothing has changed since: no run calls the reviewer, until someone answers the finding.
  const unchanged = expect.stringContaining('Until then, runs skip it');
  expect(await again(GATE, `${GATE}@1`)).toEqual([unchanged, unchanged]);
  expect(await told('F1')).toMatchObject({ about: 'finding', would_be_asked: false });
  await onceover(repo.root, ['resolve', 'F1', '--fixed', 'c is right']);
  expect(await again(GATE, `${GATE}@1`)).toEqual(Array(2).fill('every run calls reviewer 1 until it passes'));
  expect(await told('F1')).toMatchObject({ about: 'finding', would_be_asked: true });
  expect(await told(`${GATE}@1`)).toMatchObject({
    about: 'slot',
    slot: { slot: 1, status: 'fail' },
    would_do: ['Running @1: it had not passed before'],
    findings: [{ id: 'F1', state: 'fixed_claimed' }],
    history: [
      { iteration: 2, slot: 1, agent: 'one', status: 'fail', dispatch: 'fresh', findings: ['F1'] },
      { iteration: 1, slot: 1, agent: 'one', status: 'pass', why: 'first-run, first-look', findings: [] },
    ],
    log: expect.stringContaining('Status: FAIL'),
  });
  expect(await told('lint')).toMatchObject({
    about: 'check',
    would_run: false,
    history: [
      // The run that the check stopped was not an iteration, so the next one got its number.
      { iteration: 2, status: 'pass', exit_code: 0, why: null },
      { iteration: 1, status: 'pass' },
    ],
  });
  const finding = await onceover(repo.root, ['explain', 'F1']);
  expect(finding.stdout).toContain('the next run calls reviewer 1');
});

test('explain counts a warning as open once a stricter fail_on fails its gate', async () => {
  const repo = gateRepo({ numReviews: 1, more: 'fail_on: high' });
  repo.answers('one', failing('src/a.ts', 'export const a = 1;', { priority: 'medium' }));
  expect((await repo.run()).code).toBe(0);
  expect((await onceover(repo.root, ['explain', 'F1'])).stdout).toMatch(/^F1 is a warning: /);
  const settings = readFileSync(join(repo.root, 'onceover.yml'), 'utf8');
  repo.write('onceover.yml', settings.replace('fail_on: high', 'fail_on: low'));
  const status = await repo.document(['--dry-run']);
  expect(status.findings).toMatchObject([{ id: 'F1', state: 'open' }]);
  expect((await onceover(repo.root, ['explain', 'F1'])).stdout).toMatch(/^F1 is open, /);
});

test('escape sequences of a reviewer do not reach the terminal by --prompt', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  const issue = '\u001b]0;owned\u0007\u001b[2J\ta\u202eb\nnext\r';
  repo.answers('one', failing('src/a.ts', 'export const b = 2;', { issue }));
  expect((await repo.run()).code).toBe(1);
  for (const args of [
    ['status', '--prompt'],
    ['explain', 'review:src:code-quality@1', '--prompt'],
  ]) {
    const { stdout } = await onceover(repo.root, args);
    expect(stdout, args.join(' ')).toContain('owned');
    expect(stdout, args.join(' ')).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
  }
});
