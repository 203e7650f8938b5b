import { isAbsolute, join, relative } from 'node:path';
import type { AgentFailure, Usage } from '@onceover/base/kernel/agent';
import { isRecord } from '@onceover/base/kernel/json';
import { isInside } from '@onceover/base/kernel/paths';
import { sentText } from '@onceover/base/kernel/prompt';
import { isAmount } from '@onceover/base/kernel/shape';
import { readText } from '@onceover/repo/git/working-files';
import type { AgentEvents, AgentQuestion, Conversation, ConversationPlace } from './agent.ts';
import {
  arrayAt,
  asDraft,
  errorFailure,
  joinTexts,
  numberAt,
  objectAt,
  readEvent,
  shorten,
  stringAt,
  withProgress,
  withToolCall,
} from './parse-output.ts';

const PROTOCOL_VERSION = 1;

/** The maximum number of characters of an answer, and of everything that an agent sends in one call. */
const LONGEST_ANSWER = 4_000_000;
const LONGEST_CALL = 256_000_000;

const MOST_FILES = 10_000;

const LONGEST_FILE = 4 * 1024 * 1024;

const ID = /^\w[\w-]{0,179}$/;

/**
 * Matches a session id as onceover stores it: the name of the agent's copy of the files, and the agent's own session
 * id.
 */
const STORED_ID = /^([0-9a-f]{12})-(\w[\w-]{0,179})$/;

/**
 * Returns the name of the copy of the files in which a session runs. A resumed session must run in the copy of its
 * first call.
 */
export function acpCopyName({ sessionId, newSessionId }: Pick<AgentQuestion, 'sessionId' | 'newSessionId'>): string {
  return (sessionId === null ? null : STORED_ID.exec(sessionId)?.[1]) ?? newSessionId.replaceAll('-', '').slice(-12);
}

type Step = 'initialize' | 'session/new' | 'session/load' | 'session/resume' | 'model' | 'mode' | 'session/prompt';

type Heard = ReturnType<Conversation['hear']>;

/**
 * Opens one call over the Agent Client Protocol (ACP): set up the connection, start or resume a session, send one
 * prompt. The agent may read the files of its copy. Requests to write, to open a terminal or to get a permission are
 * refused.
 */
