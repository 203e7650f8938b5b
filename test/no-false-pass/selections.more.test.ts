import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { alone, command, expectAsked, expectOpen, OBJECTION, objected, waysUnder } from '@onceover/testing/ways.ts';
import { expect } from 'vitest';

const way = waysUnder('Runs on a part of the change');

/** Expects that a full run reviews after a limited run passed, and that its finding survives another limited run. */
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

way('A run with --files passes, and then someone runs the gates on the whole change.', () =>
  expectApart(['--files', 'src/a.ts']),
);

way('A run with --uncommitted passes, and then someone runs the gates on the whole change.', () =>
  expectApart(['--uncommitted']),
);

way('A run with --commit passes, and then someone runs the gates on the whole change.', () =>
  expectApart(['--commit', 'HEAD']),
);

way('A run with another --base passes, and then someone runs the gates on the whole change.', () =>
  expectApart(['--base', 'HEAD']),
);

const twoGates =
  '  - path: src\n    reviews:\n      first: { prompt: .onceover/reviews/code-quality.md }\n' +
  '      second: { prompt: .onceover/reviews/code-quality.md }';

way('A run with --gate passes, and the other gates have not run.', async () => {
  const repo = alone({ gates: twoGates });
  expect((await repo.run(['--gate', 'first'])).code).toBe(0);
  expect((await command(repo, 'status')).code).toBe(1);
  repo.answers('one', OBJECTION);
  expect((await repo.run(['--gate', 'second'])).code).toBe(1);
  expect((await repo.run(['--gate', 'first'])).code).toBe(0);
  await expectOpen(repo);
});

way('A run on some paths passes, and no reviewer has reviewed the other paths.', async () => {
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

way(
  'Someone runs the gates only on the path of an open finding, and the reviewer does not mention the finding.',
  async () => {
    const repo = await objected();
    await expectOpen(repo, ['src/a.ts']);
    await expectOpen(repo, ['--gate', 'code-quality']);
  },
);

way('The option --files names a deleted file.', async () => {
  const repo = alone({ files: { 'src/old.ts': 'export const old = 1;\n' } });
  rmSync(join(repo.root, 'src/old.ts'));
  repo.answers('one', OBJECTION, OBJECTION);
  expect((await repo.run(['--files', 'src/old.ts'])).code).toBe(1);
  expect((await repo.run(['--files', '-'], { input: 'src/old.ts\n' })).code).toBe(1);
  expect(repo.calls()).toHaveLength(2);
});

way('The option --gate names a gate that does not exist.', async () => {
  const repo = alone();
  expect((await repo.run(['--gate', 'code-qualty'])).code).toBe(2);
});

way('The option --gate names an entry of `gates` that does not exist.', async () => {
  const repo = alone();
  expect((await repo.run(['--gate', 'review:scr:code-quality'])).code).toBe(2);
});

way('"onceover run" gets a path that matches no existing or deleted file.', async () => {
  const repo = alone();
  expect((await repo.run(['scr'])).code).toBe(2);
});

way('The option --files names a file that never existed.', async () => {
  const repo = alone();
  expect((await repo.run(['--files', 'scr/a.ts'])).code).toBe(2);
});

way('The option --files reads an empty list from standard input.', async () => {
  const repo = alone();
  expect((await repo.run(['--files', '-'], { input: '' })).code).toBe(2);
});

way('The option --base names a branch that does not exist.', async () => {
  const repo = alone();
  expect((await repo.run(['--base', 'no-such-branch'])).code).toBe(2);
  expect((await command(repo, 'status', '--base', 'no-such-branch')).code).toBe(2);
});

way('The option --commit names a commit that does not exist.', async () => {
  const repo = alone();
  expect((await repo.run(['--commit', 'no-such-commit'])).code).toBe(2);
});

way('A run with --dry-run reports gates that have to run.', async () => {
  const repo = alone();
  expect((await repo.run(['--dry-run'])).code).toBe(1);
  expect(repo.calls()).toEqual([]);
});

way('A run with --fresh runs every reviewer again, and one reviewer fails code that had passed.', async () => {
  const repo = alone();
  expect((await repo.run()).code).toBe(0);
  repo.answers('one', OBJECTION);
  expect((await repo.run(['--fresh'])).code).toBe(1);
  await expectOpen(repo);
});

way('A run with --fresh runs every reviewer again, and no reviewer can answer.', async () => {
  const repo = alone();
  expect((await repo.run()).code).toBe(0);
  repo.answers('one', { $exit: 1 });
  expect((await repo.run(['--fresh'])).code).toBe(3);
});
