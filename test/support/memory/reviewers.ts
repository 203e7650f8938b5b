import type { AgentFailure, AgentReply } from '@onceover/base/kernel/agent';
import type { AskEnd, Question, ReviewerFacts, Reviewers } from '@onceover/base/kernel/ports';

/** One call. */
type Asked = Question & { readonly agent: string };

/** A scripted agent; `n` counts its calls from 1. */
export type ScriptedAgent = Partial<ReviewerFacts> & {
  answer(question: Question, n: number): AskEnd | Promise<AskEnd>;
};

/** Scripted reviewers; `asked` lists every call, so that a test can prove that a reviewer did not run. */
export type MemoryReviewers = Reviewers & { readonly asked: readonly Asked[] };

/** The scripted agents; default preference: the given order. */
export function memoryReviewers(
  agents: Readonly<Record<string, ScriptedAgent>>,
  names: readonly string[] = Object.keys(agents),
): MemoryReviewers {
  const asked: Asked[] = [];
  const busy = new Map<string, Promise<unknown>>();
  return {
    names,
    found: Object.keys(agents),
    missing: [],
    asked,
    async describe(name) {
      const { answer: _, ...facts } = agents[name] ?? { answer: null, canResume: async () => false };
      return { ...FACTS, toolsDigest: `tools of ${name}`, ...facts };
    },
    async ask(name, question, { stop, watch, begun }) {
      const agent = agents[name];
      if (agent === undefined) return fails({ kind: 'not-found', program: name });
      const cancelled = whenStopped(stop);
      const key = JSON.stringify([name, question.sessionId]);
      const before = question.sessionId === null ? null : busy.get(key);
      const send = async (): Promise<AskEnd> => {
        if (stop?.aborted === true) return fails({ kind: 'cancelled' });
        asked.push({ ...question, agent: name });
        const n = asked.filter((one) => one.agent === name).length;
        watch('reading', null);
        begun?.();
        const end = await Promise.race([agent.answer(question, n), cancelled]);
        if (!end.ok || end.reply.sessionId !== null) return end;
        return { ...end, reply: { ...end.reply, sessionId: question.sessionId ?? `${name}-${n}` } };
      };
      const mine = Promise.resolve(before).then(send);
      busy.set(key, mine);
      return Promise.race([mine, cancelled]);
    },
  };
}

/** Returns an answer with the agent's field for it. Without a session id, the session continues or gets a new name. */
export function answers(answer: object, more: Partial<AgentReply> = {}): AskEnd {
  const text = JSON.stringify(answer);
  const reply = { text, structured: answer, sessionId: null, usage: USAGE, sessionUsage: null, filesRead: null };
  return { ok: true, reply: { ...reply, ...more }, model: null, durationMs: 1 };
}

export function fails(failure: AgentFailure): AskEnd {
  return { ok: false, failure, usage: null, said: 'said' in failure ? failure.said : '', durationMs: 1 };
}

const USAGE = { inputTokens: 100, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 10, costUsd: null };

const FACTS: Omit<ReviewerFacts, 'toolsDigest'> = {
  model: null,
  version: '1.0.0',
  canResume: async () => true,
  deferredReason: async () => null,
  diffLimit: 400_000,
  promptLimit: 400_000,
  sharesPrefix: false,
  forksCached: false,
  canFork: () => false,
  timeoutSeconds: null,
  canFix: true,
  provider: 'anthropic',
};

/** An agent that is stopped has used some tokens by then. */
const CUT_SHORT: AskEnd = { ...fails({ kind: 'cancelled' }), usage: { ...USAGE, outputTokens: 3 } } as AskEnd;

function whenStopped(stop: AbortSignal | null): Promise<AskEnd> {
  return new Promise((resolve) => {
    stop?.addEventListener('abort', () => resolve(CUT_SHORT), { once: true });
  });
}