export function openAcpCall(question: AgentQuestion, place: ConversationPlace): Conversation {
  const resumedId = question.sessionId === null ? null : (STORED_ID.exec(question.sessionId)?.[2] ?? '');
  let lastId = 0;
  let pending: { readonly id: number; readonly step: Step } | null = null;
  let session: string | null = null;
  let sessionOptions: Readonly<Record<string, unknown>> = {};
  let settledSteps = new Set<Step>();
  let message: string | null = null;
  let costBefore: number | null = question.sessionId === null ? 0 : null;
  let receivedLength = 0;

  function request(step: Step, method: string, params: object): string {
    lastId += 1;
    pending = { id: lastId, step };
    return rpc({ id: lastId, method, params });
  }

  const opening = request('initialize', 'initialize', {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'onceover', version: String(PROTOCOL_VERSION) },
  });

  function hear(events: AgentEvents, line: string, now: Date): Heard {
    receivedLength += line.length;
    if (receivedLength > LONGEST_CALL) return failCall(events, agentError('sent too much output'));
    // Some agents print a banner or a log to standard output. Only a JSON message can be an answer.
    if (!/^\s*[{[]/.test(line)) return { events, send: '', isActive: false };
    const rpcMessage = readEvent(line.trim());
    if (rpcMessage?.['jsonrpc'] !== '2.0')
      return failCall(events, agentError(`sent a line that is not JSON-RPC: ${line.slice(0, 200)}`));
    const method = rpcMessage['method'];
    if (typeof method === 'string' && 'id' in rpcMessage)
      return answer(events, rpcMessage['id'], method, objectAt(rpcMessage, 'params'));
    if (typeof method === 'string') {
      const isUpdate = method === 'session/update';
      return { events: isUpdate ? update(events, objectAt(rpcMessage, 'params')) : events, send: '', isActive: true };
    }
    if (pending === null || rpcMessage['id'] !== pending.id)
      return failCall(events, agentError('answered a request that onceover did not send'));
    const { step } = pending;
    pending = null;
    if (isRecord(rpcMessage['error'])) return failCall(events, rpcFailure(step, rpcMessage['error'], now));
    return isRecord(rpcMessage['result']) || (rpcMessage['result'] === null && step !== 'session/prompt')
      ? proceed(events, step, objectAt(rpcMessage, 'result'))
      : failCall(events, agentError(`answered ${step} without a result`));
  }

  /** Returns the next request, after the agent has answered the request `step`. */
  function proceed(events: AgentEvents, step: Step, result: Readonly<Record<string, unknown>>): Heard {
    switch (step) {
      case 'initialize':
        return openSession(events, result);
      case 'session/new': {
        const id = stringAt(result, 'sessionId');
        if (id === null || !ID.test(id)) return failCall(events, agentError('sent no usable session id'));
        session = id;
        break;
      }
      case 'session/load':
      case 'session/resume':
        session = resumedId;
        break;
      case 'model':
      case 'mode':
        break;
      case 'session/prompt':
        return conclude(events, result);
    }
    if (step.startsWith('session/')) sessionOptions = result;
    const sessionId = `${acpCopyName(question)}-${session}`;
    const next = choose();
    if (typeof next === 'string') return { events: { ...events, sessionId }, send: next, isActive: true };
    return failCall(events, next);
  }

  function openSession(events: AgentEvents, result: Readonly<Record<string, unknown>>): Heard {
    if (result['protocolVersion'] !== PROTOCOL_VERSION) {
      return failCall(
        events,
        agentError(`speaks version ${shorten(String(result['protocolVersion']))} of ACP, not ${PROTOCOL_VERSION}`),
      );
    }
    const where = { cwd: place.cwd, mcpServers: [] };
    if (resumedId === null) return { events, send: request('session/new', 'session/new', where), isActive: true };
    if (!ID.test(resumedId))
      return failCall(events, { kind: 'session-lost', said: 'the stored session id is not valid' });
    const abilities = objectAt(result, 'agentCapabilities');
    // When a session is loaded, the agent sends its old messages again. When it is resumed, it does not, so prefer to
    // resume.
    const canResume = isRecord(objectAt(abilities, 'sessionCapabilities')['resume']);
    const method = canResume ? 'session/resume' : abilities['loadSession'] === true ? 'session/load' : null;
    if (method === null)
      return failCall(events, { kind: 'session-lost', said: 'the agent can neither load nor resume sessions' });
    return { events, send: request(method, method, { sessionId: resumedId, ...where }), isActive: true };
  }

  /**
   * Returns the next request: the one that selects the model, the one that selects the read-only mode, or the prompt.
   * Returns a failure if the model does not exist.
   */
  function choose(): string | AgentFailure {
    if (question.model !== null && !settledSteps.has('model')) {
      settledSteps = settledSteps.add('model');
      const option = arrayAt(sessionOptions, 'configOptions').find(
        (configOption) => isRecord(configOption) && configOption['category'] === 'model',
      );
      const configId = stringAt(option, 'id');
      if (configId !== null) {
        const params = { sessionId: session, configId, value: question.model };
        return request('model', 'session/set_config_option', params);
      }
      if (!isRecord(sessionOptions['models']))
        return agentError('offers no choice of models; remove "model" of this agent from onceover.yml');
      return request('model', 'session/set_model', { sessionId: session, modelId: question.model });
    }
    const modes = objectAt(sessionOptions, 'modes');
    const isOffered = arrayAt(modes, 'availableModes').some((mode) => stringAt(mode, 'id') === READ_ONLY);
    if (isOffered && modes['currentModeId'] !== READ_ONLY && !settledSteps.has('mode')) {
      settledSteps = settledSteps.add('mode');
      return request('mode', 'session/set_mode', { sessionId: session, modeId: READ_ONLY });
    }
    const prompt = [{ type: 'text', text: sentText(question) }];
    return request('session/prompt', 'session/prompt', { sessionId: session, prompt });
  }

  /** Returns onceover's answer to a request of the agent. */
  function answer(events: AgentEvents, id: unknown, method: string, params: Readonly<Record<string, unknown>>): Heard {
    const isId = Number.isSafeInteger(id) || (typeof id === 'string' && id.length <= 200);
    if (!isId) return failCall(events, agentError('sent a request with an unusable id'));
    const refuse = (code: number, message: string) => rpc({ id, error: { code, message } });
    if (method === 'session/request_permission') {
      const reject = arrayAt(params, 'options').find((option) => /^reject_/.test(stringAt(option, 'kind') ?? ''));
      const optionId = stringAt(reject, 'optionId');
      const outcome = optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId };
      return { events, send: rpc({ id, result: { outcome } }), isActive: true };
    }
    if (method !== 'fs/read_text_file') {
      return { events, send: refuse(-32_601, 'onceover allows no writes and no commands'), isActive: true };
    }
    const path = shownPath(stringAt(params, 'path') ?? '');
    const file = path === null ? null : readText(place.cwd, path, LONGEST_FILE);
    if (path === null || file?.kind !== 'text') {
      return { events, send: refuse(-32_602, 'this file is not among the files under review'), isActive: true };
    }
    const from = Math.max(1, numberAt(params, 'line')) - 1;
    const limit = isAmount(params['limit']) ? params['limit'] : Number.POSITIVE_INFINITY;
    const content =
      from === 0 && limit === Number.POSITIVE_INFINITY
        ? file.text
        : file.text
            .split('\n')
            .slice(from, from + limit)
            .join('\n');
    return { events: withFiles(events, [path]), send: rpc({ id, result: { content } }), isActive: true };
  }

  /** Returns a path relative to the reviewed files; `null` for a path outside them. */
  function shownPath(path: string): string | null {
    const base = [place.cwd, place.root].find((folder) => isInside(path, folder));
    const inside = isAbsolute(path) ? (base === undefined ? null : relative(base, path)) : path;
    return inside === null || inside === '' || !isInside(join(place.cwd, inside), place.cwd) ? null : inside;
  }

  function withFiles(events: AgentEvents, paths: readonly string[]): AgentEvents {
    const newPaths = paths.filter((path) => !events.filesRead.includes(path));
    return { ...events, filesRead: [...events.filesRead, ...newPaths].slice(0, MOST_FILES) };
  }

  function update(events: AgentEvents, params: Readonly<Record<string, unknown>>): AgentEvents {
    const sessionUpdate = objectAt(params, 'update');
    const isPrompted = pending?.step === 'session/prompt';
    if (session !== null && params['sessionId'] !== session) return events;
    if (sessionUpdate['sessionUpdate'] === 'usage_update')
      return withCost(events, objectAt(sessionUpdate, 'cost'), isPrompted);
    // While a session is loaded, the agent repeats its old messages. They are not part of the answer.
    if (!isPrompted) return events;
    switch (sessionUpdate['sessionUpdate']) {
      case 'agent_message_chunk': {
        const id = stringAt(sessionUpdate, 'messageId');
        const isNext = id !== null && message !== null && id !== message;
        message = id ?? message;
        const chunk = stringAt(objectAt(sessionUpdate, 'content'), 'text') ?? '';
        const text = isNext ? joinTexts(events.text, chunk) : events.text + chunk;
        if (text.length > LONGEST_ANSWER) return { ...events, failure: TOO_LONG };
        return { ...withProgress(events), text };
      }
      case 'user_message_chunk':
        return asDraft(events);
      case 'agent_thought_chunk':
        return withProgress(events);
      case 'tool_call':
      case 'tool_call_update': {
        const isRead = sessionUpdate['kind'] === 'read';
        const paths = arrayAt(sessionUpdate, 'locations')
          .slice(0, MOST_FILES)
          .map((location) => shownPath(stringAt(location, 'path') ?? ''));
        const readPaths = isRead ? paths.filter((path) => path !== null) : [];
        const title = stringAt(sessionUpdate, 'title');
        return withFiles(withToolCall(events, title === null ? events.doing : shorten(title), []), readPaths);
      }
      default:
        return events;
    }
  }

  /**
   * Stores the cost of the session so far. If the cost before this call is known, the difference is the cost of this
   * call.
   */
  function withCost(events: AgentEvents, cost: Readonly<Record<string, unknown>>, isPrompted: boolean): AgentEvents {
    const amount = cost['currency'] === 'USD' && isAmount(cost['amount']) ? cost['amount'] : null;
    if (amount === null) return events;
    if (!isPrompted) costBefore = amount;
    const callCost = costBefore === null ? null : Math.max(0, amount - costBefore);
    return isPrompted ? { ...events, usage: { ...(events.usage ?? NO_USAGE), costUsd: callCost } } : events;
  }

  function conclude(events: AgentEvents, result: Readonly<Record<string, unknown>>): Heard {
    const finalEvents = { ...events, usage: usageOf(result, events.usage) };
    const reason = stringAt(result, 'stopReason');
    switch (reason) {
      case 'end_turn':
        return { events: { ...finalEvents, done: true }, send: '', isActive: true };
      case 'max_tokens':
        return failCall(finalEvents, { ...TOO_LONG, said: shorten(events.text) });
      default:
        return failCall(finalEvents, agentError(`ended the review with the reason "${shorten(reason ?? 'none')}"`));
    }
  }

  return { opening, hear };
}

