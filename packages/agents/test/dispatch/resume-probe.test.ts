import type { AskEnd } from '@onceover/base/kernel/ports';
import { answers, fails } from '@onceover/testing/memory/reviewers.ts';
import { expect, test } from 'vitest';
import { probeResume } from '../../src/dispatch/resume-probe.ts';

const text = (reply: string, sessionId: string | null = 's1') =>
  answers({}, { text: reply, structured: undefined, sessionId });

type Memory = { line: string | null; issues: number };

/** An agent that remembers what it read; what it does at each question may be changed. */
function agent(change: (question: 'V1' | 'V2' | 'V3' | 'V4', usual: AskEnd) => AskEnd = (_, usual) => usual) {
  const sessions = new Map<string, Memory>();
  let file = '';
  let lines = 0;
  const prompts: string[] = [];
  const sessionsAsked: (string | null)[] = [];
  const say = (reply: string, issues: number, sessionId: string): AskEnd => ({
    ...text(JSON.stringify({ reply, issues: Array(issues).fill({ description: 'unclear' }) }), sessionId),
    durationMs: prompts.length * 10,
  });
  const ports: Parameters<typeof probeResume>[2] = {
    writeFile: (text) => {
      file = text;
      return '/probe/spec.md';
    },
    randomLine: () => `line ${++lines}`,
    async ask(prompt, sessionId) {
      prompts.push(prompt);
      sessionsAsked.push(sessionId);
      if (sessionId === null) {
        sessions.set('s1', { line: file.split('\n')[0] ?? '', issues: 3 });
        return change('V1', say(file.split('\n')[0] ?? '', 3, 's1'));
      }
      const memory = sessions.get(sessionId);
      if (prompt.startsWith('Confirm')) return change('V2', say('Yes.', 0, sessionId));
      if (prompt.startsWith('Repeat')) return change('V3', say(memory?.line ?? '', 0, sessionId));
      return change('V4', say(`I found ${memory?.issues}.`, 0, sessionId));
    },
  };
  return { ports, asked: prompts, sessionsAsked };
}

test('an agent that remembers passes all four, and both durations are reported [REUSE-R1.0/V1] [REUSE-R1.0/V2] [REUSE-R1.0/V3] [REUSE-R1.0/V4] [REUSE-R1.0/observes-speed] [REUSE-I10/V1] [REUSE-I10/V2] [REUSE-I10/V3] [REUSE-I10/V4] [REUSE-I10/decision-gate]', async () => {
  const { ports, asked, sessionsAsked } = agent();
  expect(await probeResume('claude', '1.0.0', ports)).toEqual({
    kind: 'tried',
    result: { agent: 'claude', version: '1.0.0', failed: null, freshMs: 10, resumedMs: 20 },
  });
  expect(asked.map((prompt) => prompt.split('\n')[0])).toEqual([
    'Review this file: /probe/spec.md. List the first line verbatim.',
    'Confirm you can still respond.',
    'Repeat verbatim the first line of the file you read.',
    'How many issues did you identify in your V1 review?',
  ]);
  expect(sessionsAsked).toEqual([null, 's1', 's1', 's1']);
});

const sessionGone = fails({ kind: 'session-lost', said: 'no such session' });

