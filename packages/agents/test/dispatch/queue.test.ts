import { describe, expect, test } from 'vitest';
import { openQueue, sharePending } from '../../src/dispatch/limits.ts';

/** A job that ends on request. */
function job<T>(value: T) {
  let end: (() => void) | null = null;
  let fail: ((error: Error) => void) | null = null;
  let hasStarted = false;
  const promise = new Promise<T>((resolve, reject) => {
    end = () => resolve(value);
    fail = reject;
  });
  return {
    promise,
    start: () => {
      hasStarted = true;
      return promise;
    },
    end: () => end?.(),
    fail: (error: Error) => fail?.(error),
    hasBegun: () => hasStarted,
  };
}

/** Lets everything happen that waits for nothing but its turn. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a queue', () => {
  test('runs the allowed number of jobs at once, and the rest in order of arrival', async () => {
    const queue = openQueue(2);
    const jobs = [job('a'), job('b'), job('c'), job('d')] as const;
    const results = Promise.all(jobs.map((task) => queue(task.start)));
    const startedFlags = () => jobs.map((task) => task.hasBegun());
    await settle();
    expect(startedFlags()).toEqual([true, true, false, false]);
    jobs[1].end();
    await settle();
    expect(startedFlags()).toEqual([true, true, true, false]);
    jobs[0].end();
    await settle();
    expect(startedFlags()).toEqual([true, true, true, true]);
    jobs[3].end();
    jobs[2].end();
    expect(await results).toEqual(['a', 'b', 'c', 'd']);
  });

  test('starts a job at once if there is room', () => {
    const first = job(1);
    void openQueue(1)(first.start);
    expect(first.hasBegun()).toBe(true);
  });

  test('continues after a failed job and passes its error on', async () => {
    const queue = openQueue(1);
    const [first, second] = [job(1), job(2)];
    const firstResult = queue(first.start);
    const secondResult = queue(second.start);
    first.fail(new Error('boom'));
    second.end();
    await expect(firstResult).rejects.toThrow('boom');
    expect(await secondResult).toBe(2);
  });

  test('has its full room again when all jobs are done', async () => {
    const queue = openQueue(2);
    const endedJobs = Array.from({ length: 5 }, (_, i) => job(i));
    for (const task of endedJobs) task.end();
    await Promise.all(endedJobs.map((task) => queue(task.start)));
    const jobs = [job(1), job(2), job(3)];
    for (const task of jobs) void queue(task.start);
    await settle();
    expect(jobs.map((task) => task.hasBegun())).toEqual([true, true, false]);
  });

  test('keeps the limit if a job arrives at the moment another ends', async () => {
    const queue = openQueue(1);
    const [first, second, third] = [job(1), job(2), job(3)];
    void queue(first.start);
    void queue(second.start);
    void first.promise.then(() => queue(third.start));
    first.end();
    await settle();
    expect([second.hasBegun(), third.hasBegun()]).toEqual([true, false]);
  });
});

describe('shared work', () => {
  test('runs once for all callers that arrive before it starts', async () => {
    let times = 0;
    const ask = sharePending(async () => ++times);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
    expect(await ask()).toBe(2);
  });

  test('runs again, one run after the other, for callers that arrive during a run', async () => {
    const jobs = [job(1), job(2)];
    let runs = 0;
    const ask = sharePending(() => jobs[runs++]?.start() ?? Promise.reject(new Error('too often')));
    const first = ask();
    await settle();
    expect(runs).toBe(1);
    const second = ask();
    const third = ask();
    await settle();
    expect(runs).toBe(1);
    jobs[0]?.end();
    await settle();
    expect(runs).toBe(2);
    jobs[1]?.end();
    expect(await Promise.all([first, second, third])).toEqual([1, 2, 2]);
  });

  test('continues after a failure, which its own callers receive', async () => {
    let times = 0;
    const ask = sharePending(async () => {
      times++;
      if (times === 1) throw new Error('boom');
      return times;
    });
    const first = ask();
    await Promise.resolve();
    const second = ask();
    await expect(first).rejects.toThrow('boom');
    expect(await second).toBe(2);
  });
});
