import type { PublishOptions } from '@onceover/forges/publish';
import type { PublishFacts } from '@onceover/forges/src/decide-publish.ts';
import { subjectOfRun } from '@onceover/forges/src/standing/publication-subject.ts';
import type { ResultSource } from '@onceover/forges/src/standing/read-standing.ts';
import type { PullFacts } from '@onceover/forges/src/types.ts';
import type { FindingState, KnownFinding, ReportedFinding } from '@onceover/gates/findings/types';
import type { RunDocument } from '@onceover/gates/result/json';
import { runDocument } from '@onceover/gates/result/json';
import type { GateOutcome, RunOutcome } from '@onceover/gates/result/types';
import { finding, gateOutcome, path, runOutcome } from '../run-samples.ts';
import { BASE_COMMIT, commitOf } from './world.ts';

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

/** The origin of a result: a job of a branch of the repository that reviews and publishes. */
export const OWN_JOB: ResultSource = {
  ...{ maker: 'this-job', workflow: 'change', queue: null },
  ...{ isDeclaredUntrusted: false, runsChecksElsewhere: false },
};

/** Returns the document of a run that reviewed pull request 7 of the tests at this commit. */
export function reviewed(
  document: RunDocument,
  head: string,
  differs: Partial<NonNullable<RunDocument['pull_request']>> = {},
): RunDocument {
  const own = { head_repository: 'house/shop', repository: 'house/shop', base: 'main', base_commit: BASE_COMMIT };
  return { ...document, pull_request: { head, ...own, ...differs } };
}

/** A pull request as the forge reports it. */
export function pullFacts(differs: Partial<PullFacts> = {}): PullFacts {
  return {
    ...{ isOpen: true, isDraft: false, head: commitOf(1), base: 'main' },
    ...{ repository: 'house/shop', headRepository: 'house/shop', page: 'https://github.com/house/shop' },
    ...differs,
  };
}

/** Returns the options of a publication of this document. Unless it says otherwise, it is about the pull request. */
export function publishOptions(
  document: RunDocument,
  commit: string,
  differs: Partial<PublishOptions & Pick<PublishFacts, 'standing'>> = {},
): PublishOptions & Pick<PublishFacts, 'standing'> {
  const about = document.pull_request == null ? reviewed(document, commit) : document;
  return {
    standing: { subject: subjectOfRun(about), refusal: null, confirmedBy: null },
    run: { kind: 'run', document: about },
    commit,
    source: OWN_JOB,
    reportUrl: null,
    summary: 'always',
    checks: true,
    isDry: false,
    ...differs,
  };
}
