import type { AskEnd } from '@onceover/base/kernel/ports';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerText, readAnswerText, readOffersText, readRequestText } from '../../src/remote/json-call.ts';

const REPLY = { text: '{"status":"pass"}', structured: { status: 'pass' }, filesRead: ['src/a.js'] };

const USAGE = { inputTokens: 1, cachedInputTokens: 2, cacheWriteTokens: 3, outputTokens: 4, costUsd: null };

const ANSWERED: Extract<AskEnd, { ok: true }> = {
  ok: true,
  reply: { ...REPLY, sessionId: 'kept here', usage: USAGE, sessionUsage: USAGE },
  model: 'm',
  durationMs: 12,
};

const FAILED: AskEnd = {
  ok: false,
  failure: { kind: 'limit', said: 'later', resetAt: new Date('2026-03-01T12:00:00.000Z') },
  usage: null,
  said: 'later',
  durationMs: 1,
};

describe('answers in the store', () => {
  test('keep everything except the session, which stays on the worker', () => {
    const { reply, ...answerFields } = ANSWERED;
    const answer = { ...answerFields, reply: { ...reply, sessionId: null, sessionUsage: null } };
    expect(readAnswerText(answerText(ANSWERED))).toEqual(answer);
    expect(readAnswerText(answerText(FAILED))).toEqual(FAILED);
  });

  test('keep an answer without a structured field, NUL characters and half characters', () => {
    const text = 'a\u0000b\ud800c';
    const end: AskEnd = { ...ANSWERED, reply: { ...ANSWERED.reply, text, structured: undefined } };
    const result = readAnswerText(answerText(end));
    expect(result?.ok === true && result.reply).toMatchObject({ text, structured: undefined });
    expect(answerText(end)).not.toContain('\u0000');
  });

  const good = JSON.parse(answerText(ANSWERED)) as Record<string, unknown>;
  const reply = good['reply'] as object;
  test.each([
    ['no JSON', 'pass'],
    ['no object', '"pass"'],
    ['no reply', JSON.stringify({ ...good, reply: undefined })],
    ['another field', JSON.stringify({ ...good, passed: true })],
    ['a text that is none', JSON.stringify({ ...good, reply: { ...reply, text: 1 } })],
    ['a session of another machine', JSON.stringify({ ...good, reply: { ...reply, sessionId: 'x' } })],
    ['negative tokens', JSON.stringify({ ...good, reply: { ...reply, usage: { ...USAGE, outputTokens: -1 } } })],
    ['an unknown failure', JSON.stringify({ ...JSON.parse(answerText(FAILED)), failure: { kind: 'passed' } })],
  ])('%s is not an answer', (_, text) => {
    expect(readAnswerText(text)).toBeNull();
  });

  test('no text makes them throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readAnswerText(text)).toBeNull();
        expect(readRequestText(text)).toBeNull();
        expect(readOffersText(text).length).toBe(0);
      }),
    );
  });
});
