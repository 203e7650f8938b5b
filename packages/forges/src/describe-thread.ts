import { type FindingDocument, findingWords } from './describe-finding.ts';
import { withMarker } from './describe-marker.ts';
import { codeBlock, codeSpan, fitted, prose } from './describe-text.ts';
import type { Marker } from './marker-schema.ts';
import type { ThreadPlace } from './types.ts';

/**
 * Returns the first comment of a thread about one or several findings on the same code. `place` is null when an
 * existing thread is edited: its lines belong to an earlier commit, so the comment suggests no replacement for them.
 */
export function describeThread(
  findings: readonly FindingDocument[],
  place: ThreadPlace | null,
  earlierFingerprints: readonly string[] = [],
): string {
  // Findings that the text no longer names stay in the marker, so that they never get another thread.
  const fingerprints = [...new Set([...earlierFingerprints, ...findings.map(({ fingerprint }) => fingerprint)])];
  const namedFindings = findings.map(({ id, gate, slot }) => ({ id, gate, slot }));
  const ids = findings.map(({ id }) => id);
  const blocks = [
    ...findings.flatMap((finding) => findingBlocks(finding, place)),
    describeContestedIn(findings),
    `<sub>Fix the code and push, or waive ${ids.length === 1 ? 'it' : 'them'} in a clone: ${codeSpan(`onceover resolve ${ids.join(' ')} --skip "why"`)}. Only the reviewer closes a finding.</sub>`,
  ];
  const text = blocks.filter((block) => block !== '').join('\n\n');
  return fitted(withMarker({ kind: 'thread', isClosed: false, fingerprints, findings: namedFindings }, `${text}\n`));
}

function findingBlocks(finding: FindingDocument, place: ThreadPlace | null): readonly string[] {
  const { issue, fix, code } = finding;
  const suggestion = place === null ? null : suggestionFor(finding, place);
  return [
    `**${finding.id} ${finding.priority}** · ${findingWords(finding)}`,
    // The forge shows the code above a thread on lines, but not above a thread on a whole file. So quote the code
    // there.
    place?.kind === 'file' && code !== null ? codeBlock(code) : '',
    prose(issue),
    fix === null ? '' : (suggestion ?? `**Fix:** ${prose(fix)}`),
  ];
}

/**
 * Returns what a person has to decide about contested findings, which the reviewer closed and reported again several
 * times. Returns an empty text if there are none.
 */
function describeContestedIn(findings: readonly FindingDocument[]): string {
  const ids = findings.filter((finding) => finding.contested === true).map(({ id }) => id);
  if (ids.length === 0) return '';
  return `**Contested:** the reviewer closed ${ids.join(', ')} and reported the same code again three times. A person decides: ${describeDecision(ids)}.`;
}

/** Returns the commands with which a person settles contested findings. */
export function describeDecision(ids: readonly string[]): string {
  const command = `onceover resolve ${ids.join(' ')}`;
  return `${codeSpan(`${command} --skip "why"`)} accepts the code, ${codeSpan(`${command} --fixed`)} lets the reviewer close it`;
}

const ONLY_A_BLOCK = /^\s*(`{3,})[^`\n]*\n([\s\S]*?)\n?\1\s*$/;

/**
 * Returns a suggestion block that replaces exactly the lines of the thread. Returns null if the fix is more than one
 * code block, or if the finding quotes other lines or only a part of a line. A fix without indentation gets the
 * indentation of the first line.
 */
export function suggestionFor(
  { fix, anchor }: Pick<FindingDocument, 'fix' | 'anchor'>,
  place: ThreadPlace,
): string | null {
  const [, , code] = ONLY_A_BLOCK.exec(fix ?? '') ?? [];
  if (code === undefined || place.kind !== 'lines') return null;
  const quotedLines = anchor?.text.split('\n').map((line) => line.trim());
  const isWhole =
    quotedLines?.length === place.text.length && quotedLines.every((line, at) => line === place.text[at]?.trim());
  if (!isWhole) return null;
  const indent = /^[ \t]*/.exec(place.text[0] ?? '')?.[0] ?? '';
  const lines = code.replace(/\r\n?/g, '\n').split('\n');
  const isIndented = /^[ \t]/.test(lines[0] ?? '');
  const suggestedLines = lines.map((line) => (isIndented || line === '' ? line : `${indent}${line}`));
  const text = suggestedLines.join('\n');
  // A suggestion is applied with one click, so it must not contain invisible characters. GitLab could run a line that
  // starts with a slash. Such a fix is shown only as text.
  if (/^\/[a-z]/im.test(text) || /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) return null;
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}suggestion\n${text}\n${marks}`;
}

/** Returns the reply that explains why a thread is closed. */
export function describeClosing(
  findings: readonly FindingDocument[],
  gates: readonly string[],
  commit: string,
): string {
  return withMarker({ kind: 'closed' }, `${closingLines(findings, gates, commit).join('\n\n')}\n`);
}

/**
 * Returns the new text of a thread's first comment when the thread cannot be resolved. The text says why the findings
 * are closed.
 */
export function describeClosedThread(
  body: string,
  marker: Extract<Marker, { kind: 'thread' }>,
  findings: readonly FindingDocument[],
  gates: readonly string[],
  commit: string,
): string {
  const [, ...bodyLines] = body.split('\n');
  const text = [...closingLines(findings, gates, commit), '---', bodyLines.join('\n').trim()].join('\n\n');
  return fitted(withMarker({ ...marker, isClosed: true }, `${text}\n`));
}

function closingLines(
  findings: readonly FindingDocument[],
  gates: readonly string[],
  commit: string,
): readonly string[] {
  if (findings.length === 0) {
    return [
      `**No longer open:** ${gates.map(codeSpan).join(', ')} ${gates.length === 1 ? 'passes' : 'pass'} on ${shortCommit(commit)}.`,
    ];
  }
  return findings.map((finding) => `**${finding.id}** ${describeEnd(finding, commit)}`);
}

function describeEnd(finding: FindingDocument, commit: string): string {
  const { state, closed, why, by } = finding;
  const reviewer = `reviewer ${finding.slot} (${codeSpan(finding.agent)})`;
  const reason = (text: string) => (text.trim() === '' ? '.' : `: ${prose(text)}`);
  if (state === 'waived') return `waived${by === null ? '' : ` by ${codeSpan(by.name)}`}${reason(why ?? '')}`;
  if (state === 'warning') return 'is a warning now and no longer fails its gate.';
  if (state === 'gone' || closed === null) return `no longer applies: its code is not part of the change any more.`;
  switch (closed.how) {
    case 'fixed':
      return `fixed, as ${reviewer} confirmed${reason(closed.why)}`;
    case 'withdrawn':
      return `withdrawn by ${reviewer}${reason(closed.why)}`;
    case 'silent':
      return `closed: the code changed, and ${reviewer} did not report it again on ${shortCommit(commit)}.`;
  }
}

/** Returns the reply that says that closed findings were reported again. */
export function describeReopening(findings: readonly FindingDocument[], commit: string): string {
  const lines = findings.map(
    (finding) => `**${finding.id} ${finding.priority}** reported again: ${prose(finding.issue)}`,
  );
  const paragraphs = [`Open again on ${shortCommit(commit)}.`, ...lines, describeContestedIn(findings)];
  return withMarker({ kind: 'reopened' }, `${paragraphs.filter((text) => text !== '').join('\n\n')}\n`);
}

/** Returns the first ten digits of a commit id as a Markdown code span. */
export function shortCommit(commit: string): string {
  return `\`${commit.slice(0, 10)}\``;
}
