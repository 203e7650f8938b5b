import type { AgentSettings, ApiSettings } from '@onceover/base/kernel/agent';
import { describe, expect, test } from 'vitest';
import { answererDigest, modelEnvironment } from '../../src/decide/answerer.ts';

const API: ApiSettings = {
  dialect: 'openai',
  model: 'small',
  baseUrl: 'http://127.0.0.1:1/v1',
  isProvider: false,
  endpoint: 'chat',
  key: 'MY_KEY',
  headers: {},
  maxOutputTokens: 1000,
  tier: 'standard',
};

const settings = (overrides: Partial<AgentSettings> = {}): AgentSettings => ({
  model: null,
  command: null,
  path: null,
  resume: false,
  env: {},
  sandbox: false,
  timeoutSeconds: null,
  ...overrides,
});

const command = ['node', 'review.mjs', '--careful'];

describe('who answers changes with', () => {
  test.each<[what: string, a: Partial<AgentSettings>, b: Partial<AgentSettings>]>([
    ['the value of a variable', { command, env: { LEVEL: 'high' } }, { command, env: { LEVEL: 'low' } }],
    ['a new variable', { command }, { command, env: { LEVEL: 'low' } }],
    ['the program', { command }, { command: ['deno', ...command.slice(1)] }],
    ['an argument', { command }, { command: command.slice(0, -1) }],
    ['the model', { model: 'opus' }, { model: 'sonnet' }],
    ['the path of the program', { path: '/opt/a/claude' }, { path: '/opt/b/claude' }],
    ['the model of an API', { api: API }, { api: { ...API, model: 'large' } }],
    ['the address of an API', { api: API }, { api: { ...API, baseUrl: 'http://127.0.0.1:2/v1' } }],
    ['a header for an API', { api: API }, { api: { ...API, headers: { 'x-effort': 'high' } } }],
    ['the limit for an answer of an API', { api: API }, { api: { ...API, maxOutputTokens: 2000 } }],
    ['the server of an ACP agent', { acp: ['agent', '--acp'] }, { acp: ['agent', '--acp', '--fast'] }],
    ['sessions that a command can resume', { command }, { command, resume: true }],
    ['the sandbox', { command }, { command, sandbox: true }],
  ])('%s', (_what, a, b) => {
    expect(answererDigest(settings(a), [])).not.toBe(answererDigest(settings(b), []));
  });

  test('a script in the command line', () => {
    expect(answererDigest(settings({ command }), ['1:a'])).not.toBe(answererDigest(settings({ command }), ['1:b']));
  });
});

test('the order of variables, the time limit and missing settings change nothing', () => {
  const firstSettings = settings({ command, env: { A: '1', B: '2' } });
  const secondSettings = settings({ command, env: { B: '2', A: '1' }, timeoutSeconds: 60 });
  expect(answererDigest(firstSettings, [])).toBe(answererDigest(secondSettings, []));
  expect(answererDigest(undefined, [])).toBe(answererDigest(settings(), []));
});

test('of the environment, only variables that choose a model or a service count', () => {
  const digest = modelEnvironment({ ANTHROPIC_MODEL: 'opus', OPENAI_BASE_URL: 'http://127.0.0.1:1', HOME: '/home/a' });
  expect(modelEnvironment({ OPENAI_BASE_URL: 'http://127.0.0.1:1', HOME: '/x', ANTHROPIC_MODEL: 'opus' })).toBe(digest);
  for (const change of [{ ANTHROPIC_MODEL: 'sonnet' }, { OPENAI_BASE_URL: 'http://127.0.0.1:2' }, { EFFORT: 'low' }]) {
    const env = { ANTHROPIC_MODEL: 'opus', OPENAI_BASE_URL: 'http://127.0.0.1:1', ...change };
    expect(modelEnvironment(env)).not.toBe(digest);
  }
});
