import type { Saved } from '@onceover/agents/ledger/entries';
import type { Usage } from '@onceover/base/kernel/agent';
import { ownFacts, slotRecord } from '@onceover/testing/record-samples.ts';
import { reviewGate, slotOutcome, stateOf, usage } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import type { SlotOutcome } from '../../../src/result/types.ts';
import type { SlotJob, SlotResult } from '../../../src/run/ports.ts';
import { savedUsage, totalSaved } from '../../../src/run/record/summary.ts';
import type { SlotRecord } from '../../../src/run/record-types.ts';

const GATE = 'review:src:code-quality';
const OTHER = 'review:.:other';
const used = (iteration: number, inputTokens: number | null, differs: Partial<SlotRecord> = {}): SlotRecord =>
  slotRecord({
    iteration,
    own: ownFacts({ usage: inputTokens === null ? null : usage({ inputTokens, outputTokens: 0 }) }),
    ...differs,
  });
const saved = (differs: Partial<Saved>): Saved => ({ pass: 0, slot: 0, session: 0, prefix: 0, reading: 0, ...differs });

/** A gate that passes with this number of slots, or the result of a slot. */
type Deed = { readonly gate: string; readonly slots: number } | SlotResult;

const held: Deed = { gate: GATE, slots: 1 };

function result(outcome: Partial<SlotOutcome>, job: Partial<SlotJob> | null, id = GATE): SlotResult {
  const gate = reviewGate({ id });
  const made = { ...job, gate } as SlotJob;
  return {
    ...{ gate, job: job === null ? null : made, outcome: slotOutcome(outcome), cost: null },
    ...{ closed: [], isStopped: false },
  };
}

const rested = result({ status: 'skipped_prior_pass', dispatch: 'none' }, null);

const resumed = (spent: Usage | null, freshTokens: number | null) =>
  result({ dispatch: 'resumed', usage: spent }, {
    reuse: { prefix: null, resumed: { session: { freshTokens } } },
  } as Partial<SlotJob>);

/** Two slots with the same start of the prompt: the second one finds it in the cache. */
function shared(spent: Usage | null, stableLength: number, id = GATE): readonly SlotResult[] {
  const job = { reuse: { prefix: 'p', fresh: [{ stable: 'x'.repeat(stableLength) }] } } as unknown as Partial<SlotJob>;
  return [result({ slot: 8, usage: null }, job, id), result({ slot: 9, usage: spent }, job, id)];
}

function savedBy(deeds: readonly Deed[], past: readonly SlotRecord[]) {
  const slots = deeds.flatMap((deed) => ('outcome' in deed ? [deed] : []));
  const reviews = deeds.flatMap((deed) =>
    'outcome' in deed
      ? []
      : [
          {
            kind: 'rest' as const,
            state: stateOf({ gate: reviewGate({ id: deed.gate, numReviews: deed.slots }) }),
          },
        ],
  );
  return savedUsage({ slots }, { reviews }, past);
}

describe('saved tokens', () => {
  test.each<[string, readonly Deed[], readonly SlotRecord[], Saved]>([
    ['nothing was skipped', [], [used(1, 100)], saved({})],
    ['a gate that passes saves the last usage of its slot', [held], [used(1, 100), used(2, 70)], saved({ pass: 70 })],
    ['the order of records does not matter', [held], [used(2, 70), used(1, 100)], saved({ pass: 70 })],
    ['a skipped slot', [rested], [used(1, 100)], saved({ slot: 100 })],
    ['a slot that was skipped, and then ran', [rested, result({}, null)], [used(1, 100)], saved({})],
    [
      'a slot that was skipped, and was then stopped',
      [rested, { ...result({}, null), isStopped: true }],
      [used(1, 100)],
      saved({ slot: 100 }),
    ],
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
    ['usage of another gate does not count', [rested], [used(1, 100, { gate: OTHER })], saved({})],
    ['several', [held, rested, rested], [used(1, 100)], saved({ pass: 100, slot: 200 })],
  ])('%s', (_title, deeds, past, expected) => {
    expect(totalSaved(savedBy(deeds, past))).toEqual(expected);
  });

  const paid = usage({ inputTokens: 10, cachedInputTokens: 500, cacheWriteTokens: 20, outputTokens: 30 });
  test.each<[string, readonly SlotResult[], Saved]>([
    ['a resumed session saves a new session minus its own usage', [resumed(paid, 1000)], saved({ session: 940 })],
    ['a resumed session that cost more saves nothing', [resumed(paid, 50)], saved({})],
    ['a resumed session without usage', [resumed(null, 1000)], saved({})],
    ['the cost of a new session is unknown', [resumed(paid, null)], saved({})],
    ['a shared prompt saves the cached input', shared(paid, 8000), saved({ prefix: 500 })],
    ['a shared prompt saves at most its own length', shared(paid, 400), saved({ prefix: 100 })],
    ['a shared prompt without usage', shared(null, 400), saved({})],
  ])('%s', (_title, deeds, expected) => {
    expect(totalSaved(savedBy(deeds, []))).toEqual(expected);
  });

  test('are counted per lever and gate, with the number of reviews', () => {
    const deeds: readonly Deed[] = [{ ...held, slots: 2 }, { ...held, gate: OTHER }, ...shared(paid, 400, OTHER)];
    const past = [used(1, 100), used(1, 30, { slot: 2 })];
    expect(savedBy(deeds, past)).toEqual([
      { gate: GATE, lever: 'pass', looks: 2, tokens: 130 },
      { gate: OTHER, lever: 'pass', looks: 1, tokens: 0 },
      { gate: OTHER, lever: 'prefix', looks: 1, tokens: 100 },
    ]);
  });
});
