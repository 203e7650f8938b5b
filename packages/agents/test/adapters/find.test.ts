import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { findProgram, knownAgents, programVersion, reportAgent } from '../../src/adapters/installed.ts';

function program(folder: string, name: string, script: string, mode = 0o755): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, mode);
  return path;
}

test('finds the first executable on PATH', () => {
  const folder = temporaryFolder();
  program(join(folder, 'a'), 'claude', '', 0o644);
  mkdirSync(join(folder, 'b/claude'), { recursive: true });
  const right = program(join(folder, 'c'), 'claude', '');
  program(join(folder, 'd'), 'claude', '');
  const path = ['a', '', 'b', 'c', 'd'].map((name) => (name === '' ? '' : join(folder, name))).join(':');
  expect(findProgram('claude', path, folder)).toBe(right);
  expect(findProgram('codex', path, folder)).toBeNull();
  expect(findProgram('./c/claude', '', folder)).toBe(right);
  expect(findProgram(join(folder, 'c/claude'), '', '/')).toBe(right);
  expect(findProgram('./a/claude', '', folder)).toBeNull();
});

test('ignores relative folders on PATH', () => {
  const here = relative(process.cwd(), temporaryFolder());
  program(here, 'claude', '');
  expect(findProgram('claude', [here, '.', ''].join(':'), here)).toBeNull();
});

test.each([
  ['echo "2.1.325 (Claude Code)"', '2.1.325'],
  ['echo "codex-cli 0.166.0"', '0.166.0'],
  ['echo 1.2.3-beta.1 >&2', '1.2.3-beta.1'],
  ['echo hello', null],
  ['echo 1.2.3; exit 1', null],
])('the version in %s is %s', async (script, expectedVersion) => {
  const folder = temporaryFolder();
  expect(await programVersion(program(folder, 'x', script), { PATH: process.env['PATH'] ?? '' }, folder)).toBe(
    expectedVersion,
  );
});

const NONE = { model: null, command: null, path: null, resume: false, env: {}, sandbox: false, timeoutSeconds: null };

test('knows built-in agents and those of the settings, with their environment', async () => {
  const folder = temporaryFolder();
  const claudePath = program(folder, 'my claude', '');
  const environment = { PATH: '', HOME: '/me', ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'o', SECRET: 's' };
  const agents = await knownAgents(
    {
      claude: { ...NONE, path: claudePath, env: { EXTRA: '1' } },
      house: { ...NONE, command: ['./my claude', '--x'], resume: true },
    },
    environment,
    folder,
  );
  const by = (name: string) => agents.find((agent) => agent.agent.name === name);
  expect(agents.map((agent) => agent.agent.name)).toEqual(['claude', 'codex', 'gemini', 'opencode', 'pi', 'house']);
  expect(by('claude')).toMatchObject({ program: claudePath, env: { EXTRA: '1', ANTHROPIC_API_KEY: 'k' } });
  expect(by('claude')?.env).not.toHaveProperty('SECRET');
  expect(by('codex')).toMatchObject({ program: null, env: { OPENAI_API_KEY: 'o' } });
  expect(by('house')).toMatchObject({ program: claudePath, env: { SECRET: 's' } });
});

test('never starts a custom command to report on it', async () => {
  const folder = temporaryFolder();
  const trace = join(folder, 'started');
  program(folder, 'house.sh', `touch ${trace}; echo 1.0.0`);
  const agents = await knownAgents({ house: { ...NONE, command: ['./house.sh'], resume: true } }, { PATH: '' }, folder);
  const house = agents.find((agent) => agent.agent.name === 'house');
  if (house === undefined) throw new Error('missing');
  const report = await reportAgent(house, folder, () => ({ resume: { kind: 'unknown' }, fork: { kind: 'unknown' } }));
  expect(report).toMatchObject({
    program: join(folder, 'house.sh'),
    version: null,
    resume: { kind: 'yes', from: 'config' },
  });
  expect(findProgram(trace, '', folder)).toBeNull();
});
