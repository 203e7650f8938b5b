import { describePaid, describeUsage } from '@onceover/agents/ledger/describe';
import { grouped } from '@onceover/base/kernel/collections';
import { fence } from '@onceover/base/kernel/escape';
import { codeName, inline, quotation, readable } from '@onceover/base/ui/markdown-text';
import { reviewerName } from '@onceover/base/ui/wording';
import { describeAnswer, describeContested, describeFindingSource, STATES } from '../findings/describe.ts';
import { problemsIn, type SameCode } from '../findings/same-code.ts';
import type { ReportedFinding } from '../findings/types.ts';
import { isContested, isOpen } from '../findings/types.ts';
import {
  describeGateDetail,
  describeSlotReason,
  gateWord,
  SESSIONS,
  STATUS_WORDS,
} from '../result/describe/reasons.ts';
import { describeRunNotice } from '../result/describe/result.ts';
import { describeUncovered } from '../result/describe/run.ts';
import type { GateOutcome, RunOutcome, SlotOutcome } from '../result/types.ts';
import type { EndedRun } from './finished-run.ts';

/**
 * Returns the Markdown report of a run: verdict, gates, findings by file, files without a review, warnings, and cost.
 */
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
  const closedIds = outcome.findings.filter(({ state }) => state === 'closed').map(({ finding }) => finding.id);
  return [
    ...(closedIds.length === 0 ? [] : [`Closed in this run: ${closedIds.join(', ')}.`]),
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
    const open = findings.filter(
      (reportedFinding) => reportedFinding.finding.gate === gate.id && isOpen(reportedFinding.state),
    );
    // A `|` would end the table cell, even inside inline code.
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
  // The reviewer failed, but none of its findings is still open.
  const isWaived = status === 'fail' && !open.some(({ finding }) => finding.slot === slot.slot);
  return row(['', inline(reviewerName(slot)), isWaived ? 'waived' : STATUS_WORDS[status], inline(detail)]);
}

function checkOutputBlock({ id, status, check }: GateOutcome): string[] {
  if (check === null || check.tail === '' || status === 'pass' || status === 'holds') return [];
  return [`Output of ${codeName(id)}:`, fence(readable(check.tail))];
}

function findingBlocks(findings: readonly ReportedFinding[]): string[] {
  if (findings.length === 0) return [];
  const files = [...grouped(findings, ({ finding }) => finding.file)].flatMap(([file, fileFindings]) => [
    file === null ? '### Without a file' : `### ${codeName(file)}`,
    ...problemsIn(fileFindings).flatMap((problem) => problemBlock(problem)),
  ]);
  return ['## Findings', ...files];
}

/** Describes all findings about one problem. Only the first of them shows the code. */
function problemBlock(problem: SameCode<ReportedFinding>): string[] {
  const [{ finding, state }] = problem;
  const { priority, line } = finding;
  const code = problem.find((reportedFinding) => reportedFinding.finding.code !== null)?.finding.code ?? null;
  const ids = problem.map((reportedFinding) => reportedFinding.finding.id).join(', ');
  return [
    `#### ${ids} ${priority}${STATES[state]}${line === null ? '' : `, line ${line}`}`,
    inline(describeFindingSource(finding)),
    code === null ? '' : fence(readable(code)),
    ...problem.flatMap((reportedFinding, index) => [
      ...(index === 0 ? [] : [alsoLine(reportedFinding)]),
      ...findingTexts(reportedFinding),
    ]),
  ];
}

function alsoLine({ finding, state }: ReportedFinding): string {
  return `Also reported as ${finding.id}, ${finding.priority}${STATES[state]}: ${inline(describeFindingSource(finding))}`;
}

function findingTexts({ finding, state }: ReportedFinding): string[] {
  const { issue, fix, resolution } = finding;
  return [
    quotation(issue),
    ...(fix === null ? [] : ['Fix:', quotation(fix)]),
    ...(resolution === null || resolution.why === ''
      ? []
      : [`${inline(describeAnswer(resolution))}:`, quotation(resolution.why)]),
    ...(isOpen(state) && isContested(finding) ? [inline(describeContested(finding))] : []),
  ];
}
