import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FindingLocation, locateFinding } from '../../src/findings/locate-finding.ts';

const TEXT = `function a() {
  return 1;
}

function b() {
  return 1;
}
`;

const found = (line: number, text: string, occurrence: number): FindingLocation => ({
  anchor: { text, occurrence },
  line,
  mark: null,
});
const nowhere = (line: number | null, mark: FindingLocation['mark'] = null): FindingLocation => ({
  anchor: null,
  line,
  mark,
});

describe('quoted code', () => {
  test.each<[string, number | null, string, FindingLocation]>([
    ['at the reported line', 2, 'return 1;', found(2, 'return 1;', 1)],
    ['the occurrence nearest to the line', 5, 'return 1;', found(6, 'return 1;', 2)],
    ['two occurrences equally near: the first', 4, 'return 1;', found(2, 'return 1;', 1)],
    ['no line: the first occurrence', null, 'return 1;', found(2, 'return 1;', 1)],
    ['a line after the end of the file', 99, 'return 1;', found(6, 'return 1;', 2)],
    ['a line below 1', 0, 'return 1;', found(2, 'return 1;', 1)],
    ['a part of a line', 5, 'b()', found(5, 'b()', 1)],
    ['white space around it', 2, '\n\n   return 1;  \n', found(2, 'return 1;', 1)],
    ['several lines', 7, 'return 1;\n}', found(6, 'return 1;\n}', 2)],
    [
      'several lines, with other indentation',
      1,
      '\tfunction a() {\r\nreturn 1;',
      found(1, 'function a() {\nreturn 1;', 1),
    ],
    ['an empty line among them', 3, '}\n\nfunction b() {', found(3, '}\n\nfunction b() {', 1)],
    ['several lines must match as whole lines', 1, 'function a\nreturn 1;', nowhere(1, 'code-not-found')],
    ['code that is not in the file', 2, 'return 2;', nowhere(2, 'code-not-found')],
    ['more lines than the file has', 1, `${TEXT}x\ny`, nowhere(1, 'code-not-found')],
  ])('%s', (_title, line, code, expected) => {
    expect(locateFinding(TEXT, line, code)).toEqual(expected);
  });

  test('is found at the last line', () => {
    expect(locateFinding('a\nb\nc', 1, 'b\nc')).toEqual(found(2, 'b\nc', 1));
  });
});

describe('without code', () => {
  test.each<[string, number | null, string | null, FindingLocation]>([
    ['the text of the line', 2, null, found(2, 'return 1;', 1)],
    ['the same text further down is another occurrence', 6, null, found(6, 'return 1;', 2)],
    ['code of white space alone counts as no code', 6, ' \n\t', found(6, 'return 1;', 2)],
    ['an empty line gives no anchor', 4, null, nowhere(4)],
    ['a line below 1', 0, null, nowhere(null, 'no-such-line')],
    ['no line', null, null, nowhere(null)],
    ['a line after the end of the file', 99, null, nowhere(99, 'no-such-line')],
  ])('%s', (_title, line, code, expected) => {
    expect(locateFinding(TEXT, line, code)).toEqual(expected);
  });

  test('a line below 1 gives no anchor', () => {
    expect(locateFinding('a\nb', 0, null).anchor).toBeNull();
  });

  test('an empty file has no lines', () => {
    expect(locateFinding('', 2, null)).toEqual(nowhere(2, 'no-such-line'));
    expect(locateFinding('\n', 1, null)).toEqual(nowhere(1));
  });

  test('the last line exists', () => {
    expect(locateFinding('a\nb', 2, null)).toEqual(found(2, 'b', 1));
  });

  test('the line after the last does not exist', () => {
    expect(locateFinding('a\nb\n', 3, null)).toEqual(nowhere(3, 'no-such-line'));
  });
});

test.each(['a\r\nb', 'a\rb', 'a\nb'])('accepts the line ending %j', (text) => {
  expect(locateFinding(text, 2, null)).toEqual(found(2, 'b', 1));
});

test.each([
  ['with code', 'a', 3],
  ['without code', null, 3],
  ['with nothing', null, null],
] as const)('a file without text gives no anchor and no mark: %s', (_title, code, line) => {
  expect(locateFinding(null, line, code)).toEqual(nowhere(line));
});

describe('properties of anchors', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '}'), maxLength: 4 });
  const lines = fc.array(line, { minLength: 1, maxLength: 8 });

  test('a whole quoted line is found at its line, and its anchor differs from those of equal lines', () => {
    fc.assert(
      fc.property(lines, fc.nat(7), (given, at) => {
        const i = at % given.length;
        const code = given[i] ?? '';
        fc.pre(code.trim() !== '');
        const pointed = locateFinding(given.join('\n'), i + 1, code);
        expect(pointed).toMatchObject({ line: i + 1, mark: null, anchor: { text: code.trim() } });
        const before = given.slice(0, i).filter((one) => one.includes(code.trim())).length;
        expect(pointed.anchor?.occurrence).toBe(before + 1);
      }),
    );
  });

  test('different lines inserted before it do not change the anchor', () => {
    fc.assert(
      fc.property(lines, fc.nat(7), fc.integer({ min: 1, max: 5 }), (given, at, more) => {
        const i = at % given.length;
        const code = given[i] ?? '';
        fc.pre(code.trim() !== '');
        const moved = locateFinding([...Array(more).fill('xyz'), ...given].join('\n'), i + 1 + more, code);
        expect(moved.anchor).toEqual(locateFinding(given.join('\n'), i + 1, code).anchor);
      }),
    );
  });
});
