import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gateRepo } from '@onceover/testing/gates.ts';
import { startOnceover } from '@onceover/testing/told.ts';
import { expect, test } from 'vitest';

const SCRIPT = `
let prompt = '';
process.stdin.on('data', (text) => { prompt += text; }).on('end', async () => {
  const { ONCEOVER_ROOT: root, SLOW: slow } = process.env;
  if (slow !== undefined) await new Promise((resolve) => setTimeout(resolve, 20_000));
  const { readFileSync, existsSync } = require('node:fs');
  const issue = JSON.stringify({
    here: readFileSync('src/a.ts', 'utf8').includes('b = 2'),
    there: readFileSync(root + '/src/a.ts', 'utf8').includes('b = 2'),
    said: prompt.includes(root),
    git: existsSync('.git'),
  });
  const violations = [{ file: 'src/a.ts', line: 2, issue, priority: 'high' }];
  console.log(JSON.stringify({ status: 'fail', violations }));
});
`;

/** A pull request whose reviewer is a script of the repository, and the cache folder of its run. */
function pullRequest(extraSettings = '') {
  const repo = gateRepo({ files: { 'tools/reviewer.cjs': SCRIPT } });
  repo.git('checkout', '-q', 'main');
  repo.write(
    'onceover.yml',
    `agents: [own]\nagent: { own: { command: [node, tools/reviewer.cjs]${extraSettings} } }\n` +
      'gates: [{ path: src, reviews: { code-quality: { prompt: .onceover/reviews/code-quality.md } } }]\n',
  );
  repo.git('add', 'onceover.yml', 'tools');
  repo.git('commit', '-q', '-m', 'own reviewer');
  repo.git('checkout', '-q', '-B', 'work');
  repo.commit('change');
  repo.git('update-ref', 'refs/remotes/origin/main', 'main');
  const cache = join(dirname(repo.root), 'cache');
  mkdirSync(cache);
  const env = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_BASE_REF: 'main', XDG_CACHE_HOME: cache };
  const leftovers = () => (existsSync(join(cache, 'onceover')) ? readdirSync(join(cache, 'onceover')) : []);
  return { ...repo, env, left: leftovers };
}

test.each([
  ['in a checkout of the base branch', ''],
  ['there with a sandbox', ', sandbox: true'],
])(
  'a command that reviews a pull request starts %s and reads the change in ONCEOVER_ROOT',
  async (_title, extraSettings) => {
    const repo = pullRequest(extraSettings);
    const run = await repo.document([], { env: repo.env });
    expect([run.code, JSON.parse(run.findings[0]?.issue ?? '{}')]).toEqual([
      1,
      { here: false, there: true, said: true, git: false },
    ]);
    expect(repo.left()).toEqual([]);
    expect(repo.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  },
);

test('Ctrl-C removes the checkout of the base branch', async () => {
  const repo = pullRequest();
  const run = startOnceover(repo.root, ['run'], { ...repo.env, SLOW: '1' });
  await run.said('(own): started');
  for (let n = 0; repo.left().length === 0 && n < 100; n++) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(repo.left()).not.toEqual([]);
  run.child.kill('SIGINT');
  expect((await run.ended).code).toBe(130);
  expect(repo.left()).toEqual([]);
});
