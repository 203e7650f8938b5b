import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { failing, gateRepo } from '@onceover/testing/gates.ts';
import { hookRepo, stop } from '@onceover/testing/hook.ts';
import { clients } from '@onceover/testing/mcp-clients.ts';
import { askUi, startUiIn } from '@onceover/testing/ui-server.ts';
import { expect, test } from 'vitest';
import { type LiveDocument, liveSchema, pageSchema, sessionSchema, transcriptSchema } from '../../src/json-schema.ts';

const SECRET = `ghp_${'a'.repeat(36)}`;

test('the server of "onceover ui" answers with published documents, and refuses everything else', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  repo.answers('one', failing('src/a.ts', 'export const b = 2;', { line: 2, issue: `Remove ${SECRET}` }));
  expect((await repo.run()).code).toBe(1);
  const worktree = join(dirname(repo.root), 'other');
  execFileSync('git', ['worktree', 'add', '-q', '-b', 'more', worktree], { cwd: repo.root });
  const server = await startUiIn(repo.root);
  const token = new URL(server.address).pathname;
  const readJson = async (path: string) => JSON.parse((await askUi(server, `${token}${path}`)).text) as unknown;

  const files = storedFiles(repo.root);
  const page = await askUi(server, token);
  expect(page.status).toBe(200);
  expect(page.text).toContain("default-src 'none'");
  expect(page.headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-store' });

  const data = pageSchema.parse(await readJson('api/page'));
  expect(data).toMatchObject({ page: 'status', branch: 'work', run: { status: 'failed' }, transcripts: [] });
  expect(data.run?.findings[0]?.issue).toBe('Remove [masked]');
  expect(data.code[0]).toMatchObject({ finding: 'F1', first_line: 1 });
  const id = encodeURIComponent('review:src:code-quality@1.1');
  const transcript = transcriptSchema.parse(await readJson(`api/transcript?id=${id}`));
  expect(transcript.calls[0]?.stable + (transcript.calls[0]?.dynamic ?? '')).toContain('Look for what is wrong.');
  expect(JSON.stringify(transcript)).not.toContain(SECRET);
  const session = sessionSchema.parse(await readJson('api/session'));
  expect(session).toMatchObject({ person: false, worktrees: [{ current: true }, { name: 'other', branch: 'more' }] });
  const tree = session.worktrees[1]?.id ?? '';
  expect(pageSchema.parse(await readJson(`api/page?worktree=${tree}`))).toMatchObject({
    project: 'other',
    branch: 'more',
  });
  expect(await readJson('api/explain?name=F1')).toMatchObject({ about: 'finding', finding: { id: 'F1' } });
  expect(liveSchema.safeParse({ stamp: '', run: null, ended: null }).success).toBe(true);

  // A parameter selects a record or a working tree of git's list. It is never part of a path.
  const passwd = encodeURIComponent('../../../../etc/passwd');
  for (const path of [
    `api/transcript?id=${passwd}`,
    `api/transcript?id=${encodeURIComponent('review:src:code-quality@1.1/../x')}`,
    `api/page?worktree=${passwd}`,
    `api/page?worktree=${encodeURIComponent(dirname(repo.root))}`,
    'api/diff?gate=x&slot=1&from=1&to=../2',
    `api/explain?name=${passwd}`,
  ]) {
    expect([path, (await askUi(server, `${token}${path}`)).status]).toEqual([path, 400]);
  }
  for (const path of ['../api/page', '%2e%2e/', 'api/nothing', 'api/page/../../x']) {
    expect((await askUi(server, `${token}${path}`)).status).toBeGreaterThanOrEqual(403);
  }
  const refusals: [string, Parameters<typeof askUi>[2]][] = [
    ['/', {}],
    ['/api/page', {}],
    ['/wrong/api/page', {}],
    ['/open/wrong', {}],
    [`${token}api/page`, { headers: { host: 'evil.invalid' } }],
    [`${token}api/page`, { headers: { origin: 'http://evil.invalid' } }],
    [`${token}api/run`, { body: {}, headers: { origin: 'http://evil.invalid' } }],
    [`${token}api/run`, { body: {}, headers: { 'sec-fetch-site': 'cross-site' } }],
    [`${token}api/resolve`, { body: {}, headers: { 'content-type': 'text/plain' } }],
    [`${token}api/run`, { method: 'OPTIONS' }],
  ];
  for (const [path, options] of refusals) {
    const { status, headers } = await askUi(server, path, options);
    expect([path, [403, 405, 415].includes(status), headers['access-control-allow-origin']]).toEqual([
      path,
      true,
      undefined,
    ]);
  }
  expect((await askUi(server, `${token}api/resolve`, { body: { id: 'F1', how: 'skipped', why: ' ' } })).status).toBe(
    400,
  );
  expect((await askUi(server, `${token}api/run`, { body: { fresh: 'x'.repeat(70_000) } })).status).toBe(413);
  expect(repo.calls()).toHaveLength(1);
  expect(storedFiles(repo.root)).toEqual(files);

  // Transcripts of earlier changes stay readable as long as their records are archived.
  expect((await onceover(repo.root, ['clean'])).code).toBe(0);
  const [archivedLog] = pageSchema.parse(await readJson('api/page')).logs;
  expect(archivedLog).toMatchObject({ gate: 'review:src:code-quality', slot: 1, iteration: 1, status: 'fail' });
  const earlier = transcriptSchema.parse(
    await readJson(`api/transcript?id=${encodeURIComponent(archivedLog?.id ?? '')}`),
  );
  expect(earlier.calls).toEqual(transcript.calls);
});

