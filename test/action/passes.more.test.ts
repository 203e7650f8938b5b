import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { type Job, type Played, playAction } from '@onceover/testing/composite-action.ts';
import { end, startServer } from '@onceover/testing/pass-store.ts';
import { type Clone, reviewedBranch, type Team, team } from '@onceover/testing/sharing.ts';
import { commandsIn } from '@onceover/testing/workflow-commands.ts';
import { expect, test } from 'vitest';

const TOKEN = 'read-only-token';

/** A private repository on a git server, with a branch that a laptop has reviewed. */
type Hosted = { readonly house: Team; readonly address: string; readonly requests: readonly string[] };

async function hosted(options: Parameters<typeof team>[0] = {}): Promise<Hosted> {
  const house = team(options);
  await reviewedBranch(house.clone({ key: 'dev@example.com' }), 'work');
  house.forget();
  mkdirSync(join(house.folder, 'house'));
  symlinkSync(house.bare, join(house.folder, 'house/shop'));
  const { address, requests } = await startServer(privateGit(house.folder));
  return { house, address, requests };
}

/** Answers like a git server that only lets the token in. */
function privateGit(folder: string): RequestListener {
  const allowed = `Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`;
  return (request, response) => {
    if (request.headers.authorization !== allowed) {
      response.setHeader('www-authenticate', 'Basic realm="git"');
      return end(response, 401);
    }
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: pathname,
        QUERY_STRING: searchParams.toString(),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'],
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
        HTTP_GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    });
    request.pipe(child.stdin);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('close', () => {
      const all = Buffer.concat(chunks);
      const border = all.indexOf('\r\n\r\n');
      for (const line of all.toString('latin1', 0, border).split('\r\n')) {
        const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? [];
        if (name !== '' && name !== 'Status') response.setHeader(name, value);
      }
      end(response, 200, all.subarray(border + 4));
    });
  };
}

/** Plays the action on the branch. The checkout has no credentials, as with "persist-credentials: false". */
function play({ house, address }: Hosted, job: Partial<Job> = {}): Promise<Played> {
  const ci: Clone = house.ci('work');
  ci.git('remote', 'set-url', 'origin', `${address}/house/shop`);
  const pullRequest = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_BASE_REF: 'main', GITHUB_HEAD_REF: 'work' };
  return playAction({
    root: ci.root,
    event: { pull_request: { head: { repo: { full_name: 'house/shop' } } } },
    ...job,
    inputs: { 'passes-token': TOKEN, receipts: 'false', ...job.inputs },
    env: { ...pullRequest, GITHUB_SERVER_URL: address, GITHUB_REPOSITORY: 'house/shop', ...job.env },
  });
}

test('a private repository without credentials in the checkout: the action fetches the passes', async () => {
  const all = await hosted();
  const played = await play(all);
  expect([played.isSuccess, played.outputs['exit-code'], all.house.calls()]).toEqual([true, '0', 0]);
  // The page has an invisible character after the @, so that GitHub notifies no one.
  expect(played.summary).toMatch(/accepted: passed by dev@\u200bexample\.com on /);
  expect(played.log).not.toContain(TOKEN);
  // Only the step "Fetch passes" talks to the server, with the token.
  const answered = all.requests.filter((one) => !one.includes(' - '));
  expect(answered.length).toBeGreaterThan(0);
  expect(commandsIn(played.log)).toEqual([]);
}, 120_000);

test('a token that may not read: reviewers run, and a warning says what to set', async () => {
  const all = await hosted();
  const played = await play(all, { inputs: { 'passes-token': 'wrong' } });
  expect([played.outputs['exit-code'], all.house.calls()]).toEqual(['0', 4]);
  const [warning] = commandsIn(played.log).filter(({ name }) => name === 'warning');
  expect(warning?.data).toMatch(
    /^The passes of other clones could not be fetched.*"contents: read".*persist-credentials/s,
  );
}, 120_000);

test('a notice explains to a pull request from a fork why it gets a normal review', async () => {
  const all = await hosted({ signers: (key) => key('other@example.com') });
  const played = await play(all, { event: { pull_request: { head: { repo: { full_name: 'fork/shop' } } } } });
  expect([played.outputs['exit-code'], all.house.calls()]).toEqual(['0', 4]);
  const notices = commandsIn(played.log).filter(({ name }) => name === 'notice');
  expect(notices.map(({ data }) => data)).toEqual([
    expect.stringMatching(/^This pull request comes from a fork, so its gates get a normal review\./),
  ]);
}, 120_000);

test('without the setting passes, nothing is fetched', async () => {
  const all = await hosted({ passes: '' });
  const played = await play(all);
  expect([played.outputs['exit-code'], all.house.calls(), all.requests]).toEqual(['0', 4, []]);
  expect(commandsIn(played.log)).toEqual([]);
}, 120_000);
