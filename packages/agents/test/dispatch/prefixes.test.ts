import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openPrefixGate } from '../../src/dispatch/limits.ts';

/** Joins, and notes when that is done. */
function joining(prefixes: ReturnType<typeof openPrefixGate>, prefix: string | null, done: string[], name: string) {
  return prefixes.join(prefix).then((begun) => {
    done.push(name);
    return begun;
  });
}

test('starts the first caller at once and the others when it has begun', async () => {
  const prefixes = openPrefixGate();
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

test('lets a caller that arrives at the same moment wait, too', async () => {
  const prefixes = openPrefixGate();
  const done: string[] = [];
  const [first] = [joining(prefixes, 'p', done, 'first'), joining(prefixes, 'p', done, 'second')];
  await turn();
  expect(done).toEqual(['first']);
  (await first)?.();
});

test('does not wait longer than the limit for a first caller that hangs', async () => {
  const prefixes = openPrefixGate(30);
  await prefixes.join('p');
  const start = performance.now();
  await Promise.all([prefixes.join('p'), prefixes.join('p')]);
  expect(performance.now() - start).toBeLessThan(5000);
});

test('lets callers with another prefix start at once', async () => {
  const prefixes = openPrefixGate();
  const done: string[] = [];
  for (const prefix of ['p', 'q', null, null]) void joining(prefixes, prefix, done, `${prefix}`);
  await turn();
  expect(done).toEqual(['p', 'q', 'null', 'null']);
});
