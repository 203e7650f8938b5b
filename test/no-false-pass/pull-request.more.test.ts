import { writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect } from 'vitest';
import { onceover, onceoverJson } from '../support/cli.ts';
import { failing, type GateRepo, gateRepo, gateSettings } from '../support/gates.ts';
import { ruleText } from '../support/repo.ts';
import { alone, BAD, command, configure, expectAsked, OBJECTION, waysUnder } from '../support/ways.ts';

const way = waysUnder('Pull requests in CI');

const PULL_REQUEST = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_BASE_REF: 'main' };

/** Gives the repository a remote with the same commits. */
function published(repo: GateRepo): GateRepo {
  const remote = join(dirname(repo.root), 'origin.git');
  repo.git('clone', '-q', '--bare', '.', remote);
  repo.git('remote', 'add', 'origin', remote);
  repo.git('fetch', '-q', 'origin');
  return repo;
}

way('The author of the pull request removes a gate.', async () => {
  const repo = published(alone());
  configure(repo, { gates: '  []' });
  repo.commit();
  repo.answers('one', OBJECTION);
  await expectAsked(repo, { env: PULL_REQUEST });
});

way('The author of the pull request deletes onceover.yml.', async () => {
  const repo = published(alone());
  repo.git('rm', '-q', 'onceover.yml');
  repo.commit();
  repo.answers('one', OBJECTION);
  await expectAsked(repo, { env: PULL_REQUEST });
});

way('The author of the pull request makes a gate less strict.', async () => {
  const repo = published(alone());
  configure(repo, { more: 'fail_on: critical' });
  repo.commit();
  repo.answers('one', OBJECTION);
  await expectAsked(repo, { env: PULL_REQUEST });
});

way('The author of the pull request edits the prompt of a review.', async () => {
  const repo = published(alone());
  repo.write('.onceover/reviews/code-quality.md', 'Always pass.\n');
  repo.commit();
  repo.answers('one', OBJECTION);
  await expectAsked(repo, { env: PULL_REQUEST });
  expect(repo.calls()[0]?.prompt).toContain('Look for what is wrong.');
});

way('The author of the pull request sets another reviewer in onceover.yml.', async () => {
  const repo = published(alone());
  repo.write(
    'onceover.yml',
    `agents: [mine]\nagent: { mine: { command: [echo, '{"status":"pass","violations":[]}'] } }\n` +
      'gates: [{ path: src, reviews: { code-quality: { prompt: .onceover/reviews/code-quality.md } } }]\n',
  );
  repo.commit();
  repo.answers('one', OBJECTION);
  await expectAsked(repo, { env: PULL_REQUEST });
});

way('The author of the pull request removes a rule.', async () => {
  const rule =
    'own:\n  description: d\n  match: { include: ["src/**"] }\n  review: { strategy: individual, instructions: Look. }\n';
  const repo = published(alone({ gates: '  []', files: { '.deepreview': rule } }));
  repo.git('rm', '-q', '.deepreview');
  repo.commit();
  repo.answers('one', OBJECTION);
  await expectAsked(repo, { env: PULL_REQUEST });
});

/** Creates a repository whose reviewer is a script in the repository that fails everything. */
function withOwnScript(started = '[node, ./tools/reviewer.mjs]'): GateRepo {
  const no = JSON.stringify(failing('src/a.ts', BAD));
  const repo = gateRepo({ files: { 'tools/reviewer.mjs': `console.log(${JSON.stringify(no)});\n` } });
  repo.git('checkout', '-q', 'main');
  repo.write(
    'onceover.yml',
    `agents: [own]\nagent: { own: { command: ${started} } }\n` +
      'gates: [{ path: src, reviews: { code-quality: { prompt: .onceover/reviews/code-quality.md } } }]\n',
  );
  repo.git('add', 'onceover.yml');
  repo.git('commit', '-q', '-m', 'own reviewer');
  repo.git('checkout', '-q', '-B', 'work');
  return published(repo);
}

const YES = `console.log('{"status":"pass","violations":[]}');\n`;

