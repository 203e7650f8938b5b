import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editJson } from '../../src/setup/agent-config.ts';

const add = (config: Record<string, unknown>) => ({ config: { ...config, mine: 1 }, added: { mine: 1 } });

test.each([
  ['no file', null, '{\n  "mine": 1\n}\n'],
  ['an empty file', '', '{\n  "mine": 1\n}\n'],
  ['white space', ' \n\t', '{\n  "mine": 1\n}\n'],
  ['an object', '{"b":1,"a":[2]}', '{\n  "b": 1,\n  "a": [\n    2\n  ],\n  "mine": 1\n}\n'],
])('edits %s', (_title, present, text) => {
  expect(editJson(present, add)).toEqual({ kind: 'write', text, added: '{"mine":1}' });
});

test.each([
  ['invalid JSON', '{', /JSON/],
  ['a list', '[]', /^it does not contain an object$/],
  ['null', 'null', /^it does not contain an object$/],
])('writes nothing if the file is %s', (_title, present, message) => {
  expect(editJson(present, add)).toEqual({ kind: 'unreadable', said: expect.stringMatching(message) });
});

test('writes nothing if the edit leaves the file or rejects it', () => {
  expect(editJson('{}', () => 'leave')).toEqual({ kind: 'leave' });
  expect(editJson('{}', () => ({ wrong: '"x" is not a list' }))).toEqual({
    kind: 'unreadable',
    said: '"x" is not a list',
  });
});

test('keeps all other entries in their order', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (config) => {
      const text = JSON.stringify(config);
      const change = editJson(text, add);
      const { mine, ...otherEntries } = JSON.parse(change.kind === 'write' ? change.text : '{}') as Record<
        string,
        unknown
      >;
      const { mine: _, ...originalEntries } = JSON.parse(text) as Record<string, unknown>;
      expect([mine, JSON.stringify(otherEntries)]).toEqual([1, JSON.stringify(originalEntries)]);
    }),
  );
});
