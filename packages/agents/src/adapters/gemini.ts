import type { Usage } from '@onceover/base/kernel/agent';
import { sentText } from '@onceover/base/kernel/prompt';
import { loginVariable } from './access.ts';
import type { Agent, AgentEvents } from './agent.ts';
import {
  errorFailure,
  numberAt,
  objectAt,
  readEvent,
  stringAt,
  withFailure,
  withFileTool,
  withProgress,
} from './parse-output.ts';

// These settings override the user's for this call. They allow only tools that read files (for a fixing agent, also
// edits), turn off hooks and skills, allow one attempt per request, and keep sessions, which may be resumed later.
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
  skills: { enabled: false },
  // Even in an untrusted workspace, Gemini CLI would take an API key and a project from the repository's .env file.
  advanced: { ignoreLocalEnv: true },
  security: { folderTrust: { enabled: false } },
});

const READING = ['read_file', 'read_many_files', 'list_directory', 'glob', 'search_file_content', 'grep_search'];

const WRITING = ['replace', 'write_file'];

/** Gemini CLI. It has no option for a JSON schema, so onceover reads the answer from its text. */
export const gemini: Agent = {
  name: 'gemini',
  program: 'gemini',
  testedVersion: '0.61.0',
  resumeFailure: { test: 'V2', how: 'it sends the results of its tools twice when it is resumed' },
  abilities: {
    schema: false,
    readOnly: 'tools',
    usage: 'dispatch',
    stablePart: 'cached',
    stopHook: 'when-trusted',
    fork: 'none',
  },
  canFix: true,
  // A million characters are about a quarter of what the models accept. The CLI cuts off input after 8 MiB.
  diffLimit: 1_000_000,
  priceProvider: 'google',
  install: 'npm install -g @google/gemini-cli',
  variables: ['GEMINI_*', 'GOOGLE_*'],
  access: {
    settings: '.gemini/settings.json',
    credentials: '.gemini/oauth_creds.json',
    logIn: 'start "gemini" once and log in, or set GEMINI_API_KEY',
    judgeLogin({ settings, hasCredentials, env }) {
      const names = ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA'];
      const variable = loginVariable(env, names);
      if (variable !== null) return variable;
      if (hasCredentials) return { state: 'yes', why: '~/.gemini/oauth_creds.json' };
      // If the settings name a kind of login, the login itself may be in the system's key store, which onceover does
      // not read.
      return { state: settings?.includes('selectedType') === true ? 'unknown' : 'no', why: null };
    },
    service({ env }) {
      if (loginVariable(env, ['GOOGLE_GENAI_USE_VERTEXAI']) !== null) return null;
      return env['GOOGLE_GEMINI_BASE_URL'] ?? 'https://generativelanguage.googleapis.com';
    },
  },
  sessionLost: /session.*(?:not found|invalid)|no previous sessions|invalid session identifier/i,

  invoke(question, putFile) {
    return {
      args: [
        ...['--output-format', 'stream-json'],
        ...(question.model === null ? [] : ['--model', question.model]),
        ...(question.writes === true ? ['--approval-mode', 'auto_edit'] : []),
        ...['--extensions', 'none', '--allowed-mcp-server-names', 'none'],
        ...(question.sessionId === null ? ['--session-id', question.newSessionId] : ['--resume', question.sessionId]),
      ],
      env: {
        GEMINI_CLI_SYSTEM_SETTINGS_PATH: putFile('settings.json', JSON.stringify(settings(question.writes === true))),
        // In an untrusted workspace, Gemini CLI loads no settings, instructions or MCP servers from the repository.
        GEMINI_CLI_TRUST_WORKSPACE: 'false',
        GEMINI_CLI_NO_RELAUNCH: 'true',
      },
      input: sentText(question),
    };
  },

  hear(events, line, now) {
    const event = readEvent(line);
    if (event === null) return events;
    switch (event['type']) {
      case 'init':
        return {
          ...events,
          sessionId: stringAt(event, 'session_id'),
          model: stringAt(event, 'model'),
          doing: 'reading',
        };
      case 'message':
        if (event['role'] !== 'assistant') return events;
        return { ...withProgress(events), text: events.text + (stringAt(event, 'content') ?? '') };
      case 'tool_use':
        return readTool(events, event);
      case 'result':
        if (event['status'] === 'success') return { ...events, usage: usageOf(objectAt(event, 'stats')), done: true };
        return withFailure(events, errorFailure(stringAt(objectAt(event, 'error'), 'message') ?? 'error', null, now));
      default:
        return events;
    }
  },
};

function readTool(events: AgentEvents, event: Readonly<Record<string, unknown>>): AgentEvents {
  const parameters = objectAt(event, 'parameters');
  const path = stringAt(parameters, 'file_path') ?? stringAt(parameters, 'absolute_path');
  return withFileTool(events, { name: stringAt(event, 'tool_name') ?? 'a tool', path }, 'read_file');
}

// `input` does not include cached tokens, and all figures cover only this call, so nothing has to be subtracted.
function usageOf(stats: Readonly<Record<string, unknown>>): Usage {
  return {
    inputTokens: numberAt(stats, 'input'),
    cachedInputTokens: numberAt(stats, 'cached'),
    cacheWriteTokens: 0,
    outputTokens: numberAt(stats, 'output_tokens'),
    costUsd: null,
  };
}
