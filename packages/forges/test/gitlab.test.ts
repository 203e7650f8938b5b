import type { RunDocument } from '@onceover/gates/result/json';
import { documentWith, findingOn, OWN_JOB, publishOptions, reviewed } from '@onceover/testing/forges/documents.ts';
import { type GitlabServer, gitlabTarget, startGitlab } from '@onceover/testing/forges/gitlab-server.ts';
import { openWorld, type World } from '@onceover/testing/forges/world.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { decideGitlabTarget, type GitlabTarget } from '../src/decide-gitlab-target.ts';
import { describePublished } from '../src/describe-publish.ts';
import { openGitlab } from '../src/gitlab.ts';
import { publishRun } from '../src/publish.ts';

const servers: GitlabServer[] = [];
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

type Opened = { readonly server: GitlabServer; readonly waits: number[] };

async function open(world: World): Promise<Opened> {
  const server = await startGitlab(world);
  servers.push(server);
  return { server, waits: [] };
}

async function publish(world: World, at: Opened, document: RunDocument, differs: Partial<GitlabTarget> = {}) {
  const wait = async (milliseconds: number) => {
    at.waits.push(milliseconds);
    world.tick(milliseconds);
  };
  const target = { ...gitlabTarget(world, at.server.url), ...differs };
  const own = { repository: '42', head_repository: '42' };
  const queue = target.pull === null ? { base: 'main', head: target.commit, repository: '42' } : null;
  const source = { ...OWN_JOB, queue };
  const options = publishOptions(reviewed(document, target.commit, own), target.commit, { source });
  return publishRun(openGitlab(target, 'secret', wait), options, wait);
}

const ADDED = findingOn('src/a.ts', 'const added = 1;');
const CONTEXT = findingOn('src/a.ts', 'const value58 = 58;', 'open', { id: 'F2' });
const BOTH_LINES = findingOn('src/a.ts', 'const value59 = 59;\nconst added = 1;', 'open', {
  id: 'F3',
  fix: '```\nconst one = 1;\n```',
});
const UP_TO_DATE = { ok: true, value: { steps: [] } };

