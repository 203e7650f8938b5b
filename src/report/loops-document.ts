import type { FeatureCost, LoopsCost, SparedTokens } from '../domain/cost.ts';
import {
  type Compared,
  type Kept,
  keptOf,
  type LongLoop,
  type LoopCost,
  type LoopDispatch,
  type Watched,
} from '../domain/loop-cost.ts';
import { tellAction } from '../text/loop-rates.ts';
import { type PaidDocument, paidDocument } from './paid-document.ts';

/** What review loops cost, beside fresh dispatches each time. */
export type LoopsDocument = {
  paid: PaidDocument;
  not_paid: SparedTokens;
  compared: ComparedDocument;
  resumed_prompts_shorter: { state: KeptDocument; of: number; not_so: DispatchPlace[] };
  five_iterations_under_half: { state: KeptDocument; of: number; not_so: LongLoopDocument[] };
  rates: RatesDocument;
};

export type FeatureSummary = {
  feature: string;
  paid: PaidDocument;
  not_paid: SparedTokens;
  compared: ComparedDocument;
};

export type RatesDocument = {
  features: number;
  judged: boolean;
  resume_fallback: RateDocument;
  delta_guard: RateDocument;
  lazy_load_warning: RateDocument;
};

export type ComparedDocument = {
  dispatches: number;
  resumed: number;
  dispatches_without_usage: number;
  characters: { sent: number; fresh: number; ratio: number | null };
  input_tokens: EstimateDocument;
  weighted_input_tokens: EstimateDocument;
};

type EstimateDocument = { sent: number; fresh_estimate: number; ratio: number | null };
type KeptDocument = 'holds' | 'does_not_hold' | 'nothing_to_judge';
type DispatchPlace = {
  feature: string;
  phase: string;
  stage: string;
  run: string;
  role: string;
  iteration: number;
  final_validation: boolean;
  prompt_chars: number;
};
type LongLoopDocument = {
  feature: string;
  phase: string;
  stage: string;
  run: string;
  characters: ComparedDocument['characters'];
};
type RateDocument = {
  count: number;
  of: number;
  rate: number | null;
  threshold: number;
  exceeded: boolean | null;
  action: string | null;
};

export function loopsDocument({ paid, spared, compared }: LoopsCost): LoopsDocument {
  return {
    paid: paidDocument(paid),
    not_paid: spared,
    compared: comparedDocument(compared),
    resumed_prompts_shorter: {
      state: STATES[keptOf(compared.opened, compared.notShorter.length)],
      of: compared.opened,
      not_so: compared.notShorter.map(placeDocument),
    },
    five_iterations_under_half: {
      state: STATES[keptOf(compared.longLoops, compared.notHalved.length)],
      of: compared.longLoops,
      not_so: compared.notHalved.map(longLoopDocument),
    },
    rates: ratesDocument(compared),
  };
}

export function featureSummary({ feature, paid, spared, compared }: FeatureCost): FeatureSummary {
  return { feature, paid: paidDocument(paid), not_paid: spared, compared: comparedDocument(compared) };
}

export function ratesDocument(cost: LoopCost): RatesDocument {
  const rate = (which: Watched): RateDocument => {
    const { count, of, rate: part, threshold, isExceeded } = cost[which];
    const exceeded = cost.isJudged ? isExceeded : null;
    const action = exceeded === true ? tellAction(which) : null;
    return { count, of, rate: rounded(part), threshold, exceeded, action };
  };
  return {
    features: cost.features,
    judged: cost.isJudged,
    resume_fallback: rate('fallbacks'),
    delta_guard: rate('guards'),
    lazy_load_warning: rate('lazyLoads'),
  };
}

export function comparedDocument(cost: LoopCost): ComparedDocument {
  return {
    dispatches: cost.dispatches,
    resumed: cost.resumed,
    dispatches_without_usage: cost.untold,
    characters: { ...cost.characters, ratio: rounded(cost.characters.ratio) },
    input_tokens: estimate(cost.tokens),
    weighted_input_tokens: estimate(cost.weighted),
  };
}

const STATES: Readonly<Record<Kept, KeptDocument>> = {
  holds: 'holds',
  'does-not-hold': 'does_not_hold',
  'nothing-to-judge': 'nothing_to_judge',
};

function placeDocument(dispatch: LoopDispatch): DispatchPlace {
  const { feature, phase, stage, run, role, iteration, isFinalValidation, spent } = dispatch;
  const prompt_chars = spent.promptChars;
  return { feature, phase, stage, run, role, iteration, final_validation: isFinalValidation, prompt_chars };
}

function longLoopDocument({ feature, phase, stage, run, characters }: LongLoop): LongLoopDocument {
  return { feature, phase, stage, run, characters: { ...characters, ratio: rounded(characters.ratio) } };
}

function estimate({ sent, fresh, ratio }: Compared): EstimateDocument {
  return { sent: Math.round(sent), fresh_estimate: Math.round(fresh), ratio: rounded(ratio) };
}

// A part of a whole has a tail that means nothing.
function rounded(ratio: number | null): number | null {
  return ratio === null ? null : Number(ratio.toFixed(4));
}
