import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldLines, quoteName, showInvisible, showInvisibleInLines } from '../../src/kernel/escape.ts';

describe('a quoted name', () => {
  test.each([
    ['src/a.py', 'src/a.py'],
    ['ä/\u{1f600}.py', 'ä/\u{1f600}.py'],
    ['app/[id]/{x}.tsx', 'app/[id]/{x}.tsx'],
    ['', '""'],
    ['a b.py', '"a b.py"'],
    [' ', '" "'],
    ['a"b', '"a\\"b"'],
    ['a\\b', '"a\\\\b"'],
    ['a`b', '"a`b"'],
    ["a'b", '"a\'b"'],
    ['<a>', '"<a>"'],
    ['a|b', '"a|b"'],
    ['*a*', '"*a*"'],
    ['a\nb', '"a\\nb"'],
    ['a\r\nb', '"a\\u000d\\nb"'],
    ['a\tb', '"a\\tb"'],
    ['\x1b[31m', '"\\u001b[31m"'],
    ['a\x7fb', '"a\\u007fb"'],
    ['a\x9bb', '"a\\u009bb"'],
    ['a\u2028b', '"a\\u2028b"'],
    ['a\u202eb', '"a\\u202eb"'],
    ['a\u200bb', '"a\\u200bb"'],
    ['\ufeffa', '"\\ufeffa"'],
    ['a\\nb', '"a\\\\nb"'],
  ])('%j', (name, quotedName) => {
    expect(quoteName(name)).toBe(quotedName);
  });

  // Each of these could make two names look the same, or hide words from a person that a model reads.
  test.each([
    ['soft hyphen', '\u00ad'],
    ['tag character', '\u{e0061}'],
    ['Hangul filler', '\u3164'],
  ])('an invisible character is escaped: %s', (_, character) => {
    expect(quoteName(`a${character}b`)).not.toContain(character);
  });
});

const hostile = fc.string({
  unit: fc.oneof(fc.constantFrom(...'"\\nut0019b\n\r\t\x1b\x7f\x85\u2028\u2029\u202e '), fc.string({ unit: 'binary' })),
});

test('has no line break and no control character', () => {
  fc.assert(
    fc.property(hostile, (name) => {
      for (const text of [quoteName(name), showInvisible(name)]) expect(text).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test('a quoted name ends where its quotes end', () => {
  fc.assert(
    fc.property(hostile, (name) => {
      const quotedName = quoteName(name);
      if (quotedName.startsWith('"'))
        expect(quotedName).toMatch(/^"(?:[^"\\]|\\(?:["\\nt]|u[0-9a-f]{4}|u\{[0-9a-f]+\}))*"$/u);
      else expect(quotedName).toMatch(/^[^\s"]+$/u);
    }),
  );
});

test('every shown name stands for exactly one name', () => {
  const short: Readonly<Record<string, string>> = { n: '\n', t: '\t' };
  const restore = (_: string, fourDigits: string | undefined, braceDigits: string | undefined, char: string) => {
    const hex = fourDigits ?? braceDigits;
    return hex === undefined ? (short[char] ?? char) : String.fromCodePoint(Number.parseInt(hex, 16));
  };
  fc.assert(
    fc.property(hostile, (name) => {
      const quotedName = quoteName(name);
      const restoredName = quotedName.startsWith('"')
        ? quotedName.slice(1, -1).replace(/\\(?:u(?:([0-9a-f]{4})|\{([0-9a-f]+)\})|(.))/gu, restore)
        : quotedName;
      expect(restoredName).toBe(name);
    }),
  );
});

test('a text in one line has no invisible characters', () => {
  expect(foldLines('  one\n\n two\u2028three\u200b ')).toBe('one two three\\u200b');
});

test('a text in several lines keeps its line breaks and tabs alone', () => {
  expect(showInvisibleInLines('one\r\n\ttwo\u001b[2J\rthree\u202e\n')).toBe(
    'one\n\ttwo\\u001b[2J\\u000dthree\\u202e\n',
  );
});
