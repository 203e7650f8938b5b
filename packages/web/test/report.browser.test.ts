import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { closeBrowser, hasBrowser, openTab, violations } from '@onceover/testing/browser.ts';
import { failing, type GateRepo, gateRepo, PASS } from '@onceover/testing/gates.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { pageDocument } from '@onceover/testing/web.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { fillTemplate } from '../src/describe-page.ts';
import type { PageDocument } from '../src/json-schema.ts';
import { readTemplate } from '../src/page.ts';

afterAll(closeBrowser);

/** A repository with a failed run, a finding, a check and a file without a review; returns the address of the report. */
async function reportOf(repo: GateRepo): Promise<string> {
  const file = join(dirname(repo.root), 'report.html');
  await repo.run(['--report', `html=${file}`]);
  return pathToFileURL(file).href;
}

function failedRepo(): GateRepo {
  const gates = `  - path: src
    checks:
      lint: { run: "echo linted" }
    reviews:
      code-quality: { prompt: .onceover/reviews/code-quality.md, num_reviews: 2 }`;
  const repo = gateRepo({ gates });
  repo.write('notes.md', 'No review covers this file.\n');
  const usage = { input_tokens: 900, output_tokens: 100, cost_usd: 0.02 };
  repo.answers('one', { ...failing('src/a.ts', 'export const b = 2;', { line: 2, fix: 'Remove it.' }), usage });
  repo.answers('two', { ...PASS, usage, session_id: 's1' });
  return repo;
}

/** Writes a page with this data, and returns its address. */
function pageFile(data: PageDocument): string {
  const template = readTemplate();
  if (!template.ok) throw new Error('the page is not built');
  const file = join(temporaryFolder(), 'page.html');
  writeFileSync(file, fillTemplate(template.value, data));
  return pathToFileURL(file).href;
}

/** Scrolls through all calls, and returns the longest time between two frames. */
const SCROLL = `(async () => {
  const list = document.querySelector('[aria-label="All calls, newest first"]');
  let longest = 0;
  let last = performance.now();
  for (let n = 1; n <= 60; n++) {
    list.scrollTop = n * 6000;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  return { longest, rows: document.querySelectorAll('.call-row').length, top: list.scrollTop };
})()`;

