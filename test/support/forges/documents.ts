import type { PublishOptions } from '@onceover/forges/publish';
import type { FindingState, KnownFinding, ReportedFinding } from '@onceover/gates/findings/types';
import type { RunDocument } from '@onceover/gates/result/json';
import { runDocument } from '@onceover/gates/result/json';
import type { GateOutcome, RunOutcome } from '@onceover/gates/result/types';
import { finding, gateOutcome, path, runOutcome } from '../run-samples.ts';

export const GATE = 'review:src:code-quality';

/** Returns a finding that quotes a line; `differs` overrides fields. */
export function findingOn(
  file: string,
  text: string,
  state: FindingState = 'open',
  differs: Partial<KnownFinding> = {},
): ReportedFinding {
  const anchor = { text: text.trim(), occurrence: 1 };
  return { finding: finding({ file: path(file), code: text, anchor, line: 1, gate: GATE, ...differs }), state };
}

/** Returns the document of a run with these findings. Its gates fail if they have an open finding. */
export function documentWith(
  findings: readonly ReportedFinding[],
  more: Partial<RunOutcome> & { readonly gateIds?: readonly string[] } = {},
): RunDocument {
  const { gateIds, ...differs } = more;
  const ids = gateIds ?? [...new Set([GATE, ...findings.map((one) => one.finding.gate)])];
  const isOpen = (gate: string) =>
    findings.some((one) => one.finding.gate === gate && (one.state === 'open' || one.state === 'fixed_claimed'));
  const gates = ids.map(
    (id): GateOutcome => gateOutcome({ id, ...(isOpen(id) ? { status: 'fail', why: 'open-findings' } : {}) }),
  );
  const hasFailed = gates.some(({ status }) => status === 'fail');
  const result = hasFailed
    ? ({ status: 'failed', exitCode: 1 } as const)
    : ({ status: 'passed', exitCode: 0 } as const);
  return runDocument(runOutcome({ gates, findings, ...result, ...differs }));
}

/** Returns the options of a publication of this document. */
export function publishOptions(
  document: RunDocument,
  commit: string,
  differs: Partial<PublishOptions> = {},
): PublishOptions {
  return {
    run: { kind: 'run', document },
    commit,
    isUntrusted: false,
    reportUrl: null,
    summary: 'always',
    checks: true,
    isDry: false,
    ...differs,
  };
}
