import { closeFence } from '@onceover/base/kernel/escape';
import { wellFormed } from '@onceover/base/ui/markdown-text';
import { count } from '@onceover/base/ui/wording';
import { bySeverity } from '../findings/describe.ts';
import { problemsIn } from '../findings/same-code.ts';
import {
  type EndedRun,
  idsOf,
  NO_GATE,
  namedText,
  problemEntry,
  type ReportEntry,
  type Severity,
} from './finished-run.ts';
import { markdownReport } from './markdown.ts';

/** GitHub shows only the first ten annotations of each kind per step, so leave out the rest. */
const MOST_OF_A_KIND = 10;

const MOST_CHARACTERS = 4000;

/** The maximum number of bytes of a job summary. GitHub does not show a summary over 1 MiB. */
const MOST_SUMMARY_BYTES = 1_000_000;

const KINDS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' };

/**
 * Returns the annotations of a run as GitHub workflow commands, one per line. Gates without a result come first, then
 * failed checks, then findings by severity.
 */
export function githubAnnotations({ obstacles, findings }: EndedRun): string {
  const entries = [
    ...joinEntries(obstacles.filter(({ isJudged }) => !isJudged)),
    ...obstacles.filter(({ isJudged }) => isJudged),
    ...problemsIn(findings.filter(({ state }) => state !== 'waived').sort(bySeverity)).map(problemEntry),
  ];
  const shownEntries = (['error', 'warning', 'note'] as const).flatMap((severity) => {
    const severityEntries = entries.filter((entry) => entry.severity === severity);
    // Keep one annotation free for the notice that counts the omitted ones.
    return severityEntries.slice(0, severity === 'note' ? MOST_OF_A_KIND - 1 : MOST_OF_A_KIND);
  });
  const omittedCount = entries.length - shownEntries.length;
  const omissionNote = `${count(omittedCount, 'more annotation is', 'more annotations are')} not shown here; see the job summary.`;
  return [
    ...shownEntries.map(annotation),
    ...(omittedCount > 0 ? [commandLine('notice', { title: NO_GATE }, omissionNote)] : []),
  ].join('');
}

/** Returns the Markdown report of a run for GitHub's job summary, cut off if it is too long. */
export function githubSummary(run: EndedRun): string {
  const page = markdownReport(run);
  const bytes = Buffer.from(page);
  if (bytes.length <= MOST_SUMMARY_BYTES) return page;
  const pageStart = bytes.subarray(0, MOST_SUMMARY_BYTES).toString('utf8');
  const whole = pageStart.slice(0, pageStart.lastIndexOf('\n'));
  return `${closeFence(whole)}\n\nThe report is too long for a job summary. Write it to a file with "--report markdown=FILE".\n`;
}

/** Joins the entries about gates without a result into one entry, so that more findings can be shown. */
function joinEntries(entries: readonly ReportEntry[]): readonly ReportEntry[] {
  const [first, ...otherEntries] = entries;
  if (first === undefined || otherEntries.length === 0) return entries;
  return [{ ...first, gate: NO_GATE, message: entries.map(namedText).join('\n') }];
}

function annotation({ reported, others, gate, severity, message, file, region }: ReportEntry): string {
  if (reported === null) return commandLine('error', { title: gate }, message);
  const title = `${idsOf(reported, others)} ${reported.finding.priority} (${gate} @${reported.finding.slot})`;
  const place = region === null ? { file } : { file, line: region.line, endLine: region.lastLine };
  return commandLine(KINDS[severity], { ...place, title }, message);
}

/** Returns one line with one GitHub workflow command, whatever characters the texts contain. */
function commandLine(kind: string, properties: Readonly<Record<string, string | number>>, message: string): string {
  const fields = Object.entries(properties)
    .map(([name, value]) => `${name}=${property(String(value))}`)
    .join(',');
  const cut = message.length > MOST_CHARACTERS ? `${wellFormed(message.slice(0, MOST_CHARACTERS))}…` : message;
  return `::${kind} ${fields}::${data(cut)}\n`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
