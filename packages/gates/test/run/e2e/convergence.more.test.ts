import { failing, gateRepo, type ScriptedAnswer } from '@onceover/testing/gates.ts';
import { expect, test } from 'vitest';

const nit = (code: string, priority: string): ScriptedAnswer => failing('src/a.ts', code, { priority });
const LINES = ['export const a = 1;', 'export const b = 2;', 'export const c = 3;', 'export const d = 4;'];

const SETTINGS = 'convergence: { unchanged_code: must_fix_only, ratchet: true }';

function repoWith(more: string) {
  const repo = gateRepo({ agents: ['one'], numReviews: 1, more });
  repo.write('src/a.ts', `${LINES.join('\n')}\n`);
  return repo;
}

/** Reports a first finding, which is fixed, and then another one on a line that was there all the time. */
async function secondReview(more: string, line: string, priority: string) {
  const repo = repoWith(more);
  repo.answers('one', nit('export const b = 2;', 'high'));
  expect((await repo.run()).code).toBe(1);
  repo.write('src/a.ts', `${LINES.join('\n').replace('b = 2', 'b = 20')}\n`);
  const violations = nit(line, priority).violations ?? [];
  repo.answers('one', { status: 'fail', violations, previous: [{ id: 'F1', state: 'fixed', why: 'it is 20' }] });
  return { repo, document: await repo.document() };
}

test.each([
  ['a medium finding on an unchanged line is a warning', SETTINGS, 'export const d = 4;', 'medium', 0, 'warning'],
  ['a high one fails the gate', SETTINGS, 'export const d = 4;', 'high', 1, 'open'],
  ['a low one on a changed line fails the gate', SETTINGS, 'export const b = 20;', 'low', 1, 'open'],
  ['by default everything fails the gate', '', 'export const d = 4;', 'medium', 1, 'open'],
])('second review: %s', async (_title, more, line, priority, code, state) => {
  const { document } = await secondReview(more, line, priority);
  expect([document.code, document.findings.find(({ id }) => id === 'F2')?.state]).toEqual([code, state]);
});

test('in a later review too, a high finding on an unchanged line fails the gate', async () => {
  const { repo } = await secondReview(SETTINGS, 'export const d = 4;', 'high');
  repo.write('src/a.ts', `${LINES.join('\n').replace('b = 2', 'b = 20').replace('d = 4', 'd = 40')}\n`);
  const violations = [nit('export const c = 3;', 'high'), nit('export const a = 1;', 'critical')].flatMap(
    (one) => one.violations ?? [],
  );
  repo.answers('one', { status: 'fail', violations, previous: [{ id: 'F2', state: 'fixed', why: 'it is 40' }] });
  const third = await repo.document();
  expect(third.code).toBe(1);
  expect(
    third.findings.filter(({ state }) => state !== 'closed').map(({ priority, state }) => [priority, state]),
  ).toEqual([
    ['high', 'open'],
    ['critical', 'open'],
  ]);
});
