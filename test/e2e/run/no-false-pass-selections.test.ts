import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { alone, command, expectAsked, expectOpen, OBJECTION, objected, waysUnder } from '../../support/ways.ts';

const way = waysUnder('A run about less than the whole change');

/** A run about less passes; then a run about all of it must ask, and what it objects to survives another run about less. */
async function expectApart(narrow: readonly string[]): Promise<void> {
  const repo = alone();
  repo.commit();
  repo.write('src/a.ts', 'export const a = 1;\nexport const b = 2;\nexport const c = 3;\n');
  expect((await repo.run(narrow)).code).toBe(0);
  repo.forget();
  repo.answers('one', OBJECTION);
  await expectAsked(repo);
  expect((await repo.run(narrow)).code).toBe(0);
  await expectOpen(repo);
}

way('A pass with --files counts for all.', () => expectApart(['--files', 'src/a.ts']));

way('A pass with --uncommitted counts for all.', () => expectApart(['--uncommitted']));

way('A pass with --commit counts for all.', () => expectApart(['--commit', 'HEAD']));

way('A pass with another --base counts for all.', () => expectApart(['--base', 'HEAD']));

const twoGates =
  '  - path: src\n    reviews:\n      first: { prompt: .onceover/reviews/code-quality.md }\n' +
  '      second: { prompt: .onceover/reviews/code-quality.md }';

way('A pass with --gate counts for the other gates.', async () => {
  const repo = alone({ gates: twoGates });
  expect((await repo.run(['--gate', 'first'])).code).toBe(0);
  expect((await command(repo, 'status')).code).toBe(1);
  repo.answers('one', OBJECTION);
  expect((await repo.run(['--gate', 'second'])).code).toBe(1);
  expect((await repo.run(['--gate', 'first'])).code).toBe(0);
  await expectOpen(repo);
});

way('A pass for some paths counts for the others.', async () => {
  const review = '{ prompt: .onceover/reviews/code-quality.md }';
  const repo = alone({
    more: 'concurrency: 1',
    gates: `  - path: src\n    reviews: { own: ${review} }\n  - path: lib\n    reviews: { own: ${review} }`,
  });
  repo.write('lib/b.ts', 'export const c = 1;\n');
  expect((await repo.run(['lib'])).code).toBe(0);
  repo.answers('one', OBJECTION);
  expect((await repo.run()).code).toBe(1);
  expect((await repo.run(['lib'])).code).toBe(0);
  await expectOpen(repo);
});

way('The paths are those of the finding, and the reviewer is silent.', async () => {
  const repo = await objected();
  await expectOpen(repo, ['src/a.ts']);
  await expectOpen(repo, ['--gate', 'code-quality']);
});

way('--files names a file that is deleted.', async () => {
  const repo = alone({ files: { 'src/old.ts': 'export const old = 1;\n' } });
  rmSync(join(repo.root, 'src/old.ts'));
  repo.answers('one', OBJECTION, OBJECTION);
  expect((await repo.run(['--files', 'src/old.ts'])).code).toBe(1);
  expect((await repo.run(['--files', '-'], { input: 'src/old.ts\n' })).code).toBe(1);
  expect(repo.calls()).toHaveLength(2);
});

way('--gate names no gate.', async () => {
  const repo = alone();
  expect((await repo.run(['--gate', 'code-qualty'])).code).toBe(2);
});

way('--gate names a gate of an entry point that does not exist.', async () => {
  const repo = alone();
  expect((await repo.run(['--gate', 'review:scr:code-quality'])).code).toBe(2);
});

way('The paths name nothing that there is or was.', async () => {
  const repo = alone();
  expect((await repo.run(['scr'])).code).toBe(2);
});

way('--files names nothing that there is or was.', async () => {
  const repo = alone();
  expect((await repo.run(['--files', 'scr/a.ts'])).code).toBe(2);
});

way('--files reads a list that is empty.', async () => {
  const repo = alone();
  expect((await repo.run(['--files', '-'], { input: '' })).code).toBe(2);
});

way('--base names nothing.', async () => {
  const repo = alone();
  expect((await repo.run(['--base', 'no-such-branch'])).code).toBe(2);
  expect((await command(repo, 'status', '--base', 'no-such-branch')).code).toBe(2);
});

way('--commit names nothing.', async () => {
  const repo = alone();
  expect((await repo.run(['--commit', 'no-such-commit'])).code).toBe(2);
});

way('--dry-run finds something to be done.', async () => {
  const repo = alone();
  expect((await repo.run(['--dry-run'])).code).toBe(1);
  expect(repo.calls()).toEqual([]);
});

way('--fresh asks everybody again, and one of them fails what had passed.', async () => {
  const repo = alone();
  expect((await repo.run()).code).toBe(0);
  repo.answers('one', OBJECTION);
  expect((await repo.run(['--fresh'])).code).toBe(1);
  await expectOpen(repo);
});

way('--fresh asks everybody again, and nobody can answer.', async () => {
  const repo = alone();
  expect((await repo.run()).code).toBe(0);
  repo.answers('one', { $exit: 1 });
  expect((await repo.run(['--fresh'])).code).toBe(3);
});
