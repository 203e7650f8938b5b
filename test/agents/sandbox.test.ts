import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentQuestion } from '../../src/agents/agent.ts';
import { commandAgent } from '../../src/agents/command.ts';
import { dispatch } from '../../src/agents/dispatch.ts';
import { sandboxed } from '../../src/agents/sandbox.ts';
import { temporaryFolder } from '../support/repo.ts';

const PATH = process.env['PATH'] ?? '';
const question: AgentQuestion = {
  stable: '',
  dynamic: '',
  schema: {},
  strictSchema: {},
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

test.skipIf(here === null)('a command in the sandbox reads the repository and cannot write to it', async () => {
  const repository = temporaryFolder();
  const elsewhere = temporaryFolder();
  writeFileSync(join(repository, 'a.txt'), 'content');
  const script = `cat a.txt >&2; touch ${repository}/written; touch ${elsewhere}/written; echo '{"status":"pass","violations":[],"message":"'$(cat a.txt)'"}'`;
  const agent = commandAgent({ name: 'house', command: ['/bin/sh', '-c', script], resume: false });
  const sandbox = sandboxed(agent.program, { readOnly: [repository] }, PATH);
  if (sandbox === null) throw new Error('no sandbox');
  const end = await dispatch({
    agent,
    ...sandbox,
    cwd: repository,
    env: { PATH },
    question,
    idleSeconds: 20,
    signal: null,
  });
  expect(end).toMatchObject({ ok: true, reply: { text: expect.stringContaining('content') } });
  expect([existsSync(join(repository, 'written')), existsSync(join(elsewhere, 'written'))]).toEqual([false, true]);
});

/** An agent that runs what it finds in `.plugins` of the repository, and tells what that printed. */
function loadingAgent() {
  const script = `echo '{"status":"pass","violations":[],"message":"'$(sh .plugins/run.sh 2>/dev/null)'"}'`;
  return { ...commandAgent({ name: 'house', command: ['/bin/sh', '-c', script], resume: false }), loads: ['.plugins'] };
}

function repositoryWithPlugin(): string {
  const repository = temporaryFolder();
  mkdirSync(join(repository, '.plugins'));
  writeFileSync(join(repository, '.plugins/run.sh'), 'echo OWNED');
  return repository;
}

const start = (cwd: string, path: string) => {
  const agent = loadingAgent();
  return dispatch({ agent, program: agent.program, cwd, env: { PATH: path }, question, idleSeconds: 20, signal: null });
};

test.skipIf(here === null)('what an agent would load from the repository is hidden from it', async () => {
  const end = await start(repositoryWithPlugin(), PATH);
  expect(end.ok && end.reply.text).toContain('"message":""');
});

test('where nothing can hide it, the agent is not started', async () => {
  const repository = repositoryWithPlugin();
  expect(await start(repository, temporaryFolder())).toMatchObject({
    ok: false,
    failure: { kind: 'unprotected', path: join(repository, '.plugins') },
  });
});

test('where there is nothing to load, nothing is needed', async () => {
  const end = await start(temporaryFolder(), `${temporaryFolder()}:/bin`);
  expect(end.ok).toBe(true);
});