/** Matches caches: git and onceover can make their files again. */
const CACHED = /\/\.git\/(objects|onceover\/(answers|indexes))\//;

/** Returns every file of a clone with its time of change, without caches. Reading must not change any. */
function storedFiles(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !CACHED.test(path))
    .map((path) => `${path} ${statSync(path).mtimeMs}`)
    .sort();
}

/** Listens to the events of the live view until one has this. */
async function heardUntil(address: string, isIt: (heard: LiveDocument) => boolean): Promise<LiveDocument> {
  const { body } = await fetch(`${address}api/events`, { signal: AbortSignal.timeout(15_000) });
  let text = '';
  for await (const part of body ?? []) {
    text += Buffer.from(part).toString('utf8');
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const document = event.startsWith('data: ') ? liveSchema.parse(JSON.parse(event.slice(6))) : null;
      if (document !== null && isIt(document)) return document;
    }
  }
  throw new Error('the events ended');
}

test('the live view follows runs that the stop hook and an MCP client start', async () => {
  const repo = await hookRepo();
  repo.answers('one', { $sleep: 3000, ...failing('src/a.ts', 'export const b = 2;') }, { $sleep: 3000 });
  const { address } = await startUiIn(repo.root);
  const isWorking = ({ run }: LiveDocument) => (run?.working.length ?? 0) > 0;
  const hook = stop(repo);
  const live = await heardUntil(address, isWorking);
  expect(live.run).toMatchObject({
    steps: 1,
    working: [{ agent: 'one', name: 'review:src:code-quality, reviewer 1' }],
  });
  expect((await hook).blocked).toContain('F1');
  await heardUntil(address, ({ run }) => run === null);
  repo.write('src/a.ts', 'export const a = 1;\n\n');
  const [, connect] = clients[1] ?? [];
  const client = await connect?.(repo.root);
  const call = client?.call('start_run', {});
  const liveDocument = await heardUntil(address, isWorking);
  expect(liveDocument.run).toMatchObject({ steps: 1, failed: 0, working: [{ agent: 'one' }] });
  await call;
});

test('an agent may start only approved commands, and a port in use is an error', async () => {
  const repo = gateRepo();
  const server = await startUiIn(repo.root);
  const { port, address } = server;
  // A test has no terminal, so it counts as an agent.
  expect((await askUi(server, `${new URL(address).pathname}api/run`, { body: {} })).text).toContain('onceover trust');
  expect(repo.calls()).toEqual([]);
  const end = await onceover(repo.root, ['ui', '--no-open', '--port', String(port)]);
  expect(end.code).toBe(2);
  expect(end.stderr).toContain('another program uses it');
});
