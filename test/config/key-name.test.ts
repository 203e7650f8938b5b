import { expect, test } from 'vitest';
import * as z from 'zod';
import { keyName } from '../../src/config/key-name.ts';
import { checkShape, valueAt } from '../../src/config/yaml-file.ts';

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
  expect(keyName(path, (part) => valueAt(FILE, part))).toBe(expected);
});

test('a part of a file says nothing of the lists around it', () => {
  const part = z.strictObject({ name: z.string(), steps: z.array(z.strictObject({ id: z.string(), n: z.int() })) });
  const value = { name: 'x', steps: [{ id: 'a', n: 'one' }] };
  const place = () => ({ line: 1, column: 1 });
  expect(checkShape(part, value, { place }, ['gates', 0, 'own'])).toMatchObject({
    problems: [{ what: { key: 'gates #1: own.steps #1 (id a): n' } }],
  });
});

test('where nothing is known of the file, numbers alone', () => {
  expect(keyName(['gates', 0, 'path'])).toBe('gates #1: path');
});
