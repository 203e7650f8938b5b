import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { failing, PASS, waive } from '@onceover/testing/gates.ts';
import { sqlAt } from '@onceover/testing/postgres.ts';
import { type Clone, reviewedBranch, type Team, team } from '@onceover/testing/sharing.ts';
import { expect, test } from 'vitest';

const sql = (text: string) => sqlAt(process.env['ONCEOVER_STORE'] ?? '')(text);

/** A branch that a laptop reviewed. `signer` signs its passes; only dev@example.com may. */
async function teamWithReview(signer = 'dev@example.com'): Promise<Team> {
  const house = team();
  await reviewedBranch(house.clone({ key: signer }), 'work', ['src']);
  house.forget();
  return house;
}

async function callsIn(house: Team, clone: Clone): Promise<number> {
  house.answers(PASS);
  expect((await clone.run()).code).toBe(0);
  return house.calls();
}

test('a signed statement in the store counts in a job that does not trust the store', async () => {
  const house = await teamWithReview();
  expect(await callsIn(house, house.ci('work'))).toBe(0);
});

test.each([
  ['has a changed signature', `signature = convert_to(translate(convert_from(signature, 'UTF8'), 'AB', 'BA'), 'UTF8')`],
  ['has no signature', `signature = ''`],
  [
    'was changed after it was signed',
    `statement = convert_to(replace(convert_from(statement, 'UTF8'), 'test-1', 'test-2'), 'UTF8')`,
  ],
  ['was cut off', 'statement = substr(statement, 1, 100)'],
])('a statement in the store that %s counts for nothing', async (_title, change) => {
  const house = await teamWithReview();
  await sql(`UPDATE onceover.statements SET ${change}`);
  expect(await callsIn(house, house.ci('work'))).toBe(1);
});

test('a statement that a stranger signed counts for nothing', async () => {
  const house = await teamWithReview('stranger@example.com');
  expect(await sql('SELECT count(*) > 0 AS some FROM onceover.statements')).toEqual([{ some: true }]);
  expect(await callsIn(house, house.ci('work'))).toBe(1);
});

test.each([
  ['never', 1],
  ['own-branches', 1],
  ['always', 0],
])(
  'without statements, plain receipts with "trust: %s" in a pull request that may be of a fork',
  async (trust, calls) => {
    const house = await teamWithReview();
    await sql('DELETE FROM onceover.statements');
    const clone = house.ci('work');
    const config = join(dirname(clone.root), '.config/onceover');
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, 'config.yml'), `store:\n  url: ${process.env['ONCEOVER_STORE']}\n  trust: ${trust}\n`);
    expect(await callsIn(house, clone)).toBe(calls);
  },
);

test('a clone signs its own waivers, and not those that other clones have put in the store', async () => {
  const house = team({ more: 'waivers: { who: people, signers: .onceover/signers }' });
  const first = house.clone();
  house.answers(failing('src/a.txt', 'work', { line: 2 }));
  expect((await reviewedBranch(first, 'work', ['src'])).code).toBe(1);
  await waive(first, 'F1');
  const signing = house.clone({ key: 'dev@example.com' });
  signing.git('checkout', '-q', 'work');
  // The receipt and the waiver of the first clone count, and this clone signs neither.
  expect(await signing.run(['--share'])).toMatchObject({ code: 0, shared: null });
  await waive(signing, 'F1');
  expect(await signing.run(['--share'])).toMatchObject({ code: 0, shared: { passes: 0, waivers: 1 } });
});
