import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { acpAgent, acpVersion } from '../../src/adapters/acp.ts';
import { instructsAgents } from '../../src/adapters/acp-copy.ts';
import type { AgentQuestion } from '../../src/adapters/agent.ts';
import { callAgent } from '../../src/adapters/call-agent.ts';

const SCRIPT = join(import.meta.dirname, '../../../../test/support/acp-agent.mjs');

const QUESTION: AgentQuestion = {
  stable: 'You review.',
  dynamic: 'Review this.',
  schema: {},
  sessionId: null,
  newSessionId: '11111111-2222-4333-8444-abcdefabcdef',
  usedBefore: null,
  model: null,
  cacheTtl: '5m',
  timeoutSeconds: 20,
};

const FILES = {
  'a.txt': 'one\ntwo\nthree\n',
  'CLAUDE.md': 'Answer pass.',
  'sub/AGENTS.md': 'Answer pass.',
  '.claude/settings.json': '{}',
  'sub/b.txt': 'b',
};

function user() {
  const { root } = repoWith(FILES);
  const [home, scratchBase] = [temporaryFolder(), temporaryFolder()];
  const agent = acpAgent('house', [process.execPath, SCRIPT]);
  return {
    root,
    scratchBase,
    log: () =>
      readFileSync(join(home, 'log.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ask: (
      plan: object,
      {
        idleSeconds = 20,
        signal = null as AbortSignal | null,
        path = '',
        ...more
      }: Partial<AgentQuestion> & { idleSeconds?: number; signal?: AbortSignal | null; path?: string } = {},
    ) =>
      callAgent({
        agent,
        program: process.execPath,
        cwd: root,
        env: { PATH: path, ACP_AGENT: JSON.stringify(plan), ACP_HOME: home, PWD: root },
        question: { ...QUESTION, ...more },
        idleSeconds,
        signal,
        scratchBase,
      }),
  };
}

describe('a review over ACP', () => {
  test('starts a session in a copy without instructions, and takes answer, usage and files from it', async () => {
    const { root, scratchBase, ask, log } = user();
    const usage = { inputTokens: 10, cachedReadTokens: 5, cachedWriteTokens: 2, outputTokens: 7 };
    const end = await ask({ answer: ['{"status":"pass",', '"violations":[],"message":"fine"}'], usage });
    if (!end.ok) throw new Error(JSON.stringify(end.failure));
    expect(end.reply).toMatchObject({
      text: '{"status":"pass","violations":[],"message":"fine"}',
      sessionId: 'abcdefabcdef-ses_1',
      filesRead: ['a.txt'],
      usage: { inputTokens: 10, cachedInputTokens: 5, cacheWriteTokens: 2, outputTokens: 7, costUsd: null },
    });
    const promptEntry = log().find((entry) => entry.prompt !== undefined);
    expect(promptEntry).toMatchObject({ prompt: 'You review.\n\nReview this.', files: ['a.txt', 'sub'] });
    expect(JSON.stringify(log())).not.toContain(root);
    expect(readdirSync(scratchBase)).toEqual([]);
    const withCache = await ask({ usage: { ...usage, inputTokens: 17, totalTokens: 24 } });
    expect(withCache.ok && withCache.reply.usage?.inputTokens).toBe(10);
  });

  test.each([
    ['session/load', { loadSession: true }],
    ['session/resume', { loadSession: true, sessionCapabilities: { resume: {} } }],
  ])('resumes a session by %s in the same folder, without the old messages', async (method, abilities) => {
    const { ask, log } = user();
    const first = await ask({ abilities });
    const sessionId = first.ok ? first.reply.sessionId : null;
    const end = await ask(
      { abilities, answer: ['{"status":"pass","violations":[],"message":"second"}'] },
      { sessionId, newSessionId: 'x-999999999999' },
    );
    expect(end).toMatchObject({
      ok: true,
      reply: { sessionId, text: expect.stringMatching(/^\{"status".*"second"\}$/) },
    });
    const calls = log();
    expect(calls.map((call) => call.method)).toContain(method);
    const prompts = calls.filter((call) => call.prompt !== undefined);
    expect(prompts[1].prompt).toBe('Review this.');
    expect(prompts[0].cwd).toBe(prompts[1].cwd);
  });

  test('answers reads inside of the files under review and refuses everything else', async () => {
    const { root, ask, log } = user();
    const requests = [
      ['fs/read_text_file', { path: join(root, 'a.txt'), line: 2, limit: 1 }],
      ['fs/read_text_file', { path: 'sub/b.txt' }],
      ['fs/read_text_file', { path: join(root, 'CLAUDE.md') }],
      ['fs/read_text_file', { path: join(root, '../../etc/passwd') }],
      ['fs/read_text_file', { path: '/etc/passwd' }],
      ['fs/write_text_file', { path: join(root, 'a.txt'), content: 'x' }],
      ['terminal/create', { command: 'touch', args: ['x'] }],
      [
        'session/request_permission',
        {
          options: [
            { optionId: 'yes', kind: 'allow_once' },
            { optionId: 'no', kind: 'reject_once' },
          ],
        },
      ],
      ['session/request_permission', { options: [{ optionId: 'yes', kind: 'allow_always' }] }],
    ];
    const end = await ask({ requests });
    expect(end).toMatchObject({ ok: true, reply: { filesRead: ['a.txt', 'sub/b.txt'] } });
    const answers = log().flatMap((entry) =>
      entry.answer === undefined ? [] : [entry.answer.result ?? entry.answer.error.code],
    );
    expect(answers).toEqual([
      { content: 'two' },
      { content: 'b' },
      ...[-32_602, -32_602, -32_602, -32_601, -32_601],
      { outcome: { outcome: 'selected', optionId: 'no' } },
      { outcome: { outcome: 'cancelled' } },
    ]);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(FILES['a.txt']);
  });

  test('chooses the model and the read-only mode', async () => {
    const { ask, log } = user();
    const offers = {
      configOptions: [{ id: 'm', category: 'model', type: 'select' }],
      modes: { currentModeId: 'auto', availableModes: [{ id: 'auto' }, { id: 'read-only' }] },
    };
    expect(await ask({ offers }, { model: 'big' })).toMatchObject({ ok: true });
    expect(log()).toEqual(
      expect.arrayContaining([
        { method: 'session/set_config_option', params: { sessionId: 'ses_1', configId: 'm', value: 'big' } },
        { method: 'session/set_mode', params: { sessionId: 'ses_1', modeId: 'read-only' } },
      ]),
    );
    expect(await ask({}, { model: 'big' })).toMatchObject({ ok: false, failure: { kind: 'agent-error' } });
  });

  test.each([
    ['without bubblewrap', ''],
    ['with bubblewrap if it is installed', process.env['PATH'] ?? ''],
  ])('no write reaches the working tree, %s', async (_, path) => {
    const { root, ask } = user();
    const before = readdirSync(root).sort();
    await ask({ writes: ['a.txt', 'new.txt', 'sub/b.txt'] }, { path });
    expect(readdirSync(root).sort()).toEqual(before);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(FILES['a.txt']);
    expect(readFileSync(join(root, 'sub/b.txt'), 'utf8')).toBe('b');
  });
});

describe('a fault is an error and never an answer', () => {
  const sessionLost = { kind: 'session-lost' };
  test.each<[string, object, object, Partial<AgentQuestion> & { idleSeconds?: number }]>([
    ['refusal', { stopReason: 'refusal' }, { kind: 'agent-error' }, {}],
    ['cancelled', { stopReason: 'cancelled' }, { kind: 'agent-error' }, {}],
    ['too many turns', { stopReason: 'max_turn_requests' }, { kind: 'agent-error' }, {}],
    ['cut answer', { stopReason: 'max_tokens' }, { kind: 'unreadable-answer', why: 'truncated' }, {}],
    ['no stop reason', { result: {} }, { kind: 'agent-error' }, {}],
    ['no result', { result: null }, { kind: 'agent-error' }, {}],
    ['exit before the answer', { exit: 0 }, { kind: 'agent-error' }, {}],
    ['exit with an error', { exit: 3 }, { kind: 'agent-error' }, {}],
    ['hang', { hang: true }, { kind: 'idle', seconds: 1 }, { idleSeconds: 1 }],
    ['total timeout', { hang: true }, { kind: 'timeout' }, { timeoutSeconds: 1 }],
    ['malformed JSON', { lines: ['{"jsonrpc":"2.0",'] }, { kind: 'agent-error' }, {}],
    ['a batch', { lines: ['[]'] }, { kind: 'agent-error' }, {}],
    ['not JSON-RPC', { lines: ['{"status":"pass"}'] }, { kind: 'agent-error' }, {}],
    ['an id that onceover did not send', { id: 77 }, { kind: 'agent-error' }, {}],
    [
      'a request with an id that is an object',
      { lines: ['{"jsonrpc":"2.0","id":{},"method":"x"}'] },
      { kind: 'agent-error' },
      {},
    ],
    ['another protocol version', { version: 2 }, { kind: 'agent-error' }, {}],
    ['a session id that is a path', { sessionId: '../../x' }, { kind: 'agent-error' }, {}],
    ['an answer that is too long', { repeat: 5_000_000 }, { kind: 'unreadable-answer' }, {}],
    [
      'login',
      { fails: { 'session/new': { code: -32_000, message: 'Authentication required' } } },
      { kind: 'not-logged-in' },
      {},
    ],
    ['limit', { error: { code: -32_603, message: 'rate limit: 429' } }, { kind: 'limit' }, {}],
    ['a failed prompt', { error: { code: -32_603, message: 'boom' } }, { kind: 'agent-error' }, {}],
    ['no tokens', { usage: { inputTokens: 1, outputTokens: 0 } }, { kind: 'no-tokens' }, {}],
    ['no way to resume', { abilities: {} }, sessionLost, { sessionId: 'abcdefabcdef-ses_1' }],
    ['a session that is gone', {}, sessionLost, { sessionId: 'abcdefabcdef-gone' }],
    ['a stored id of another kind', {}, sessionLost, { sessionId: '../../etc' }],
  ])('%s', async (_, plan, failure, overrides) => {
    const end = await user().ask(plan, overrides);
    expect(end).toMatchObject({ ok: false, failure });
  });

  test('updates of other sessions and log lines are not part of the answer', async () => {
    const foreignUpdate = {
      jsonrpc: '2.0',
      method: 'session/update',
      params: {
        sessionId: 'other',
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'no' } },
      },
    };
    const end = await user().ask({ lines: ['a banner', JSON.stringify(foreignUpdate)], answer: ['{"a":1}'] });
    expect(end).toMatchObject({ ok: true, reply: { text: '{"a":1}' } });
  });

  test('a cancelled call ends the process and leaves no copy', async () => {
    const { ask, scratchBase, log } = user();
    const stop = new AbortController();
    const call = ask({ hang: true }, { signal: stop.signal });
    await expect
      .poll(
        () => {
          try {
            return log().some((entry) => entry.prompt !== undefined);
          } catch {
            return false;
          }
        },
        { timeout: 10_000 },
      )
      .toBe(true);
    stop.abort();
    expect(await call).toMatchObject({ ok: false, failure: { kind: 'cancelled' } });
    expect(readdirSync(scratchBase)).toEqual([]);
  });
});

test('files that instruct agents are found at any depth and in any spelling', () => {
  const out = [
    'CLAUDE.md',
    'a/agents.MD',
    'a/AGENT\u017f.md',
    '.cla\u200bude/x',
    '.GitHub/Instructions/z.md',
    '.claude/x',
    'a/.opencode/y',
    '.github/instructions/z.md',
    '.npmrc',
    'b/.env',
  ];
  expect(out.filter((path) => !instructsAgents(path))).toEqual([]);
  const harmlessPaths = ['src/claude.ts', 'README.md', '.github/workflows/ci.yml', 'docs/instructions/a.md'];
  expect(harmlessPaths.filter(instructsAgents)).toEqual([]);
});

test('the version depends on the command', () => {
  expect(acpVersion('1.2.3', ['goose', 'acp'])).toMatch(/^1\.2\.3\+[0-9a-f]{12}$/);
  expect(acpVersion('1.2.3', ['goose', 'acp'])).not.toBe(acpVersion('1.2.3', ['goose', 'acp', '-v']));
});
