import { digestOf, type GateId } from '@onceover/base/kernel/ids';
import { maskDocument } from '@onceover/base/kernel/mask-secrets';
import { readable, wellFormed } from '@onceover/base/ui/markdown-text';
import type { Message } from '@onceover/base/ui/wording';
import { reviewerName } from '@onceover/base/ui/wording';
import type { Priority } from '@onceover/repo/config/settings';
import { FINGERPRINT_LENGTH, findingFingerprint } from '../findings/fingerprint.ts';
import { problemsIn, type SameCode } from '../findings/same-code.ts';
import type { ReportedFinding } from '../findings/types.ts';
import { type Finding, isOpen } from '../findings/types.ts';
import { describeGateDetail, describeSlotReason, STATUS_WORDS } from '../result/describe/reasons.ts';
import { describeRunNotice, describeVerdict } from '../result/describe/result.ts';
import type { GateOutcome, RunOutcome } from '../result/types.ts';

/** A run that has ended, in the form from which all report formats are made. */
export type EndedRun = {
  readonly status: RunOutcome['status'] | 'interrupted';
  /** The exit code of the run itself. A report that cannot be written does not change this code. */
  readonly exitCode: number;
  /** The result in one line, followed by the next steps. */
  readonly verdict: readonly string[];
  readonly gates: readonly GateOutcome[];
  /** The findings that still apply and are not closed. All others are left out, so that tools stop showing them. */
  readonly findings: readonly ReportedFinding[];
  /**
   * Reasons other than findings for an exit code above 0. If the exit code is above 0, this list has an entry or a
   * finding is open.
   */
  readonly obstacles: readonly ReportEntry[];
  /** The outcome of the run; `null` if an error or an interruption ended it, so that no gate has a result. */
  readonly outcome: RunOutcome | null;
};

/** Returns the report data of a run that was completed, without passwords, keys and tokens that an agent quoted. */
export function endedRun(completed: RunOutcome): EndedRun {
  const outcome = maskOutcome(completed);
  const { status, exitCode, gates, notices } = outcome;
  const verdict = describeVerdict(outcome);
  const findings = outcome.findings.filter(({ state }) => state !== 'closed' && state !== 'gone');
  const unnameable = notices.filter(({ kind }) => kind === 'unnameable');
  const specificObstacles = [
    ...gates.flatMap(obstacleOfGate),
    ...unnameable.map((notice) => obstacle(null, describeRunNotice(notice))),
  ];
  const isReported = exitCode === 0 || specificObstacles.length > 0 || findings.some(({ state }) => isOpen(state));
  const obstacles = isReported ? specificObstacles : [obstacle(null, verdict.join(' '))];
  return { status, exitCode, verdict, gates, findings, obstacles, outcome };
}

/** Masks what agents and commands wrote. The anchor of a finding is text of a file, and identifies the finding. */
function maskOutcome(outcome: RunOutcome): RunOutcome {
  const mask = (report: ReportedFinding): ReportedFinding => {
    const { anchor, file, gate } = report.finding;
    const masked = maskDocument(report);
    return { ...masked, finding: { ...masked.finding, anchor, file, gate } };
  };
  return { ...maskDocument(outcome), findings: outcome.findings.map(mask), settled: outcome.settled.map(mask) };
}

/** Returns the report data of a run that an error or an interruption ended. */
export function failedRun(
  end: { readonly status: 'error' | 'lock_conflict' | 'interrupted'; readonly exitCode: 2 | 3 | 130 },
  { what, next }: Message,
): EndedRun {
  const verdict = [`Error: the gates have no result (exit code ${end.exitCode})`, what, next];
  return { ...end, verdict, gates: [], findings: [], obstacles: [obstacle(null, `${what} ${next}`)], outcome: null };
}

function obstacleOfGate(gate: GateOutcome): readonly ReportEntry[] {
  const { id, status, check } = gate;
  if (status === 'pass' || status === 'holds') return [];
  const output = check === null || check.tail === '' ? '' : `\n\n${check.tail}`;
  if (status !== 'fail') return [obstacle(id, `${describeNoResult(gate)}${output}`)];
  // If a review failed, reports list its findings, so the review itself needs no entry.
  return check === null ? [] : [{ ...obstacle(id, `${describeGateDetail(gate)}${output}`), isJudged: true }];
}

function obstacle(gate: GateId | null, message: string): ReportEntry {
  return {
    reported: null,
    others: [],
    gate: readable(gate ?? NO_GATE),
    isJudged: false,
    severity: 'error',
    message: readable(message),
    file: NO_FILE,
    region: null,
    fingerprint: gateFingerprint(gate),
  };
}

