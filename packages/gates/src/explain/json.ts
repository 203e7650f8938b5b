import type { CacheNote } from '@onceover/base/kernel/agent';
import type * as z from 'zod';
import type { ReportedFinding } from '../findings/types.ts';
import type { SlotPlan } from '../gate-types.ts';
import type { runExplanationSchema } from '../result/json-schema.ts';
import { definingFile, explanationSummary } from '../rules/describe.ts';
import type { explainSchema } from '../rules/json-schema.ts';
import type { ReviewExplanation } from '../rules/types.ts';
import type { RecordMetadata } from '../run/record-types.ts';

/** The JSON result of `explain --json` for a review id. */
export type ExplainDocument = z.output<typeof explainSchema>;

export function explainDocument(explanation: ReviewExplanation): ExplainDocument {
  const { id, task, passed, receipt } = explanation;
  return {
    review_id: id,
    state: explanation.kind,
    why: explanationSummary(explanation),
    current_review_id: task?.id ?? null,
    rules: task?.parts.map(({ rule }) => ({ name: rule.name, defining_file: definingFile(rule) })) ?? [],
    files: [...(task?.files ?? [])],
    passed,
    passed_at: receipt?.at ?? null,
    passed_by: receipt?.by ?? null,
  };
}

/** The JSON result of `explain --json` for a gate, a check, a reviewer or a finding. */
export type RunExplanationDocument = z.output<typeof runExplanationSchema>;

/** Returns, for the JSON result, what onceover assumed about the provider's cache of a session. */
export function cacheDocument({ idleMs, lifeMinutes, lifeFrom, hit, estimate }: CacheNote) {
  return {
    ...{ idle_ms: idleMs, life_minutes: lifeMinutes, life_from: lifeFrom, hit },
    ...{ estimate_new: estimate?.fresh ?? null, estimate_resumed: estimate?.resumed ?? null },
  };
}

/**
 * Returns, for the JSON result, the files that a reviewer opened or was shown, and the session that read files for it
 * and others.
 */
export function readsDocument(metadata: Pick<RecordMetadata, 'opened' | 'handed' | 'reading'> | null) {
  const { opened, handed, reading } = metadata ?? {};
  return {
    ...(opened === undefined ? {} : { opened: [...opened] }),
    ...(handed === undefined || handed.length === 0 ? {} : { handed: [...handed] }),
    ...(reading === undefined ? {} : { reading: { ...reading, opened: [...reading.opened] } }),
  };
}

/** The JSON result, with additional data for the text that people read. */
export type RunExplanation = {
  readonly document: RunExplanationDocument;
  /** The plan of the next run for each reviewer; empty if the next run calls none of them. */
  readonly planned: readonly SlotPlan[];
  /** The finding to explain, or the open findings, warnings and waived findings of the gate or reviewer. */
  readonly findings: readonly ReportedFinding[];
};
