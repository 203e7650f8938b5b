import { type EndedRun, idsOf, type ReportEntry, reportEntries, type Severity } from './finished-run.ts';

const SEVERITIES: Readonly<Record<Severity, string>> = { error: 'ERROR', warning: 'WARNING', note: 'INFO' };

/**
 * Returns a run in the JSON format of reviewdog. Waived findings are left out, because the format has no field for them
 * and reviewdog rejects unknown fields.
 */
export function rdjsonReport(run: EndedRun): string {
  const entries = reportEntries(run).filter(({ reported }) => reported?.state !== 'waived');
  const document = { source: { name: 'onceover' }, severity: 'ERROR', diagnostics: entries.map(diagnostic) };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function diagnostic({ reported, others, gate, severity, message, file, region }: ReportEntry) {
  const name = reported === null ? '' : `${idsOf(reported, others)} (${reported.finding.priority}): `;
  const range = region === null ? {} : { range: { start: { line: region.line }, end: { line: region.lastLine } } };
  return {
    message: inert(`${name}${message}`),
    location: { path: file, ...range },
    severity: SEVERITIES[severity],
    code: { value: gate },
  };
}

/** Returns the text without mentions, links, images or HTML, because reviewdog posts messages as Markdown. */
function inert(text: string): string {
  return text
    .replaceAll('@', '@\u200b')
    .replaceAll('](', ']\u200b(')
    .replace(/<(?=[a-z/!?])/gi, '<\u200b');
}
