import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiCaller } from '@onceover/testing/api-call.ts';
import { apiRepo, DUMMY_KEY } from '@onceover/testing/api-review.ts';
import type { Script } from '@onceover/testing/model-sim/script.ts';
import { startModelSim } from '@onceover/testing/model-sim/server.ts';
import { describe, expect, onTestFinished, test } from 'vitest';

const PASSED = { kind: 'structured', value: { status: 'pass' } } as const;

async function batchCaller(dialect: 'anthropic' | 'openai', script: Script) {
  const sim = await startModelSim({ otherwise: PASSED });
  onTestFinished(() => sim.close());
  sim.script('b', script);
  const baseUrl = `${sim.baseUrl('b')}${dialect === 'openai' ? '/v1' : ''}`;
  return { sim, ...apiCaller({ dialect, baseUrl, tier: 'batch' }) };
}

describe.each(['anthropic', 'openai'] as const)('a batch of %s', (dialect) => {
  test('is one request without tools, with the changed files, and is polled until it ends', async () => {
    const { sim, ask, waits } = await batchCaller(dialect, PASSED);
    const end = await ask();
    expect(end).toMatchObject({ ok: true, reply: { text: '{"status":"pass"}', sessionId: null }, retries: 0 });
    expect(end.ok && end.reply.usage?.outputTokens).toBeGreaterThan(0);
    const [request, ...furtherRequests] = sim.requests('b').filter(({ target }) => target.kind === 'generate');
    expect(furtherRequests).toEqual([]);
    expect(request?.body).not.toHaveProperty('tools');
    expect(request?.body).not.toHaveProperty('stream');
    expect(JSON.stringify(request?.body)).toContain('You cannot open files in this review');
    expect(waits).toEqual([1000, 1500]);
    // The files of a batch contain the reviewed code.
    expect([...sim.batches.files.keys()]).toEqual([]);
  });

  test('a stop cancels it', async () => {
    const { sim, ask } = await batchCaller(dialect, { kind: 'hang' });
    const stop = new AbortController();
    const call = ask({}, { stop: stop.signal, watch: () => sim.batches.batches.size > 0 && stop.abort() });
    expect(await call).toMatchObject({ ok: false, failure: { kind: 'cancelled' } });
    expect([...sim.batches.batches.values()]).toMatchObject([{ cancelled: true }]);
    expect([...sim.batches.files.keys()]).toEqual([]);
  });

  test('the timeout cancels it', async () => {
    const { sim, ask } = await batchCaller(dialect, { kind: 'hang' });
    expect(await ask({ timeoutSeconds: 1 })).toMatchObject({ ok: false, failure: { kind: 'timeout', seconds: 1 } });
    expect([...sim.batches.batches.values()]).toMatchObject([{ cancelled: true }]);
  });

  test('an answer at the length limit, an error in the result and text that is not JSON never pass', async () => {
    const cut = await batchCaller(dialect, { kind: 'text', text: '{"status":"pass"}', stops: 'at-limit' });
    expect(await cut.ask()).toMatchObject({ ok: false });
    const wrong = await batchCaller(dialect, { kind: 'error', status: 400, message: 'too long' });
    expect(await wrong.ask()).toMatchObject({ ok: false, failure: { kind: 'agent-error' }, retries: 0 });
    const toolCaller = await batchCaller(dialect, {
      kind: 'tools',
      calls: [{ name: 'read', input: { path: 'src/a.ts' } }],
    });
    const end = await toolCaller.ask();
    expect(end.ok).toBe(false);
  });
});

test('a run with tier: batch reviews the changed files in one request', async () => {
  const gates = '  - path: src\n    reviews:\n      code: { prompt: .onceover/reviews/code.md }\n';
  const repo = await apiRepo({ gates });
  repo.script('sonnet', { kind: 'structured', value: { status: 'pass', violations: [] } });
  const whole = await repo.document();
  const settings = readFileSync(join(repo.root, 'onceover.yml'), 'utf8');
  repo.write('onceover.yml', settings.replace('key: TEST_KEY', 'key: TEST_KEY, tier: batch'));
  repo.commit('Review in batches');
  const batch = await repo.document(['--fresh']);
  expect(batch.stderr).not.toContain(DUMMY_KEY);
  expect([whole.status, batch.status]).toEqual(['passed', 'passed']);
  const requests = repo.sim.requests('sonnet').filter(({ target }) => target.kind === 'generate');
  expect(JSON.stringify(requests.at(-1)?.body)).toContain('1\\texport const a = 2;');
  expect(repo.sim.batches.batches.size).toBe(1);
});
