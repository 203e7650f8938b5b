import { bySeverity, describeFinding } from '../gates/describe/finding.ts';
import {
  checkOutput,
  describeGateReason,
  describeReviewerPlan,
  describeWhy,
  GATE_WORDS,
  reviewerName,
  SESSIONS,
  SLOT_WORDS,
} from '../gates/describe/reasons.ts';
import { describeStatus } from '../gates/describe/run.ts';
import type { CheckRecord, SlotRecord } from '../gates/record-types.ts';
import type { GateOutcome, ReportedFinding } from '../gates/run-types.ts';
import { totalTokens } from '../kernel/agent.ts';
import { oneLine, quoteName, showInvisible } from '../kernel/escape.ts';
import { cut, wrap } from '../ui/layout.ts';
import { type Styled, UNSTYLED } from '../ui/style.ts';
import { commandPrefix, describeDuration, joinWords, someNames, tokensOf } from '../ui/wording.ts';
import { describeRerunTrigger } from './decide-reruns.ts';
import { describeFindingBlocks, describeFixes } from './describe-finding.ts';
import type { RerunTrigger, RunExplanation } from './types.ts';

type About<Kind> = Extract<RunExplanation, { kind: Kind }>;

/** Explains on one screen why something ran or not, what it found, and what makes it run again. */
export function describeRunExplanation(explanation: RunExplanation, styled: Styled = UNSTYLED): string {
  const width = styled.width ?? Number.POSITIVE_INFINITY;
  const [title = '', ...blocks] = blocksOf(explanation, styled, width);
  const [first = '', ...about] = title.split('\n');
  const head = [styled.paint('strong', wrap(first, width, 2)), ...about.map((line) => wrap(line, width, 2))];
  return [head.join('\n'), ...blocks].join('\n\n');
}

function blocksOf(explanation: RunExplanation, styled: Styled, width: number): readonly string[] {
  switch (explanation.kind) {
    case 'gate':
      return gateBlocks(explanation, styled, width);
    case 'check':
      return checkBlocks(explanation, width);
    case 'slot':
      return slotBlocks(explanation, styled, width);
    case 'idle-gate':
      return idleBlocks(explanation, width);
    case 'finding':
      return describeFindingBlocks(explanation, styled, width);
  }
}

const MOST_FINDINGS = 5;

const MOST_RECORDS = 6;

const MOST_OUTPUT = 8;

function gateBlocks(explanation: About<'gate'>, styled: Styled, width: number): readonly string[] {
  const { gate, files, rubric, planned, findings, records, fixes, again } = explanation;
  const about = [
    ...(files.length === 0 ? [] : [`Files: ${someNames(files)}`]),
    ...(rubric === null ? [] : [`Prompt: ${quoteName(rubric)}`]),
  ];
  const ran = records.filter(({ own }) => own?.dispatch !== 'none');
  const worst = ran.find(({ iteration, status }) => iteration === ran[0]?.iteration && status !== 'pass') ?? ran[0];
  const skip = gate.status === 'holds' ? 'skip the gate: unchanged since it passed' : 'call no reviewer';
  return [
    [gateTitle(gate), ...about].join('\n'),
    nextRun(planned.length === 0 ? [skip] : planned.map(describeReviewerPlan), width),
    ...findingBlock(findings, styled),
    ...history(records.map(describeReview), width),
    ...describeFixes(fixes, width),
    rerunBlock(again, width),
    ...(worst === undefined ? [] : [transcriptCommand(gate.id, worst.slot)]),
  ];
}

function checkBlocks(explanation: About<'check'>, width: number): readonly string[] {
  const { gate, command, planned, records, log, fixes, again } = explanation;
  const [last] = records;
  const output =
    last === undefined || last.status === 'pass' || log === null ? [] : checkOutput(log).slice(-MOST_OUTPUT);
  return [
    `${gateTitle(gate)}\nCommand: ${oneLine(command)}`,
    nextRun([planned ? 'run the check' : 'skip the check: unchanged since it passed'], width),
    ...(output.length === 0
      ? []
      : [['Last output:', ...output.map((line) => cut(`  ${showInvisible(line)}`, width))].join('\n')]),
    ...history(records.map(describeCheckRun), width),
    ...describeFixes(fixes, width),
    rerunBlock(again, width),
    ...(last === undefined ? [] : [`Command and output: onceover explain ${commandPrefix(gate.id)} --prompt`]),
  ];
}

