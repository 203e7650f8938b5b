import { describeAnswer, describeFindingSource, STATES } from '../gates/describe/finding.ts';
import {
  describeGateDetail,
  describeSlotReason,
  gateWord,
  reviewerName,
  SESSIONS,
  STATUS_WORDS,
} from '../gates/describe/reasons.ts';
import { describeRunNotice } from '../gates/describe/result.ts';
import { describeUncovered } from '../gates/describe/run.ts';
import type { GateOutcome, ReportedFinding, RunOutcome, SlotOutcome } from '../gates/run-types.ts';
import { isOpen } from '../gates/types.ts';
import { grouped } from '../kernel/collections.ts';
import { fence, quoteName } from '../kernel/escape.ts';
import { describePaid, describeUsage } from '../ledger/describe.ts';
import { type EndedRun, readable } from './finished-run.ts';

/** Returns text of unknown origin as one line of Markdown. Nothing in it acts as markup, HTML, link or mention. */
export function inline(text: string): string {
  return readable(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replaceAll('@', '@\u200b')
    .replace(/#(?=\d)/g, '#\u200b')
    .replace(/[\\`*_[\]<>&#|~$]/g, '\\$&')
    .replace(/^[-+=]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2');
}

/** Returns text of unknown origin as a block quote that keeps its lines. Nothing in the text can end the quote. */
export function quotation(text: string): string {
  const lines = readable(text).trim().split('\n').map(inline);
  return lines
    .map((line, index) => {
      if (line === '') return '>';
      return (lines[index + 1] ?? '') === '' ? `> ${line}` : `> ${line}\\`;
    })
    .join('\n');
}

/** Returns a name as inline code, even if the name contains backticks. */
export function codeName(name: string): string {
  const text = quoteName(name);
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const marks = '`'.repeat(longest + 1);
  return longest === 0 ? `${marks}${text}${marks}` : `${marks} ${text} ${marks}`;
}

/** Returns the Markdown report of a run: verdict, gates, findings by file, files without a review, warnings, cost. */
export function markdownReport({ verdict, gates, findings, outcome }: EndedRun): string {
  const [result = '', ...next] = verdict;
  const blocks = [
    `# ${inline(result)}`,
    ...paragraphs(next),
    gateTable(gates, findings),
    ...gates.flatMap(checkOutputBlock),
    ...findingBlocks(findings),
    ...(outcome === null ? [] : paragraphs(closingLines(outcome))),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function closingLines(outcome: RunOutcome): string[] {
  const closed = outcome.findings.filter(({ state }) => state === 'closed').map(({ finding }) => finding.id);
  return [
    ...(closed.length === 0 ? [] : [`Closed in this run: ${closed.join(', ')}.`]),
    ...describeUncovered(outcome),
    ...outcome.notices.map((notice) => `Warning: ${describeRunNotice(notice)}.`),
    ...describePaid(outcome),
  ];
}

function paragraphs(lines: readonly string[]): string[] {
  return lines.flatMap((text) => text.split('\n')).map(inline);
}

function gateTable(gates: readonly GateOutcome[], findings: readonly ReportedFinding[]): string {
  if (gates.length === 0) return '';
  const rows = gates.flatMap((gate) => {
    const open = findings.filter((one) => one.finding.gate === gate.id && isOpen(one.state));
    // A `|` would end the table cell even inside inline code.
    const name = codeName(gate.id).replaceAll('|', '\\|');
    return [
      row([name, '', gateWord(gate), inline(describeGateDetail(gate))]),
      ...gate.slots.map((slot) => slotRow(slot, open)),
    ];
  });
  return [row(['gate', 'reviewer', 'result', 'why']), row(['---', '---', '---', '---']), ...rows].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function slotRow(slot: SlotOutcome, open: readonly ReportedFinding[]): string {
  const { status, dispatch, usage } = slot;
  const session = dispatch === 'none' ? '' : `${SESSIONS[dispatch]}, `;
  const detail = `${session}${describeSlotReason(slot)}${usage === null ? '' : `, ${describeUsage(usage)}`}`;
  // The reviewer failed, but none of its findings is open.
  const isWaived = status === 'fail' && !open.some(({ finding }) => finding.slot === slot.slot);
  return row(['', inline(reviewerName(slot)), isWaived ? 'waived' : STATUS_WORDS[status], inline(detail)]);
}

function checkOutputBlock({ id, status, check }: GateOutcome): string[] {
  if (check === null || check.tail === '' || status === 'pass' || status === 'holds') return [];
  return [`Output of ${codeName(id)}:`, fence(readable(check.tail))];
}

function findingBlocks(findings: readonly ReportedFinding[]): string[] {
  if (findings.length === 0) return [];
  const files = [...grouped(findings, ({ finding }) => finding.file)].flatMap(([file, own]) => [
    file === null ? '### Without a file' : `### ${codeName(file)}`,
    ...own.flatMap(findingBlock),
  ]);
  return ['## Findings', ...files];
}

function findingBlock({ finding, state }: ReportedFinding): string[] {
  const { id, priority, line, code, issue, fix, resolution } = finding;
  return [
    `#### ${id} ${priority}${STATES[state]}${line === null ? '' : `, line ${line}`}`,
    inline(describeFindingSource(finding)),
    code === null ? '' : fence(readable(code)),
    quotation(issue),
    ...(fix === null ? [] : ['Fix:', quotation(fix)]),
    ...(resolution === null || resolution.why === ''
      ? []
      : [`${inline(describeAnswer(resolution))}:`, quotation(resolution.why)]),
  ];
}
