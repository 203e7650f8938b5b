import { closeBrowser, hasBrowser, openTab } from '@onceover/testing/browser.ts';
import { failing, PASS } from '@onceover/testing/gates.ts';
import { startServer, TOKENS } from '@onceover/testing/server.ts';
import { afterAll, expect, test } from 'vitest';

afterAll(closeBrowser);

test.skipIf(!hasBrowser)('a person logs in with a browser, waives a finding and opens a run', async () => {
  const server = await startServer({ workers: 1 });
  server.agent.answers(failing('src/a.js', 'export const b = 2;', { line: 2 }), PASS);
  const { body } = await server.webhook();
  await server.ended(body.run);
  const tab = await openTab(`${server.url}/`, { width: 1000 });
  const picture = (name: string) => {
    const folder = process.env['ONCEOVER_TEST_PICTURES'];
    return folder === undefined ? null : tab.screenshot({ path: `${folder}/${name}.png` });
  };
  await picture('login');
  await tab.fill('input[name=token]', TOKENS.all);
  await tab.click('text=Log in >> nth=-1');
  await tab.waitForSelector('h1:text("Repositories")');
  await picture('repositories');
  await tab.click('td a');
  await tab.fill('input[name=why]', 'two is meant');
  await picture('repository');
  await tab.click('button:text("Waive")');
  await tab.waitForSelector('text=skipped by ann: two is meant');
  await tab.goto(`${server.url}/runs/${body.run}`);
  await tab.waitForSelector('text=review:src:quality');
  await picture('run');
  expect(tab.trouble).toEqual([]);
});
