import { quoteName, showUnseen } from '../domain/quote-name.ts';
import type { GateOutcome, RunNotice, RunOutcome, SlotOutcome, ToldFinding } from '../domain/run.ts';
import { tellFailure } from './failure.ts';
import { tellGateDetail, tellSlotReason } from './gate-reason.ts';
import { someNames } from './names.ts';
import { tellNotice } from './notice.ts';
import { NO_PLACE } from './place.ts';
import { tellResult } from './run-result.ts';
import { AS_IT_IS, fitted, type Shown } from './shown.ts';
import { tellTakenBack } from './taken-back.ts';
import { typed } from './typed.ts';
import { tellPaid, tellUsage } from './usage.ts';

/** The end of a run, for people: gates and slots, findings, what was not looked at, the result, what to do next. */
export function tellRun(outcome: RunOutcome, shown: Shown = AS_IT_IS): string {
  const [result = '', ...next] = tellResult(outcome);
  const look = outcome.exitCode === 0 ? 'good' : outcome.exitCode === 1 ? 'bad' : 'broken';
  const end = [
    shown.paint(look, fitted(result, shown)),
    ...[...next.map((one) => typed(one, shown.byNpx)), ...tellPaid(outcome)].map((one) => fitted(one, shown)),
  ];
  const blocks = [
    outcome.gates.flatMap((gate) => tellGate(gate, shown)).join('\n'),
    tellFindings(outcome.findings, shown),
    fitted(tellUncovered(outcome), shown),
    end.join('\n'),
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

/** How a gate stands, in a word or two. */
export const GATE_WORDS: Readonly<Record<GateOutcome['status'], string>> = {
  pass: 'pass',
  fail: 'FAIL',
  error: 'ERROR',
  holds: 'holds',
  not_run: 'not run',
};

const GATE_LOOKS = { pass: 'good', holds: 'good', fail: 'bad', error: 'broken', not_run: 'quiet' } as const;

function tellGate(gate: GateOutcome, shown: Shown): string[] {
  const word = shown.paint(GATE_LOOKS[gate.status], pad(GATE_WORDS[gate.status], 8));
  const head = fitted(`${word}${quoteName(gate.id)}  ${tellGateDetail(gate)}`, shown, 8);
  const tail = gate.check !== null && gate.status === 'fail' ? indent(gate.check.tail || PRINTED_NOTHING, 10) : [];
  return [head, ...gate.slots.map((slot) => tellSlotLine(slot, shown)), ...tail];
}

const PRINTED_NOTHING = '(it printed nothing)';

/** How a slot stands; one that rests has not passed what is there now. */
export const SLOT_WORDS: Readonly<Record<SlotOutcome['status'], string>> = {
  pass: 'pass',
  fail: 'FAIL',
  error: 'ERROR',
  skipped_prior_pass: 'rests',
  not_run: 'not run',
};

const SLOT_LOOKS = {
  pass: 'good',
  fail: 'bad',
  error: 'broken',
  skipped_prior_pass: 'rests',
  not_run: 'quiet',
} as const;

function tellSlotLine(slot: SlotOutcome, shown: Shown): string {
  const who = slot.agent === null ? '' : ` ${showUnseen(slot.agent)}`;
  const how = slot.dispatch === 'none' ? '' : ` ${slot.dispatch},`;
  const used = slot.usage === null ? '' : `, ${tellUsage(slot.usage)}`;
  const word = shown.paint(SLOT_LOOKS[slot.status], pad(SLOT_WORDS[slot.status], 8));
  return fitted(`  ${word}@${slot.slot}${who}:${how} ${tellStanding(slot)}${used}`, shown, 8);
}

/** Why a slot stands as it does; of one that rests, since when. */
export function tellStanding(slot: SlotOutcome): string {
  if (slot.status !== 'skipped_prior_pass') return tellSlotReason(slot);
  return `passed in iteration ${slot.passIteration}${slot.sawOlder ? ', has not seen what changed since' : ''}`;
}

function tellFindings(findings: readonly ToldFinding[], shown: Shown): string {
  const standing = findings.filter(({ state }) => state !== 'closed' && state !== 'gone');
  const closed = findings.filter(({ state }) => state === 'closed');
  const byFile = new Map<string, ToldFinding[]>();
  for (const one of standing) {
    const file = one.finding.file ?? '';
    byFile.set(file, [...(byFile.get(file) ?? []), one]);
  }
  const blocks = [...byFile].map(([file, own]) =>
    [
      shown.paint('strong', file === '' ? `${NO_PLACE}:` : `${quoteName(file)}:`),
      ...own.flatMap((one) => tellFinding(one, shown)),
    ].join('\n'),
  );
  if (closed.length > 0) blocks.push(`Closed in this run: ${closed.map(({ finding }) => finding.id).join(', ')}.`);
  return blocks.join('\n\n');
}

/** What to add to a finding that is not simply open. */
export const STATES: Readonly<Record<ToldFinding['state'], string>> = {
  open: '',
  fixed_claimed: ' (said to be fixed, not yet confirmed)',
  warning: ' (warning)',
  waived: ' (waived)',
  closed: ' (closed)',
  gone: ' (gone)',
};

const STATE_LOOKS = {
  open: 'bad',
  fixed_claimed: 'bad',
  warning: 'rests',
  waived: 'quiet',
  closed: 'quiet',
  gone: 'quiet',
} as const;

/** A finding in a few lines. */
export function tellFinding({ finding, state }: ToldFinding, shown: Shown = AS_IT_IS): string[] {
  const line = finding.line === null ? '' : `line ${finding.line}, `;
  const mark = finding.mark === null ? '' : `, ${MARKS[finding.mark]}`;
  return [
    fitted(
      `  ${shown.paint(STATE_LOOKS[state], `${finding.id} ${finding.priority}${STATES[state]}`)}: ${line}${quoteName(finding.gate)} @${finding.slot}, since iteration ${finding.since}${mark}`,
      shown,
    ),
    ...(finding.code === null ? [] : indent(finding.code, 6).map((one) => `${one.slice(0, 4)}| ${one.slice(6)}`)),
    ...indent(finding.issue, 4).map((one) => fitted(one, shown, 0)),
    ...(finding.fix === null ? [] : indent(`Fix: ${finding.fix}`, 4).map((one) => fitted(one, shown))),
    ...(finding.resolution === null || finding.resolution.why === ''
      ? []
      : indent(`${finding.resolution.how === 'skipped' ? 'Waived' : 'Said'}: ${finding.resolution.why}`, 4).map((one) =>
          fitted(one, shown),
        )),
  ];
}

/** What is odd about where a finding points. */
export const MARKS = {
  'off-diff': 'outside the change',
  'no-such-line': 'there is no such line',
  'code-not-found': 'the quoted code is not in the file',
} as const;

/** What nobody looked at. */
export function tellUncovered({ uncovered, withheld }: RunOutcome): string {
  const lines: string[] = [];
  if (uncovered.length > 0) lines.push(`Covered by no review: ${someNames(uncovered)}`);
  const secret = withheld.filter(({ why }) => why === 'secret').map(({ path }) => path);
  const large = withheld.filter(({ why }) => why === 'too-large').map(({ path }) => path);
  if (secret.length > 0) lines.push(`Not reviewed, they look like secrets: ${someNames(secret)}`);
  if (large.length > 0) lines.push(`Not reviewed, untracked and over 5 MB: ${someNames(large)}`);
  const nested = withheld.filter(({ why }) => why === 'repository').map(({ path }) => path);
  if (nested.length > 0) lines.push(`Not reviewed, repositories of their own without a commit: ${someNames(nested)}`);
  return lines.join('\n');
}

/** One sentence about something to know beside the result. */
export function tellRunNotice(notice: RunNotice): string {
  switch (notice.kind) {
    case 'idle-gate':
      return `the gate path ${quoteName(notice.path)} matches no file`;
    case 'tracked-log-dir':
      return `git tracks records in ${quoteName(notice.logDir)}: they are ignored, and changes to them are not reviewed; remove them with "git rm --cached"`;
    case 'unnameable':
      return `the name of a changed file is not UTF-8, so nobody can look at it (rename it, or have git ignore it): ${showUnseen(notice.name)}`;
    case 'submodule':
      return `${quoteName(notice.path)} is a repository of its own: only which commit it is at is reviewed`;
    case 'dirty-submodule':
      return `${quoteName(notice.path)} is a repository of its own with changes that are not committed there: nobody reviews them here`;
    case 'base-config':
      return `this is a pull request, so settings, rules and prompts are those of ${quoteName(notice.base)}`;
    case 'checks-left-out':
      return 'checks look at the working tree, so they are left out of a run about a commit';
    case 'binary':
      return `${someNames(notice.paths)}: binary (there is a NUL byte in it), so reviewers were shown that it differs, and not what differs`;
    case 'reference-unusable':
      return tellNotice(notice);
    case 'no-price':
      return `budget.usd counts only what agents tell the price of, and ${someNames(notice.agents)} told none; budget.dispatches counts all`;
    case 'not-in-ledger':
      return `what this run cost is not in the ledger: ${tellFailure(notice.failure).what}`;
    case 'proof-taken-back':
      return tellTakenBack(notice.paths);
    case 'orphan-slot':
      return `${quoteName(notice.gate)} no longer has a slot @${notice.slot}, which left ${notice.ids.join(', ')} open: raise num_reviews again, or resolve them`;
    case 'orphan-gate':
      return `there is no gate ${quoteName(notice.gate)} any more, and ${notice.ids.join(', ')} ${notice.ids.length === 1 ? 'is' : 'are'} still open: bring it back, or resolve them`;
  }
}

function pad(text: string, width: number): string {
  return text.padEnd(width);
}

function indent(text: string, by: number): string[] {
  return text.split('\n').map((line) => `${' '.repeat(by)}${showUnseen(line)}`);
}