describe('on GitLab', () => {
  test('the token of another account cannot edit what the old one wrote, so it writes its own and keeps to it', async () => {
    const world = shop();
    const at = await open(world);
    expect(await publish(world, at, documentWith([ADDED]))).toMatchObject({ ok: true });
    world.viewer = 'rotated[bot]';
    expect(await publish(world, at, documentWith([ADDED, CONTEXT]))).toMatchObject({ ok: true });
    expect(await publish(world, at, documentWith([ADDED, CONTEXT]))).toMatchObject(UP_TO_DATE);
    expect(world.data.comments.map(({ author, body }) => [author, body.split('\n')[1]])).toEqual([
      ['onceover[bot]', '### ❌ onceover: 1 problem to fix'],
      ['rotated[bot]', '### ❌ onceover: 2 problems to fix'],
    ]);
    const authors = world.data.threads.map(({ comments }) => comments[0]?.author);
    expect(authors).toEqual(['onceover[bot]', 'rotated[bot]', 'rotated[bot]']);
  });

  test('an added line, an unchanged line and two lines become threads that GitLab accepts', async () => {
    const world = shop();
    const at = await open(world);
    expect(await publish(world, at, documentWith([ADDED, CONTEXT, BOTH_LINES]))).toMatchObject({ ok: true });
    expect(world.rejected).toBe(0);
    expect(world.data.threads.map(({ path, line }) => [path, line])).toEqual([
      ['src/a.ts', 61],
      ['src/a.ts', 59],
      ['src/a.ts', 61],
    ]);
    expect(world.data.threads[2]?.comments[0]?.body).toContain('```suggestion:-1+0\nconst one = 1;\n```');
    expect(world.data.comments.map(({ body }) => body.split('\n')[1])).toEqual(['### ❌ onceover: 3 problems to fix']);
    expect(world.data.checks.map(({ name, conclusion }) => [name, conclusion])).toEqual([
      ['onceover / main', 'failure'],
      ['onceover / main (review:src:code-quality)', 'failure'],
    ]);
    expect(await publish(world, at, documentWith([ADDED, CONTEXT, BOTH_LINES]))).toMatchObject(UP_TO_DATE);
  });

  test('a line that GitLab does not find becomes a thread on the file', async () => {
    const world = shop();
    const at = await open(world);
    const accepts = world.accepts;
    world.accepts = (place) => accepts(place) && place.kind === 'file';
    expect(await publish(world, at, documentWith([ADDED]))).toMatchObject({ ok: true });
    expect(world.rejected).toBe(1);
    expect(world.data.threads.map(({ line }) => line)).toEqual([null]);
  });

  test('a push while the merge request is read makes it read again, and the result is outdated', async () => {
    const world = shop();
    const at = await open(world);
    const { head } = world.data;
    at.server.heard.push((line) => {
      if (line.includes('/diffs')) world.data.head = 'e'.repeat(40);
    });
    const outcome = await publish(world, at, documentWith([ADDED]), { commit: head });
    expect(outcome).toMatchObject({ ok: true, value: { isOutdated: true } });
    expect(at.server.log.filter((line) => line.includes('/diffs')).length).toBeGreaterThanOrEqual(2);
    expect([world.data.threads, world.data.comments]).toEqual([[], []]);
  });

  test('a merge request that gets a push during every reading is an error', async () => {
    const world = shop();
    const at = await open(world);
    let pushes = 0;
    at.server.heard.push((line) => {
      if (line.includes('/diffs')) world.data.head = String(++pushes).padStart(40, 'f');
    });
    const outcome = await publish(world, at, documentWith([ADDED]));
    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'forge-failed' } });
    expect([pushes, world.data.threads]).toEqual([3, []]);
  });

  test('after a push between the reading and a thread, only the checks are there', async () => {
    const world = shop();
    const at = await open(world);
    at.server.heard.push((line) => {
      if (line.startsWith('POST') && line.includes('/discussions')) world.data.head = 'e'.repeat(40);
    });
    const outcome = await publish(world, at, documentWith([ADDED]));
    expect(outcome).toMatchObject({ ok: true, value: { isOutdated: true } });
    expect([world.data.threads, world.data.comments]).toEqual([[], []]);
    expect(world.data.checks).toHaveLength(2);
  });

  const closing = { how: 'fixed', why: 'It adds up now.', iteration: 2 } as const;
  const document = documentWith([{ finding: { ...ADDED.finding, closed: closing }, state: 'closed' }]);

  test('a closed finding gets a reply, and its thread is resolved', async () => {
    const world = shop();
    const at = await open(world);
    await publish(world, at, documentWith([ADDED]));
    await publish(world, at, document);
    const [thread] = world.data.threads;
    expect([thread?.resolvedBy, thread?.comments.length]).toEqual([world.viewer, 2]);
    expect(await publish(world, at, document)).toMatchObject(UP_TO_DATE);
  });

  test('without the right to resolve, the comment says that the finding is closed, and nothing is tried again', async () => {
    const world = shop();
    world.permissions.contents = false;
    const at = await open(world);
    await publish(world, at, documentWith([ADDED]));
    const outcome = await publish(world, at, document);
    expect(world.data.threads[0]?.comments[0]?.body).toContain('fixed, as reviewer 1 (`claude`) confirmed');
    expect(outcome.ok && describePublished(outcome.value, false)).toContain('role Developer');
    expect(await publish(world, at, document)).toMatchObject(UP_TO_DATE);
  });

  test('waits as long as GitLab asks', async () => {
    const world = shop();
    const at = await open(world);
    const answer = { status: 429, body: { message: 'Retry later' }, headers: { 'retry-after': '7' } };
    at.server.trouble.push({ on: 'POST /api/v4/projects/42/merge_requests/7/discussions', answer });
    expect(await publish(world, at, documentWith([ADDED]))).toMatchObject({ ok: true });
    expect(at.waits).toContain(7000);
    expect(world.data.threads).toHaveLength(1);
  });

  test('a write whose answer is lost is not repeated, and the next publication does the rest', async () => {
    const world = shop();
    const at = await open(world);
    at.server.trouble.push({ on: '/merge_requests/7/notes', answer: { status: 502, body: null } });
    expect(await publish(world, at, documentWith([ADDED]))).toMatchObject({ ok: false });
    expect(await publish(world, at, documentWith([ADDED]))).toMatchObject({ ok: true });
    expect([world.data.threads.length, world.data.comments.length]).toEqual([1, 1]);
  });

  test('reads all pages, and the marker of another account does not count', async () => {
    const world = shop();
    for (let n = 0; n < 130; n++) world.data.files[`src/many${n}.ts`] = `let many${n} = ${n};\n`;
    for (let n = 0; n < 130; n++) {
      world.data.comments.push({ id: world.nextId(), author: 'ann', body: `Remark ${n}`, isMinimized: false });
    }
    const body = `<!-- onceover summary passed ${'0'.repeat(32)} - -->\nAll is well.`;
    world.data.comments.unshift({ id: world.nextId(), author: 'mallory', body, isMinimized: false });
    const many = Array.from({ length: 105 }, (_, n) =>
      findingOn(`src/many${n + 20}.ts`, `let many${n + 20} = ${n + 20};`, 'open', { id: `F${n + 10}` }),
    );
    const at = await open(world);
    expect(await publish(world, at, documentWith(many))).toMatchObject({ ok: true });
    expect(world.data.threads).toHaveLength(105);
    expect(world.data.comments.filter(({ author }) => author === world.viewer)).toHaveLength(1);
    expect(world.data.comments[0]?.body).toBe(body);
    expect(await publish(world, at, documentWith(many))).toMatchObject(UP_TO_DATE);
  });

  test('a merge train gets statuses and no comments', async () => {
    const world = shop();
    const at = await open(world);
    await publish(world, at, documentWith([]), { pull: null, commit: 'f'.repeat(40) });
    expect(world.data.comments).toEqual([]);
    expect(world.data.checks.map(({ sha, conclusion }) => [sha, conclusion])).toEqual([
      ['f'.repeat(40), 'success'],
      ['f'.repeat(40), 'success'],
    ]);
  });

  test('a run without a result is a failed status, never a passed one', async () => {
    const world = shop();
    const at = await open(world);
    const target = gitlabTarget(world, at.server.url);
    const run = { kind: 'error', message: 'No agent.', next: 'Install one.' } as const;
    const options = { ...publishOptions(documentWith([]), target.commit), run };
    expect(await publishRun(openGitlab(target, 'secret'), options)).toMatchObject({ ok: true });
    expect(world.data.checks.map(({ name, conclusion }) => [name, conclusion])).toEqual([
      ['onceover / main', 'failure'],
    ]);
  });

  test('a diff that is not ready is an error', async () => {
    const world = shop();
    const at = await open(world);
    const body = { iid: 7, sha: world.data.head, diff_refs: null };
    at.server.trouble.push({ on: 'GET /api/v4/projects/42/merge_requests/7', answer: { status: 200, body } });
    expect(await publish(world, at, documentWith([ADDED]))).toMatchObject({
      ok: false,
      failure: { kind: 'forge-failed' },
    });
    expect(world.writes).toBe(0);
  });

  test('a wrong token is an error', async () => {
    const world = shop();
    const at = await open(world);
    const forge = openGitlab(gitlabTarget(world, at.server.url), 'other');
    expect(await publishRun(forge, publishOptions(documentWith([]), world.data.head))).toMatchObject({
      ok: false,
      failure: { kind: 'forge-refused', status: 401 },
    });
  });
});

