import type * as z from 'zod';
import { BASELINE } from './describe.ts';
import { comparedDocument, loopsDocument, paidDocument } from './json-loops.ts';
import type { costSchema } from './json-schema.ts';
import type { CostReport, Paid, SavedTokens } from './types.ts';

/** The document of `cost --json`. */
export type CostDocument = z.infer<typeof costSchema>;

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
    gates: report.gates.map(withDocuments),
    loops: {
      ...loopsDocument(report.loops),
      features: report.features.map(({ compared, ...one }) => ({
        ...withDocuments(one),
        compared: comparedDocument(compared),
      })),
    },
    workflows: report.steps.map(({ paid, ...step }) => ({ ...step, paid: paidDocument(paid) })),
    agents: report.agents.map(({ paid, ...agent }) => ({ ...agent, paid: paidDocument(paid) })),
    days: report.days.map(withDocuments),
    checks: report.checks.map(({ durationMs, ...check }) => ({ ...check, duration_ms: durationMs })),
    last_runs: report.lastRuns.map(({ exitCode, startedBy, durationMs, paid, spared, ...run }) => ({
      ...run,
      exit_code: exitCode,
      started_by: startedBy,
      duration_ms: durationMs,
      ...withDocuments({ paid, spared }),
    })),
    unreadable_entries: report.unreadable,
  };
}

function withDocuments<T extends { readonly paid: Paid; readonly spared: SavedTokens }>({ paid, spared, ...rest }: T) {
  return { ...rest, paid: paidDocument(paid), not_paid: spared };
}
