import { emptyRepo } from '@onceover/testing/repo.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFileList } from '../../src/cli/input.ts';

describe('a list of names', () => {
  test.each<[title: string, text: string, names: string[]]>([
    ['nothing', '', []],
    ['a name a line', 'a.py\nb/c.py\n', ['a.py', 'b/c.py']],
    ['no line break at the end', 'a.py\nb.py', ['a.py', 'b.py']],
    ['lines that end as on Windows', 'a.py\r\nb.py\r\n', ['a.py', 'b.py']],
    ['empty lines', '\n\na.py\n  \n\t\n', ['a.py']],
    ['spaces in and around a name', ' a b.py \n', [' a b.py ']],
    ['a name that is not ASCII', 'ä/\u{1f600}.py\n', ['ä/\u{1f600}.py']],
    ['a name quoted by git', '"\\303\\244.py"\n', ['ä.py']],
    ['a quoted line break', '"a\\nb.py"\n', ['a\nb.py']],
    ['every short escape', '"\\a\\b\\t\\n\\v\\f\\r\\"\\\\"\n', ['\x07\b\t\n\v\f\r"\\']],
    ['characters not ASCII inside quotes', '"ä\\t\u{1f600}"\n', ['ä\t\u{1f600}']],
    ['a quoted name, then a carriage return', '"a\\tb"\r\n', ['a\tb']],
    ['a quoted byte order mark', '"\\357\\273\\277a.py"\n', ['\ufeffa.py']],
    ['a quote that is not closed', '"a.py\n', ['"a.py']],
    ['an escape that git does not write', '"a\\x41"\n', ['"a\\x41"']],
    ['a number too large for a byte', '"\\400"\n', ['"\\400"']],
    ['quotes inside a name', 'a"b".py\n', ['a"b".py']],
    ['NUL after each name', 'a.py\0b c.py\0', ['a.py', 'b c.py']],
    ['NUL between names', 'a.py\0b.py', ['a.py', 'b.py']],
    ['line breaks and quotes in a NUL list', 'a\nb\0"\\303\\244"\0\r\0 \0', ['a\nb', '"\\303\\244"', '\r', ' ']],
  ])('%s', (_, text, names) => {
    expect(readFileList(text)).toEqual(names);
  });
});

const SHORT: Readonly<Record<number, string>> = {
  7: 'a',
  8: 'b',
  9: 't',
  10: 'n',
  11: 'v',
  12: 'f',
  13: 'r',
  34: '"',
  92: '\\',
};

/** A name as git prints it without `-z`. */
function asGitDoes(name: string, quotePath: boolean): string {
  let text = '';
  let needsQuotes = false;
  for (const byte of Buffer.from(name, 'utf8')) {
    const short = SHORT[byte];
    const needsEscape = byte < 32 || byte === 127 || (quotePath && byte > 127);
    needsQuotes ||= short !== undefined || needsEscape;
    if (short !== undefined) text += `\\${short}`;
    else text += needsEscape ? `\\${byte.toString(8).padStart(3, '0')}` : String.fromCharCode(byte);
  }
  return needsQuotes ? `"${Buffer.from(text, 'latin1').toString('utf8')}"` : name;
}

// A line of nothing but blanks is not a name.
const name = fc
  .string({
    unit: fc.oneof(fc.constantFrom(...' "\\\t\n\r\x01\x7fäé\ufeff\u{1f600}ab/'), fc.string({ unit: 'binary' })),
  })
  .filter((text) => text.trim() !== '' && !text.includes('\0'));

describe('reads back what another program wrote', () => {
  test.each([true, false])('quoted as git does it, core.quotePath %s', (quotePath) => {
    fc.assert(
      fc.property(fc.array(name), (names) => {
        const text = names.map((entry) => `${asGitDoes(entry, quotePath)}\n`).join('');
        expect(readFileList(text)).toEqual(names);
      }),
    );
  });

  test('with NUL after each name', () => {
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), (names) => {
        expect(readFileList(names.map((entry) => `${entry}\0`).join(''))).toEqual(names);
      }),
    );
  });

  test.each(['true', 'false'])('git itself, core.quotePath %s', (quotePath) => {
    const names = ['a b.py', 'tab\t.py', 'line\nbreak.py', 'quote".py', 'back\\slash.py', 'ä\u{1f600}.py', '\x01.py'];
    const repo = emptyRepo();
    for (const file of names) repo.write(file, '');
    repo.git('add', '-A');
    const output = repo.git('-c', `core.quotePath=${quotePath}`, 'ls-files');
    expect([...readFileList(output)].sort()).toEqual([...names].sort());
  });
});
