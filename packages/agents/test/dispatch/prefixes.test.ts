import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openPrefixGate } from '../../src/dispatch/limits.ts';

/** Joins, and notes when that is done. */
function joining(
  prefixes: ReturnType<typeof openPrefixGate>,
  prefix: string | null,
  joinedNames: string[],
  name: string,
) {
  return prefixes.join(prefix).then((openGate) => {
    joinedNames.push(name);
    return openGate;
  });
}

test('starts the first caller at once and the others when it has begun', async () => {
  const prefixes = openPrefixGate();
  const joinedNames: string[] = [];
  const openGate = await joining(prefixes, 'p', joinedNames, 'first');
  const waiters = [joining(prefixes, 'p', joinedNames, 'second'), joining(prefixes, 'p', joinedNames, 'third')];
  await turn();
  expect(joinedNames).toEqual(['first']);
  openGate();
  await Promise.all(waiters);
  expect(joinedNames).toEqual(['first', 'second', 'third']);
  await joining(prefixes, 'p', joinedNames, 'late');
  expect(joinedNames.at(-1)).toBe('late');
});

test('lets a caller that arrives at the same moment wait, too', async () => {
  const prefixes = openPrefixGate();
  const joinedNames: string[] = [];
  const [first] = [joining(prefixes, 'p', joinedNames, 'first'), joining(prefixes, 'p', joinedNames, 'second')];
  await turn();
  expect(joinedNames).toEqual(['first']);
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
  const joinedNames: string[] = [];
  for (const prefix of ['p', 'q', null, null]) void joining(prefixes, prefix, joinedNames, `${prefix}`);
  await turn();
  expect(joinedNames).toEqual(['p', 'q', 'null', 'null']);
});
