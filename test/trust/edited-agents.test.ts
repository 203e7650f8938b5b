import { describe, expect, test } from 'vitest';
import type { AgentSettings } from '../../src/kernel/agent.ts';
import { agentsEditedByChange, agentWords } from '../../src/trust/consent.ts';

describe('agents that the change edits', () => {
  const agent = (...command: readonly string[]): AgentSettings => ({
    model: null,
    command: command.length === 0 ? null : command,
    path: null,
    resume: false,
    env: {},
    sandbox: false,
    timeoutSeconds: null,
  });
  const CHANGED = new Set(['tools/reviewer.sh', 'tools/b.mjs']);

  test.each<[string, AgentSettings, string | null]>([
    ['its program', agent('./tools/reviewer.sh'), 'tools/reviewer.sh'],
    ['its program, without a dot', agent('tools/reviewer.sh'), 'tools/reviewer.sh'],
    ['its program, with dots', agent('././tools/reviewer.sh'), 'tools/reviewer.sh'],
    ['an argument', agent('node', 'tools/b.mjs', 'x'), 'tools/b.mjs'],
    ['the first of several', agent('tools/reviewer.sh', 'tools/b.mjs'), 'tools/reviewer.sh'],
    ['a program that did not change', agent('./tools/other.sh'), null],
    ['a known agent', agent(), null],
    ['a folder that it starts', agent('go', 'run', './tools'), 'tools/reviewer.sh'],
    ['a line for a shell', agent('sh', '-c', 'cd x; "$PWD"/tools/reviewer.sh'), 'tools/reviewer.sh'],
    ['a program by its path', { ...agent(), path: 'tools/b.mjs' }, 'tools/b.mjs'],
  ])('%s', (_title, given, expected) => {
    expect([...agentsEditedByChange({ house: given }, CHANGED)]).toEqual(
      expected === null ? [] : [['house', expected]],
    );
  });

  test.each<[string, AgentSettings, string, boolean]>([
    ['a script of package.json', agent('npm', 'run', '-s', 'review'), 'package.json', true],
    ['a package that it names', agent('npx', 'reviewer'), 'package.json', true],
    ['the shell that scripts of package.json run by', agent('npm', 'run', 'review'), '.npmrc', true],
    ['the program that stands for yarn', agent('yarn', 'review'), '.yarnrc.yml', true],
    ['package.json of another folder', agent('npm', 'run', 'review'), 'packages/a/package.json', false],
    ['package.json, which nothing here reads', agent('node', 'review.mjs'), 'package.json', false],
    ['a target', agent('/usr/bin/make', 'review'), 'Makefile', true],
    ['a target of another file', agent('make', 'review'), 'docs/Makefile', false],
    ['a runner inside a line for a shell', agent('sh', '-c', 'just review'), 'justfile', true],
    ['a script of a Python project', agent('uv', 'run', 'review'), 'pyproject.toml', true],
    ['an alias', agent('cargo', 'review'), '.cargo/config.toml', true],
    ['a Python module', agent('python3', '-m', 'house.review'), 'house/review.py', true],
    ['a Python package', agent('python3', '-m', 'house.review'), 'house/review/__main__.py', true],
    ['another Python module', agent('python3', '-m', 'house.review'), 'house/other.py', false],
  ])('files that a runner reads: %s', (_title, given, file, expected) => {
    expect([...agentsEditedByChange({ house: given }, new Set([file]))]).toEqual(expected ? [['house', file]] : []);
  });

  test.each<[string, AgentSettings, readonly string[]]>([
    ['its program and what it is given', agent('node', 'tools/b.mjs'), ['node', 'tools/b.mjs']],
    ['each word of a line for a shell', agent('sh', '-c', 'exec tools/b.mjs -q'), ['tools/b.mjs']],
    ['what a runner goes by', agent('npm', 'run', 'review'), ['package.json']],
    ['a Python module', agent('python3', '-m', 'house.review'), ['house/review.py']],
    ['a program by its path', { ...agent(), path: 'tools/b.mjs' }, ['tools/b.mjs']],
  ])('words that may be a file of the agent: %s', (_title, given, expected) => {
    expect(agentWords({ house: given })).toEqual(expect.arrayContaining([...expected]));
  });

  test('a known agent has none', () => {
    expect(agentWords({ claude: agent() })).toEqual([]);
  });
});
