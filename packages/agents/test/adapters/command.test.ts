import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test, vi } from 'vitest';
import type { AgentQuestion } from '../../src/adapters/agent.ts';
import { callAgent } from '../../src/adapters/call-agent.ts';
import { commandAgent } from '../../src/adapters/command.ts';
import { readAnswer } from '../../src/dispatch/read-answer.ts';

const question: AgentQuestion = {
  stable: 'Rules.',
  dynamic: 'Look at this.',
  schema: { type: 'object' },
  sessionId: null,
  newSessionId: 'new',
  usedBefore: null,
  model: null,
  cacheTtl: '5m',
  timeoutSeconds: 10,
};
const ANSWER = '{"status":"pass","violations":[]}';
const say = (text: string) => `console.log(${JSON.stringify(text)})`;

/** Prints so much between two texts that some of it is left out. */
const long = (first: string, last: string) =>
  `process.stdout.write(${JSON.stringify(first)}+"x".repeat(20<<20)+${JSON.stringify(last)})`;

/** Sends a question to a Node script as command agent, and reads what comes back as a gate's answer. */
async function ask(script: string, overrides: Partial<AgentQuestion> = {}, idleSeconds = 10) {
  const end = await call(script, overrides, idleSeconds);
  if (!end.ok) return end.failure;
  const readResult = readAnswer('gate', end.reply);
  return readResult.ok ? { ...end.reply, answer: readResult.answer } : readResult.failure;
}

async function call(script: string, overrides: Partial<AgentQuestion> = {}, idleSeconds = 10) {
  const agent = commandAgent({ name: 'house', command: [process.execPath, '-e', script], resume: true });
  return callAgent({
    agent,
    program: agent.program,
    cwd: temporaryFolder(),
    env: { PATH: process.env['PATH'] ?? '' },
    question: { ...question, ...overrides },
    idleSeconds,
    signal: null,
  });
}

describe('a command agent', () => {
  test('gets the whole prompt on its input and the schema in a file', async () => {
    const script = `let s="";process.stdin.on("data",d=>s+=d).on("end",()=>{const schema=require("fs").readFileSync(process.env.ONCEOVER_SCHEMA,"utf8");console.log(JSON.stringify({status:"pass",violations:[],message:s+"|"+schema+"|"+process.env.ONCEOVER_SESSION}))})`;
    expect(await ask(script)).toMatchObject({
      answer: { message: 'Rules.\n\nLook at this.|{"type":"object"}|undefined' },
    });
  });

  test('shows nothing of the files that it opens', async () => {
    expect(await ask(say(ANSWER))).toMatchObject({ filesRead: null });
  });

  test('is resumed with its session and the dynamic part alone', async () => {
    const script = `let s="";process.stdin.on("data",d=>s+=d).on("end",()=>console.log(JSON.stringify({status:"pass",violations:[],message:s,session_id:process.env.ONCEOVER_SESSION})))`;
    expect(await ask(script, { sessionId: 'kept' })).toMatchObject({
      sessionId: 'kept',
      answer: { message: 'Look at this.' },
    });
  });

  test.each([
    ['names its session in its answer', '{"status":"pass","violations":[],"session_id":"s1"}', null, 's1'],
    ['keeps the session by naming none', ANSWER, 's1', 's1'],
    ['has none if it never named one', ANSWER, null, null],
  ])('%s', async (_title, text, sessionId, expected) => {
    expect(await ask(say(text), { sessionId })).toMatchObject({ sessionId: expected });
  });

  test('may report its usage', async () => {
    const text =
      '{"status":"pass","violations":[],"usage":{"input_tokens":5,"cached_input_tokens":3,"output_tokens":2,"cost_usd":0.1}}';
    expect(await ask(say(text))).toMatchObject({
      usage: { inputTokens: 5, cachedInputTokens: 3, cacheWriteTokens: 0, outputTokens: 2, costUsd: 0.1 },
    });
  });

  test('cannot report a negative cost', async () => {
    const text = '{"status":"pass","violations":[],"usage":{"input_tokens":-5,"output_tokens":2,"cost_usd":-1}}';
    expect(await ask(say(text))).toMatchObject({ usage: { inputTokens: 0, outputTokens: 2, costUsd: null } });
  });

  test('may announce its answer', async () => {
    expect(await ask(`${say('Done:')};${say(ANSWER)}`)).toMatchObject({ answer: { status: 'pass' } });
  });

  test('may print text around a refusal', async () => {
    const script = `${say('I have read it.')};${say('{"status":"fail","violations":[]}')};${say('That is all.')}`;
    expect(await ask(script)).toMatchObject({ answer: { status: 'fail' } });
  });
});

