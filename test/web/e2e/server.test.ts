import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { liveSchema, pageSchema, sessionSchema, transcriptSchema } from '../../../src/web/json-schema.ts';
import { onceover } from '../../support/cli.ts';
import { failing, gateRepo } from '../../support/gates.ts';
import { askUi, startUiIn } from '../../support/ui-server.ts';

const SECRET = `ghp_${'a'.repeat(36)}`;

test('the server of "onceover ui" answers with published documents, and refuses everything else', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  repo.answers('one', failing('src/a.ts', 'export const b = 2;', { line: 2, issue: `Remove ${SECRET}` }));
  expect((await repo.run()).code).toBe(1);
  const other = join(dirname(repo.root), 'other');
  execFileSync('git', ['worktree', 'add', '-q', '-b', 'more', other], { cwd: repo.root });
  const server = await startUiIn(repo.root);
  const token = new URL(server.address).pathname;
  const read = async (path: string) => JSON.parse((await askUi(server, `${token}${path}`)).text) as unknown;

  const page = await askUi(server, token);
  expect(page.status).toBe(200);
  expect(page.text).toContain("default-src 'none'");
  expect(page.headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-store' });

  const data = pageSchema.parse(await read('api/page'));
  expect(data).toMatchObject({ page: 'status', branch: 'work', run: { status: 'failed' }, transcripts: [] });
  expect(data.run?.findings[0]?.issue).toBe('Remove [masked]');
  expect(data.code[0]).toMatchObject({ finding: 'F1', first_line: 1 });
  const id = encodeURIComponent('review:src:code-quality@1.1');
  const transcript = transcriptSchema.parse(await read(`api/transcript?id=${id}`));
  expect(transcript.calls[0]?.stable + (transcript.calls[0]?.dynamic ?? '')).toContain('Look for what is wrong.');
  expect(JSON.stringify(transcript)).not.toContain(SECRET);
  const session = sessionSchema.parse(await read('api/session'));
  expect(session).toMatchObject({ person: false, worktrees: [{ current: true }, { name: 'other', branch: 'more' }] });
  const tree = session.worktrees[1]?.id ?? '';
  expect(pageSchema.parse(await read(`api/page?worktree=${tree}`))).toMatchObject({ project: 'other', branch: 'more' });
  expect(await read('api/explain?name=F1')).toMatchObject({ about: 'finding', finding: { id: 'F1' } });
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
