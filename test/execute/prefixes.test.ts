import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openPrefixes } from '../../src/execute/prefixes.ts';

/** Joins, and notes when that is done. */
function joining(prefixes: ReturnType<typeof openPrefixes>, prefix: string | null, done: string[], name: string) {
  return prefixes.join(prefix).then((begun) => {
    done.push(name);
    return begun;
  });
}

test('the first goes ahead, the others when it has begun', async () => {
  const prefixes = openPrefixes();
  const done: string[] = [];
  const begun = await joining(prefixes, 'p', done, 'first');
  const others = [joining(prefixes, 'p', done, 'second'), joining(prefixes, 'p', done, 'third')];
  await turn();
  expect(done).toEqual(['first']);
  begun();
  await Promise.all(others);
  expect(done).toEqual(['first', 'second', 'third']);
  await joining(prefixes, 'p', done, 'late');
  expect(done.at(-1)).toBe('late');
});

test('who comes at the same moment waits too', async () => {
  const prefixes = openPrefixes();
  const done: string[] = [];
  const [first] = [joining(prefixes, 'p', done, 'first'), joining(prefixes, 'p', done, 'second')];
  await turn();
  expect(done).toEqual(['first']);
  (await first)?.();
});

test('others share nothing', async () => {
  const prefixes = openPrefixes();
  const done: string[] = [];
  for (const prefix of ['p', 'q', null, null]) void joining(prefixes, prefix, done, `${prefix}`);
  await turn();
  expect(done).toEqual(['p', 'q', 'null', 'null']);
});
