import { addUsage, type Usage } from '@onceover/base/kernel/agent';
import { isRecord } from '@onceover/base/kernel/json';
import { MOST_RETRIES } from '@onceover/base/kernel/ports';
import { parseJson } from '@onceover/base/platform/private-files';
import type { Agent, AgentEvents, AgentQuestion } from './agent.ts';
import {
  arrayAt,
  asDraft,
  errorFailure,
  numberAt,
  objectAt,
  readEvent,
  stringAt,
  withFailure,
  withFileTool,
  withProgress,
  withRequest,
  withRetry,
  withText,
} from './parse-output.ts';

/**
 * Claude Code. In new sessions, only the system prompt is found in the provider's cache, so the part of the prompt that
 * several calls share goes there.
 */
export const claude: Agent = {
  name: 'claude',
  program: 'claude',
  testedVersion: '2.1.325',
  abilities: {
    schema: true,
    readOnly: 'tools',
    usage: 'dispatch',
    stablePart: 'cached',
    stopHook: 'yes',
    fork: 'cached',
  },
  canFix: true,
  // 400,000 characters are about 100,000 tokens: half of a context window of 200,000 tokens.
  diffLimit: 400_000,
  priceProvider: 'anthropic',
  install: 'npm install -g @anthropic-ai/claude-code',
  variables: [
    ...['ANTHROPIC_*', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_*', 'CLAUDE_CONFIG_DIR'],
    ...['AWS_*', 'GOOGLE_APPLICATION_CREDENTIALS', 'CLOUD_ML_REGION', 'VERTEX_*'],
  ],
  access: {
    status: { args: ['auth', 'status'], since: '2.1.325' },
    logIn: 'run "claude auth login", or set ANTHROPIC_API_KEY',
    judgeLogin({ status }) {
      const authStatus = parseJson(/\{[\s\S]*\}/.exec(status?.output ?? '')?.[0] ?? '');
      if (!isRecord(authStatus) || typeof authStatus['loggedIn'] !== 'boolean') return { state: 'unknown', why: null };
      const by = authStatus['apiKeySource'] ?? authStatus['authMethod'];
      return { state: authStatus['loggedIn'] ? 'yes' : 'no', why: typeof by === 'string' ? by : null };
    },
    service({ env }) {
      const isElsewhere = Object.keys(env).some((name) => name.startsWith('CLAUDE_CODE_USE_'));
      return isElsewhere ? null : (env['ANTHROPIC_BASE_URL'] ?? 'https://api.anthropic.com');
    },
  },
  sessionLost: /No conversation found|requires a valid session ID/i,

  invoke(question, putFile) {
    return {
      args: [
        ...['-p', '--output-format', 'stream-json', '--verbose'],
        // Without partial messages, there would be no event until a whole block of the answer is complete.
        '--include-partial-messages',
        ...(question.model === null ? [] : ['--model', question.model]),
        ...['--tools', question.writes === true ? 'Read,Grep,Glob,Edit,Write' : 'Read,Grep,Glob'],
        ...(question.writes === true ? ['--permission-mode', 'acceptEdits'] : []),
        // Load nothing from the repository under review: no hooks, settings, CLAUDE.md or MCP servers.
        ...['--setting-sources=', '--strict-mcp-config'],
        ...['--system-prompt-file', putFile('stable.md', question.stable)],
        ...['--json-schema', JSON.stringify(question.schema)],
        ...sessionOptions(question),
      ],
      env: {
        CLAUDE_CODE_ATTRIBUTION_HEADER: '0',
        CLAUDE_CODE_MAX_RETRIES: String(Math.min(question.mostRetries ?? MOST_RETRIES, MOST_RETRIES)),
        // Without this setting, Claude Code repeats a request whose answer was cut off, and no event reports the retry.
        CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
        API_TIMEOUT_MS: String(question.timeoutSeconds * 1000),
        DISABLE_AUTOUPDATER: '1',
        ...(question.cacheTtl === '1h' ? { ENABLE_PROMPT_CACHING_1H: '1' } : {}),
      },
      input: question.dynamic,
    };
  },

  hear(events, line, now) {
    const event = readEvent(line);
    if (event === null) return events;
    switch (event['type']) {
      case 'system':
        return readSystem(events, event, now);
      case 'stream_event':
        // The request reached the model, but its answer may still be cut off, so do not reset the number of retries in
        // a row.
        return { ...events, begun: true, trouble: null };
      case 'assistant':
        return readMessage(events, event);
      case 'result':
        return readResult(events, event, now);
      default:
        return events;
    }
  },
};

function sessionOptions({ sessionId, forkOf, newSessionId }: AgentQuestion): readonly string[] {
  if (sessionId !== null) return ['--resume', sessionId];
  return [...(forkOf === undefined ? [] : ['--resume', forkOf, '--fork-session']), '--session-id', newSessionId];
}

function readSystem(events: AgentEvents, event: Readonly<Record<string, unknown>>, now: Date): AgentEvents {
  switch (event['subtype']) {
    case 'init':
      return { ...events, sessionId: stringAt(event, 'session_id'), model: stringAt(event, 'model'), doing: 'reading' };
    case 'api_retry': {
      const status = numberAt(event, 'error_status');
      const message = `${stringAt(event, 'error') ?? 'error'}${status === 0 ? '' : ` (HTTP status ${status})`}`;
      const failure = errorFailure(message, status, now);
      const resetAt = new Date(now.getTime() + numberAt(event, 'retry_delay_ms'));
      return withRetry(events, failure.kind === 'limit' ? { ...failure, resetAt } : failure);
    }
    default:
      return events;
  }
}

function readMessage(before: AgentEvents, event: Readonly<Record<string, unknown>>): AgentEvents {
  const message = objectAt(event, 'message');
  // Claude Code reports its own errors as messages with this model name.
  const isReal = stringAt(message, 'model') !== '<synthetic>';
  let events: AgentEvents = { ...(isReal ? withProgress(before) : before), ...countMessage(before, message) };
  if (!isReal) return events;
  for (const block of arrayAt(message, 'content')) {
    const input = objectAt(block, 'input');
    const name = stringAt(block, 'name');
    if (name === 'StructuredOutput') events = { ...asDraft(events), text: JSON.stringify(input) };
    if (name === null) events = withText(events, stringAt(block, 'text'));
    if (name === null || name === 'StructuredOutput') continue;
    const [path, pattern] = [stringAt(input, 'file_path'), stringAt(input, 'pattern')];
    events = withFileTool(events, { name, path, pattern }, 'Read');
  }
  return events;
}

// Each block of a message is an event with the usage of the whole message, so each message is counted only once. Later,
// the result event replaces this sum by the exact usage.
function countMessage(
  { usage: sum, counted, requests }: AgentEvents,
  message: Readonly<Record<string, unknown>>,
): Pick<AgentEvents, 'usage' | 'counted' | 'requests'> {
  const id = stringAt(message, 'id');
  const usage = usageOf(message);
  if (usage === null || id === null || id === counted) return { usage: sum, counted, requests };
  return { usage: addUsage(sum, usage), counted: id, requests: withRequest(requests, usage) };
}

function readResult(events: AgentEvents, event: Readonly<Record<string, unknown>>, now: Date): AgentEvents {
  const resultText = stringAt(event, 'result') ?? arrayAt(event, 'errors').map(String).join('; ');
  const subtype = stringAt(event, 'subtype') ?? '';
  // API failures also have the subtype "success", so check `is_error` too.
  const hasFailed = event['is_error'] === true || subtype.startsWith('error');
  const status = numberAt(event, 'api_error_status');
  // The final result usually repeats the answer, but not the text that came before it. If the text is not repeated, it
  // becomes a draft.
  const isRepeated = resultText.includes(events.text) || isRecord(parseJson(events.text));
  const finalEvents = {
    ...(hasFailed || isRepeated ? events : asDraft(events)),
    sessionId: stringAt(event, 'session_id') ?? events.sessionId,
    text: hasFailed ? events.text : resultText,
    structured: event['structured_output'],
    usage: usageOf(event) ?? events.usage,
    done: !hasFailed,
  };
  if (!hasFailed) return { ...finalEvents, failure: null };
  return withFailure(finalEvents, errorFailure(resultText || subtype || 'error', status, now, claude.sessionLost));
}

// `usage` covers only this call, but `total_cost_usd` covers the whole session. So add up the costs of the models.
function usageOf(event: Readonly<Record<string, unknown>>): Usage | null {
  const usage = event['usage'];
  if (!isRecord(usage)) return null;
  const sinceLast = objectAt(event, 'model_usage_since_last_result');
  const costs = Object.values(sinceLast).map((model) => numberAt(model, 'costUSD'));
  return {
    inputTokens: numberAt(usage, 'input_tokens'),
    cachedInputTokens: numberAt(usage, 'cache_read_input_tokens'),
    cacheWriteTokens: numberAt(usage, 'cache_creation_input_tokens'),
    outputTokens: numberAt(usage, 'output_tokens'),
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  };
}
