import { failing, gateRepo } from '@onceover/testing/gates.ts';
import { expect, test } from 'vitest';

test('a fail, a fix, a pass, and a run with nothing to do', async () => {
  const repo = gateRepo();
  repo.answers('two', failing('src/a.ts', 'export const b = 2;'));
  const first = await repo.document();
  expect(first).toMatchObject({ code: 1, status: 'failed', iteration: 1 });
  expect(first.findings).toMatchObject([{ id: 'F1', state: 'open', file: 'src/a.ts', line: 2 }]);
  repo.write('src/a.ts', 'export const a = 1;\nexport const b = 3;\n');
  const second = await repo.document();
  expect(second).toMatchObject({ code: 0, status: 'passed', iteration: 2 });
  expect(
    repo
      .calls()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['one', 'two', 'two']);
  const third = await repo.document();
  expect(third).toMatchObject({ code: 0, status: 'passed', iteration: null });
  expect(repo.calls()).toHaveLength(3);
});
