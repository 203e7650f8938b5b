import { onceover, onceoverJson } from '@onceover/testing/cli.ts';
import { failing, gateRepo, PASS, waive } from '@onceover/testing/gates.ts';
import { ruleText } from '@onceover/testing/repo.ts';
import { alone, BAD, command, configure, OBJECTION, objected, waysUnder } from '@onceover/testing/ways.ts';
import { expect } from 'vitest';

const way = waysUnder('Cases that pass on purpose');

const FIXED = 'export const a = 1;\nexport const b = 3;\n';

way(
  'Someone edits the file with the finding, and the reviewer that reported the finding passes the file.',
  async () => {
    const repo = await objected();
    repo.write('src/a.ts', FIXED);
    expect(await repo.document()).toMatchObject({ code: 0, findings: [{ id: 'F1', state: 'closed' }] });
    expect(repo.calls()).toHaveLength(2);
  },
);

way('The reviewer withdraws its finding, although no one has edited a file.', async () => {
  const repo = await objected();
  repo.answers('one', { ...PASS, previous: [{ id: 'F1', state: 'withdrawn', why: 'I was wrong' }] });
  expect((await repo.run()).code).toBe(0);
});

way('Someone edits another file of the gate, and the reviewer says that its finding is fixed.', async () => {
  const repo = await objected();
  repo.write('src/other.ts', 'export const other = 1;\n');
  repo.answers('one', { ...PASS, previous: [{ id: 'F1', state: 'fixed', why: 'b is used now' }] });
  expect((await repo.run()).code).toBe(0);
});

way('A reviewer failed the change without naming a file, and withdraws this verdict in its next review.', async () => {
  const repo = alone();
  repo.answers('one', { status: 'fail', violations: [], message: 'I do not like it.' });
  expect((await repo.run()).code).toBe(1);
  expect((await repo.run()).code).toBe(1);
  repo.answers('one', { ...PASS, previous: [{ id: 'F1', state: 'withdrawn', why: 'I was wrong' }] });
  expect((await repo.run()).code).toBe(0);
  expect(repo.calls()).toHaveLength(3);
});

way(
  'A review has reached the retry limit. Then someone removes the code that it rejected, and its reviewer passes what is left.',
  async () => {
    const repo = alone({ more: 'max_retries: 0' });
    repo.write('src/new.ts', 'export const n = 1;\n');
    repo.answers('one', { status: 'fail', violations: [{ file: 'src/new.ts', line: 1, issue: 'x', priority: 'low' }] });
    expect((await repo.run()).code).toBe(1);
    repo.git('clean', '-qf', 'src');
    expect((await repo.run()).code).toBe(0);
    expect(repo.calls()).toHaveLength(2);
  },
);

way('A person waives the finding with a reason.', async () => {
  const repo = await objected();
  await waive(repo, 'F1');
  expect(await repo.document()).toMatchObject({ code: 0, findings: [{ state: 'waived', why: 'it is meant so' }] });
});

way(
  'A waiver also covers other problems that the same reviewer reports for the same code, unless they are more severe.',
  async () => {
    const repo = await objected();
    await waive(repo, 'F1');
    repo.write('src/a.ts', `${BAD}\nexport const c = 1;\n`);
    repo.answers('one', failing('src/a.ts', BAD, { issue: 'something else' }));
    expect(await repo.document()).toMatchObject({ code: 0, findings: [{ state: 'waived' }] });
  },
);

way('Someone removes the code with the finding from the change, and the reviewer passes the rest.', async () => {
  const repo = alone();
  repo.write('src/new.ts', `${BAD}\n`);
  repo.answers('one', failing('src/new.ts', BAD));
  expect((await repo.run()).code).toBe(1);
  repo.git('clean', '-qf', 'src');
  expect((await repo.run()).code).toBe(0);
  expect(repo.calls()).toHaveLength(2);
});

