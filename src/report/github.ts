import { closeFence } from '../domain/fence.ts';
import type { ToldFinding } from '../domain/run.ts';
import { type EndedRun, type Obstacle, obstaclesOf, standingFindings } from './ended-run.ts';
import { findingMessage } from './finding-message.ts';
import { placeOf } from './finding-place.ts';
import { markdownReport } from './markdown.ts';
import { readable, wellFormed } from './readable.ts';
import { byGravity, type Severity, severityOf } from './severity.ts';

/** Of each kind GitHub shows so many annotations a step, the first ones. */
const MOST_OF_A_KIND = 10;
const MOST_CHARACTERS = 4000;
/** A step's summary over 1 MiB is not shown at all. */
const MOST_SUMMARY_BYTES = 1_000_000;

type Kind = 'error' | 'warning' | 'notice';

type Annotation = {
  readonly kind: Kind;
  readonly properties: Readonly<Record<string, string | number | null>>;
  readonly message: string;
};

const KINDS: Readonly<Record<Severity, Kind>> = { error: 'error', warning: 'warning', note: 'notice' };

/** A run as workflow commands, one a line: what could not be judged, then findings, the gravest first; the rest is counted. */
export function githubAnnotations(run: EndedRun): string {
  const obstacles = obstaclesOf(run);
  const findings = standingFindings(run).filter(({ state }) => state !== 'waived');
  const all = [
    ...notJudgedAnnotation(obstacles.filter(({ isJudged }) => !isJudged)),
    ...obstacles.filter(({ isJudged }) => isJudged).map(obstacleAnnotation),
    ...[...findings].sort(byGravity).map(findingAnnotation),
  ];
  const shown = (['error', 'warning', 'notice'] as const).flatMap((kind) => {
    const own = all.filter((one) => one.kind === kind);
    // The notice about the rest needs room among the notices.
    return own.slice(0, kind === 'notice' ? MOST_OF_A_KIND - 1 : MOST_OF_A_KIND);
  });
  const rest = all.length - shown.length;
  return [...shown, ...(rest > 0 ? [restAnnotation(rest)] : [])].map((one) => `${commandLine(one)}\n`).join('');
}

/** The page of a run for the summary of a job. */
export function githubSummary(run: EndedRun): string {
  const page = markdownReport(run);
  const bytes = Buffer.from(page);
  if (bytes.length <= MOST_SUMMARY_BYTES) return page;
  const begun = bytes.subarray(0, MOST_SUMMARY_BYTES).toString('utf8');
  const whole = begun.slice(0, begun.lastIndexOf('\n'));
  return `${closeFence(whole)}\n\nThere is more than fits here: write it to a file with "--report markdown=FILE".\n`;
}

function findingAnnotation(told: ToldFinding): Annotation {
  const { finding } = told;
  const { file, line, lastLine } = placeOf(finding);
  const title = `${finding.id} ${finding.priority} (${readable(finding.gate)} @${finding.slot})`;
  return {
    kind: KINDS[severityOf(told)],
    properties: { file: wellFormed(file), line, endLine: lastLine, title },
    message: findingMessage(finding),
  };
}

/** All in one, so that gates that were not run leave room for findings. */
function notJudgedAnnotation(obstacles: readonly Obstacle[]): readonly Annotation[] {
  if (obstacles.length < 2) return obstacles.map(obstacleAnnotation);
  const lines = obstacles.map(({ gate, text }) => readable(gate === null ? text : `${gate}: ${text}`));
  return [{ kind: 'error', properties: { title: 'onceover' }, message: lines.join('\n') }];
}

function obstacleAnnotation({ gate, text, output }: Obstacle): Annotation {
  const message = readable(output === null || output === '' ? text : `${text}\n\n${output}`);
  return { kind: 'error', properties: { title: readable(gate ?? 'onceover') }, message };
}

function restAnnotation(count: number): Annotation {
  const message = `${count} more ${count === 1 ? 'is' : 'are'} not shown here; see the summary of the job.`;
  return { kind: 'notice', properties: { title: 'onceover' }, message };
}

/** Whatever the parts hold, this is one line and one command. */
function commandLine({ kind, properties, message }: Annotation): string {
  const given = Object.entries(properties).filter(([, value]) => value !== null);
  const told = given.map(([name, value]) => `${name}=${property(String(value))}`).join(',');
  const cut = message.length > MOST_CHARACTERS ? `${wellFormed(message.slice(0, MOST_CHARACTERS))}…` : message;
  return `::${kind} ${told}::${data(cut)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
