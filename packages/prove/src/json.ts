import type { Usage } from '@onceover/base/kernel/agent';
import { usage } from '@onceover/base/kernel/json-schema';
import * as z from 'zod';
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
    count: z.number().describe('The number of cases, or of pairs of reviews, that had the counted result.'),
    of: z.number().describe('The number of cases, or of pairs of reviews, that could have had the counted result.'),
    low: z.number().describe('The lower end of the 95 % Wilson confidence interval of the score, from 0 to 1.'),
    high: z.number().describe('The upper end of the 95 % Wilson confidence interval of the score, from 0 to 1.'),
  })
  .describe('A share of cases with its 95 % Wilson interval.');

const bugClass = z.enum(BUG_CLASSES).describe('The kind of planted bug.');

const scores = z.object({
  found: share.describe('The share of planted bugs for which a reviewer reported a finding at the place of the bug.'),
  by_class: z
    .array(
      z.object({
        class: bugClass,
        found: share.describe('The share of planted bugs of this kind that a reviewer found.'),
      }),
    )
    .describe('The share of bugs that were found, for each kind of planted bug.'),
  false_alarms: share.describe('The share of changes without a bug that failed the review.'),
  false_passes: share.describe('The share of changes with a planted bug that passed the review.'),
  flips: share.describe('The share of pairs of reviews of the same input that gave different verdicts.'),
});

const variant = z.object({
  reviewers: z
    .number()
    .nullable()
    .describe('The number of reviewers in this variant; null for the number in the settings.'),
  sessions: z
    .enum(SESSION_MODES)
    .describe(
      'What reviewers do after the first round: they get new sessions, resume their sessions, or are skipped if they passed.',
    ),
  reading: z
    .enum(READING_MODES)
    .nullable()
    .describe('The value of the setting share_reading in this variant; null for the value in the settings.'),
});

/** The schema of one gate's scores, which are also part of `status --json`. */
const gateProof = z.object({
  gate: z.string().describe('The id of the gate.'),
  prompt_digest: z
    .string()
    .describe('The SHA-256 digest of the prompt. The proof becomes outdated if the prompt changes.'),
  at: z.string().describe('The time of the proof.'),
  scores: scores.describe('The scores of the gate with the first variant of the settings.'),
  reviewers: z
    .array(
      z.object({
        slot: z.number().describe('The number of the reviewer.'),
        agent: z.string().describe('The name of the agent.'),
        model: z.string().nullable().describe('The model; null if it is not known.'),
        scores: scores.describe('The scores of this reviewer alone.'),
      }),
    )
    .describe('The scores for each combination of reviewer, agent and model.'),
  variants: z
    .array(
      z.object({
        variant: variant.describe('The variant of the settings that was used.'),
        scores: scores.describe('The scores with this variant of the settings.'),
        usage: usage.describe(
          'The tokens and the cost of the first review of each case, including answers that earlier proofs stored.',
        ),
      }),
    )
    .describe(
      'The scores for each variant of the settings. The options --reviewers, --sessions and --reading define the variants.',
    ),
  comparisons: z
    .array(
      z.object({
        a: variant.describe('The first of the two variants.'),
        b: variant.describe('The second of the two variants.'),
        cases: z.number().describe('The number of bugs that were reviewed with both variants.'),
        only_a: z.number().describe('The number of bugs that were found only with the first variant.'),
        only_b: z.number().describe('The number of bugs that were found only with the second variant.'),
        p: z
          .number()
          .describe(
            'The p-value of a two-sided exact sign test, corrected for the number of comparisons. If the value is 0.05 or more, the difference between the variants can well be chance.',
          ),
      }),
    )
    .describe('Comparisons of each pair of variants on the same bugs.'),
  usage: usage.describe(
    'The tokens and the cost of all reviews of this gate, including answers that earlier proofs stored.',
  ),
  calls: z.number().describe('The number of calls for this gate, including answers that earlier proofs stored.'),
});

const source = z.enum(CASE_SOURCES).describe('The kind of case, which says where the case comes from.');

const plan = z.object({
  gates: z.array(z.string()).describe('The ids of the gates that the command tests.'),
  cases: z
    .array(z.object({ source, count: z.number().describe('The number of cases from this source.') }))
    .describe('The number of cases from each source. A case is a change with or without a planted bug.'),
  classes: z
    .array(z.object({ class: bugClass, count: z.number().describe('The number of planted bugs of this kind.') }))
    .describe('The number of planted bugs of each kind.'),
  variants: z.array(variant).describe('The variants of the settings that the command compares.'),
  repeat: z.number().describe('How often the reviewers review each case.'),
  seed: z.number().describe('The seed with which onceover chose the cases at random.'),
  calls: z
    .number()
    .describe(
      'The largest number of calls for the reviews. The figure does not include retries, calls that test an agent and calls that read files for several reviewers. It does not consider answers that are stored from earlier proofs.',
    ),
  tokens_per_call: z
    .number()
    .nullable()
    .describe('The median number of tokens of past calls; null if no past call is recorded.'),
  usd_per_call: z
    .number()
    .nullable()
    .describe('The median price of past calls in US dollars; null if no price is known.'),
  install: z.array(z.string()).describe('Packages that you can install so that onceover can plant bugs in more files.'),
});