function slotBlocks(explanation: About<'slot'>, styled: Styled, width: number): readonly string[] {
  const { gate, slot, planned, findings, records, again } = explanation;
  const last = records.find(({ own }) => own?.dispatch !== 'none');
  return [
    `${quoteName(gate.id)}, ${reviewerName(slot)}: ${slotStatus(slot, last)}`,
    nextRun([planned === null ? 'not call this reviewer' : describeReviewerPlan(planned)], width),
    ...findingBlock(findings, styled),
    ...(records.length === 0 ? ['It has not run in this cycle.'] : history(records.map(describeReview), width)),
    rerunBlock(again, width),
    ...(last === undefined ? [] : [transcriptCommand(gate.id, slot.slot)]),
  ];
}

function idleBlocks({ gate, base, again }: About<'idle-gate'>, width: number): readonly string[] {
  const against = base === null ? '' : ` from ${quoteName(base)}`;
  return [
    `${quoteName(gate)}: nothing to review`,
    wrap(`No file of the gate differs${against}, so runs leave it out and there are no records.`, width),
    rerunBlock(again, width),
  ];
}

function gateTitle({ id, status, why }: GateOutcome): string {
  return `${quoteName(id)}: ${GATE_WORDS[status]} (${describeGateReason(why)})`;
}

function nextRun(lines: readonly string[], width: number): string {
  return joinWords('The next run would:', lines, width);
}

function rerunBlock(again: readonly RerunTrigger[], width: number): string {
  return joinWords('When it runs again:', again.map(describeRerunTrigger), width);
}

function transcriptCommand(gate: string, slot: number): string {
  return `Prompt and answer: onceover explain ${commandPrefix(`${gate}@${slot}`)} --prompt`;
}

/** Describes the status of a slot; for one that has not passed, its last result. */
function slotStatus(slot: About<'slot'>['slot'], last: SlotRecord | undefined): string {
  if (slot.status !== 'not_run') return describeStatus(slot);
  if (last === undefined) return 'has not run yet';
  const { iteration } = last;
  switch (last.status) {
    case 'fail':
      return `failed in run ${iteration}`;
    case 'error':
      return `gave no verdict in run ${iteration}${last.own?.error == null ? '' : `: ${showInvisible(last.own.error)}`}`;
    case 'pass':
    case 'skipped_prior_pass':
      return `passed in run ${iteration}, and has not reviewed the current code`;
  }
}

function findingBlock(findings: readonly ReportedFinding[], styled: Styled): readonly string[] {
  if (findings.length === 0) return [];
  const shown = [...findings].sort(bySeverity).slice(0, MOST_FINDINGS);
  const lines = shown.flatMap((one) => describeFinding(one, styled, 'brief'));
  const more = findings.length - shown.length;
  return [['Findings:', ...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n')];
}

function history(lines: readonly string[], width: number): readonly string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, MOST_RECORDS).map((line) => wrap(`  ${line}`, width, 2));
  const more = lines.length > MOST_RECORDS ? [`  and ${lines.length - MOST_RECORDS} more`] : [];
  return [['History, newest first:', ...shown, ...more].join('\n')];
}

function describeReview(record: SlotRecord): string {
  const { iteration, slot, adapter, status } = record;
  const start = `run ${iteration}: ${reviewerName({ slot, agent: adapter })} ${SLOT_WORDS[status]}`;
  if (status === 'skipped_prior_pass') return `${start} (already passed in run ${record.passIteration ?? '?'})`;
  if (record.own === null) return `${start} (not a record of onceover)`;
  const { dispatch, why, usage, error } = record.own;
  const how = dispatch === 'none' ? '' : `, ${SESSIONS[dispatch]} (${describeWhy(why)})`;
  const used = usage === null ? '' : `, ${tokensOf(totalTokens(usage))} tokens`;
  const ids = record.violations.flatMap(({ id }) => id ?? []);
  const found = ids.length === 0 ? '' : `: ${ids.join(', ')}`;
  return `${start}${how}${used}${found}${error === null ? '' : `: ${showInvisible(error)}`}`;
}

function describeCheckRun({ iteration, status, durationMs, why }: CheckRecord): string {
  const reason = why === null ? '' : ` (${showInvisible(why)})`;
  return `run ${iteration}: ${SLOT_WORDS[status]}, ${describeDuration(durationMs)}${reason}`;
}
