import { addUsage, type Usage } from '@onceover/base/kernel/agent';
import type { Agent, AgentEvents } from './agent.ts';
import {
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

const REVIEWER = 'onceover-reviewer';

// opencode merges this object over the user's settings for this call. Bash is off because opencode's permission
// patterns are not safe: an allowed "git log" can write to a file by redirecting its output.
function config(prompt: string, writes: boolean): object {
  const editing = { write: writes, edit: writes, patch: writes };
  const tools = { ...editing, bash: false, webfetch: false, task: false, todowrite: false, skill: false };
  const permission = { edit: writes ? 'allow' : 'deny', bash: 'deny', webfetch: 'deny', external_directory: 'deny' };
  const description = writes ? 'Reads and fixes' : 'Reads and judges';
  const reviewer = { description, mode: 'primary', prompt, tools, permission };
  // Language servers and formatters are programs that may come from the repository. A reviewer does not need them.
  return { autoupdate: false, share: 'disabled', lsp: false, formatter: false, agent: { [REVIEWER]: reviewer } };
}

/** opencode. It has no option for a JSON schema, so onceover reads the answer from its text. */
export const opencode: Agent = {
  name: 'opencode',
  program: 'opencode',
  testedVersion: '1.18.33',
  abilities: {
    schema: false,
    readOnly: 'tools',
    usage: 'dispatch',
    stablePart: 'cached',
    stopHook: 'none',
    fork: 'cached',
  },
  // opencode may write through symlinks that lead out of the working tree, and to the .git folder.
  canFix: false,
  // The user may have chosen a model with a small context, so this limit is lower than that of other agents.
  diffLimit: 300_000,
  priceProvider: 'in-model',
  install: 'npm install -g opencode-ai',
  variables: [
    ...['OPENCODE_API_KEY', 'OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR'],
    ...['ANTHROPIC_*', 'OPENAI_*', 'GEMINI_*', 'GOOGLE_*'],
  ],

  access: {
    status: { args: ['auth', 'list'], since: '1.18.33' },
    logIn: 'run "opencode auth login"',
    judgeLogin({ status }) {
      const credentialCounts = (status?.output ?? '').match(/[1-9]\d* (?:credential|environment variable)s?/g) ?? [];
      // An empty list does not mean that the user is not logged in: some models need no login, and opencode's settings
      // can contain one.
      return credentialCounts.length === 0
        ? { state: 'unknown', why: null }
        : { state: 'yes', why: credentialCounts.join(', ') };
    },
    // The address depends on the model that the user has chosen, so it is unknown here.
    service: () => null,
  },
  sessionLost: /session not found/i,

  // opencode sometimes loads these files, and runs their plug-ins, despite the options that turn off project settings.
  loads: ['.opencode', 'opencode.json', 'opencode.jsonc', 'tui.json', 'tui.jsonc'],

  // When opencode reads a file, it also loads the instructions in the file's folder, and no option turns that off.
  loadsNamed: ['AGENTS.md', 'CONTEXT.md'],

  invoke(question, putFile) {
    return {
      args: [
        ...['run', '--pure', '--format', 'json', '--agent', REVIEWER],
        // opencode's events do not report retries, so onceover reads them from its log.
        ...['--print-logs', '--log-level', 'ERROR'],
        ...(question.model === null ? [] : ['--model', question.model]),
        // Without a title, opencode would call the model to invent one.
        ...(question.sessionId === null ? ['--title', 'onceover review'] : ['--session', question.sessionId]),
        ...(question.forkOf === undefined ? [] : ['--session', question.forkOf, '--fork']),
      ],
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(
          config(`{file:${putFile('stable.md', question.stable)}}`, question.writes === true),
        ),
        OPENCODE_DISABLE_PROJECT_CONFIG: '1',
        OPENCODE_DISABLE_CLAUDE_CODE: '1',
        OPENCODE_DISABLE_EXTERNAL_SKILLS: '1',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      },
      input: question.dynamic,
    };
  },

  hear(events, line, now) {
    const event = readEvent(line);
    if (event === null) return events;
    // opencode prints its first event only when the model has begun to answer.
    const eventsWithId = { ...withProgress(events), sessionId: stringAt(event, 'sessionID') ?? events.sessionId };
    const body = objectAt(event, 'part');
    switch (event['type']) {
      case 'text':
        return withText(eventsWithId, stringAt(body, 'text'));
      case 'tool_use':
        return readTool(eventsWithId, body);
      case 'step_finish':
        return readStep(withStep(eventsWithId, usageOf(body)), stringAt(body, 'reason'));
      case 'error': {
        const error = objectAt(event, 'error');
        const data = objectAt(error, 'data');
        const message = stringAt(data, 'message') ?? stringAt(error, 'name') ?? 'error';
        const failure = errorFailure(message, numberAt(data, 'statusCode'), now);
        return withFailure({ ...eventsWithId, trouble: events.trouble }, failure);
      }
      default:
        return eventsWithId;
    }
  },

  hearLog(events, line, now) {
    const message = /\blevel=ERROR\b.*\bmessage="stream error".*\berror\.error="((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
    return message === undefined ? events : withRetry(events, errorFailure(message, null, now));
  },
};

function withStep(events: AgentEvents, usage: Usage): AgentEvents {
  return { ...events, usage: addUsage(events.usage, usage), requests: withRequest(events.requests, usage) };
}

// Only "stop" means success. "length" means that the answer was cut off, and after "unknown" opencode would retry
// forever.
function readStep(events: AgentEvents, reason: string | null): AgentEvents {
  switch (reason) {
    case 'stop':
      return { ...events, done: true };
    case 'tool-calls':
      return events;
    default:
      return withBadEnd(events, reason);
  }
}

function readTool(events: AgentEvents, body: Readonly<Record<string, unknown>>): AgentEvents {
  const path = stringAt(objectAt(objectAt(body, 'state'), 'input'), 'filePath');
  return withFileTool(events, { name: stringAt(body, 'tool') ?? 'a tool', path }, 'read');
}

// Each step reports only its own usage, so the caller adds them up. `input` does not include cached tokens.
function usageOf(step: Readonly<Record<string, unknown>>): Usage {
  const tokens = objectAt(step, 'tokens');
  const cache = objectAt(tokens, 'cache');
  return {
    inputTokens: numberAt(tokens, 'input'),
    cachedInputTokens: numberAt(cache, 'read'),
    cacheWriteTokens: numberAt(cache, 'write'),
    outputTokens: numberAt(tokens, 'output') + numberAt(tokens, 'reasoning'),
    costUsd: numberAt(step, 'cost'),
  };
}
