import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editJson } from '../../src/plan/json-config.ts';

const add = (config: Record<string, unknown>) => ({ config: { ...config, mine: 1 }, added: { mine: 1 } });

test.each([
  ['no file', null, '{\n  "mine": 1\n}\n'],
  ['an empty file', '', '{\n  "mine": 1\n}\n'],
  ['white space', ' \n\t', '{\n  "mine": 1\n}\n'],
  ['an object', '{"b":1,"a":[2]}', '{\n  "b": 1,\n  "a": [\n    2\n  ],\n  "mine": 1\n}\n'],
])('%s', (_title, present, text) => {
  expect(editJson(present, add)).toEqual({ kind: 'write', text, added: '{"mine":1}' });
});

test.each([
  ['it is no JSON', '{', /JSON/],
  ['it is a list', '[]', /^it holds no object$/],
  ['it is null', 'null', /^it holds no object$/],
])('%s: nothing is written', (_title, present, said) => {
  expect(editJson(present, add)).toEqual({ kind: 'unreadable', said: expect.stringMatching(said) });
});

test('the edit may leave it, or find it wrong', () => {
  expect(editJson('{}', () => 'leave')).toEqual({ kind: 'leave' });
  expect(editJson('{}', () => ({ wrong: '"x" is no list' }))).toEqual({ kind: 'unreadable', said: '"x" is no list' });
});

test('whatever else is in it is kept, in its order', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (config) => {
      const text = JSON.stringify(config);
      const changed = editJson(text, add);
      const { mine, ...others } = JSON.parse(changed.kind === 'write' ? changed.text : '{}') as Record<string, unknown>;
      const { mine: _, ...expected } = JSON.parse(text) as Record<string, unknown>;
      expect([mine, JSON.stringify(others)]).toEqual([1, JSON.stringify(expected)]);
    }),
  );
});
