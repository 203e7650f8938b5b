import type { ProveDocument } from '@onceover/prove/json';

type GateProof = ProveDocument['gates'][number];
type Share = GateProof['scores']['found'];

const share = (count: number, of: number, low: number, high: number): Share => ({ count, of, low, high });

const scores = (found: Share): GateProof['scores'] => ({
  found,
  by_class: [
    { class: 'guard', found: share(5, 6, 0.44, 0.97) },
    { class: 'await', found: share(4, 4, 0.51, 1) },
    { class: 'off-by-one', found: share(3, 7, 0.16, 0.75) },
  ],
  false_alarms: share(1, 9, 0.02, 0.44),
  false_passes: share(4, 17, 0.1, 0.47),
  flips: share(0, 0, 0, 1),
});

const usage = {
  ...{ input_tokens: 410_000, cached_input_tokens: 122_000, cache_write_tokens: 0, output_tokens: 21_000 },
  cost_usd: 1.84,
};

const [alone, both] = [
  { reviewers: 1, sessions: 'skipped', reading: null },
  { reviewers: 2, sessions: 'skipped', reading: null },
] as const;

/** A proof of one gate with two reviewers, in two variants. */
export function proofSample(gate = 'review:src:code-quality'): ProveDocument {
  const classes = ['guard', 'await', 'off-by-one', null] as const;
  return {
    plan: {
      ...{ gates: [gate], cases: [{ source: 'own', count: 26 }], classes: [{ class: 'guard', count: 6 }] },
      ...{ variants: [alone, both], repeat: 1, seed: 1, calls: 52, tokens_per_call: 10_400, usd_per_call: 0.04 },
      install: [],
    },
    ...{ end: 'done', cases: 26, new_calls: 52, new_usage: usage },
    left_out: { caught_by_checks: 2, checks_fail_anyway: 0, not_playable: 1, no_verdict: 0 },
    gates: [
      {
        ...{ gate, prompt_digest: '5f2c', at: '2026-03-01T10:00:00.000Z', usage, calls: 52 },
        scores: scores(share(12, 17, 0.47, 0.87)),
        reviewers: [
          { slot: 1, agent: 'careful', model: 'large', scores: scores(share(11, 17, 0.41, 0.83)) },
          { slot: 2, agent: 'exact', model: null, scores: scores(share(9, 17, 0.31, 0.74)) },
        ],
        variants: [
          { variant: alone, usage, scores: scores(share(11, 17, 0.41, 0.83)) },
          { variant: both, usage, scores: scores(share(12, 17, 0.47, 0.87)) },
        ],
        comparisons: [{ a: alone, b: both, cases: 17, only_a: 0, only_b: 1, p: 1 }],
      },
    ],
    results: Array.from({ length: 26 }, (_, n) => {
      const found = classes[n % 4] ?? null;
      return {
        ...{
          case: `own/${String(n + 1).padStart(2, '0')}-cart-total`,
          title: `src/cart.ts:${n + 1}: ${found === null ? 'a comparison that is negated twice' : 'a removed guard'}, in 1f0c2d3e4a Add a total to the cart`,
          source: 'own',
          class: found,
          gate,
          variant: both,
        },
        ...{ repeat: 1, verdict: found === null || n % 5 === 0 ? 'pass' : 'fail', found: found !== null && n % 5 > 1 },
      } as const;
    }),
  };
}
