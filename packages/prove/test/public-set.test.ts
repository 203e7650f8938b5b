import { expect, test } from 'vitest';
import { publicSet } from '../src/decide/public-set.ts';
import { BUG_CLASSES } from '../src/types.ts';

const cases = publicSet();

test('the public set has a bug of every class that can be planted, and as many changes without a bug', () => {
  const classes = new Set(cases.flatMap(({ planted }) => planted?.class ?? []));
  expect([...classes].sort()).toEqual(BUG_CLASSES.filter((name) => name !== 'fix' && name !== 'other').sort());
  expect(cases).toHaveLength(24);
  expect(cases.filter(({ planted }) => planted === null)).toHaveLength(14);
});

test('every case of the public set differs from the same change without a bug, at the lines that it names', () => {
  const bugs = cases.filter(({ planted }) => planted !== null);
  for (const bug of bugs) {
    const clean = cases.find(({ title }) => title === `${bug.title} (no bug)`);
    const [place] = bug.planted?.places ?? [];
    const lines = (proofCase: typeof clean) =>
      proofCase?.rounds[0]?.files.find(({ path }) => path === place?.file)?.text?.split('\n') ?? [];
    const [bad, good] = [lines(bug), lines(clean)];
    const first = bad.findIndex((line, i) => line !== good[i]) + 1;
    expect({ title: bug.title, isInside: first >= (place?.from ?? 0) && first <= (place?.to ?? 0) + 1 }).toEqual({
      title: bug.title,
      isInside: true,
    });
  }
});
