import { join } from 'node:path';
import type { AgentFailure, AgentReply } from '../domain/agent.ts';
import type { Usage } from '../domain/usage.ts';
import { copyWorkingTree } from '../io/copy-tree.ts';
import { type RunEnd, run } from '../io/runner.ts';
import { makeScratch, type Scratch } from '../io/scratch.ts';
import { type Agent, type AgentQuestion, type Heard, NOTHING_HEARD } from './agent.ts';
import { sandboxed, toBeHidden } from './sandbox.ts';
import { errorFailure, lastWords, shorten } from './signs.ts';

/** One dispatch to an agent that is installed. */
export type Dispatch = {
  readonly agent: Agent;
  /** The program, as found. */
  readonly program: string;
  /** Arguments before the agent's own, where the program is started inside another. */
  readonly before?: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly question: AgentQuestion;
  readonly idleSeconds: number;
  /** True: whatever it does, nothing in `cwd` changes. */
  readonly sandbox?: boolean;
  readonly signal: AbortSignal | null;
  /** Where files of this dispatch are put; the user's cache folder unless given. */
  readonly scratchBase?: string;
  /** What the events have said so far, after each of them. */
  watch?(heard: Heard): void;
};

/** How a dispatch ended: a reply that is still to be read, or why there is none. */
export type DispatchEnd =
  | { readonly ok: true; readonly reply: AgentReply; readonly model: string | null; readonly durationMs: number }
  | { readonly ok: false; readonly failure: AgentFailure; readonly heard: Heard; readonly durationMs: number };

const PATIENCE_MS = 2000;

/** Sends one question and waits for the end; nothing of it is left running or lying about afterwards. */
export async function dispatch(asked: Dispatch): Promise<DispatchEnd> {
  const scratch = makeScratch(asked.scratchBase);
  try {
    const call = await protect(asked, scratch);
    if ('failure' in call) return { ok: false, failure: call.failure, heard: NOTHING_HEARD, durationMs: 0 };
    const { args, env, input } = call.agent.invoke(call.question, scratch.put);
    let heard = NOTHING_HEARD;
    const giveUp = new AbortController();
    const signals = call.signal === null ? [giveUp.signal] : [giveUp.signal, call.signal];
    const end = await run({
      program: call.program,
      args: [...(call.before ?? []), ...args],
      cwd: call.cwd,
      env: { ...call.env, ...env },
      input,
      timeoutMs: call.question.timeoutSeconds * 1000,
      idleMs: call.idleSeconds * 1000,
      signal: AbortSignal.any(signals),
      onLine(line) {
        if (heard.failure !== null) return;
        heard = call.agent.hear(heard, line, new Date());
        // What has failed for good usually ends by itself; some agents would go on without end.
        if (heard.failure !== null) setTimeout(() => giveUp.abort(), PATIENCE_MS).unref();
        call.watch?.(heard);
      },
    });
    if (end.kind === 'ended' && end.code === 0) heard = call.agent.conclude?.(end.stdout.text, call.question) ?? heard;
    const durationMs = end.kind === 'ended' ? end.durationMs : 0;
    const failure = judge(call, end, heard);
    if (failure !== null) return { ok: false, failure, heard, durationMs };
    const { text, structured, sessionId, filesRead, model } = heard;
    return { ok: true, reply: { text, structured, sessionId, filesRead, ...usageOf(call, heard) }, model, durationMs };
  } finally {
    scratch.remove();
  }
}

/**
 * Hides from the agent what it would load from the repository, and keeps it from writing where that is asked for: by
 * bubblewrap, else in a copy of the working tree that is thrown away. Where neither can be had, it is not started.
 */
async function protect(call: Dispatch, scratch: Scratch): Promise<Dispatch | { readonly failure: AgentFailure }> {
  const hidden = toBeHidden(call.agent, call.cwd);
  const readOnly = call.sandbox === true ? [call.cwd] : [];
  const [first] = [...hidden, ...readOnly];
  if (first === undefined) return call;
  const around = sandboxed(call.program, { hidden, readOnly }, call.env['PATH'] ?? '');
  if (around !== null) return { ...call, program: around.program, before: [...around.before, ...(call.before ?? [])] };
  const cwd = join(scratch.folder, 'copy');
  const copied = await copyWorkingTree(call.cwd, cwd, call.agent.loads ?? []);
  return copied.ok ? { ...call, cwd } : { failure: { kind: 'unprotected', path: first } };
}

/** The usage of this dispatch alone; a session's total is kept for the next. */
function usageOf(call: Dispatch, { usage }: Heard): Pick<AgentReply, 'usage' | 'sessionUsage'> {
  if (usage === null || call.agent.abilities.usage !== 'session') return { usage, sessionUsage: null };
  const before = call.question.usedBefore;
  return { usage: before === null ? usage : subtract(usage, before), sessionUsage: usage };
}

function subtract(total: Usage, before: Usage): Usage {
  return {
    inputTokens: Math.max(0, total.inputTokens - before.inputTokens),
    cachedInputTokens: Math.max(0, total.cachedInputTokens - before.cachedInputTokens),
    cacheWriteTokens: Math.max(0, total.cacheWriteTokens - before.cacheWriteTokens),
    outputTokens: Math.max(0, total.outputTokens - before.outputTokens),
    costUsd: null,
  };
}

/** Success is a terminal event of success in the session asked for; the exit code alone never is. */
function judge(call: Dispatch, end: RunEnd, heard: Heard): AgentFailure | null {
  if (end.kind === 'not-started') return { kind: 'not-found', program: call.program };
  switch (end.ending) {
    case 'cancelled':
      return call.signal?.aborted === true || heard.failure === null ? { kind: 'cancelled' } : heard.failure;
    case 'timeout':
      return { kind: 'timeout', seconds: call.question.timeoutSeconds };
    case 'idle':
      return { kind: 'idle', seconds: call.idleSeconds };
    case 'by-itself':
      break;
  }
  if (heard.failure !== null) return heard.failure;
  if (end.code !== 0 || !heard.done) {
    const said = lastWords(end.stderr.text) || lastWords(end.stdout.text.slice(-2000));
    return call.agent.explain(said) ?? errorFailure(said === '' ? endedHow(end) : said, null, new Date());
  }
  const { sessionId: asked } = call.question;
  if (asked !== null && heard.sessionId !== asked) return { kind: 'wrong-session', asked, got: heard.sessionId };
  const { usage } = usageOf(call, heard);
  if (usage !== null && usage.outputTokens === 0) return { kind: 'no-tokens' };
  return null;
}

function endedHow(end: Extract<RunEnd, { kind: 'ended' }>): string {
  return shorten(end.code === null ? `ended by ${end.signal}` : `ended with exit code ${end.code} and no result`);
}
