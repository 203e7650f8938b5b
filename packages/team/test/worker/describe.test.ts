import { expect, test } from 'vitest';
import { describeWorkerEvent, jsonWorkerEvent } from '../../src/worker/describe.ts';
import type { WorkerEvent } from '../../src/worker/types.ts';

const ENDED = { kind: 'call-ended', call: 'c1', agent: 'claude', failure: null, durationMs: 2400 } as const;

const rows: readonly [WorkerEvent, string][] = [
  [
    { kind: 'started', name: 'build-1', agents: ['claude', 'codex'], atOnce: 4 },
    'build-1 takes calls for claude, codex, at most 4 calls at once.',
  ],
  [{ kind: 'call-started', call: 'c1', agent: 'claude' }, 'c1: calling claude'],
  [{ ...ENDED, outcome: 'answered' }, 'c1: claude answered after 2 s'],
  [
    { ...ENDED, outcome: 'failed', failure: { kind: 'timeout', seconds: 60 } },
    'c1: claude did not finish within 60 seconds after 2 s',
  ],
  [{ ...ENDED, outcome: 'put-back' }, 'c1: put back into the queue after 2 s'],
  [{ ...ENDED, outcome: 'dropped' }, 'c1: stopped, because no one waits for it any more after 2 s'],
  [
    { kind: 'limit', account: 'claude', until: new Date(0) },
    'claude has reached a limit. No worker calls it until 1970-01-01T00:00:00.000Z.',
  ],
  [{ kind: 'stopping', running: 0 }, 'Stopping.'],
  [
    { kind: 'stopping', running: 1 },
    'Stopping after 1 running call. Press Ctrl-C again to put them back into the queue.',
  ],
];

test.each(rows)('%j', (event, line) => {
  expect(describeWorkerEvent(event)).toBe(line);
});

test('an event is one line of JSON with its time', () => {
  const text = jsonWorkerEvent({ kind: 'store-lost', said: 'a\nb' }, new Date(0));
  expect(text).not.toContain('\n');
  expect(JSON.parse(text)).toEqual({ at: '1970-01-01T00:00:00.000Z', kind: 'store-lost', said: 'a\nb' });
});
