import type { ReportedFinding } from '../gates/run-types.ts';
import {
  currentFindings,
  type EndedRun,
  findingMessage,
  findingPlace,
  listObstacles,
  NO_FILE,
  type Obstacle,
  readable,
  type Severity,
  severityOf,
  textWithOutput,
  wellFormed,
} from './finished-run.ts';

const SEVERITIES: Readonly<Record<Severity, string>> = { error: 'ERROR', warning: 'WARNING', note: 'INFO' };

/**
 * Returns a run in reviewdog's diagnostic format. The format cannot mark a waived finding, so waived ones are left out.
 * reviewdog refuses unknown keys.
 */
export function rdjsonReport(run: EndedRun): string {
  const findings = currentFindings(run).filter(({ state }) => state !== 'waived');
  const document = {
    source: { name: 'onceover' },
    severity: 'ERROR',
    diagnostics: [...findings.map(findingDiagnostic), ...listObstacles(run).map(obstacleDiagnostic)],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function findingDiagnostic(reported: ReportedFinding) {
  const { finding } = reported;
  const { file, line, lastLine } = findingPlace(finding);
  const range = line === null ? {} : { range: { start: { line }, end: { line: lastLine ?? line } } };
  return {
    message: inert(`${finding.id} (${finding.priority}): ${findingMessage(finding)}`),
    location: { path: wellFormed(file), ...range },
    severity: SEVERITIES[severityOf(reported)],
    code: { value: readable(finding.gate) },
  };
}

function obstacleDiagnostic(obstacle: Obstacle) {
  return {
    message: inert(readable(textWithOutput(obstacle))),
    location: { path: NO_FILE },
    severity: SEVERITIES.error,
    code: { value: readable(obstacle.gate ?? 'onceover') },
  };
}

/** reviewdog posts messages as Markdown: a reviewer's text must not mention people or load anything. */
function inert(text: string): string {
  return text
    .replaceAll('@', '@\u200b')
    .replaceAll('](', ']\u200b(')
    .replace(/<(?=[a-z/!?])/gi, '<\u200b');
}
