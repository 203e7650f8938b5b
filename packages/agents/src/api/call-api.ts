import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentFailure,
  type ApiSettings,
  addUsage,
  type RequestFigures,
  type RequestTurn,
  type Usage,
} from '@onceover/base/kernel/agent';
import { MASKED } from '@onceover/base/kernel/mask-secrets';
import { type AskEnd, type AskOptions, MOST_RETRIES, type Question } from '@onceover/base/kernel/ports';
import type { Fetch } from '@onceover/base/platform/proxy';
import { anthropicMessages, wholeContent } from './anthropic.ts';
import { judgeEnding, judgeTrouble, waitBefore } from './judge-trouble.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import { runTool } from './run-tool.ts';
import { sendRequest } from './send-request.ts';
import type { Transcripts } from './transcripts.ts';
import type { ApiRequest, Dialect, StreamState, ToolCall, ToolResult, TreeReader, Turn } from './types.ts';

/** One call to a model API: the question, and everything from outside that the call needs. */
export type ApiCall = {
  readonly settings: ApiSettings;
  /** The API key from the environment; `null` if the settings name no variable for it. */
  readonly key: string | null;
  readonly question: Omit<Question, 'trees'>;
  readonly options: AskOptions;
  readonly files: TreeReader;
  readonly transcripts: Transcripts;
  readonly fetch: Fetch;
  /** Whether requests go to the provider's own address, and not to a gateway or another server. */
  readonly isProvider: boolean;
  /** Returns the price of a request in US dollars; `null` if it is unknown. */
  price(model: string, usage: Usage, hourTokens: number): number | null;
  /** Waits before another attempt. Tests replace this function. */
  wait?(ms: number, signal: AbortSignal): Promise<unknown>;
};

/** The limits of one call. If a reviewer reaches a limit, its review is incomplete, so the call fails. */
export const CALL_LIMITS = {
  requests: 40,
  /** When this many requests or fewer remain, tool results also ask the model to answer. */
  lastRequests: 4,
  /** The maximum number of characters that all tools together may return in one call. */
  characters: 600_000,
  toolsAtOnce: 32,
  /** The longest wait that a provider may ask for, in milliseconds. If it asks for more, the call fails. */
  waitMs: 60_000,
} as const;

/** Returns the API that the settings select. */
function dialectOf({ dialect, endpoint }: Pick<ApiSettings, 'dialect' | 'endpoint'>): Dialect {
  if (dialect === 'anthropic') return anthropicMessages;
  return endpoint === 'chat' ? openaiChat : openaiResponses;
}

/** Everything that one call has used and received so far. */
type Progress = {
  readonly turns: Turn[];
  usage: Usage | null;
  requests: RequestFigures | null;
  model: string | null;
  retries: number;
  draft: string[];
  readonly filesRead: Set<string>;
  characters: number;
  readonly steps: RequestTurn[];
};

/** Asks the model one question, and runs the tools that it calls until it answers. Starts no program. */
export async function callApi(call: ApiCall): Promise<AskEnd> {
  const { question, options, transcripts } = call;
  const startedAt = performance.now();
  const earlierId = question.sessionId ?? question.forkOf ?? null;
  const earlier = earlierId === null ? null : transcripts.read(earlierId);
  const opening = earlier?.opening ?? question.stable;
  const progress: Progress = {
    turns: [...(earlier?.turns ?? []), { kind: 'question', text: question.dynamic }],
    ...{
      usage: null,
      requests: null,
      model: null,
      retries: 0,
      draft: [],
      filesRead: new Set(),
      characters: 0,
      steps: [],
    },
  };
  const failWith = (failure: AgentFailure): AskEnd => ({
    ...{ ok: false, failure: withoutKey(failure, call.key), usage: progress.usage },
    said: progress.draft.at(-1) ?? ('said' in failure ? maskKey(failure.said, call.key) : ''),
    ...{ draft: progress.draft.join('\n\n'), durationMs: sinceMs(startedAt), retries: progress.retries },
  });
  if (options.stop?.aborted === true) return failWith({ kind: 'cancelled' });
  if (earlierId !== null && earlier === null) {
    return failWith({ kind: 'session-lost', said: 'the stored conversation is missing or was changed' });
  }
  const { timeoutSeconds } = question;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort({ kind: 'timeout', seconds: timeoutSeconds }), timeoutSeconds * 1000);
  const signal = options.stop === null ? late.signal : AbortSignal.any([late.signal, options.stop]);
  try {
    if (call.settings.tier === 'batch') await inlineChange(call, progress);
    const end = await converseWith(call, { opening, progress, signal });
    if ('failure' in end) return failWith(end.failure);
    const storeResult = call.settings.tier === 'batch' ? null : transcripts.keep({ opening, turns: progress.turns });
    return {
      ok: true,
      reply: {
        text: end.text,
        structured: undefined,
        sessionId: storeResult?.ok === true ? storeResult.value : null,
        filesRead: [...progress.filesRead],
        ...{ usage: progress.usage, sessionUsage: null, turns: progress.steps },
        ...(progress.requests === null ? {} : { requests: progress.requests }),
      },
      model: progress.model,
      draft: progress.draft.slice(0, -1).join('\n\n'),
      durationMs: sinceMs(startedAt),
      retries: progress.retries,
    };
  } finally {
    clearTimeout(timer);
  }
}

