import { closeBrowser, hasBrowser, openTab, type Tab, violations } from '@onceover/testing/browser.ts';
import { onceover } from '@onceover/testing/cli.ts';
import { failing, type GateRepo, gateRepo, PASS } from '@onceover/testing/gates.ts';
import { startUiIn } from '@onceover/testing/ui-server.ts';
import { afterAll, describe, expect, test } from 'vitest';

afterAll(closeBrowser);

const SOON = { timeout: 20_000, interval: 100 };

/** A repository whose commands are approved, because tests have no terminal and count as an agent. */
async function approvedRepo(): Promise<GateRepo> {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  expect((await onceover(repo.root, ['trust'])).code).toBe(0);
  return repo;
}

/** Reads a text at once, because a part of the live view may be gone soon. */
const textOf = (tab: Tab, part: string) => () =>
  tab.evaluate<string>(`document.querySelector(${JSON.stringify(part)})?.textContent ?? ''`);

const title = (tab: Tab) => () => tab.textContent('h1');

describe.skipIf(!hasBrowser)('onceover ui', () => {
  test('starts a run, resolves a finding and passes, and a second browser sees the same', async () => {
    const repo = await approvedRepo();
    repo.answers('one', { ...failing('src/a.ts', 'export const b = 2;', { line: 2 }), $sleep: 1500 });
    const { address } = await startUiIn(repo.root);
    const [tab, second] = [await openTab(address), await openTab(address, { width: 400, scheme: 'dark' })];
    await expect.poll(title(tab), SOON).toContain('Not reviewed yet');
    await tab.getByRole('button', { name: 'Run the gates' }).click();
    await expect.poll(() => second.textContent('.toolbar'), SOON).toContain('A run is in progress');
    for (const page of [tab, second]) await expect.poll(title(page), SOON).toContain('Failed: 1 open finding');
    expect(await violations(tab)).toEqual([]);
    expect(await violations(second)).toEqual([]);

    await tab.getByRole('button', { name: 'Mark as fixed' }).click();
    await expect.poll(() => second.textContent('#finding-F1'), SOON).toContain('Marked as fixed');
    repo.write('src/a.ts', 'export const a = 1;\nexport const c = 2;\n');
    repo.answers('one', { ...PASS, previous: [{ id: 'F1', state: 'fixed', why: 'b is gone' }] });
    await tab.getByRole('button', { name: 'Run the gates' }).click();
    for (const page of [tab, second]) await expect.poll(title(page), SOON).toContain('Passed');

    await tab.getByRole('link', { name: 'Compare run 1 and run 2' }).click();
    await expect.poll(() => tab.textContent('main'), SOON).toContain('+export const c = 2;');
    expect(await tab.textContent('main')).toContain('F1');
    expect(await violations(tab)).toEqual([]);
    await tab.goBack();
    await tab.getByRole('link', { name: 'review:src:code-quality' }).last().click();
    await expect.poll(() => tab.textContent('main'), SOON).toContain('Look for what is wrong.');
    expect([tab.trouble, second.trouble]).toEqual([[], []]);
  });

  test('an agent that started the server can only propose a waiver', async () => {
    const repo = await approvedRepo();
    repo.answers('one', failing('src/a.ts', 'export const b = 2;', { line: 2 }));
    expect((await repo.run()).code).toBe(1);
    const { address } = await startUiIn(repo.root);
    const tab = await openTab(address);
    await tab.getByRole('button', { name: 'Propose a waiver' }).click();
    await tab.getByLabel('Why is F1 acceptable?').fill('it is meant so');
    await tab.getByRole('button', { name: 'Propose', exact: true }).click();
    await expect.poll(() => tab.textContent('#finding-F1'), SOON).toContain('Waiver proposed');
    expect(await title(tab)()).toContain('Failed');
    expect((await repo.document(['--dry-run'])).findings[0]).toMatchObject({ state: 'open', answer: 'proposed' });
  });

  test('stops a run, and follows one that was started elsewhere', async () => {
    const repo = await approvedRepo();
    repo.answers('one', { ...PASS, $sleep: 60_000 }, { ...PASS, $sleep: 8000 });
    const { address } = await startUiIn(repo.root);
    const tab = await openTab(address);
    await tab.getByRole('button', { name: 'Run the gates' }).click();
    await expect.poll(() => repo.calls().length, SOON).toBe(1);
    await tab.getByRole('button', { name: 'Stop the run' }).click();
    await expect.poll(() => tab.textContent('.toolbar'), SOON).toContain('Interrupted');
    const elsewhere = repo.run();
    await expect.poll(() => tab.textContent('.toolbar'), SOON).toContain('started elsewhere');
    // The run has no log of its own that the server could read: the progress comes from the run itself.
    await expect.poll(textOf(tab, '.working'), SOON).toContain('review:src:code-quality, reviewer 1');
    await expect.poll(textOf(tab, '.progress'), SOON).toContain('started (new session)');
    expect(await tab.getByRole('button', { name: 'Stop the run' }).count()).toBe(0);
    expect(await violations(tab)).toEqual([]);
    expect((await elsewhere).code).toBe(0);
    await expect.poll(title(tab), SOON).toContain('Passed');
  });

  test('says that a killed server does not answer; the run goes on and the next server shows it', async () => {
    const repo = await approvedRepo();
    repo.answers('one', { ...PASS, $sleep: 6000 });
    const first = await startUiIn(repo.root);
    const tab = await openTab(first.address);
    await expect.poll(title(tab), SOON).toContain('Not reviewed yet');
    await tab.getByRole('button', { name: 'Run the gates' }).click();
    await expect.poll(() => repo.calls().length, SOON).toBe(1);
    await first.kill();
    await expect.poll(() => tab.textContent('.toolbar'), SOON).toContain('The server does not answer');
    expect(await title(tab)()).toContain('Not reviewed yet');
    const again = await startUiIn(repo.root, ['--port', String(first.port)]);
    expect(again.address).not.toBe(first.address);
    const next = await openTab(again.address);
    await expect.poll(textOf(next, '.working'), SOON).toContain('review:src:code-quality, reviewer 1');
    expect(await next.getByRole('button', { name: 'Stop the run' }).count()).toBe(1);
    await expect.poll(title(next), SOON).toContain('Passed');
    expect(repo.calls()).toHaveLength(1);
  });
});
