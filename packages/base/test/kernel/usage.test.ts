import { usage } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { addUsage, totalTokens, type Usage } from '../../src/kernel/agent.ts';

const A: Usage = { inputTokens: 1, cachedInputTokens: 2, cacheWriteTokens: 4, outputTokens: 8, costUsd: 0.25 };
const B: Usage = { inputTokens: 10, cachedInputTokens: 20, cacheWriteTokens: 40, outputTokens: 80, costUsd: 0.5 };

test.each<[string, Usage | null, Usage | null, Usage | null]>([
  ['neither is known', null, null, null],
  ['one is known', A, null, A],
  ['the other is known', null, B, B],
  ['both', A, B, { inputTokens: 11, cachedInputTokens: 22, cacheWriteTokens: 44, outputTokens: 88, costUsd: 0.75 }],
])('adds two calls: %s', (_title, a, b, sum) => {
  expect(addUsage(a, b)).toEqual(sum);
});

test.each<[number | null, number | null, number | null]>([
  [null, null, null],
  [0.5, null, 0.5],
  [null, 0.5, 0.5],
  [0, null, 0],
])('leaves out an unknown cost: %s and %s', (a, b, costUsd) => {
  expect(addUsage(usage({ costUsd: a }), usage({ costUsd: b }))?.costUsd).toBe(costUsd);
});

test('counts all tokens, cached or not', () => {
  expect(totalTokens(A)).toBe(15);
});
