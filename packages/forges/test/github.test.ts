import type { RunDocument } from '@onceover/gates/result/json';
import { documentWith, findingOn, OWN_JOB, publishOptions } from '@onceover/testing/forges/documents.ts';
import { type GithubServer, githubTarget, startGithub } from '@onceover/testing/forges/github-server.ts';
import { findOperation } from '@onceover/testing/forges/openapi.ts';
import { openWorld, type World } from '@onceover/testing/forges/world.ts';
import { afterEach, describe, expect, test } from 'vitest';
import type { GithubTarget } from '../src/decide-target.ts';
import { openGithub } from '../src/github.ts';
import { type PublishOptions, publishRun } from '../src/publish.ts';

const servers: GithubServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    expect(server.wrong).toEqual([]);
    await server.close();
  }
});

const LINES = Array.from({ length: 60 }, (_, n) => `const value${n} = ${n};`);

function shop(): World {
  const base = LINES.join('\n');
  const files = { 'src/a.ts': `${base}\nconst added = 1;\nconst more = 2;\n`, 'src/new.ts': 'let fresh = 0;\n' };
  return openWorld({ base: { 'src/a.ts': `${base}\n` }, files });
}

type Opened = { readonly server: GithubServer; readonly waits: number[]; target(): GithubTarget };

async function open(world: World): Promise<Opened> {
  const server = await startGithub(world);
  servers.push(server);
  const target = () => githubTarget(world, server.url);
  return { server, waits: [], target };
}

async function publish(world: World, at: Opened, document: RunDocument, differs: Partial<PublishOptions> = {}) {
  const wait = async (milliseconds: number) => {
    at.waits.push(milliseconds);
    world.tick(milliseconds);
  };
  const forge = await openGithub(at.target(), 'secret', wait);
  if (!forge.ok) return forge;
  return publishRun(forge.value, publishOptions(document, world.data.head, differs), wait);
}

const ADDED = findingOn('src/a.ts', 'const added = 1;');
const FRESH = findingOn('src/new.ts', 'let fresh = 0;', 'open', { id: 'F2' });

