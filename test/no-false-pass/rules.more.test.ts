import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onceoverJson } from '@onceover/testing/cli.ts';
import { type GateRepo, PASS } from '@onceover/testing/gates.ts';
import { ruleText } from '@onceover/testing/repo.ts';
import { alone, command, expectAsked, OBJECTION, waysUnder } from '@onceover/testing/ways.ts';
import { expect, vi } from 'vitest';

const way = waysUnder('Reviews that are only marked as passed');

/** Creates a repository with a rule and no other gates. */
function withRule(strategy: string, more = ''): GateRepo {
  const rule = ruleText('security', { include: ['**/*.py'], strategy });
  const repo = alone({ gates: '  []', more, files: { '.deepreview': rule, 'a.py': 'a\n', 'b.py': 'b\n' } });
  repo.write('a.py', 'evil\n');
  return repo;
}

async function reviewIds(repo: GateRepo): Promise<readonly string[]> {
  const written = await onceoverJson<{ tasks: { review_id: string }[] }>(repo.root, ['instructions']);
  return written.tasks.map((task) => task.review_id);
}

for (const strategy of ['individual', 'matches_together', 'all_changed_files']) {
  way(`Someone marks a review with "strategy: ${strategy}" as passed with "onceover pass".`, async () => {
    const repo = withRule(strategy);
    for (const id of await reviewIds(repo)) expect((await command(repo, 'pass', id)).code).toBe(0);
    repo.answers('one', OBJECTION);
    await expectAsked(repo);
  });
}

way('Someone creates by hand the file that marks a review as passed.', async () => {
  const repo = withRule('individual');
  for (const id of await reviewIds(repo)) repo.write(`.deepwork/tmp/review_instructions/${id}.passed`, '');
  repo.answers('one', OBJECTION);
  await expectAsked(repo);
});

way('With the setting `trust_marks`, someone edits a file after its review was marked as passed.', async () => {
  const repo = withRule('matches_together', 'trust_marks: true');
  for (const id of await reviewIds(repo)) expect((await command(repo, 'pass', id)).code).toBe(0);
  repo.write('a.py', 'more evil\n');
  repo.answers('one', OBJECTION);
  await expectAsked(repo);
});

way('With the setting `trust_marks`, someone marks a review with an open finding as passed.', async () => {
  const repo = withRule('matches_together', 'trust_marks: true');
  const ids = await reviewIds(repo);
  repo.answers('one', { status: 'fail', violations: [{ file: 'a.py', line: 1, issue: 'evil', priority: 'high' }] });
  expect((await repo.run()).code).toBe(1);
  for (const id of ids) await command(repo, 'pass', id);
  expect((await repo.run()).code).toBe(1);
});

way(
  'With the setting `trust_marks`, someone deletes a file after the review of the other files was marked as passed.',
  async () => {
    const repo = withRule('matches_together', 'trust_marks: true');
    for (const id of await reviewIds(repo)) expect((await command(repo, 'pass', id)).code).toBe(0);
    rmSync(join(repo.root, 'b.py'));
    repo.answers('one', OBJECTION);
    await expectAsked(repo);
  },
);

for (const [by, set] of [
  ['"onceover pass"', async (repo: GateRepo) => void (await command(repo, 'pass', (await reviewIds(repo))[0] ?? ''))],
  ['a run', async (repo: GateRepo) => expect((await repo.run()).code).toBe(0)],
] as const) {
  way(
    `With the setting \`trust_marks\`, someone edits the instructions of the rule after ${by} marked its review as passed.`,
    async () => {
      const repo = withRule('individual', 'trust_marks: true');
      await set(repo);
      repo.write('.deepreview', ruleText('security', { include: ['**/*.py'] }).replace('closely', 'elsewhere'));
      repo.answers('one', OBJECTION);
      repo.forget();
      await expectAsked(repo);
    },
  );
}

