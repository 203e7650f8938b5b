import { expect, test } from 'vitest';
import type { ProbePorts, ProbeReply } from '../../src/domain/capability.ts';
import { probeResume } from '../../src/execute/probe-resume.ts';

type Memory = { line: string | null; issues: number };

/** An agent that remembers what it read; what it does at each question may be changed. */
function agent(change: (question: 'V1' | 'V2' | 'V3' | 'V4', usual: ProbeReply) => ProbeReply = (_, usual) => usual) {
  const sessions = new Map<string, Memory>();
  let file = '';
  let lines = 0;
  const asked: string[] = [];
  const say = (reply: string, issues: number, sessionId: string): ProbeReply => ({
    ok: true,
    text: JSON.stringify({ reply, issues: Array(issues).fill({ description: 'unclear' }) }),
    structured: undefined,
    sessionId,
    durationMs: asked.length * 10,
  });
  const ports: ProbePorts = {
    writeFile: (text) => {
      file = text;
      return '/probe/spec.md';
    },
    randomLine: () => `line ${++lines}`,
    async ask(prompt, sessionId) {
      asked.push(prompt);
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
  return { ports, asked };
}

test('an agent that remembers passes all four, and both times are told [REUSE-R1.0/V1] [REUSE-R1.0/V2] [REUSE-R1.0/V3] [REUSE-R1.0/V4]', async () => {
  const { ports, asked } = agent();
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
});

const gone: ProbeReply = { ok: false, failure: { kind: 'session-lost', said: 'no such session' } };
const text = (reply: string): ProbeReply => ({
  ok: true,
  text: reply,
  structured: undefined,
  sessionId: 's1',
  durationMs: 1,
});

test.each([
  ['V1', 'an error', gone, 'V1', /session-lost: no such session/],
  [
    'V1',
    'no session id',
    { ok: true, text: '{"reply":"# line 1","issues":[]}', structured: undefined, sessionId: null, durationMs: 1 },
    'V1',
    /named no session/,
  ],
  ['V1', 'a file that was not read', text('{"reply":"a spec","issues":[]}'), 'V1', /did not read/],
  ['V2', 'an error', gone, 'V2', /session-lost/],
  ['V2', 'nothing', text(''), 'V2', /unreadable-answer/],
  [
    'V3',
    'the line that is in the file now',
    text('{"reply":"# line 2","issues":[]}'),
    'V3',
    /another first line: "# line 2"/,
  ],
  ['V3', 'an error', gone, 'V3', /session-lost/],
  ['V4', 'another number', text('{"reply":"7","issues":[]}'), 'V4', /counted 7 instead of 3/],
  ['V4', 'no number', text('{"reply":"some","issues":[]}'), 'V4', /counted nothing instead of 3/],
] as const)('%s answered with %s', async (at, _title, reply, failedTest, how) => {
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
] as const)('$kind says nothing about resuming, at whichever question', async (failure) => {
  for (const at of ['V1', 'V2', 'V3', 'V4']) {
    const { ports } = agent((question, usual) => (question === at ? { ok: false, failure } : usual));
    expect(await probeResume('claude', '1.0.0', ports)).toEqual({
      kind: 'not-tried',
      agent: 'claude',
      version: '1.0.0',
      failure,
    });
  }
});
