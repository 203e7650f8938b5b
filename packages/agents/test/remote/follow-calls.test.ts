import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CallProgress, ClientCalls } from '../../src/remote/calls.ts';
import { openFollower } from '../../src/remote/follow-calls.ts';
import type { Offer } from '../../src/remote/types.ts';

const CALL = { agent: 'one', made: 'digest' };

const OFFER: Offer = { ...CALL, version: '1', usualModel: null, account: 'one' };

const RUNNING: CallProgress = { id: 'a', state: 'running', doing: 'reading', usage: null, end: null };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Follows the call `a`. `now` holds what the store knows, and can be changed. */
function following(now: { progress: CallProgress; offers: readonly Offer[] }) {
  const leftIds: string[] = [];
  const progressTexts: (string | null)[] = [];
  const calls = {
    progress: async () => [now.progress],
    offers: async () => now.offers,
    leave: async (id: string) => {
      leftIds.push(id);
      return true;
    },
  } as unknown as ClientCalls;
  const stop = new AbortController();
  const outcome = openFollower(calls).follow('a', CALL, {
    stop: stop.signal,
    watch: (doing) => progressTexts.push(doing),
  });
  return { ended: outcome, stop, left: leftIds, seen: progressTexts };
}

test('shows what the worker does, and ends with the call', async () => {
  const now = { progress: { ...RUNNING, state: 'waiting' } as CallProgress, offers: [OFFER] };
  const { ended, seen } = following(now);
  await vi.advanceTimersByTimeAsync(100);
  now.progress = RUNNING;
  await vi.advanceTimersByTimeAsync(1000);
  now.progress = { ...RUNNING, state: 'cancelled' };
  await vi.advanceTimersByTimeAsync(1000);
  expect(await ended).toBe('cancelled');
  expect([...new Set(seen)]).toEqual(['waiting for a worker', 'reading']);
});

test('is a failure about a minute after the last worker has left', async () => {
  const now = { progress: RUNNING, offers: [OFFER] as readonly Offer[] };
  const { ended, left } = following(now);
  await vi.advanceTimersByTimeAsync(120_000);
  now.offers = [{ ...OFFER, made: 'another program' }];
  await vi.advanceTimersByTimeAsync(55_000);
  expect(left).toEqual([]);
  await vi.advanceTimersByTimeAsync(40_000);
  expect(await ended).toMatchObject({
    ok: false,
    failure: { kind: 'agent-error', said: 'no worker offers "one" any more' },
  });
  expect(left).toEqual(['a']);
});

test('a worker that comes back in time is waited for', async () => {
  const now = { progress: RUNNING, offers: [] as readonly Offer[] };
  const { ended, left, stop } = following(now);
  await vi.advanceTimersByTimeAsync(55_000);
  now.offers = [OFFER];
  await vi.advanceTimersByTimeAsync(15_000);
  now.offers = [];
  await vi.advanceTimersByTimeAsync(50_000);
  expect(left).toEqual([]);
  stop.abort();
  expect(await ended).toMatchObject({ ok: false, failure: { kind: 'cancelled' } });
  expect(left).toEqual(['a']);
});

test('an ended call without an answer that can be read is a failure', async () => {
  const { ended } = following({ progress: { ...RUNNING, state: 'answered' }, offers: [OFFER] });
  await vi.advanceTimersByTimeAsync(1000);
  expect(await ended).toMatchObject({ ok: false, failure: { kind: 'agent-error' } });
});