test.each([
  ['V1', 'an error', 'V1', sessionGone, /session-lost: no such session/],
  ['V1', 'no session id', 'V1', text('{"reply":"# line 1","issues":[]}', null), /named no session/],
  ['V1', 'a file that was not read', 'V1', text('{"reply":"a spec","issues":[]}'), /did not read/],
  ['V2', 'an error', 'V2', sessionGone, /session-lost/],
  ['V2', 'nothing', 'V2', text(''), /unreadable-answer/],
  ['V2', 'a refusal', 'V2', fails({ kind: 'agent-error', said: 'API Error: 400 tool_use_id' }), /400 tool_use_id/],
  [
    'V3',
    'the line that is in the file now',
    'V3',
    text('{"reply":"# line 2","issues":[]}'),
    /another first line: "# line 2"/,
  ],
  ['V3', 'an error', 'V3', sessionGone, /session-lost/],
  ['V4', 'another number', 'V4', text('{"reply":"7","issues":[]}'), /counted 7 instead of 3/],
  ['V4', 'no number', 'V4', text('{"reply":"some","issues":[]}'), /counted nothing instead of 3/],
] as const)('%s answered with %s fails [REUSE-I10/%s/pass]', async (at, _title, failedTest, reply, how) => {
  const { ports } = agent((question, usual) => (question === at ? reply : usual));
  const outcome = await probeResume('claude', '1.0.0', ports);
  expect(outcome.kind === 'tried' && outcome.result.failed).toEqual({
    test: failedTest,
    how: expect.stringMatching(how),
  });
});

test.each([
  { kind: 'not-logged-in', said: 'log in' },
  { kind: 'unprotected', path: '.opencode' },
  { kind: 'limit', said: 'usage limit', resetAt: null },
  { kind: 'timeout', seconds: 5 },
  { kind: 'idle', seconds: 5 },
  { kind: 'not-found', program: 'claude' },
  { kind: 'cancelled' },
  { kind: 'unreachable', said: 'Connection failed' },
  { kind: 'agent-error', said: 'API Error: 529 Overloaded' },
  { kind: 'agent-error', said: 'unexpected status 500 Internal Server Error' },
  { kind: 'agent-error', said: 'stream disconnected before completion' },
] as const)('$kind at any question leaves open whether the agent can be resumed', async (failure) => {
  for (const at of ['V1', 'V2', 'V3', 'V4']) {
    const { ports } = agent((question, usual) => (question === at ? fails(failure) : usual));
    expect(await probeResume('claude', '1.0.0', ports)).toEqual({ kind: 'not-tried', failure });
  }
});

const usageWith = (inputTokens: number, outputTokens = 100) => ({
  inputTokens,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens,
  costUsd: null,
});

/** Numbers of tokens that V1 to V4 send: the file of the tests has about 2,000 tokens. */
test.each([
  ['keeps its prefix', [12_000, 7300, 7400, 7500], null],
  ['made three requests in V1', [19_000, 7300, 7400, 7500], null],
  ['sends the results of its tools twice', [12_000, 9300, 9400, 9500], 'V2'],
  ['sends them a third time later', [12_000, 7300, 9400, 11_500], 'V4'],
  ['reports no usage', null, null],
  ['reports only its last request', [7300, 7500, 7600, 7700], null, false],
  ['reports only its last request and sends the results of its tools twice', [7300, 9400, 9500, 9600], 'V2', false],
] as const)(
  'an agent that %s when it is resumed: dearer than a new session is not resumed',
  async (_, sentTokens, failedTest, countsAll: boolean = true) => {
    const order = ['V1', 'V2', 'V3', 'V4'];
    const { ports } = agent((question, usual) => {
      if (!usual.ok) return usual;
      const usage = sentTokens === null ? null : usageWith(sentTokens[order.indexOf(question)] ?? 0);
      return { ...usual, reply: { ...usual.reply, usage } };
    });
    const outcome = await probeResume('gemini', '0.60.0', { ...ports, countsAll });
    expect(outcome.kind === 'tried' ? (outcome.result.failed?.test ?? null) : outcome).toBe(failedTest);
  },
);

test.each([
  ['V1', '{"reply":"# line 1","issues":["unclear"]}'],
  ['V1', 'The first line is "# line 1".'],
  ['V1', ''],
  ['V3', 'It was "# line 1".'],
] as const)('an answer to %s in another form leaves it open: %s', async (at, reply) => {
  const { ports, asked } = agent((question, usual) => (question === at ? text(reply) : usual));
  expect(await probeResume('claude', '1.0.0', ports)).toMatchObject({
    kind: 'not-tried',
    failure: { kind: 'unreadable-answer' },
  });
  expect(asked[0]).toContain('one object for\neach thing');
});
