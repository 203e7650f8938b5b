import type { RunExplanation } from '../domain/explanation.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';
import type { CheckRecord, SlotRecord } from '../domain/record.ts';
import type { ToldFinding } from '../domain/run.ts';
import { totalTokens } from '../domain/usage.ts';
import { checkOutput } from './check.ts';
import { commandWord } from './command-word.ts';
import { tellFindingBlocks } from './explain-finding.ts';
import { tellFixes } from './explain-fixes.ts';
import { tellGateReason, tellWhy } from './gate-reason.ts';
import { list } from './list.ts';
import { someNames } from './names.ts';
import { oneLine } from './one-line.ts';
import { PLAIN } from './paint.ts';
import { NO_PLACE, tellPlace } from './place.ts';
import { STATES, tellStanding } from './run.ts';
import { tellRunsAgain } from './runs-again.ts';
import { secondsTaken } from './seconds.ts';
import type { Shown } from './shown.ts';
import { tellPlan } from './slots.ts';
import { tokensOf } from './tokens.ts';
import { cut } from './width.ts';
import { wrap } from './wrap.ts';

type About<Kind> = Extract<RunExplanation, { kind: Kind }>;

/** Why it ran or not, what was said, what would make it run again: one screen. */
export function tellRunExplanation(explanation: RunExplanation, shown: Shown = { paint: PLAIN, width: null }): string {
  const width = shown.width ?? Number.POSITIVE_INFINITY;
  const [title = '', ...blocks] = blocksOf(explanation, shown, width);
  const [first = '', ...about] = title.split('\n');
  const head = [shown.paint('strong', wrap(first, width, 2)), ...about.map((line) => wrap(line, width, 2))];
  return [head.join('\n'), ...blocks].join('\n\n');
}

function blocksOf(explanation: RunExplanation, shown: Shown, width: number): readonly string[] {
  switch (explanation.kind) {
    case 'gate':
      return gateBlocks(explanation, width);
    case 'check':
      return checkBlocks(explanation, width);
    case 'slot':
      return slotBlocks(explanation, width);
    case 'idle-gate':
      return idleBlocks(explanation, width);
    case 'finding':
      return tellFindingBlocks(explanation, shown, width);
  }
}

const MOST_FINDINGS = 5;
const MOST_RECORDS = 6;
const MOST_OUTPUT = 8;

function gateBlocks(
  { gate, files, rubric, planned, findings, records, fixes, again }: About<'gate'>,
  width: number,
): readonly string[] {
  const about = [
    ...(files.length === 0 ? [] : [`Files: ${someNames(files)}`]),
    ...(rubric === null ? [] : [`Prompt: ${quoteName(rubric)}`]),
  ];
  const alone = gate.status === 'holds' ? 'Leaving it alone: it holds' : 'Asking nobody about it';
  const looks = records.filter(({ own }) => own?.dispatch !== 'none');
  const asked =
    looks.find(({ iteration, status }) => iteration === looks[0]?.iteration && status !== 'pass') ?? looks[0];
  return [
    [`${quoteName(gate.id)}: ${GATE_STATES[gate.status]} (${tellGateReason(gate.why)})`, ...about].join('\n'),
    list('What a run would do now:', planned.length === 0 ? [alone] : planned.map(tellPlan), width),
    ...said(findings, width),
    ...history(records.map(tellLook), records.length, width),
    ...tellFixes(fixes, width),
    list('What makes it run again:', again.map(tellRunsAgain), width),
    ...(asked === undefined ? [] : [sent(gate.id, asked.slot)]),
  ];
}

const GATE_STATES = {
  pass: 'pass',
  fail: 'fails',
  error: 'error',
  holds: 'holds',
  not_run: 'does not hold yet',
} as const;

function checkBlocks(
  { gate, command, planned, records, log, fixes, again }: About<'check'>,
  width: number,
): readonly string[] {
  const [last] = records;
  const printed =
    last === undefined || last.status === 'pass' || log === null ? [] : checkOutput(log).slice(-MOST_OUTPUT);
  return [
    `${quoteName(gate.id)}: ${GATE_STATES[gate.status]} (${tellGateReason(gate.why)})\nCommand: ${oneLine(command)}`,
    list('What a run would do now:', [planned ? 'Running it' : 'Leaving it alone: it holds'], width),
    ...(printed.length === 0
      ? []
      : [['What it printed at last:', ...printed.map((line) => cut(`  ${showUnseen(line)}`, width))].join('\n')]),
    ...history(records.map(tellCheck), records.length, width),
    ...tellFixes(fixes, width),
    list('What makes it run again:', again.map(tellRunsAgain), width),
    ...(last === undefined ? [] : [`What was run and printed: onceover explain ${commandWord(gate.id)} --prompt`]),
  ];
}

