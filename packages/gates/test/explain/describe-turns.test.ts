import { describeTranscript } from '@onceover/agents/dispatch/describe-transcript';
import { expect, test } from 'vitest';
import { describeTurns } from '../../src/explain/describe-turns.ts';

const usage = (input: number, read: number, written: number, output: number) => ({
  ...{ inputTokens: input, cachedInputTokens: read, cacheWriteTokens: written, outputTokens: output },
  costUsd: 0.0125,
});

test('every request of a review is shown with what it did and paid', () => {
  const log = describeTranscript([
    {
      ...{ agent: 'sonnet', mode: 'forked', sent: 'Rules.\n\nLook.', said: '{}', failure: null, stableLength: 6 },
      ...{ usage: usage(3, 900, 1200, 60), filesRead: ['src/a.ts'] },
      turns: [
        { did: 'read src/a.ts', usage: usage(1, 0, 1000, 20) },
        { did: 'answered', usage: usage(2, 900, 200, 40) },
      ],
    },
    { agent: 'sonnet', mode: 'repair', sent: 'Again.', said: '{}', failure: null, usage: usage(5, 0, 0, 1) },
  ]).join('\n');
  expect(
    describeTurns(log),
  ).toBe(`Call 1: sonnet, fork of a shared reading, prompt 6 characters that reviewers share, and 5 of its own
  request 1: read src/a.ts
    1 uncached input tokens, 1000 written to the cache, 0 read from it, 20 output tokens, $0.0125
  request 2: answered
    2 uncached input tokens, 200 written to the cache, 900 read from it, 40 output tokens, $0.0125
  sum: 3 uncached input tokens, 1200 written to the cache, 900 read from it, 60 output tokens, $0.0125
  opened: src/a.ts

Call 2: sonnet, asked to repeat its answer, prompt 6 characters
  The agent reports only the total token usage of all its requests.
  sum: 5 uncached input tokens, 0 written to the cache, 0 read from it, 1 output tokens, $0.0125

All calls: 8 uncached input tokens, 1200 written to the cache, 900 read from it, 61 output tokens, $0.0250`);
});

test('a log without a call says so', () =>
  expect(describeTurns('Review: x')).toBe('The log of the review has no call.'));
