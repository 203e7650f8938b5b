import type { CostReport, SparedTokens } from '../domain/cost.ts';
import type { Lever } from '../domain/ledger.ts';
import type { RunStatus } from '../domain/run.ts';
import { BASELINE } from '../text/cost.ts';
import { type FeatureSummary, featureSummary, type LoopsDocument, loopsDocument } from './loops-document.ts';
import { type PaidDocument, paidDocument } from './paid-document.ts';

/** What `cost --json` answers with. */
export type CostDocument = {
  since: string | null;
  branch: string | null;
  runs: number;
  idle_runs: number;
  fixes: number;
  paid: PaidDocument;
  not_paid: Record<Lever, SparedTokens> & { baseline: string };
  looked_again: {
    resumed: number;
    fresh_as_delta_too_large: number;
    fresh_as_session_lost: number;
    fresh_as_resume_dearer: number;
  };
  gates: { gate: string | null; paid: PaidDocument; not_paid: SparedTokens }[];
  loops: LoopsDocument & { features: FeatureSummary[] };
  workflows: { job: string; step: string; paid: PaidDocument }[];
  agents: { agent: string; model: string | null; paid: PaidDocument }[];
  days: { day: string; runs: number; paid: PaidDocument; not_paid: SparedTokens }[];
  checks: { gate: string; runs: number; duration_ms: number }[];
  last_runs: {
    at: string;
    branch: string | null;
    scope: string;
    iteration: number | null;
    status: RunStatus;
    exit_code: 0 | 1 | 3;
    started_by: 'person' | 'agent';
    duration_ms: number;
    paid: PaidDocument;
    not_paid: SparedTokens;
  }[];
  unreadable_entries: number;
};

export function costDocument(report: CostReport): CostDocument {
  const { again } = report;
  return {
    since: report.since,
    branch: report.branch,
    runs: report.runs,
    idle_runs: report.idleRuns,
    fixes: report.fixes,
    paid: paidDocument(report.paid),
    not_paid: { ...report.spared, baseline: BASELINE },
    looked_again: {
      resumed: again.resumed,
      fresh_as_delta_too_large: again.guarded,
      fresh_as_session_lost: again.fellBack,
      fresh_as_resume_dearer: again.dearer,
    },
    gates: report.gates.map(({ gate, paid, spared }) => ({ gate, paid: paidDocument(paid), not_paid: spared })),
    loops: { ...loopsDocument(report.loops), features: report.features.map(featureSummary) },
    workflows: report.steps.map(({ job, step, paid }) => ({ job, step, paid: paidDocument(paid) })),
    agents: report.agents.map(({ agent, model, paid }) => ({ agent, model, paid: paidDocument(paid) })),
    days: report.days.map(({ day, runs, paid, spared }) => ({
      day,
      runs,
      paid: paidDocument(paid),
      not_paid: spared,
    })),
    checks: report.checks.map(({ gate, runs, durationMs }) => ({ gate, runs, duration_ms: durationMs })),
    last_runs: report.lastRuns.map((run) => ({
      at: run.at,
      branch: run.branch,
      scope: run.scope,
      iteration: run.iteration,
      status: run.status,
      exit_code: run.exitCode,
      started_by: run.startedBy,
      duration_ms: run.durationMs,
      paid: paidDocument(run.paid),
      not_paid: run.spared,
    })),
    unreadable_entries: report.unreadable,
  };
}
