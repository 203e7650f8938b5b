import type { TranscriptEntry } from '@onceover/base/kernel/agent';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeTranscript, readTranscript } from '../../src/dispatch/describe-transcript.ts';

const USAGE = { inputTokens: 1, cachedInputTokens: 2, cacheWriteTokens: 3, outputTokens: 4, costUsd: null };

const line = fc.oneof(
  fc.constantFrom(
    '--- Sent (b, fresh) ---',
    ' --- Said (a) ---',
    '--- Result ---',
    '--- Facts: {} ---',
    '--- x ---',
    '',
  ),
  fc.string().map((text) => text.replace(/[\r\n]/g, '')),
);

const text = fc.array(line, { minLength: 1, maxLength: 6 }).map((lines) => lines.join('\n'));

test('reads back the calls of a log, whatever prompts and answers contain', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ sent: text, said: text }), { maxLength: 3 }), (calls) => {
      const entries = calls.map(
        (call): TranscriptEntry => ({
          ...{ agent: 'a', mode: 'fresh', failure: null, stableLength: 0, usage: USAGE, filesRead: ['x'] },
          ...call,
        }),
      );
      const log = ['Review: g @1', ...describeTranscript(entries), '--- Result ---', 'Status: PASS', ''].join('\n');
      const transcript = readTranscript(log);
      expect(transcript.head).toEqual(['Review: g @1']);
      expect(transcript.result).toEqual(['Status: PASS']);
      expect(transcript.calls.map(({ dynamic, said }) => ({ sent: dynamic, said }))).toEqual(
        calls.map(({ sent, said }) => ({ sent: sent.replace(/^\n+/, ''), said })),
      );
      for (const call of transcript.calls) expect(call).toMatchObject({ usage: USAGE, filesRead: ['x'], notes: [] });
    }),
  );
});

test('knows where the stable part of a prompt ends, and keeps retries and failures', () => {
  const log = describeTranscript([
    {
      ...{ agent: 'a', mode: 'repair', sent: 'Rules\n\nReview it.', said: 'no', stableLength: 5, retries: 2 },
      failure: { kind: 'timeout', seconds: 7 },
    },
  ]);
  expect(readTranscript(log.join('\n')).calls).toEqual([
    {
      ...{
        agent: 'a',
        mode: 'repair',
        stable: 'Rules',
        dynamic: 'Review it.',
        said: 'no',
        usage: null,
        filesRead: null,
        turns: [],
      },
      notes: ['a repeated 2 requests by itself', 'a did not finish within 7 seconds'],
    },
  ]);
});

test('shows a log of an older version as one prompt and one answer', () => {
  const [call] = readTranscript('Review: g @1\n--- Sent (a, resumed) ---\nchanges\n--- Said (a) ---\n{}\n').calls;
  expect(call).toMatchObject({ stable: '', dynamic: 'changes', said: '{}', usage: null });
});
