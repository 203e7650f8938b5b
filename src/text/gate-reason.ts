import { showUnseen } from '../domain/quote-name.ts';
import type { CheckRecord } from '../domain/record.ts';
import type { CheckOutcome, GateOutcome, GateReason, SlotOutcome } from '../domain/run.ts';
import { oneLine } from './one-line.ts';
import { secondsOf } from './seconds.ts';
import { tellTrouble } from './trouble.ts';

const REASONS: Readonly<Record<GateReason, string>> = {
  passed: 'passed',
  'unchanged-since-pass': 'unchanged since it passed',
  'marked-as-passed': 'marked as passed',
  'open-findings': 'findings are open',
  'slots-to-run': 'not reviewed yet as it is now',
  'could-not-judge': 'no verdict could be had',
  'changed-meanwhile': 'files changed while it was being judged; run again',
  'check-failed': 'the command failed',
  'check-broken': 'the command could not be run',
  'check-to-run': 'has not passed on what is there now',
  'check-keeps-changing-files': 'the checks change files each time they run',
  'stopped-by-check': 'not run: a check failed (--all runs reviews all the same)',
  'retry-limit': 'not asked again: it failed too often in a row',
  interrupted: 'interrupted',
};

/** Why a gate stands as it does. */
export function tellGateReason(why: GateReason): string {
  return REASONS[why];
}

const SLOT_REASONS: Readonly<Record<Exclude<SlotOutcome['why'], NonNullable<SlotOutcome['trouble']>['kind']>, string>> =
  {
    'first-run': 'first look',
    'first-look': 'first look',
    'only-reviewer': 'the only reviewer',
    'not-passed': 'has not passed',
    'safety-latch': 'safety latch',
    'after-pass': 'a new change after the gate held',
    certify: 'certified before the run passes',
    forced: '--force',
    'asked-for': 'asked for',
    'passed-before': 'passed before',
    covers: 'passed what is there now',
    waived: 'what it found was waived',
    'marked-as-passed': 'marked as passed',
    delta: 'shown what changed since its last look',
    'final-validation': 'final look',
    'session-differs': 'another agent, model, version or prompt than before',
    'cannot-resume': 'cannot be resumed',
    'session-lost': 'its session is lost',
    'no-changes': 'nothing changed: another look decides',
    'resume-dearer': 'its cache is cold, and a fresh look is cheaper',
    'delta-too-large': 'too much changed for a resumed look',
  };

/** Why a slot was asked as it was, or was not. */
export function tellSlotReason(slot: SlotOutcome): string {
  if (slot.trouble !== null) return tellTrouble(slot.trouble);
  // Why it was asked, beside what came of it.
  if (slot.why === 'not-passed') return tellNotPassed(slot);
  return slot.why in SLOT_REASONS ? SLOT_REASONS[slot.why as keyof typeof SLOT_REASONS] : slot.why;
}

function tellNotPassed({ status, passIteration }: SlotOutcome): string {
  if (status !== 'not_run') return 'it had not passed';
  return passIteration === null ? 'has not passed' : `passed in iteration ${passIteration}, not on what is there now`;
}

/** The reasons in a record, in words. */
export function tellWhy(codes: string): string {
  const words = codes.split(', ').map((code) => SLOT_REASONS[code as keyof typeof SLOT_REASONS] ?? showUnseen(code));
  return [...new Set(words)].join(', ');
}

/** The end of a gate's line: why, and for a check how it ended. */
export function tellGateDetail(gate: GateOutcome): string {
  const { check } = gate;
  if (check === null || gate.status !== 'fail') return tellGateReason(gate.why);
  return `${oneLine(check.command)}: ${tellCheckFailure(check)}`;
}

/** What a shell ends with where it does not find a command. */
export const NOT_FOUND = 127;

/** A check that did not pass, from its record: its command, and how it ended. */
export function tellFailedCheck({ command, exitCode, why, status }: CheckRecord): string {
  const end = status === 'fail' && exitCode !== null ? tellExitCode(exitCode) : (why ?? 'it could not be judged');
  return `${oneLine(command)}: ${end}`;
}

function tellCheckFailure({ exitCode, overtime }: CheckOutcome): string {
  if (overtime !== null) return `did not end within ${secondsOf(overtime)}`;
  return exitCode === null ? 'was ended by a signal' : tellExitCode(exitCode);
}

function tellExitCode(exitCode: number): string {
  return `exit code ${exitCode}${exitCode === NOT_FOUND ? ': a command in it was not found' : ''}`;
}