describe('the message of a failed agent', () => {
  const fail = (print: string) => `${print};process.exitCode=1`;
  const about = (issue: string) => ({ status: 'fail', violations: [{ file: 'a', line: 1, issue, priority: 'high' }] });
  test.each([
    ['an error message', fail('console.error("Error: 429 Too Many Requests")'), 'limit'],
    ['an error message on its output', fail(say('Error: please run /login')), 'not-logged-in'],
    ['an answer that is about limits', fail(say(JSON.stringify(about('no rate limit here')))), 'agent-error'],
    ['the same on many lines', fail(say(JSON.stringify(about('no authentication'), null, 2))), 'agent-error'],
    ['a long one', fail(say(JSON.stringify(about(`${'x'.repeat(3000)} 429`)))), 'agent-error'],
  ])('%s', async (_title, script, kind) => {
    expect(await ask(script)).toMatchObject({ kind });
  });

  test.each([
    [
      'answers and then fails',
      `${say(ANSWER)};process.exitCode=3`,
      /^ended with exit code 3 after saying: \{"status":"pass"/,
    ],
    ['is killed', `${say(ANSWER)};process.kill(process.pid,"SIGKILL")`, /^ended by SIGKILL/],
    ['throws an error', 'null.x', /^TypeError: /],
    ['says nothing', 'process.exitCode=3', /^ended with exit code 3 and no result$/],
  ])('how it ended, where it %s', async (_title, script, pattern) => {
    expect(await ask(script)).toMatchObject({ kind: 'agent-error', said: expect.stringMatching(pattern) });
  });
});

const REFUSAL = '{"status":"fail","violations":[]}';

test.each([
  ['exits with 1', `console.error("Error: it failed");${say(REFUSAL)};process.exitCode=1`, 'agent-error', {}],
  ['hangs', `${say(REFUSAL)};setInterval(()=>{},1000)`, 'timeout', { timeoutSeconds: 1 }],
  ['names another session', say(`${REFUSAL.slice(0, -1)},"session_id":"b"}`), 'wrong-session', { sessionId: 'a' }],
] as const)('a refusal is kept if the agent then %s', async (_title, script, kind, overrides) => {
  expect(await call(script, overrides)).toMatchObject({
    ok: false,
    failure: { kind },
    draft: expect.stringContaining('"status":"fail"'),
  });
});

describe('a failure that never counts as an answer', () => {
  test.each([
    ['prints nothing', '', 'unreadable-answer'],
    [
      'begins an answer before what is kept of it',
      long('{"a":[', ',{"status":"pass","violations":[]}]}'),
      'unreadable-answer',
    ],
    [
      'ends its answer with lines of another',
      long('{"a":[\n{}', ',\n  {"status":"pass","violations":[]}\n]}\n'),
      'unreadable-answer',
    ],
    [
      'has the middle of its answer left out',
      long('\n{"status":"pass","violations":[],"message":"', '"}'),
      'unreadable-answer',
    ],
    ['refuses and then passes', `${say('{"status":"fail","violations":[]}')};${say(ANSWER)}`, 'unreadable-answer'],
    ['prints so much before its answer that some is left out', long('', `\n${ANSWER}`), 'unreadable-answer'],
    ['prints only prose', say('LGTM'), 'unreadable-answer'],
    ['answers and then fails', `${say(ANSWER)};process.exitCode=1`, 'agent-error'],
    ['exits with 0 and an error text', say('Error: something is broken'), 'unreadable-answer'],
    [
      'answers for another session',
      say('{"status":"pass","violations":[],"session_id":"other"}'),
      'wrong-session',
      { sessionId: 'mine' },
    ],
    ['says that it spent no tokens', say('{"status":"pass","violations":[],"usage":{"output_tokens":0}}'), 'no-tokens'],
    ['hangs', 'setInterval(()=>{},1000)', 'timeout', { timeoutSeconds: 1 }],
    ['answers and hangs', `${say(ANSWER)};setInterval(()=>{},1000)`, 'timeout', { timeoutSeconds: 1 }],
    [
      'ignores the request to end',
      `${say(ANSWER)};process.on("SIGTERM",()=>{});setInterval(()=>{},1000)`,
      'timeout',
      { timeoutSeconds: 1 },
    ],
    ['is killed', `${say(ANSWER)};process.kill(process.pid,"SIGKILL")`, 'agent-error'],
    ['prints an answer that is cut off', say('{"status":"pass","violations":['), 'unreadable-answer'],
    ['prints invalid UTF-8', 'process.stdout.write(Buffer.from([255,254,253]))', 'unreadable-answer'],
    [
      'says that a limit is reached',
      'console.error("usage limit reached, try again in 5 minutes");process.exitCode=1',
      'limit',
    ],
  ] as const)('an agent that %s', async (_title, script, kind, overrides: Partial<AgentQuestion> = {}) => {
    expect(await ask(script, overrides)).toMatchObject({ kind });
  });

  test('an agent that says nothing for too long', async () => {
    expect(await ask('setInterval(()=>{},1000)', {}, 1)).toMatchObject({ kind: 'idle', seconds: 1 });
  });

  test.each([
    ['missing', '/nowhere/at all', 0o755],
    ['without run bit', null, 0o644],
  ])('a program that is %s', async (_title, path, mode) => {
    const program = path ?? join(temporaryFolder(), 'agent');
    if (path === null) writeFileSync(program, '#!/bin/sh\n', { mode });
    const agent = commandAgent({ name: 'house', command: [program], resume: false });
    const end = await callAgent({
      agent,
      program,
      cwd: temporaryFolder(),
      env: {},
      question,
      idleSeconds: 5,
      signal: null,
    });
    expect(end).toMatchObject({ ok: false, failure: { kind: 'not-found', program } });
  });
});

describe('a harmless condition', () => {
  test('an agent that closes its input early, with a prompt of 5 MB', async () => {
    expect(await ask(`process.stdin.destroy();${say(ANSWER)}`, { dynamic: 'x'.repeat(5e6) })).toMatchObject({
      answer: { status: 'pass' },
    });
  });

  test('an agent that leaves a child with its pipe behind', async () => {
    const script = `require("child_process").spawn("sleep",["60"],{stdio:"inherit"});${say(ANSWER)};process.exit(0)`;
    expect(await ask(script)).toMatchObject({ answer: { status: 'pass' } });
  });

  test('a program whose path has spaces', async () => {
    const folder = join(temporaryFolder(), 'my agents');
    mkdirSync(folder);
    const program = join(folder, 'review er');
    writeFileSync(program, `#!/bin/sh\necho '${ANSWER}'\n`);
    chmodSync(program, 0o755);
    const agent = commandAgent({ name: 'house', command: [program], resume: false });
    const env = { PATH: process.env['PATH'] ?? '' };
    const end = await callAgent({ agent, program, cwd: folder, env, question, idleSeconds: 5, signal: null });
    expect(end).toMatchObject({ ok: true });
  });

  test('nothing is left in the temporary folder', async () => {
    // Other tests use the temporary folder of the machine at the same time.
    const folder = temporaryFolder();
    vi.stubEnv('TMPDIR', folder);
    try {
      expect(tmpdir()).toBe(folder);
      await ask(say(ANSWER));
      await ask('setInterval(()=>{},1000)', { timeoutSeconds: 1 });
    } finally {
      vi.unstubAllEnvs();
    }
    // The test itself makes the working directories of the agents there.
    expect(readdirSync(folder).filter((name) => !name.startsWith('onceover-test-'))).toEqual([]);
  });
});
