import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cells } from '../../src/text/width.ts';
import { wrap } from '../../src/text/wrap.ts';

describe('lines that fit a terminal', () => {
  test.each([
    ['what fits stays as it is', 'one two', 7, 0, 'one two'],
    ['broken at a space, which goes', 'one two three', 8, 0, 'one two\nthree'],
    ['every line for itself', 'one two\nthree four', 6, 0, 'one\ntwo\nthree\nfour'],
    ['a new line stands as far in as its line', '  one two three', 9, 0, '  one two\n  three'],
    ['and as much more as is asked for', '  one two three', 9, 2, '  one two\n    three'],
    ['never so far in that no room is left', '        one two', 10, 8, '        one\n     two'],
    ['a long word stays whole', 'see src/a/long/path.ts now', 8, 0, 'see\nsrc/a/long/path.ts\nnow'],
    ['columns stay apart', 'a    b c', 6, 0, 'a    b\nc'],
    ['spaces at the end', 'one   ', 4, 0, 'one'],
    ['wide characters take two cells', '日本 日本', 5, 0, '日本\n日本'],
    ['and a line may break between them', '日本語の文', 4, 0, '日本\n語の\n文'],
    ['but not before what ends a sentence', '日本語。', 6, 0, '日本\n語。'],
    ['colours take no room', '\u001b[1;31mFAIL\u001b[0m one', 8, 0, '\u001b[1;31mFAIL\u001b[0m one'],
    ['nothing', '', 4, 0, ''],
    ['no terminal', 'one two three', Number.POSITIVE_INFINITY, 2, 'one two three'],
  ])('%s', (_title, text, width, indent, expected) => {
    expect(wrap(text, width, indent)).toBe(expected);
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

  test('nothing is lost but spaces where a line breaks', () => {
    const without = (some: string) => some.replace(/[ \n]/g, '');
    fc.assert(
      fc.property(text, width, indent, (some, most, by) => {
        expect(without(wrap(some, most, by))).toBe(without(some));
      }),
    );
  });

  test('a line is too wide only where there is no space to break it at', () => {
    fc.assert(
      fc.property(text, width, indent, (some, most, by) => {
        for (const line of wrap(some, most, by).split('\n')) {
          if (cells(line) > most) expect(line.trimStart()).not.toContain(' ');
        }
      }),
    );
  });

  test('what is wrapped stays as it is when it is wrapped again', () => {
    fc.assert(
      fc.property(text, width, indent, (some, most, by) => {
        const once = wrap(some, most, by);
        expect(wrap(once, most, by)).toBe(once);
      }),
    );
  });
});
