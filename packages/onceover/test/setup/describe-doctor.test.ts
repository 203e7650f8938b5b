import type { AgentReport } from '@onceover/base/kernel/agent';
import { UNSTYLED } from '@onceover/base/ui/style';
import { expect, test } from 'vitest';
import { describeDoctor } from '../../src/setup/describe.ts';

const claude: AgentReport = {
  name: 'claude',
  program: '/bin/claude',
  version: '2.1.325',
  testedVersion: '2.1.325',
  abilities: {
    schema: true,
    readOnly: 'tools',
    usage: 'dispatch',
    stablePart: 'cached',
    stopHook: 'yes',
    fork: 'cached',
  },
  resume: { kind: 'yes', from: 'tested' },
  fork: { kind: 'yes', from: 'tested' },
  login: { state: 'yes', why: 'ANTHROPIC_API_KEY' },
  service: { state: 'yes', why: 'https://api.example.com' },
  logIn: 'run "claude auth login"',
  install: 'npm install -g it',
};
const tell = (...agents: AgentReport[]) => describeDoctor({ agents, git: '2.40.0', bubblewrap: null, node: '20.19.0' });

test('lists the facts about an installed agent', () => {
  expect(tell(claude)).toBe(`1 agent can review here: claude.

claude 2.1.325
  program     /bin/claude
  login       yes (ANTHROPIC_API_KEY)
  service     answers (https://api.example.com)
  resume      yes, tested with this version
  fork        yes, tested with this version: reviews share what one session reads
  read-only   it gets no tool that can write files
  stop hook   "onceover init --hook claude"

This machine: git 2.40.0, Node 20.19.0, bubblewrap not found (agents that would need it work on a copy of the repository)

To measure what your reviewers catch, run "onceover prove". It shows a plan; "onceover prove --yes" then calls the agents.`);
});

test('says which cooldowns it has ended', () => {
  const cooldowns = [{ agent: 'claude', until: new Date('2026-03-01T12:00:00Z'), said: '429' }];
  expect(
    describeDoctor({ agents: [claude], git: '2.40.0', bubblewrap: null, node: '20.19.0', lifted: cooldowns }),
  ).toContain(
    'claude had reached a limit (429). onceover would not have called it until 2026-03-01T12:00:00.000Z; the next run calls it again.',
  );
});

test.each<[string, AgentReport, RegExp]>([
  ['another version than tested', { ...claude, version: '3.0.0' }, /^claude 3\.0\.0 \(tested with 2\.1\.325\)/m],
  ['no version', { ...claude, version: null }, /^claude, version unknown \(tested with 2\.1\.325\)$/m],
  [
    'a version that was never tested',
    { ...claude, resume: { kind: 'unknown' } },
    /resume +not tested.*doctor --resume/,
  ],
  [
    'a failed probe',
    { ...claude, resume: { kind: 'no', from: 'probed', why: 'V3: x' } },
    /resume +no, tested here: V3: x/,
  ],
  [
    'an agent that is logged out',
    { ...claude, login: { state: 'no', why: 'none' } },
    /^No installed agent can review here\..*login +not logged in: run "claude auth login"$/ms,
  ],
  [
    'a service that does not answer',
    { ...claude, service: { state: 'no', why: 'https://api.example.com: ENOTFOUND' } },
    /^No installed agent can review here\..*service +cannot be reached \(https:\/\/api\.example\.com: ENOTFOUND\)/ms,
  ],
  [
    'an unknown login',
    { ...claude, login: { state: 'unknown', why: null }, service: { state: 'unknown', why: null } },
    /^1 agent can review here: claude\..*login +unknown; if a review fails, run "claude auth login"\n {2}resume/ms,
  ],
  [
    'a missing agent',
    { ...claude, program: null, version: null },
    /No agent was found.*log in.*"onceover demo" shows .* without an agent.*Not installed\n {2}claude +npm install -g it/s,
  ],
  [
    'a command',
    { ...claude, name: 'house', version: null, testedVersion: null, install: null },
    /^house \(your own command\)/m,
  ],
  [
    'a missing command',
    { ...claude, name: 'house', program: null, testedVersion: null, install: null },
    /house +not found, or not executable/,
  ],
  [
    'a stop hook that the user has to allow',
    { ...claude, name: 'codex', abilities: { ...claude.abilities, stopHook: 'when-allowed' } },
    /stop hook +"onceover init --hook codex"; .* allow .*"\/hooks"/,
  ],
  [
    'a stop hook in trusted folders',
    { ...claude, abilities: { ...claude.abilities, stopHook: 'when-trusted' } },
    /stop hook .* folders that you trust/,
  ],
  ['no stop hook', { ...claude, abilities: { ...claude.abilities, stopHook: 'none' } }, /stop hook +not available$/m],
])('describes %s', (_title, agent, text) => {
  expect(tell(agent)).toMatch(text);
});

test('says that git is missing', () => {
  expect(describeDoctor({ agents: [claude], git: null, bubblewrap: '/usr/bin/bwrap', node: '20' })).toMatch(
    /git not found \(install.*\), Node 20, bubblewrap \(a sandbox for agents\)$/m,
  );
});

test('continues long lines under their first column', () => {
  const text = describeDoctor(
    { agents: [{ ...claude, resume: { kind: 'unknown' } }], git: '2.40.0', bubblewrap: null, node: '20.19.0' },
    { paint: (look, text) => (look === 'strong' ? `<${text}>` : text), width: 60 },
  );
  expect(text).toMatch(/^ {2}resume {6}not tested .*\n {14}\S/m);
  expect(text).toContain('<claude 2.1.325>');
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
});

test('shows commands as the user has to type them', () => {
  const report = { agents: [claude], git: null, bubblewrap: null, node: '20' };
  expect(describeDoctor(report, { ...UNSTYLED, byNpx: true })).toContain(
    'stop hook   "npx onceover init --hook claude"',
  );
});