way(
  'With the settings `trust_marks` and "cache: strict", someone edits a reference file of the rule after its review was marked as passed.',
  async () => {
    const repo = withRule('individual', 'trust_marks: true\ncache: strict');
    const more = '    reference_files: [{ path: known.md, description: what is known }]\n';
    repo.write('known.md', 'known\n');
    repo.write('.deepreview', ruleText('security', { include: ['**/*.py'], more }));
    await command(repo, 'pass', (await reviewIds(repo))[0] ?? '');
    expect((await repo.run()).code).toBe(0);
    repo.write('known.md', 'known better\n');
    repo.answers('one', OBJECTION);
    await expectAsked(repo);
  },
);

way(
  'With the setting `trust_marks`, someone changes the mode of a file after its review was marked as passed.',
  async () => {
    const repo = withRule('matches_together', 'trust_marks: true');
    await command(repo, 'pass', (await reviewIds(repo))[0] ?? '');
    expect((await repo.run()).code).toBe(0);
    chmodSync(join(repo.root, 'a.py'), 0o755);
    repo.answers('one', OBJECTION);
    await expectAsked(repo);
  },
);

way(
  'With the setting `trust_marks`, someone marked the review of the working tree as passed, and the run reviews a commit.',
  async () => {
    const repo = withRule('individual', 'trust_marks: true');
    repo.commit('evil');
    repo.write('a.py', 'good\n');
    await command(repo, 'pass', (await reviewIds(repo))[0] ?? '');
    repo.answers('one', OBJECTION);
    expect((await repo.run(['--commit', 'HEAD'])).code).toBe(1);
    expect(repo.calls().map(({ name }) => name)).toEqual(['one']);
  },
);

// Waits until the receipt says that the rule passes, which is just before its task is marked.
const EDITOR = `
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
const folder = '.git/onceover/receipts';
const isHeld = (name) => readFileSync(folder + '/' + name, 'utf8').includes('"mergeBase"');
for (const end = Date.now() + 5000; Date.now() < end; ) {
  if (existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.json') && isHeld(name))) break;
}
writeFileSync('a.py', 'never seen\\n');
`;

way('Someone edits a file at the moment in which onceover marks its review as passed.', async () => {
  const repo = withRule('individual');
  const editor = join(dirname(repo.root), 'editor.mjs');
  writeFileSync(editor, EDITOR);
  const start = `require('node:child_process').spawn(process.execPath, ['${editor}'], { detached: true, stdio: 'ignore' }).unref()`;
  repo.answers('one', { ...PASS, $run: `node -e "${start}"`, $sleep: 300 });
  await repo.run();
  await vi.waitFor(() => expect(readFileSync(join(repo.root, 'a.py'), 'utf8')).toBe('never seen\n'), 10_000);
  expect(await reviewIds(repo)).toHaveLength(1);
});

for (const strategy of ['individual', 'matches_together']) {
  way(`The only change is a deleted file, and the rule for this file has "strategy: ${strategy}".`, async () => {
    const repo = withRule(strategy);
    expect((await repo.run()).code).toBe(0);
    rmSync(join(repo.root, 'b.py'));
    repo.answers('one', OBJECTION);
    repo.forget();
    await expectAsked(repo);
  });
}

way('Someone edits the instructions of a rule after its review passed.', async () => {
  const repo = withRule('individual');
  expect((await repo.run()).code).toBe(0);
  const rule = ruleText('security', { include: ['**/*.py'] });
  repo.write('.deepreview', rule.replace('Look closely.', 'Look elsewhere.'));
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});

way('A group of files passed one review, and then someone changes one of these files.', async () => {
  const repo = withRule('matches_together');
  expect((await repo.run()).code).toBe(0);
  repo.write('c.py', 'evil\n');
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});

way('A group of files passed one review, and then someone reverts one of these files.', async () => {
  const repo = withRule('matches_together');
  repo.write('b.py', 'evil too\n');
  expect((await repo.run()).code).toBe(0);
  repo.git('checkout', '-q', 'b.py');
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});

way('Someone removes a rule while its review has an open finding.', async () => {
  const repo = withRule('individual');
  repo.answers('one', { status: 'fail', violations: [{ file: 'a.py', line: 1, issue: 'evil', priority: 'high' }] });
  expect((await repo.run()).code).toBe(1);
  rmSync(join(repo.root, '.deepreview'));
  expect(await repo.document()).toMatchObject({ code: 1, findings: [{ id: 'F1', state: 'open' }] });
});
