import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLI, onceover } from '@onceover/testing/cli.ts';
import { gateRepo } from '@onceover/testing/gates.ts';
import { stop } from '@onceover/testing/hook.ts';
import { expect, test } from 'vitest';

const KIB = 1024;

// Start-up time of a short command is mostly the time to load its chunks. bench/start.mjs measures the time. Every command
// loads the compile cache (about 1 KiB), which makes `run` about a fifth faster.
const budgets: readonly [command: string, bytes: number, call: (env: NodeJS.ProcessEnv) => Promise<unknown>][] = [
  ['--version', 4 * KIB, (env) => onceover(dirname(CLI), ['--version'], { env })],
  ['--help', 68 * KIB, (env) => onceover(dirname(CLI), ['--help'], { env })],
  ['hook stop, nothing changed', 18 * KIB, stopUnchanged],
  [
    'instructions, nothing to do',
    128 * KIB,
    (env) => passed().then((repo) => onceover(repo.root, ['instructions'], { env })),
  ],
  ['run, nothing to do', 240 * KIB, (env) => passed().then((repo) => repo.run([], { env }))],
];

test.each(budgets)('%s loads at most %d bytes of built code', async (_command, most, call) => {
  const loaded = await loadedBytes(call);
  expect(loaded).toBeGreaterThan(1 * KIB);
  expect(loaded).toBeLessThanOrEqual(most);
});

// Loading Node's crypto module takes longer than everything else that the hook does itself.
test('hook stop, nothing changed, loads no crypto module', async () => {
  const chunks = await loadedChunks(stopUnchanged);
  expect(chunks.length).toBeGreaterThan(1);
  expect(chunks.filter((path) => /(?:require\(|from)\s*[`'"]node:crypto/.test(readFileSync(path, 'utf8')))).toEqual([]);
});

test('without a store for teams, no command loads anything that calls PostgreSQL', async () => {
  const chunks = await loadedChunks(async (env) => {
    const repo = await passed();
    expect((await repo.run(['--fresh'], { env })).code).toBe(0);
    for (const words of [['status'], ['cost'], ['instructions'], ['explain', 'review:src:code-quality']]) {
      expect(await onceover(repo.root, words, { env })).toMatchObject({ code: 0, stderr: '' });
    }
    expect((await stop(repo, { env })).blocked).toBeNull();
  });
  expect(chunks.length).toBeGreaterThan(1);
  const calls = /INSERT INTO onceover|pg_advisory|connectionString/;
  expect(chunks.filter((path) => calls.test(readFileSync(path, 'utf8')))).toEqual([]);
  const callersIn = (folder: string) =>
    readdirSync(folder).filter((name) => name.endsWith('.cjs') && calls.test(readFileSync(join(folder, name), 'utf8')));
  expect(callersIn(dirname(CLI))).toEqual([]);
  expect(callersIn(join(dirname(CLI), '../packages/team/dist')).length).toBeGreaterThan(3);
});

async function stopUnchanged(env: NodeJS.ProcessEnv) {
  return stop(await passed(), { env });
}

/** A repository in which every gate passed and the stop hook has answered once. */
async function passed() {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  expect((await repo.run()).code).toBe(0);
  expect((await stop(repo)).blocked).toBeNull();
  return repo;
}

/** Returns the size of the chunks in dist/ that a call of the program loads. */
async function loadedBytes(call: (env: NodeJS.ProcessEnv) => Promise<unknown>): Promise<number> {
  return (await loadedChunks(call)).reduce((sum, path) => sum + statSync(path).size, 0);
}

/** Returns the paths of the chunks in dist/ that a call of the program loads. */
async function loadedChunks(call: (env: NodeJS.ProcessEnv) => Promise<unknown>): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'onceover-test-loaded-'));
  try {
    await call({ NODE_V8_COVERAGE: folder });
    const urls = readdirSync(folder).flatMap((name) => {
      const report = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: { url: string }[] };
      return report.result.map(({ url }) => url);
    });
    const chunks = new Set(urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url)));
    return [...chunks].filter((path) => dirname(path) === dirname(CLI));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
