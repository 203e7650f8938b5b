import { execFileSync } from 'node:child_process';
import { apiRepo, DUMMY_KEY, opening } from '@onceover/testing/api-review.ts';
import { onceover } from '@onceover/testing/cli.ts';
import { anthropicBlocks } from '@onceover/testing/model-sim/cache/anthropic-blocks.ts';
import { conversationOf } from '@onceover/testing/model-sim/log.ts';
import { tokensOf } from '@onceover/testing/model-sim/tokens.ts';
import { expect, test } from 'vitest';

const FAIL = {
  status: 'fail',
  violations: [{ file: 'src/a.ts', line: 1, code: 'export const a = 2;', issue: 'wrong', fix: 'no', priority: 'high' }],
  previous: [],
  message: '',
};
const DELAY_MS = 200;
const PASS = { status: 'pass', violations: [], previous: [], message: '' };

test('an API reviewer opens files of the snapshot, fails, resumes with the change only, and passes', async () => {
  const repo = await apiRepo({ agents: { sonnet: 'anthropic', gpt: 'openai' }, numReviews: 2 });
  repo.script('sonnet', opening(['src/b.ts', '../../etc/passwd'], FAIL));
  repo.script('gpt', opening(['src/b.ts'], PASS));
  const first = await repo.document();
  expect([first.code, first.gates[0]?.slots.map(({ status }) => status)]).toEqual([1, ['fail', 'pass']]);
  expect(first.usage?.cost_usd).toBeGreaterThan(0);
  const record = execFileSync('sh', ['-c', 'cat .deepwork/logs/*sonnet*.json'], { cwd: repo.root, encoding: 'utf8' });
  expect(JSON.parse(record)).toMatchObject({ opened: ['src/b.ts'], session: { version: 'api-1' } });

  repo.write('src/a.ts', 'export const a = 1;\nexport const more = 3;\n');
  const dispositions = [...(JSON.stringify(first.findings).match(/F\d+/) ?? [])].map((id) => ({
    id,
    state: 'fixed',
    why: 'done',
  }));
  repo.script('sonnet', { kind: 'structured', value: { ...PASS, previous: dispositions } });
  const second = await repo.document();
  expect([second.code, second.gates[0]?.slots[0]?.dispatch]).toEqual([0, 'resumed']);
  const requests = conversationOf(repo.sim.requests(), 'sonnet');
  expect(requests.length).toBe(3);
  // The resumed request starts with everything that was sent before, so the provider reads all of it from its cache.
  expect(requests[2]?.use?.read).toBe(requests[1]?.use?.total);
});

test('the key is in no file and no output, and nothing is sent without it', async () => {
  const repo = await apiRepo();
  repo.script('sonnet', { kind: 'error', status: 401, message: `bad key ${DUMMY_KEY}` });
  const refusedRun = await repo.run();
  expect(refusedRun.code).toBe(3);
  expect(refusedRun.stdout + refusedRun.stderr).toContain('set TEST_KEY');
  const missing = await repo.run([], { env: { TEST_KEY: '' } });
  expect([missing.code, repo.sim.requests().length]).toEqual([3, 1]);
  expect(missing.stdout + missing.stderr).toContain('TEST_KEY');
  const doctor = await onceover(repo.root, ['doctor']);
  expect(doctor.stdout).toContain('TEST_KEY');
  for (const end of [refusedRun, missing]) expect(end.stdout + end.stderr).not.toContain(DUMMY_KEY);
  const filesWithKey = execFileSync('sh', ['-c', `grep -rl ${DUMMY_KEY} . || true`], {
    cwd: repo.root,
    encoding: 'utf8',
  });
  expect(filesWithKey).toBe('');
});

