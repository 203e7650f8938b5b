import { fence, oneLine, quoteName, showInvisible } from '@onceover/base/kernel/escape';
import type { CheckEnd } from '@onceover/base/kernel/ports';
import { describeTrouble } from '@onceover/base/ui/describe-agent-failure';
import { count } from '@onceover/base/ui/wording';
import type { SlotPlan } from '../../gate-types.ts';
import { describeDifference } from '../../subject/describe.ts';
import type { GateOutcome, GateReason, SlotOutcome } from '../types.ts';
import { describeAcceptedGate, describeAcceptedPass } from './shared.ts';

/** Describes how a check ended. The text continues a sentence that starts with the check's command. */
export function describeCheckEnd({ ending, exitCode }: Pick<CheckEnd, 'ending' | 'exitCode'>, seconds: number): string {
  switch (ending) {
    case 'timeout':
      return `did not end within ${count(seconds, 'second')}`;
    case 'cancelled':
      return 'was stopped';
    case 'not-started':
      return 'could not be started';
    case 'by-itself':
      if (exitCode === null) return 'was ended by a signal';
      return `exit code ${exitCode}${exitCode === NOT_FOUND ? ' (command not found)' : ''}`;
  }
}

/** The exit code of a shell for a command that does not exist. */
export const NOT_FOUND = 127;

/** The words for each status of a gate or reviewer, in the order in which onceover lists gates. */
export const STATUS_WORDS: Readonly<Record<GateOutcome['status'] | SlotOutcome['status'], string>> = {
  fail: 'FAILED',
  error: 'ERROR',
  not_run: 'not run',
  skipped_prior_pass: 'skipped',
  pass: 'passed',
  holds: 'passed',
};

export const SESSIONS = { fresh: 'new session', resumed: 'resumed session' } as const;

/**
 * Describes for logs and JSON why a reviewer runs or is skipped. Requirements quote some of these texts, so do not
 * change them.
 */
export function describePlan(plan: SlotPlan): string {
  if (plan.kind === 'accept') return `Skipping @${plan.slot}: ${SLOT_REASONS.accepted}`;
  return plan.kind === 'skip'
    ? `Skipping @${plan.slot}: previously passed in iteration ${plan.passIteration} (num_reviews > 1)`
    : `Running @${plan.slot}: ${runReason(plan)}`;
}

/** Describes for people why a reviewer runs or is skipped. */
export function describeReviewerPlan(plan: SlotPlan): string {
  if (plan.kind === 'accept') return `skip reviewer ${plan.slot}: ${SLOT_REASONS.accepted}`;
  return plan.kind === 'skip'
    ? `skip reviewer ${plan.slot}: already passed in run ${plan.passIteration}`
    : `run reviewer ${plan.slot}: ${runReason(plan)}`;
}

function runReason({ why, changed }: Extract<SlotPlan, { kind: 'run' }>): string {
  return changed === undefined ? SLOT_REASONS[why] : `${SLOT_REASONS[why]}; ${describeDifference(changed)}`;
}

export const GATE_REASONS: Readonly<Record<GateReason, string>> = {
  passed: 'passed',
  'unchanged-since-pass': 'unchanged since it passed',
  'marked-as-passed': 'marked as passed',
  accepted: 'accepted: passed in another clone',
  waived: 'findings are waived',
  'open-findings': 'it has open findings',
  'unchanged-since-fail': 'unchanged since it failed (use --force to review it again)',
  'slots-to-run': 'the current code is not reviewed yet',
  'could-not-judge': 'the review has no result',
  'changed-meanwhile': 'files changed during the review; run again',
  'check-failed': 'the command failed',
  'check-broken': 'the command could not be run',
  'check-to-run': 'has not passed on the current code',
  'check-keeps-changing-files': 'the checks change files every time they run',
  'stopped-by-check': 'a check failed (use --all to run reviews anyway)',
  'no-agent': 'left out, because no agent can review (use --all to run it anyway)',
  'retry-limit': 'failed too often without progress, so it does not run again until its files or its prompt change',
  interrupted: 'interrupted',
};