way('A finding has a priority below `fail_on`: the run passes with warnings.', async () => {
  const repo = alone({ more: 'fail_on: critical' });
  repo.answers('one', OBJECTION);
  expect(await repo.document()).toMatchObject({
    code: 0,
    status: 'passed_with_warnings',
    findings: [{ state: 'warning' }],
  });
});

way(
  'onceover skips a reviewer that passed earlier, while another reviewer of its gate reviews the fix: the run lists the skipped reviewer.',
  async () => {
    const repo = gateRepo();
    repo.answers('two', OBJECTION);
    expect((await repo.run()).code).toBe(1);
    repo.write('src/a.ts', FIXED);
    const run = await repo.document();
    expect(run).toMatchObject({ code: 0, gates: [{ slots: [{ status: 'skipped_prior_pass' }, { status: 'pass' }] }] });
  },
);

way('Every reviewer has passed, and then someone changes the code: onceover runs only reviewer 1.', async () => {
  const repo = gateRepo();
  expect((await repo.run()).code).toBe(0);
  repo.write('src/a.ts', FIXED);
  repo.forget();
  expect((await repo.run()).code).toBe(0);
  expect(repo.calls().map(({ name }) => name)).toEqual(['one']);
});

const BY_HAND = {
  adapter: 'two',
  timestamp: '',
  status: 'skipped_prior_pass',
  rawOutput: '',
  violations: [],
  passIteration: 1,
};

way(
  'Because of a forged result, onceover skips a reviewer, while another reviewer reviews and passes the code.',
  async () => {
    const repo = gateRepo();
    repo.writeRecord('review_src_code-quality_two@2.2.json', BY_HAND);
    const run = await repo.document();
    expect(run).toMatchObject({ code: 0, gates: [{ slots: [{ status: 'pass' }, { status: 'skipped_prior_pass' }] }] });
    expect(repo.calls().map(({ name }) => name)).toEqual(['one']);
  },
);

way('With the setting `certify`, a forged result has no effect: the reviewer runs before the run passes.', async () => {
  const repo = gateRepo({ more: 'certify: true' });
  repo.writeRecord('review_src_code-quality_two@2.2.json', BY_HAND);
  repo.answers('two', OBJECTION);
  expect((await repo.run()).code).toBe(1);
  expect(repo.calls('two')).toHaveLength(1);
});

way('The current code has already passed on another branch or in another worktree.', async () => {
  const repo = alone();
  repo.commit();
  expect((await repo.run()).code).toBe(0);
  repo.git('checkout', '-q', '-b', 'other');
  repo.forget();
  expect(await repo.document()).toMatchObject({ code: 0, iteration: null, gates: [{ status: 'holds' }] });
  expect(repo.calls()).toEqual([]);
});

way(
  'A check changes files once, like a formatter: the check runs again, and the reviewers see the changed files.',
  async () => {
    const repo = alone({
      gates:
        '  - path: src\n    checks: { format: { run: "echo formatted > src/a.ts" } }\n' +
        '    reviews: { own: { prompt: .onceover/reviews/code-quality.md } }',
    });
    expect((await repo.run()).code).toBe(0);
    expect(repo.calls()[0]?.prompt).toContain('+formatted');
  },
);

way('With the setting `trust_marks`, someone marks a review of the current files as passed.', async () => {
  const rule = ruleText('security', { include: ['src/**'] });
  const repo = alone({ gates: '  []', more: 'trust_marks: true', files: { '.deepreview': rule } });
  const { tasks } = await onceoverJson<{ tasks: { review_id: string }[] }>(repo.root, ['instructions']);
  for (const { review_id } of tasks) await command(repo, 'pass', review_id);
  expect(await repo.document()).toMatchObject({ code: 0, gates: [{ status: 'holds', why: 'marked-as-passed' }] });
  expect(repo.calls()).toEqual([]);
});

way('The working tree does not differ from the base branch.', async () => {
  const repo = alone();
  repo.git('checkout', '-q', '.');
  expect(await repo.document()).toMatchObject({ code: 0, status: 'no_changes' });
});

