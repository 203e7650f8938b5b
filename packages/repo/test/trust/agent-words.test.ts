import type { AgentSettings } from '@onceover/base/kernel/agent';
import { describe, expect, test } from 'vitest';
import { agentWords } from '../../src/trust/agent-words.ts';

describe('files of agents', () => {
  const agent = (...command: readonly string[]): AgentSettings => ({
    model: null,
    command: command.length === 0 ? null : command,
    path: null,
    resume: false,
    env: {},
    sandbox: false,
    timeoutSeconds: null,
  });

  test.each<[string, AgentSettings, readonly string[]]>([
    ['its program and what it is given', agent('node', 'tools/b.mjs'), ['node', 'tools/b.mjs']],
    ['each word of a line for a shell', agent('sh', '-c', 'exec tools/b.mjs -q'), ['tools/b.mjs']],
    ['what a runner goes by', agent('npm', 'run', 'review'), ['package.json', '.npmrc']],
    ['what a runner inside a line for a shell goes by', agent('sh', '-c', 'just review'), ['justfile']],
    ['what a runner with a path goes by', agent('/usr/bin/make', 'review'), ['Makefile']],
    ['what a Python project goes by', agent('uv', 'run', 'review'), ['pyproject.toml']],
    [
      'a Python module',
      agent('python3', '-m', 'house.review'),
      ['house/review.py', 'house/review/__main__.py', 'house/review/__init__.py'],
    ],
    ['a program by its path', { ...agent(), path: 'tools/b.mjs' }, ['tools/b.mjs']],
  ])('words that may be a file of the agent: %s', (_title, settings, words) => {
    expect(agentWords({ house: settings })).toEqual(expect.arrayContaining([...words]));
  });

  test('a known agent has none', () => {
    expect(agentWords({ claude: agent() })).toEqual([]);
  });
});
