import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { AgentSettings } from '@onceover/base/kernel/agent';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { foundForPullRequest, nameInside, startedFromBase } from '../../src/adapters/from-base.ts';
import { knownAgents } from '../../src/adapters/installed.ts';

const NONE: AgentSettings = {
  model: null,
  command: null,
  path: null,
  resume: false,
  env: {},
  sandbox: false,
  timeoutSeconds: null,
};

/** A working tree, a checkout of its base, and a folder with programs outside of both. */
function places() {
  const top = temporaryFolder();
  const [root, checkout, bin] = ['shop', 'base', 'bin'].map((name) => join(top, name)) as [string, string, string];
  for (const folder of [join(root, 'tools'), join(checkout, 'tools'), bin]) mkdirSync(folder, { recursive: true });
  for (const path of [join(root, 'tools/run'), join(checkout, 'tools/run'), join(bin, 'judge')]) {
    writeFileSync(path, '#!/bin/sh\n');
    chmodSync(path, 0o755);
  }
  const find = async (name: string, settings: Partial<AgentSettings>, extraEnv: Record<string, string> = {}) => {
    const env = { PATH: bin, ...extraEnv };
    const agents = await knownAgents({ [name]: { ...NONE, ...settings } }, env, root);
    const knownAgent = agents.find(({ agent }) => agent.name === name);
    if (knownAgent === undefined) throw new Error(`no ${name}`);
    return foundForPullRequest(knownAgent, root, env.PATH);
  };
  return { top, root, checkout, bin, find };
}

describe('a command that reviews a pull request', () => {
  test('starts from the base, whether its words are relative or full paths', async () => {
    const { root, checkout, find } = places();
    for (const program of ['./tools/run', `${root}/tools/run`]) {
      const knownAgent = await find('own', {
        command: [program, `--rules=${root}/rules`, `${root}-old`],
        env: { HERE: root },
      });
      const checkoutAgent = startedFromBase(knownAgent, root, checkout);
      expect([knownAgent.program, checkoutAgent.program]).toEqual([
        join(root, 'tools/run'),
        join(checkout, 'tools/run'),
      ]);
      const question = { stable: '', dynamic: '', schema: {}, sessionId: null, newSessionId: '', usedBefore: null };
      const call = { ...question, model: null, cacheTtl: '5m', timeoutSeconds: 1 } as const;
      const { args } = checkoutAgent.agent.invoke(call, (name) => name, checkout);
      expect(args).toEqual([`--rules=${checkout}/rules`, `${root}-old`]);
      expect([checkoutAgent.env['HERE'], checkoutAgent.env['PWD']]).toEqual([checkout, checkout]);
    }
  });

  test('finds no program in the repository by PATH, also not through a symlink', async () => {
    const { top, root, bin, checkout, find } = places();
    const link = join(top, 'linked');
    symlinkSync(join(root, 'tools'), link);
    symlinkSync(join(root, 'tools/run'), join(bin, 'alias'));
    for (const name of ['run', 'alias']) {
      const knownAgent = await find(
        'own',
        { command: [name] },
        { PATH: [join(root, 'tools'), link, bin].join(delimiter) },
      );
      expect(knownAgent.program).toBeNull();
    }
    const knownAgent = await find('own', { command: ['judge'] }, { PATH: [link, bin].join(delimiter) });
    expect([knownAgent.program, startedFromBase(knownAgent, root, checkout).env['PATH']]).toEqual([
      join(bin, 'judge'),
      bin,
    ]);
  });
});

describe('a built-in agent may not review a pull request', () => {
  const refusedPath = async (settings: Partial<AgentSettings>, extraEnv: Record<string, string> = {}) => {
    const { root, find } = places();
    mkdirSync(join(root, 'node_modules/preload'), { recursive: true });
    return nameInside(await find('claude', settings, extraEnv), root);
  };

  test.each<[string, Partial<AgentSettings>, string | null]>([
    ['if its program is in the repository', { path: './tools/run' }, './tools/run'],
    ['if it loads a file of the repository', { env: { NODE_OPTIONS: '--require ./tools/run' } }, './tools/run'],
    ['if it loads a package of the repository', { env: { NODE_OPTIONS: '-r preload' } }, 'preload'],
    ['if its PATH has a folder of the repository', { env: { PATH: '/usr/bin:tools' } }, 'tools'],
    ['if its settings are in the repository', { env: { CLAUDE_CONFIG_DIR: 'tools' } }, 'tools'],
    ['unless all that it names is elsewhere', { path: '/usr/bin/claude', env: { MODE: 'high', A: '/usr/bin' } }, null],
  ])('%s', async (_title, settings, expected) => {
    expect(await refusedPath(settings)).toBe(expected);
  });

  test('if the CI job keeps its settings in the repository', async () => {
    const { root, find } = places();
    expect(nameInside(await find('claude', {}, { CLAUDE_CONFIG_DIR: join(root, 'tools') }), root)).not.toBeNull();
    expect(nameInside(await find('claude', {}, { TMPDIR: root, HOME: '/root' }), root)).toBeNull();
  });
});