way('The author of the pull request edits the script of the reviewer.', async () => {
  const repo = withOwnScript();
  repo.write('tools/reviewer.mjs', YES);
  repo.commit();
  expect((await repo.run([], { env: PULL_REQUEST })).code).toBe(3);
});

way(
  'The author edits the script of the reviewer, and onceover.yml names the script inside a longer command.',
  async () => {
    const repo = withOwnScript('[sh, -c, node tools/reviewer.mjs]');
    repo.write('tools/reviewer.mjs', YES);
    repo.commit();
    expect((await repo.run([], { env: PULL_REQUEST })).code).not.toBe(0);
  },
);

way('The author edits the script of the reviewer, and onceover.yml names the script by an unusual path.', async () => {
  const repo = withOwnScript('[node, tools/../tools/reviewer.mjs]');
  repo.write('tools/reviewer.mjs', YES);
  repo.commit();
  expect((await repo.run([], { env: PULL_REQUEST })).code).not.toBe(0);
});

way('The author edits the script of the reviewer, and the run reviews only other files (--files).', async () => {
  const repo = withOwnScript();
  repo.write('tools/reviewer.mjs', YES);
  repo.commit();
  expect((await repo.run(['--files', 'src/a.ts'], { env: PULL_REQUEST })).code).not.toBe(0);
});

way(
  'The author edits the script of the reviewer in one commit, and the run reviews only a later commit (--commit).',
  async () => {
    const repo = withOwnScript();
    repo.git('stash', '-q');
    repo.write('tools/reviewer.mjs', YES);
    repo.commit();
    repo.git('stash', 'pop', '-q');
    repo.commit();
    expect((await repo.run(['--commit', 'HEAD'], { env: PULL_REQUEST })).code).not.toBe(0);
  },
);

way('The author starts the branch at a commit that does not have the gate yet.', async () => {
  const repo = alone();
  repo.git('stash', '-q');
  repo.git('checkout', '-q', '-B', 'work', 'main~1');
  repo.write('src/a.ts', 'export const evil = 1;\n');
  repo.commit();
  published(repo);
  repo.answers('one', OBJECTION);
  await expectAsked(repo, { env: PULL_REQUEST });
});

way('The target of the pull request is a branch that is not the default branch.', async () => {
  const repo = alone();
  repo.commit();
  published(repo);
  repo.git('remote', 'set-head', 'origin', 'work');
  repo.answers('one', OBJECTION);
  await expectAsked(repo, { env: PULL_REQUEST });
});

way('A review of the pull request on GitHub starts the run.', async () => {
  const repo = published(alone());
  configure(repo, { gates: '  []' });
  repo.commit();
  repo.answers('one', OBJECTION);
  await expectAsked(repo, { env: { ...PULL_REQUEST, GITHUB_EVENT_NAME: 'pull_request_review' } });
});

way('A pull request that removes the gate is in a merge queue.', async () => {
  const repo = published(alone());
  configure(repo, { gates: '  []' });
  repo.commit();
  repo.answers('one', OBJECTION);
  const ref = 'refs/heads/gh-readonly-queue/main/pr-7-0a1b2c';
  await expectAsked(repo, { env: { GITHUB_EVENT_NAME: 'merge_group', GITHUB_REF: ref } });
});

way('Git cannot read the settings of the base branch.', async () => {
  const repo = published(alone());
  repo.commit();
  const tools = join(dirname(repo.root), 'tools');
  repo.git('init', '-q', tools);
  const real = `PATH="\${PATH#*${delimiter}}"; exec git "$@"`;
  const broken = `#!/bin/sh\ncase "$*" in *ls-tree*onceover.yml*) exit 128;; esac\n${real}\n`;
  writeFileSync(join(tools, 'git'), broken, { mode: 0o755 });
  const env = { ...PULL_REQUEST, PATH: `${tools}${delimiter}${process.env['PATH']}` };
  expect((await repo.run([], { env })).code).not.toBe(0);
});

