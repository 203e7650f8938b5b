import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import type { AgentQuestion } from '../../src/adapters/agent.ts';
import { callAgent, sandboxed } from '../../src/adapters/call-agent.ts';
import { commandAgent } from '../../src/adapters/command.ts';

const PATH = process.env['PATH'] ?? '';
const question: AgentQuestion = {
  stable: '',
  dynamic: '',
  schema: {},
  sessionId: null,
  newSessionId: '',
  usedBefore: null,
  model: null,
  cacheTtl: '5m',
  timeoutSeconds: 20,
};

test('without bubblewrap there is no sandbox', () => {
  expect(sandboxed('/bin/sh', { readOnly: ['/repo'] }, temporaryFolder())).toBeNull();
});

const here = sandboxed('/bin/sh', {}, PATH);

/** A repository with a file, in which a command reads and then tries to write. */
async function writing(path: string) {
  const { root } = repoWith({ 'a.txt': 'content' });
  const elsewhere = temporaryFolder();
  const script = `touch written; echo more >> a.txt; touch ${elsewhere}/written; echo '{"status":"pass","violations":[],"message":"'$(head -c 7 a.txt)'"}'`;
  const agent = commandAgent({ name: 'house', command: ['/bin/sh', '-c', script], resume: false });
  const call = {
    agent,
    program: agent.program,
    cwd: root,
    env: { PATH: path },
    question,
    idleSeconds: 20,
    signal: null,
  };
  const end = await callAgent({ ...call, sandbox: true });
  const text = end.ok ? end.reply.text : JSON.stringify(end.failure);
  return { text, repository: readdirSync(root).sort(), file: readFileSync(join(root, 'a.txt'), 'utf8') };
}

const UNTOUCHED = {
  text: expect.stringContaining('"message":"content"'),
  repository: ['.git', 'a.txt'],
  file: 'content',
};

test.skipIf(here === null)('a command in bubblewrap reads the repository and cannot write to it', async () => {
  expect(await writing(PATH)).toEqual(UNTOUCHED);
});

test('without bubblewrap it has a copy that is thrown away', async () => {
  expect(await writing(`${temporaryFolder()}:${withoutBubblewrap()}`)).toEqual(UNTOUCHED);
});

/** The usual programs, but not bubblewrap. */
function withoutBubblewrap(): string {
  const folder = temporaryFolder();
  for (const name of ['sh', 'head', 'touch', 'cat'])
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(folder, name));
  return folder;
}

/** An agent that runs the files in `.plugins` of the repository and returns their output. */
function loadingAgent() {
  const script = `echo '{"status":"pass","violations":[],"message":"'$(sh .plugins/run.sh 2>/dev/null)'"}'`;
  return { ...commandAgent({ name: 'house', command: ['/bin/sh', '-c', script], resume: false }), loads: ['.plugins'] };
}

const PLUGIN = { '.plugins/run.sh': 'echo OWNED', 'a.txt': 'content' };

const start = (cwd: string, path: string) => {
  const agent = loadingAgent();
  return callAgent({
    agent,
    program: agent.program,
    cwd,
    env: { PATH: path },
    question,
    idleSeconds: 20,
    signal: null,
  });
};

test.skipIf(here === null)('what an agent would load from the repository is hidden from it', async () => {
  const end = await start(repoWith(PLUGIN).root, PATH);
  expect(end.ok && end.reply.text).toContain('"message":""');
});

test('without bubblewrap it is left out of the copy that the agent gets', async () => {
  const end = await start(repoWith(PLUGIN).root, withoutBubblewrap());
  expect(end.ok && end.reply.text).toContain('"message":""');
});

/** An agent that returns the instructions in the folders, and the first line of a file beside them. */
async function askForInstructions(path: string, change: (root: string) => void = () => {}) {
  const { root } = repoWith({
    'AGENTS.md': 'ROOT',
    'src/AGENTS.md': 'TRACKED',
    'src/a.txt': 'content',
    'lib/deep/agents.md': 'OTHER-CASE',
  });
  mkdirSync(join(root, 'new'));
  writeFileSync(join(root, 'new/AGENTS.md'), 'UNTRACKED');
  change(root);
  const files = 'AGENTS.md src/AGENTS.md lib/deep/agents.md new/AGENTS.md src/a.txt';
  const script = `echo '{"status":"pass","violations":[],"message":"'$(cat ${files} 2>/dev/null)'"}'`;
  const house = commandAgent({ name: 'house', command: ['/bin/sh', '-c', script], resume: false });
  const agent = { ...house, loadsNamed: ['AGENTS.md'] };
  const call = { agent, program: agent.program, cwd: root, env: { PATH: path }, question, idleSeconds: 20 };
  const end = await callAgent({ ...call, signal: null });
  return end.ok ? end.reply.text : JSON.stringify(end.failure);
}

test.skipIf(here === null)('instructions in the folders of the repository are hidden in bubblewrap', async () => {
  expect(await askForInstructions(PATH)).toContain('"message":"ROOTcontent"');
});

test('instructions in the folders of the repository are left out of a copy', async () => {
  expect(await askForInstructions(withoutBubblewrap())).toContain('"message":"ROOTcontent"');
});

test.skipIf(here === null)('a symlink among the instructions does not hide the file that it names', async () => {
  const text = await askForInstructions(PATH, (root) => symlinkSync('../src/a.txt', join(root, 'lib/AGENTS.md')));
  expect(text).toContain('"message":"ROOTcontent"');
});

test('where nothing can hide it, the agent is not started', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.plugins'));
  writeFileSync(join(folder, '.plugins/run.sh'), 'echo OWNED');
  expect(await start(folder, temporaryFolder())).toMatchObject({
    ok: false,
    failure: { kind: 'unprotected', path: join(folder, '.plugins') },
  });
});

test('where there is nothing to load, nothing is needed', async () => {
  const end = await start(temporaryFolder(), `${temporaryFolder()}:/bin`);
  expect(end.ok).toBe(true);
});
