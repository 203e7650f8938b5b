import { join } from 'node:path';
import { ACTIVE } from '../domain/active.ts';
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
  /** What the events have said so far, after each of them, and what this dispatch has used. */
  watch?(heard: Heard, usage: Usage | null): void;
};

/** How a dispatch ended: a reply that is still to be read, or why there is none. */
export type DispatchEnd =
  | { readonly ok: true; readonly reply: AgentReply; readonly model: string | null; readonly durationMs: number }
  | {
      readonly ok: false;
      readonly failure: AgentFailure;
      /** What it had used by then, as far as it told. */
      readonly usage: Usage | null;
      /** What it had answered by then, else its last words. */
      readonly said: string;
      readonly durationMs: number;
    };

const PATIENCE_MS = 2000;
const MOST_LAST_WORDS = 4000;

/** Sends one question and waits for the end; nothing of it is left running or lying about afterwards. */
export async function dispatch(asked: Dispatch): Promise<DispatchEnd> {
  if (asked.signal?.aborted === true) return neverBegun({ kind: 'cancelled' });
  let scratch: Scratch | null = null;
  try {
    scratch = makeScratch(asked.scratchBase);
    const call = await protect(asked, scratch);
    return 'failure' in call ? neverBegun(call.failure) : await converse(call, scratch);
  } catch (error) {
    // A full disk, or a text that no program can be given: the machine's trouble, told as such.
    if (!(error instanceof Error && 'code' in error)) throw error;
    return neverBegun({ kind: 'agent-error', said: shorten(error.message) });
  } finally {
    scratch?.remove();
  }
}

async function converse(call: Dispatch, scratch: Scratch): Promise<DispatchEnd> {
  const { args, env, input } = call.agent.invoke(call.question, scratch.put);
  const { sessionId } = call.question;
  if (sessionId !== null && args.includes(sessionId) && !SESSION_ID.test(sessionId)) {
    return neverBegun({ kind: 'session-lost', said: `${JSON.stringify(shorten(sessionId))} is no session's id` });
  }
  let heard = NOTHING_HEARD;
  const giveUp = new AbortController();
  const signals = call.signal === null ? [giveUp.signal] : [giveUp.signal, call.signal];
  const end = await run({
    program: call.program,
    args: [...(call.before ?? []), ...args],
    cwd: call.cwd,
    env: { ...call.env, ...env, [ACTIVE]: '1' },
    input,
    timeoutMs: call.question.timeoutSeconds * 1000,
    idleMs: call.idleSeconds * 1000,
    signal: AbortSignal.any(signals),
    onLine(line) {
      if (heard.failure !== null) return;
      heard = call.agent.hear(heard, line, new Date());
      // What has failed for good usually ends by itself; some agents would go on without end.
      if (heard.failure !== null) setTimeout(() => giveUp.abort(), PATIENCE_MS).unref();
      call.watch?.(heard, usageOf(call, heard).usage);
    },
  });
  if (end.kind === 'not-started') return neverBegun(notStarted(call.program, end.code));
  if (end.code === 0) heard = call.agent.conclude?.(answerIn(end.stdout), call.question) ?? heard;
  const { durationMs } = end;
  const failure = judge(call, end, heard);
  if (failure !== null) {
    const said = heard.text || ownWords(failure) || lastWordsOf(end).slice(0, MOST_LAST_WORDS);
    return { ok: false, failure, usage: usageOf(call, heard).usage, said, durationMs };
  }
  const { text, structured, model } = heard;
  // An agent without events shows nothing of what it opens.
  const filesRead = call.agent.conclude === undefined ? heard.filesRead : null;
  const reply = { text, structured, sessionId: heard.sessionId, filesRead, ...usageOf(call, heard) };
  return { ok: true, reply, model, durationMs };
}

// Where something is left out, what is kept may begin within an answer, and a part of that must not count as one.
function answerIn({ text, cut }: Ended['stdout']): string {
  if (cut === null) return text;
  const start = text.lastIndexOf('\n{');
  return start < cut ? '' : text.slice(start + 1);
}

// A session's id is read from a file: as an argument, it must not be able to be an option or a path.
const SESSION_ID = /^\w[\w-]{0,199}$/;

function neverBegun(failure: AgentFailure): DispatchEnd {
  return { ok: false, failure, usage: null, said: ownWords(failure), durationMs: 0 };
}

function ownWords(failure: AgentFailure): string {
  return 'said' in failure ? failure.said : '';
}

function notStarted(program: string, code: string): AgentFailure {
  return ['ENOENT', 'EACCES', 'ENOTDIR'].includes(code)
    ? { kind: 'not-found', program }
    : { kind: 'agent-error', said: `could not be started: ${code}` };
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
  // What it wrote to a copy would be lost.
  if (call.question.writes === true) return { failure: { kind: 'unprotected', path: first } };
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
function judge(call: Dispatch, end: Ended, heard: Heard): AgentFailure | null {
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
    const said = errorWords(end);
    if (said !== '') return call.agent.explain(said) ?? errorFailure(said, null, new Date());
    return { kind: 'agent-error', said: endedHow(end) };
  }
  const { sessionId: asked } = call.question;
  if (asked !== null && heard.sessionId !== asked) return { kind: 'wrong-session', asked, got: heard.sessionId };
  const { usage } = usageOf(call, heard);
  if (usage !== null && usage.outputTokens === 0) return { kind: 'no-tokens' };
  return null;
}

type Ended = Extract<RunEnd, { kind: 'ended' }>;

const LAST_CHARACTERS = 2000;

function lastWordsOf(end: Ended): string {
  return lastWords(end.stderr.text) || lastWords(end.stdout.text.slice(-LAST_CHARACTERS));
}

// Events and answers are no error messages: a reviewer may well speak of limits and logins.
function errorWords({ stderr, stdout }: Ended): string {
  const lines = stdout.text.slice(-LAST_CHARACTERS).split('\n');
  const whole = stdout.text.length > LAST_CHARACTERS ? lines.slice(1) : lines;
  return lastWords(stderr.text) || lastWords(whole.filter((line) => !/^\s*[{}[\]"]/.test(line)).join('\n'));
}

// An answer or an event does not tell why it does not count: the end does.
function endedHow(end: Ended): string {
  const how = end.code === null ? `ended by ${end.signal}` : `ended with exit code ${end.code}`;
  const words = lastWordsOf(end);
  return shorten(words === '' ? `${how} and no result` : `${how} after saying: ${words}`);
}
