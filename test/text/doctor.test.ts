import { expect, test } from 'vitest';
import type { AgentReport } from '../../src/domain/doctor.ts';
import { tellDoctor } from '../../src/text/doctor.ts';
import { AS_IT_IS } from '../../src/text/shown.ts';

const claude: AgentReport = {
  name: 'claude',
  program: '/bin/claude',
  version: '2.1.325',
  testedVersion: '2.1.325',
  abilities: { schema: true, readOnly: 'tools', usage: 'dispatch', stablePart: 'cached', stopHook: 'yes' },
  resume: { kind: 'yes', from: 'tested' },
  install: 'npm install -g it',
};
const tell = (...agents: AgentReport[]) => tellDoctor({ agents, git: '2.40.0', bubblewrap: null, node: '20.19.0' });

test('an agent is told with all that it can do', () => {
  expect(tell(claude)).toBe(`1 agent can review here: claude.

claude 2.1.325
  program     /bin/claude
  resume      yes, tested with this version
  answers     by a schema that it enforces
  read-only   it is given no tool that writes
  usage       told for each dispatch
  caching     the stable part of a prompt is shared by fresh dispatches
  stop hook   "onceover init --hook claude"

git 2.40.0, Node 20.19.0, no bubblewrap (commands with "sandbox: true", and opencode where a repository holds .opencode, get a copy instead)`);
});

test.each<[string, AgentReport, RegExp]>([
  ['another version than tested', { ...claude, version: '3.0.0' }, /^claude 3\.0\.0 \(tested with 2\.1\.325\)/m],
  ['no version', { ...claude, version: null }, /^claude, which does not tell its version \(tested with 2\.1\.325\)$/m],
  ['a version that was never tried', { ...claude, resume: { kind: 'unknown' } }, /resume +not tried.*doctor --resume/],
  [
    'a failed probe',
    { ...claude, resume: { kind: 'no', from: 'probed', why: 'V3: x' } },
    /resume +no, tried here: V3: x/,
  ],
  [
    'a missing agent',
    { ...claude, program: null, version: null },
    /No agent was found.*log in.*"onceover demo" shows a run without one.*Not here\n {2}claude +npm install -g it/s,
  ],
  [
    'a command',
    { ...claude, name: 'house', version: null, testedVersion: null, install: null },
    /^house \(your own command\)/m,
  ],
  [
    'a missing command',
    { ...claude, name: 'house', program: null, testedVersion: null, install: null },
    /house +its program was not found/,
  ],
  [
    'a stop hook that a person has to allow',
    { ...claude, name: 'codex', abilities: { ...claude.abilities, stopHook: 'when-allowed' } },
    /stop hook +"onceover init --hook codex"; .* allowed .*"\/hooks"/,
  ],
  [
    'a stop hook in trusted folders',
    { ...claude, abilities: { ...claude.abilities, stopHook: 'when-trusted' } },
    /stop hook .* folders that you trust/,
  ],
  ['no stop hook', { ...claude, abilities: { ...claude.abilities, stopHook: 'none' } }, /stop hook +none: /],
])('%s', (_title, agent, said) => {
  expect(tell(agent)).toMatch(said);
});

test('a missing git is said', () => {
  expect(tellDoctor({ agents: [claude], git: null, bubblewrap: '/usr/bin/bwrap', node: '20' })).toMatch(
    /git not found: install.*, bubblewrap$/,
  );
});

test('agents that differ in their names alone are told together', () => {
  const own = {
    ...claude,
    abilities: { ...claude.abilities, stopHook: 'none' as const },
    version: null,
    testedVersion: null,
    install: null,
  };
  const told = tell({ ...own, name: 'code' }, claude, { ...own, name: 'docs' });
  expect(told).toMatch(/^3 agents can review here: code, claude, docs\.\n\ncode, docs \(your own commands\)\n/);
  expect(told.match(/program/g)).toHaveLength(2);
});

test('long lines go on under where they began', () => {
  const told = tellDoctor(
    { agents: [{ ...claude, resume: { kind: 'unknown' } }], git: '2.40.0', bubblewrap: null, node: '20.19.0' },
    { paint: (look, text) => (look === 'strong' ? `<${text}>` : text), width: 60 },
  );
  expect(told).toMatch(/^ {2}resume {6}not tried .*\n {14}\S/m);
  expect(told).toContain('<claude 2.1.325>');
  expect(Math.max(...told.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
});

test('commands are told as they have to be typed', () => {
  const report = { agents: [claude], git: null, bubblewrap: null, node: '20' };
  expect(tellDoctor(report, { ...AS_IT_IS, byNpx: true })).toContain('stop hook   "npx onceover init --hook claude"');
});