/** Adds the changed files to the question, for a review without tools. */
async function inlineChange({ files, question }: ApiCall, progress: Progress): Promise<void> {
  const { inlineFiles } = await import('./inline-files.ts');
  const { text, opened } = await inlineFiles(files, `${question.stable}\n${question.dynamic}`);
  progress.turns[progress.turns.length - 1] = { kind: 'question', text: `${question.dynamic}\n\n${text}` };
  for (const path of opened) progress.filesRead.add(path);
}

type Conversation = { readonly opening: string; readonly progress: Progress; readonly signal: AbortSignal };

async function converseWith(
  call: ApiCall,
  { opening, progress, signal }: Conversation,
): Promise<{ readonly text: string } | { readonly failure: AgentFailure }> {
  const dialect = dialectOf(call.settings);
  for (let requestsLeft: number = CALL_LIMITS.requests; requestsLeft > 0; requestsLeft--) {
    const answer = await ask(call, dialect, { opening, progress, signal });
    if ('failure' in answer) return answer;
    const content = wholeContent(answer.content);
    const { text, calls } = dialect.read(content);
    if (text !== '') progress.draft.push(text);
    const endingFailure = judgeEnding(answer);
    if (endingFailure !== null) return { failure: endingFailure };
    progress.turns.push({ kind: 'model', content });
    if (calls.length === 0) {
      return answer.usage?.outputTokens === 0 ? { failure: { kind: 'no-tokens' } } : { text };
    }
    const results = await runTools(call, calls, progress);
    progress.turns.push({
      kind: 'tools',
      results: requestsLeft > CALL_LIMITS.lastRequests ? results : urgeAnswer(results, requestsLeft - 1),
    });
    if (progress.characters > CALL_LIMITS.characters) return withoutAnswer('opened too much text');
  }
  return withoutAnswer(`made ${CALL_LIMITS.requests} requests`);
}

function withoutAnswer(activity: string): { readonly failure: AgentFailure } {
  return { failure: { kind: 'agent-error', said: `the reviewer ${activity} without an answer` } };
}

/** Returns the tool results with a note at the end that asks the model to answer. */
function urgeAnswer(results: readonly ToolResult[], requestsLeft: number): readonly ToolResult[] {
  const note = `\n\n(Answer now: after ${requestsLeft} more requests this review ends without a result.)`;
  return results.map((result, at) => (at === results.length - 1 ? { ...result, text: result.text + note } : result));
}

/**
 * Whether no later request is expected to read this question from the cache: the session is a fork (it continues a copy
 * of another session) that answers at once, and no other session will fork it.
 */
function isLastRead({ forkOf, answersAtOnce }: ApiCall['question']): boolean {
  return forkOf !== undefined && answersAtOnce === true;
}

/**
 * Sends one request until it succeeds or must not be repeated. The cost includes every attempt that the provider
 * billed.
 */
