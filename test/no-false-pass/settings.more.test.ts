import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { failing, type GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import { ruleText } from '@onceover/testing/repo.ts';
import { alone, command, configure, expectAsked, OBJECTION, passed, waysUnder } from '@onceover/testing/ways.ts';
import { expect } from 'vitest';

const way = waysUnder('Invalid or changed settings, prompts and rules');

const PROMPT = '.onceover/reviews/code-quality.md';

/** Removes tracked files as a sparse checkout does. */
function leaveOut(repo: GateRepo, ...paths: readonly string[]): void {
  repo.git('update-index', '--skip-worktree', ...paths);
  for (const path of paths) rmSync(join(repo.root, path));
}

way('Someone edits the prompt of a review after it passed.', async () => {
  const repo = await passed();
  repo.write(PROMPT, 'Look for something else.\n');
  await expectAsked(repo);
});

const RULE = `${ruleText('style', { include: ['src/**'], strategy: 'matches_together' })}    reference_files: [{ path: STYLE.md, description: the standard }]
    additional_context: { all_changed_filenames: true, unchanged_matching_files: true }
`;
const withRule = () => passed({ gates: '  []', files: { '.deepreview': RULE, 'STYLE.md': 'Use tabs.\n' } });

way('Someone edits a reference file of a rule after its review passed.', async () => {
  const repo = await withRule();
  repo.write('STYLE.md', 'Use spaces.\n');
  expect((await command(repo, 'explain', 'style@1')).stdout).toContain(
    'a reference file changed since its last review',
  );
  await expectAsked(repo);
});

way('The list of files in the prompt of a rule changes after its review passed.', async () => {
  const repo = await withRule();
  repo.write('other.md', 'new\n');
  expect((await command(repo, 'explain', 'style@1')).stdout).toContain('the list of files in its prompt changed');
  await expectAsked(repo);
});

way('Someone changes a setting that a verdict depends on after a review passed.', async () => {
  const repo = await passed({ more: 'fail_on: high' });
  configure(repo, { more: 'fail_on: medium' });
  const dry = await command(repo, 'run', '--dry-run');
  expect(dry.stdout).toContain('the setting fail_on changed since its last review');
  await expectAsked(repo);
});

way('One of two reviewers passes, then someone edits the prompt, and then the other reviewer passes.', async () => {
  const repo = gateRepo();
  repo.answers('two', OBJECTION);
  expect((await repo.run()).code).toBe(1);
  repo.write(PROMPT, 'Look for something else.\n');
  repo.write('src/a.ts', 'export const a = 1;\nexport const b = 3;\n');
  repo.answers('one', OBJECTION);
  expect((await repo.run()).code).toBe(1);
  expect(repo.calls('one')).toHaveLength(2);
});

way('The prompt file of a review does not exist.', async () => {
  const repo = await passed();
  rmSync(join(repo.root, PROMPT));
  expect((await repo.run()).code).toBe(2);
  expect((await command(repo, 'status')).code).toBe(2);
});

way('The prompt file of a review is empty.', async () => {
  const repo = await passed();
  repo.write(PROMPT, ' \n\n');
  expect((await repo.run()).code).toBe(2);
});

way('The repository has no onceover.yml and no rule.', async () => {
  const repo = alone();
  rmSync(join(repo.root, 'onceover.yml'));
  expect((await repo.run()).code).toBe(2);
  expect((await command(repo, 'status')).code).toBe(2);
});

way('The file onceover.yml has no gate, and there is no rule.', async () => {
  const repo = alone();
  configure(repo, { gates: '  []' });
  expect((await repo.run()).code).toBe(2);
});

way('The file onceover.yml is not valid YAML.', async () => {
  const repo = await passed();
  repo.write('onceover.yml', 'gates: [\n');
  expect((await repo.run()).code).toBe(2);
  expect((await command(repo, 'status')).code).toBe(2);
});

way('The file onceover.yml has a misspelt key.', async () => {
  const repo = await passed();
  configure(repo, { gates: `  - path: src\n    review: { own: { prompt: ${PROMPT} } }` });
  expect((await repo.run()).code).toBe(2);
});

way('The file onceover.yml has a gate that is called __proto__.', async () => {
  const repo = await passed();
  configure(repo, {
    gates: `  - path: src\n    reviews: { own: { prompt: ${PROMPT} }, __proto__: { prompt: ${PROMPT} } }`,
  });
  expect((await repo.run()).code).toBe(2);
});

way('A sparse checkout leaves the file onceover.yml out of the working tree.', async () => {
  const repo = alone();
  repo.answers('one', OBJECTION);
  leaveOut(repo, 'onceover.yml', PROMPT);
  await expectAsked(repo);
});

way('The file onceover.yml names a base branch that does not exist.', async () => {
  const repo = await passed();
  configure(repo, { more: 'base: no-such-branch' });
  expect((await repo.run()).code).toBe(2);
});

way('Two entries in `gates` define the same gate.', async () => {
  const repo = await passed();
  const entry = (path: string) => `  - path: ${path}\n    reviews: { own: { prompt: ${PROMPT} } }`;
  configure(repo, { gates: `${entry('src')}\n${entry('./src/')}` });
  expect((await repo.run()).code).toBe(2);
});

way('A .deepreview file contains an invalid rule.', async () => {
  const repo = await passed();
  repo.write('.deepreview', `${ruleText('good', { include: ['**/*.md'] })}bad:\n  match: 7\n`);
  expect((await repo.run()).code).toBe(2);
  expect((await command(repo, 'status')).code).toBe(2);
});

way('A sparse checkout leaves a .deepreview file out of the working tree.', async () => {
  const repo = alone({ gates: '  []', files: { 'src/.deepreview': ruleText('ours', { include: ['**'] }) } });
  repo.answers('one', OBJECTION);
  leaveOut(repo, 'src/.deepreview');
  expect((await command(repo, 'instructions')).stdout).toContain('1 review to do');
  await expectAsked(repo);
});

way(
  'A sparse checkout with a sparse index leaves the folder of a .deepreview file out of the working tree.',
  async () => {
    const rule = { 'other/.deepreview': ruleText('ours', { include: ['**'] }), 'other/o.ts': 'export {};\n' };
    const repo = alone({ gates: '  []', files: rule });
    repo.write('other/o.ts', 'export const o = 1;\n');
    repo.commit('a change');
    repo.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'src', '.onceover');
    expect((await command(repo, 'instructions')).stdout).toContain('1 review to do');
    repo.answers('one', failing('other/o.ts', 'export const o = 1;'));
    await expectAsked(repo);
  },
);

