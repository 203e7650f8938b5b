import { describe, expect, test } from 'vitest';
import { duplicateKey, objectsIn } from '../../src/kernel/json.ts';

const objectsText = (text: string) => {
  const result = objectsIn(text);
  return result.kind === 'found' ? result.texts.join(' | ') : result.kind;
};

describe('the objects of a text', () => {
  test.each([
    ['alone', '{"a":1}', '{"a":1}'],
    ['several', '{"a":1} and {"b":2}', '{"a":1} | {"b":2}'],
    ['a list of objects as one', 'So: [ {"a":1}, {"b":2} ].', '[ {"a":1}, {"b":2} ]'],
    ['a list that begins with something else', '["x", {"a":1}]', '["x", {"a":1}]'],
    ['a list in a list', '[[{"a":1}]]', '[[{"a":1}]]'],
    ['a list that never closes', '[{"a":1}, ', 'truncated'],
    ['none in a list of texts or an index', 'map["a"] is ["b", "c"] and [x](y) and a["', 'none'],
    ['with typographic quotes', '{ “a”: 1 }', '{ “a”: 1 }'],
    ['with a stray comma and an invisible character', '{,\u200b"a":1}', '{,\u200b"a":1}'],
    ['one whose brackets do not match', '{"a":[}]', 'truncated'],
    ['not one inside another', '{"a":{"b":2}}', '{"a":{"b":2}}'],
    ['inside braces of prose', '{ {"a":1} }', '{"a":1}'],
    ['after prose with a brace', 'Use { to open. {"a":1}', '{"a":1}'],
    ['after code with an open brace and a comment', 'if (a) { // begins\n{"a":1}', '{"a":1}'],
    ['with much space before its first key', `{${' '.repeat(500)}"a":1}`, `{${' '.repeat(500)}"a":1}`],
    ['with an apostrophe in a bare text', "{a: it's, b: 1}", "{a: it's, b: 1}"],
    ['empty', 'so: {}', '{}'],
    ['none', 'nothing {x} here', 'none'],
    ['one that never closes', '{"a":1} {"b":', 'truncated'],
    ['one whose text in single quotes never closes', "{'a': 'b }", 'truncated'],
  ])('%s', (_title, text, objects) => {
    expect(objectsText(text)).toBe(objects);
  });

  test.each(['"', "'", '`'])('ignores an object in %s inside of it', (quote) => {
    const code = `x }]} {${quote === '"' ? '\\"' : '"'}status${quote === '"' ? '\\"' : '"'}: 1}`;
    const text = `{status: "fail", violations: [{code: ${quote}${code}${quote}}]}`;
    expect(objectsText(text)).toBe(text);
  });

  // Scanning from each brace to the end would take minutes and exceed the timeout of the test.
  test('is found quickly among very many braces', () => {
    expect(objectsText(`${'{ '.repeat(200_000)}{"a":1}`)).toBe('{"a":1}');
  });

  test('is truncated if too many braces before comments never close', () => {
    expect(objectsText(`${'if (a) { // begins\n'.repeat(500)}{"a":1}`)).toBe('{"a":1}');
    expect(objectsText(`${'{ // '.repeat(200_000)}{"a":1}`)).toBe('truncated');
  });
});

test('very many brackets are scanned quickly', () => {
  expect(objectsText(`${'[ '.repeat(200_000)}{"a":1}`)).toMatch(/truncated|a/);
  expect(objectsText('["a" '.repeat(100_000))).toBe('truncated');
});

describe('a duplicate key', () => {
  test.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"b":[{"a":1,"c":{},"a":2}]}', 'a'],
    ['{"a" : {"a":1}, "b":[{"a":1},{"a":1}], "c":"\\"a\\":"}', null],
    ['{"a":"a","b":"a"}', null],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ])('in %s is %j', (json, key) => {
    expect(duplicateKey(json)).toBe(key);
  });
});
