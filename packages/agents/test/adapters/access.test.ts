import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { repoWith } from '@onceover/testing/repo.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAtLeast, type LoginFacts } from '../../src/adapters/access.ts';
import { claude } from '../../src/adapters/claude.ts';
import { codex } from '../../src/adapters/codex.ts';
import { gemini } from '../../src/adapters/gemini.ts';
import { knownAgents, reportAgent } from '../../src/adapters/installed.ts';
import { opencode } from '../../src/adapters/opencode.ts';
import { pi } from '../../src/adapters/pi.ts';

const AGENTS = { claude, codex, gemini, opencode, pi };

const NOTHING: LoginFacts = { status: null, settings: null, hasCredentials: false, env: {} };

const statusOutput = (output: string, code = 0): Partial<LoginFacts> => ({ status: { code, output } });

describe('a login is known from the status command, variables and files', () => {
  test.each<[keyof typeof AGENTS, string, Partial<LoginFacts>, string, string | null]>([
    ['claude', 'no status', {}, 'unknown', null],
    ['claude', 'no JSON', statusOutput('error: unknown command'), 'unknown', null],
    ['claude', 'a login', statusOutput('{"loggedIn": true, "authMethod": "claude.ai"}'), 'yes', 'claude.ai'],
    [
      'claude',
      'a key',
      statusOutput('{"loggedIn": true, "apiKeySource": "ANTHROPIC_API_KEY"}'),
      'yes',
      'ANTHROPIC_API_KEY',
    ],
    ['claude', 'no login', statusOutput('{"loggedIn": false, "authMethod": "none"}', 1), 'no', 'none'],
    ['codex', 'no status', {}, 'unknown', null],
    ['codex', 'a login', statusOutput('Logged in using ChatGPT'), 'yes', '"codex login status"'],
    ['codex', 'no login', statusOutput('Not logged in', 1), 'no', null],
    ['codex', 'a key', { ...statusOutput('Not logged in', 1), env: { CODEX_API_KEY: 'k' } }, 'yes', 'CODEX_API_KEY'],
    [
      'codex',
      'another provider',
      { ...statusOutput('Not logged in', 1), settings: 'model_provider = "local"\n' },
      'unknown',
      null,
    ],
    ['gemini', 'nothing', {}, 'no', null],
    ['gemini', 'an empty variable', { env: { GEMINI_API_KEY: '' } }, 'no', null],
    ['gemini', 'a key', { env: { GEMINI_API_KEY: 'k' } }, 'yes', 'GEMINI_API_KEY'],
    ['gemini', 'a login', { hasCredentials: true }, 'yes', '~/.gemini/oauth_creds.json'],
    ['gemini', 'a kind of login', { settings: '{"security":{"auth":{"selectedType":"x"}}}' }, 'unknown', null],
    ['opencode', 'no login', statusOutput('└  0 credentials'), 'unknown', null],
    ['opencode', 'a login', statusOutput('└  2 credentials'), 'yes', '2 credentials'],
    ['opencode', 'a key', statusOutput('└  0 credentials\n└  1 environment variable'), 'yes', '1 environment variable'],
  ])('%s with %s', (name, _title, facts, state, why) => {
    expect(AGENTS[name].access?.judgeLogin({ ...NOTHING, ...facts })).toEqual({ state, why });
  });
});

test.each<[keyof typeof AGENTS, Partial<LoginFacts>, string | null]>([
  ['claude', {}, 'https://api.anthropic.com'],
  ['claude', { env: { ANTHROPIC_BASE_URL: 'http://gateway' } }, 'http://gateway'],
  ['claude', { env: { CLAUDE_CODE_USE_BEDROCK: '1' } }, null],
  ['codex', {}, 'https://api.openai.com'],
  ['codex', statusOutput('Logged in using ChatGPT'), 'https://chatgpt.com'],
  ['codex', { settings: 'model_provider = "local"' }, null],
  ['codex', { env: { CODEX_HOME: '/else' } }, null],
  ['gemini', {}, 'https://generativelanguage.googleapis.com'],
  ['gemini', { env: { GOOGLE_GENAI_USE_VERTEXAI: 'true' } }, null],
  ['opencode', {}, null],
])('%s with %j uses the service %s', (name, facts, address) => {
  expect(AGENTS[name].access?.service({ ...NOTHING, ...facts })).toBe(address);
});

test.each([
  ['1.2.3', '1.2.3', true],
  ['1.2.10', '1.2.9', true],
  ['2.0.0', '1.9.9', true],
  ['1.2.3-beta.1', '1.2.3', true],
  ['1.1.99', '1.2.0', false],
  ['0.9.0', '1.0.0', false],
])('%s is at least %s: %s', (version, minimumVersion, expected) => {
  expect(isAtLeast(version, minimumVersion)).toBe(expected);
});

describe('an installed agent', () => {
  const server = createServer((_request, response) => response.writeHead(401).end());
  let address = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  /** Reports a "claude" of this version that prints this login state. */
  async function report(version: string, env: Record<string, string>) {
    const repo = repoWith({});
    const script = `#!/bin/sh\n[ "$1" = --version ] && echo ${version} && exit\necho "$@" >> ${repo.root}/calls\necho '{"loggedIn": true}'\n`;
    repo.write('bin/claude', script);
    repo.git('update-index', '--add', '--chmod=+x', 'bin/claude');
    repo.git('checkout-index', '-f', 'bin/claude');
    const environment = { PATH: `${repo.root}/bin:/usr/bin:/bin`, HOME: repo.root, ...env };
    const claude = (await knownAgents({}, environment, repo.root)).find(({ agent }) => agent.name === 'claude');
    if (claude === undefined) throw new Error('claude is not known');
    return {
      report: await reportAgent(claude, repo.root, () => ({ resume: { kind: 'unknown' }, fork: { kind: 'unknown' } })),
      root: repo.root,
    };
  }

  test('can work if it is logged in and its service gives any answer', async () => {
    const { report: agentReport } = await report('9.9.9', { ANTHROPIC_BASE_URL: address });
    expect([agentReport.login.state, agentReport.service]).toEqual(['yes', { state: 'yes', why: address }]);
  });

  test('cannot work if nothing listens at the address of its service', async () => {
    const closedServer = createServer();
    await new Promise<void>((resolve) => closedServer.listen(0, '127.0.0.1', resolve));
    const nobody = `http://127.0.0.1:${(closedServer.address() as AddressInfo).port}`;
    await new Promise((resolve) => closedServer.close(resolve));
    const { report: agentReport } = await report('9.9.9', { ANTHROPIC_BASE_URL: nobody });
    expect(agentReport.service).toEqual({ state: 'no', why: `${nobody}: ECONNREFUSED` });
  });

  test('is not connected to behind a proxy, because onceover would not use the proxy', async () => {
    const { report: agentReport } = await report('9.9.9', { ANTHROPIC_BASE_URL: address, HTTPS_PROXY: 'http://p:1' });
    expect(agentReport.service.state).toBe('unknown');
  });

  test('of an older version is not asked, because it could take the command for a prompt', async () => {
    const { report: agentReport, root } = await report('2.1.0', { ANTHROPIC_BASE_URL: address });
    expect(agentReport.login.state).toBe('unknown');
    expect(() => readFileSync(join(root, 'calls'))).toThrow();
  });
});