function describeNoResult(gate: GateOutcome): string {
  const errors = gate.slots.filter(({ status }) => status === 'error');
  const reasons = errors.map((slot) => `${reviewerName(slot)} ${STATUS_WORDS.error}: ${describeSlotReason(slot)}`);
  const why = gate.why === 'could-not-judge' ? '' : `: ${describeGateDetail(gate)}`;
  return [`No result${why}`, ...reasons].join('; ');
}

/** Returns the message of an entry, with the id of its gate in front if it has one. */
export function namedText({ gate, message }: ReportEntry): string {
  return gate === NO_GATE ? message : `${gate}: ${message}`;
}

/** The severity of an entry, for report formats with three levels. */
export type Severity = 'error' | 'warning' | 'note';

/** One entry of a report: a finding, or another reason why the run does not exit with 0. */
export type ReportEntry = {
  /** The finding; `null` if the entry is not about a finding. */
  readonly reported: ReportedFinding | null;
  /** The findings of other reviewers about the same code. */
  readonly others: readonly ReportedFinding[];
  /** The id of the gate; "onceover" if the entry is about the whole run. */
  readonly gate: string;
  /** Whether the gate passed or failed; false if the gate has no result, for example after an error. */
  readonly isJudged: boolean;
  readonly severity: Severity;
  /**
   * For a finding, the problem and the fix. For any other entry, why the gate did not pass, with the output of a failed
   * check.
   */
  readonly message: string;
  readonly file: string;
  /**
   * The lines of the finding, with their text if the reviewer quoted it; `null` if the lines are unknown or do not
   * exist.
   */
  readonly region: { readonly line: number; readonly lastLine: number; readonly code: string | null } | null;
  readonly fingerprint: string;
};

/** The file for entries that are not about a file. Most tools reject or drop an entry without a file. */
const NO_FILE = 'onceover.yml';

/** Used instead of a gate id in entries about the whole run. */
export const NO_GATE = 'onceover';

/** Returns one entry per reported problem, then one for each other reason why the run did not exit with 0. */
export function reportEntries({ findings, obstacles }: EndedRun): readonly ReportEntry[] {
  return [...problemsIn(findings).map(problemEntry), ...obstacles];
}

/**
 * Returns one entry for all findings about the same problem. The most severe finding decides its gate and its place.
 */
export function problemEntry([worstFinding, ...otherFindings]: SameCode<ReportedFinding>): ReportEntry {
  const { gate, file } = worstFinding.finding;
  const also = otherFindings.map(
    ({ finding }) => `${finding.id} ${finding.priority} (${readable(finding.gate)}): ${messageOf(finding)}`,
  );
  return {
    reported: worstFinding,
    others: otherFindings,
    gate: readable(gate),
    isJudged: true,
    severity: severityOf(worstFinding),
    message: [messageOf(worstFinding.finding), ...also].join('\n\n'),
    file: wellFormed(file ?? NO_FILE),
    region: regionOf(worstFinding.finding),
    fingerprint: findingFingerprint(worstFinding.finding),
  };
}

function messageOf({ issue, fix }: Finding): string {
  return fix === null ? readable(issue) : `${readable(issue)}\n\nFix: ${readable(fix)}`;
}

/** Returns the ids of an entry's findings, such as "F1, F2". */
export function idsOf(reportedFinding: ReportedFinding, otherFindings: readonly ReportedFinding[]): string {
  return [reportedFinding, ...otherFindings].map(({ finding }) => finding.id).join(', ');
}

const HIGHEST_LINE = 2 ** 31 - 1;

function regionOf({ file, line, mark, code, anchor }: Finding): ReportEntry['region'] {
  const isLine = line !== null && Number.isInteger(line) && line > 0 && line <= HIGHEST_LINE;
  if (file === null || !isLine || mark === 'no-such-line') return null;
  if (code === null || anchor === null || mark === 'code-not-found') return { line, lastLine: line, code: null };
  return { line, lastLine: line + anchor.text.split('\n').length - 1, code: wellFormed(code) };
}

const SEVERITIES: Readonly<Record<Priority, Severity>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
};

/** Returns the severity of a finding. If the gate treats the finding only as a warning, it is never an `error`. */
function severityOf({ finding, state }: ReportedFinding): Severity {
  const severity = SEVERITIES[finding.priority];
  return state === 'warning' && severity === 'error' ? 'warning' : severity;
}

/** Returns a digest that is the same for all failures of a gate. `null` stands for the whole run. */
export function gateFingerprint(gate: GateId | null): string {
  return digestOf(['gate', gate ?? '']).slice(0, FINGERPRINT_LENGTH);
}
