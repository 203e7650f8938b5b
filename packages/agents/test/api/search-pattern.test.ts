import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePattern } from '../../src/api/search-pattern.ts';

const never = () => false;

function matches(source: string, line: string, ignoreCase = false): boolean | string | null {
  const compilation = compilePattern(source, ignoreCase);
  return compilation.ok ? compilation.pattern.matches(line, never) : compilation.said;
}

describe('a search pattern', () => {
  test.each([
    ['a literal', 'total', 'const total = 1', true],
    ['a literal that is not there', 'total', 'const sum = 1', false],
    ['a class and a repetition', '[a-z]+\\d{2,3}', 'x ab12 y', true],
    ['too few repetitions', '^a{3}$', 'aa', false],
    ['alternatives', 'foo|bar', 'a bar', true],
    ['anchors', '^import', ' import', false],
    ['the end of the line', ';$', 'a; b', false],
    ['a word boundary', '\\btotal\\b', 'subtotal', false],
    ['a word boundary at the start', '\\btotal\\b', 'total()', true],
    ['no word boundary', '\\Btotal', 'subtotal', true],
    ['escaped signs', 'a\\.b\\(\\)', 'a.b()', true],
    ['a negated class', '[^/]$', 'a/', false],
    ['a closing bracket in a class', '[]x]', ']', true],
    ['a lazy repetition', 'a.*?b', 'axxb', true],
    ['a named group', '(?<name>ab)+c', 'ababc', true],
    ['a brace that is not a repetition', 'a{b', 'xa{b', true],
    ['an optional part', 'colou?r', 'color', true],
    ['an empty alternative', 'a(b|)c', 'ac', true],
  ])('finds %s', (_title, source, line, expected) => expect(matches(source, line)).toBe(expected));

  test('ignores case if asked to', () => {
    expect(matches('TOTAL', 'total', true)).toBe(true);
    expect(matches('[a-c]+X', 'ABCx', true)).toBe(true);
    expect(matches('TOTAL', 'total')).toBe(false);
  });

  test.each([
    ['a backreference', '(a)\\1', 'backreferences are not supported'],
    ['look-ahead', 'a(?=b)', 'look-around and flags are not supported'],
    ['look-behind', '(?<=a)b', 'look-around and flags are not supported'],
    ['an open group', '(a', 'a "(" is not closed'],
    ['an open class', '[a', 'a "[" is not closed'],
    ['a repetition of nothing', '*a', 'there is nothing to repeat before "*"'],
    ['a range out of order', '[z-a]', 'a range in "[…]" is out of order'],
    ['too many repetitions', '((a{100}){100}){100}', 'the pattern is too complex: repeat fewer times'],
    ['an unknown escape', '\\p{L}', '"\\p" is not supported'],
    ['a lone backslash', 'a\\', 'the pattern ends with a lone "\\"'],
    ['an empty pattern', '', 'the pattern is empty'],
    ['a very long pattern', 'a'.repeat(501), 'the pattern has over 500 characters'],
  ])('says why it cannot use %s', (_title, source, message) => expect(matches(source, 'a')).toBe(message));

  test.each(['(a+)+$', '(a|a)*$', '(a*)*b', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y'])(
    'takes linear time for %s',
    (source) => {
      const line = `${'a'.repeat(100_000)}!`;
      const startedAt = performance.now();
      expect(typeof matches(source, line)).toBe('boolean');
      expect(performance.now() - startedAt).toBeLessThan(5000);
    },
  );

  test('stops if the time is over', () => {
    const compilation = compilePattern('b', false);
    expect(compilation.ok && compilation.pattern.matches('a'.repeat(100_000), () => true)).toBe(null);
  });

  test('agrees with the regular expressions of JavaScript', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\b', '^', '$', '(?:ab|b)', '(a|)', '-');
    const part = fc
      .tuple(atom, fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}'))
      .map(([piece, times]) => (/^(?:\\b|\^|\$)$/.test(piece) ? piece : piece + times));
    const source = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    const line = fc.array(fc.constantFrom('a', 'b', '-', ' '), { maxLength: 8 }).map((chars) => chars.join(''));
    fc.assert(
      fc.property(source, line, (pattern, text) => {
        expect(matches(pattern, text)).toBe(new RegExp(pattern).test(text));
      }),
      { numRuns: 2000 },
    );
  });
});