way('Someone raises the setting `num_reviews` of a review after the review passed.', async () => {
  const repo = gateRepo({ numReviews: 1 });
  expect((await repo.run()).code).toBe(0);
  configure(repo, { agents: ['one', 'two'], numReviews: 2 });
  repo.answers('two', OBJECTION);
  expect((await repo.run()).code).toBe(1);
  expect(repo.calls()).toHaveLength(2);
});

way('Someone adds a gate after the other gates passed.', async () => {
  const repo = await passed();
  configure(repo, { gates: `  - path: .\n    reviews: { all: { prompt: ${PROMPT} } }` });
  await expectAsked(repo);
});

way('A gate passed, and then someone gives the name of this gate to a gate at another path.', async () => {
  const repo = await passed();
  repo.write('lib/a.ts', 'export const evil = 1;\n');
  configure(repo, { gates: `  - path: lib\n    reviews: { code-quality: { prompt: ${PROMPT} } }` });
  await expectAsked(repo);
});

way('With the setting `certify`, a skipped reviewer runs at the end and fails the code.', async () => {
  const repo = gateRepo({ more: 'certify: true' });
  repo.answers('two', OBJECTION);
  expect((await repo.run()).code).toBe(1);
  repo.write('src/a.ts', 'export const a = 1;\nexport const b = 3;\n');
  repo.answers('one', OBJECTION);
  const run = await repo.document();
  expect(run).toMatchObject({ code: 1, gates: [{ slots: [{ status: 'fail', why: 'certify' }, { status: 'pass' }] }] });
  expect(repo.calls('one')).toHaveLength(2);
});

way(
  'With the setting `certify`, a skipped reviewer has to run at the end, but its agent gives no answer.',
  async () => {
    const repo = gateRepo({ more: 'certify: true' });
    repo.answers('two', OBJECTION);
    expect((await repo.run()).code).toBe(1);
    repo.write('src/a.ts', 'export const a = 1;\nexport const b = 3;\n');
    repo.answers('one', { $exit: 1 }, { $exit: 1 });
    repo.answers('two', { status: 'pass', violations: [] }, { $exit: 1 });
    expect((await repo.run()).code).toBe(3);
    expect((await command(repo, 'status')).code).not.toBe(0);
  },
);

way(
  'With the setting `after_pass: all`, someone adds code after a review passed: reviewer 1 passes the code and reviewer 2 fails it.',
  async () => {
    const repo = gateRepo({ more: 'after_pass: all' });
    expect((await repo.run()).code).toBe(0);
    repo.write('src/a.ts', 'export const a = 1;\nexport const b = 2;\nexport const c = 3;\n');
    repo.answers('two', OBJECTION);
    expect((await repo.run()).code).toBe(1);
  },
);

way('onceover starts a check or an agent, and this process starts another run.', async () => {
  const repo = await passed();
  repo.write('src/a.ts', 'export const evil = 1;\n');
  expect((await repo.run([], { env: { ONCEOVER_ACTIVE: '1' } })).code).toBe(3);
});

way('Someone starts a run in a folder that is not in a git repository.', async () => {
  const repo = alone();
  rmSync(join(repo.root, '.git'), { recursive: true });
  expect((await repo.run()).code).toBe(3);
});

way('git is not installed.', async () => {
  const repo = alone();
  expect((await repo.run([], { env: { PATH: '/nowhere' } })).code).toBe(3);
});
