import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { closeBrowser, hasBrowser, openTab, type Tab, violations } from '@onceover/testing/browser.ts';
import { onceover } from '@onceover/testing/cli.ts';
import { failing, gateRepo, PASS } from '@onceover/testing/gates.ts';
import { expectOnlyText, withTricks } from '@onceover/testing/hostile-pages.ts';
import { APPROVED, featureRepo, fixes, objects } from '@onceover/testing/phase/feature-repo.ts';
import { proofSample } from '@onceover/testing/proof-sample.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { findingAt, shopRepo } from '@onceover/testing/shop.ts';
import { startUiAsPerson, startUiIn } from '@onceover/testing/ui-server.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { fillTemplate } from '../src/describe-page.ts';
import { type PageDocument, pageSchema } from '../src/json-schema.ts';
import { readTemplate } from '../src/page.ts';

afterAll(closeBrowser);

/** A folder for pictures of every page, to look at them; none are taken by default. */
const { ONCEOVER_SHOTS: SHOTS } = process.env;

const LOOKS = [
  [1440, 'light'],
  [1440, 'dark'],
  [400, 'light'],
  [400, 'dark'],
] as const;

const SOON = { timeout: 30_000, interval: 100 };

/** Checks a page in both themes and widths: no violation of axe-core, no scrolling to the side, and no error. */
async function look(tab: Tab, name: string): Promise<void> {
  for (const [width, colorScheme] of LOOKS) {
    await tab.setViewportSize({ width, height: 900 });
    await tab.emulateMedia({ colorScheme });
    await tab.waitForTimeout(50);
    if (SHOTS !== undefined) {
      mkdirSync(SHOTS, { recursive: true });
      await tab.evaluate('scrollTo(0, 0)');
      await tab.screenshot({ path: `${SHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
    const scrollWidth = await tab.evaluate<number>('document.documentElement.scrollWidth');
    expect([name, width, scrollWidth <= width]).toEqual([name, width, true]);
    // The content takes the space that it needs, also while parts of the page are missing.
    const mainWidth = await tab.evaluate<number>("document.querySelector('main').offsetWidth");
    expect([name, width, mainWidth >= Math.min(width - 40, 900)]).toEqual([name, width, true]);
    // Colours do not depend on the width, and the layout does not depend on the colours, so two of the four are enough.
    const isChecked = (width === 1440) === (colorScheme === 'light');
    expect([name, isChecked ? await violations(tab) : []]).toEqual([name, []]);
  }
  // The browser reports each request to a server that the test ended.
  expect(tab.trouble.filter((text) => !text.startsWith('Failed to load resource: net::'))).toEqual([]);
}

/** Opens a page from disk. */
function openFile(file: string, hash = ''): Promise<Tab> {
  if (SHOTS !== undefined) {
    mkdirSync(SHOTS, { recursive: true });
    copyFileSync(file, join(SHOTS, `${file.split('/').at(-1)}`));
  }
  return openTab(`${pathToFileURL(file).href}${hash}`);
}

function templateText(): string {
  const template = readTemplate();
  if (!template.ok) throw new Error('the page is not built');
  return template.value;
}

/** Returns the data in a page. */
function dataOf(file: string): PageDocument {
  const [, tail = ''] = readFileSync(file, 'utf8').split('<script type="application/json" id="data">');
  return pageSchema.parse(JSON.parse(tail.slice(0, tail.indexOf('</script>'))));
}

/** Returns a copy of a page in which a reviewer counts by an accepted pass, another had an error, and a run needed nothing. */
function withAcceptedPass(file: string): string {
  const data = dataOf(file);
  const signature = { by: ['dev@example.com'], at: data.made_at, agent: 'writer', model: null, waived: 0 };
  const acceptedPass = { ...signature, session: 'new' as const };
  const detail = 'accepted: passed by dev@example.com on 2026-11-12, writer';
  const gates = (data.run?.gates ?? []).map((gate) => {
    const isDocs = gate.id === 'review:docs:docs';
    const isBroken = gate.id === 'review:src:security';
    const slots = gate.slots.map((slot) => {
      if (isDocs)
        return {
          ...slot,
          status: 'not_run' as const,
          dispatch: 'none' as const,
          detail: detail,
          accepted: acceptedPass,
        };
      return isBroken ? { ...slot, status: 'error' as const, detail: 'the agent is not logged in' } : slot;
    });
    return { ...gate, slots, ...(isBroken ? { status: 'error' as const, detail: 'a reviewer had an error' } : {}) };
  });
  const proof = data.proof.map((entry) =>
    entry.gate === 'review:docs:docs'
      ? { ...entry, slots: entry.slots.map((slot) => ({ ...slot, counts_as: 'accepted' as const })) }
      : entry,
  );
  const timelines = data.timelines.map(({ gate, runs }) => ({
    gate,
    runs: runs.map((ran, n) => ({
      ...ran,
      cells: ran.cells.map((cell) => {
        if (n === 0 || cell.slot === null) return cell;
        if (gate === 'review:docs:docs') return { ...cell, kind: 'accepted' as const, transcript: null };
        return gate === 'review:src:security' ? { ...cell, status: 'error' as const } : cell;
      }),
    })),
  }));
  const run = data.run === null ? null : { ...data.run, gates };
  const copy = join(dirname(file), 'accepted.html');
  writeFileSync(copy, fillTemplate(templateText(), { ...data, run, proof, timelines }));
  return copy;
}

/** Checks that the page of a command shows hostile text only as text, whatever part of its data contains it. */
async function expectHarmless(file: string): Promise<void> {
  const copy = `${file.slice(0, -'.html'.length)}-hostile.html`;
  writeFileSync(copy, fillTemplate(templateText(), withTricks(pageSchema, dataOf(file))));
  const tab = await openTab(pathToFileURL(copy).href);
  await expectOnlyText(tab, copy);
  expect([tab.requests, tab.trouble]).toEqual([[], []]);
}

const heading = (tab: Tab) => () => tab.textContent('h1');

const TIME = 240_000;

describe.skipIf(!hasBrowser)('every page is accessible in both themes, wide and narrow', () => {
  test('a run, its transcript, and the cost', { timeout: TIME }, async () => {
    const shop = await shopRepo();
    const run = await shop.report('run', 'run');
    const tab = await openFile(run);
    expect(await tab.locator('.finding .code').first().locator('.line').last().textContent()).toBe('6}');
    await tab.locator('summary').first().click();
    await tab.locator('details.unseen summary').click();
    expect(await tab.textContent('details.unseen')).toContain('+  return items.map');
    await look(tab, 'run');
    await look(await openFile(run, `#/call/${encodeURIComponent('review:src:code-quality@1.2')}`), 'transcript');
    await look(await openFile(run, `#/call/${encodeURIComponent('check:src:types.1')}`), 'check');
    await look(await openFile(run, '#/call/none'), 'missing');
    const page = await openFile(withAcceptedPass(run));
    expect(await page.textContent('#section-gates')).toContain('passed by dev@example.com');
    await look(page, 'accepted');
    await look(await openFile(await shop.report('cost', 'cost')), 'cost');
    await expectHarmless(run);
  });

  test('a phase, the cost of its feature, and a proof', { timeout: TIME }, async () => {
    const repo = featureRepo();
    const folder = dirname(repo.root);
    const usage = { input_tokens: 5200, output_tokens: 320, cost_usd: 0.02 };
    repo.answers(
      'two',
      { ...objects('Requirement 3 names no time.', { location: 'spec.md:6', suggestion: 'Name it.' }), usage },
      { ...APPROVED, usage },
      { ...objects('Requirement 9 contradicts requirement 4.', { location: 'spec.md:12' }), usage },
    );
    repo.answers('one', { ...fixes('Requirement 3: within 2 seconds.'), usage });
    const [phase, cost] = [join(folder, 'phase.html'), join(folder, 'feature.html')];
    await repo.phase(['specify', '--fixer', 'one', '--max-iterations', '2', '--report', `html=${phase}`]);
    const tab = await openFile(phase);
    await look(tab, 'phase');
    await tab.getByRole('link', { name: 'specify: spec-reviewer' }).first().click();
    await expect.poll(() => tab.textContent('main')).toContain('Requirement 59');
    await look(tab, 'phase-transcript');
    await onceover(repo.root, ['cost', 'docs/f', '--report', `html=${cost}`]);
    const costs = await openFile(cost);
    expect(await costs.textContent('#section-feature')).toContain('spec-reviewer');
    await look(costs, 'feature');

    const verdict = ['Found 12 of 17 planted bugs', 'Every answer was kept.'];
    const data = { ...dataOf(cost), page: 'prove' as const, feature: null, verdict };
    const proof = join(temporaryFolder(), 'proof.html');
    writeFileSync(proof, fillTemplate(templateText(), { ...data, prove: proofSample() }));
    await look(await openFile(proof), 'proof');
    for (const file of [phase, cost, proof]) await expectHarmless(file);
  });

  test('empty, loading and error states', { timeout: TIME }, async () => {
    const empty = gateRepo();
    empty.write('src/a.ts', 'export const a = 1;\n');
    const { address } = await startUiIn(empty.root);
    const tab = await openTab(address);
    await expect.poll(heading(tab), SOON).toContain('Nothing to review');
    await look(tab, 'empty');
    await tab.keyboard.press('?');
    await look(tab, 'keys');

    const waiting = await openTab(`${address}#/call/none`);
    await expect.poll(heading(waiting), SOON).toContain('No such transcript');
    waiting.trouble.splice(0);
    await waiting.route('**/api/*', () => {});
    await waiting.goto('about:blank');
    await waiting.goto(address);
    await expect.poll(heading(waiting), SOON).toContain('Reading the gates');
    await look(waiting, 'loading');

    const repo = gateRepo({ more: 'no_such_setting: 1' });
    const page = await openTab((await startUiIn(repo.root)).address);
    await expect.poll(heading(page), SOON).toContain('Error');
    await look(page, 'error');
  });

  test('the live view: a run in progress, a proposed waiver, two reviews, a lost server', {
    timeout: TIME,
  }, async () => {
    const shop = await shopRepo();
    shop.git('worktree', 'add', '-q', '-b', 'stock', join(dirname(shop.root), 'stock'));
    await shop.run();
    const server = await startUiAsPerson(shop.root);
    const tab = await openTab(server.address);
    await expect.poll(heading(tab), SOON).toContain('Failed: 1 open finding');
    const id = await findingAt(shop, 'src/receipt.ts');
    await onceover(shop.root, ['resolve', id, '--skip', 'An address never contains a slash.']);
    await expect.poll(() => tab.textContent(`#finding-${id}`), SOON).toContain('Waiver proposed');
    await tab.getByRole('button', { name: 'Waive…' }).click();
    await look(tab, 'live');
    await tab.getByRole('button', { name: 'Confirm the waiver' }).click();
    await expect.poll(heading(tab), SOON).not.toContain('open finding');
    const [finding] = (await shop.document(['--dry-run'])).findings.filter((entry) => entry.id === id);
    expect(finding).toMatchObject({ state: 'waived', by: { kind: 'person' }, proposed_by: { kind: 'agent' } });
    await tab.getByLabel('Working tree').selectOption({ label: 'stock (stock)' });
    await expect.poll(heading(tab), SOON).toContain('Nothing to review');
    await tab.reload();
    await expect.poll(heading(tab), SOON).toContain('Nothing to review');
    expect(await tab.getByLabel('Working tree').locator('option:checked').textContent()).toBe('stock (stock)');
    await tab.goto(`${server.address}?worktree=gone`);
    await expect.poll(() => tab.textContent('.toolbar'), SOON).toContain('That working tree no longer exists');
    await expect.poll(heading(tab), SOON).not.toContain('Nothing to review');
    // The refused request is part of this test.
    tab.trouble.splice(0);

    await tab.getByRole('link', { name: 'Compare run 1 and run 2' }).first().click();
    await expect.poll(() => tab.textContent('main'), SOON).toContain('sum + cents, 0)');
    expect(await tab.textContent('.compared')).toContain('For an empty cart, reduce has no first value');
    await look(tab, 'diff');
    await tab.goto(server.address);

    shop.write('src/cart.ts', 'export const total = 0;\n');
    shop.answers('careful', { ...PASS, $sleep: 25_000 });
    shop.answers('exact', { ...failing('src/cart.ts', 'total'), $sleep: 25_000 });
    await tab.getByRole('button', { name: 'Run the gates' }).click();
    await expect.poll(() => tab.textContent('.working'), SOON).toContain('reviewer 1');
    expect(await tab.locator('.grid thead th').allTextContents()).toEqual(['Run', '1', '2', '3']);
    await look(tab, 'running');
    await server.kill();
    await expect.poll(() => tab.textContent('.toolbar'), SOON).toContain('The server does not answer');
    await expect.poll(() => tab.textContent('.live-head'), SOON).toContain('A run was in progress');
    expect(await tab.getByRole('button', { name: 'Stop the run' }).isDisabled()).toBe(true);
    await look(tab, 'lost');
  });
});
