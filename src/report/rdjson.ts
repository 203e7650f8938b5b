import type { ToldFinding } from '../domain/run.ts';
import { type EndedRun, type Obstacle, obstaclesOf, standingFindings } from './ended-run.ts';
import { findingMessage } from './finding-message.ts';
import { NO_FILE, placeOf } from './finding-place.ts';
import { readable, wellFormed } from './readable.ts';
import { type Severity, severityOf } from './severity.ts';

const SEVERITIES: Readonly<Record<Severity, string>> = { error: 'ERROR', warning: 'WARNING', note: 'INFO' };

/**
 * A run in reviewdog's diagnostic format. There is no word for what is waived in it, so that is left out; its reader refuses
 * keys that it does not know.
 */
export function rdjsonReport(run: EndedRun): string {
  const findings = standingFindings(run).filter(({ state }) => state !== 'waived');
  const document = {
    source: { name: 'onceover' },
    severity: 'ERROR',
    diagnostics: [...findings.map(findingDiagnostic), ...obstaclesOf(run).map(obstacleDiagnostic)],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function findingDiagnostic(told: ToldFinding) {
  const { finding } = told;
  const { file, line, lastLine } = placeOf(finding);
  const range = line === null ? {} : { range: { start: { line }, end: { line: lastLine ?? line } } };
  return {
    message: inert(`${finding.id} (${finding.priority}): ${findingMessage(finding)}`),
    location: { path: wellFormed(file), ...range },
    severity: SEVERITIES[severityOf(told)],
    code: { value: readable(finding.gate) },
  };
}

function obstacleDiagnostic({ gate, text, output }: Obstacle) {
  const told = output === null || output === '' ? text : `${text}\n\n${output}`;
  return {
    message: inert(readable(told)),
    location: { path: NO_FILE },
    severity: SEVERITIES.error,
    code: { value: readable(gate ?? 'onceover') },
  };
}

/** reviewdog posts messages as Markdown: nobody is to be called, and nothing loaded, by a reviewer's text. */
function inert(text: string): string {
  return text
    .replaceAll('@', '@\u200b')
    .replaceAll('](', ']\u200b(')
    .replace(/<(?=[a-z/!?])/gi, '<\u200b');
}
