import { createRequire } from 'node:module';
import type { RunDocument } from '@onceover/gates/result/json';
import { AIMOCK, installedPackage } from '@onceover/testing/agent-clis.ts';
import { onceover } from '@onceover/testing/cli.ts';
import { repoWith } from '@onceover/testing/repo.ts';
import { expect, onTestFinished, test } from 'vitest';

type Mock = {
  readonly url: string;
  addFixture(fixture: object): void;
  start(): Promise<unknown>;
  stop(): Promise<unknown>;
  getRequests(): readonly { readonly path: string; readonly body: unknown }[];
};

const FOUND = { file: 'src/a.ts', line: 1, code: 'export const a = 2;', issue: 'wrong', fix: 'no', priority: 'high' };

test('a server that is not ours answers a review by each of the three APIs', async () => {
  const require = createRequire(`${installedPackage(AIMOCK)}/package.json`);
  const { LLMock } = require(AIMOCK.name) as { LLMock: new (options: object) => Mock };
  const mock = new LLMock({ port: 0 });
  const answer = { status: 'fail', violations: [FOUND], previous: [], message: '' };
  const usage = { input_tokens: 100, output_tokens: 20, prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  const call = { name: 'read', arguments: JSON.stringify({ path: 'src/a.ts' }) };
  mock.addFixture({ match: { hasToolResult: true }, response: { content: JSON.stringify(answer), usage } });
  mock.addFixture({ match: { hasToolResult: false }, response: { toolCalls: [call] } });
  await mock.start();
  onTestFinished(() => mock.stop().then(() => {}));
  const repo = repoWith({
    'src/a.ts': 'export const a = 1;\n',
    '.onceover/reviews/code.md': 'Look for what is wrong.\n',
    'onceover.yml': `agents: [chat, responses, messages]
agent:
  chat: { api: openai, base_url: "${mock.url}/v1", model: gpt-4o, key: TEST_KEY }
  responses: { api: openai, base_url: "${mock.url}/v1", model: gpt-5.6-sol, endpoint: responses, key: TEST_KEY }
  messages: { api: anthropic, base_url: "${mock.url}", model: claude-sonnet-5, key: TEST_KEY }
gates:
  - path: src
    reviews: { code: { prompt: .onceover/reviews/code.md, num_reviews: 3 } }
`,
  });
  repo.write('src/a.ts', 'export const a = 2;\n');
  const end = await onceover(repo.root, ['run', '--json'], { env: { TEST_KEY: 'dummy' }, timeoutMs: 60_000 });
  const document = JSON.parse(end.stdout) as RunDocument;
  expect([end.code, document.gates[0]?.slots.map(({ agent, status }) => `${agent} ${status}`)]).toEqual([
    1,
    ['chat fail', 'responses fail', 'messages fail'],
  ]);
  const paths = mock.getRequests().map(({ path }) => path);
  expect(paths.toSorted()).toEqual([
    ...['/v1/chat/completions', '/v1/chat/completions', '/v1/messages', '/v1/messages'],
    ...['/v1/responses', '/v1/responses'],
  ]);
});
