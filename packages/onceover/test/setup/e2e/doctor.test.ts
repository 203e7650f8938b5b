import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CLI, onceover, onceoverJson } from '@onceover/testing/cli.ts';
import { cleanEnvironment, repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { doctorSchema } from '../../../src/setup/json-schema.ts';

/** A folder with a program "claude" that answers like Claude Code: with memory, without memory, or never. */
function fakeClaude(
  memory: boolean,
  { hangs = false, isLoggedIn = true } = {},
): { readonly PATH: string; readonly HTTPS_PROXY: string; readonly calls: string } {
  const folder = temporaryFolder();
  const calls = join(folder, 'calls');
  const script = `#!${process.execPath}
const fs = require('node:fs');
const args = process.argv.slice(2);
if (args[0] === '--version') { console.log('9.9.9 (Claude Code)'); process.exit(0); }
if (args[0] === 'auth') { console.log(JSON.stringify({ loggedIn: ${isLoggedIn}, authMethod: 'none' })); process.exit(0); }
fs.appendFileSync(${JSON.stringify(calls)}, 'x');
if (${hangs}) { setInterval(() => {}, 1000); return; }
const at = (name) => args[args.indexOf(name) + 1];
const prompt = fs.readFileSync(0, 'utf8');
const resumed = args.includes('--resume');
const forks = args.includes('--fork-session');
const session = resumed && !forks ? at('--resume') : at('--session-id');
if (forks) fs.copyFileSync(${JSON.stringify(folder)} + '/' + at('--resume'), ${JSON.stringify(folder)} + '/' + session);
const state = ${JSON.stringify(folder)} + '/' + session;
let reply = 'Yes.';
let issues = [];
if (!resumed) {
  const path = /Review this file: (\\S+)\\. /.exec(prompt)[1];
  reply = fs.readFileSync(path, 'utf8').split('\\n')[0];
  issues = [{ description: 'a' }, { description: 'b' }];
  fs.writeFileSync(state, reply);
} else if (prompt.startsWith('Repeat')) reply = ${memory ? "fs.readFileSync(state, 'utf8')" : "'I do not know'"};
else if (prompt.startsWith('How many')) reply = '2';
else if (prompt.startsWith('What is')) reply = 'none';
const structured_output = { reply, issues };
console.log(JSON.stringify({ type: 'system', subtype: 'init', session_id: session, model: 'm' }));
console.log(JSON.stringify({ type: 'result', subtype: 'success', is_error: false, session_id: session, result: '', structured_output, usage: { input_tokens: 1, output_tokens: 1 } }));
`;
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/claude'), script);
  chmodSync(join(folder, 'bin/claude'), 0o755);
  // Behind a proxy, doctor does not try to reach the service.
  return { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, HTTPS_PROXY: 'http://127.0.0.1:1', calls };
}

type Doctor = {
  agents: {
    name: string;
    found: boolean;
    version: string | null;
    resume: { can: boolean | null; why: string | null };
    fork: { can: boolean | null; cached: boolean };
  }[];
};
const claudeOf = (document: Doctor) => document.agents.find((agent) => agent.name === 'claude');

test('shows the installed agents and how to install the others, also outside a repository', async () => {
  const folder = temporaryFolder();
  const { calls, ...env } = fakeClaude(true);
  const end = await onceover(folder, ['doctor'], { env });
  expect(end).toMatchObject({ code: 0, stderr: '' });
  expect(end.stdout).toMatch(
    /^1 agent can review here: claude\.\n\nclaude 9\.9\.9 \(tested with .*Not installed\n {2}codex +npm install/s,
  );
  const document = await onceoverJson<Doctor>(folder, ['doctor'], { env });
  expect(doctorSchema.safeParse(document).success).toBe(true);
  expect(claudeOf(document)).toMatchObject({ found: true, version: '9.9.9', resume: { can: null } });
  expect(() => readFileSync(calls)).toThrow();
});

test('exits with 3 if the only installed agent is logged out', async () => {
  const { calls: _, ...env } = fakeClaude(true, { isLoggedIn: false });
  const end = await onceover(temporaryFolder(), ['doctor'], { env });
  expect([end.code, end.stdout]).toEqual([3, expect.stringMatching(/^No installed agent can review here\./)]);
  expect(end.stdout).toMatch(/login +not logged in: run "claude auth login", or set ANTHROPIC_API_KEY/);
});

test('--resume tests the agent once and keeps the result', async () => {
  const { root } = repoWith({ 'a.txt': '' });
  const { calls, ...env } = fakeClaude(true);
  const end = await onceover(root, ['doctor', '--resume', 'claude'], { env });
  expect(end).toMatchObject({ code: 0, stderr: expect.stringContaining('claude: testing whether it can resume') });
  expect(end.stdout).toMatch(/resume +yes, tested here/);
  expect(end.stdout).toMatch(/fork +yes, tested here: reviews share what one session reads/);
  // V1 to V4, and three calls for V5.
  expect(readFileSync(calls, 'utf8')).toBe('x'.repeat(7));
  expect(claudeOf(await onceoverJson<Doctor>(root, ['doctor'], { env }))).toMatchObject({
    resume: { can: true },
    fork: { can: true, cached: true },
  });
  expect(readFileSync(calls, 'utf8')).toBe('x'.repeat(7));
  expect(await onceoverJson(root, ['cost'])).toMatchObject({
    resume_tests: { looks: 1, dispatches: 7, input_tokens: 7 },
  });
});

test('--resume exits with 1 and keeps the reason if the agent forgets its session (V3)', async () => {
  const { root } = repoWith({ 'a.txt': '' });
  const { calls: _, ...env } = fakeClaude(false);
  const end = await onceover(root, ['doctor', '--resume'], { env });
  expect(end.code).toBe(1);
  expect(end.stdout).toMatch(/resume +no, tested here: V3: it remembered another first line: "I do not know"/);
  expect(claudeOf(await onceoverJson<Doctor>(root, ['doctor'], { env }))?.resume).toMatchObject({
    can: false,
    why: expect.stringMatching(/^V3: /),
  });
});

test.each([
  [
    'an unknown agent',
    ['doctor', '--resume', 'emacs'],
    2,
    /"emacs" is not a known agent.*claude, codex, gemini, opencode, pi/s,
  ],
  [
    'an agent that is not installed',
    ['doctor', '--resume', 'claude'],
    3,
    /claude could not be started.*could not test whether the agent can resume/s,
  ],
  ['no installed agent', ['doctor', '--resume'], 3, /^$/],
])('reports %s', async (_title, args, code, message) => {
  const { root, git } = repoWith({ 'a.txt': '' });
  const bin = join(dirname(root), 'bin');
  mkdirSync(bin);
  symlinkSync(join(git('--exec-path').trim(), 'git'), join(bin, 'git'));
  const end = await onceover(root, args, { env: { PATH: bin } });
  expect([end.code, message.test(end.stderr)]).toEqual([code, true]);
});

test('--resume fails outside a repository, because the result could not be kept', async () => {
  const end = await onceover(temporaryFolder(), ['doctor', '--resume']);
  expect([end.code, end.stderr]).toEqual([3, expect.stringContaining('not in a git repository')]);
});

test('Ctrl-C ends the agent, keeps no result, and exits with 130', async () => {
  const { root, git } = repoWith({ 'a.txt': '' });
  const { calls, ...env } = fakeClaude(true, { hangs: true });
  const child = spawn(process.execPath, [CLI, 'doctor', '--resume', 'claude'], {
    cwd: root,
    env: { ...cleanEnvironment(dirname(root)), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  while (!existsSync(calls)) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGINT');
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect([code, output]).toEqual([130, expect.stringContaining('Interrupted: ')]);
  expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(`${dirname(calls)}/bin/claude`);
  expect(existsSync(join(git('rev-parse', '--absolute-git-dir').trim(), 'onceover/capabilities.json'))).toBe(false);
});
