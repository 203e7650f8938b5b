import { expect, test } from 'vitest';
import type { AgentReport } from '../../src/domain/doctor.ts';
import { tellDoctor } from '../../src/text/doctor.ts';

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
  expect(tell(claude)).toBe(`claude 2.1.325
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
  ['another version than tested', { ...claude, version: '3.0.0' }, /^claude 3\.0\.0 \(tested with 2\.1\.325\)/],
  ['a version that was never tried', { ...claude, resume: { kind: 'unknown' } }, /resume +not tried.*doctor --resume/],
  [
    'a failed probe',
    { ...claude, resume: { kind: 'no', from: 'probed', why: 'V3: x' } },
    /resume +no, tried here: V3: x/,
  ],
  [
    'a missing agent',
    { ...claude, program: null, version: null },
    /No agent was found.*Not here:\n {2}claude +npm install -g it/s,
  ],
  [
    'a command',
    { ...claude, name: 'house', version: null, testedVersion: null, install: null },
    /^house \(your own command\)/,
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
