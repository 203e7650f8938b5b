import type { AgentFailure } from '../domain/agent.ts';
import type { ProbeOutcome, ProbePorts, ProbeTest, ResumeResult } from '../domain/capability.ts';
import { PROBE_QUESTIONS, probeFile } from '../prompt/probe.ts';
import { readAnswer } from '../prompt/read-answer.ts';

/** Runs V1 to V4: whether a session comes back with its memory after it has used a tool. */
export async function probeResume(agent: string, version: string, ports: ProbePorts): Promise<ProbeOutcome> {
  let freshMs: number | null = null;
  let resumedMs: number | null = null;
  const tried = (failed: ResumeResult['failed']): ProbeOutcome => ({
    kind: 'tried',
    result: { agent, version, failed, freshMs, resumedMs },
  });
  const failed = (test: ProbeTest, how: string) => tried({ test, how });
  const stopped = (test: ProbeTest, failure: AgentFailure): ProbeOutcome =>
    saysSomething(failure) ? failed(test, describe(failure)) : { kind: 'not-tried', agent, version, failure };

  const line = `# ${ports.randomLine()}`;
  const first = await ask(ports, PROBE_QUESTIONS.V1(ports.writeFile(probeFile(line))), null);
  if (!first.ok) return stopped('V1', first.failure);
  freshMs = first.ms;
  if (first.sessionId === null) return failed('V1', 'it named no session');
  if (!first.reply.includes(line)) return failed('V1', 'it did not read the file');
  // From here on only memory can tell the line.
  ports.writeFile(probeFile(`# ${ports.randomLine()}`));

  const second = await ask(ports, PROBE_QUESTIONS.V2, first.sessionId);
  if (!second.ok) return stopped('V2', second.failure);
  resumedMs = second.ms;
  const third = await ask(ports, PROBE_QUESTIONS.V3, first.sessionId);
  if (!third.ok) return stopped('V3', third.failure);
  if (!third.reply.includes(line))
    return failed('V3', `it remembered another first line: "${third.reply.slice(0, 80)}"`);
  const fourth = await ask(ports, PROBE_QUESTIONS.V4, first.sessionId);
  if (!fourth.ok) return stopped('V4', fourth.failure);
  const count = /\d+/.exec(fourth.reply)?.[0];
  if (Number(count) !== first.issues)
    return failed('V4', `it counted ${count ?? 'nothing'} instead of ${first.issues}`);
  return tried(null);
}

type Asked =
  | {
      readonly ok: true;
      readonly reply: string;
      readonly issues: number;
      readonly sessionId: string | null;
      readonly ms: number;
    }
  | { readonly ok: false; readonly failure: AgentFailure };

async function ask(ports: ProbePorts, prompt: string, sessionId: string | null): Promise<Asked> {
  const reply = await ports.ask(prompt, sessionId);
  if (!reply.ok) return reply;
  const read = readAnswer('probe', reply);
  if (!read.ok) return read;
  const { reply: text, issues } = read.answer;
  return { ok: true, reply: text, issues: issues.length, sessionId: reply.sessionId, ms: reply.durationMs };
}

/** Whether a failure tells something about resuming: that nobody is logged in, or a limit is reached, does not. */
function saysSomething(failure: AgentFailure): boolean {
  switch (failure.kind) {
    case 'session-lost':
    case 'wrong-session':
    case 'unreadable-answer':
    case 'no-tokens':
    case 'agent-error':
      return true;
    case 'not-found':
    case 'unprotected':
    case 'not-logged-in':
    case 'limit':
    case 'timeout':
    case 'idle':
    case 'cancelled':
      return false;
  }
}

function describe(failure: AgentFailure): string {
  return 'said' in failure && failure.said !== '' ? `${failure.kind}: ${failure.said}` : failure.kind;
}
