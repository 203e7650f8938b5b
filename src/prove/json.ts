import * as z from 'zod';
import type { Usage } from '../kernel/agent.ts';
import { usage } from '../kernel/json-schema.ts';
import type { PlayedProve, ProvePlan } from './result-types.ts';
import { BUG_CLASSES, CASE_SOURCES, type CountedShare, type GateProof, type Scores, SESSION_MODES } from './types.ts';

const share = z
  .object({ count: z.number(), of: z.number(), low: z.number(), high: z.number() })
  .describe('A share of cases with its 95 % Wilson interval.');

const scores = z.object({
  found: share.describe('Planted bugs that have a finding at their place.'),
  by_class: z.array(z.object({ class: z.enum(BUG_CLASSES), found: share })),
  false_alarms: share.describe('Changes without a bug that failed.'),
  false_passes: share.describe('Changes with a planted bug that passed.'),
  flips: share.describe('Pairs of reviews of identical input with different verdicts.'),
});

const variant = z.object({
  reviewers: z.number().nullable().describe('The number of reviewers; null for the number in the settings.'),
  sessions: z.enum(SESSION_MODES),
});

/** One gate of a proof, also in `status --json`. */
const gateProof = z.object({
  gate: z.string(),
  prompt_digest: z.string(),
  at: z.string(),
  scores,
  reviewers: z.array(z.object({ slot: z.number(), agent: z.string(), model: z.string().nullable(), scores })),
  variants: z.array(z.object({ variant, scores })),
  comparisons: z.array(
    z.object({ a: variant, b: variant, cases: z.number(), only_a: z.number(), only_b: z.number(), p: z.number() }),
  ),
  usage,
  calls: z.number(),
});

const plan = z.object({
  gates: z.array(z.string()),
  cases: z.array(z.object({ source: z.enum(CASE_SOURCES), count: z.number() })),
  classes: z.array(z.object({ class: z.enum(BUG_CLASSES), count: z.number() })),
  variants: z.array(variant),
  repeat: z.number(),
  seed: z.number(),
  calls: z.number().describe('The most calls that the proof makes, without kept answers.'),
  tokens_per_call: z.number().nullable().describe('The median of past calls; null if the ledger has none.'),
  usd_per_call: z.number().nullable(),
  install: z.array(z.string()).describe('Packages that would allow planted bugs in more files.'),
});

/** The JSON document of `prove --json`. */
export const proveSchema = z.object({
  plan,
  end: z
    .enum(['planned', 'done', 'budget', 'no-verdict', 'interrupted'])
    .describe('Why the proof ended; "planned" if nothing was called.'),
  cases: z.number().describe('The number of cases that gave a result.'),
  left_out: z.object({
    caught_by_checks: z.number(),
    checks_fail_anyway: z.number(),
    not_playable: z.number(),
    no_verdict: z.number(),
  }),
  new_calls: z.number().describe('Calls that were made now, without kept answers.'),
  new_usage: usage,
  gates: z.array(gateProof),
  results: z.array(
    z.object({
      case: z.string(),
      source: z.enum(CASE_SOURCES),
      class: z.enum(BUG_CLASSES).nullable(),
      gate: z.string(),
      variant,
      repeat: z.number(),
      verdict: z.enum(['pass', 'fail']),
      found: z.boolean(),
    }),
  ),
});

export type ProveDocument = z.infer<typeof proveSchema>;

/** Returns the JSON document of a plan. */
export function planDocument(planned: ProvePlan): ProveDocument {
  return {
    plan: planPart(planned),
    end: 'planned',
    cases: 0,
    left_out: { caught_by_checks: 0, checks_fail_anyway: 0, not_playable: 0, no_verdict: 0 },
    new_calls: 0,
    new_usage: null,
    gates: [],
    results: [],
  };
}

/** Returns the JSON document of a proof that was played. */
export function proofDocument(played: PlayedProve): ProveDocument {
  const { dropped, spent } = played;
  return {
    plan: planPart(played.plan),
    end: played.end,
    cases: played.cases.length,
    left_out: {
      caught_by_checks: dropped.caughtByChecks,
      checks_fail_anyway: dropped.checksFailAnyway,
      not_playable: dropped.notPlayable,
      no_verdict: dropped.noVerdict,
    },
    new_calls: spent.calls,
    new_usage: usagePart(spent.usage),
    gates: played.proofs.map(gatePart),
    results: played.results.map(({ reviewers: _reviewers, calls: _calls, usage: _usage, ...result }) => ({
      ...result,
      variant: { ...result.variant },
    })),
  };
}

function planPart({ gates, cases, classes, variants, repeat, seed, calls, perCall, install }: ProvePlan) {
  return {
    ...{ gates: [...gates], cases: cases.map((one) => ({ ...one })), classes: classes.map((one) => ({ ...one })) },
    ...{ variants: variants.map((one) => ({ ...one })), repeat, seed, calls, install: [...install] },
    tokens_per_call: perCall?.tokens ?? null,
    usd_per_call: perCall?.usd ?? null,
  };
}

function gatePart(proof: GateProof): z.infer<typeof gateProof> {
  return {
    gate: proof.gate,
    prompt_digest: proof.promptDigest,
    at: proof.at,
    scores: scoresPart(proof.scores),
    reviewers: proof.reviewers.map(({ scores: own, ...who }) => ({ ...who, scores: scoresPart(own) })),
    variants: proof.variants.map((one) => ({ variant: { ...one.variant }, scores: scoresPart(one.scores) })),
    comparisons: proof.comparisons.map(({ a, b, cases, onlyA, onlyB, p }) => ({
      ...{ a: { ...a }, b: { ...b }, cases, only_a: onlyA, only_b: onlyB, p },
    })),
    usage: usagePart(proof.usage),
    calls: proof.calls,
  };
}

function scoresPart({ found, byClass, falseAlarms, falsePasses, flips }: Scores): z.infer<typeof scores> {
  const part = (one: CountedShare) => ({ ...one });
  return {
    found: part(found),
    by_class: byClass.map((one) => ({ class: one.class, found: part(one.found) })),
    false_alarms: part(falseAlarms),
    false_passes: part(falsePasses),
    flips: part(flips),
  };
}

function usagePart(used: Usage | null): z.infer<typeof usage> {
  if (used === null) return null;
  return {
    input_tokens: used.inputTokens,
    cached_input_tokens: used.cachedInputTokens,
    cache_write_tokens: used.cacheWriteTokens,
    output_tokens: used.outputTokens,
    cost_usd: used.costUsd,
  };
}
