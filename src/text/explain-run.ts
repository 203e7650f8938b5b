import type { RunExplanation } from '../domain/explanation.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';
import type { CheckRecord, SlotRecord } from '../domain/record.ts';
import type { ToldFinding } from '../domain/run.ts';
import { totalTokens } from '../domain/usage.ts';
import { checkOutput } from './check.ts';
import { tellGateReason, tellWhy } from './gate-reason.ts';
import { someNames } from './names.ts';
import { oneLine } from './one-line.ts';
import { PLAIN } from './paint.ts';
import { MARKS, type Shown, STATES, tellFinding, tellStanding } from './run.ts';
import { tellRunsAgain } from './runs-again.ts';
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
      return findingBlocks(explanation, shown, width);
  }
}

const MOST_FINDINGS = 5;
const MOST_RECORDS = 6;
const MOST_OUTPUT = 8;

function gateBlocks(
  { gate, files, rubric, planned, findings, records, again }: About<'gate'>,
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
  { gate, command, planned, records, log, again }: About<'check'>,
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
    list('What makes it run again:', again.map(tellRunsAgain), width),
    ...(last === undefined ? [] : [`What was run and printed: onceover explain ${quoteName(gate.id)} --prompt`]),
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
    const { id, priority, file, line, slot, issue } = finding;
    const place = file === null ? '' : ` ${quoteName(file)}${line === null ? '' : `:${line}`}`;
    return cut(`  ${id} ${priority}${STATES[state]}${place} @${slot}: ${showUnseen(issue)}`, width);
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
  return `iteration ${iteration}: ${status}, ${(durationMs / 1000).toFixed(1)} s${why === null ? '' : ` (${showUnseen(why)})`}`;
}

function sent(gate: string, slot: number): string {
  return `What was sent and said: onceover explain ${quoteName(`${gate}@${slot}`)} --prompt`;
}

function list(title: string, lines: readonly string[], width: number): string {
  return [title, ...lines.map((line) => wrap(`  - ${line}`, width, 2))].join('\n');
}

function idleBlocks({ gate, base, again }: About<'idle-gate'>, width: number): readonly string[] {
  const against = base === null ? '' : ` from ${quoteName(base)}`;
  return [
    `${quoteName(gate)}: has nothing to look at`,
    wrap(`None of its files differs${against}, so a run leaves it out, and nothing is recorded of it.`, width),
    list('What makes it run again:', again.map(tellRunsAgain), width),
  ];
}

function findingBlocks({ told, planned }: About<'finding'>, shown: Shown, width: number): readonly string[] {
  const { finding, state } = told;
  const place =
    finding.file === null
      ? 'without a place'
      : `${quoteName(finding.file)}${finding.line === null ? '' : `:${finding.line}`}`;
  const next = tellFindingNext(told, planned);
  const mark = finding.mark === null ? '' : ` (${MARKS[finding.mark]})`;
  const [, ...words] = tellFinding(told, shown);
  return [
    `${finding.id} ${FINDING_STATES[state]}: ${finding.priority}, ${place}${mark}, found by @${finding.slot} of ${quoteName(finding.gate)} (${showUnseen(finding.agent)}) in iteration ${finding.since}`,
    words.join('\n'),
    wrap(whyFinding(told), width),
    ...(next.length === 0 ? [] : [list('What would change that:', next, width)]),
  ];
}

const FINDING_STATES: Readonly<Record<ToldFinding['state'], string>> = {
  open: 'is open',
  fixed_claimed: 'is said to be fixed',
  warning: 'only warns',
  waived: 'is waived',
  closed: 'is closed',
  gone: 'counts no more',
};

function whyFinding({ finding, state }: ToldFinding): string {
  switch (state) {
    case 'open':
      return finding.resolution?.how === 'refuted'
        ? 'It keeps its gate from holding. It was said to be fixed, and its reviewer did not find it so.'
        : finding.resolution?.how === 'disputed'
          ? 'It keeps its gate from holding. The fixer objects to it, and its reviewer is told why.'
          : 'It keeps its gate from holding.';
    case 'fixed_claimed':
      return `It keeps its gate from holding until @${finding.slot} has confirmed that it is fixed.`;
    case 'warning':
      return 'It is below the threshold that fails a gate, so it keeps nothing from holding. A slot with warnings never rests.';
    case 'waived':
      return 'It keeps nothing from holding, on any branch of this clone; reviewers are told why it is left.';
    case 'closed':
      return tellClosed(finding);
    case 'gone':
      return 'It keeps nothing from holding: what it was about is no part of the present change, or is another by now.';
  }
}

function tellClosed({ closed }: ToldFinding['finding']): string {
  if (closed === null) return 'It keeps nothing from holding.';
  const why = closed.why === '' ? '' : ` (${showUnseen(closed.why)})`;
  return `It was closed in iteration ${closed.iteration}: ${CLOSINGS[closed.how]}${why}.`;
}

const CLOSINGS = {
  fixed: 'its reviewer said that it is fixed',
  withdrawn: 'its reviewer withdrew it',
  silent: 'its file changed, and its reviewer looked again without repeating it',
} as const;

/** What would change how a finding stands. */
export function tellFindingNext({ finding, state }: ToldFinding, planned: boolean): readonly string[] {
  const { id, slot } = finding;
  const file = finding.file === null ? 'the gate’s files have' : `${quoteName(finding.file)} has`;
  const asks = planned ? `the next run asks @${slot}: ` : `only @${slot} can close it, and no run would ask it now: `;
  const waive = `"onceover resolve ${id} --skip WHY" leaves it as it is, and keeps it from failing anything`;
  const claim = `"onceover resolve ${id} --fixed" claims that it is fixed, for @${slot} to confirm`;
  switch (state) {
    case 'open':
      return [
        `${asks}it closes it by saying that it is fixed in newer content, by withdrawing it, or by not repeating it once ${file} changed`,
        claim,
        waive,
      ];
    case 'fixed_claimed':
      return [`${asks}it confirms the claim, or finds it wrong; then it is open again`, waive];
    case 'warning':
      return [`${asks}it may drop it, or raise its priority`, 'a stricter fail_on makes it count', waive];
    case 'waived':
      return [
        `"onceover resolve ${id} --fixed" takes the waiver back`,
        'something graver at the same place is a finding of its own',
      ];
    case 'closed':
      return [`it is opened again if @${slot} reports the same code in the same place`];
    case 'gone':
      return finding.entry === null ? [] : ['it counts again once its file differs from the base as it did then'];
  }
}
