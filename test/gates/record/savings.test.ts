import { describe, expect, test } from 'vitest';
import { estimateSaved, type SavingAction, totalSaved } from '../../../src/gates/record/summary.ts';
import type { SlotRecord } from '../../../src/gates/record-types.ts';
import type { Saved } from '../../../src/ledger/entries.ts';
import { ownFacts, slotRecord } from '../../support/record-samples.ts';
import { usage } from '../../support/run-samples.ts';

const GATE = 'review:src:code-quality';
const used = (iteration: number, inputTokens: number | null, differs: Partial<SlotRecord> = {}): SlotRecord =>
  slotRecord({
    iteration,
    own: ownFacts({ usage: inputTokens === null ? null : usage({ inputTokens, outputTokens: 0 }) }),
    ...differs,
  });
const saved = (differs: Partial<Saved>): Saved => ({ pass: 0, slot: 0, session: 0, prefix: 0, ...differs });
const held: SavingAction = { kind: 'held', gate: GATE, slot: 1 };
const rested: SavingAction = { kind: 'rested', gate: GATE, slot: 1 };

describe('saved tokens', () => {
  test.each<[string, readonly SavingAction[], readonly SlotRecord[], Saved]>([
    ['nothing was skipped', [], [used(1, 100)], saved({})],
    ['a gate that passes saves the last usage of its slot', [held], [used(1, 100), used(2, 70)], saved({ pass: 70 })],
    ['the order of records does not matter', [held], [used(2, 70), used(1, 100)], saved({ pass: 70 })],
    ['a skipped slot', [rested], [used(1, 100)], saved({ slot: 100 })],
    [
      'all tokens count, cached or not',
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
    ['the last known usage counts', [rested], [used(1, 100), used(2, null)], saved({ slot: 100 })],
    ['the usage was never reported', [rested], [used(1, null)], saved({})],
    ['records by hand or by another tool do not count', [rested], [used(1, 1, { own: null })], saved({})],
    ['usage of another slot does not count', [rested], [used(1, 100, { slot: 2 })], saved({})],
    ['usage of another gate does not count', [rested], [used(1, 100, { gate: 'review:.:other' })], saved({})],
    ['several', [held, rested, rested], [used(1, 100)], saved({ pass: 100, slot: 200 })],
  ])('%s', (_title, deeds, past, expected) => {
    expect(totalSaved(estimateSaved(deeds, past))).toEqual(expected);
  });

  const paid = usage({ inputTokens: 10, cachedInputTokens: 500, cacheWriteTokens: 20, outputTokens: 30 });
  test.each<[string, SavingAction, Saved]>([
    [
      'a resumed session saves a new session minus its own usage',
      { kind: 'resumed', gate: GATE, usage: paid, freshTokens: 1000 },
      saved({ session: 940 }),
    ],
    [
      'a resumed session that cost more saves nothing',
      { kind: 'resumed', gate: GATE, usage: paid, freshTokens: 50 },
      saved({}),
    ],
    ['a resumed session without usage', { kind: 'resumed', gate: GATE, usage: null, freshTokens: 1000 }, saved({})],
    [
      'the cost of a new session is unknown',
      { kind: 'resumed', gate: GATE, usage: paid, freshTokens: null },
      saved({}),
    ],
    [
      'a shared prompt saves the cached input',
      { kind: 'shared', gate: GATE, usage: paid, stableLength: 8000 },
      saved({ prefix: 500 }),
    ],
    [
      'a shared prompt saves at most its own length',
      { kind: 'shared', gate: GATE, usage: paid, stableLength: 400 },
      saved({ prefix: 100 }),
    ],
    ['a shared prompt without usage', { kind: 'shared', gate: GATE, usage: null, stableLength: 400 }, saved({})],
  ])('%s', (_title, deed, expected) => {
    expect(totalSaved(estimateSaved([deed], []))).toEqual(expected);
  });

  test('are counted per lever and gate, with the number of reviews', () => {
    const other = 'review:.:other';
    const deeds: readonly SavingAction[] = [
      held,
      { ...held, slot: 2 },
      { ...held, gate: other },
      { kind: 'shared', gate: other, usage: paid, stableLength: 400 },
    ];
    const past = [used(1, 100), used(1, 30, { slot: 2 })];
    expect(estimateSaved(deeds, past)).toEqual([
      { gate: GATE, lever: 'pass', looks: 2, tokens: 130 },
      { gate: other, lever: 'pass', looks: 1, tokens: 0 },
      { gate: other, lever: 'prefix', looks: 1, tokens: 100 },
    ]);
  });
});
