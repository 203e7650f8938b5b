import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { closeBrowser, hasBrowser, openTab } from '@onceover/testing/browser.ts';
import { expectOnlyText, withTricks } from '@onceover/testing/hostile-pages.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { pageDocument, TRICKS } from '@onceover/testing/web.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { fillTemplate, liveTemplate } from '../src/describe-page.ts';
import {
  type LiveDocument,
  liveSchema,
  type PageDocument,
  type ReviewDiffDocument,
  reviewDiffSchema,
  type SessionDocument,
  sessionSchema,
} from '../src/json-schema.ts';
import { readTemplate } from '../src/page.ts';

afterAll(closeBrowser);

function template(): string {
  const template = readTemplate();
  if (!template.ok) throw new Error('the page is not built');
  return template.value;
}

/** Writes a page with this data, and returns its address. */
function pageFile(data: PageDocument): string {
  const file = join(temporaryFolder(), 'page.html');
  writeFileSync(file, fillTemplate(template(), data));
  return pathToFileURL(file).href;
}

const LIVE: LiveDocument = {
  stamp: 'a',
  run: {
    ...{ id: 'r', since: '', pid: 1, progress: ['a', 'b'], title: 'a', steps: 2, ended: 1, failed: 1, tokens: 5 },
    working: [{ name: 'a', agent: 'a', dispatch: 'a', since: 'a', doing: 'a', tokens: 1 }],
  },
  ended: { id: 'r', error: 'a' },
};

const SESSION: SessionDocument = {
  ...{ version: 'a', person: true },
  worktrees: [1, 2].map((n) => ({ id: `${n}`, name: 'a', branch: 'a', current: n === 1 })),
};

const DIFF: ReviewDiffDocument = {
  ...{ gate: 'a', slot: 1, from: 1, to: 2, fixed: ['a'], added: ['b'], kept: ['c'] },
  findings: [{ id: 'a', file: 'a', issue: 'a' }],
  sections: [{ files: ['a'], text: '+a' }],
};

/** Everything that a script in the page could use to load or send something. */
const ATTACK = `(async () => {
  const refused = [];
  addEventListener('securitypolicyviolation', ({ effectiveDirective }) => refused.push(effectiveDirective));
  const add = (name, fields) => document.body.append(Object.assign(document.createElement(name), fields));
  add('script', { textContent: 'globalThis.ran = true' });
  add('script', { src: 'http://127.0.0.1:9/a.js' });
  add('img', { src: 'http://127.0.0.1:9/a.png' });
  add('iframe', { src: 'http://127.0.0.1:9/' });
  add('style', { textContent: 'body { display: none }' });
  add('link', { rel: 'stylesheet', href: 'http://127.0.0.1:9/a.css' });
  const button = document.createElement('button');
  button.setAttribute('onclick', 'globalThis.ran = true');
  document.body.append(button);
  button.click();
  const form = Object.assign(document.createElement('form'), { action: 'http://127.0.0.1:9/' });
  document.body.append(form);
  form.submit();
  await fetch('http://127.0.0.1:9/a').catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 300));
  return { ran: globalThis.ran ?? false, refused: [...new Set(refused)].sort() };
})()`;

describe.skipIf(!hasBrowser)('hostile text', () => {
  test('stays text in a report, wherever it comes from', async () => {
    const tab = await openTab(pageFile(pageDocument(TRICKS.join('\n'))));
    await expect.poll(() => tab.locator('.card').count()).toBeGreaterThan(0);
    for (const hash of ['#/section/findings', '#/call/t']) {
      await tab.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await expectOnlyText(tab, hash);
    }
    expect(await tab.locator('h3').allTextContents()).toEqual([
      'Sent',
      'Files opened',
      'Tokens of each request',
      'Answer',
    ]);
    expect([tab.requests, tab.trouble]).toEqual([[], []]);
  });

  test('stays text in the live view: working trees, a run in progress, a comparison, an error', async () => {
    const server = 'http://127.0.0.1:9/token/';
    const documents: Readonly<Record<string, object>> = {
      'api/page': pageDocument(TRICKS.join('\n')),
      'api/session': withTricks(sessionSchema, SESSION),
      'api/diff': withTricks(reviewDiffSchema, DIFF),
      'api/resolve': { error: { message: TRICKS.join('\n'), next: TRICKS.join('\n') } },
    };
    const tab = await openTab('about:blank');
    await tab.route('**/*', (route) => {
      const path = route.request().url().slice(server.length).split('?')[0] ?? '';
      if (path === '') return route.fulfill({ contentType: 'text/html', body: liveTemplate(template()) });
      const body = JSON.stringify(documents[path]);
      const events = `retry: 60000\ndata: ${JSON.stringify(withTricks(liveSchema, LIVE))}\n\n`;
      return path === 'api/events'
        ? route.fulfill({ contentType: 'text/event-stream', body: events })
        : route.fulfill({ contentType: 'application/json', body, status: path === 'api/resolve' ? 400 : 200 });
    });
    await tab.goto(server);
    await expect.poll(() => tab.textContent('.working')).toContain(TRICKS[0]);
    await tab.getByRole('button', { name: 'Mark as fixed' }).click();
    await expect.poll(() => tab.textContent('.banner.bad')).toContain(TRICKS[0]);
    expect(await tab.getByLabel('Working tree').textContent()).toContain(TRICKS[0]);
    await expectOnlyText(tab, 'live');
    await tab.evaluate("location.hash = '#/diff/a/1/1/2'");
    await expect.poll(() => tab.textContent('.diff')).toContain(TRICKS[0]);
    await expectOnlyText(tab, 'diff');
    expect(tab.requests.filter((url) => !url.startsWith(server))).toEqual([]);
  });

  test('could not run, load or send anything even as part of the page', async () => {
    const tab = await openTab(pageFile(pageDocument('plain')));
    const urls: string[] = [];
    tab.on('response', (response) => urls.push(response.url()));
    expect(await tab.evaluate(ATTACK)).toEqual({
      ran: false,
      refused: [
        ...['connect-src', 'form-action', 'frame-src', 'img-src', 'script-src-attr', 'script-src-elem'],
        'style-src-elem',
      ],
    });
    expect(urls).toEqual([]);
    expect(await tab.evaluate('getComputedStyle(document.body).display')).toBe('block');
  });
});
