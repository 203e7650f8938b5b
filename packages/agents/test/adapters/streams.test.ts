import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AgentEvents, NO_EVENTS } from '../../src/adapters/agent.ts';
import { loadAgents } from '../../src/adapters/table.ts';
import { answerObject } from '../../src/dispatch/answer-form.ts';
import { readAnswer } from '../../src/dispatch/read-answer.ts';

const AGENTS = await loadAgents();

/** Reads a stream that the real agent printed while it talked to the model simulator. */
function eventsOf(agent: string, name: string): AgentEvents {
  const reader = AGENTS.find((candidate) => candidate.name === agent);
  if (reader === undefined) throw new Error(`no agent ${agent}`);
  const now = new Date('2026-01-01T00:00:00Z');
  return linesOf(agent, name).reduce((before, line) => reader.hear(before, line, now), NO_EVENTS);
}

function linesOf(agent: string, name: string): readonly string[] {
  const text = readFileSync(join(import.meta.dirname, 'streams', agent, `${name}.jsonl`), 'utf8');
  return text.split('\n').filter((line) => line !== '');
}

const PASS = '{"status":"pass","violations":[]}';
/** The activity that each agent reports; Claude Code reports its answer only at its end. */
const SAYS_PASS: Readonly<Record<string, string>> = {
  codex: JSON.stringify({ type: 'item.completed', item: { type: 'agent_message', text: PASS } }),
  gemini: JSON.stringify({ type: 'message', role: 'assistant', content: PASS }),
  opencode: JSON.stringify({ type: 'text', part: { text: PASS } }),
  pi: JSON.stringify({
    type: 'message_end',
    message: { role: 'assistant', stopReason: 'stop', content: [{ type: 'text', text: PASS }] },
  }),
};

const FAIL = '{"status":"fail","violations":[]}';
const SAYS_FAIL: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(SAYS_PASS).map(([agent, line]) => [agent, line.replaceAll('pass', 'fail')])),
  claude: JSON.stringify({ type: 'assistant', message: { model: 'm', content: [{ type: 'text', text: FAIL }] } }),
};

describe.each(AGENTS.map((agent) => agent.name))('%s', (agent) => {
  test('a review ends well, with session, answer and usage', () => {
    const end = eventsOf(agent, 'review');
    expect(end).toMatchObject({ done: true, failure: null, sessionId: expect.stringMatching(/^[\w-]{20,}$/) });
    expect(end.structured ?? JSON.parse(end.text)).toEqual({ status: 'pass', violations: [] });
    expect(readAnswer('gate', end)).toMatchObject({ ok: true, answer: { status: 'pass' } });
    expect(end.usage?.outputTokens).toBeGreaterThan(0);
    expect(end.doing).toContain('add.js');
    expect(end.filesRead).toEqual([expect.stringMatching(/\/add\.js$/)]);
  });

  test('a refusal in a message before the answer is part of the answer', () => {
    const says = SAYS_PASS[agent];
    const reader = AGENTS.find((candidate) => candidate.name === agent);
    if (says === undefined || reader === undefined) return;
    const lines = [says.replaceAll('pass', 'fail'), says];
    const end = lines.reduce((before, line) => reader.hear(before, line, new Date(0)), NO_EVENTS);
    expect(readAnswer('gate', end)).toMatchObject({ ok: false, failure: { why: 'several-answers' } });
  });

  test('text before a tool call is kept as a draft', () => {
    const end = eventsOf(agent, 'review');
    expect(end.draft).not.toContain('status');
    const reader = AGENTS.find((candidate) => candidate.name === agent);
    const lines = linesOf(agent, 'review').toSpliced(2, 0, SAYS_FAIL[agent] ?? '');
    const later = lines.reduce((before, line) => reader?.hear(before, line, new Date(0)) ?? before, NO_EVENTS);
    expect(later).toMatchObject({ draft: expect.stringContaining(FAIL), text: end.text, structured: end.structured });
  });

  test('a resumed review is of the same session', () => {
    const end = eventsOf(agent, 'resumed');
    expect(end).toMatchObject({ done: true, failure: null, sessionId: eventsOf(agent, 'review').sessionId });
  });

  test('reports a refused key as a missing login', () => {
    expect(eventsOf(agent, 'refused')).toMatchObject({ done: false, failure: { kind: 'not-logged-in' } });
  });

  test('a stream that is cut anywhere before its end is not done', () => {
    const reader = AGENTS.find((candidate) => candidate.name === agent);
    const lines = linesOf(agent, 'review');
    let state = NO_EVENTS;
    for (const line of lines.slice(0, -1)) state = reader?.hear(state, line, new Date()) ?? state;
    expect(state.done).toBe(false);
    expect(reader?.hear(state, (lines.at(-1) ?? '').slice(0, -2), new Date()).done).toBe(false);
  });

  test.each(['', 'not json', '[]', '{', '{"type":7}', '{"type":"result"}', '{"type":"text","part":null}', 'null'])(
    '%j does no harm',
    (line) => {
      const reader = AGENTS.find((candidate) => candidate.name === agent);
      expect(() => reader?.hear(NO_EVENTS, line, new Date())).not.toThrow();
      expect(reader?.hear(NO_EVENTS, line, new Date()).text).toBe('');
    },
  );
});

test('all recorded answers are in the exact form, so no agent is asked again', () => {
  const replies = AGENTS.flatMap(({ name }) => ['review', 'resumed'].map((stream) => eventsOf(name, stream)));
  expect(replies).toHaveLength(2 * AGENTS.length);
  expect(replies.filter((reply) => !answerObject(reply).ok || !readAnswer('gate', reply).ok)).toEqual([]);
});

test.each(Object.keys(SAYS_PASS))('%s: what was said before a tool was used is not the answer', (agent) => {
  const reader = AGENTS.find((candidate) => candidate.name === agent);
  const early = reader?.hear(NO_EVENTS, SAYS_PASS[agent] ?? '', new Date()) ?? NO_EVENTS;
  expect(early.text).toBe(PASS);
  const lines = linesOf(agent, 'review');
  const toolLine = lines.findLastIndex((line) =>
    /"type":"(?:tool_use|tool_execution_start|command_execution)"/.test(line),
  );
  expect(reader?.hear(early, lines[toolLine] ?? '', new Date()).text).toBe('');
});
