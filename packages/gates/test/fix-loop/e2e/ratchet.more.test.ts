import { onceover } from '@onceover/testing/cli.ts';
import { fix, fixRepo, loopOf, objection, untilPass, write } from '@onceover/testing/fixing.ts';
import { type GateRepo, PASS, type ScriptedAnswer } from '@onceover/testing/gates.ts';
import { expect, test } from 'vitest';

const B = (n: number) => `export const b = ${n};`;
const fixed = (...ids: string[]) => ({ previous: ids.map((id) => ({ id, state: 'fixed', why: 'seen' })) });

/** Round by round the reviewer confirms the last fix and objects to the next thing, with this priority. */
function script(
  repo: GateRepo,
  priorities: readonly string[],
  words: (n: number) => object = (n) => fixed(`F${n}`),
): void {
  const reviews = priorities.map((priority, n): ScriptedAnswer => {
    return { ...objection(B(n + 2), { priority }), ...(n === 0 ? {} : words(n)) };
  });
  repo.answers('one', ...reviews, PASS);
  repo.answers('two', ...priorities.map((_, n) => fix(write(B(n + 3)), [`F${n + 1} fixed`])));
}

test('a new finding below high does not fail the third review; it is named, and open for the next run', async () => {
  const repo = fixRepo();
  script(repo, ['high', 'medium', 'medium']);
  const end = await loopOf(repo, ['--ratchet']);
  expect(end).toMatchObject({ code: 0, status: 'passed_with_warnings', loop: { end: 'passed' } });
  expect(end.loop.rounds.map(({ open, let_be }) => [open, let_be])).toEqual([
    [['F1'], []],
    [['F2'], []],
    [[], ['F3']],
  ]);
  const status = await onceover(repo.root, ['status', '--json']);
  expect([status.code, JSON.parse(status.stdout).findings]).toEqual([
    1,
    [expect.objectContaining({ id: 'F3', state: 'open' })],
  ]);
  repo.forget();
  repo.answers('one', objection(B(4), { priority: 'medium' }));
  expect(await repo.document()).toMatchObject({ code: 1, findings: [{ id: 'F3', state: 'open' }] });
  expect(repo.calls('one')).toHaveLength(1);
});

test('the output names the tolerated findings', async () => {
  const repo = fixRepo();
  script(repo, ['high', 'high', 'low']);
  const end = await untilPass(repo, ['--ratchet']);
  expect(end.code).toBe(0);
  expect(end.stdout).toContain('Passed with warnings');
  expect(end.stdout).toContain(
    'The ratchet tolerates F3: new in this loop, and not severe enough. A run without --ratchet reports it as open.',
  );
});

test('it is off unless asked for', async () => {
  const repo = fixRepo();
  script(repo, ['high', 'medium', 'low']);
  const end = await loopOf(repo, ['--max-iterations', '3']);
  expect(end).toMatchObject({ code: 1, loop: { end: 'max-iterations' } });
});

test('what is new and high fails the third review, and no more the fourth', async () => {
  const repo = fixRepo();
  script(repo, ['high', 'high', 'high', 'high']);
  const end = await loopOf(repo, ['--ratchet']);
  expect(end.loop.rounds.map(({ open, let_be }) => [open, let_be])).toEqual([
    [['F1'], []],
    [['F2'], []],
    [['F3'], []],
    [[], ['F4']],
  ]);
});

test('what was open before stays open, however low', async () => {
  const repo = fixRepo();
  const low = { ...objection(B(2), { priority: 'low' }) };
  const more = (n: number) => `printf 'export const a = 1;\\n%s\\n// ${n}\\n' '${B(2)}' > src/a.ts`;
  repo.answers('one', low, low, low, low);
  repo.answers('two', fix(more(1)), fix(more(2)), fix(more(3)));
  expect(await loopOf(repo, ['--ratchet'])).toMatchObject({ code: 1, findings: [{ id: 'F1', state: 'open' }] });
});

test('what was open before and is reported in other words is not new', async () => {
  const repo = fixRepo();
  // The reviewer says nothing of the earlier finding, whose line was edited: it may be the same.
  script(repo, ['low', 'low', 'low', 'low'], () => ({}));
  expect(await loopOf(repo, ['--ratchet'])).toMatchObject({ code: 1, loop: { end: 'max-iterations' } });
});

test('a rule with tolerated findings is not marked as passed', async () => {
  const rule = `look:
  description: Looks.
  match: { include: ["src/**"] }
  review: { strategy: matches_together, instructions: Look for what is wrong. }
`;
  const repo = fixRepo({ gates: '  []', files: { '.deepreview': rule } });
  script(repo, ['high', 'high', 'low']);
  expect((await loopOf(repo, ['--ratchet'])).code).toBe(0);
  const told = await onceover(repo.root, ['instructions', '--json']);
  expect(JSON.parse(told.stdout)).toMatchObject({ tasks: [{ rule: 'look' }], skipped: [] });
});
