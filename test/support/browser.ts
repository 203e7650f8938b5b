import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser'];

const program = process.env['ONCEOVER_CHROMIUM'] ?? PROGRAMS.find((path) => existsSync(path)) ?? null;

/** Whether tests of pages can run. In CI they always run, so a missing browser fails them. */
export const hasBrowser = program !== null || process.env['CI'] === 'true';

if (!hasBrowser)
  console.log('Tests of pages are skipped: there is no Chromium. Install the Debian package "chromium".');

let opened: Promise<Browser> | null = null;

/** Starts Chromium once for all tests of a file. */
function browser(): Promise<Browser> {
  if (program === null) throw new Error('There is no Chromium.');
  opened ??= chromium.launch({
    executablePath: program,
    args: [
      '--no-sandbox',
      '--headless',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
  return opened;
}

export async function closeBrowser(): Promise<void> {
  await (await opened)?.close();
  opened = null;
}

/** A tab, with everything that must not happen in it. */
export type Tab = Page & {
  /** Requests other than the page itself. */
  readonly requests: string[];
  /** Errors, refused scripts and styles, and dialogs that a page opened. */
  readonly trouble: string[];
};

/** Opens an address in a new window of its own. */
export async function openTab(
  address: string,
  { width = 1440, scheme = 'light' }: { width?: number; scheme?: 'light' | 'dark' } = {},
): Promise<Tab> {
  const context = await (await browser()).newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const tab = Object.assign(page, { requests: [] as string[], trouble: [] as string[] });
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== address.split('#')[0]) tab.requests.push(request.url());
  });
  page.on('pageerror', (error) => tab.trouble.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') tab.trouble.push(message.text());
  });
  page.on('dialog', (dialog) => {
    tab.trouble.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(address);
  return tab;
}

/** Returns the violations that axe-core finds on a page. */
export async function violations(tab: Tab): Promise<readonly string[]> {
  // The policy of the page forbids other scripts, so axe runs as a script of the test.
  await tab.evaluate(axe.source);
  return tab.evaluate(async () => {
    const { violations: found } = await (
      globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }
    ).axe.run();
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  });
}
