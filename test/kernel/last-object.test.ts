import { describe, expect, test } from 'vitest';
import { lastObject } from '../../src/kernel/json.ts';

const found = (text: string) => {
  const last = lastObject(text);
  return last.kind === 'object' ? last.text : last.kind;
};

describe('the last object of a text', () => {
  test.each([
    ['alone', '{"a":1}', '{"a":1}'],
    ['the last of several', '{"a":1} and {"b":2}', '{"b":2}'],
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
  ])('%s', (_title, text, expected) => {
    expect(found(text)).toBe(expected);
  });

  test.each(['"', "'", '`'])('ignores an object in %s inside of it', (quote) => {
    const code = `x }]} {${quote === '"' ? '\\"' : '"'}status${quote === '"' ? '\\"' : '"'}: 1}`;
    const text = `{status: "fail", violations: [{code: ${quote}${code}${quote}}]}`;
    expect(found(text)).toBe(text);
  });

  // Scanning from each brace to the end would take minutes and exceed the timeout of the test.
  test('is found quickly among very many braces', () => {
    expect(found(`${'{ '.repeat(200_000)}{"a":1}`)).toBe('{"a":1}');
  });

  test('is truncated if too many braces before comments never close', () => {
    expect(found(`${'if (a) { // begins\n'.repeat(500)}{"a":1}`)).toBe('{"a":1}');
    expect(found(`${'{ // '.repeat(200_000)}{"a":1}`)).toBe('truncated');
  });
});