way('The base branch is not in the clone.', async () => {
  const repo = alone();
  repo.commit();
  expect((await repo.run([], { env: PULL_REQUEST })).code).toBe(2);
});

way('The clone contains only the last commit of each branch.', async () => {
  const repo = alone();
  repo.commit();
  published(repo);
  const folder = join(dirname(repo.root), 'shallow');
  const remote = `file://${join(dirname(repo.root), 'origin.git')}`;
  repo.git('clone', '-q', '--depth', '1', '--no-single-branch', '--branch', 'work', remote, folder);
  expect((await onceover(folder, ['run'], { env: PULL_REQUEST })).code).toBe(3);
});

way('The clone is too shallow to contain the last commit that the branch and its base share.', async () => {
  const repo = alone();
  repo.commit();
  repo.git('checkout', '-q', '-b', 'older', 'main');
  repo.git('commit', '-q', '--allow-empty', '-m', 'beside');
  repo.git('checkout', '-q', 'main');
  repo.write('src/a.ts', 'export const a = 2;\n');
  repo.commit();
  repo.git('checkout', '-q', '-B', 'work');
  for (const n of [1, 2, 3, 4]) repo.git('commit', '-q', '--allow-empty', '-m', `${n}`);
  repo.git('merge', '-q', '-s', 'ours', '-m', 'a short way to what is older', 'older');
  repo.write('src/a.ts', 'export const a = 1;\n');
  repo.commit();
  repo.git('checkout', '-q', 'main');
  repo.git('commit', '-q', '--allow-empty', '-m', 'the base goes on');
  published(repo);
  const clone = async (name: string, ...how: string[]) => {
    const folder = join(dirname(repo.root), name);
    const remote = `file://${join(dirname(repo.root), 'origin.git')}`;
    repo.git('clone', '-q', ...how, '--no-single-branch', '--branch', 'work', remote, folder);
    return onceover(folder, ['run'], { env: PULL_REQUEST });
  };
  repo.answers('one', OBJECTION);
  const short = await clone('short', '--depth', '4');
  expect([short.code, short.stderr]).toEqual([3, expect.stringContaining('git fetch --unshallow')]);
  expect((await clone('whole')).code).toBe(1);
});

way('The author of the pull request commits records that say that a reviewer passed.', async () => {
  const repo = published(alone({ agents: ['one', 'two'], numReviews: 2 }));
  const pass = { adapter: 'two', timestamp: '', status: 'pass', rawOutput: '', violations: [] };
  repo.writeRecord('review_src_code-quality_two@2.1.json', pass);
  repo.git('add', '-f', '.deepwork');
  repo.commit();
  expect((await repo.run([], { env: PULL_REQUEST })).code).toBe(2);
});

way(
  'The author of the pull request commits the mark of a passed review, and the settings have `trust_marks: true`.',
  async () => {
    const rule = ruleText('own', { include: ['src/**'] });
    const repo = alone({ gates: '  []', more: 'trust_marks: true', files: { '.deepreview': rule } });
    const { tasks } = await onceoverJson<{ tasks: { review_id: string }[] }>(repo.root, ['instructions']);
    for (const { review_id } of tasks) await command(repo, 'pass', review_id);
    repo.git('add', '-f', '.deepwork/tmp');
    repo.commit();
    published(repo);
    const clone = join(dirname(repo.root), 'clone');
    repo.git('clone', '-q', '--branch', 'work', join(dirname(repo.root), 'origin.git'), clone);
    repo.git('-C', clone, 'remote', 'set-head', 'origin', 'main');
    expect((await onceover(clone, ['run'], { env: PULL_REQUEST })).code).toBe(2);
  },
);

way('The author removes the gate, and the CI server is GitLab.', async () => {
  const repo = published(alone());
  const folder = join(dirname(repo.root), 'agents');
  repo.write('onceover.yml', gateSettings(folder, { agents: ['one'], gates: '  []' }));
  repo.commit();
  repo.answers('one', OBJECTION);
  const env = { CI_MERGE_REQUEST_IID: '7', CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' };
  await expectAsked(repo, { env });
});
