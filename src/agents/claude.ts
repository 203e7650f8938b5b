import type { AgentFailure } from '../domain/agent.ts';
import { isRecord } from '../domain/is-record.ts';
import { addUsage, type Usage } from '../domain/usage.ts';
import type { Agent, Heard } from './agent.ts';
import { list, number, part, readEvent, text } from './events.ts';
import { errorFailure, shorten } from './signs.ts';

const SESSION_LOST = /No conversation found|requires a valid session ID/i;

/** Claude Code. The stable part is its system prompt: the only text that two fresh dispatches share in the cache. */
export const claude: Agent = {
  name: 'claude',
  program: 'claude',
  testedVersion: '2.1.325',
  abilities: { schema: true, readOnly: 'tools', usage: 'dispatch', stablePart: 'cached', stopHook: 'yes' },
  canFix: true,
  // Half of a context of 200,000 tokens.
  diffLimit: 400_000,
  warmMinutes: { '5m': 5, '1h': 60 },
  install: 'npm install -g @anthropic-ai/claude-code',
  variables: [
    'ANTHROPIC_*',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_USE_*',
    'CLAUDE_CONFIG_DIR',
    'AWS_*',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'CLOUD_ML_REGION',
    'VERTEX_*',
  ],

  invoke(question, put) {
    return {
      args: [
        '-p',
        '--output-format',
        'stream-json',
        '--verbose',
        ...(question.model === null ? [] : ['--model', question.model]),
        '--tools',
        ...(question.writes === true
          ? ['Read,Grep,Glob,Edit,Write', '--permission-mode', 'acceptEdits']
          : ['Read,Grep,Glob']),
        // Nothing of the repository under review: no hooks, no settings, no CLAUDE.md, no MCP servers.
        '--setting-sources=',
        '--strict-mcp-config',
        '--system-prompt-file',
        put('stable.md', question.stable),
        '--json-schema',
        JSON.stringify(question.schema),
        ...(question.sessionId === null ? ['--session-id', question.newSessionId] : ['--resume', question.sessionId]),
      ],
      env: {
        CLAUDE_CODE_ATTRIBUTION_HEADER: '0',
        CLAUDE_CODE_MAX_RETRIES: '2',
        API_TIMEOUT_MS: String(question.timeoutSeconds * 1000),
        DISABLE_AUTOUPDATER: '1',
        ...(question.cacheTtl === '1h' ? { ENABLE_PROMPT_CACHING_1H: '1' } : {}),
      },
      input: question.dynamic,
    };
  },

  hear(heard, line, now) {
    const event = readEvent(line);
    if (event === null) return heard;
    switch (event['type']) {
      case 'system':
        return event['subtype'] === 'init'
          ? { ...heard, sessionId: text(event, 'session_id'), model: text(event, 'model'), doing: 'reading' }
          : heard;
      case 'assistant':
        return hearMessage(heard, event);
      case 'result':
        return hearResult(heard, event, now);
      default:
        return heard;
    }
  },

  explain(stderr) {
    return SESSION_LOST.test(stderr) ? { kind: 'session-lost', said: shorten(stderr) } : null;
  },
};

function hearMessage(heard: Heard, event: Readonly<Record<string, unknown>>): Heard {
  const message = part(event, 'message');
  let { doing, filesRead } = heard;
  for (const block of list(message, 'content')) {
    if (text(block, 'type') !== 'tool_use' || text(block, 'name') === 'StructuredOutput') continue;
    const path = text(part(block, 'input'), 'file_path');
    if (text(block, 'name') === 'Read' && path !== null) filesRead = [...filesRead, path];
    doing = [text(block, 'name'), path ?? text(part(block, 'input'), 'pattern')]
      .filter((one) => one !== null)
      .join(' ');
  }
  return { ...heard, doing, filesRead, begun: true, ...countMessage(heard, message) };
}

// Each block of a message is an event of its own, with the usage of the whole; the last event has the exact sum.
function countMessage(
  { usage: sum, counted }: Heard,
  message: Readonly<Record<string, unknown>>,
): Pick<Heard, 'usage' | 'counted'> {
  const id = text(message, 'id');
  const usage = usageOf(message);
  if (usage === null || id === null || id === counted) return { usage: sum, counted };
  return { usage: addUsage(sum, usage), counted: id };
}

function hearResult(heard: Heard, event: Readonly<Record<string, unknown>>, now: Date): Heard {
  const said = text(event, 'result') ?? list(event, 'errors').map(String).join('; ');
  const failed = event['is_error'] === true || text(event, 'subtype')?.startsWith('error') === true;
  return {
    ...heard,
    sessionId: text(event, 'session_id') ?? heard.sessionId,
    text: said,
    structured: event['structured_output'],
    usage: usageOf(event) ?? heard.usage,
    done: !failed,
    failure: failed ? failureOf(said, event, now) : null,
  };
}

// API failures say subtype "success"; only is_error tells.
function failureOf(said: string, event: Readonly<Record<string, unknown>>, now: Date): AgentFailure {
  if (SESSION_LOST.test(said)) return { kind: 'session-lost', said: shorten(said) };
  const status = number(event, 'api_error_status');
  return errorFailure(said === '' ? (text(event, 'subtype') ?? 'error') : said, status === 0 ? null : status, now);
}

// `usage` is this dispatch's; total_cost_usd adds up over the session, so it is a dispatch's own only when fresh.
function usageOf(event: Readonly<Record<string, unknown>>): Usage | null {
  const usage = event['usage'];
  if (!isRecord(usage)) return null;
  const sinceLast = part(event, 'model_usage_since_last_result');
  const costs = Object.values(sinceLast).map((model) => number(model, 'costUSD'));
  return {
    inputTokens: number(usage, 'input_tokens'),
    cachedInputTokens: number(usage, 'cache_read_input_tokens'),
    cacheWriteTokens: number(usage, 'cache_creation_input_tokens'),
    outputTokens: number(usage, 'output_tokens'),
    costUsd: costs.length === 0 ? null : costs.reduce((sum, one) => sum + one, 0),
  };
}
