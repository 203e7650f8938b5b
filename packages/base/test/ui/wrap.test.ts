import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cells, wrap } from '../../src/ui/layout.ts';

describe('wrap', () => {
  test.each([
    ['keeps a line that fits', 'one two', 7, 0, 'one two'],
    ['breaks at a space and drops it', 'one two three', 8, 0, 'one two\nthree'],
    ['wraps each line on its own', 'one two\nthree four', 6, 0, 'one\ntwo\nthree\nfour'],
    ['indents continued lines like their line', '  one two three', 9, 0, '  one two\n  three'],
    ['adds the requested indentation', '  one two three', 9, 2, '  one two\n    three'],
    ['limits the indentation to half the width', '        one two', 10, 8, '        one\n     two'],
    ['does not break a long word', 'see src/a/long/path.ts now', 8, 0, 'see\nsrc/a/long/path.ts\nnow'],
    ['keeps the gap between columns', 'a    b c', 6, 0, 'a    b\nc'],
    ['drops spaces at the end', 'one   ', 4, 0, 'one'],
    ['counts two cells per wide character', '日本 日本', 5, 0, '日本\n日本'],
    ['breaks between wide characters', '日本語の文', 4, 0, '日本\n語の\n文'],
    ['does not break before closing punctuation', '日本語。', 6, 0, '日本\n語。'],
    ['ignores colour codes', '\u001b[1;31mFAIL\u001b[0m one', 8, 0, '\u001b[1;31mFAIL\u001b[0m one'],
    ['returns an empty text', '', 4, 0, ''],
    ['does not wrap without a terminal', 'one two three', Number.POSITIVE_INFINITY, 2, 'one two three'],
  ])('%s', (_title, text, width, indent, lines) => {
    expect(wrap(text, width, indent)).toBe(lines);
  });

  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom(' ', ' ', '\n', 'a', '-', '日', '。', '한'),
      fc.string({ unit: 'grapheme', maxLength: 1 }),
    ),
    maxLength: 80,
  });
  const width = fc.integer({ min: 1, max: 40 });
  const indent = fc.nat(6);

  test('loses nothing but spaces at line breaks', () => {
    const without = (input: string) => input.replace(/[ \n]/g, '');
    fc.assert(
      fc.property(text, width, indent, (input, columns, indentation) => {
        expect(without(wrap(input, columns, indentation))).toBe(without(input));
      }),
    );
  });

  test('exceeds the width only if there is no space to break at', () => {
    fc.assert(
      fc.property(text, width, indent, (input, columns, indentation) => {
        for (const line of wrap(input, columns, indentation).split('\n')) {
          if (cells(line) > columns) expect(line.trimStart()).not.toContain(' ');
        }
      }),
    );
  });

  test('does not change a text that is already wrapped', () => {
    fc.assert(
      fc.property(text, width, indent, (input, columns, indentation) => {
        const once = wrap(input, columns, indentation);
        expect(wrap(once, columns, indentation)).toBe(once);
      }),
    );
  });
});
