import { expect, test } from 'vitest';
import * as z from 'zod';
import { checkShape, keyName } from '../../src/config/yaml.ts';

const FILE = {
  gates: [{ path: 'src' }, { path: 3, id: 'two' }, 'text', { path: '' }, { name: 'x'.repeat(61) }, null],
  agents: ['codex'],
};

test.each<[path: readonly PropertyKey[], expected: string]>([
  [[], ''],
  [['log_dir'], 'log_dir'],
  [['budget', 'usd'], 'budget.usd'],
  [['agents', 0], 'agents #1'],
  [['agents', 9], 'agents #10'],
  [['gates', 0], 'gates #1 (path src)'],
  [['gates', 0, 'path'], 'gates #1 (path src): path'],
  [['gates', 1, 'exclude', 2], 'gates #2 (id two): exclude #3'],
  [['gates', 2, 'path'], 'gates #3: path'],
  [['gates', 3], 'gates #4'],
  [['gates', 4], 'gates #5'],
  [['gates', 5, 'checks', '1', 'run'], 'gates #6: checks.1.run'],
  [[0, 1], '#1 #2'],
])('%j is called %j', (path, expected) => {
  expect(keyName(path, FILE)).toBe(expected);
});

test('a part of a file does not name the entries of outer lists', () => {
  const part = z.strictObject({ name: z.string(), steps: z.array(z.strictObject({ id: z.string(), n: z.int() })) });
  const value = { name: 'x', steps: [{ id: 'a', n: 'one' }] };
  const place = () => ({ line: 1, column: 1 });
  expect(checkShape(part, value, { place }, ['gates', 0, 'own'])).toMatchObject({
    problems: [{ what: { key: 'gates #1: own.steps #1 (id a): n' } }],
  });
});

test('uses only numbers if the file is unknown', () => {
  expect(keyName(['gates', 0, 'path'])).toBe('gates #1: path');
});
