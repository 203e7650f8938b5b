import type { AgentFailure } from '../domain/agent.ts';
import type { ProbeTest, ResumeResult } from '../domain/capability.ts';
import { PROBE_QUESTIONS, probeFile } from '../prompt/probe.ts';
import { readAnswer } from '../prompt/read-answer.ts';

/** What the probe needs: an agent that answers, a file that it can read, and a line that nobody could guess. */
export type ProbePorts = {
  ask(prompt: string, sessionId: string | null): Promise<ProbeReply>;
  /** Writes the file to be reviewed and tells its path; a second call replaces it. */
  writeFile(text: string): string;
  randomLine(): string;
};

export type ProbeReply =
  | {
      readonly ok: true;
      readonly text: string;
      readonly structured: unknown;
      readonly sessionId: string | null;
      readonly durationMs: number;
    }
  | { readonly ok: false; readonly failure: AgentFailure };

type Answered = {
  readonly reply: string;
  readonly issues: number;
  readonly sessionId: string | null;
  readonly ms: number;
};

/** Runs V1 to V4: whether a session comes back with its memory after it has used a tool. */
export async function probeResume(agent: string, version: string, ports: ProbePorts): Promise<ResumeResult> {
  let freshMs: number | null = null;
  let resumedMs: number | null = null;
  const failed = (test: ProbeTest, how: string): ResumeResult => ({
    agent,
    version,
    failed: { test, how },
    freshMs,
    resumedMs,
  });

  const line = `# ${ports.randomLine()}`;
  const first = await ask(ports, PROBE_QUESTIONS.V1(ports.writeFile(probeFile(line))), null);
  if (typeof first === 'string') return failed('V1', first);
  freshMs = first.ms;
  if (first.sessionId === null) return failed('V1', 'it named no session');
  if (!first.reply.includes(line)) return failed('V1', 'it did not read the file');
  // From here on only memory can tell the line.
  ports.writeFile(probeFile(`# ${ports.randomLine()}`));

  const second = await ask(ports, PROBE_QUESTIONS.V2, first.sessionId);
  if (typeof second === 'string') return failed('V2', second);
  resumedMs = second.ms;
  const third = await ask(ports, PROBE_QUESTIONS.V3, first.sessionId);
  if (typeof third === 'string') return failed('V3', third);
  if (!third.reply.includes(line))
    return failed('V3', `it remembered another first line: "${third.reply.slice(0, 80)}"`);
  const fourth = await ask(ports, PROBE_QUESTIONS.V4, first.sessionId);
  if (typeof fourth === 'string') return failed('V4', fourth);
  const count = /\d+/.exec(fourth.reply)?.[0];
  if (Number(count) !== first.issues)
    return failed('V4', `it counted ${count ?? 'nothing'} instead of ${first.issues}`);
  return { agent, version, failed: null, freshMs, resumedMs };
}

async function ask(ports: ProbePorts, prompt: string, sessionId: string | null): Promise<Answered | string> {
  const reply = await ports.ask(prompt, sessionId);
  if (!reply.ok) return describe(reply.failure);
  const read = readAnswer('probe', reply);
  if (!read.ok) return describe(read.failure);
  const { reply: text, issues } = read.answer;
  return { reply: text, issues: issues.length, sessionId: reply.sessionId, ms: reply.durationMs };
}

function describe(failure: AgentFailure): string {
  return 'said' in failure && failure.said !== '' ? `${failure.kind}: ${failure.said}` : failure.kind;
}
