import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PHASES } from '@onceover/base/kernel/review-loops';
import { addHookEntry } from '@onceover/onceover/src/setup/agent-config.ts';
import { onceover } from '@onceover/testing/cli.ts';
import { connectMcp } from '@onceover/testing/mcp.ts';
import { cleanEnvironment, emptyRepo, ruleText, type TestRepo } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';

const PROJECT = resolve(import.meta.dirname, '../..');
const PLUGIN = join(PROJECT, 'plugins/onceover');
const textOf = (...path: readonly string[]) => readFileSync(join(PLUGIN, ...path), 'utf8');
const jsonOf = (...path: readonly string[]) => JSON.parse(textOf(...path)) as Record<string, unknown>;
const commands = readdirSync(join(PLUGIN, 'commands')).map((name) => name.replace(/\.md$/, ''));

/** A replacement for an installed `onceover` that prints its arguments. */
function stop(repo: TestRepo, project = repo.root): readonly [number | null, string, string] {
  const bin = dirname(repo.root);
  writeFileSync(join(bin, 'onceover'), '#!/bin/sh\necho "started: $*"; cat\n');
  chmodSync(join(bin, 'onceover'), 0o755);
  const clean = cleanEnvironment(bin);
  const env = { ...clean, PATH: `${bin}:${clean['PATH']}`, CLAUDE_PROJECT_DIR: project };
  const end = spawnSync('sh', [join(PLUGIN, 'scripts/stop.sh')], {
    cwd: bin,
    env,
    input: 'the stop',
    encoding: 'utf8',
  });
  return [end.status, end.stdout, end.stderr];
}

const CALLED = [0, 'started: hook stop\nthe stop', ''] as const;
const SILENT = [0, '', ''] as const;

describe('its stop hook', () => {
  test('calls onceover if the repository has gates or rules, and passes on its answer', () => {
    const gates = emptyRepo();
    gates.write('onceover.yml', 'gates: []\n');
    expect(stop(gates)).toEqual(CALLED);
    const rules = emptyRepo();
    rules.write('deep/in/.deepreview', ruleText('style'));
    expect(stop(rules)).toEqual(SILENT);
    rules.commit();
    expect(stop(rules)).toEqual(CALLED);
    expect(stop(rules, join(rules.root, 'deep'))).toEqual(CALLED);
    rules.write('onceover.yml', 'gates: []\n');
    rules.git('rm', '-rq', 'deep');
    rules.write('src/a.ts', '');
    rules.commit();
    rules.git('sparse-checkout', 'set', '--no-cone', '/src/');
    expect(stop(rules)).toEqual(CALLED);
  });

  test('prints nothing elsewhere: no gates, no repository, no such folder', () => {
    const repo = emptyRepo();
    repo.write('src/a.ts', '');
    repo.commit();
    expect(stop(repo)).toEqual(SILENT);
    expect(stop(repo, dirname(repo.root))).toEqual(SILENT);
    expect(stop(repo, join(repo.root, 'nowhere'))).toEqual(SILENT);
  });

  test('does nothing if init has written a hook', async () => {
    const repo = emptyRepo();
    repo.write('onceover.yml', 'gates: []\n');
    expect((await onceover(repo.root, ['init', '--hook', 'claude'])).code).toBe(0);
    expect(stop(repo)).toEqual(SILENT);
  });

  test('has the same timeout as the hook of init', () => {
    const timeoutIn = (text: string) => JSON.parse(text).hooks.Stop[0].hooks[0].timeout as number;
    const written = addHookEntry('claude', null);
    expect(timeoutIn(textOf('hooks/hooks.json'))).toBe(600);
    expect(written).toMatchObject({ kind: 'write' });
    expect(timeoutIn(written.kind === 'write' ? written.text : '')).toBe(600);
  });
});

test('has a command for each phase, and one for review', () => {
  expect(commands.sort()).toEqual([...PHASES, 'review'].sort());
  for (const phase of PHASES) expect.soft(textOf('commands', `${phase}.md`)).toContain(`\`phase\` "${phase}"`);
});

test("commands and skill name existing tools, and none may waive a finding without the user's request", async () => {
  const repo = emptyRepo();
  repo.commit();
  const names = new Set([...(await (await connectMcp(repo.root)).tools()), ...OTHER_WORDS]);
  const texts = [...commands.map((name) => textOf('commands', `${name}.md`)), textOf('skills/gates/SKILL.md')];
  const allowed = texts.flatMap((text) =>
    [...text.matchAll(/mcp__plugin_onceover_onceover__(\w+)/g)].map(([, one]) => one),
  );
  const named = texts.flatMap((text) => [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, one]) => one));
  const unknown = [...allowed, ...named].filter((name) => !names.has(name ?? ''));
  expect(unknown).toEqual([]);
  expect(allowed).toEqual(expect.arrayContaining(['start_run', 'get_run', 'start_phase', 'continue_phase']));
  expect(allowed).not.toContain('resolve_finding');
});

const OTHER_WORDS = ['accept_with_notes', 'loop_id', 'needs_work'];

test('has the version of the package, and the marketplace leads to the plugin', () => {
  const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { version: string };
  expect(jsonOf('.claude-plugin/plugin.json')['version']).toBe(version);
  const market = JSON.parse(readFileSync(join(PROJECT, '.claude-plugin/marketplace.json'), 'utf8'));
  expect(market.plugins).toMatchObject([{ name: 'onceover', source: './plugins/onceover' }]);
});
