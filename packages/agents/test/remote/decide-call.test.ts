import type { ApiSettings } from '@onceover/base/kernel/agent';
import { describe, expect, test } from 'vitest';
import { callKey, madeBy, priorityOf, queueName, withoutFolder } from '../../src/remote/decide-call.ts';
import type { CallRequest } from '../../src/remote/types.ts';

const REQUEST: CallRequest = {
  agent: 'claude',
  made: madeBy(null),
  model: null,
  sandbox: false,
  mostRetries: 2,
  stable: 'stable',
  dynamic: 'dynamic',
  schema: { type: 'object' },
  cacheTtl: '5m',
  timeoutSeconds: 600,
  idleSeconds: 120,
  tree: 'a'.repeat(40),
  baseTree: 'b'.repeat(40),
};

describe('callKey', () => {
  test('the same call of the same reviewer has the same key', () => {
    expect(callKey({ ...REQUEST }, 'g@1:0', null)).toBe(callKey(REQUEST, 'g@1:0', null));
  });

  const changes: Readonly<Record<keyof CallRequest, unknown>> = {
    agent: 'codex',
    made: 'other',
    model: 'large',
    sandbox: true,
    mostRetries: null,
    stable: 'other',
    dynamic: 'other',
    schema: {},
    cacheTtl: '1h',
    timeoutSeconds: 1,
    idleSeconds: 1,
    tree: 'c'.repeat(40),
    baseTree: 'c'.repeat(40),
  };
  test.each(Object.entries(changes))('another %s is another call', (field, value) => {
    expect(callKey({ ...REQUEST, [field]: value }, 'g@1:0', null)).not.toBe(callKey(REQUEST, 'g@1:0', null));
  });

  test('another reviewer, another opinion and a nonce make another call', () => {
    const keys = [
      callKey(REQUEST, 'g@1:0', null),
      callKey(REQUEST, 'g@2:0', null),
      callKey(REQUEST, 'g@1:1', null),
      callKey(REQUEST, 'g@1:0', 'nonce'),
    ];
    expect(new Set(keys).size).toBe(4);
  });
});

describe('madeBy', () => {
  test.each([
    ['a command', { command: ['x'], path: null, env: {} }],
    [
      'an API',
      {
        command: null,
        path: null,
        env: {},
        api: { dialect: 'openai', model: 'm', url: 'http://127.0.0.1' } as unknown as ApiSettings,
      },
    ],
    ['a path', { command: null, path: '/x', env: {} }],
    ['a variable', { command: null, path: null, env: { BASE_URL: 'http://127.0.0.1' } }],
  ])('%s of the settings is not the plain agent', (_, settings) => {
    expect(madeBy(settings)).not.toBe(madeBy(null));
    expect(queueName({ agent: 'claude', made: madeBy(settings) })).not.toBe(
      queueName({ agent: 'claude', made: madeBy(null) }),
    );
  });

  test('the order of variables does not matter, and empty settings are none', () => {
    const env = (variables: Record<string, string>) => madeBy({ command: null, path: null, env: variables });
    expect(env({ A: '1', B: '2' })).toBe(env({ B: '2', A: '1' }));
    expect(env({})).toBe(madeBy(null));
  });
});

test('people come before CI, and CI before work in the background', () => {
  expect(priorityOf('person')).toBeGreaterThan(priorityOf('ci'));
  expect(priorityOf('ci')).toBeGreaterThan(priorityOf('background'));
});

test('paths in an answer are relative to the checkout', () => {
  const folder = '/cache/onceover-Ab12cd/tree';
  const at = new Date(0);
  const answer = {
    text: `${folder}/src/a.js:1 in ${folder}`,
    list: [`${folder}/b`, '/etc/hosts'],
    n: 1,
    none: null,
    at,
  };
  expect(withoutFolder(answer, folder)).toEqual({
    text: 'src/a.js:1 in .',
    list: ['b', '/etc/hosts'],
    n: 1,
    none: null,
    at,
  });
});
