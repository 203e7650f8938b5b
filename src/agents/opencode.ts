import { addUsage, type Usage } from '../domain/usage.ts';
import type { Agent, Heard } from './agent.ts';
import { number, part, readEvent, text } from './events.ts';
import { errorFailure, shorten } from './signs.ts';

const REVIEWER = 'onceover-reviewer';

// Merged over the user's own settings for this dispatch only. Without bash: its patterns do not hold (a permitted
// "git log" may write by redirection).
function config(prompt: string, writes: boolean): object {
  const tools = {
    write: writes,
    edit: writes,
    patch: writes,
    bash: false,
    webfetch: false,
    task: false,
    todowrite: false,
  };
  const permission = { edit: writes ? 'allow' : 'deny', bash: 'deny', webfetch: 'deny', external_directory: 'deny' };
  const reviewer = {
    description: writes ? 'Reads and mends' : 'Reads and judges',
    mode: 'primary',
    prompt,
    tools,
    permission,
  };
  return { autoupdate: false, share: 'disabled', agent: { [REVIEWER]: reviewer } };
}

/** opencode. The stable part is its system prompt. It has no schema option here, so its answer is taken from its text. */
export const opencode: Agent = {
  name: 'opencode',
  program: 'opencode',
  testedVersion: '1.18.33',
  abilities: { schema: false, readOnly: 'tools', usage: 'dispatch', stablePart: 'cached', stopHook: 'none' },
  // It follows links out of the working tree, and writes to the git folder.
  canFix: false,
  // It is whatever model its user chose.
  diffLimit: 300_000,
  warmMinutes: { '5m': 5, '1h': 5 },
  install: 'npm install -g opencode-ai',
  variables: [
    'OPENCODE_API_KEY',
    'OPENCODE_CONFIG',
    'OPENCODE_CONFIG_DIR',
    'ANTHROPIC_*',
    'OPENAI_*',
    'GEMINI_*',
    'GOOGLE_*',
  ],

  // Neither its switch for plug-ins nor the one for the configuration of a project keeps these out every time.
  loads: ['.opencode'],

  invoke(question, put) {
    return {
      args: [
        'run',
        '--pure',
        '--format',
        'json',
        '--agent',
        REVIEWER,
        ...(question.model === null ? [] : ['--model', question.model]),
        // With a title given, it does not ask the model for one.
        ...(question.sessionId === null ? ['--title', 'onceover review'] : ['--session', question.sessionId]),
      ],
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(
          config(`{file:${put('stable.md', question.stable)}}`, question.writes === true),
        ),
        OPENCODE_DISABLE_PROJECT_CONFIG: '1',
        OPENCODE_DISABLE_CLAUDE_CODE: '1',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      },
      input: question.dynamic,
    };
  },

  hear(heard, line, now) {
    const event = readEvent(line);
    if (event === null) return heard;
    // It says nothing before the model does.
    const known = { ...heard, begun: true, sessionId: text(event, 'sessionID') ?? heard.sessionId };
    const body = part(event, 'part');
    switch (event['type']) {
      case 'text':
        return { ...known, text: text(body, 'text') ?? known.text };
      case 'tool_use':
        return hearTool(known, body);
      case 'step_finish':
        return hearStep({ ...known, usage: addUsage(known.usage, usageOf(body)) }, text(body, 'reason') ?? 'unknown');
      case 'error': {
        const error = part(event, 'error');
        const status = number(part(error, 'data'), 'statusCode');
        const said = text(part(error, 'data'), 'message') ?? text(error, 'name') ?? 'error';
        return { ...known, failure: errorFailure(said, status === 0 ? null : status, now) };
      }
      default:
        return known;
    }
  },

  explain(stderr) {
    return /session not found/i.test(stderr) ? { kind: 'session-lost', said: shorten(stderr) } : null;
  },
};

// Only "stop" is an end: after "unknown" it would ask again without end, and "length" is an answer that is cut off.
function hearStep(heard: Heard, reason: string): Heard {
  switch (reason) {
    case 'stop':
      return { ...heard, done: true };
    case 'tool-calls':
      return heard;
    case 'length':
      return { ...heard, failure: { kind: 'unreadable-answer', why: 'truncated', said: shorten(heard.text) } };
    default:
      return { ...heard, failure: { kind: 'agent-error', said: `the model's answer ended as "${reason}"` } };
  }
}

// What was said before a tool was used is commentary; the answer comes after the last.
function hearTool(heard: Heard, body: Readonly<Record<string, unknown>>): Heard {
  const path = text(part(part(body, 'state'), 'input'), 'filePath');
  const name = text(body, 'tool') ?? 'a tool';
  return {
    ...heard,
    text: '',
    doing: path === null ? name : `${name} ${path}`,
    filesRead: name === 'read' && path !== null ? [...heard.filesRead, path] : heard.filesRead,
  };
}

// Each step tells its own; `input` is what came from no cache.
function usageOf(step: Readonly<Record<string, unknown>>): Usage {
  const tokens = part(step, 'tokens');
  const cache = part(tokens, 'cache');
  return {
    inputTokens: number(tokens, 'input'),
    cachedInputTokens: number(cache, 'read'),
    cacheWriteTokens: number(cache, 'write'),
    outputTokens: number(tokens, 'output') + number(tokens, 'reasoning'),
    costUsd: number(step, 'cost'),
  };
}
