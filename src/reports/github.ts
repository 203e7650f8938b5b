import { bySeverity } from '../gates/describe/finding.ts';
import type { ReportedFinding } from '../gates/run-types.ts';
import { closeFence } from '../kernel/escape.ts';
import { count } from '../ui/wording.ts';
import {
  currentFindings,
  type EndedRun,
  findingMessage,
  findingPlace,
  listObstacles,
  namedText,
  type Obstacle,
  readable,
  type Severity,
  severityOf,
  textWithOutput,
  wellFormed,
} from './finished-run.ts';
import { markdownReport } from './markdown.ts';

/** GitHub shows only the first ten annotations of each kind per step. */
const MOST_OF_A_KIND = 10;

const MOST_CHARACTERS = 4000;

/** GitHub does not show a step summary over 1 MiB. */
const MOST_SUMMARY_BYTES = 1_000_000;

type Kind = 'error' | 'warning' | 'notice';

type Annotation = {
  readonly kind: Kind;
  readonly properties: Readonly<Record<string, string | number | null>>;
  readonly message: string;
};

const KINDS: Readonly<Record<Severity, Kind>> = { error: 'error', warning: 'warning', note: 'notice' };

/** Returns a run as workflow commands, one per line: gates without a result, failed checks, findings by severity. */
export function githubAnnotations(run: EndedRun): string {
  const obstacles = listObstacles(run);
  const findings = currentFindings(run).filter(({ state }) => state !== 'waived');
  const all = [
    ...notJudgedAnnotation(obstacles.filter(({ isJudged }) => !isJudged)),
    ...obstacles.filter(({ isJudged }) => isJudged).map(obstacleAnnotation),
    ...[...findings].sort(bySeverity).map(findingAnnotation),
  ];
  const shown = (['error', 'warning', 'notice'] as const).flatMap((kind) => {
    const own = all.filter((one) => one.kind === kind);
    // Leave room for the notice about the rest.
    return own.slice(0, kind === 'notice' ? MOST_OF_A_KIND - 1 : MOST_OF_A_KIND);
  });
  const rest = all.length - shown.length;
  return [...shown, ...(rest > 0 ? [restAnnotation(rest)] : [])].map((one) => `${commandLine(one)}\n`).join('');
}

/** Returns the Markdown report of a run for a job summary. */
export function githubSummary(run: EndedRun): string {
  const page = markdownReport(run);
  const bytes = Buffer.from(page);
  if (bytes.length <= MOST_SUMMARY_BYTES) return page;
  const begun = bytes.subarray(0, MOST_SUMMARY_BYTES).toString('utf8');
  const whole = begun.slice(0, begun.lastIndexOf('\n'));
  return `${closeFence(whole)}\n\nThe report is too long for a job summary. Write it to a file with "--report markdown=FILE".\n`;
}

function findingAnnotation(reported: ReportedFinding): Annotation {
  const { finding } = reported;
  const { file, line, lastLine } = findingPlace(finding);
  const title = `${finding.id} ${finding.priority} (${readable(finding.gate)} @${finding.slot})`;
  return {
    kind: KINDS[severityOf(reported)],
    properties: { file: wellFormed(file), line, endLine: lastLine, title },
    message: findingMessage(finding),
  };
}

/** Merges gates without a result into one annotation, to leave room for findings. */
function notJudgedAnnotation(obstacles: readonly Obstacle[]): readonly Annotation[] {
  if (obstacles.length < 2) return obstacles.map(obstacleAnnotation);
  const message = obstacles.map((obstacle) => readable(namedText(obstacle))).join('\n');
  return [{ kind: 'error', properties: { title: 'onceover' }, message }];
}

function obstacleAnnotation(obstacle: Obstacle): Annotation {
  const title = readable(obstacle.gate ?? 'onceover');
  return { kind: 'error', properties: { title }, message: readable(textWithOutput(obstacle)) };
}

function restAnnotation(rest: number): Annotation {
  const message = `${count(rest, 'more annotation is', 'more annotations are')} not shown here; see the job summary.`;
  return { kind: 'notice', properties: { title: 'onceover' }, message };
}

/** Returns exactly one line with one workflow command, whatever the texts contain. */
function commandLine({ kind, properties, message }: Annotation): string {
  const given = Object.entries(properties).filter(([, value]) => value !== null);
  const fields = given.map(([name, value]) => `${name}=${property(String(value))}`).join(',');
  const cut = message.length > MOST_CHARACTERS ? `${wellFormed(message.slice(0, MOST_CHARACTERS))}…` : message;
  return `::${kind} ${fields}::${data(cut)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