way('No gate applies to a changed file: the run passes and lists the file.', async () => {
  const repo = alone();
  repo.write('lib/b.ts', 'export const c = 1;\n');
  expect(await repo.document()).toMatchObject({ code: 0, uncovered_files: ['lib/b.ts'] });
});

way('On your own machine, you remove a gate without open findings: the run lists the files of this gate.', async () => {
  const repo = alone();
  configure(repo, { gates: '  - path: lib\n    checks: { lint: { run: "true" } }' });
  const run = await repo.document();
  expect(run).toMatchObject({ code: 0, status: 'no_applicable_gates' });
  expect(run.uncovered_files).toContain('src/a.ts');
});

way(
  'An untracked file looks like a secret or is larger than 5 MiB: onceover lists the file, and reviews it after "git add".',
  async () => {
    const repo = alone();
    repo.write('src/.env', 'TOKEN=1\n');
    repo.write('src/large.bin', new Uint8Array(5 * 1024 * 1024 + 1));
    expect(await repo.document()).toMatchObject({ code: 0, withheld_files: ['src/.env', 'src/large.bin'] });
    repo.git('add', '-f', 'src/.env');
    repo.answers('one', OBJECTION);
    expect((await repo.run()).code).toBe(1);
  },
);

way('Git ignores a file, and no one added it with "git add --force".', async () => {
  const repo = alone();
  repo.write('.git/info/exclude', '*.log\n');
  expect((await repo.run()).code).toBe(0);
  repo.write('src/x.log', 'anything\n');
  expect((await onceover(repo.root, ['status'])).code).toBe(0);
});

way('A nested repository has uncommitted changes: the run passes and prints a warning.', async () => {
  const repo = alone();
  repo.git('init', '-q', 'lib');
  repo.git('-C', 'lib', 'commit', '-q', '--allow-empty', '-m', 'one');
  expect((await repo.document()).warnings.join()).not.toContain('uncommitted changes');
  repo.write('lib/new.ts', 'export const evil = 1;\n');
  const run = await repo.document();
  expect(run.code).toBe(0);
  expect(run.warnings.join()).toContain('lib is a submodule with uncommitted changes, which are not reviewed here');
});

way(
  'An image, audio, video or font file changes, and its name and its first bytes agree: the run passes and names the file.',
  async () => {
    const repo = alone();
    const noise = Uint8Array.from({ length: 40_000 }, (_, i) => (i * i * 7919) % 256);
    repo.write('src/logo.png', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, ...noise]));
    repo.write('src/font.woff2', new Uint8Array([0x77, 0x4f, 0x46, 0x32, ...noise]));
    const end = await repo.document();
    expect(end).toMatchObject({
      code: 0,
      warnings: [expect.stringMatching(/src\/font\.woff2.*src\/logo\.png.*not text/)],
    });
  },
);

way('The staged content of a file differs from the working tree: the run reviews the working tree.', async () => {
  const repo = alone();
  expect((await repo.run()).code).toBe(0);
  repo.write('src/a.ts', 'export const staged = 1;\n');
  repo.git('add', 'src/a.ts');
  repo.write('src/a.ts', 'export const a = 1;\nexport const b = 2;\n');
  expect((await onceover(repo.root, ['status'])).code).toBe(0);
  repo.git('commit', '-q', '-m', 'staged');
  repo.git('checkout', '-q', '.');
  expect((await onceover(repo.root, ['status'])).code).toBe(1);
});

way('A run with --commit runs no checks, and its output says that.', async () => {
  const gates =
    '  - path: src\n    checks: { own: { run: "false" } }\n' +
    '    reviews: { own: { prompt: .onceover/reviews/code-quality.md } }';
  const repo = alone({ gates });
  repo.commit();
  const run = await repo.document(['--commit', 'HEAD']);
  expect(run.code).toBe(0);
  expect(run.warnings.join()).toContain('checks');
  expect((await repo.run()).code).toBe(1);
});
