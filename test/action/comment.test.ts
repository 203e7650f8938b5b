import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PROJECT } from '@onceover/testing/composite-action.ts';
import { EVENT } from '@onceover/testing/pull-request.ts';
import { cleanEnvironment, temporaryFolder } from '@onceover/testing/repo.ts';
import { commandsIn } from '@onceover/testing/workflow-commands.ts';
import { expect, onTestFinished, test } from 'vitest';

type Comment = { readonly id: string; readonly body: string; readonly viewerDidAuthor: boolean };
type Asked = { readonly query: string; readonly variables: Readonly<Record<string, string>> };

/** The part of GitHub's API that the comment needs: list, add and change the comments of a pull request. */
async function github(comments: readonly Comment[], trouble: { status?: number; errors?: readonly object[] } = {}) {
  const changes: Asked[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const asked = JSON.parse(text) as Asked;
    expect(request.headers.authorization).toBe('Bearer secret');
    if (asked.query.startsWith('mutation')) changes.push(asked);
    response.writeHead(trouble.status ?? 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: { node: { comments: { nodes: comments } } }, errors: trouble.errors }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { changes, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql` };
}

async function comment(url: string, page = '# Passed\n', event: object = EVENT) {
  const folder = temporaryFolder();
  const [file, told] = [join(folder, 'page.md'), join(folder, 'event.json')];
  writeFileSync(file, page);
  writeFileSync(told, JSON.stringify(event));
  const env = {
    ...cleanEnvironment(folder),
    GITHUB_GRAPHQL_URL: url,
    GITHUB_EVENT_PATH: told,
    GITHUB_WORKFLOW: 'review',
    GITHUB_JOB: 'gates',
    ONCEOVER_TOKEN: 'secret',
    ONCEOVER_PAGE: file,
  };
  const child = spawn(process.execPath, [join(PROJECT, 'action/comment.mjs')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (log += chunk));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(log).not.toContain('secret');
  return { code, commands: commandsIn(log) };
}

test('the first comment is added, the next one replaces it', async () => {
  const first = await github([{ id: 'C1', body: 'Nice.', viewerDidAuthor: true }]);
  expect(await comment(first.url)).toEqual({ code: 0, commands: [] });
  expect(first.changes).toMatchObject([
    { query: expect.stringContaining('addComment'), variables: { subject: 'PR_7' } },
  ]);
  const body = first.changes[0]?.variables['body'] ?? '';
  expect(body).toMatch(/^<!-- onceover [0-9a-f]{16} -->\n# Passed\n$/);

  const second = await github([
    { id: 'C2', body, viewerDidAuthor: false },
    { id: 'C3', body, viewerDidAuthor: true },
  ]);
  await comment(second.url, '# Failed\n');
  expect(second.changes).toMatchObject([
    {
      query: expect.stringContaining('updateIssueComment'),
      variables: { id: 'C3', body: expect.stringContaining('# Failed') },
    },
  ]);
});

test("another author's comment that looks like ours is not changed", async () => {
  const own = await github([]);
  await comment(own.url);
  const body = own.changes[0]?.variables['body'] ?? '';
  const other = await github([{ id: 'C2', body, viewerDidAuthor: false }]);
  await comment(other.url);
  expect(other.changes).toMatchObject([{ query: expect.stringContaining('addComment') }]);
});

test('a page that is too long is cut at a line, and its code block is closed', async () => {
  const { url, changes } = await github([]);
  await comment(url, `# Failed\n\n\`\`\`\`\n${'some code\n'.repeat(9000)}\`\`\`\`\n`);
  const body = changes[0]?.variables['body'] ?? '';
  expect(body.length).toBeLessThan(65_536);
  expect(body).toMatch(/\nsome code\n````\n\nThe rest is in the summary of the job\.\n$/);
});

test.each<[title: string, trouble: { status?: number; errors?: readonly object[] }, said: string]>([
  ['refuses', { status: 403 }, 'GitHub answered 403'],
  [
    'has something against it',
    { errors: [{ message: 'Resource not accessible\n::error::x' }] },
    'Resource not accessible',
  ],
])('if GitHub %s, the script warns and does not fail', async (_, trouble, said) => {
  const { url } = await github([], trouble);
  expect(await comment(url)).toMatchObject({
    code: 0,
    commands: [{ name: 'warning', data: expect.stringContaining(said) }],
  });
});

test('without a pull request, the script says so', async () => {
  const { url, changes } = await github([]);
  expect(await comment(url, '', {})).toMatchObject({ code: 0, commands: [{ name: 'notice' }] });
  expect(changes).toEqual([]);
});
