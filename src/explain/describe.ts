import { bySeverity, describeFinding } from '../gates/describe/finding.ts';
import { fixResult } from '../gates/describe/logs.ts';
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
import type { CheckRecord, FixLog, SlotRecord } from '../gates/record-types.ts';
import type { GateOutcome, SlotOutcome } from '../gates/run-types.ts';
import { totalTokens } from '../kernel/agent.ts';
import { oneLine, quoteName, showInvisible } from '../kernel/escape.ts';
import { cut, wrap } from '../ui/layout.ts';
import { type Styled, UNSTYLED } from '../ui/style.ts';
import { asShellWord, bulletList, describeDuration, someNames, tokensOf } from '../ui/wording.ts';
import { describeFindingState } from './describe-finding.ts';
import type { RunExplanation } from './types.ts';

type About<Kind> = Extract<RunExplanation, { kind: Kind }>;

/** Describes on one screen why a gate or reviewer ran or was skipped, its findings, and what makes it run again. */
export function describeRunExplanation(explanation: RunExplanation, styled: Styled = UNSTYLED): string {
  const width = styled.width ?? Number.POSITIVE_INFINITY;
  const [title = '', ...blocks] = blocksOf(explanation, styled, width);
  const [first = '', ...about] = title.split('\n');
  const head = [styled.paint('strong', wrap(first, width, 2)), ...about.map((line) => wrap(line, width, 2))];
  return [head.join('\n'), ...blocks].filter((block) => block !== '').join('\n\n');
}

function blocksOf(explanation: RunExplanation, styled: Styled, width: number): readonly string[] {
  switch (explanation.kind) {
    case 'review':
      return reviewBlocks(explanation, styled, width);
    case 'check':
      return checkBlocks(explanation, width);
    case 'idle-gate':
      return idleBlocks(explanation, width);
    case 'finding':
      return findingBlocks(explanation, styled, width);
  }
}

const MOST = { findings: 5, records: 6, fixes: 3, fixLines: 5, output: 8 } as const;

function reviewBlocks(explanation: About<'review'>, styled: Styled, width: number): readonly string[] {
  const { gate, slot, files, rubric, planned, findings, records, fixes, again } = explanation;
  const about = [
    ...(files.length === 0 ? [] : [`Files: ${someNames(files)}`]),
    ...(rubric === null ? [] : [`Prompt: ${quoteName(rubric)}`]),
  ];
  const ran = records.filter(({ own }) => own?.dispatch !== 'none');
  const last = ran.find(({ iteration, status }) => iteration === ran[0]?.iteration && status !== 'pass') ?? ran[0];
  const skip = gate.status === 'holds' ? 'skip the gate: unchanged since it passed' : 'call no reviewer';
  const title =
    slot === null
      ? [gateTitle(gate), ...about].join('\n')
      : `${quoteName(gate.id)}, ${reviewerName(slot)}: ${slotStatus(slot, ran[0])}`;
  const next =
    planned.length > 0 ? planned.map(describeReviewerPlan) : [slot === null ? skip : 'not call this reviewer'];
  const sorted = [...findings].sort(bySeverity);
  return [
    title,
    bulletList('The next run would:', next, width),
    listed(
      'Findings:',
      sorted.map((one) => describeFinding(one, styled, 'brief').join('\n')),
      MOST.findings,
    ),
    slot !== null && records.length === 0
      ? 'It has not run in this cycle.'
      : history(records.map(describeReview), width),
    describeFixes(fixes, width),
    rerunBlock(again, width),
    last === undefined ? '' : `Prompt and answer: onceover explain ${asShellWord(`${gate.id}@${last.slot}`)} --prompt`,
  ];
}

function checkBlocks(explanation: About<'check'>, width: number): readonly string[] {
  const { gate, command, planned, records, log, fixes, again } = explanation;
  const [last] = records;
  const output = last === undefined || last.status === 'pass' || log === null ? [] : checkOutput(log);
  const shown = output.slice(-MOST.output).map((line) => cut(`  ${showInvisible(line)}`, width));
  return [
    `${gateTitle(gate)}\nCommand: ${oneLine(command)}`,
    bulletList('The next run would:', [planned ? 'run the check' : 'skip the check: unchanged since it passed'], width),
    listed('Last output:', shown, MOST.output),
    history(records.map(describeCheckRun), width),
    describeFixes(fixes, width),
    rerunBlock(again, width),
    last === undefined ? '' : `Command and output: onceover explain ${asShellWord(gate.id)} --prompt`,
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

function rerunBlock(again: readonly string[], width: number): string {
  return bulletList('When it runs again:', again, width);
}

/** Describes the status of a slot. For a slot that did not run and has not passed, describes its last result. */
function slotStatus(slot: SlotOutcome, last: SlotRecord | undefined): string {
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

/** Returns a title and the first entries of a list; '' if the list is empty. */
function listed(title: string, entries: readonly string[], most: number): string {
  if (entries.length === 0) return '';
  const more = entries.length > most ? [`  and ${entries.length - most} more`] : [];
  return [title, ...entries.slice(0, most), ...more].join('\n');
}

function history(lines: readonly string[], width: number): string {
  const wrapped = lines.map((line) => wrap(`  ${line}`, width, 2));
  return listed('History, newest first:', wrapped, MOST.records);
}

/** Lists fixes, each with the result from its log. */
function describeFixes(fixes: readonly FixLog[], width: number): string {
  const entries = fixes.map(({ agent, iteration, path, log }) => {
    const results = fixResult(log).slice(0, MOST.fixLines);
    return [
      wrap(`  after run ${iteration}: ${quoteName(agent)}, ${quoteName(path)}`, width, 2),
      ...results.map((line) => cut(`    ${showInvisible(line)}`, width)),
    ].join('\n');
  });
  return listed('Fixes, newest first:', entries, MOST.fixes);
}

/** Describes a finding: its state, its text, the reason for its state, and how the state can change. */
function findingBlocks({ reported, planned, fixes }: About<'finding'>, styled: Styled, width: number) {
  const { title, reason, next } = describeFindingState(reported, planned);
  return [
    title,
    describeFinding(reported, styled).join('\n'),
    wrap(reason, width),
    describeFixes(fixes, width),
    next.length === 0 ? '' : bulletList('What can change this:', next, width),
  ];
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
