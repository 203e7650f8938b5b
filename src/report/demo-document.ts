import type { SparedTokens } from '../domain/cost.ts';
import type { DemoOutcome } from '../domain/demo.ts';
import type { Lever } from '../domain/ledger.ts';
import { BASELINE } from '../text/cost.ts';
import { type PaidDocument, paidDocument } from './paid-document.ts';
import { type RunDocument, runDocument } from './run-document.ts';

/** What `demo --json` answers with. */
export type DemoDocument = {
  reviewers: 'scripted';
  tokens: string;
  as_told: boolean;
  runs: RunDocument[];
  paid: PaidDocument;
  not_paid: Record<Lever, SparedTokens> & { baseline: string };
  shared_beginnings: SparedTokens;
  repository: string | null;
  duration_ms: number;
};

export function demoDocument(outcome: DemoOutcome): DemoDocument {
  const { runs, cost, shared, strayed, folder, durationMs } = outcome;
  return {
    reviewers: 'scripted',
    tokens: 'estimated: four characters of what was sent and said each',
    as_told: strayed === null,
    runs: runs.map((run) => runDocument(run)),
    paid: paidDocument(cost.paid),
    not_paid: { ...cost.spared, baseline: BASELINE },
    shared_beginnings: { ...shared },
    repository: folder,
    duration_ms: durationMs,
  };
}
