import * as z from 'zod';
import type { Usage } from '../kernel/agent.ts';
import { usage } from '../kernel/json-schema.ts';
import type { PlayedProve, ProvePlan } from './result-types.ts';
import {
  BUG_CLASSES,
  CASE_SOURCES,
  type CountedShare,
  type GateProof,
  READING_MODES,
  type Scores,
  SESSION_MODES,
} from './types.ts';

const share = z
  .object({
    count: z.number().describe('The number of cases to which the score applies.'),
    of: z.number().describe('The number of all cases of the score.'),
    low: z.number().describe('The lower end of the 95 % Wilson interval, from 0 to 1.'),
    high: z.number().describe('The upper end of the 95 % Wilson interval, from 0 to 1.'),
  })
  .describe('A share of cases with its 95 % Wilson interval.');

const bugClass = z.enum(BUG_CLASSES).describe('The class of the planted bug.');

const scores = z.object({
  found: share.describe('Planted bugs that have a finding at their place.'),
  by_class: z
    .array(z.object({ class: bugClass, found: share.describe('Bugs of this class that were found.') }))
    .describe('The planted bugs by class.'),
  false_alarms: share.describe('Changes without a bug that failed.'),
  false_passes: share.describe('Changes with a planted bug that passed.'),
  flips: share.describe('Pairs of reviews of identical input with different verdicts.'),
});

const variant = z.object({
  reviewers: z.number().nullable().describe('The number of reviewers; null for the number in the settings.'),
  sessions: z.enum(SESSION_MODES).describe('The sessions of reviewers after the first round.'),
  reading: z.enum(READING_MODES).nullable().describe('The value of share_reading; null for that of the settings.'),
});

/** The schema of one gate's scores, which are also part of `status --json`. */
const gateProof = z.object({
  gate: z.string().describe('The id of the gate.'),
  prompt_digest: z.string().describe('SHA-256 of the prompt. A proof is stale if the prompt changes.'),
  at: z.string().describe('The time of the proof.'),
  scores: scores.describe('The scores of the gate with its first variant.'),
  reviewers: z
    .array(
      z.object({
        slot: z.number().describe('The number of the reviewer.'),
        agent: z.string().describe('The agent.'),
        model: z.string().nullable().describe('The model; null if it is not known.'),
        scores: scores.describe('The scores of this reviewer alone.'),
      }),
    )
    .describe('The scores by reviewer, agent and model.'),
  variants: z
    .array(
      z.object({
        variant: variant.describe('The variant.'),
        scores: scores.describe('Its scores.'),
        usage: usage.describe('Tokens and cost of the first review of each case, kept answers included.'),
      }),
    )
    .describe('The scores by variant (--reviewers, --sessions and --reading).'),
  comparisons: z
    .array(
      z.object({
        a: variant.describe('The first variant.'),
        b: variant.describe('The second variant.'),
        cases: z.number().describe('Bugs that both variants reviewed.'),
        only_a: z.number().describe('Bugs that only the first variant found.'),
        only_b: z.number().describe('Bugs that only the second variant found.'),
        p: z.number().describe('Two-sided exact sign test. From 0.05 on, chance is a likely reason.'),
      }),
    )
    .describe('Every two variants, compared on the same bugs.'),
  usage: usage.describe('Tokens and cost of all reviews of this gate, kept answers included.'),
  calls: z.number().describe('The number of calls of this gate, kept answers included.'),
});

const source = z.enum(CASE_SOURCES).describe('The source of the case.');

const plan = z.object({
  gates: z.array(z.string()).describe('The ids of the gates to prove.'),
  cases: z
    .array(z.object({ source, count: z.number().describe('The number of cases.') }))
    .describe('The cases by source.'),
  classes: z
    .array(z.object({ class: bugClass, count: z.number().describe('The number of bugs.') }))
    .describe('The planted bugs by class.'),
  variants: z.array(variant).describe('The variants to play.'),
  repeat: z.number().describe('How often each case is reviewed.'),
  seed: z.number().describe('The seed that chose the cases.'),
  calls: z.number().describe('The most calls that the proof makes, without kept answers.'),
  tokens_per_call: z.number().nullable().describe('The median of past calls; null if the ledger has none.'),
  usd_per_call: z.number().nullable().describe('The median price of past calls; null if it is not known.'),
  install: z.array(z.string()).describe('Packages that would allow planted bugs in more files.'),
});

/** The schema of the JSON document of `prove --json`. */
export const proveSchema = z.object({
  plan: plan.describe('What the proof plays.'),
  end: z
    .enum(['planned', 'done', 'budget', 'no-verdict', 'interrupted'])
    .describe('Why the proof ended; "planned" if nothing was called.'),
  cases: z.number().describe('The number of cases that gave a result.'),
  left_out: z
    .object({
      caught_by_checks: z.number().describe('Planted bugs that your own checks catch.'),
      checks_fail_anyway: z.number().describe('Cases whose checks fail even without the bug.'),
      not_playable: z.number().describe('Cases that could not be made.'),
      no_verdict: z.number().describe('Cases without a verdict of a reviewer.'),
    })
    .describe('Cases that do not count, by reason.'),
  new_calls: z.number().describe('Calls that were made now, without kept answers.'),
  new_usage: usage.describe('Tokens and cost of the new calls.'),
  gates: z.array(gateProof).describe('The proof of each gate.'),
  results: z
    .array(
      z.object({
        case: z.string().describe('The id of the case.'),
        title: z.string().describe('The edit and its place, or the commit of the case.'),
        source,
        class: z.enum(BUG_CLASSES).nullable().describe('The class of the bug; null for a case without a bug.'),
        gate: z.string().describe('The id of the gate.'),
        variant: variant.describe('The variant.'),
        repeat: z.number().describe('The number of this review of the case, counted from 1.'),
        verdict: z.enum(['pass', 'fail']).describe('The verdict of the gate after the last round.'),
        found: z.boolean().describe('Whether a finding is at the place of the bug.'),
      }),
    )
    .describe('The result of each gate in each case.'),
});

export type ProveDocument = z.infer<typeof proveSchema>;

/** Returns the JSON document of a plan whose test cases were not reviewed. */
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

/** Returns the JSON document of a finished or interrupted run of `onceover prove`. */
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
    variants: proof.variants.map((one) => ({
      variant: { ...one.variant },
      scores: scoresPart(one.scores),
      usage: usagePart(one.usage),
    })),
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