const READ_ONLY = 'read-only';

const TOO_LONG = { kind: 'unreadable-answer', why: 'truncated', said: '' } as const;

const NO_USAGE: Usage = { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0, costUsd: null };

function rpc(message: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
}

function agentError(behaviour: string): AgentFailure {
  return { kind: 'agent-error', said: shorten(`the agent ${behaviour}`) };
}

function failCall(events: AgentEvents, failure: AgentFailure): Heard {
  return { events: { ...events, failure }, send: '', isActive: true };
}

const LOGIN_REQUIRED = -32_000;

function rpcFailure(step: Step, error: Readonly<Record<string, unknown>>, now: Date): AgentFailure {
  const data = error['data'];
  const details = typeof data === 'string' ? data : data === undefined ? '' : JSON.stringify(data);
  const text = shorten(`${step}: ${stringAt(error, 'message') ?? 'error'} ${details.slice(0, 2000)}`);
  const isResume = step === 'session/load' || step === 'session/resume';
  if (error['code'] === LOGIN_REQUIRED) return { kind: 'not-logged-in', said: text };
  const failure = errorFailure(text, null, now);
  return isResume && failure.kind === 'agent-error' ? { kind: 'session-lost', said: text } : failure;
}

/**
 * Returns the usage that the agent reports with its answer; `null` if the tokens are unknown, even if a cost is
 * reported.
 */
function usageOf(result: Readonly<Record<string, unknown>>, before: Usage | null): Usage | null {
  const usage = result['usage'];
  if (!isRecord(usage)) return null;
  const [input, outputTokens] = [numberAt(usage, 'inputTokens'), numberAt(usage, 'outputTokens')];
  const [cachedInputTokens, cacheWriteTokens] = [
    numberAt(usage, 'cachedReadTokens'),
    numberAt(usage, 'cachedWriteTokens'),
  ];
  // The protocol does not say whether the input includes tokens from the cache. In Copilot CLI it does: the total that it
  // reports is exactly input plus output.
  const isWithCache = numberAt(usage, 'totalTokens') === input + outputTokens;
  return {
    inputTokens: isWithCache ? Math.max(0, input - cachedInputTokens - cacheWriteTokens) : input,
    ...{ cachedInputTokens, cacheWriteTokens, outputTokens },
    costUsd: before?.costUsd ?? null,
  };
}
