import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunDocument } from '@onceover/gates/result/json';
import { onceover } from '@onceover/testing/cli.ts';
import { cleanEnvironment, emptyRepo, type TestRepo } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { ROOT } from '../../tools/docs/published.ts';

const blocks = (page: string, language: string) =>
  [
    ...readFileSync(join(ROOT, 'docs', page), 'utf8').matchAll(
      new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'),
    ),
  ].map(([, text = '']) => text);

/** A repository with the command agent of agents.md, and a line that the agent reports. */
function exampleRepo(): TestRepo {
  const settings = blocks('agents.md', 'yaml').find((block) => block.includes('tools/reviewer.mjs')) ?? '';
  const [reviewer = '', prompt = ''] = ['js', 'markdown'].map((language) => blocks('agents.md', language)[0]);
  const repo = emptyRepo();
  repo.write('onceover.yml', settings);
  repo.write('tools/reviewer.mjs', reviewer);
  chmodSync(join(repo.root, 'tools/reviewer.mjs'), 0o755);
  repo.write('.onceover/reviews/prints.md', prompt);
  repo.write('src/total.js', 'export const total = 1;\n');
  repo.commit('first');
  repo.git('checkout', '-q', '-b', 'work');
  repo.write('src/total.js', 'export const total = 1;\nconsole.log(total);\n');
  return repo;
}

test('the command agent of agents.md reviews a change', async () => {
  const repo = exampleRepo();
  const failed = await onceover(repo.root, ['run', '--json']);
  const { findings } = JSON.parse(failed.stdout) as RunDocument;
  expect([failed.code, findings.map(({ file, line, code }) => ({ file, line, code }))]).toEqual([
    1,
    [{ file: 'src/total.js', line: 2, code: 'console.log(total);' }],
  ]);
  repo.write('src/total.js', 'export const total = 2;\n');
  expect((await onceover(repo.root, ['run'])).code).toBe(0);
});

test('deleting what records.md lists leaves nothing', async () => {
  const repo = exampleRepo();
  await onceover(repo.root, ['run']);
  const home = dirname(repo.root);
  expect([existsSync(join(repo.root, '.git/onceover')), repo.git('for-each-ref').includes('onceover')]).toEqual([
    true,
    true,
  ]);
  const script = blocks('records.md', 'sh').at(-1) ?? '';
  const end = spawnSync('sh', ['-e', '-c', script], {
    cwd: repo.root,
    env: cleanEnvironment(home),
    encoding: 'utf8',
  });
  expect([end.status, end.stderr]).toEqual([0, '']);
  const left = repo.git('status', '--short', '--ignored', '-uall').split('\n');
  expect([
    existsSync(join(repo.root, '.git/onceover')),
    existsSync(join(home, '.cache/onceover')),
    repo.git('for-each-ref').includes('onceover'),
    left,
  ]).toEqual([false, false, false, [' M src/total.js', '']]);
});