function slotBlocks(
  { gate, slot, planned, findings, records, again }: About<'slot'>,
  width: number,
): readonly string[] {
  const asked = records.find(({ own }) => own?.dispatch !== 'none');
  return [
    `${quoteName(gate.id)} @${slot.slot}: ${standing(slot, asked)}`,
    list('What a run would do now:', [planned === null ? 'Not asking it' : tellPlan(planned)], width),
    ...said(findings, width),
    ...(records.length === 0
      ? ['It has not been asked in this cycle.']
      : history(records.map(tellLook), records.length, width)),
    list('What makes it run again:', again.map(tellRunsAgain), width),
    ...(asked === undefined ? [] : [sent(gate.id, slot.slot)]),
  ];
}

/** How a slot stands; where it has not passed, what it did last. */
function standing(slot: About<'slot'>['slot'], asked: SlotRecord | undefined): string {
  if (slot.status !== 'not_run') return tellStanding(slot);
  if (asked === undefined) return 'has not looked yet';
  const { iteration } = asked;
  switch (asked.status) {
    case 'fail':
      return `failed in iteration ${iteration}`;
    case 'error':
      return `gave no verdict in iteration ${iteration}${asked.own?.error == null ? '' : `: ${showUnseen(asked.own.error)}`}`;
    case 'pass':
    case 'skipped_prior_pass':
      return `passed in iteration ${iteration}, and has not seen what is there now`;
  }
}

function said(findings: readonly ToldFinding[], width: number): readonly string[] {
  if (findings.length === 0) return [];
  const lines = findings.slice(0, MOST_FINDINGS).map(({ finding, state }) => {
    const { id, priority, slot, issue } = finding;
    const place = tellPlace(finding) ?? NO_PLACE;
    return cut(`  ${id} ${priority}${STATES[state]} ${place} @${slot}: ${showUnseen(issue)}`, width);
  });
  const more = findings.length - lines.length;
  return [['What was said:', ...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n')];
}

function history(lines: readonly string[], count: number, width: number): readonly string[] {
  if (count === 0) return [];
  const shown = lines.slice(0, MOST_RECORDS).map((line) => wrap(`  ${line}`, width, 2));
  const more = count > MOST_RECORDS ? [`  and ${count - MOST_RECORDS} more`] : [];
  return [['What happened, newest first:', ...shown, ...more].join('\n')];
}

function tellLook(record: SlotRecord): string {
  const who = `iteration ${record.iteration}: @${record.slot} ${showUnseen(record.adapter)}`;
  if (record.status === 'skipped_prior_pass') return `${who} rests, passed in iteration ${record.passIteration ?? '?'}`;
  if (record.own === null) return `${who} ${record.status} (not a record of ours)`;
  const { dispatch, why, usage, error } = record.own;
  const how = dispatch === 'none' ? '' : `, ${dispatch} (${tellWhy(why)})`;
  const used = usage === null ? '' : `, ${tokensOf(totalTokens(usage))} tokens`;
  const ids = record.violations.flatMap(({ id }) => id ?? []);
  const found = ids.length === 0 ? '' : `: ${ids.join(', ')}`;
  return `${who} ${record.status}${how}${used}${found}${error === null ? '' : `: ${showUnseen(error)}`}`;
}

function tellCheck({ iteration, status, durationMs, why }: CheckRecord): string {
  return `iteration ${iteration}: ${status}, ${secondsTaken(durationMs)}${why === null ? '' : ` (${showUnseen(why)})`}`;
}

function sent(gate: string, slot: number): string {
  return `What was sent and said: onceover explain ${commandWord(`${gate}@${slot}`)} --prompt`;
}

function idleBlocks({ gate, base, again }: About<'idle-gate'>, width: number): readonly string[] {
  const against = base === null ? '' : ` from ${quoteName(base)}`;
  return [
    `${quoteName(gate)}: has nothing to look at`,
    wrap(`None of its files differs${against}, so a run leaves it out, and nothing is recorded of it.`, width),
    list('What makes it run again:', again.map(tellRunsAgain), width),
  ];
}
