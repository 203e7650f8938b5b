import type { Priority } from '../config/settings.ts';
import { describeGateDetail, reviewerName, SLOT_WORDS } from '../gates/describe/reasons.ts';
import { describeRunNotice, describeVerdict } from '../gates/describe/result.ts';
import { describeStatus } from '../gates/describe/run.ts';
import type { GateOutcome, ReportedFinding, RunOutcome } from '../gates/run-types.ts';
import { type Finding, isOpen } from '../gates/types.ts';
import { showInvisible } from '../kernel/escape.ts';
import { digestOf, type GateId } from '../kernel/ids.ts';

/** A run that has ended, as reports need it. */
export type EndedRun =
  | { readonly kind: 'judged'; readonly outcome: RunOutcome }
  /** An error prevented an outcome, so no gate has a result. */
  | {
      readonly kind: 'not-judged';
      readonly status: 'error' | 'lock_conflict' | 'interrupted';
      readonly exitCode: 2 | 3 | 130;
      readonly what: string;
      readonly next: string;
    };

/** A reason other than a finding why a run does not exit with 0. */
export type Obstacle = {
  /** `null` if it does not concern a single gate. */
  readonly gate: GateId | null;
  /** False if there is no result: neither pass nor fail. */
  readonly isJudged: boolean;
  readonly text: string;
  /** The output of a check. */
  readonly output: string | null;
};

/** Returns the exit code of a run, before any error in writing reports. */
export function exitCodeOf(run: EndedRun): number {
  return run.kind === 'judged' ? run.outcome.exitCode : run.exitCode;
}

/** Returns the findings that count. Reports leave out closed ones, so that they disappear for readers. */
export function currentFindings(run: EndedRun): readonly ReportedFinding[] {
  if (run.kind === 'not-judged') return [];
  return run.outcome.findings.filter(({ state }) => state !== 'closed' && state !== 'gone');
}

/** Whether a finding fails its gate. */
export function isStillOpen({ state }: ReportedFinding): boolean {
  return isOpen(state);
}

/**
 * Lists the reasons other than findings why a run does not exit with 0.
 * If the exit code is not 0, the list and the open findings are never both empty.
 */
export function listObstacles(run: EndedRun): readonly Obstacle[] {
  if (run.kind === 'not-judged') return [notJudged(null, `${run.what} ${run.next}`)];
  const { exitCode, gates, notices, findings } = run.outcome;
  const unnameable = notices.filter(({ kind }) => kind === 'unnameable');
  const found = [
    ...gates.flatMap(obstacleOfGate),
    ...unnameable.map((notice) => notJudged(null, describeRunNotice(notice))),
  ];
  const isReported = found.length > 0 || findings.some(isStillOpen);
  return exitCode === 0 || isReported ? found : [notJudged(null, describeVerdict(run.outcome).join(' '))];
}

function obstacleOfGate(gate: GateOutcome): readonly Obstacle[] {
  const { id, status, check } = gate;
  if (status === 'pass' || status === 'holds') return [];
  if (status !== 'fail') return [notJudged(id, describeNotJudged(gate), check?.tail ?? null)];
  // A failed review is reported by its findings.
  return check === null ? [] : [{ gate: id, isJudged: true, text: describeGateDetail(gate), output: check.tail }];
}

function notJudged(gate: GateId | null, text: string, output: string | null = null): Obstacle {
  return { gate, isJudged: false, text, output };
}

function describeNotJudged(gate: GateOutcome): string {
  const errors = gate.slots.filter(({ status }) => status === 'error');
  const reasons = errors.map((slot) => `${reviewerName(slot)} ${SLOT_WORDS[slot.status]}: ${describeStatus(slot)}`);
  const why = gate.why === 'could-not-judge' ? '' : `: ${describeGateDetail(gate)}`;
  return [`No result${why}`, ...reasons].join('; ');
}

/** Returns the text of an obstacle with the name of its gate, if it has one. */
export function namedText({ gate, text }: Obstacle): string {
  return gate === null ? text : `${gate}: ${text}`;
}

/** Returns text of unknown origin with plain line ends, and with invisible characters except tabs escaped. */
export function readable(text: string): string {
  return wellFormed(text)
    .replace(/\r\n?/g, '\n')
    .split(/([\n\t])/)
    .map((part, index) => (index % 2 === 1 ? part : showInvisible(part)))
    .join('');
}

/** Replaces unpaired surrogates, which strict readers of JSON and XML refuse. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** The severity in formats with three levels. */
export type Severity = 'error' | 'warning' | 'note';

/** A finding or an obstacle, for readers that show it beside the code. */
export type ReportEntry = {
  /** `null` for an obstacle. */
  readonly reported: ReportedFinding | null;
  /** The name of the gate, or of onceover. */
  readonly gate: string;
  readonly severity: Severity;
  /** The problem and its fix, or the obstacle with the output of its check. */
  readonly message: string;
  readonly file: string;
  /** The lines, with their text if the reviewer quoted it; `null` if they are unknown or do not exist. */
  readonly region: { readonly line: number; readonly lastLine: number; readonly code: string | null } | null;
  readonly fingerprint: string;
};

/** Most readers refuse or drop entries without a file, so these are shown at the settings. */
const NO_FILE = 'onceover.yml';

/** The name of the gate of entries that concern no single gate. */
export const NO_GATE = 'onceover';

/** Returns the findings that count, then the obstacles. */
export function reportEntries(run: EndedRun): readonly ReportEntry[] {
  return [...currentFindings(run).map(findingEntry), ...listObstacles(run).map(obstacleEntry)];
}

export function findingEntry(reported: ReportedFinding): ReportEntry {
  const { gate, issue, fix, file } = reported.finding;
  return {
    reported,
    gate: readable(gate),
    severity: severityOf(reported),
    message: fix === null ? readable(issue) : `${readable(issue)}\n\nFix: ${readable(fix)}`,
    file: wellFormed(file ?? NO_FILE),
    region: regionOf(reported.finding),
    fingerprint: findingFingerprint(reported.finding),
  };
}

export function obstacleEntry({ gate, text, output }: Obstacle): ReportEntry {
  return {
    reported: null,
    gate: readable(gate ?? NO_GATE),
    severity: 'error',
    message: readable(output === null || output === '' ? text : `${text}\n\n${output}`),
    file: NO_FILE,
    region: null,
    fingerprint: gateFingerprint(gate),
  };
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

/** Returns the severity of a finding. A warning is never an error. */
function severityOf({ finding, state }: ReportedFinding): Severity {
  const severity = SEVERITIES[finding.priority];
  return state === 'warning' && severity === 'error' ? 'warning' : severity;
}

/**
 * Returns the identity of a finding from run to run: gate, file, and the occurrence of its code. The line and the
 * reviewer's words may differ between runs. A finding without code in the file is identified by its id.
 */
export function findingFingerprint(finding: Finding): string {
  const { gate, slot, file, anchor, id } = finding;
  const what =
    anchor === null ? ['unanchored', String(slot), id] : ['anchored', anchor.text, String(anchor.occurrence)];
  return digest([gate, file ?? '', ...what]);
}

/** Returns the identity of an obstacle. */
export function gateFingerprint(gate: GateId | null): string {
  return digest(['gate', gate ?? '']);
}

function digest(parts: readonly string[]): string {
  return digestOf(parts).slice(0, 32);
}
