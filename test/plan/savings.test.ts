import { describe, expect, test } from 'vitest';
import type { SlotRecord } from '../../src/domain/record.ts';
import type { Saved } from '../../src/domain/run.ts';
import { estimateSpared, type SavingDeed, totalSaved } from '../../src/plan/savings.ts';
import { ownFacts, slotRecord } from '../support/record-samples.ts';
import { usage } from '../support/run-samples.ts';

const GATE = 'review:src:code-quality';
const used = (iteration: number, inputTokens: number | null, differs: Partial<SlotRecord> = {}): SlotRecord =>
  slotRecord({
    iteration,
    own: ownFacts({ usage: inputTokens === null ? null : usage({ inputTokens, outputTokens: 0 }) }),
    ...differs,
  });
const saved = (differs: Partial<Saved>): Saved => ({ pass: 0, slot: 0, session: 0, prefix: 0, ...differs });
const held: SavingDeed = { kind: 'held', gate: GATE, slot: 1 };
const rested: SavingDeed = { kind: 'rested', gate: GATE, slot: 1 };

describe('what was not paid for', () => {
  test.each<[string, readonly SavingDeed[], readonly SlotRecord[], Saved]>([
    ['nothing was left out', [], [used(1, 100)], saved({})],
    ['a gate that holds: what its slot used last', [held], [used(1, 100), used(2, 70)], saved({ pass: 70 })],
    ['in whatever order the records come', [held], [used(2, 70), used(1, 100)], saved({ pass: 70 })],
    ['a slot that rests', [rested], [used(1, 100)], saved({ slot: 100 })],
    [
      'all that it used, cached or not',
      [rested],
      [
        slotRecord({
          own: ownFacts({
            usage: usage({ inputTokens: 1, cachedInputTokens: 2, cacheWriteTokens: 4, outputTokens: 8 }),
          }),
        }),
      ],
      saved({ slot: 15 }),
    ],
    ['the last that was told', [rested], [used(1, 100), used(2, null)], saved({ slot: 100 })],
    ['it was never told', [rested], [used(1, null)], saved({})],
    ['by hand or by another tool', [rested], [used(1, 1, { own: null })], saved({})],
    ['another slot used it', [rested], [used(1, 100, { slot: 2 })], saved({})],
    ['another gate used it', [rested], [used(1, 100, { gate: 'review:.:other' })], saved({})],
    ['several', [held, rested, rested], [used(1, 100)], saved({ pass: 100, slot: 200 })],
  ])('%s', (_title, deeds, past, expected) => {
    expect(totalSaved(estimateSpared(deeds, past))).toEqual(expected);
  });

  const paid = usage({ inputTokens: 10, cachedInputTokens: 500, cacheWriteTokens: 20, outputTokens: 30 });
  test.each<[string, SavingDeed, Saved]>([
    [
      'a resumed session: a fresh look less what was paid',
      { kind: 'resumed', gate: GATE, usage: paid, freshTokens: 1000 },
      saved({ session: 940 }),
    ],
    ['a resumed session that was dearer', { kind: 'resumed', gate: GATE, usage: paid, freshTokens: 50 }, saved({})],
    ['nobody told what it used', { kind: 'resumed', gate: GATE, usage: null, freshTokens: 1000 }, saved({})],
    ['nobody knows what a fresh look uses', { kind: 'resumed', gate: GATE, usage: paid, freshTokens: null }, saved({})],
    [
      'a shared prompt: what came from the cache of it',
      { kind: 'shared', gate: GATE, usage: paid, stableLength: 8000 },
      saved({ prefix: 500 }),
    ],
    [
      'not more than there is of it',
      { kind: 'shared', gate: GATE, usage: paid, stableLength: 400 },
      saved({ prefix: 100 }),
    ],
    ['a shared prompt, and nobody told', { kind: 'shared', gate: GATE, usage: null, stableLength: 400 }, saved({})],
  ])('%s', (_title, deed, expected) => {
    expect(totalSaved(estimateSpared([deed], []))).toEqual(expected);
  });

  test('each lever at each gate for itself, with how many looks it made cheaper', () => {
    const other = 'review:.:other';
    const deeds: readonly SavingDeed[] = [
      held,
      { ...held, slot: 2 },
      { ...held, gate: other },
      { kind: 'shared', gate: other, usage: paid, stableLength: 400 },
    ];
    const past = [used(1, 100), used(1, 30, { slot: 2 })];
    expect(estimateSpared(deeds, past)).toEqual([
      { gate: GATE, lever: 'pass', looks: 2, tokens: 130 },
      { gate: other, lever: 'pass', looks: 1, tokens: 0 },
      { gate: other, lever: 'prefix', looks: 1, tokens: 100 },
    ]);
  });
});
