import type { ToldFinding } from '../domain/run.ts';
import { type FailingGate, tellFailingGate } from './failing-gate.ts';
import { tellFindingsForAgent, WAIVE } from './fix-prompt.ts';
import { oneLine } from './one-line.ts';

/** Why an agent may not stop yet, and what to do about it. */
export function tellStopReason(findings: readonly ToldFinding[], gates: readonly FailingGate[]): string {
  const found = tellFindingsForAgent(findings.slice(0, MOST_FINDINGS).map(shortened));
  const more = findings.length - MOST_FINDINGS;
  return [
    'The review gates of this repository do not hold for your change yet.',
    ...found,
    ...(more > 0 ? [`There are ${more} more; "onceover status --prompt" shows all of them.`] : []),
    ...gates.slice(0, MOST_GATES).map((gate) => tellFailingGate(gate)),
    ...(gates.some(({ output }) => output !== null) ? [OUTSIDE] : []),
    NEXT,
  ].join('\n\n');
}

/** What an agent is told while a run goes on that takes longer than a hook may. */
export function tellStillRunning(progress: readonly string[]): string {
  const last = progress.at(-1);
  const far = last === undefined ? '' : ` So far: ${oneLine(last).replace(/\.$/, '')}.`;
  return `The review of your change is still going on.${far} Change nothing, wait a minute, and stop again.`;
}

const MOST_FINDINGS = 20;
const MOST_GATES = 20;
const LONGEST_TEXT = 4000;
const OUTSIDE =
  'A command is not run again while no file has changed. If you mended it in another way (by installing something), run "onceover run" before you stop.';
const NEXT = `Mend it, then stop again: the reviewers look at what you changed. ${WAIVE}`;

// A reviewer may write without end; the whole is in the status.
function shortened({ finding, state }: ToldFinding): ToldFinding {
  const { code, issue, fix } = finding;
  const short = { ...finding, code: code && cut(code), issue: cut(issue), fix: fix && cut(fix) };
  return { finding: short, state };
}

function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)} …`;
}
