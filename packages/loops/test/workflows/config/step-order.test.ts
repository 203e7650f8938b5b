import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { orderSteps } from '../../../src/workflows/config/check.ts';

const node = (id: string, ...dependencies: string[]) => ({ id, dependencies });

test.each([
  ['none', [node('a'), node('b')], null],
  ['a diamond', [node('a'), node('b', 'a'), node('c', 'a'), node('d', 'b', 'c')], null],
  ['of one step', [node('a'), node('b', 'b')], ['b', 'b']],
  ['of two steps', [node('a', 'b'), node('b', 'a')], ['a', 'b', 'a']],
  ['after other steps', [node('a', 'b'), node('b', 'c'), node('c', 'b')], ['b', 'c', 'b']],
  ['unknown ids', [node('a', 'x')], null],
])('finds a cycle: %s', (_, steps, cycle) => {
  expect(orderSteps(steps).cycle).toEqual(cycle);
});

test('returns direct and indirect dependencies', () => {
  const steps = [node('a'), node('b', 'a'), node('c', 'b', 'x'), node('d')];
  expect(orderSteps(steps, ['b', 'x']).order).toEqual(['a', 'b']);
  expect(orderSteps(steps, []).order).toEqual([]);
  expect(orderSteps([node('a', 'b'), node('b', 'a')], ['b']).order).toEqual(['a', 'b']);
});

describe('the order of steps', () => {
  /** Steps in any order, where each depends on some steps with a lower number. */
  const acyclic = fc
    .array(fc.array(fc.nat(20), { maxLength: 4 }), { minLength: 1, maxLength: 12 })
    .map((lists) =>
      lists.map((list, i) =>
        node(`s${i}`, ...new Set(list.filter((number) => number < i).map((number) => `s${number}`))),
      ),
    )
    .chain((steps) => fc.shuffledSubarray(steps, { minLength: steps.length }));

  test('has every step once, after its dependencies', () => {
    fc.assert(
      fc.property(acyclic, (steps) => {
        const { order, cycle } = orderSteps(steps);
        expect(cycle).toBeNull();
        expect([...order].sort()).toEqual(steps.map(({ id }) => id).sort());
        for (const { id, dependencies } of steps) {
          for (const dependency of dependencies) expect(order.indexOf(dependency)).toBeLessThan(order.indexOf(id));
        }
      }),
    );
  });

  test('is the file order if the dependencies allow it', () => {
    expect(orderSteps([node('b'), node('a', 'b'), node('c')]).order).toEqual(['b', 'a', 'c']);
  });
});
