import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sentencesOf } from '../../src/plan/sentences.ts';
import { markdown } from '../support/markdown-texts.ts';

const texts = (text: string) => sentencesOf(text).map((one) => one.text);

describe('sentences of a Markdown text', () => {
  test.each<[string, string, readonly string[]]>([
    ['a line', 'One. Two! Three? Four… Five', ['One.', 'Two!', 'Three?', 'Four…', 'Five']],
    [
      'what closes with a sentence belongs to it',
      'He said “no.” (So be it.) Yes.',
      ['He said “no.”', '(So be it.)', 'Yes.'],
    ],
    [
      'no end inside a word or number',
      'Version 1.2.3 of a.ts is out. Good.',
      ['Version 1.2.3 of a.ts is out.', 'Good.'],
    ],
    ['a wrapped paragraph', 'One two\nthree. Four\n  five.\n', ['One two three.', 'Four five.']],
    ['Windows line ends', 'One two\r\nthree.\r\n\r\n```\r\na\r\n```\r\n', ['One two three.', '```', 'a', '```']],
    ['two paragraphs', 'One\n\ntwo.', ['One', 'two.']],
    ['two spaces or a backslash end a line', 'One  \ntwo\\\nthree', ['One', 'two\\', 'three']],
    ['the number of an item is no sentence', '1. One. Two.\n2. Three.', ['1. One.', 'Two.', '2. Three.']],
    ['items, wrapped and nested', '- one\n  two\n  - three\n* four', ['- one two', '  - three', '* four']],
    ['headings', 'Text\n## Head. Line\ntext', ['Text', '## Head. Line', 'text']],
    ['a heading that is underlined', 'Head\n====\nText\n---\n', ['Head', '====', 'Text', '---']],
    [
      'rows of a table',
      'Text\n| a. b | c |\n| - | - |\n| d | e |\nmore',
      ['Text', '| a. b | c |', '| - | - |', '| d | e |', 'more'],
    ],
    [
      'code by fences',
      '```sh\n# no heading. At\n\n  all\n```\ntext',
      ['```sh', '# no heading. At', '', '  all', '```', 'text'],
    ],
    ['a fence in a fence', '````\n```\na. b\n```\n````\nc. d', ['````', '```', 'a. b', '```', '````', 'c.', 'd']],
    ['a fence that is never closed', '~~~\na. b\nc', ['~~~', 'a. b', 'c']],
    ['code by indentation', 'Text.\n\n    a. b\n      c\n', ['Text.', '    a. b', '      c']],
    ['an indented line goes on with a paragraph', 'Text\n      more.', ['Text more.']],
    ['quotations', '> One. Two\n> three', ['> One.', 'Two', '> three']],
    ['nothing', '', []],
    ['blank lines', '\n \n\n', []],
  ])('%s', (_title, text, expected) => {
    expect(texts(text)).toEqual(expected);
  });

  test('each knows its line and its block', () => {
    const found = sentencesOf('\n# T\n\nOne. Two\nthree. Four.\n- Five.\n');
    expect(found.map(({ line }) => line)).toEqual([2, 4, 4, 5, 6]);
    expect(new Set(found.map(({ block }) => block)).size).toBe(3);
    expect(found.map(({ isHeading }) => isHeading)).toEqual([true, false, false, false, false]);
  });

  test('as they are written they are the text, and each begins in its line', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const found = sentencesOf(text);
        if (text.trim() !== '') expect(found.map(({ raw }) => raw).join('')).toBe(text);
        const lines = text.split('\n');
        for (const one of found) {
          const [word = ''] = one.text.trim().split(/\s/);
          expect(lines[one.line - 1]).toContain(word);
          const words = (part: string) => part.split(/\s+/).filter((each) => each !== '');
          expect(words(one.text)).toEqual(words(one.raw));
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('how a paragraph is wrapped makes no difference', () => {
    const word = fc.constantFrom('a', 'bb', 'c.', 'd!', '“e.”', 'R-1', '(see', 'g)');
    const spaces = fc.constantFrom(' ', '\n', ' \n', '\n ');
    fc.assert(
      fc.property(fc.array(fc.tuple(word, spaces, spaces), { minLength: 1, maxLength: 30 }), (list) => {
        const [one, other] = [1, 2].map((n) => list.map((part) => part[0] + part[n]).join(''));
        expect(texts(one ?? '')).toEqual(texts(other ?? ''));
      }),
    );
  });
});