describe('the place in GitLab CI', () => {
  const sha = 'a'.repeat(40);
  const mergedSha = 'c'.repeat(40);
  const env = {
    GITLAB_CI: 'true',
    CI_API_V4_URL: 'https://gitlab.example.com/api/v4',
    CI_PROJECT_ID: '42',
    CI_PROJECT_URL: 'https://gitlab.example.com/house/shop',
    CI_MERGE_REQUEST_IID: '7',
    CI_MERGE_REQUEST_PROJECT_ID: '42',
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '42',
    CI_COMMIT_SHA: sha,
  };
  const decide = (differs: Record<string, string | undefined>) =>
    decideGitlabTarget({ env: { ...env, ...differs }, event: null, pull: null, commit: null, runCommit: null });

  test.each<[string, Record<string, string | undefined>, object]>([
    ['a merge request', {}, { project: '42', pull: 7, commit: sha, workflow: 'change', queue: null }],
    [
      'a merged result is shown on the commit of the branch',
      { CI_COMMIT_SHA: mergedSha, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: sha },
      { pull: 7, commit: sha },
    ],
    [
      'a merge train gets statuses on its own commit',
      {
        CI_COMMIT_SHA: mergedSha,
        CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: sha,
        CI_MERGE_REQUEST_EVENT_TYPE: 'merge_train',
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      },
      { pull: null, commit: mergedSha, queue: { base: 'main', head: mergedSha, repository: '42' } },
    ],
    [
      'a branch without a merge request',
      { CI_MERGE_REQUEST_IID: undefined, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: undefined },
      { pull: null, commit: sha, workflow: 'base', queue: null },
    ],
  ])('%s', (_title, differs, expected) => {
    expect(decide(differs)).toMatchObject({ ok: true, value: expected });
  });

  test.each([
    ['CI_API_V4_URL', 'http://gitlab.example.com/api/v4'],
    ['CI_PROJECT_ID', '../42'],
    ['CI_PROJECT_URL', 'javascript:alert(1)'],
    ['CI_COMMIT_SHA', 'main'],
  ])('%s must be valid', (name, value) => {
    const without = name === 'CI_PROJECT_ID' ? { CI_MERGE_REQUEST_PROJECT_ID: undefined } : {};
    expect(decide({ ...without, [name]: value })).toMatchObject({ ok: false, failure: { kind: 'no-forge' } });
  });
});
