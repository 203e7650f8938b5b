import { failing, gateRepo, waive } from '@onceover/testing/gates.ts';
import { askUi, startUiIn } from '@onceover/testing/ui-server.ts';
import { BAD, command, configure, expectOpen, OBJECTION, objected, waysUnder } from '@onceover/testing/ways.ts';
import { expect } from 'vitest';

const way = waysUnder('Waived findings, and gates that lose findings');

const FIXED = 'export const a = 1;\nexport const b = 3;\n';

way('An agent waives the finding in its shell and confirms the waiver.', async () => {
  const repo = await objected();
  expect((await command(repo, 'resolve', 'F1', '--skip', 'it is meant so')).code).toBe(0);
  expect((await command(repo, 'resolve', 'F1', '--confirm')).code).toBe(3);
  await expectOpen(repo);
});

way('An agent starts "onceover ui", waives the finding there and confirms the waiver.', async () => {
  const repo = await objected();
  const server = await startUiIn(repo.root);
  const path = `${new URL(server.address).pathname}api/resolve`;
  const answer = (how: string) => askUi(server, path, { body: { id: 'F1', how, why: 'it is meant so' } });
  expect(JSON.parse((await answer('skipped')).text)).toMatchObject({ state: 'open', answer: 'proposed' });
  expect((await answer('confirmed')).status).toBe(400);
  await expectOpen(repo);
});

way('An agent sets `waivers.who: anyone` in onceover.yml, waives the finding and reverts the setting.', async () => {
  const repo = await objected();
  configure(repo, { more: 'waivers: { who: anyone }' });
  expect((await command(repo, 'resolve', 'F1', '--skip', 'it is meant so')).stdout).toContain('F1 is waived');
  configure(repo);
  await expectOpen(repo);
});

way('Someone waived a finding, and its reviewer reports a more severe problem for the same code.', async () => {
  const repo = await objected();
  await waive(repo, 'F1');
  expect((await repo.run()).code).toBe(0);
  repo.write('src/a.ts', `${BAD}\nexport const c = 1;\n`);
  repo.answers('one', failing('src/a.ts', BAD, { priority: 'critical' }));
  const run = await repo.document();
  expect(run).toMatchObject({ code: 1, findings: [{ state: 'waived' }, { priority: 'critical', state: 'open' }] });
});

way('Someone waived a finding, and another reviewer of the same gate reports the same problem.', async () => {
  const repo = gateRepo();
  repo.answers('one', OBJECTION);
  repo.answers('two', OBJECTION);
  const first = await repo.document();
  expect(first.findings).toMatchObject([{ state: 'open' }, { state: 'open' }]);
  await waive(repo, 'F1');
  const again = await repo.document();
  expect(again).toMatchObject({ code: 1, findings: [{ state: 'waived' }, { state: 'open' }] });
});

way('Someone waived all findings of a reviewer and then changes the code.', async () => {
  const repo = gateRepo();
  repo.answers('two', OBJECTION);
  await repo.run();
  await waive(repo, 'F1');
  repo.write('src/a.ts', 'export const c = 1;\n');
  repo.answers('two', failing('src/a.ts', 'export const c = 1;'));
  expect(await repo.document()).toMatchObject({ code: 1 });
  expect(repo.calls('two')).toHaveLength(2);
});

way(
  'Someone waived all findings of a reviewer, a run skips this reviewer, and then someone changes the code again.',
  async () => {
    const repo = gateRepo({ more: 'concurrency: 1' });
    repo.answers('one', failing('src/a.ts', 'export const a = 1;'));
    repo.answers('two', OBJECTION);
    expect((await repo.document()).findings).toMatchObject([{ slot: 1 }, { slot: 2 }]);
    await waive(repo, 'F2');
    expect((await repo.document()).gates[0]?.slots[1]).toMatchObject({ status: 'pass', why: 'waived' });
    repo.write('src/a.ts', 'export const c = 1;\n');
    repo.answers('two', failing('src/a.ts', 'export const c = 1;'));
    expect((await repo.document()).code).toBe(1);
  },
);

way('A reviewer fails some code and passes the fixed code, and then someone reverts the fix.', async () => {
  const repo = gateRepo();
  const bad = 'export const a = 1;\nexport const b = 2;\n';
  repo.answers('two', OBJECTION);
  expect((await repo.document()).code).toBe(1);
  repo.write('src/a.ts', FIXED);
  expect((await repo.document()).code).toBe(0);
  repo.write('src/a.ts', bad);
  repo.answers('two', OBJECTION);
  expect((await repo.document()).code).toBe(1);
});

way('Someone changes the settings so that the file with the finding no longer belongs to its gate.', async () => {
  const repo = await objected();
  repo.write('src/other.ts', 'export const other = 1;\n');
  const review = '{ prompt: .onceover/reviews/code-quality.md }';
  configure(repo, { gates: `  - path: src\n    exclude: [src/a.ts]\n    reviews: { code-quality: ${review} }` });
  await expectOpen(repo);
});

way('Someone renames the gate that has an open finding.', async () => {
  const repo = await objected();
  const review = '{ prompt: .onceover/reviews/code-quality.md }';
  configure(repo, { gates: `  - path: src\n    reviews: { renamed: ${review} }` });
  await expectOpen(repo);
});

way('Someone removes the gate that has an open finding.', async () => {
  const repo = await objected();
  configure(repo, { gates: '  []' });
  await expectOpen(repo);
});

way('Someone removes the gate that has an open finding, and then starts "onceover run .".', async () => {
  const repo = await objected();
  configure(repo, { gates: '  []' });
  await expectOpen(repo, ['.']);
});

way('Someone lowers the setting `num_reviews`, and so removes a reviewer that has an open finding.', async () => {
  const repo = gateRepo();
  repo.answers('two', OBJECTION);
  await repo.run();
  configure(repo, { agents: ['one', 'two'], numReviews: 1 });
  await expectOpen(repo);
});
