import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { yamlText, yamlWord } from '../../src/setup/starter-settings.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('a', '5', ' ', '\n', '\t', '#', ':', '-', '"', "'", ',', '{', ']', '.', '~', 'e', '\u0085'),
  }),
);

test('writes any text so that YAML reads it back, alone and inside braces', () => {
  fc.assert(
    fc.property(text, (given) => {
      expect(parse(`a: ${yamlWord(given)}\nb: [${yamlWord(given)}, x]\n`)).toEqual({ a: given, b: [given, 'x'] });
      expect(parse(`a:\n  b: ${yamlText(given, 2)}\nc: 1\n`)).toEqual({ a: { b: given }, c: 1 });
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['npm run lint', 'npm run lint'],
  ['npx tsc --noEmit', 'npx tsc --noEmit'],
  ['.', '.'],
  ['src/a-b_c.ts', 'src/a-b_c.ts'],
  ['**/*.ts', '"**/*.ts"'],
  ['a: b', '"a: b"'],
  ['a, b', '"a, b"'],
  ['', '""'],
  ['5', '"5"'],
  ['1.5e3', '"1.5e3"'],
  ['0x1F', '"0x1F"'],
  ['12:30', '"12:30"'],
  ['No', '"No"'],
  ['null', '"null"'],
  ['.inf', '".inf"'],
  ['\u2028', '"\\u2028"'],
])('writes %j as %s', (given, expected) => {
  expect(yamlWord(given)).toBe(expected);
});

test.each([
  ['a\nb', '|-\n    a\n    b'],
  ['a\n\n  b', '|-\n    a\n\n      b'],
  [' a\nb', '" a\\nb"'],
  ['a\nb\n', '"a\\nb\\n"'],
])('writes %j as a block if it can', (given, expected) => {
  expect(yamlText(given, 2)).toBe(expected);
});
