import { type ModelSim, startModelSim } from '@onceover/testing/model-sim/server.ts';
import { playGaps } from '@onceover/testing/real-gaps.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim();
});
afterAll(() => sim.close());

const three = (how: string) => [how, how, how];

// Weighted tokens of three reviewers in five rounds. A new session in every round: 752,768 (many), 252,764 (few).
test('ten minutes between rounds, many files: new sessions once, whose prompts show the files, and an hour of cache', async () => {
  const [first, second] = (await playGaps(sim, { who: 'claude', opens: 8, minutes: 10, loops: 2 })).loops;
  const [, renewed, ...resumed] = first?.rounds.map(({ how }) => how) ?? [];
  expect(renewed).toEqual(three('fresh resume-dearer'));
  expect(resumed).toEqual(Array(3).fill(three('resumed delta')));
  // With one-hour writes from the start, it was 346,281.
  expect(first?.weighted).toBeLessThan(300_000);
  expect(second?.weighted).toBeLessThan(346_281);
});

test('ten minutes between rounds, few files: a new session is cheaper once, then the hour of the cache counts', async () => {
  const [first, second] = (await playGaps(sim, { who: 'claude', opens: 2, minutes: 10, loops: 2 })).loops;
  expect(first?.rounds[1]?.how).toEqual(three('fresh resume-dearer'));
  expect(first?.weighted).toBeLessThan(190_000);
  expect(second?.weighted).toBeLessThan(171_381);
});

test('forks that open the files of their reading again: sharing stops, and the next loop costs what it costs without', async () => {
  const [first, second] = (await playGaps(sim, { who: 'claude', opens: 8, minutes: 10, loops: 2, shares: true })).loops;
  // After a pause, each starts a session of its own instead of a fork that opens everything again.
  expect(first?.rounds[1]?.how).toEqual(three('fresh resume-dearer'));
  expect(first?.weighted).toBeLessThan(752_768);
  expect(second?.weighted).toBeLessThan(346_281);
});

test.each([
  ['many', 8, 356_755],
  ['few', 2, 196_506],
])('Codex, 40 minutes between rounds, %s files: the cache lives for 24 hours', async (_title, opens, most) => {
  const [loop] = (await playGaps(sim, { who: 'codex', opens, minutes: 40 })).loops;
  expect(loop?.rounds.slice(1).map(({ how }) => how)).toEqual(Array(4).fill(three('resumed delta')));
  expect(loop?.weighted).toBeLessThan(most);
});