/** The schema of the JSON document of `prove --json`. */
export const proveSchema = z.object({
  plan: plan.describe('What the command would run, or has run.'),
  end: z
    .enum(['planned', 'done', 'budget', 'no-verdict', 'interrupted'])
    .describe('The reason why the proof ended. The value is `planned` if the command called no reviewer.'),
  cases: z.number().describe('The number of cases that gave a result.'),
  left_out: z
    .object({
      caught_by_checks: z.number().describe('The number of planted bugs that your own checks catch.'),
      checks_fail_anyway: z.number().describe('The number of cases whose checks fail even without the planted bug.'),
      not_playable: z.number().describe('The number of cases that onceover could not create.'),
      no_verdict: z.number().describe('The number of cases in which the reviewers gave no verdict.'),
    })
    .describe('The numbers of cases that do not count, by reason.'),
  new_calls: z
    .number()
    .describe(
      'The number of calls that this command made. Answers that were stored by earlier proofs are not counted.',
    ),
  new_usage: usage.describe('The tokens and the cost of the calls that this command made.'),
  gates: z.array(gateProof).describe('The result of the proof for each gate.'),
  results: z
    .array(
      z.object({
        case: z.string().describe('The id of the case.'),
        title: z
          .string()
          .describe('The edit that planted the bug and its place, or the commit from which the case was made.'),
        source,
        class: z.enum(BUG_CLASSES).nullable().describe('The kind of planted bug; null for a case without a bug.'),
        gate: z.string().describe('The id of the gate.'),
        variant: variant.describe('The variant of the settings that was used.'),
        repeat: z.number().describe('The number of this review of the case. The first review has the number 1.'),
        verdict: z.enum(['pass', 'fail']).describe('The verdict of the gate after the last round.'),
        found: z.boolean().describe('Whether a reviewer reported a finding at the place of the bug.'),
      }),
    )
    .describe('The result of each gate in each case.'),
});

export type ProveDocument = z.infer<typeof proveSchema>;

/** Returns the JSON document of a plan whose test cases were not reviewed. */
export function planDocument(plan: ProvePlan): ProveDocument {
  return {
    plan: planPart(plan),
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
export function proofDocument(proofRun: PlayedProve): ProveDocument {
  const { dropped, spent } = proofRun;
  return {
    plan: planPart(proofRun.plan),
    end: proofRun.end,
    cases: proofRun.cases.length,
    left_out: {
      caught_by_checks: dropped.caughtByChecks,
      checks_fail_anyway: dropped.checksFailAnyway,
      not_playable: dropped.notPlayable,
      no_verdict: dropped.noVerdict,
    },
    new_calls: spent.calls,
    new_usage: usagePart(spent.usage),
    gates: proofRun.proofs.map(gatePart),
    results: proofRun.results.map(({ reviewers: _reviewers, calls: _calls, usage: _usage, ...result }) => ({
      ...result,
      variant: { ...result.variant },
    })),
  };
}

function planPart({ gates, cases, classes, variants, repeat, seed, calls, perCall, install }: ProvePlan) {
  return {
    ...{
      gates: [...gates],
      cases: cases.map((group) => ({ ...group })),
      classes: classes.map((group) => ({ ...group })),
    },
    ...{ variants: variants.map((variant) => ({ ...variant })), repeat, seed, calls, install: [...install] },
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
    reviewers: proof.reviewers.map(({ scores: reviewerScores, ...reviewer }) => ({
      ...reviewer,
      scores: scoresPart(reviewerScores),
    })),
    variants: proof.variants.map((entry) => ({
      variant: { ...entry.variant },
      scores: scoresPart(entry.scores),
      usage: usagePart(entry.usage),
    })),
    comparisons: proof.comparisons.map(({ a, b, cases, onlyA, onlyB, p }) => ({
      ...{ a: { ...a }, b: { ...b }, cases, only_a: onlyA, only_b: onlyB, p },
    })),
    usage: usagePart(proof.usage),
    calls: proof.calls,
  };
}

function scoresPart({ found, byClass, falseAlarms, falsePasses, flips }: Scores): z.infer<typeof scores> {
  const part = (share: CountedShare) => ({ ...share });
  return {
    found: part(found),
    by_class: byClass.map((classScore) => ({ class: classScore.class, found: part(classScore.found) })),
    false_alarms: part(falseAlarms),
    false_passes: part(falsePasses),
    flips: part(flips),
  };
}

function usagePart(tokenUsage: Usage | null): z.infer<typeof usage> {
  if (tokenUsage === null) return null;
  return {
    input_tokens: tokenUsage.inputTokens,
    cached_input_tokens: tokenUsage.cachedInputTokens,
    cache_write_tokens: tokenUsage.cacheWriteTokens,
    output_tokens: tokenUsage.outputTokens,
    cost_usd: tokenUsage.costUsd,
  };
}
