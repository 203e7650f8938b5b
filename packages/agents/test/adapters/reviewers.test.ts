import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentSettings, ResumeAbility } from '@onceover/base/kernel/agent';
import type { AskOptions, Question } from '@onceover/base/kernel/ports';
import { repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { knownAgents } from '../../src/adapters/installed.ts';
import { openReviewers } from '../../src/adapters/reviewers.ts';

const UNKNOWN: ResumeAbility = { kind: 'unknown' };
const YES: ResumeAbility = { kind: 'yes', from: 'tested' };
const NONE: AgentSettings = {
  model: null,
  command: null,
  path: null,
  resume: false,
  env: {},
  sandbox: false,
  timeoutSeconds: null,
};
const QUESTION: Question = {
  stable: 'Rules.',
  dynamic: 'Look.',
  schema: {},
  sessionId: null,
  usedBefore: null,
  cacheTtl: '5m',
  timeoutSeconds: 20,
  idleSeconds: 20,
};
const ANSWER = '{"status":"pass","violations":[]}';
const SESSION = '11111111-2222-4333-8444-555555555555';

type Given = {
  /** Programs on PATH: what a Node script of that name does when it is not asked for its version. */
  readonly programs?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, Partial<AgentSettings>>>;
  readonly preference?: readonly string[];
  readonly own?: Readonly<Record<string, string>>;
  readonly root?: string;
  resumable?(name: string, version: string): Promise<ResumeAbility>;
};

/** A machine with these programs; `starts` returns how each was started so far. */
async function machine(setup: Given = {}) {
  const folder = temporaryFolder();
  const root = setup.root ?? join(folder, 'root');
  for (const path of [root, join(folder, 'bin'), join(folder, 'scratch')]) mkdirSync(path, { recursive: true });
  const trace = join(folder, 'starts');
  writeFileSync(trace, '');
  for (const [name, script] of Object.entries(setup.programs ?? {})) install(join(folder, 'bin', name), script, trace);
  const settings = Object.fromEntries(
    Object.entries(setup.settings ?? {}).map(([name, overrides]) => [name, { ...NONE, ...overrides }]),
  );
  const agents = await knownAgents(settings, { PATH: join(folder, 'bin'), ...setup.own }, root);
  const open = () =>
    openReviewers({
      known: agents,
      root,
      commonDir: folder,
      preference: setup.preference ?? null,
      resumable: setup.resumable ?? (async () => UNKNOWN),
      scratchBase: join(folder, 'scratch'),
    });
  const reviewers = open();
  const starts = () => readFileSync(trace, 'utf8').split('\n').slice(0, -1);
  const ask = (name: string, question: Partial<Question> = {}, options: Partial<AskOptions> = {}) =>
    reviewers.ask(name, { ...QUESTION, ...question }, { stop: null, watch() {}, ...options });
  return { folder, root, known: agents, reviewers, open, starts, ask, scratch: join(folder, 'scratch') };
}

function install(path: string, script: string, trace: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const text = `#!${process.execPath}
const fs = require('node:fs');
const isVersion = process.argv[2] === '--version';
fs.appendFileSync(${JSON.stringify(trace)}, ${JSON.stringify(path.split('/').at(-1))} + (isVersion ? ' --version' : '') + '\\n');
const say = (...events) => { for (const event of events) console.log(typeof event === 'string' ? event : JSON.stringify(event)); };
const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
if (isVersion) console.log('1.2.3');
else (async () => { ${script} })();
`;
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

const house = (script: string): Partial<AgentSettings> => ({ command: [process.execPath, '-e', script] });

describe('the preferred agents', () => {
  const programs = { claude: '', codex: '', gemini: '', house: '' };
  const settings = { house: { command: ['house'] }, gone: { command: ['gone'] } };

  test.each<[string, Given, readonly string[]]>([
    ['the known ones that are found, in their order', { programs }, ['claude', 'codex', 'gemini']],
    ['no custom commands, if built-in agents are installed', { programs, settings }, ['claude', 'codex', 'gemini']],
    ['custom commands, if no built-in agent is installed', { programs: { house: '' }, settings }, ['house']],
    ['none, if none is installed', { settings: { gone: { command: ['gone'] } } }, []],
    ['those named, in the order named', { programs, settings, preference: ['house', 'claude'] }, ['house', 'claude']],
    [
      'those named that are found',
      { programs, settings, preference: ['opencode', 'gone', 'codex', 'nobody'] },
      ['codex'],
    ],
    [
      'a known name that is defined as a command counts as a command',
      { programs, settings: { claude: { command: ['house'] } } },
      ['codex', 'gemini'],
    ],
  ])('%s', async (_, setup, expected) => {
    expect((await machine(setup)).reviewers.names).toEqual(expected);
  });

  test('lists all installed agents', async () => {
    expect((await machine({ programs, settings, preference: ['codex'] })).reviewers.found).toEqual([
      'claude',
      'codex',
      'gemini',
      'house',
    ]);
  });

  test('calls an installed agent that is not preferred', async () => {
    const { reviewers, ask } = await machine({
      programs: { claude: '' },
      settings: { house: house(`console.log('${ANSWER}')`) },
    });
    expect(reviewers.names).toEqual(['claude']);
    expect((await reviewers.describe('house')).version).toMatch(/^[0-9a-f]{16}$/);
    expect(await ask('house')).toMatchObject({ ok: true });
  });
});

describe('the facts about an agent', () => {
  test('come from the settings, the program and its abilities', async () => {
    const settings = { claude: { model: 'm1', timeoutSeconds: 77 } };
    const { reviewers } = await machine({ programs: { claude: '', codex: '' }, settings });
    expect(await reviewers.describe('claude')).toMatchObject({
      model: 'm1',
      version: '1.2.3',
      diffLimit: 400_000,
      sharesPrefix: true,
      timeoutSeconds: 77,
    });
    expect(await reviewers.describe('codex')).toMatchObject({ model: null, sharesPrefix: false, timeoutSeconds: null });
  });

  test('asks a program for its version once; the next process knows it', async () => {
    const { reviewers, open, starts, root, folder } = await machine({ programs: { claude: '' } });
    await Promise.all([reviewers.describe('claude'), reviewers.describe('claude')]);
    await open().describe('claude');
    expect(starts()).toEqual(['claude --version']);
    expect(readdirSync(root)).toEqual([]);
    expect(existsSync(join(folder, 'onceover/versions.json'))).toBe(true);
  });

  test('asks an updated program again', async () => {
    const { reviewers, folder, starts } = await machine({ programs: { claude: '' } });
    await reviewers.describe('claude');
    appendFileSync(join(folder, 'bin/claude'), "\n// version '2.0.0'");
    await reviewers.describe('claude');
    expect(starts()).toEqual(['claude --version', 'claude --version']);
  });

  test('uses the command line as the version of a custom command, without starting it', async () => {
    const of = async (command: readonly string[]) => {
      const { reviewers, starts } = await machine({ programs: { house: '' }, settings: { house: { command } } });
      const { version, toolsDigest } = await reviewers.describe('house');
      expect(starts()).toEqual([]);
      return { version, toolsDigest };
    };
    expect(await of(['house', 'a'])).toEqual(await of(['house', 'a']));
    expect((await of(['house', 'a'])).version).not.toBe((await of(['house', 'b'])).version);
    expect((await of(['house', 'a b'])).version).not.toBe((await of(['house', 'a', 'b'])).version);
  });

  test('have the same digest each time, and another for another model or agent', async () => {
    const of = async (name: string, model: string | null) => {
      const programs = { claude: '', codex: '', gemini: '', opencode: '' };
      const { reviewers } = await machine({ programs, settings: { [name]: { model } } });
      return (await reviewers.describe(name)).toolsDigest;
    };
    const names = ['claude', 'codex', 'gemini', 'opencode'];
    const digests = await Promise.all(names.flatMap((name) => [of(name, null), of(name, 'm1'), of(name, 'm2')]));
    expect(new Set(digests).size).toBe(12);
    expect(await of('claude', 'm1')).toBe(digests[1]);
    expect(digests.every((digest) => /^[0-9a-f]{64}$/.test(digest))).toBe(true);
  });

  test.each(['claude', 'codex', 'gemini', 'opencode'])(
    'the digest of %s is another when its options, variables or files are',
    async (name) => {
      const { known, folder, root } = await machine({ programs: { [name]: '' } });
      const knownAgent = known.find(({ agent }) => agent.name === name);
      if (knownAgent === undefined) throw new Error('missing');
      type Invocation = ReturnType<typeof knownAgent.agent.invoke>;
      const digest = async (change: (call: Invocation, put: (name: string, text: string) => string) => Invocation) => {
        const agent: typeof knownAgent.agent = {
          ...knownAgent.agent,
          invoke: (question, putFile, cwd) => change(knownAgent.agent.invoke(question, putFile, cwd), putFile),
        };
        const options = { root, commonDir: folder, preference: null, resumable: async () => UNKNOWN };
        return (await openReviewers({ ...options, known: [{ ...knownAgent, agent }] }).describe(name)).toolsDigest;
      };
      const digests = [
        await digest((call) => call),
        await digest((call) => ({ ...call, args: [...call.args, '--more'] })),
        await digest((call) => ({ ...call, env: { ...call.env, MORE: '1' } })),
        await digest((call, putFile) => {
          putFile('more.json', '{}');
          return call;
        }),
      ];
      expect(new Set(digests).size).toBe(4);
    },
  );

  test.each([
    [true, true],
    [false, false],
  ])("whether a command can be resumed is its owner's word: %s", async (resume, canResume) => {
    const resumable = async () => {
      throw new Error('must not be tried');
    };
    const settings = { house: { command: [process.execPath], resume } };
    const { reviewers } = await machine({ settings, resumable });
    expect(await (await reviewers.describe('house')).canResume()).toBe(canResume);
  });

  test('probes an unknown version on request, once per version', async () => {
    const probes: string[] = [];
    const resumable = async (name: string, version: string): Promise<ResumeAbility> => {
      probes.push(`${name} ${version}`);
      return name === 'claude' ? YES : { kind: 'no', from: 'probed', why: 'V3: it gave another line' };
    };
    const { reviewers } = await machine({ programs: { claude: '', codex: '' }, resumable });
    const [claude, again, codex] = await Promise.all(['claude', 'claude', 'codex'].map(reviewers.describe));
    expect(probes).toEqual([]);
    expect(await Promise.all([claude, again, codex].map((facts) => facts?.canResume()))).toEqual([true, true, false]);
    await claude?.canResume();
    expect(await Promise.all([claude, codex].map((facts) => facts?.deferredReason()))).toEqual([
      null,
      'V3: it gave another line',
    ]);
    expect(probes).toEqual(['claude 1.2.3', 'codex 1.2.3']);
  });

  test('does not resume an agent without a version', async () => {
    const { reviewers, folder } = await machine({ programs: { claude: '' }, resumable: async () => YES });
    writeFileSync(join(folder, 'bin/claude'), '#!/bin/sh\necho hello\n');
    const facts = await reviewers.describe('claude');
    expect(facts.version).toBe('unknown');
    expect(await facts.canResume()).toBe(false);
  });
});

const INIT = { type: 'system', subtype: 'init', session_id: SESSION, model: 'm' };
const usage = (input: number, output: number) => ({
  input_tokens: input,
  cache_creation_input_tokens: 5,
  cache_read_input_tokens: 7,
  output_tokens: output,
});
const message = (id: string, path: string) => ({
  type: 'assistant',
  message: { id, usage: usage(10, 1), content: [{ type: 'tool_use', name: 'Read', input: { file_path: path } }] },
});
const result = (overrides: object = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  session_id: SESSION,
  result: ANSWER,
  structured_output: JSON.parse(ANSWER),
  usage: usage(30, 9),
  ...overrides,
});
const say = (...events: object[]) => `say(${events.map((event) => JSON.stringify(event)).join(',')});`;

describe('a question', () => {
  test('returns the reply, its session, model and usage, and leaves nothing behind', async () => {
    const { ask, scratch, root } = await machine({ programs: { claude: say(INIT, message('m1', 'a.ts'), result()) } });
    expect(await ask('claude')).toEqual({
      ok: true,
      reply: {
        text: ANSWER,
        structured: JSON.parse(ANSWER),
        sessionId: SESSION,
        usage: { inputTokens: 30, cachedInputTokens: 7, cacheWriteTokens: 5, outputTokens: 9, costUsd: null },
        sessionUsage: null,
        filesRead: ['a.ts'],
        requests: {
          count: 1,
          firstRead: expect.any(Number),
          lastSent: expect.any(Number),
          lastOutput: expect.any(Number),
        },
      },
      model: 'm',
      draft: '',
      durationMs: expect.any(Number),
      retries: 0,
    });
    expect([readdirSync(scratch), readdirSync(root)]).toEqual([[], []]);
  });

  test('names a new session each time, and the model of the settings', async () => {
    const script =
      'say({ type: "result", subtype: "error", is_error: true, result: process.argv.slice(2).join(" ") });';
    const { ask } = await machine({ programs: { claude: script }, settings: { claude: { model: 'm1' } } });
    const [firstArgs, secondArgs] = [await ask('claude'), await ask('claude')].map((end) => (end.ok ? '' : end.said));
    expect(firstArgs).toMatch(/--model m1 .*--session-id [0-9a-f-]{36}$/);
    expect(firstArgs?.slice(-36)).not.toBe(secondArgs?.slice(-36));
  });

  test.each([
    ['of the user', {}, { ONCEOVER_ACTIVE: '0' }],
    ['of the settings', { env: { ONCEOVER_ACTIVE: '' } }, {}],
  ])('is started as active, whatever the environment %s says, in the root', async (_, agentSettings, environment) => {
    const script = `console.log(JSON.stringify({ status: process.env.ONCEOVER_ACTIVE, at: process.cwd() }))`;
    const { ask, root } = await machine({
      settings: { house: { ...house(script), ...agentSettings } },
      own: environment,
    });
    const end = await ask('house');
    expect(end.ok && JSON.parse(end.reply.text)).toEqual({ status: '1', at: root });
  });

  test('to a command with a sandbox cannot write to the repository', async () => {
    const { root } = repoWith({ 'a.txt': 'content' });
    const script = `try { require('fs').writeFileSync('written', '') } catch {} console.log('${ANSWER}')`;
    const settings = { house: { ...house(script), sandbox: true } };
    const { ask } = await machine({ settings, root, own: { PATH: process.env['PATH'] ?? '' } });
    expect(await ask('house')).toMatchObject({ ok: true });
    expect(readdirSync(root).sort()).toEqual(['.git', 'a.txt']);
  });

  test('returns the usage of this call for a thread that reports its total', async () => {
    const total = { input_tokens: 100, cached_input_tokens: 40, output_tokens: 20 };
    const script = say(
      { type: 'thread.started', thread_id: SESSION },
      { type: 'item.completed', item: { type: 'agent_message', text: ANSWER } },
      { type: 'turn.completed', usage: total },
    );
    const { ask } = await machine({ programs: { codex: script } });
    const reports: unknown[] = [];
    const usedBefore = { inputTokens: 50, cachedInputTokens: 30, cacheWriteTokens: 0, outputTokens: 15, costUsd: null };
    const end = await ask(
      'codex',
      { sessionId: SESSION, usedBefore },
      { watch: (_, usageSoFar) => reports.push(usageSoFar) },
    );
    const callUsage = { inputTokens: 10, cachedInputTokens: 10, cacheWriteTokens: 0, outputTokens: 5, costUsd: null };
    expect(end).toMatchObject({ ok: true, reply: { usage: callUsage, sessionUsage: { inputTokens: 60 } } });
    expect(reports[0]).toBeNull();
  });
});

describe('a question that fails', () => {
  test('returns the usage and text so far', async () => {
    const script = `${say(INIT, message('m1', 'a.ts'), message('m1', 'b.ts'), message('m2', 'c.ts'))} await after(60000);`;
    const { ask } = await machine({ programs: { claude: script } });
    const end = await ask('claude', { timeoutSeconds: 1 });
    // A message that comes in two events is counted once.
    const callUsage = { inputTokens: 20, cachedInputTokens: 14, cacheWriteTokens: 10, outputTokens: 2, costUsd: null };
    expect(end).toMatchObject({ ok: false, failure: { kind: 'timeout', seconds: 1 }, usage: callUsage });
  });

  test.each([
    ['its error', say(INIT, result({ is_error: true, result: 'usage limit reached' })), 'limit', 'usage limit reached'],
    ['its last words', 'console.error("Error: broken"); process.exitCode = 3;', 'agent-error', 'Error: broken'],
    ['its answer, in another session', say(INIT, result({ session_id: 'other' })), 'wrong-session', ANSWER],
    ['what it printed', 'console.log("half"); await after(60000);', 'timeout', 'half'],
    ['nothing', 'await after(60000);', 'timeout', ''],
  ])('says %s', async (_, script, kind, text) => {
    const { ask } = await machine({ programs: { claude: script } });
    const end = await ask('claude', { sessionId: kind === 'wrong-session' ? SESSION : null, timeoutSeconds: 2 });
    expect(end).toMatchObject({ ok: false, failure: { kind }, said: text });
  });

  const RECONNECTING = {
    type: 'error',
    message: 'Reconnecting... waiting for network (Connection failed: error sending request)',
  };

  test('names the cause when an agent only repeats that it cannot connect, long before the time is up', async () => {
    const script = `${say({ type: 'thread.started', thread_id: SESSION }, { type: 'turn.started' })}
      for (;;) { ${say(RECONNECTING)} await after(100); }`;
    const { ask } = await machine({ programs: { codex: script } });
    const end = await ask('codex');
    expect(end).toMatchObject({ ok: false, failure: { kind: 'unreachable' }, retries: 3 });
    expect(end.durationMs).toBeLessThan(10_000);
  });

  test('does not take an error that an agent repeats in its log for activity', async () => {
    const script = 'for (;;) { console.error("ERROR cannot connect"); await after(100); }';
    const { ask } = await machine({ programs: { claude: script } });
    expect(await ask('claude', { idleSeconds: 1 })).toMatchObject({ ok: false, failure: { kind: 'idle' } });
  });

  test('ends an agent that repeats more requests than this review may still take', async () => {
    const retry = { type: 'system', subtype: 'api_retry', attempt: 1, error_status: 529, error: 'overloaded' };
    const { ask } = await machine({
      programs: { claude: `${say(INIT, retry, message('m1', 'a.ts'), retry)} await after(60000);` },
    });
    const end = await ask('claude', { mostRetries: 1 });
    expect(end).toMatchObject({ ok: false, failure: { kind: 'agent-error', said: expect.stringContaining('529') } });
    expect(end.retries).toBe(2);
  });

  test.each([
    ['not installed', 'claude', {}, 'claude'],
    ['not where the settings say', 'claude', { claude: { path: '/nowhere/claude' } }, '/nowhere/claude'],
    ['unknown', 'nobody', {}, 'nobody'],
  ])('says that an agent is %s', async (_, name, settings, program) => {
    const { ask, reviewers } = await machine({ settings, resumable: async () => YES });
    expect(await ask(name)).toEqual({
      ok: false,
      failure: { kind: 'not-found', program },
      usage: null,
      said: '',
      durationMs: 0,
    });
    const facts = await reviewers.describe(name);
    expect([facts.version, await facts.canResume()]).toEqual(['unknown', false]);
  });

  test.each(['--dangerously-bypass-approvals-and-sandbox', '/tmp/session.jsonl', '../x', 'a b', '', 'x'.repeat(300)])(
    'for a session id that a program could take for something else, without starting it: %j',
    async (sessionId) => {
      const { ask, starts } = await machine({ programs: { claude: '', codex: '', gemini: '', opencode: '' } });
      for (const name of ['claude', 'codex', 'gemini', 'opencode']) {
        expect(await ask(name, { sessionId })).toMatchObject({ ok: false, failure: { kind: 'session-lost' } });
      }
      expect(starts()).toEqual([]);
    },
  );

  test("but a command's session id may be what it likes: it is no argument", async () => {
    const script = `console.log(JSON.stringify({ status: process.env.ONCEOVER_SESSION }))`;
    const { ask } = await machine({ settings: { house: { ...house(script), resume: true } } });
    const end = await ask('house', { sessionId: '-/my session' });
    expect(end).toMatchObject({ ok: true, reply: { sessionId: '-/my session' } });
    expect(end.ok && JSON.parse(end.reply.text)).toEqual({ status: '-/my session' });
  });

  test('for a value that no program can be given, and the next one is asked as ever', async () => {
    const settings = { claude: { env: { BAD: 'a\0b' } } };
    const { ask, reviewers, scratch } = await machine({ programs: { claude: '', codex: '' }, settings });
    expect(await reviewers.describe('claude')).toMatchObject({ version: 'unknown' });
    expect(await ask('claude')).toMatchObject({ ok: false, failure: { kind: 'agent-error' } });
    expect(readdirSync(scratch)).toEqual([]);
    expect(await ask('codex')).toMatchObject({ ok: false, failure: { kind: 'agent-error' } });
  });

  test.each([
    ['where no file can be written', null, 'agent-error'],
    ['because it was stopped before, whatever else is wrong', AbortSignal.abort(), 'cancelled'],
  ])('%s, without starting it', async (_, stop, kind) => {
    const { known, folder, root, starts } = await machine({ programs: { claude: '' } });
    const options = { known, root, commonDir: folder, preference: null, resumable: async () => UNKNOWN };
    const reviewers = openReviewers({ ...options, scratchBase: join(folder, 'missing') });
    expect(await reviewers.ask('claude', QUESTION, { stop, watch() {} })).toMatchObject({
      ok: false,
      failure: { kind },
    });
    expect(starts()).toEqual([]);
  });
});

describe('watching', () => {
  /** The reports during the call, with their times. */
  async function watched(name: 'claude' | 'codex' | 'gemini' | 'opencode', script: string) {
    const { ask } = await machine({ programs: { [name]: script } });
    const reports: { readonly at: number; readonly doing: string | null; readonly input: number | null }[] = [];
    await ask(
      name,
      {},
      {
        watch: (doing, usageSoFar) =>
          reports.push({ at: performance.now(), doing, input: usageSoFar?.inputTokens ?? null }),
      },
    );
    const end = reports.length;
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(reports.length).toBe(end);
    return reports;
  }

  test('reports a thousand events per second about ten times, the first at once and the last soon', async () => {
    const script = `${say(INIT)} for (let n = 0; n < 1000; n++) { say({ type: 'assistant', message: { id: 'm' + n,
      usage: { input_tokens: 1 }, content: [{ type: 'tool_use', name: 'Read', input: { file_path: 'f' + n } }] } });
      await after(1); } await after(400); ${say(result())} await after(50);`;
    const reports = await watched('claude', script);
    expect(reports[0]).toMatchObject({ doing: 'reading', input: null });
    const gaps = reports.slice(1).map(({ at }, n) => at - (reports[n]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(90);
    expect(reports.length).toBeGreaterThan(5);
    expect(reports.some(({ doing, input }) => doing === 'Read f999' && input === 1000)).toBe(true);
  });

  test.each([
    ['claude', [INIT], [message('m1', 'a.ts')]],
    ['claude', [INIT], [{ type: 'stream_event', event: { type: 'message_start' } }]],
    [
      'gemini',
      [
        { type: 'init', session_id: SESSION },
        { type: 'message', role: 'user', content: 'x' },
      ],
      [{ type: 'message', role: 'assistant', content: 'x', delta: true }],
    ],
    ['opencode', [], [{ type: 'step_start', sessionID: SESSION, part: {} }]],
  ] as const)(
    'says of %s that it has begun when its model has, not when it is started',
    async (name, before, begin) => {
      const begins = async (script: string) => {
        let hasBegun = false;
        const { ask } = await machine({ programs: { [name]: script } });
        await ask(
          name,
          {},
          {
            begun: () => {
              hasBegun = true;
            },
          },
        );
        return hasBegun;
      };
      expect(await begins(before.length === 0 ? '' : say(...before))).toBe(false);
      expect(await begins(say(...before, ...begin))).toBe(true);
    },
  );

  test('of one whose prompts are not cached begins with its first event', async () => {
    expect(await watched('codex', say({ type: 'thread.started', thread_id: SESSION }))).toMatchObject([
      { doing: 'reading', input: null },
    ]);
  });
});
