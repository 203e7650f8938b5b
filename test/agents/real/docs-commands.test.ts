import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { programOf, REAL_AGENTS } from '@onceover/testing/agent-clis.ts';
import { CLI } from '@onceover/testing/cli.ts';
import { storiesOf } from '@onceover/testing/docs-commands/commands.ts';
import { docPages, PROJECT, readPage } from '@onceover/testing/docs-commands/pages.ts';
import { NAMES } from '@onceover/testing/docs-commands/places.ts';
import { wordsOf } from '@onceover/testing/docs-commands/words.ts';
import { agentUser } from '@onceover/testing/real-agents.ts';
import { expect, test } from 'vitest';

const pages = docPages().map(readPage);
const fences = pages.flatMap((page) => page.fences);
/** The entries in the docs for one kind of settings, without duplicates. */
const entries = (info: string, start: RegExp) => [
  ...new Set(fences.filter((fence) => fence.info === info && start.test(fence.text)).map(({ text }) => text)),
];
const commands = new Set(
  pages.flatMap((page) => storiesOf(page).flatMap((story) => story.map(({ command }) => command))),
);
/** The commands in the docs for an agent's program. */
const toldTo = (agent: string) =>
  [...commands].filter((one) => one.startsWith(`${agent} `) && !NAMES.some((pattern) => pattern.test(one)));

/** A user with one real agent, in a project; the built program is installed as `onceover`. */
function person(name: string, env: NodeJS.ProcessEnv = {}) {
  const real = REAL_AGENTS.find(({ agent }) => agent.name === name);
  if (real === undefined) throw new Error(`${name} is not an agent that the tests know`);
  const user = agentUser(real, 'http://127.0.0.1:9');
  const bin = dirname(user.project);
  const program = `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`;
  writeFileSync(join(bin, 'onceover'), program, { mode: 0o755 });
  spawnSync('git', ['init', '-q'], { cwd: user.project });
  return {
    project: user.project,
    home: user.env['HOME'] ?? '',
    give(...args: readonly string[]) {
      const end = spawnSync(programOf(real), args, {
        cwd: user.project,
        env: { ...user.env, ...env, PATH: [bin, dirname(process.execPath), process.env['PATH']].join(delimiter) },
        encoding: 'utf8',
      });
      return { code: end.status, said: stripVTControlCharacters(end.stdout + end.stderr) };
    },
  };
}

/** Adds an entry to settings that may already exist. */
function enter(file: string, entry: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const old = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (file.endsWith('.toml')) writeFileSync(file, `${old}\n${entry}`);
  else writeFileSync(file, JSON.stringify({ ...JSON.parse(old || '{}'), ...JSON.parse(entry) }));
}

const MCP_SERVERS = entries('json', /"mcpServers"/);
const TRUSTED = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };

test.each([
  ['claude', 'project', '.mcp.json', MCP_SERVERS, {}, /onceover: onceover mcp - .*Pending approval/],
  ['codex', 'home', '.codex/config.toml', entries('toml', /^\[mcp_servers/), {}, /onceover +onceover +mcp .*enabled/],
  ['gemini', 'home', '.gemini/settings.json', MCP_SERVERS, TRUSTED, /✓ onceover: onceover mcp .*Connected/],
  ['gemini', 'project', '.gemini/settings.json', MCP_SERVERS, TRUSTED, /✓ onceover: onceover mcp .*Connected/],
  ['opencode', 'home', '.config/opencode/opencode.json', entries('json', /^\{ "mcp":/), {}, /✓ onceover connected/],
] as const)(
  '%s finds the MCP server by each entry of the docs, in the %s: %s',
  (name, where, file, all, env, listed) => {
    expect(all.length).toBeGreaterThan(0);
    for (const entry of all) {
      const user = person(name, env);
      enter(join(user[where], file), entry);
      expect(user.give('mcp', 'list').said).toMatch(listed);
    }
  },
);

test("the commands in the docs for agents' programs work, and register the MCP server", () => {
  const told = ['claude', 'codex', 'gemini'].flatMap((name) => toldTo(name).map((command) => [name, command] as const));
  expect(told).toContainEqual(['claude', 'claude plugin install onceover --marketplace OWNER/onceover']);
  for (const [name, command] of told) {
    const user = person(name, TRUSTED);
    const args = wordsOf(command.replace('OWNER/onceover', PROJECT)).slice(1);
    expect({ command, ...user.give(...args) }).toMatchObject({ command, code: 0 });
    expect(user.give('mcp', 'list').said).toMatch(/onceover.*(?:Connected|enabled)/);
  }
});
