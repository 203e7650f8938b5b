import { oneLine } from '@onceover/base/kernel/escape';
import type { ReportedFinding } from '../findings/types.ts';
import { describeFindingsForAgent, WAIVE } from '../result/describe/messages.ts';
import { describeFailingGate, type FailingGate } from '../result/describe/reasons.ts';

const MOST_FINDINGS = 20;
const MOST_GATES = 20;
const LONGEST_TEXT = 4000;

const RERUN =
  'onceover does not run a command again while no file has changed. If you fixed it in another way, such as installing something, run "onceover run" before you stop.';

/** Returns the reason why an agent may not stop yet, and what it has to do. */
export function describeStopReason(findings: readonly ReportedFinding[], gates: readonly FailingGate[]): string {
  const omittedCount = findings.length - MOST_FINDINGS;
  return [
    'The review gates of this repository do not pass for your change yet.',
    ...describeFindingsForAgent(findings.slice(0, MOST_FINDINGS).map(shorten)),
    ...(omittedCount > 0
      ? [`There are ${omittedCount} more findings. Run "onceover status --prompt" to see all of them.`]
      : []),
    ...gates.slice(0, MOST_GATES).map((gate) => describeFailingGate(gate)),
    ...(gates.some(({ output }) => output !== null) ? [RERUN] : []),
    `Fix it, then stop again: the reviewers check your changes. ${WAIVE}`,
  ].join('\n\n');
}

/** Returns the message for an agent whose review takes longer than a hook may wait. */
export function describeStillRunning(progress: readonly string[]): string {
  const last = progress.at(-1);
  const status = last === undefined ? '' : ` Status: ${oneLine(last).replace(/\.$/, '')}.`;
  return `The review of your change is still running.${status} Change nothing, wait a minute, and stop again.`;
}

// Shortens the texts of a finding, because a reviewer may write very long ones. "onceover status" shows them in full.
function shorten({ finding, state }: ReportedFinding): ReportedFinding {
  const { code, issue, fix } = finding;
  const short = { ...finding, code: code && cut(code), issue: cut(issue), fix: fix && cut(fix) };
  return { finding: short, state };
}

function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)} …`;
}
