import type { FeatureReport, LoopRow } from '../domain/cost.ts';
import {
  type ComparedDocument,
  comparedDocument,
  type LoopsDocument,
  loopsDocument,
  type RatesDocument,
  ratesDocument,
} from './loops-document.ts';
import { money, type PaidDocument, paidDocument } from './paid-document.ts';
import { usageDocument } from './run-document.ts';

/** What `cost <feature> --json` answers with. */
export type FeatureDocument = {
  feature: string;
  since: string | null;
  branch: string | null;
} & LoopsDocument & {
    rates_of_all_features: RatesDocument;
    phases: {
      phase: string;
      run: string;
      at: string;
      paid: PaidDocument;
      compared: ComparedDocument;
      dispatches: DispatchDocument[];
    }[];
    unreadable_entries: number;
  };

type DispatchDocument = {
  at: string;
  branch: string | null;
  started_by: 'person' | 'agent';
  stage: string;
  role: string;
  iteration: number;
  final_validation: boolean;
  dispatch: 'fresh' | 'resumed';
  template: string | null;
  why: string;
  fell_back: boolean;
  guarded: boolean;
  reads_unconfirmed: boolean;
  status: 'pass' | 'fail' | 'done' | 'error';
  agent: string;
  model: string | null;
  dispatches: number;
  prompt_chars: number;
  fresh_chars: number;
  usage: ReturnType<typeof usageDocument>;
  cost_usd: number | null;
  cost_source: 'agent' | 'list' | null;
  duration_ms: number;
};

export function featureDocument(report: FeatureReport): FeatureDocument {
  return {
    feature: report.feature,
    since: report.since,
    branch: report.branch,
    ...loopsDocument(report),
    rates_of_all_features: ratesDocument(report.all),
    phases: report.playings.map(({ phase, run, at, paid, compared, rows }) => ({
      phase,
      run,
      at,
      paid: paidDocument(paid),
      compared: comparedDocument(compared),
      dispatches: rows.map(dispatchDocument),
    })),
    unreadable_entries: report.unreadable,
  };
}

function dispatchDocument({ loop, price, ...row }: LoopRow): DispatchDocument {
  return {
    at: row.at,
    branch: row.branch,
    started_by: row.startedBy,
    stage: loop.stage,
    role: loop.role,
    iteration: loop.iteration,
    final_validation: loop.isFinalValidation,
    dispatch: row.dispatch,
    template: loop.template,
    why: loop.why,
    fell_back: loop.fellBack,
    guarded: loop.guarded,
    reads_unconfirmed: loop.warned,
    status: loop.status,
    agent: row.agent,
    model: row.model,
    dispatches: row.dispatches,
    prompt_chars: loop.promptChars,
    fresh_chars: loop.freshChars,
    usage: usageDocument(row.usage),
    cost_usd: price === null ? null : money(price.usd),
    cost_source: price?.from ?? null,
    duration_ms: row.durationMs,
  };
}
