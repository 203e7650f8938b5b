import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import type { RunDocument } from '@onceover/gates/result/json';
import { selfSigned } from '@onceover/testing/certificate.ts';
import { onceover } from '@onceover/testing/cli.ts';
import { listening, startProxy } from '@onceover/testing/proxy.ts';
import { repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';

const KEY = 'dummy-key-of-a-test-0123456789';
const PASS = JSON.stringify({ status: 'pass', violations: [], previous: [], message: '' });
const EVENTS = [
  { model: 'gpt-5.6-sol', choices: [{ index: 0, delta: { role: 'assistant', content: PASS }, finish_reason: 'stop' }] },
  { model: 'gpt-5.6-sol', choices: [], usage: { prompt_tokens: 100, completion_tokens: 7 } },
];

test('a review goes through the proxy and trusts the certificate that the environment names', async () => {
  const { certificate, key } = selfSigned('models.test');
  const keys: unknown[] = [];
  const server = createServer({ cert: certificate, key }, (request, response) => {
    keys.push(request.headers.authorization);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(EVENTS.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  });
  const proxy = await startProxy(await listening(server));
  const repo = repoWith({
    'src/a.ts': 'export const a = 1;\n',
    '.onceover/reviews/code.md': 'Look for what is wrong.\n',
    'onceover.yml': `agents: [far]
agent:
  far: { api: openai, base_url: "https://models.test/v1", model: gpt-5.6-sol, key: TEST_KEY }
gates:
  - path: src
    reviews: { code: { prompt: .onceover/reviews/code.md } }
`,
  });
  repo.write('src/a.ts', 'export const a = 2;\n');
  const authority = join(temporaryFolder(), 'authority.pem');
  writeFileSync(authority, certificate);
  const env = { TEST_KEY: KEY, HTTPS_PROXY: `http://me:secret-word@127.0.0.1:${proxy.port}` };

  const failedRun = await onceover(repo.root, ['run'], { env, timeoutMs: 30_000 });
  expect([failedRun.code, keys]).toEqual([3, []]);
  expect(failedRun.stdout + failedRun.stderr).toContain('SELF_SIGNED_CERT');

  const trustingEnv = { ...env, NODE_EXTRA_CA_CERTS: authority };
  const end = await onceover(repo.root, ['run', '--json'], { env: trustingEnv, timeoutMs: 30_000 });
  expect([end.code, (JSON.parse(end.stdout) as RunDocument).status, keys]).toEqual([0, 'passed', [`Bearer ${KEY}`]]);
  const last = proxy.seen.at(-1);
  expect(last).toMatchObject({ method: 'CONNECT', address: 'models.test:443', login: 'me:secret-word' });
  // The proxy passes on encrypted bytes only.
  expect(last?.bytes).not.toContain(KEY);
  for (const { stdout, stderr } of [failedRun, end]) expect(stdout + stderr).not.toMatch(/secret-word|dummy-key/);
});
