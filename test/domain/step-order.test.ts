import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allDependencies, findCycle, inOrder } from '../../src/domain/step-order.ts';

const node = (id: string, ...dependencies: string[]) => ({ id, dependencies });

test.each([
  ['none', [node('a'), node('b')], null],
  ['a diamond', [node('a'), node('b', 'a'), node('c', 'a'), node('d', 'b', 'c')], null],
  ['itself', [node('a'), node('b', 'b')], ['b', 'b']],
  ['two', [node('a', 'b'), node('b', 'a')], ['a', 'b', 'a']],
  ['behind others', [node('a', 'b'), node('b', 'c'), node('c', 'b')], ['b', 'c', 'b']],
  ['ids that no step has', [node('a', 'x')], null],
])('circles: %s', (_, steps, cycle) => {
  expect(findCycle(steps)).toEqual(cycle);
});

test('everything that a step needs, by way of others too', () => {
  const steps = [node('a'), node('b', 'a'), node('c', 'b', 'x'), node('d')];
  expect([...allDependencies(steps, 'c')].sort()).toEqual(['a', 'b']);
  expect([...allDependencies(steps, 'd')]).toEqual([]);
  expect([...allDependencies([node('a', 'b'), node('b', 'a')], 'a')].sort()).toEqual(['a', 'b']);
});

describe('an order', () => {
  /** Steps of which each needs some of those with a lower number, in any order. */
  const acyclic = fc
    .array(fc.array(fc.nat(20), { maxLength: 4 }), { minLength: 1, maxLength: 12 })
    .map((lists) =>
      lists.map((list, i) => node(`s${i}`, ...new Set(list.filter((one) => one < i).map((one) => `s${one}`)))),
    )
    .chain((steps) => fc.shuffledSubarray(steps, { minLength: steps.length }));

  test('has every step once, each after those that it needs', () => {
    fc.assert(
      fc.property(acyclic, (steps) => {
        expect(findCycle(steps)).toBeNull();
        const order = inOrder(steps);
        expect([...order].sort()).toEqual(steps.map(({ id }) => id).sort());
        for (const { id, dependencies } of steps) {
          for (const needed of dependencies) expect(order.indexOf(needed)).toBeLessThan(order.indexOf(id));
        }
      }),
    );
  });

  test('is that of the file where nothing speaks against it', () => {
    expect(inOrder([node('b'), node('a', 'b'), node('c')])).toEqual(['b', 'a', 'c']);
  });
});