describe('on GitHub', () => {
  test('two findings become two threads with one review, a summary and a check per gate', async () => {
    const world = shop();
    const at = await open(world);
    expect(await publish(world, at, documentWith([ADDED, FRESH]))).toMatchObject({ ok: true });
    expect(world.data.threads.map(({ path, line }) => [path, line])).toEqual([
      ['src/a.ts', 61],
      ['src/new.ts', 1],
    ]);
    expect(at.server.log.filter((line) => line.includes('/reviews'))).toHaveLength(1);
    expect(world.data.comments.map(({ body }) => body.split('\n')[1])).toEqual(['### ❌ onceover: 2 problems to fix']);
    expect(world.data.checks.map(({ name, conclusion }) => [name, conclusion])).toEqual([
      ['onceover / main', 'failure'],
      ['onceover / main (review:src:code-quality)', 'failure'],
    ]);
    expect(await publish(world, at, documentWith([ADDED, FRESH]))).toMatchObject({ ok: true, value: { steps: [] } });
  });

  test('one bad line rejects the review, and all other threads are created', async () => {
    const world = shop();
    const at = await open(world);
    // The diff that was read shows the line, but GitHub does not accept it.
    const accepts = world.accepts;
    world.accepts = (place) => accepts(place) && (place.kind === 'file' || place.path !== 'src/new.ts');
    expect(await publish(world, at, documentWith([ADDED, FRESH]))).toMatchObject({ ok: true });
    expect(world.rejected).toBe(2);
    expect(world.data.threads.map(({ path, line }) => [path, line])).toEqual([
      ['src/a.ts', 61],
      ['src/new.ts', null],
    ]);
  });

  test('one bad line of 32 is found with 10 more requests, and no other thread is lost', async () => {
    const text = Array.from({ length: 32 }, (_, n) => `let many${n} = ${n};`);
    const world = openWorld({ base: {}, files: { 'src/many.ts': `${text.join('\n')}\n` } });
    const at = await open(world);
    const accepts = world.accepts;
    world.accepts = (place) => accepts(place) && (place.kind === 'file' || place.first !== 20);
    const findings = text.map((line, n) => findingOn('src/many.ts', line, 'open', { id: `F${n + 1}` }));
    expect(await publish(world, at, documentWith(findings))).toMatchObject({ ok: true });
    const lines = world.data.threads.map(({ line }) => line);
    const expectedLines = [null, ...text.flatMap((_, n) => (n === 19 ? [] : [n + 1]))];
    expect(lines.toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual(expectedLines);
    const writes = at.server.log.filter((line) => /^POST .*\/pulls\/\d+\/(reviews|comments)/.test(line));
    // A review of all, two halves of each rejected one down to single threads, and the thread on the file.
    expect(writes).toHaveLength(1 + 2 * 5 + 1);
    expect(await publish(world, at, documentWith(findings))).toMatchObject({ ok: true, value: { steps: [] } });
  });

  test('a finding that the forge accepts nowhere is a line of the summary and is not tried again', async () => {
    const world = shop();
    const at = await open(world);
    world.accepts = () => false;
    expect(await publish(world, at, documentWith([ADDED]))).toMatchObject({ ok: true });
    expect(world.data.threads).toEqual([]);
    expect(world.data.comments[0]?.body).toContain('| **F1** high | `src/a.ts:1` |');
    const { rejected } = world;
    expect(await publish(world, at, documentWith([ADDED]))).toMatchObject({ ok: true, value: { steps: [] } });
    expect(world.rejected).toBe(rejected);
  });

  test('without "contents: write" a closed thread is edited and hidden, and the hint is there once', async () => {
    const world = shop();
    world.permissions.contents = false;
    const at = await open(world);
    await publish(world, at, documentWith([ADDED, FRESH]));
    const closing = { how: 'fixed', why: 'It adds up now.', iteration: 2 } as const;
    const findings = [ADDED, FRESH].map(({ finding }) => ({
      finding: { ...finding, closed: closing },
      state: 'closed' as const,
    }));
    const outcome = await publish(world, at, documentWith(findings));
    expect(world.data.threads.map(({ resolvedBy, comments }) => [resolvedBy, comments.length])).toEqual([
      [null, 1],
      [null, 1],
    ]);
    expect(world.data.threads.every(({ comments }) => comments[0]?.isMinimized)).toBe(true);
    expect(world.data.threads[0]?.comments[0]?.body).toContain(
      'fixed, as reviewer 1 (`claude`) confirmed: It adds up now',
    );
    const { describePublished } = await import('../src/describe-publish.ts');
    const text = outcome.ok ? describePublished(outcome.value, false) : '';
    expect(text.match(/contents: write/g)).toHaveLength(1);
    expect(await publish(world, at, documentWith(findings))).toMatchObject({ ok: true, value: { steps: [] } });
  });

  test('with it, the thread gets a reply and is resolved, and a person who reopens it is left alone', async () => {
    const world = shop();
    const at = await open(world);
    await publish(world, at, documentWith([ADDED]));
    const closing = { how: 'withdrawn', why: 'It is meant so.', iteration: 2 } as const;
    const findings = [{ finding: { ...ADDED.finding, closed: closing }, state: 'closed' as const }];
    await publish(world, at, documentWith(findings));
    const [thread] = world.data.threads;
    expect(thread?.resolvedBy).toBe(world.viewer);
    expect(thread?.comments[1]?.body).toContain('**F1** withdrawn by reviewer 1 (`claude`): It is meant so.');
    if (thread !== undefined) thread.resolvedBy = null;
    expect(await publish(world, at, documentWith(findings))).toMatchObject({ ok: true, value: { steps: [] } });
  });

  test.each<[string, number, object, Record<string, string>, number]>([
    ['says how long to wait', 403, { message: 'secondary rate limit' }, { 'retry-after': '7' }, 7],
    ['has no header', 403, { message: 'You have exceeded a secondary rate limit.' }, {}, 60],
    ['has status 429 and no header', 429, { message: 'Too many requests' }, {}, 60],
    [
      'is not about the hourly limit, which the headers name too',
      429,
      { message: 'secondary rate limit' },
      { 'x-ratelimit-remaining': '4000', 'x-ratelimit-reset': '9999999999' },
      60,
    ],
  ])('waits after a secondary rate limit that %s', async (_title, status, body, headers, seconds) => {
    const world = shop();
    const at = await open(world);
    const answer = { status, body, headers };
    at.server.trouble.push({ on: 'POST /repos', answer }, { on: 'POST /graphql', answer });
    expect(await publish(world, at, documentWith([ADDED]))).toMatchObject({ ok: true });
    expect(at.waits.filter((wait) => wait === seconds * 1000)).toHaveLength(2);
    expect(world.data.threads).toHaveLength(1);
    expect(world.data.checks).toHaveLength(2);
  });

  test('waits if GraphQL says with status 200 that requests are limited', async () => {
    const world = shop();
    const at = await open(world);
    await publish(world, at, documentWith([ADDED]));
    const errors = [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }];
    const closing = { how: 'fixed', why: 'Done.', iteration: 2 } as const;
    const document = documentWith([{ finding: { ...ADDED.finding, closed: closing }, state: 'closed' }]);
    const answer = { status: 200, body: { data: null, errors } };
    at.server.trouble.push({ on: 'POST /graphql', answer }, { on: 'POST /graphql', answer });
    expect(await publish(world, at, document)).toMatchObject({ ok: true });
    expect(at.waits.filter((wait) => wait === 60_000)).toHaveLength(2);
    expect(world.data.threads).toMatchObject([{ resolvedBy: world.viewer }]);
  });

  test('a request that is forbidden for another reason is not repeated', async () => {
    const world = shop();
    const at = await open(world);
    const answer = { status: 403, body: { message: 'Resource not accessible by integration' } };
    at.server.trouble.push({ on: 'check-runs', answer });
    await publish(world, at, documentWith([ADDED]));
    expect(at.waits).toEqual([]);
  });

  test('a write whose answer is lost is not repeated, and the next publication does the rest', async () => {
    const world = shop();
    const at = await open(world);
    at.server.trouble.push({ on: 'POST /repos/house/shop/issues/7/comments', answer: { status: 502, body: null } });
    expect(await publish(world, at, documentWith([ADDED]))).toMatchObject({
      ok: false,
      failure: { kind: 'forge-failed' },
    });
    expect(await publish(world, at, documentWith([ADDED]))).toMatchObject({ ok: true });
    expect(world.data.threads).toHaveLength(1);
    expect(world.data.comments).toHaveLength(1);
  });

  test('reads all pages of comments, threads, files and checks', async () => {
    const world = shop();
    for (let n = 0; n < 130; n++) world.data.files[`src/many${n}.ts`] = `let many${n} = ${n};\n`;
    for (let n = 0; n < 130; n++) {
      world.data.comments.push({ id: world.nextId(), author: 'ann', body: `Remark ${n}`, isMinimized: false });
    }
    const many = Array.from({ length: 105 }, (_, n) =>
      findingOn(`src/many${n + 20}.ts`, `let many${n + 20} = ${n + 20};`, 'open', { id: `F${n + 10}` }),
    );
    const at = await open(world);
    expect(await publish(world, at, documentWith(many))).toMatchObject({ ok: true });
    expect(world.data.threads).toHaveLength(105);
    expect(await publish(world, at, documentWith(many))).toMatchObject({ ok: true, value: { steps: [] } });
    expect(at.server.log.filter((line) => line.includes('/reviews'))).toHaveLength(3);
    // 105 annotations need three requests, and the result comes with the last one.
    expect(world.data.checks.find(({ name }) => name.includes('review'))).toMatchObject({
      status: 'completed',
      conclusion: 'failure',
      annotations: expect.objectContaining({ length: 105 }),
    });
  });

  test('a very long finding fits into a comment', async () => {
    const world = shop();
    const at = await open(world);
    const long = findingOn('src/a.ts', 'const added = 1;', 'open', {
      issue: '`x` '.repeat(60_000),
      fix: 'y\n'.repeat(90_000),
    });
    expect(await publish(world, at, documentWith([long]))).toMatchObject({ ok: true });
    expect(world.rejected).toBe(0);
  });

  test('a token without the right for checks still posts comments, and the hint says what is missing', async () => {
    const world = shop();
    world.permissions.checks = false;
    const at = await open(world);
    const outcome = await publish(world, at, documentWith([ADDED]));
    expect(outcome).toMatchObject({ ok: true });
    expect(world.data.comments).toHaveLength(1);
    expect(world.data.checks).toEqual([]);
  });

  test('a token without any right is an error', async () => {
    const world = shop();
    world.permissions.pulls = false;
    const at = await open(world);
    expect(await publish(world, at, documentWith([ADDED]))).toMatchObject({
      ok: false,
      failure: { kind: 'forge-refused' },
    });
  });

  test('a merge queue gets checks and no comments', async () => {
    const world = shop();
    const at = await open(world);
    const target = at.target();
    const forge = await openGithub({ ...target, pull: { kind: 'number', number: null } }, 'secret');
    if (!forge.ok) throw new Error('no forge');
    const queue = { base: 'main', head: target.commit, repository: 'house/shop' };
    const source = { ...OWN_JOB, workflow: 'base', queue } as const;
    await publishRun(forge.value, publishOptions(documentWith([]), target.commit, { source }));
    expect(world.data.comments).toEqual([]);
    expect(world.data.checks.map(({ name, conclusion }) => [name, conclusion])).toEqual([
      ['onceover / main', 'success'],
      ['onceover / main (review:src:code-quality)', 'success'],
    ]);
  });

  test('finds the pull request of a fork by its branch, and only if its commit is the one of the job', async () => {
    const world = shop();
    const at = await open(world);
    const byBranch: GithubTarget = { ...at.target(), pull: { kind: 'branch', head: 'stranger:work' } };
    for (const [commit, comments] of [
      ['0'.repeat(40), 0],
      [world.data.head, 1],
    ] as const) {
      const forge = await openGithub({ ...byBranch, commit }, 'secret');
      if (!forge.ok) throw new Error('no forge');
      await publishRun(forge.value, publishOptions(documentWith([ADDED]), commit));
      expect(world.data.comments).toHaveLength(comments);
    }
  });
});

test.each<[string, string, string, object | null, RegExp | null]>([
  ['GET', '/pulls', 'state=open&per_page=100', null, null],
  ['GET', '/pulls', 'status=open', null, /the query parameter status is not described/],
  ['GET', '/pulls', 'state=opened', null, /^state: /],
  ['GET', '/pulls/seven', '', null, /^pull_number: /],
  ['POST', '/check-runs', '', { name: 'onceover' }, /head_sha/],
  ['POST', '/pulls/7/reviews', '', { event: 'SHOUT' }, /event/],
])("the server checks requests against GitHub's description: %s %s?%s %j", (method, path, query, body, expected) => {
  const problem = findOperation(method, `/repos/house/shop${path}`)?.wrongRequest(new URLSearchParams(query), body);
  if (expected === null) expect(problem).toBeNull();
  else expect(problem).toMatch(expected);
});
