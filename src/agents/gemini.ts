import type { Usage } from '../domain/usage.ts';
import { type Agent, type Heard, oneText } from './agent.ts';
import { number, part, readEvent, text } from './events.ts';
import { errorFailure, shorten } from './signs.ts';

// Over the user's own settings, for this dispatch only: no tools but those that read, nothing of the repository under
// review, one attempt a request, and sessions that are not cleaned away under us.
const settings = (writes: boolean) => ({
  general: {
    enableAutoUpdate: false,
    enableAutoUpdateNotification: false,
    maxAttempts: 1,
    sessionRetention: { enabled: false },
  },
  tools: { core: [...READING, ...(writes ? WRITING : [])] },
  context: { includeDirectoryTree: false },
  hooksConfig: { enabled: false },
  security: { folderTrust: { enabled: false } },
});

const READING = ['read_file', 'read_many_files', 'list_directory', 'glob', 'search_file_content', 'grep_search'];
const WRITING = ['replace', 'write_file'];

/** Gemini CLI. It has no schema option, so its answer is taken from its text. */
export const gemini: Agent = {
  name: 'gemini',
  program: 'gemini',
  testedVersion: '0.61.0',
  abilities: { schema: false, readOnly: 'tools', usage: 'dispatch', stablePart: 'cached', stopHook: 'when-trusted' },
  canFix: true,
  // Its models take a million tokens; it cuts off what is longer than 8 MiB.
  diffLimit: 1_000_000,
  warmMinutes: { '5m': 5, '1h': 5 },
  install: 'npm install -g @google/gemini-cli',
  variables: ['GEMINI_*', 'GOOGLE_*'],

  invoke(question, put) {
    return {
      args: [
        '--output-format',
        'stream-json',
        ...(question.model === null ? [] : ['--model', question.model]),
        ...(question.writes === true ? ['--approval-mode', 'auto_edit'] : []),
        '--extensions',
        'none',
        '--allowed-mcp-server-names',
        'none',
        ...(question.sessionId === null ? ['--session-id', question.newSessionId] : ['--resume', question.sessionId]),
      ],
      env: {
        GEMINI_CLI_SYSTEM_SETTINGS_PATH: put('settings.json', JSON.stringify(settings(question.writes === true))),
        // Not trusted, and not asked about it: no settings, instructions or servers of the repository under review.
        GEMINI_CLI_TRUST_WORKSPACE: 'false',
        GEMINI_CLI_NO_RELAUNCH: 'true',
      },
      input: oneText(question),
    };
  },

  hear(heard, line, now) {
    const event = readEvent(line);
    if (event === null) return heard;
    switch (event['type']) {
      case 'init':
        return { ...heard, sessionId: text(event, 'session_id'), model: text(event, 'model'), doing: 'reading' };
      case 'message':
        if (event['role'] !== 'assistant') return heard;
        return { ...heard, begun: true, text: heard.text + (text(event, 'content') ?? '') };
      case 'tool_use':
        return hearTool(heard, event);
      case 'result':
        if (event['status'] === 'success') return { ...heard, usage: usageOf(part(event, 'stats')), done: true };
        return { ...heard, failure: errorFailure(text(part(event, 'error'), 'message') ?? 'error', null, now) };
      default:
        return heard;
    }
  },

  explain(stderr) {
    return /session.*(?:not found|invalid)|no previous sessions|invalid session identifier/i.test(stderr)
      ? { kind: 'session-lost', said: shorten(stderr) }
      : null;
  },
};

// What was said before a tool was used is commentary; the answer comes after the last.
function hearTool(heard: Heard, event: Readonly<Record<string, unknown>>): Heard {
  const parameters = part(event, 'parameters');
  const path = text(parameters, 'file_path') ?? text(parameters, 'absolute_path');
  const name = text(event, 'tool_name') ?? 'a tool';
  return {
    ...heard,
    begun: true,
    text: '',
    doing: path === null ? name : `${name} ${path}`,
    filesRead: name === 'read_file' && path !== null ? [...heard.filesRead, path] : heard.filesRead,
  };
}

// `input` is what came from no cache; the figures are this run's.
function usageOf(stats: Readonly<Record<string, unknown>>): Usage {
  return {
    inputTokens: number(stats, 'input'),
    cachedInputTokens: number(stats, 'cached'),
    cacheWriteTokens: 0,
    outputTokens: number(stats, 'output_tokens'),
    costUsd: null,
  };
}
