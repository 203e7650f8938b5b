import { markdown } from '@onceover/testing/markdown-texts.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sentencesOf } from '../../src/text-diff/sentences.ts';

const texts = (text: string) => sentencesOf(text).map((sentence) => sentence.text);

describe('sentencesOf', () => {
  test.each<[string, string, readonly string[]]>([
    ['splits a line at its full stops', 'One. Two! Three? Four… Five', ['One.', 'Two!', 'Three?', 'Four…', 'Five']],
    [
      'keeps closing quotes and brackets with their sentence',
      'He said “no.” (So be it.) Yes.',
      ['He said “no.”', '(So be it.)', 'Yes.'],
    ],
    [
      'does not split inside a word or number',
      'Version 1.2.3 of a.ts is out. Good.',
      ['Version 1.2.3 of a.ts is out.', 'Good.'],
    ],
    ['joins the lines of a wrapped paragraph', 'One two\nthree. Four\n  five.\n', ['One two three.', 'Four five.']],
    ['reads Windows line ends', 'One two\r\nthree.\r\n\r\n```\r\na\r\n```\r\n', ['One two three.', '```', 'a', '```']],
    ['splits paragraphs', 'One\n\ntwo.', ['One', 'two.']],
    ['splits at two spaces or a backslash at the end of a line', 'One  \ntwo\\\nthree', ['One', 'two\\', 'three']],
    ['keeps the number of a list item with its sentence', '1. One. Two.\n2. Three.', ['1. One.', 'Two.', '2. Three.']],
    ['reads wrapped and nested list items', '- one\n  two\n  - three\n* four', ['- one two', '  - three', '* four']],
    ['reads headings', 'Text\n## Head. Line\ntext', ['Text', '## Head. Line', 'text']],
    ['reads underlined headings', 'Head\n====\nText\n---\n', ['Head', '====', 'Text', '---']],
    [
      'reads each table row as a sentence',
      'Text\n| a. b | c |\n| - | - |\n| d | e |\nmore',
      ['Text', '| a. b | c |', '| - | - |', '| d | e |', 'more'],
    ],
    [
      'reads fenced code line by line',
      '```sh\n# no heading. At\n\n  all\n```\ntext',
      ['```sh', '# no heading. At', '', '  all', '```', 'text'],
    ],
    [
      'reads a fence inside a fence',
      '````\n```\na. b\n```\n````\nc. d',
      ['````', '```', 'a. b', '```', '````', 'c.', 'd'],
    ],
    ['reads a fence without an end', '~~~\na. b\nc', ['~~~', 'a. b', 'c']],
    ['reads indented code line by line', 'Text.\n\n    a. b\n      c\n', ['Text.', '    a. b', '      c']],
    ['joins an indented line with its paragraph', 'Text\n      more.', ['Text more.']],
    ['reads quotations', '> One. Two\n> three', ['> One.', 'Two', '> three']],
    ['finds nothing in an empty text', '', []],
    ['finds nothing in blank lines', '\n \n\n', []],
  ])('%s', (_title, text, sentences) => {
    expect(texts(text)).toEqual(sentences);
  });

  test('gives the line of each sentence', () => {
    const sentences = sentencesOf('\n# T\n\nOne. Two\nthree. Four.\n- Five.\n');
    expect(sentences.map(({ line }) => line)).toEqual([2, 4, 4, 5, 6]);
    expect(sentences.map(({ isHeading }) => isHeading)).toEqual([true, false, false, false, false]);
  });

  test('returns all words of the text in order, each sentence with its line', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const sentences = sentencesOf(text);
        const words = (part: string) => part.split(/\s+/).filter((word) => word !== '');
        expect(sentences.flatMap((sentence) => words(sentence.text))).toEqual(words(text));
        const lines = text.split('\n');
        for (const sentence of sentences) {
          const [word = ''] = sentence.text.trim().split(/\s/);
          expect(lines[sentence.line - 1]).toContain(word);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('ignores how a paragraph is wrapped', () => {
    const word = fc.constantFrom('a', 'bb', 'c.', 'd!', '“e.”', 'R-1', '(see', 'g)');
    const spaces = fc.constantFrom(' ', '\n', ' \n', '\n ');
    fc.assert(
      fc.property(fc.array(fc.tuple(word, spaces, spaces), { minLength: 1, maxLength: 30 }), (list) => {
        const [textA, textB] = [1, 2].map((n) => list.map((part) => part[0] + part[n]).join(''));
        expect(texts(textA ?? '')).toEqual(texts(textB ?? ''));
      }),
    );
  });
});
