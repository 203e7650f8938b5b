import { expect, test } from 'vitest';
import * as z from 'zod';
import { checkShape, keyName } from '../../src/config/yaml.ts';

test.each<[path: readonly PropertyKey[], expected: string]>([
  [[], ''],
  [['log_dir'], 'log_dir'],
  [['budget', 'usd'], 'budget.usd'],
  [['agents', 0], 'agents #1'],
  [['agents', 9], 'agents #10'],
  [['gates', 0, 'path'], 'gates #1: path'],
  [['gates', 1, 'exclude', 2], 'gates #2: exclude #3'],
  [['gates', 5, 'checks', '1', 'run'], 'gates #6: checks.1.run'],
  [[0, 1], '#1 #2'],
])('%j is called %j', (path, name) => {
  expect(keyName(path)).toBe(name);
});

test('a part of a file is named by its path in the file', () => {
  const part = z.strictObject({ name: z.string(), steps: z.array(z.strictObject({ id: z.string(), n: z.int() })) });
  const value = { name: 'x', steps: [{ id: 'a', n: 'one' }] };
  const place = () => ({ line: 1, column: 1 });
  expect(checkShape(part, value, { place }, ['gates', 0, 'own'])).toMatchObject({
    problems: [{ what: { key: 'gates #1: own.steps #1: n' } }],
  });
});
