import type { RunExplanation } from '../domain/explanation.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';
import type { CheckRecord, SlotRecord } from '../domain/record.ts';
import { tellGateReason, tellSlotReason } from './gate-reason.ts';
import { tellFinding } from './run.ts';
import { tellPlan } from './slots.ts';

/** Why it ran or not, what was said, what would make it run again: one screen. */
export function tellRunExplanation(explanation: RunExplanation): string {
  switch (explanation.kind) {
    case 'gate':
      return tellGate(explanation);
    case 'slot':
      return tellSlotExplanation(explanation);
    case 'finding':
      return tellFindingExplanation(explanation.told);
  }
}

const MOST_FILES = 10;
const MOST_RECORDS = 12;

function tellGate({
  gate,
  files,
  rubric,
  planned,
  records,
  checks,
}: Extract<RunExplanation, { kind: 'gate' }>): string {
  const shown = files.slice(0, MOST_FILES).map(quoteName).join(', ');
  const more = files.length > MOST_FILES ? ` and ${files.length - MOST_FILES} more` : '';
  const about = [
    ...(files.length === 0 ? [] : [`Files: ${shown}${more}`]),
    ...(rubric === null ? [] : [`Prompt: ${quoteName(rubric)}`]),
  ];
  const next =
    planned.length > 0
      ? ['A run would do this now:', ...planned.map((plan) => `  ${tellPlan(plan)}`)]
      : [gate.status === 'holds' ? 'A run would leave it alone.' : 'A run would ask nobody about it now.'];
  const again = gate.kind === 'check' ? CHECK_AGAIN : REVIEW_AGAIN;
  return [
    `${quoteName(gate.id)}: ${GATE_STATES[gate.status]} (${tellGateReason(gate.why)})`,
    ...(about.length === 0 ? [] : [about.join('\n')]),
    next.join('\n'),
    ...(records.length === 0 ? [] : [['What happened, newest first:', ...history(records)].join('\n')]),
    ...(checks.length === 0 ? [] : [['What happened, newest first:', ...checkHistory(checks)].join('\n')]),
    again,
  ].join('\n\n');
}

const GATE_STATES = {
  pass: 'pass',
  fail: 'fails',
  error: 'error',
  holds: 'holds',
  not_run: 'does not hold yet',
} as const;

const CHECK_AGAIN = 'It runs again when any file of the repository that git knows changes, or its command does.';
const REVIEW_AGAIN =
  'Its reviewers look again when one of these files changes in content, mode or existence against the base, a file joins or leaves them, or the prompt changes. Touching, committing or amending does not matter.';

function tellSlotExplanation({ gate, slot, planned, records }: Extract<RunExplanation, { kind: 'slot' }>): string {
  const [latest] = records;
  return [
    `${quoteName(gate.id)} @${slot.slot}: ${SLOT_STATES[slot.status]} (${tellSlotReason(slot)})`,
    planned === null ? 'A run would not ask it now.' : `A run would do this now: ${tellPlan(planned)}`,
    ...(latest === undefined
      ? ['It has not been asked in this cycle.']
      : [['What happened, newest first:', ...history(records)].join('\n')]),
    `What was sent and said: "onceover explain ${gate.id}@${slot.slot} --prompt"`,
  ].join('\n\n');
}

const SLOT_STATES = {
  pass: 'passed',
  fail: 'failed',
  error: 'error',
  skipped_prior_pass: 'rests',
  not_run: 'has not passed what is there now',
} as const;

function history(records: readonly SlotRecord[]): string[] {
  const lines = records.slice(0, MOST_RECORDS).map((record) => {
    const detail =
      record.status === 'skipped_prior_pass'
        ? `rests, passed in iteration ${record.passIteration ?? '?'}`
        : `${record.status}${record.own === null ? ' (not a record of ours)' : ` (${record.own.dispatch}: ${record.own.why})`}`;
    const ids = record.violations.flatMap(({ id }) => id ?? []);
    const error = record.own?.error == null ? '' : `: ${showUnseen(record.own.error)}`;
    return `  iteration ${record.iteration} @${record.slot} ${showUnseen(record.adapter)}: ${detail}${ids.length === 0 ? '' : ` ${ids.join(', ')}`}${error}`;
  });
  return records.length > MOST_RECORDS ? [...lines, `  and ${records.length - MOST_RECORDS} more`] : lines;
}

function checkHistory(records: readonly CheckRecord[]): string[] {
  return records
    .slice(0, MOST_RECORDS)
    .map(({ iteration, status, why }) => `  iteration ${iteration}: ${status}${why === null ? '' : ` (${why})`}`);
}

function tellFindingExplanation(told: Extract<RunExplanation, { kind: 'finding' }>['told']): string {
  const { finding, state } = told;
  const place =
    finding.file === null ? [] : [`At ${quoteName(finding.file)}${finding.line === null ? '' : `:${finding.line}`}`];
  return [[...place, ...tellFinding(told)].join('\n'), FINDING_STATES[state](finding)].join('\n\n');
}

type Told = Extract<RunExplanation, { kind: 'finding' }>['told'];

const FINDING_STATES: Readonly<Record<Told['state'], (finding: Told['finding']) => string>> = {
  open: ({ slot, gate }) =>
    `It is open. Only @${slot} of ${quoteName(gate)} can close it: by saying that it is fixed in newer content, by withdrawing it, or by not repeating it once its file has changed. "onceover resolve" waives it.`,
  fixed_claimed: ({ slot, gate }) =>
    `It is said to be fixed. @${slot} of ${quoteName(gate)} has not confirmed that yet.`,
  warning: () => 'It is below the threshold that fails a gate, so it only warns.',
  waived: () => 'It is waived, and reviewers are told why.',
  closed: ({ closed }) =>
    closed === null
      ? 'It is closed.'
      : `It was closed in iteration ${closed.iteration}: ${CLOSINGS[closed.how]}${closed.why === '' ? '' : ` (${showUnseen(closed.why)})`}.`,
  gone: () => 'It no longer counts: what it was about is no part of the present change, or is another by now.',
};

const CLOSINGS = {
  fixed: 'its reviewer said that it is fixed',
  withdrawn: 'its reviewer withdrew it',
  silent: 'its file changed, and its reviewer looked again without repeating it',
} as const;