test('two reviews with three reviewers share the start of their prompts on the wire', async () => {
  const rubric = '.onceover/reviews';
  const repo = await apiRepo({
    gates: ['one', 'two']
      .map(
        (n) =>
          `  - path: src${n === 'one' ? '' : '/'}\n    reviews:\n      ${n}: { prompt: ${rubric}/${n}.md, num_reviews: 3 }\n`,
      )
      .join(''),
    more: 'share_reading: off\nconcurrency: 6\n',
    files: { [`${rubric}/one.md`]: 'Look for bugs.\n', [`${rubric}/two.md`]: 'Look for tests.\n' },
  });
  repo.sim.script('sonnet', { kind: 'structured', value: PASS, delayMs: DELAY_MS });
  const document = await repo.document();
  expect(document.code).toBe(0);
  const sentRequests = conversationOf(repo.sim.requests(), 'sonnet').map(({ body, use, at }) => ({
    blocks: anthropicBlocks(body ?? {}),
    use,
    at,
  }));
  expect(sentRequests.length).toBe(6);
  // The three requests of a review are identical in every byte.
  const texts = [...new Set(sentRequests.map(({ blocks }) => JSON.stringify(blocks)))];
  const reviews = texts.map((text) => sentRequests.filter(({ blocks }) => JSON.stringify(blocks) === text));
  expect(reviews.map((requests) => requests.length)).toEqual([3, 3]);
  const [[leader], [otherLeader]] = reviews as [typeof sentRequests, typeof sentRequests];
  const common =
    leader?.blocks.findIndex((block, i) => JSON.stringify(block) !== JSON.stringify(otherLeader?.blocks[i])) ?? 0;
  const commonBlocks = leader?.blocks.slice(0, common) ?? [];
  expect(JSON.stringify(commonBlocks)).toContain('+export const a = 2;');
  expect(commonBlocks.at(-1)?.ttl).toBe('5m');
  const start = tokensOf(commonBlocks.reduce((sum, { chars }) => sum + chars, 0));
  // The first request finds nothing. The others wait until its answer begins, because its cache can be read from then on.
  expect(leader?.use?.read).toBe(0);
  for (const { at } of sentRequests.slice(1)) expect(at - (leader?.at ?? 0)).toBeGreaterThanOrEqual(DELAY_MS);
  // Reviewers of the same review read all of it, and the first one of the other review all blocks that both share.
  const fullRead = { ...leader?.use, read: leader?.use?.total, write: 0, write1h: 0, input: 0 };
  expect(reviews[0]?.slice(1).map(({ use }) => use)).toEqual([fullRead, fullRead]);
  expect(otherLeader?.use?.read).toBe(start);
  // The rest of the other review does not wait for its first reviewer, so only the shared start is certain to be there.
  for (const { use } of reviews[1]?.slice(1) ?? []) expect(use?.read).toBeGreaterThanOrEqual(start);
});

test('a pull request cannot send the key to another address', async () => {
  const repo = await apiRepo();
  const elsewhere = await apiRepo();
  repo.git('checkout', '-q', '-b', 'attack');
  repo.write(
    'onceover.yml',
    `agent:\n  sonnet: { api: anthropic, model: claude-sonnet-5, base_url: "${elsewhere.sim.baseUrl('x')}", key: TEST_KEY }\n`,
  );
  repo.commit('attack');
  const env = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_ACTIONS: 'true', CI: 'true' };
  const document = await repo.document(['--base', 'main'], { env });
  expect(document.code).toBe(0);
  expect([elsewhere.sim.requests().length, repo.sim.requests().length]).toEqual([0, 1]);
});

test('an agent may not choose an address or a variable that no person has approved', async () => {
  const repo = await apiRepo();
  const refusedRun = await repo.run(['--started-by-agent']);
  expect([refusedRun.code, repo.sim.requests().length]).toEqual([3, 0]);
  expect(refusedRun.stderr).toContain(`send code to ${repo.sim.baseUrl('sonnet')} with the key in TEST_KEY`);
  expect((await repo.run()).code).toBe(0);
  expect((await repo.run(['--started-by-agent'])).code).toBe(0);
});
