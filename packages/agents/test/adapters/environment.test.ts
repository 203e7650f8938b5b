import { expect, test } from 'vitest';
import { agentEnvironment } from '../../src/adapters/installed.ts';

const environment = {
  HOME: '/home/me',
  PATH: '/bin',
  LC_ALL: 'C',
  HTTPS_PROXY: 'http://proxy',
  NODE_EXTRA_CA_CERTS: '/ca.pem',
  ANTHROPIC_API_KEY: 'a',
  OPENAI_API_KEY: 'o',
  GITHUB_TOKEN: 'secret',
  DATABASE_URL: 'secret',
  NPM_TOKEN: 'secret',
  GONE: undefined,
};

test('an agent gets the common variables, its own login, and nothing else', () => {
  expect(agentEnvironment(environment, ['ANTHROPIC_*'])).toEqual({
    ONCEOVER_ACTIVE: '1',
    HOME: '/home/me',
    PATH: '/bin',
    LC_ALL: 'C',
    HTTPS_PROXY: 'http://proxy',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
    ANTHROPIC_API_KEY: 'a',
  });
});

test('a custom command gets the whole environment, but no secret of onceover', () => {
  const { GONE: _gone, ...definedVariables } = environment;
  const secrets = {
    ONCEOVER_STORE: 'postgres://me:password@db',
    ONCEOVER_AUDIT_SECRET: 's',
    ONCEOVER_PASSES_TOKEN: 't',
  };
  expect(agentEnvironment({ ...environment, ...secrets }, ['*'])).toEqual({
    ...definedVariables,
    ONCEOVER_ACTIVE: '1',
  });
});