describe.skipIf(!hasBrowser)('the HTML report', () => {
  test('opens from disk without any request, with its parts in order', async () => {
    const address = await reportOf(failedRepo());
    const tab = await openTab(address);
    await expect.poll(() => tab.textContent('h1')).toContain('Failed: 1 open finding');
    const titles = await tab.locator('h2').allTextContents();
    expect(titles).toEqual([
      ...['Why it counts', 'Open findings', 'Paid and not paid', 'Timeline', 'History'],
      ...['Calls', 'Transcripts', 'Not covered by a review', 'Keys'],
    ]);
    expect(await tab.textContent('#finding-F1')).toContain('something is wrong with export const b = 2;');
    expect(await tab.textContent('#finding-F1 .marked')).toContain('export const b = 2;');
    expect(await tab.textContent('#section-uncovered')).toContain('notes.md');
    expect(await tab.locator('.plot canvas').count()).toBe(2);
    expect([tab.requests, tab.trouble]).toEqual([[], []]);
  });

  test('opens the transcript of a call by its link, and finds gates, findings and keys by keyboard', async () => {
    const address = await reportOf(failedRepo());
    const tab = await openTab(`${address}#/call/${encodeURIComponent('review:src:code-quality@1.1')}`);
    expect(await tab.textContent('main')).toContain('Look for what is wrong.');
    await tab.goto(`${address}#/finding/F1`);
    await expect.poll(() => tab.evaluate('document.activeElement?.id')).toBe('finding-F1');
    await tab.keyboard.press('k');
    expect(await tab.evaluate('document.activeElement?.id')).toMatch(/^gate-/);
    await tab.keyboard.press('j');
    expect(await tab.evaluate('document.activeElement?.id')).toBe('finding-F1');
    await tab.keyboard.press('/');
    await tab.keyboard.type('lint');
    await expect.poll(() => tab.locator('[id^="gate-"]').count()).toBe(1);
    await tab.keyboard.press('Escape');
    await tab.keyboard.press('?');
    expect(await tab.locator('dialog[open]').count()).toBe(1);
    expect(tab.trouble).toEqual([]);
  });

  test.each([
    [1440, 'light'],
    [1440, 'dark'],
    [400, 'light'],
    [400, 'dark'],
  ] as const)('has no violation at %d px, %s, and needs no scrolling to the side', async (width, scheme) => {
    const address = await reportOf(failedRepo());
    const report = await openTab(address, { width, scheme });
    expect(await violations(report)).toEqual([]);
    expect(await report.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    const id = encodeURIComponent('review:src:code-quality@1.1');
    const call = await openTab(`${address}#/call/${id}`, { width, scheme });
    expect(await violations(call)).toEqual([]);
    const missing = await openTab(`${address}#/call/none`, { width, scheme });
    expect(await violations(missing)).toEqual([]);
  });

  test('links to a run, a gate and a call', async () => {
    const address = await reportOf(failedRepo());
    const tab = await openTab(`${address}#/run/1`);
    await expect.poll(() => tab.locator('th.is-target').allTextContents()).toEqual(['1']);
    await tab.goto(`${address}#/gate/${encodeURIComponent('check:src:lint')}`);
    await expect.poll(() => tab.evaluate('document.activeElement?.id')).toBe('gate-check:src:lint');
    await tab.locator('.call-row a').first().click();
    await expect.poll(() => tab.textContent('main')).toContain('Look for what is wrong.');
  });

  test('prints in light colours, with folded parts open and without controls', async () => {
    const address = await reportOf(failedRepo());
    const tab = await openTab(address, { scheme: 'dark' });
    await tab.evaluate(
      "addEventListener('beforeprint', () => { globalThis.printed = document.querySelectorAll('details[open]').length })",
    );
    const pdf = await tab.pdf({ format: 'A4' });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBeLessThan(8);
    // Each of the two gates has one folded part.
    expect(await tab.evaluate('globalThis.printed')).toBe(2);
    expect(await tab.locator('details[open]').count()).toBe(0);
    await tab.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await tab.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(await tab.locator('.top, .contents, .switch').filter({ visible: true }).count()).toBe(0);
    expect(await violations(tab)).toEqual([]);
  });

  test('draws 10,000 calls in under a second, and scrolls through them', async () => {
    const data = pageDocument('plain', 10_000);
    const tab = await openTab(pageFile(data));
    const took = await tab.evaluate<number>(
      "(([one]) => one.domContentLoadedEventEnd - one.responseEnd)(performance.getEntriesByType('navigation'))",
    );
    const frames = await tab.evaluate<{ longest: number; rows: number; top: number }>(SCROLL);
    expect(took).toBeLessThan(1000);
    expect(frames.top).toBeGreaterThan(300_000);
    expect(frames.rows).toBeLessThan(40);
    // A quiet machine takes 17 ms per frame. The limit leaves room for a busy one.
    expect(frames.longest).toBeLessThan(200);
  });

  test('opens a transcript of 5 MB', async () => {
    const line = `${'a line of a long answer '.repeat(4)}\n`;
    const data = pageDocument('plain', 10, line.repeat(Math.ceil(5_000_000 / line.length)));
    const tab = await openTab(`${pageFile(data)}#/call/t`);
    const start = Date.now();
    await expect.poll(() => tab.locator('.long-text pre').count(), { timeout: 10_000 }).toBeGreaterThan(200);
    expect(Date.now() - start).toBeLessThan(5000);
    expect(tab.trouble).toEqual([]);
  });
});
