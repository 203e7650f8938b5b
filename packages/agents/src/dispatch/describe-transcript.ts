import type { RequestTurn, TranscriptEntry, Usage } from '@onceover/base/kernel/agent';
import { isRecord } from '@onceover/base/kernel/json';
import { isCount, isString, isStrings, readShape, USAGE } from '@onceover/base/kernel/shape';
import { describeAgentFailure } from '@onceover/base/ui/describe-agent-failure';
import { count } from '@onceover/base/ui/wording';

/** Returns the log lines of a conversation: each question followed by its reply. `readTranscript` parses them. */
export function describeTranscript(exchanges: readonly TranscriptEntry[]): readonly string[] {
  return exchanges.flatMap(({ agent, mode, sent, said, failure, retries = 0, ...more }) => [
    `--- Sent (${agent}, ${mode}) ---`,
    withoutMarks(sent),
    `--- Said (${agent}) ---`,
    withoutMarks(said),
    ...factsLine(more),
    ...(retries === 0 ? [] : [`--- ${agent} repeated ${count(retries, 'request')} by itself ---`]),
    ...(failure === null ? [] : [`--- ${agent} ${describeAgentFailure(failure)} ---`]),
  ]);
}

const FACTS = 'Facts: ';

function factsLine({
  stableLength = 0,
  usage = null,
  filesRead = null,
  turns,
}: Partial<TranscriptEntry>): readonly string[] {
  if (stableLength === 0 && usage === null && filesRead === null) return [];
  return [`--- ${FACTS}${JSON.stringify({ stableLength, usage, filesRead, turns })} ---`];
}

// Matches lines in a prompt or answer that look like a heading of the log. One more space is put before them, so that
// they differ from headings.
const MARK = /^( *)(--- .* ---)$/gm;

function withoutMarks(text: string): string {
  return text.replace(MARK, ' $1$2');
}

/** One call of a logged conversation. */
export type LoggedCall = {
  readonly agent: string;
  readonly mode: string;
  /** The part of the prompt that is the same in several calls; an empty string if the log does not mark its end. */
  readonly stable: string;
  readonly dynamic: string;
  readonly said: string;
  readonly usage: Usage | null;
  /** The files that the agent opened; `null` if unknown. */
  readonly filesRead: readonly string[] | null;
  /** The requests of the call, each with its usage; empty if the agent reports only sums. */
  readonly turns: readonly RequestTurn[];
  /** Lines that report retries and failures. */
  readonly notes: readonly string[];
};

export type LoggedConversation = {
  /** The lines before the first call, such as the reason why the reviewer ran. */
  readonly head: readonly string[];
  readonly calls: readonly LoggedCall[];
  /** The lines after the last call. */
  readonly result: readonly string[];
};

/** Parses the log of a conversation. Text that does not belong to a call is returned in `head` or `result`. */
export function readTranscript(log: string): LoggedConversation {
  const head: string[] = [];
  const result: string[] = [];
  const calls: { agent: string; mode: string; sent: string[]; said: string[]; notes: string[]; facts: unknown }[] = [];
  let into = head;
  for (const line of log.replace(/\n$/, '').split('\n')) {
    const [, mark] = /^--- (.*) ---$/.exec(line) ?? [];
    const call = calls.at(-1);
    const [, agent, mode] =
      (mark === undefined ? null : /^Sent \((.*), (fresh|forked|resumed|repair)\)$/s.exec(mark)) ?? [];
    if (mark === undefined) into.push(line.replace(/^ ( *--- .* ---)$/, '$1'));
    else if (agent !== undefined && mode !== undefined) {
      const newCall = { agent, mode, sent: [], said: [], notes: [], facts: null };
      calls.push(newCall);
      into = newCall.sent;
    } else if (mark === 'Result') into = result;
    else if (call === undefined) into.push(line);
    else if (mark === `Said (${call.agent})`) into = call.said;
    else if (mark.startsWith(FACTS)) call.facts = parseFacts(mark.slice(FACTS.length));
    else call.notes.push(mark);
  }
  return { head, calls: calls.map(loggedCall), result };
}

function loggedCall(call: {
  readonly agent: string;
  readonly mode: string;
  readonly sent: readonly string[];
  readonly said: readonly string[];
  readonly notes: readonly string[];
  readonly facts: unknown;
}): LoggedCall {
  const { stableLength, usage, filesRead, turns } = isRecord(call.facts) ? call.facts : {};
  const prompt = call.sent.join('\n');
  const end = isCount(stableLength) ? stableLength : 0;
  return {
    agent: call.agent,
    mode: call.mode,
    stable: prompt.slice(0, end),
    dynamic: prompt.slice(end).replace(/^\n+/, ''),
    said: call.said.join('\n'),
    usage: readShape<Usage>(usage, USAGE),
    filesRead: isStrings(filesRead) ? filesRead : null,
    turns: (Array.isArray(turns) ? turns : []).flatMap(readTurn),
    notes: call.notes,
  };
}

function readTurn(value: unknown): readonly RequestTurn[] {
  const usage = isRecord(value) ? readShape<Usage>(value['usage'], USAGE) : null;
  return isRecord(value) && isString(value['did']) && usage !== null ? [{ did: value['did'], usage }] : [];
}

function parseFacts(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