const SLOT_REASONS: Readonly<Record<Exclude<SlotOutcome['why'], NonNullable<SlotOutcome['trouble']>['kind']>, string>> =
  {
    'first-run': 'first review',
    'first-look': 'first review',
    'only-reviewer': 'the only reviewer always runs',
    'not-passed': 'it had not passed before',
    'safety-latch': 'safety latch (all slots previously passed)',
    'after-pass': 'the change is new since the gate passed (after_pass: all)',
    certify: 'it was skipped before, and has to review the current code before the run passes (certify)',
    forced: 'requested with --force',
    'asked-for': 'a new session was requested',
    'passed-before': 'already passed',
    covers: 'passed the current code',
    waived: 'all its findings are waived',
    'marked-as-passed': 'marked as passed',
    accepted: 'accepted: passed in another clone',
    delta: 'sent only the changes since its last review',
    'final-validation': 'final review',
    'session-differs': 'another agent, model, version or prompt than before',
    'cannot-resume': 'cannot be resumed',
    'session-lost': 'its session is lost',
    'no-changes': 'the code is unchanged since its last review',
    'resume-dearer': 'its cache expired, and a new session is cheaper',
    'delta-too-large': 'too much changed to resume its session',
    'reading-continued': 'continues from the shared reading, which is cheaper than its session',
  };

/** Describes why a reviewer was skipped or did not run. If it ran, describes why its session was new or resumed. */
export function describeSlotReason(outcome: SlotOutcome): string {
  const { status, why, trouble, passIteration, sawOlder, earlier, shared } = outcome;
  if (why === 'accepted' && shared?.kind === 'accepted') return describeAcceptedPass(shared);
  if (trouble !== null) return describeTrouble(trouble);
  if (earlier !== null) {
    const end =
      earlier.error === null ? `failed in run ${earlier.iteration}` : `in run ${earlier.iteration}: ${earlier.error}`;
    return earlier.isCurrent ? end : `${end}; the code has changed since`;
  }
  if (status === 'skipped_prior_pass') {
    return `already passed in run ${passIteration}${sawOlder ? ', before the latest changes' : ''}`;
  }
  if (status !== 'not_run' || why !== 'not-passed') return describeWhy(why);
  return passIteration === null ? 'has not passed' : `passed in run ${passIteration}, but not on the current code`;
}

export function describeWhy(codes: string): string {
  // If the reason for the review and the reason for its session are the same, show it only once.
  const uniqueCodes = [...new Set(codes.split(', '))];
  // If no session was stored, every review has the code `first-look`, so only the other code is informative.
  const shownCodes = uniqueCodes.length > 1 ? uniqueCodes.filter((code) => code !== 'first-look') : uniqueCodes;
  return shownCodes.map((code) => SLOT_REASONS[code as keyof typeof SLOT_REASONS] ?? showInvisible(code)).join(', ');
}

/** Returns the word for the status of a gate. If the gate passes only because of waivers, the word is not "passed". */
export function gateWord({ status, why }: Pick<GateOutcome, 'status' | 'why'>): string {
  return why === 'waived' ? 'waived' : STATUS_WORDS[status];
}

/** Describes why a gate has its status. For a failed check, adds the command and how it ended. */
export function describeGateDetail({ check, status, why, slots }: GateOutcome): string {
  if (why === 'accepted') return describeAcceptedGate(slots);
  return check === null || status !== 'fail' ? GATE_REASONS[why] : describeFailedCheck(check);
}

/** Describes a failed check: its command, and how it ended. */
export function describeFailedCheck({
  command,
  why,
}: {
  readonly command: string;
  readonly why: string | null;
}): string {
  return `${oneLine(command)}: ${why ?? GATE_REASONS['check-failed']}`;
}

/** A gate that fails for a reason other than findings. */
export type FailingGate = {
  readonly id: string;
  /** Why the gate fails. For a check: its command and how it ended. */
  readonly detail: string;
  /** The last lines of a check's output. */
  readonly output: string | null;
  /** The path of the file with the whole output of a check; `null` if unknown. */
  readonly log: string | null;
};

/**
 * Describes a failing gate for an agent. The output is in a fenced block, to show that it is data and not an
 * instruction.
 */
export function describeFailingGate({ id, detail, output, log }: FailingGate, word = 'fails'): string {
  return [
    `${quoteName(id)} ${word}: ${oneLine(detail)}`,
    ...(output === null || output.trim() === '' ? [] : [fence(output.trimEnd().replace(/^/gm, '  '))]),
    ...(log === null ? [] : [`The whole output is in ${quoteName(log)}`]),
  ].join('\n');
}
