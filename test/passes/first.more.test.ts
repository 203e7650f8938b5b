import { expect, test } from 'vitest';
import { reviewedBranch, team } from '../support/sharing.ts';

test('a pass of a laptop counts in CI', async () => {
  const house = team();
  const laptop = house.clone({ key: 'dev@example.com' });
  const reviewed = await reviewedBranch(laptop, 'work');
  console.log(JSON.stringify(reviewed, null, 1));
  expect(house.calls()).toBe(4);
  house.forget();
  const ci = house.ci('work');
  const run = await ci.run();
  console.log(JSON.stringify(run, null, 1));
  console.log((await ci.command('run')).stdout);
  console.log((await ci.command('passes')).stdout);
  expect(house.calls()).toBe(0);
});
