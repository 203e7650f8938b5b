import type { Usage } from '@onceover/base/kernel/agent';
import { usage } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { openPrices } from '../../src/adapters/prices.ts';

const at = new Date('2026-03-01T12:00:00Z');
const million = usage({ inputTokens: 1_000_000, outputTokens: 0 });
const listPrice = await openPrices();
const price = (agent: string, model: string, tokenUsage: Usage = million) =>
  listPrice({ agent, model, usage: tokenUsage, at });

describe('list prices', () => {
  test.each<[string, string, string, number | null]>([
    ['a model of the agent’s provider', 'codex', 'gpt-5', 1.25],
    ['another name for it', 'codex', 'gpt-5-codex', 1.25],
    ['with its date', 'claude', 'claude-sonnet-4-5-20250929', 3],
    ['by its provider’s name', 'opencode', 'anthropic/claude-sonnet-4-5', 3],
    ['with the price of short requests', 'gemini', 'gemini-2.5-pro', 1.25],
    ['a word that names no model', 'claude', 'sonnet', null],
    ['a later model with the same beginning', 'claude', 'claude-sonnet-4-5-9', null],
    ['an unknown model', 'codex', 'no-such-model', null],
    ['another provider’s model', 'codex', 'claude-sonnet-4-5', null],
    ['an agent of the user’s own', 'house', 'gpt-5', null],
    ['an unknown provider', 'opencode', 'nobody/gpt-5', null],
    ['nothing', 'opencode', '', null],
  ])('%s', (_, agent, model, expectedPrice) => {
    const cost = price(agent, model);
    if (expectedPrice === null) expect(cost).toBeNull();
    else expect(cost).toBeCloseTo(expectedPrice, 6);
  });

  test('cached input is cheaper and output more expensive', () => {
    const tokenUsage = usage({
      inputTokens: 0,
      cachedInputTokens: 1_000_000,
      cacheWriteTokens: 0,
      outputTokens: 100_000,
    });
    expect(price('codex', 'gpt-5', tokenUsage)).toBeCloseTo(0.125 + 1, 6);
  });

  test('nothing used costs nothing', () => {
    expect(price('codex', 'gpt-5', usage({ inputTokens: 0, outputTokens: 0 }))).toBe(0);
  });
});
