import { describe, expect, test } from 'vitest';
import { seededRandom, shuffled } from '../../src/decide/random.ts';

const numbersOf = (seed: number, count: number): readonly number[] => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random());
};

describe('random numbers from a seed', () => {
  test('the same seed gives the same numbers', () => {
    expect(numbersOf(7, 20)).toEqual(numbersOf(7, 20));
  });

  test('another seed gives other numbers', () => {
    expect(numbersOf(7, 5)).not.toEqual(numbersOf(8, 5));
  });

  test.each([0, 1, -1, 2 ** 32 - 1])(
    '10,000 numbers of seed %j are from 0 to below 1, with a mean near a half',
    (seed) => {
      const numbers = numbersOf(seed, 10_000);
      expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...numbers)).toBeLessThan(1);
      expect(numbers.reduce((sum, number) => sum + number, 0) / numbers.length).toBeCloseTo(0.5, 1);
    },
  );
});

describe('shuffled', () => {
  test.each<[title: string, items: readonly string[], random: number, expected: readonly string[]]>([
    ['an empty list stays empty', [], 0, []],
    ['a list of one item stays as it is', ['a'], 0.5, ['a']],
    ['the lowest number swaps every item with the first', ['a', 'b', 'c'], 0, ['b', 'c', 'a']],
    ['the highest number keeps every item in its place', ['a', 'b', 'c'], 0.999, ['a', 'b', 'c']],
  ])('%s', (_title, items, random, order) => {
    expect(shuffled(items, () => random)).toEqual(order);
  });

  test('a shuffled list has the same items, and the given list keeps its order', () => {
    const items = Array.from({ length: 50 }, (_, i) => i);
    const shuffledItems = shuffled(items, seededRandom(3));
    expect(shuffledItems).not.toEqual(items);
    expect([...shuffledItems].sort((a, b) => a - b)).toEqual(items);
    expect(items[0]).toBe(0);
  });

  test('every order of three items comes up about equally often', () => {
    const random = seededRandom(11);
    const counts = new Map<string, number>();
    for (let i = 0; i < 6000; i++) {
      const order = shuffled(['a', 'b', 'c'], random).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(['abc', 'acb', 'bac', 'bca', 'cab', 'cba']);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});

test('a shuffled list keeps missing items', () => {
  const shuffledItems = shuffled([undefined, 'a', undefined, 'b'], seededRandom(1));
  expect(shuffledItems.filter((item) => item === undefined)).toHaveLength(2);
  expect(shuffledItems.filter((item) => item !== undefined).sort()).toEqual(['a', 'b']);
});
