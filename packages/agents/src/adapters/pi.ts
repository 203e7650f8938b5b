import { addUsage, type Usage } from '@onceover/base/kernel/agent';
import { isRecord } from '@onceover/base/kernel/json';
import { isAmount } from '@onceover/base/kernel/shape';
import { loginVariable } from './access.ts';
import type { Agent, AgentEvents } from './agent.ts';
import {
  arrayAt,
  asDraft,
  errorFailure,
  numberAt,
  objectAt,
  readEvent,
  stringAt,
  withBadEnd,
  withFailure,
  withFileTool,
  withProgress,
  withRequest,
  withRetry,
  withText,
} from './parse-output.ts';

/** Pi. It has no option for a JSON schema, so onceover reads the answer from its text. */
export const pi: Agent = {
  name: 'pi',
  program: 'pi',
  testedVersion: '0.87.1',
  abilities: {
    schema: false,
    readOnly: 'tools',
    usage: 'dispatch',
    stablePart: 'cached',
    stopHook: 'none',
    fork: 'cached',
  },
  // Pi's tools that edit files accept every path, so it could write outside the working tree.
  canFix: false,
  diffLimit: 300_000,
  priceProvider: 'in-model',
  install: 'npm install -g @earendil-works/pi-coding-agent',
  variables: ['PI_CODING_AGENT_DIR', 'ANTHROPIC_*', 'OPENAI_*', 'GEMINI_*', 'GOOGLE_*', 'OPENROUTER_API_KEY'],
  access: {
    credentials: '.pi/agent/auth.json',
    logIn: 'start "pi" and type "/login", or set the API key of your provider',
    judgeLogin({ hasCredentials, env }) {
      const names = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'];
      const variable = loginVariable(env, names);
      if (variable !== null) return variable;
      return hasCredentials ? { state: 'yes', why: '~/.pi/agent/auth.json' } : { state: 'unknown', why: null };
    },
    // The address depends on the model that the user has chosen, so it is unknown here.
    service: () => null,
  },
  sessionLost: /no session found/i,

  invoke(question, putFile) {
    return {
      args: [
        ...['--print', '--mode', 'json', '--offline', '--no-approve'],
        ...['--no-extensions', '--no-skills', '--no-prompt-templates', '--no-themes', '--no-context-files'],
        ...['--tools', 'read,grep,find,ls', '--system-prompt', putFile('stable.md', question.stable)],
        ...(question.model === null ? [] : ['--model', question.model]),
        ...(question.sessionId === null ? ['--session-id', question.newSessionId] : ['--session', question.sessionId]),
        ...(question.forkOf === undefined ? [] : ['--fork', question.forkOf]),
      ],
      env: { PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' },
      input: question.dynamic,
    };
  },

  hear(events, line, now) {
    const event = readEvent(line);
    if (event === null) return events;
    switch (event['type']) {
      case 'session':
        return { ...events, sessionId: stringAt(event, 'id') ?? events.sessionId };
      case 'message_update':
        return withProgress(events);
      case 'message_end':
        return readMessage(events, objectAt(event, 'message'), now);
      case 'tool_execution_start': {
        const [name, args] = [stringAt(event, 'toolName') ?? 'a tool', objectAt(event, 'args')];
        const tool = { name, path: stringAt(args, 'path'), pattern: stringAt(args, 'pattern') };
        return withFileTool(events, tool, 'read');
      }
      case 'auto_retry_start':
        return withRetry(events, errorFailure(stringAt(event, 'errorMessage') ?? 'error', null, now));
      case 'agent_end':
      case 'agent_settled':
        if (event['willRetry'] === true) return events;
        if (events.trouble !== null) return withFailure(events, events.trouble);
        return { ...events, done: event['type'] === 'agent_settled' };
      default:
        return events;
    }
  },
};

/**
 * Adds a message of the model to the state of the call. The text of a failed message becomes a draft, because it may
 * contain a refusal.
 */
function readMessage(events: AgentEvents, message: Readonly<Record<string, unknown>>, now: Date): AgentEvents {
  if (message['role'] !== 'assistant') return events;
  const usage = usageOf(objectAt(message, 'usage'));
  const text = arrayAt(message, 'content')
    .map((part) => (isRecord(part) && part['type'] === 'text' ? (stringAt(part, 'text') ?? '') : ''))
    .join('');
  const isBilled = usage.inputTokens + usage.cachedInputTokens + usage.cacheWriteTokens + usage.outputTokens > 0;
  const eventsWithUsage = isBilled
    ? { ...events, usage: addUsage(events.usage, usage), requests: withRequest(events.requests, usage) }
    : events;
  const [provider, name] = [stringAt(message, 'provider'), stringAt(message, 'model')];
  const model = provider === null || name === null ? events.model : `${provider}/${name}`;
  const eventsWithText = withText({ ...eventsWithUsage, model }, text);
  const reason = stringAt(message, 'stopReason');
  switch (reason) {
    case 'stop':
    case 'toolUse':
      return withProgress(eventsWithText);
    case 'error': {
      // Pi may retry after this, so the error is not final yet.
      const error = stringAt(message, 'errorMessage') ?? 'error';
      return { ...asDraft(eventsWithText), trouble: errorFailure(error, null, now) };
    }
    default:
      return withBadEnd(eventsWithText, reason);
  }
}

// `input` does not include cached tokens. For a model that is not in its price list, Pi reports a cost of 0, which
// means unknown.
function usageOf(usage: Readonly<Record<string, unknown>>): Usage {
  const cost = objectAt(usage, 'cost')['total'];
  return {
    inputTokens: numberAt(usage, 'input'),
    cachedInputTokens: numberAt(usage, 'cacheRead'),
    cacheWriteTokens: numberAt(usage, 'cacheWrite'),
    outputTokens: numberAt(usage, 'output'),
    costUsd: isAmount(cost) && cost > 0 ? cost : null,
  };
}
