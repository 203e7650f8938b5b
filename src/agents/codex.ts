import type { Usage } from '../domain/usage.ts';
import { type Agent, type Heard, oneText } from './agent.ts';
import { list, number, part, readEvent, text } from './events.ts';
import { shownBy } from './shell-reads.ts';
import { errorFailure, shorten } from './signs.ts';

/** Codex. Its own sandbox keeps it from writing; its usage is the thread's so far. */
export const codex: Agent = {
  name: 'codex',
  program: 'codex',
  testedVersion: '0.166.0',
  abilities: {
    schema: true,
    readOnly: 'own-sandbox',
    usage: 'session',
    stablePart: 'not-cached',
    stopHook: 'when-allowed',
  },
  canFix: true,
  // It takes no prompt of more than 1,048,576 characters, and its models 200,000 tokens and more.
  diffLimit: 400_000,
  warmMinutes: { '5m': 30, '1h': 30 },
  install: 'npm install -g @openai/codex',
  variables: ['OPENAI_*', 'CODEX_*', 'AZURE_OPENAI_*'],

  invoke(question, put) {
    return {
      args: [
        'exec',
        '--json',
        '--sandbox',
        question.writes === true ? 'workspace-write' : 'read-only',
        '--skip-git-repo-check',
        ...(question.model === null ? [] : ['--model', question.model]),
        // Nothing of the repository under review: AGENTS.md is not read.
        '-c',
        'project_doc_max_bytes=0',
        '-c',
        'check_for_update_on_startup=false',
        '-c',
        'features.plugins=false',
        '-c',
        'features.apps=false',
        // It offers these tools only once its database is there, so that of several started at once some have them when they are
        // resumed and had them not before: nothing of such a conversation comes from the cache.
        '-c',
        'features.goals=false',
        '--output-schema',
        put('schema.json', JSON.stringify(question.strictSchema)),
        ...(question.sessionId === null ? [] : ['resume', question.sessionId]),
        '-',
      ],
      env: {},
      input: oneText(question),
    };
  },

  hear(heard, line, now) {
    const event = readEvent(line);
    if (event === null) return heard;
    switch (event['type']) {
      case 'thread.started':
        return { ...heard, sessionId: text(event, 'thread_id'), doing: 'reading' };
      case 'item.started':
      case 'item.completed':
        return hearItem({ ...heard, begun: true }, part(event, 'item'));
      case 'turn.completed':
        return { ...heard, usage: usageOf(part(event, 'usage')), done: true };
      case 'turn.failed':
        return {
          ...heard,
          failure: errorFailure(text(part(event, 'error'), 'message') ?? 'the turn failed', null, now),
        };
      default:
        // "error" events may be followed by a recovery; only the turn's end counts.
        return heard;
    }
  },

  explain(stderr) {
    if (/no rollout found for thread id|active writer/i.test(stderr)) {
      return { kind: 'session-lost', said: shorten(stderr) };
    }
    if (/input_too_large/.test(stderr)) return { kind: 'agent-error', said: 'the prompt is longer than Codex takes' };
    return null;
  },
};

// What was said before a tool was used is commentary; the answer comes after the last.
function hearItem(heard: Heard, item: Readonly<Record<string, unknown>>): Heard {
  switch (item['type']) {
    case 'agent_message':
      return { ...heard, text: text(item, 'text') ?? heard.text };
    case 'command_execution':
      return { ...heard, text: '', doing: text(item, 'command'), filesRead: [...heard.filesRead, ...readIn(item)] };
    case 'mcp_tool_call':
    case 'file_change':
    case 'web_search':
      return { ...heard, text: '', doing: [item['type'], ...list(item, 'changes').map(String)].join(' ') };
    default:
      return heard;
  }
}

// It has no tool of its own to read a file: it has a shell show it.
function readIn(item: Readonly<Record<string, unknown>>): readonly string[] {
  const isDone = item['status'] === 'completed' && item['exit_code'] === 0;
  return isDone ? shownBy(text(item, 'command') ?? '') : [];
}

// `input_tokens` includes what came from the cache.
function usageOf(usage: Readonly<Record<string, unknown>>): Usage {
  const cached = number(usage, 'cached_input_tokens');
  const written = number(usage, 'cache_write_input_tokens');
  return {
    inputTokens: Math.max(0, number(usage, 'input_tokens') - cached - written),
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    outputTokens: number(usage, 'output_tokens'),
    costUsd: null,
  };
}
