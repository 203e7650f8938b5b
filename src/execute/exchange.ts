import type { AgentFailure, AgentReply, AskMode, Exchange } from '../domain/agent.ts';
import type { AskEnd, Question } from '../domain/ports.ts';

/** What was sent and said in one question, for the log; `failure` also tells of an answer that could not be read. */
export function exchangeOf(
  { agent, mode }: { readonly agent: string; readonly mode: AskMode },
  question: Question,
  asked: AskEnd,
  failure: AgentFailure | null,
): Exchange {
  return { agent, mode, sent: sentIn(question), said: asked.ok ? saidIn(asked.reply) : asked.said, failure };
}

/** A session knows the part that comes first. */
function sentIn({ sessionId, stable, dynamic }: Question): string {
  return sessionId === null ? `${stable}\n\n${dynamic}` : dynamic;
}

function saidIn({ text, structured }: AgentReply): string {
  return structured === undefined || structured === null ? text : `${text}\n${JSON.stringify(structured)}`;
}