async function ask(
  call: ApiCall,
  dialect: Dialect,
  { opening, progress, signal }: Conversation,
): Promise<StreamState | { readonly failure: AgentFailure }> {
  const { settings, key, question, options, isProvider, fetch } = call;
  const request: ApiRequest = {
    model: question.model ?? settings.model,
    opening,
    turns: progress.turns,
    ...{ schema: question.schema, cacheTtl: question.cacheTtl, isProvider, isRepeat: question.isRepeat === true },
    leavesEndUncached: isLastRead(question) && progress.turns.at(-1)?.kind === 'question',
    ...{ maxOutputTokens: settings.maxOutputTokens, tier: settings.tier },
  };
  const mostRetries = question.mostRetries ?? Number.POSITIVE_INFINITY;
  for (let attempt = 1; ; attempt++) {
    const { state, trouble } = await (settings.tier === 'batch' ? inBatch(call) : sendRequest)({
      ...{ fetch, dialect, signal, idleSeconds: question.idleSeconds },
      url: `${settings.baseUrl}${dialect.path}`,
      headers: { ...settings.headers, ...dialect.headers(key) },
      body: dialect.body(request),
      begun: () => options.begun?.(),
    });
    count(call, dialect, progress, state, request);
    if (trouble === null) return state;
    const text = dialect.read(wholeContent(state.content)).text;
    if (text !== '') progress.draft.push(text);
    const judgement = judgeTrouble(trouble, new Date(), CALL_LIMITS.waitMs);
    const mayRetry = judgement.retry && attempt <= MOST_RETRIES && progress.retries < mostRetries;
    if (!mayRetry) return { failure: judgement.failure };
    progress.retries += 1;
    options.watch('retrying after an error', progress.usage);
    await waiter(call)(waitBefore(attempt, judgement.waitMs, Math.random()), signal).catch(() => {});
  }
}

// Few reviewers use batches, so load the code for them only when needed.
function inBatch(call: ApiCall): typeof sendRequest {
  return async (request) => {
    const { sendBatch } = await import('./send-batch.ts');
    const { baseUrl, dialect, endpoint } = call.settings;
    const kind = dialect === 'anthropic' ? 'anthropic' : endpoint;
    return sendBatch({
      ...request,
      baseUrl,
      kind,
      wait: waiter(call),
      watch: (doing) => call.options.watch(doing, null),
    });
  };
}

function waiter({ wait }: ApiCall): NonNullable<ApiCall['wait']> {
  return wait ?? ((ms, stop) => sleep(ms, undefined, { signal: stop }));
}

function count(
  { price }: ApiCall,
  dialect: Dialect,
  progress: Progress,
  state: StreamState,
  { leavesEndUncached }: Pick<ApiRequest, 'leavesEndUncached'>,
): void {
  const { usage, hourTokens, model } = state;
  progress.model = model ?? progress.model;
  if (usage === null) return;
  const pricedUsage = { ...usage, costUsd: progress.model === null ? null : price(progress.model, usage, hourTokens) };
  const calls = dialect.read(wholeContent(state.content)).calls.map(doingOf);
  const did = calls.length > 0 ? calls.join(', ') : state.done ? 'answered' : 'broke off';
  progress.steps.push({ did, usage: pricedUsage });
  progress.usage = addUsage(progress.usage, pricedUsage);
  progress.requests = {
    count: (progress.requests?.count ?? 0) + 1,
    firstRead: progress.requests === null ? usage.cachedInputTokens : progress.requests.firstRead,
    lastSent: usage.inputTokens + usage.cachedInputTokens + usage.cacheWriteTokens,
    lastOutput: usage.outputTokens,
    ...(leavesEndUncached ? { lastCached: usage.cachedInputTokens + usage.cacheWriteTokens } : {}),
  };
}

async function runTools(
  { files, options }: Pick<ApiCall, 'files' | 'options'>,
  calls: readonly ToolCall[],
  progress: Progress,
): Promise<readonly ToolResult[]> {
  const results = await Promise.all(
    calls.map(async (toolCall, at) => {
      if (at >= CALL_LIMITS.toolsAtOnce) return { id: toolCall.id, text: 'Too many calls at once.', failed: true };
      options.watch(doingOf(toolCall), progress.usage);
      const { result, opened } = await runTool(files, toolCall);
      if (opened !== null) progress.filesRead.add(opened);
      return result;
    }),
  );
  progress.characters += results.reduce((sum, { text }) => sum + text.length, 0);
  return results;
}

function doingOf({ name, input }: ToolCall): string {
  const about = input?.['path'] ?? input?.['pattern'] ?? input?.['glob'];
  return `${name} ${typeof about === 'string' ? about.slice(0, 200) : ''}`.trimEnd();
}

function sinceMs(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}

/** Returns a failure with the API key masked, because a server may repeat the key in its error message. */
function withoutKey(failure: AgentFailure, key: string | null): AgentFailure {
  return 'said' in failure ? { ...failure, said: maskKey(failure.said, key) } : failure;
}

const LONGEST_SAID = 400;

function maskKey(text: string, key: string | null): string {
  const plain = key === null || key.length < 4 ? text : text.replaceAll(key, MASKED);
  const line = plain.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_SAID ? `${line.slice(0, LONGEST_SAID)}…` : line;
}
