import { usage } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { openBudget } from '../../src/dispatch/limits.ts';

describe('the budget of a run', () => {
  test('never ends without limits', () => {
    const budget = openBudget({ usd: null, dispatches: null });
    for (let i = 0; i < 100; i++) {
      expect(budget.spend()).toBeNull();
      budget.used('one', usage({ costUsd: 100 }));
    }
    expect(budget.dispatches()).toBe(100);
  });

  test('ends after the allowed calls, and does not count refused ones', () => {
    const budget = openBudget({ usd: null, dispatches: 2 });
    expect([budget.spend(), budget.spend(), budget.spend(), budget.spend()]).toEqual([
      null,
      null,
      'dispatches',
      'dispatches',
    ]);
    expect(budget.dispatches()).toBe(2);
  });

  test.each<[string, readonly (number | null)[], 'usd' | null]>([
    ['nothing was used', [], null],
    ['less than the limit', [0.5, 0.49], null],
    ['as much as the limit', [0.5, 0.5], 'usd'],
    ['more', [1.5], 'usd'],
    ['no agent reported its cost', [null, null], null],
  ])('so much money: %s', (_title, costs, exceededLimit) => {
    const budget = openBudget({ usd: 1, dispatches: null });
    for (const costUsd of costs) budget.used('one', usage({ costUsd }));
    budget.used('two', null);
    expect(budget.spend()).toBe(exceededLimit);
    expect(budget.dispatches()).toBe(exceededLimit === null ? 1 : 0);
  });

  test('allows no call with a limit of 0', () => {
    expect(openBudget({ usd: null, dispatches: 0 }).spend()).toBe('dispatches');
    expect(openBudget({ usd: 0, dispatches: null }).spend()).toBe('usd');
  });

  test('lists the agents that reported no cost', () => {
    const budget = openBudget({ usd: 1, dispatches: null });
    budget.used('one', usage({ costUsd: 0 }));
    budget.used('two', usage({ costUsd: null }));
    budget.used('three', null);
    budget.used('two', null);
    expect(budget.unpriced()).toEqual(['two', 'three']);
  });
});
