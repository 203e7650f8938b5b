import { fence } from '../domain/fence.ts';
import type { GateOutcome, RunOutcome, SlotOutcome, ToldFinding } from '../domain/run.ts';
import { tellGateDetail } from '../text/gate-reason.ts';
import { GATE_WORDS, MARKS, SLOT_WORDS, STATES, tellRunNotice, tellStanding, tellUncovered } from '../text/run.ts';
import { tellResult } from '../text/run-result.ts';
import { tellPaid, tellUsage } from '../text/usage.ts';
import { type EndedRun, isStillOpen, standingFindings } from './ended-run.ts';
import { codeCell, codeName, inline, quotation } from './markdown-text.ts';
import { readable } from './readable.ts';

/** A run as a page: the result, the gates, the findings by file, what nobody looked at, what it cost. */
export function markdownReport(run: EndedRun): string {
  const blocks =
    run.kind === 'judged'
      ? judgedBlocks(run.outcome, standingFindings(run))
      : [`# Could not judge (exit code ${run.exitCode})`, ...paragraphs([run.what, run.next])];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function judgedBlocks(outcome: RunOutcome, findings: readonly ToldFinding[]): string[] {
  const [result = '', ...next] = tellResult(outcome);
  return [
    `# ${inline(result)}`,
    ...paragraphs(next),
    gateTable(outcome.gates, findings),
    ...outcome.gates.flatMap(checkOutput),
    ...findingBlocks(findings),
    ...closedBlock(outcome),
    ...paragraphs(tellUncovered(outcome).split('\n')),
    ...paragraphs(outcome.notices.map((notice) => `Warning: ${tellRunNotice(notice)}.`)),
    ...paragraphs(tellPaid(outcome)),
  ];
}

function paragraphs(lines: readonly string[]): string[] {
  return lines.flatMap((text) => text.split('\n')).map(inline);
}

function gateTable(gates: readonly GateOutcome[], findings: readonly ToldFinding[]): string {
  if (gates.length === 0) return '';
  const rows = gates.flatMap((gate) => {
    const open = findings.filter((told) => told.finding.gate === gate.id && isStillOpen(told));
    return [
      row([codeCell(gate.id), '', GATE_WORDS[gate.status], inline(tellGateDetail(gate))]),
      ...gate.slots.map((slot) => row(['', slotName(slot), slotWord(slot, open), inline(slotDetail(slot))])),
    ];
  });
  return [row(['gate', 'slot', 'result', 'why']), row(['---', '---', '---', '---']), ...rows].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function slotName({ slot, agent }: SlotOutcome): string {
  return agent === null ? codeCell(`@${slot}`) : `${codeCell(`@${slot}`)} ${codeCell(agent)}`;
}

/** A slot fails also where all that it found is waived; then nothing of it is open. */
function slotWord({ slot, status }: SlotOutcome, open: readonly ToldFinding[]): string {
  const isWaived = status === 'fail' && !open.some(({ finding }) => finding.slot === slot);
  return isWaived ? 'waived' : SLOT_WORDS[status];
}

function slotDetail(slot: SlotOutcome): string {
  const how = slot.dispatch === 'none' ? '' : `${slot.dispatch}, `;
  return `${how}${tellStanding(slot)}${slot.usage === null ? '' : `, ${tellUsage(slot.usage)}`}`;
}

function checkOutput({ id, status, check }: GateOutcome): string[] {
  if (check === null || check.tail === '' || status === 'pass' || status === 'holds') return [];
  return [`${codeName(id)} printed:`, fence(readable(check.tail))];
}

function findingBlocks(findings: readonly ToldFinding[]): string[] {
  if (findings.length === 0) return [];
  const names = [...new Set(findings.map(({ finding }) => finding.file))];
  const files = names.flatMap((file) => [
    file === null ? '### Without a place' : `### ${codeName(file)}`,
    ...findings.filter(({ finding }) => finding.file === file).flatMap(findingBlock),
  ]);
  return ['## Findings', ...files];
}

function findingBlock({ finding, state }: ToldFinding): string[] {
  const { id, line, gate, slot, since, mark, code, issue, fix, resolution } = finding;
  const place = line === null ? '' : `, line ${line}`;
  const odd = mark === null ? '' : `, ${MARKS[mark]}`;
  const said = resolution === null || resolution.why === '' ? null : resolution;
  return [
    `#### ${id} ${finding.priority}${STATES[state]}${place}`,
    `${codeName(gate)} ${codeName(`@${slot}`)}, since iteration ${since}${odd}`,
    code === null ? '' : fence(readable(code)),
    quotation(issue),
    ...(fix === null ? [] : ['Fix:', quotation(fix)]),
    ...(said === null ? [] : [said.how === 'skipped' ? 'Waived:' : 'Said:', quotation(said.why)]),
  ];
}

function closedBlock({ findings }: RunOutcome): string[] {
  const closed = findings.filter(({ state }) => state === 'closed').map(({ finding }) => finding.id);
  return closed.length === 0 ? [] : [`Closed in this run: ${closed.join(', ')}.`];
}
